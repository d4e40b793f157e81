/*
 * multiclass.c - code books that split several classes into binary problems, and the decoding of their scores.
 */
#include "core/estimator/multiclass.h"
#include "core/base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DRAWS 10000        /* tries to draw a whole book; usually one is enough */
#define BOOKS 10           /* random books, of which the best is used */
#define DISTANCE_WORK 1e7  /* comparisons of codes that choosing the best may take */

const char *const multiclass_choices[] = {"ovr", "ovo", "ecoc", NULL};

const OptionSpec options_multiclass[] = {
    {.name = "code_book",
     .types = OPTION_NUMBER_MATRIX,
     .minimum = -1,
     .maximum = 1,
     .unset = "random, by code_length",
     .help = "For ecoc: one row per class, in their order, and one column per binary problem, with values 1 and -1 "
             "(or 1 and 0)."},
    {.name = "code_length",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = MULTICLASS_MAX_LENGTH,
     .unset = "10 log2(classes), or all possible problems if there are fewer",
     .help = "For ecoc without code_book: the number of columns of the random book."},
    {.name = "multiclass",
     .types = OPTION_STRING,
     .fallback = "\"ovr\"",
     .choices = multiclass_choices,
     .help = "How several classes are split into binary problems: each class against the others (ovr), pairs of "
             "classes (ovo), or output codes (ecoc)."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = -9007199254740992.0,
     .maximum = 9007199254740992.0,
     .help = "For ecoc: seed of the random code book."},
    {.name = NULL}};

/* ---- books ---- */

static CodeBook *book_new(Env *env, MulticlassKind kind, uint32_t classes, size_t problems,
                          bool stored)
{
    CodeBook *book = env_array(env, 1, sizeof(CodeBook));

    if (problems > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Use \"multiclass\": \"ovr\".",
                 "%u classes have too many pairs for one-vs-one", classes);
    book->kind = kind;
    book->classes = classes;
    book->problems = (uint32_t)problems;
    book->signs = env_array(env, (size_t)classes + 1, 1);
    if (stored) {
        env_require_memory(env, problems * classes, "the code book");
        book->codes = env_array(env, problems * classes + 1, 1);
    }
    return book;
}

static inline int8_t *column_of(const CodeBook *book, uint32_t problem)
{
    return book->codes + (size_t)problem * book->classes;
}

/* Finds the classes (first, second) of a pair by its number. */
static void pair_of(uint32_t classes, uint32_t problem, uint32_t *first, uint32_t *second)
{
    *first = 0;
    while (problem >= classes - 1 - *first) {
        problem -= classes - 1 - *first;
        ++*first;
    }
    *second = *first + 1 + problem;
}

const int8_t *book_signs(const CodeBook *book, uint32_t problem)
{
    uint32_t first, second;

    if (book->codes != NULL)
        return column_of(book, problem);
    if (book->kind == MULTICLASS_OVO) {
        pair_of(book->classes, problem, &first, &second);
        memset(book->signs, 0, book->classes);
        book->signs[first] = -1;
        book->signs[second] = 1;
    } else {
        memset(book->signs, -1, book->classes);
        book->signs[problem] = 1;
    }
    return book->signs;
}

static CodeBook *binary_book(Env *env, uint32_t positive)
{
    CodeBook *book = book_new(env, MULTICLASS_SCORES, 2, 1, true);

    book->codes[positive] = 1;
    book->codes[1 - positive] = -1;
    return book;
}

/* ---- output codes ---- */

/* Tells whether two columns pose the same problem, mirrored or not. */
static bool same_problem(const int8_t *a, const int8_t *b, uint32_t classes)
{
    uint32_t equal = 0;

    for (uint32_t c = 0; c < classes; c++)
        equal += a[c] == b[c];
    return equal == 0 || equal == classes;
}

static bool is_constant(const int8_t *signs, uint32_t classes)
{
    for (uint32_t c = 1; c < classes; c++)
        if (signs[c] != signs[0])
            return false;
    return true;
}

/* Returns the number of columns in which two classes differ. */
static uint32_t row_distance(const CodeBook *book, uint32_t a, uint32_t b)
{
    uint32_t distance = 0;

    for (uint32_t p = 0; p < book->problems; p++)
        distance += column_of(book, p)[a] != column_of(book, p)[b];
    return distance;
}

static uint32_t least_row_distance(const CodeBook *book)
{
    uint32_t least = book->problems;

    for (uint32_t a = 0; a < book->classes; a++)
        for (uint32_t b = a + 1; b < book->classes; b++) {
            uint32_t distance = row_distance(book, a, b);

            least = distance < least ? distance : least;
        }
    return least;
}

/* Reads a given book; 0 counts as -1 if there is no -1. */
static CodeBook *given_book(const ClassSet *classes, const Options *options)
{
    Env *env = classes->env;
    uint32_t rows, columns;
    const double *given = options_matrix(options, "code_book", &rows, &columns);
    CodeBook *book;
    bool zero = false, negative = false;

    if (rows != classes->count)
        env_fail(env, ERROR_DATA, "Give one row per class, in the order of the classes.",
                 "option \"code_book\" has %u rows, and there are %u classes", rows, classes->count);
    book = book_new(env, MULTICLASS_ECOC, rows, columns, true);
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        zero = zero || given[i] == 0;
        negative = negative || given[i] == -1;
        if (given[i] != 0 && given[i] != 1 && given[i] != -1)
            env_fail(env, ERROR_PARAMETER, "Use 1 for positive and -1 (or 0) for negative.",
                     "option \"code_book\" has %g among its codes", given[i]);
        book->codes[(i % columns) * rows + i / columns] = given[i] == 1 ? 1 : -1;
    }
    if (zero && negative)
        env_fail(env, ERROR_PARAMETER, "1 is positive, -1 negative; or 1 and 0.",
                 "option \"code_book\" has both 0 and -1 among its codes");
    return book;
}

/* Fails if a book cannot tell the classes apart, or poses a problem twice. */
static void require_sound(const ClassSet *classes, const CodeBook *book)
{
    Env *env = classes->env;

    for (uint32_t a = 0; a < book->classes; a++)
        for (uint32_t b = a + 1; b < book->classes; b++)
            if (row_distance(book, a, b) == 0)
                env_fail(env, ERROR_PARAMETER, "Give each class a different row.",
                         "option \"code_book\" has the same row for classes \"%s\" and \"%s\"",
                         class_label(classes, a), class_label(classes, b));
    for (uint32_t p = 0; p < book->problems; p++) {
        if (is_constant(column_of(book, p), book->classes))
            env_fail(env, ERROR_PARAMETER, "Leave out the column; it separates no classes.",
                     "column %u of option \"code_book\" is the same for all classes", p + 1);
        for (uint32_t o = 0; o < p; o++)
            if (same_problem(column_of(book, p), column_of(book, o), book->classes))
                env_fail(env, ERROR_PARAMETER, "Leave one of them out.",
                         "columns %u and %u of option \"code_book\" pose the same problem", o + 1,
                         p + 1);
        if (p % 64 == 63)
            env->poll(env);
    }
}

/* A stream of bits from the seed. */
typedef struct Bits {
    uint64_t state, word;
    uint32_t left;
} Bits;

static int8_t next_sign(Bits *bits)
{
    int8_t sign;

    if (bits->left == 0) {
        bits->word = random_bits(&bits->state);
        bits->left = 64;
    }
    sign = bits->word & 1 ? 1 : -1;
    bits->word >>= 1;
    bits->left--;
    return sign;
}

static bool column_is_new(const CodeBook *book, uint32_t problem)
{
    if (is_constant(column_of(book, problem), book->classes))
        return false;
    for (uint32_t o = 0; o < problem; o++)
        if (same_problem(column_of(book, problem), column_of(book, o), book->classes))
            return false;
    return true;
}

static bool row_is_new(const CodeBook *book, uint32_t class)
{
    for (uint32_t o = 0; o < class; o++)
        if (row_distance(book, class, o) == 0)
            return false;
    return true;
}

/* Draws columns until each is a new problem; returns false if rows are then equal. */
static bool draw_columns(Env *env, CodeBook *book, Bits *bits)
{
    for (uint32_t p = 0; p < book->problems; p++) {
        do {
            env->poll(env);
            for (uint32_t c = 0; c < book->classes; c++)
                column_of(book, p)[c] = next_sign(bits);
        } while (!column_is_new(book, p));
    }
    for (uint32_t c = 1; c < book->classes; c++)
        if (!row_is_new(book, c))
            return false;
    return true;
}

/* Draws rows until each is new, for books hardly longer than necessary; returns false if columns are then equal. */
static bool draw_rows(Env *env, CodeBook *book, Bits *bits)
{
    for (uint32_t c = 0; c < book->classes; c++) {
        do {
            env->poll(env);
            for (uint32_t p = 0; p < book->problems; p++)
                column_of(book, p)[c] = next_sign(bits);
        } while (!row_is_new(book, c));
    }
    for (uint32_t p = 0; p < book->problems; p++)
        if (!column_is_new(book, p))
            return false;
    return true;
}

/* Returns ceil(log2(classes)); a model has room for fewer than 2^31. */
static uint32_t least_length(uint32_t classes)
{
    uint32_t length = 0;

    while ((1u << length) < classes)
        length++;
    return length;
}

static uint32_t code_length(const ClassSet *classes, const Options *options)
{
    uint32_t q = classes->count, least = least_length(q);
    /* how many problems there are: sets of classes, without the empty one and complements */
    int64_t most = q < 31 ? ((int64_t)1 << (q - 1)) - 1 : INT32_MAX, length;

    if (options_type(options, "code_length") == 0) {
        length = (int64_t)ceil(10 * log2(q));
        return (uint32_t)(length < most ? length : most);
    }
    length = options_integer(options, "code_length");
    if (length < least || length > most)
        env_fail(classes->env, ERROR_DATA,
                 "Fewer columns cannot tell the classes apart; more would pose problems twice.",
                 "option \"code_length\" must be from %u to %lld for %u classes, not %lld", least,
                 (long long)most, q, (long long)length);
    return (uint32_t)length;
}

/* Draws several random books and returns the one whose rows are farthest apart. */
static CodeBook *random_book(const ClassSet *classes, const Options *options)
{
    Env *env = classes->env;
    uint32_t q = classes->count, length = code_length(classes, options), best_distance = 0;
    Bits bits = {.state = (uint64_t)options_integer(options, "seed")};
    CodeBook *best = book_new(env, MULTICLASS_ECOC, q, length, true), *book;
    bool rows_first = length < 2 * least_length(q);
    int found = 0;

    book = book_new(env, MULTICLASS_ECOC, q, length, true);
    for (int draw = 0; draw < DRAWS && found < BOOKS; draw++) {
        uint32_t distance;

        if (!(rows_first ? draw_rows(env, book, &bits) : draw_columns(env, book, &bits)))
            continue;
        distance = least_row_distance(book);
        if (distance > best_distance) {
            CodeBook *swap = best;

            best = book;
            book = swap;
            best_distance = distance;
        }
        found++;
        if ((double)q * q * length * (found + 1) > DISTANCE_WORK)
            break;
    }
    if (found == 0)
        env_fail(env, ERROR_DATA, "Give a longer \"code_length\", or a \"code_book\".",
                 "no code book of %u columns was found for %u classes", length, q);
    return best;
}

CodeBook *multiclass_book(const ClassSet *classes, const Options *options, uint32_t positive)
{
    return multiclass_book_or(classes, options, positive, MULTICLASS_SCORES);
}

CodeBook *multiclass_book_or(const ClassSet *classes, const Options *options, uint32_t positive, MulticlassKind fallback)
{
    bool pairs = options_type(options, "multiclass") == 0 ? fallback == MULTICLASS_OVO : options_is(options, "multiclass", "ovo");
    bool ecoc = options_is(options, "multiclass", "ecoc");
    bool given = options_type(options, "code_book") != 0;
    bool length = options_type(options, "code_length") != 0;
    CodeBook *book;

    if (!ecoc && (given || length))
        env_fail(classes->env, ERROR_PARAMETER, "Add \"multiclass\": \"ecoc\".",
                 "option \"%s\" is for output codes, not for \"multiclass\": \"%s\"",
                 given ? "code_book" : "code_length", pairs ? "ovo" : "ovr");
    if (given && length)
        env_fail(classes->env, ERROR_PARAMETER, "Leave one of them out.",
                 "options \"code_book\" and \"code_length\" are both given");
    if (given) {
        book = given_book(classes, options);
        require_sound(classes, book);
        if (classes->count > 2) /* two classes are one problem, whatever the book */
            return book;
    }
    if (classes->count == 2)
        return binary_book(classes->env, positive);
    if (ecoc)
        return random_book(classes, options);
    if (pairs)
        return book_new(classes->env, MULTICLASS_OVO, classes->count,
                        (size_t)classes->count * (classes->count - 1) / 2, false);
    return book_new(classes->env, MULTICLASS_SCORES, classes->count, classes->count, false);
}

/* ---- fitting ---- */

void multiclass_pack(Pack *pack, const CodeBook **place)
{
    bool opens = pack->mode == PACK_OPEN;
    CodeBook *book = opens ? env_array(pack->env, 1, sizeof(CodeBook)) : (CodeBook *)*place;

    *place = book;
    pack_value(pack, book, sizeof *book);
    pack_array(pack, &book->codes, (size_t)book->problems * book->classes, sizeof(int8_t));
    if (opens)
        book->signs = env_array(pack->env, book->classes, sizeof(int8_t));
}

const int8_t *multiclass_problem(Env *env, const CodeBook *book, const char *phase, uint32_t problem)
{
    env->poll(env);
    if (book->problems > 1)
        env->progress(env, phase, problem, book->problems, NAN);
    return book_signs(book, problem);
}

void multiclass_add(Env *env, ModelBuilder *builder, const CodeBook *book)
{
    int64_t *kind, *codes;

    if (book->classes == 2 || book->kind == MULTICLASS_SCORES)
        return;
    kind = env_array(env, 1, sizeof(int64_t));
    kind[0] = book->kind;
    builder_i64(builder, SECTION_ARRAYS, "multiclass", kind, 1);
    if (book->kind != MULTICLASS_ECOC)
        return;
    codes = env_array(env, (size_t)book->classes * book->problems, sizeof(int64_t));
    for (uint32_t p = 0; p < book->problems; p++)
        for (uint32_t c = 0; c < book->classes; c++)
            codes[(size_t)c * book->problems + p] = column_of(book, p)[c];
    builder_i64_matrix(builder, SECTION_ARRAYS, "code_book", codes, book->classes, book->problems);
}

const ArraySpec multiclass_arrays[2] = {
    {.name = "code_book",
     .type = ARRAY_I64,
     .presence = ARRAY_OPTIONAL,
     .other = "multiclass",
     .values = VALUES_SIGN,
     .rows = {SIZE_CLASSES},
     .columns = {SIZE_FREE}},
    {.name = "multiclass", .type = ARRAY_I64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_NUMBER, .plus = 1}}};

static MulticlassKind kind_of(const Model *model)
{
    uint32_t length;
    const int64_t *kind = model_i64(model, "multiclass", &length);

    return kind != NULL ? (MulticlassKind)kind[0] : MULTICLASS_SCORES;
}

uint64_t multiclass_problems(const Model *model)
{
    const ModelEntry *book = model_find(model, "code_book");
    uint64_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    if (book != NULL)
        return book->columns;
    if (kind_of(model) == MULTICLASS_OVO)
        return classes * (classes - 1) / 2;
    return classes == 2 ? 1 : classes;
}

const char *multiclass_check(Env *env, const Model *model)
{
    const ModelEntry *book = model_find(model, "code_book");
    uint32_t length;
    const int64_t *kind = model_i64(model, "multiclass", &length);

    if (kind == NULL)
        return NULL;
    if (*kind != MULTICLASS_OVO && *kind != MULTICLASS_ECOC)
        return env_message(env, "\"multiclass\" of %.31s is no strategy", model->estimator);
    if (dictionary_size(model, DICTIONARY_CLASSES) < 3)
        return env_message(env, "\"multiclass\" belongs to a %.31s of more than two classes", model->estimator);
    if (*kind == MULTICLASS_OVO)
        return book == NULL ? NULL : "pairs of classes have no \"code_book\"";
    return book != NULL && book->columns > 1 ? NULL : "output codes need a \"code_book\" of several columns";
}

/* ---- decoding ---- */

bool multiclass_has_book(const Model *model, const CodeBook *book)
{
    uint32_t length, problems = book->problems;
    const int64_t *codes = model_i64(model, "code_book", &length);
    MulticlassKind kind = book->classes == 2 ? MULTICLASS_SCORES : book->kind;

    if (dictionary_size(model, DICTIONARY_CLASSES) != book->classes || kind_of(model) != kind ||
        multiclass_problems(model) != problems)
        return false;
    for (uint32_t p = 0; codes != NULL && p < problems; p++)
        for (uint32_t c = 0; c < book->classes; c++)
            if (codes[(size_t)c * problems + p] != column_of(book, p)[c])
                return false;
    return true;
}

bool multiclass_coded(const Model *model)
{
    return model_find(model, "multiclass") != NULL;
}

Multiclass *multiclass_prepare(Env *env, const Model *model, size_t *bytes)
{
    uint32_t length, problems = (uint32_t)multiclass_problems(model);
    size_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    Multiclass *multiclass;

    *bytes = sizeof(Multiclass) + (problems + 2 * classes) * sizeof(double);
    multiclass = env->alloc(env, *bytes);
    multiclass->kind = kind_of(model);
    multiclass->classes = (uint32_t)classes;
    multiclass->problems = problems;
    multiclass->probabilities = false;
    multiclass->codes = model_i64(model, "code_book", &length);
    multiclass->scores = (double *)(multiclass + 1);
    multiclass->sums = multiclass->scores + problems;
    multiclass->votes = multiclass->sums + classes;
    return multiclass;
}

uint32_t multiclass_width(const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    return classes == 2 ? 1 : classes;
}

/* Counts votes, and sums the signed scores of pairs. */
static void count_votes(const Multiclass *multiclass)
{
    uint32_t classes = multiclass->classes;
    const double *score = multiclass->scores;

    memset(multiclass->sums, 0, classes * sizeof(double));
    memset(multiclass->votes, 0, classes * sizeof(double));
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, score++) {
            multiclass->votes[*score > 0 ? j : i]++;
            multiclass->sums[i] -= *score;
            multiclass->sums[j] += *score;
        }
}

/* Writes the squared distances from the scores to the rows of the book to sums. */
static void code_distances(const Multiclass *multiclass)
{
    const int64_t *code = multiclass->codes;

    for (uint32_t c = 0; c < multiclass->classes; c++) {
        double sum = 0;

        for (uint32_t p = 0; p < multiclass->problems; p++, code++) {
            double wanted = multiclass->probabilities ? *code > 0 : (double)*code;
            double difference = multiclass->scores[p] - wanted;

            sum += difference * difference;
        }
        multiclass->sums[c] = sum;
    }
}

void multiclass_decisions(const Multiclass *multiclass, double *decisions)
{
    uint32_t classes = multiclass->classes;

    switch (multiclass->kind) {
    case MULTICLASS_SCORES:
        memcpy(decisions, multiclass->scores, multiclass->problems * sizeof(double));
        break;
    case MULTICLASS_OVO:
        count_votes(multiclass);
        for (uint32_t c = 0; c < classes; c++) {
            double sum = multiclass->sums[c];

            decisions[c] = multiclass->votes[c] + sum / (3 * (fabs(sum) + 1));
        }
        break;
    case MULTICLASS_ECOC:
        code_distances(multiclass);
        for (uint32_t c = 0; c < classes; c++)
            decisions[c] = -sqrt(multiclass->sums[c]);
        break;
    }
}

static uint32_t largest(const double *numbers, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] > numbers[best])
            best = i;
    return best;
}

uint32_t multiclass_pick(const Multiclass *multiclass, const ClassRule *rule)
{
    uint32_t best = 0;

    if (multiclass->classes == 2)
        return class_rule_pick(rule, multiclass->scores[0]);
    if (multiclass->kind == MULTICLASS_SCORES)
        return largest(multiclass->scores, multiclass->classes);
    if (multiclass->kind == MULTICLASS_OVO) {
        count_votes(multiclass);
        for (uint32_t c = 1; c < multiclass->classes; c++)
            if (multiclass->votes[c] > multiclass->votes[best] ||
                (multiclass->votes[c] == multiclass->votes[best] &&
                 multiclass->sums[c] > multiclass->sums[best]))
                best = c;
        return best;
    }
    code_distances(multiclass);
    for (uint32_t c = 1; c < multiclass->classes; c++)
        if (multiclass->sums[c] < multiclass->sums[best])
            best = c;
    return best;
}

/* ---- reports ---- */

const char *multiclass_name(const Model *model)
{
    if (model_find(model, "multiclass") == NULL)
        return NULL;
    return kind_of(model) == MULTICLASS_OVO ? "one-vs-one" : "output codes";
}

static void label_of(const Model *model, uint32_t class, char *buffer, size_t size)
{
    uint32_t length;
    const char *text = dictionary_text(model, DICTIONARY_CLASSES, class, &length);

    snprintf(buffer, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

void multiclass_problem_name(const Model *model, uint32_t problem, char *buffer, size_t size)
{
    uint32_t first, second;
    char a[SCHEMA_NAME_SIZE], b[SCHEMA_NAME_SIZE];

    if (kind_of(model) == MULTICLASS_ECOC) {
        snprintf(buffer, size, "code %u", problem + 1);
        return;
    }
    if (kind_of(model) == MULTICLASS_SCORES) {
        label_of(model, problem, buffer, size);
        return;
    }
    pair_of(dictionary_size(model, DICTIONARY_CLASSES), problem, &first, &second);
    label_of(model, first, a, sizeof(a));
    label_of(model, second, b, sizeof(b));
    snprintf(buffer, size, "%s / %s", b, a);
}

uint32_t multiclass_code_distance(const Model *model)
{
    const ModelEntry *entry = model_find(model, "code_book");
    const int64_t *codes;
    uint32_t least = UINT32_MAX;

    if (entry == NULL)
        return 0;
    codes = model_data(model, entry);
    for (uint32_t a = 0; a < entry->rows; a++)
        for (uint32_t b = a + 1; b < entry->rows; b++) {
            uint32_t distance = 0;

            for (uint32_t p = 0; p < entry->columns; p++)
                distance += codes[(size_t)a * entry->columns + p] !=
                            codes[(size_t)b * entry->columns + p];
            least = distance < least ? distance : least;
        }
    return least;
}

/* Writes SQL for the votes of a class among pairs, then the sum of its signed scores, from the array s. */
static void put_votes(TextBuffer *out, uint32_t classes, uint32_t class)
{
    for (int sums = 0; sums < 2; sums++) {
        uint32_t pair = 0;
        bool some = false;

        text_print(out, ", ");
        for (uint32_t i = 0; i < classes; i++)
            for (uint32_t j = i + 1; j < classes; j++) {
                pair++;
                if (i != class && j != class)
                    continue;
                if (sums)
                    text_print(out, "%s s[%u]", i == class ? " -" : some ? " +" : "", pair);
                else
                    text_print(out, "%s(s[%u] %s 0)::int", some ? " + " : "", pair,
                               j == class ? ">" : "<=");
                some = true;
            }
    }
}

/* Writes SQL for minus the squared distance of the array s from a row of the book. */
static void put_distance(TextBuffer *out, const int64_t *codes, uint32_t problems, bool probabilities)
{
    text_print(out, ", -(");
    for (uint32_t p = 0; p < problems; p++)
        text_print(out, "%s(s[%u] - (%d)) ^ 2", p > 0 ? " + " : "", p + 1,
                   probabilities ? codes[p] > 0 : (int)codes[p]);
    text_print(out, "), 0");
}

void multiclass_sql(TextBuffer *out, const Model *model, bool probabilities,
                    void (*score)(void *context, TextBuffer *out, uint32_t problem), void *context)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), length;
    uint32_t problems = (uint32_t)multiclass_problems(model);
    const int64_t *codes = model_i64(model, "code_book", &length);

    text_print(out, "(SELECT label FROM (SELECT ARRAY[");
    for (uint32_t p = 0; p < problems; p++) {
        text_print(out, "%s\n ", p > 0 ? "," : "");
        score(context, out, p);
        out->env->poll(out->env);
    }
    /* OFFSET 0: otherwise the planner would replace every s by the whole array */
    text_print(out, "] OFFSET 0) AS problem (s),\n LATERAL (VALUES");
    for (uint32_t c = 0; c < classes; c++) {
        text_print(out, "%s\n (%u, ", c > 0 ? "," : "", c);
        sql_label(out, model, DICTIONARY_CLASSES, c);
        if (kind_of(model) == MULTICLASS_OVO)
            put_votes(out, classes, c);
        else
            put_distance(out, codes + (size_t)c * problems, problems, probabilities);
        text_print(out, ")");
        out->env->poll(out->env);
    }
    text_print(out, ") AS class (place, label, score, tie)\n"
                    " WHERE array_position(s, NULL) IS NULL ORDER BY score DESC, tie DESC, place LIMIT 1)");
}
