/*
 * row_folds.c - assigns the rows of cross-validation to folds. No assignment depends on the order of the rows.
 */
#include "core/validation/row_folds.h"
#include "core/base/heap.h"

#include "core/base/sort.h"
#include "core/estimator/class_options.h"
#include "core/moments/moments.h"
#include "core/rows/special_columns.h"
#include "core/validation/key_fold.h"

#include <math.h>
#include <string.h>

/* What decides where a row goes, for rules that sort the rows. */
typedef struct KeyedRow {
    double number; /* the time, or the place of the class */
    uint64_t hash; /* of the group, or of the row's content */
    uint64_t row;
} KeyedRow;

FoldRule fold_rule(Env *env, const Options *options)
{
    static const char *const columns[] = {"fold_column", "group_column", "time_column"};
    FoldRule rule = options_boolean(options, "stratified") ? FOLDS_BY_CLASS : FOLDS_BY_HASH;
    const char *first = rule == FOLDS_BY_CLASS ? "stratified" : NULL;

    for (int i = 0; i < 3; i++) {
        if (!options_given(options, columns[i]))
            continue;
        if (first != NULL)
            env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"%s\" and \"%s\" both say which rows are a fold", first,
                     columns[i]);
        first = columns[i];
        rule = (FoldRule)(FOLDS_BY_COLUMN + i);
    }
    if (rule == FOLDS_BY_COLUMN && options_given(options, "folds"))
        env_fail(env, ERROR_PARAMETER, "Leave \"folds\" out.", "option \"folds\" is a number of folds, but \"fold_column\" names them");
    if (rule != FOLDS_BY_COLUMN && options_given(options, "test_folds"))
        env_fail(env, ERROR_PARAMETER, "Name the column with option \"fold_column\".",
                 "option \"test_folds\" lists folds of a column, but there is no \"fold_column\"");
    return rule;
}

/* ---- rules that sort ---- */

static int compare_hashes(const void *left, const void *right)
{
    const KeyedRow *a = left, *b = right;

    return (a->hash > b->hash) - (a->hash < b->hash);
}

static int compare_classes(const void *left, const void *right)
{
    int order = compare_numbers(left, right);

    return order != 0 ? order : compare_hashes(left, right);
}

/*
 * Makes expanding windows, as TimeSeriesSplit of scikit-learn: the last folds x (n / (folds + 1)) rows in order of time are
 * held out, in parts of n / (folds + 1). Rows of one time go to the fold of the first of them.
 */
static void folds_by_time(Env *env, const KeyedRow *keys, uint64_t n, RowFolds *out)
{
    uint64_t each = n / (out->count + 1), begin = n - out->count * each;
    uint16_t fold = 0;

    out->expanding = true;
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || keys[i].number != keys[i - 1].number)
            fold = (uint16_t)(i < begin ? 0 : 1 + (i - begin) / each);
        out->fold[keys[i].row] = fold;
        env_poll_every(env, i + 1, 65536);
    }
}

typedef struct Group {
    uint64_t first, rows, hash;
} Group;

static int compare_groups(const void *left, const void *right)
{
    const Group *a = left, *b = right;

    if (a->rows != b->rows)
        return a->rows < b->rows ? 1 : -1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* A fold and the rows that it has so far: of the class that is dealt, and of all. */
typedef struct Load {
    uint64_t rows, all;
    uint32_t fold;
} Load;

static int compare_loads(const void *left, const void *right)
{
    const Load *a = left, *b = right;

    if (a->rows != b->rows)
        return a->rows < b->rows ? -1 : 1;
    if (a->all != b->all)
        return a->all < b->all ? -1 : 1;
    return (a->fold > b->fold) - (a->fold < b->fold);
}

/* A HeapBefore: the least load first. */
static bool carries_less(const void *left, const void *right, const void *context)
{
    (void)context;
    return compare_loads(left, right) < 0;
}

/* Returns the folds, all empty. */
static Load *empty_folds(Env *env, const RowFolds *out)
{
    Load *heap = env_array(env, out->count, sizeof *heap);

    for (uint32_t k = 0; k < out->count; k++)
        heap[k].fold = k + 1;
    return heap;
}

/* Writes the groups of rows with equal hashes, which are neighbors, the largest first. Returns how many there are. */
static uint64_t find_groups(Env *env, const KeyedRow *keys, uint64_t n, Group *groups)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || keys[i].hash != keys[i - 1].hash)
            groups[count++] = (Group){i, 0, keys[i].hash};
        groups[count - 1].rows++;
        env_poll_every(env, i + 1, 65536);
    }
    sort_polled(env, groups, count, sizeof *groups, compare_groups);
    return count;
}

/* Gives each group to the fold that has the fewest rows. */
static void deal_groups(Env *env, const KeyedRow *keys, const Group *groups, uint64_t count, Load *heap, RowFolds *out)
{
    for (uint64_t g = 0; g < count; g++) {
        Load load = {heap[0].rows + groups[g].rows, heap[0].all + groups[g].rows, heap[0].fold};

        for (uint64_t i = 0; i < groups[g].rows; i++)
            out->fold[keys[groups[g].first + i].row] = (uint16_t)load.fold;
        heap_replace_first(heap, out->count, &load, sizeof load, carries_less, NULL);
        env_poll_every(env, g + 1, 65536);
    }
}

static void folds_by_group(Env *env, const KeyedRow *keys, uint64_t n, RowFolds *out)
{
    Group *groups = env_array(env, n, sizeof *groups);
    uint64_t count = find_groups(env, keys, n, groups);

    if (count < out->count)
        env_fail(env, ERROR_DATA, "Ask for fewer folds.", "%u folds need at least %u groups, but there are %llu", out->count, out->count,
                 (unsigned long long)count);
    deal_groups(env, keys, groups, count, empty_folds(env, out), out);
    env->release(env, groups);
}

/* Deals the rows of each class to the folds that have the fewest of them, then the fewest of all. Equal rows share a fold. */
static void folds_by_class(Env *env, const KeyedRow *keys, uint64_t n, RowFolds *out)
{
    Group *groups = env_array(env, n, sizeof *groups);
    Load *heap = empty_folds(env, out);

    for (uint64_t first = 0, next; first < n; first = next) {
        uint64_t count;

        for (next = first; next < n && keys[next].number == keys[first].number; next++)
            ;
        for (uint32_t k = 0; k < out->count; k++)
            heap[k].rows = 0;
        sort_polled(env, heap, out->count, sizeof *heap, compare_loads); /* a sorted array is a heap */
        count = find_groups(env, keys + first, next - first, groups);
        deal_groups(env, keys + first, groups, count, heap, out);
    }
    env->release(env, groups);
}

/* ---- reading what decides ---- */

typedef struct HashContext {
    Env *env;
    const Model *schema;
    uint64_t seed;
    double *class_number; /* of each class's text; NULL: targets are numbers */
    bool *nulls;
    uint32_t slots;
} HashContext;

static HashContext hash_context(Env *env, Rows *rows, const Options *options, bool labeled)
{
    HashContext context = {.env = env, .schema = rows_schema(rows), .slots = rows_slots(rows)};
    uint32_t classes = labeled ? dictionary_size(context.schema, DICTIONARY_CLASSES) : 0;

    context.seed = key_seed(KEY_ROW, (uint64_t)options_integer(options, "seed"));
    context.nulls = env_array(env, (size_t)context.slots + 1, sizeof(bool));
    if (labeled)
        context.class_number = env_array(env, (size_t)classes + 1, sizeof(double));
    for (uint32_t c = 0; c < classes; c++)
        context.class_number[c] = moments_class_number(context.schema, c);
    return context;
}

static uint64_t hash_of(const HashContext *context, const RowsBlock *block, uint32_t i)
{
    const double *slots = block->slots + (size_t)i * context->slots;
    double target = block->targets != NULL ? block->targets[i] : 0;

    if (context->class_number != NULL)
        target = context->class_number[(uint32_t)target];
    for (uint32_t s = 0; s < context->slots; s++)
        context->nulls[s] = isnan(slots[s]);
    return moments_content_hash(context->env, context->schema, context->seed, slots, context->nulls, target);
}

/* Returns what the rule sorts rows by, sorted. */
static KeyedRow *keyed_rows(Env *env, Rows *rows, const Options *options, FoldRule rule, bool labeled)
{
    uint64_t n = rows_count(rows);
    HashContext context = hash_context(env, rows, options, labeled);
    ClassSet classes = class_set(env, rows_schema(rows));
    RowsReader *reader;
    RowsBlock block;
    KeyedRow *keys;

    env_require_memory(env, n * (sizeof(KeyedRow) + 2 * sizeof(Group)), "the order of the rows for their folds");
    keys = env_array_raw(env, n, sizeof(KeyedRow));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            KeyedRow *key = &keys[block.first + i];

            *key = (KeyedRow){.row = block.first + i};
            if (rule == FOLDS_BY_CLASS) {
                key->number = classes.place_of[(uint32_t)block.targets[i]]; /* not in order of appearance */
                key->hash = hash_of(&context, &block, i);
            } else if (rule == FOLDS_BY_GROUP) {
                memcpy(&key->hash, block.ids[i], sizeof key->hash);
            } else {
                memcpy(&key->number, block.ids[i], sizeof key->number);
            }
        }
    rows_reader_free(reader);
    sort_polled(env, keys, n, sizeof(KeyedRow),
                rule == FOLDS_BY_TIME ? compare_numbers : rule == FOLDS_BY_GROUP ? compare_hashes : compare_classes);
    return keys;
}

static void folds_by_hash(Env *env, Rows *rows, const Options *options, bool labeled, RowFolds *out)
{
    HashContext context = hash_context(env, rows, options, labeled);
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            out->fold[block.first + i] = (uint16_t)(1 + hash_of(&context, &block, i) % out->count);
    rows_reader_free(reader);
}

/* ---- folds of a column ---- */

/* Returns the place of a label among `count` rising ones, where it is or belongs. */
static uint32_t label_place(const double *labels, uint32_t count, double label)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (labels[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double tag_number(const RowsBlock *block, uint32_t i)
{
    double number;

    memcpy(&number, block->ids[i], sizeof number);
    return number;
}

static void add_label(Env *env, RowFolds *out, double label)
{
    uint32_t place = label_place(out->labels, out->count, label);

    if (place < out->count && out->labels[place] == label)
        return;
    if (out->count == FOLDS_MAX)
        env_fail(env, ERROR_DATA, "Use a column with fewer values, or option \"group_column\", which puts groups together.",
                 "the fold column has more than %d values", FOLDS_MAX);
    memmove(out->labels + place + 1, out->labels + place, (out->count - place) * sizeof(double));
    out->labels[place] = label;
    out->count++;
}

/* Reduces the folds to those that option hold_out lists. */
static void keep_listed(Env *env, const Options *options, RowFolds *out)
{
    uint32_t count;
    const double *listed = options_numbers(options, "test_folds", &count);
    RowFolds all = *out;

    if (count == 0)
        return;
    out->labels = env_array(env, FOLDS_MAX + 1, sizeof(double));
    out->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = label_place(all.labels, all.count, listed[i]);

        if (place == all.count || all.labels[place] != listed[i])
            env_fail(env, ERROR_DATA, NULL, "option \"test_folds\" lists fold %.15g, which no row has", listed[i]);
        add_label(env, out, listed[i]);
    }
}

static void folds_by_column(Env *env, Rows *rows, const Options *options, RowFolds *out)
{
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    out->count = 0;
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            add_label(env, out, tag_number(&block, i));
    if (out->count == 1)
        env_fail(env, ERROR_DATA, "Give the rows at least two folds, for example with pgfit.fold(id, 5).",
                 "all rows are in fold %.15g: nothing is left to fit while it is held out", out->labels[0]);
    keep_listed(env, options, out);
    rows_rewind(reader);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double label = tag_number(&block, i);
            uint32_t place = label_place(out->labels, out->count, label);

            out->fold[block.first + i] = (uint16_t)(place < out->count && out->labels[place] == label ? place + 1 : 0);
        }
    rows_reader_free(reader);
}

/* ---- all rules ---- */

/* Counts the rows of each fold and renumbers the folds without those that are empty. */
static void count_rows(Env *env, uint64_t n, RowFolds *out)
{
    uint16_t *number = env_array(env, (size_t)out->count + 1, sizeof(uint16_t));
    uint32_t kept = 0;

    out->sizes = env_array(env, (size_t)out->count + 1, sizeof(uint64_t));
    for (uint64_t i = 0; i < n; i++)
        out->sizes[out->fold[i]]++;
    for (uint32_t k = 1; k <= out->count; k++) {
        if (out->sizes[k] == 0)
            continue;
        number[k] = (uint16_t)++kept;
        out->sizes[kept] = out->sizes[k];
        out->labels[kept - 1] = out->labels[k - 1];
    }
    for (uint64_t i = 0; i < n && kept < out->count; i++)
        out->fold[i] = number[out->fold[i]];
    out->count = kept;
}

/* Fails if a fold is held out and nothing is left to fit. */
static void require_training(Env *env, const RowFolds *folds, uint64_t n)
{
    uint64_t before = folds->sizes[0];

    for (uint32_t k = 1; k <= folds->count; k++) {
        uint64_t training = folds->expanding ? before : n - folds->sizes[k];

        if (training == 0)
            env_fail(env, ERROR_DATA,
                     folds->expanding ? "Use a column with more different times, or fewer folds."
                                      : "Ask for other folds: another \"seed\", a smaller number, or a column.",
                     "no rows are left to fit while fold %.15g is held out", folds->labels[k - 1]);
        before += folds->sizes[k];
    }
}

RowFolds row_folds(Env *env, Rows *rows, const Options *options, bool labeled)
{
    FoldRule rule = fold_rule(env, options);
    uint64_t n = rows_count(rows), needed;
    RowFolds out = {.count = (uint32_t)options_integer(options, "folds")};
    KeyedRow *keys;

    if (rule == FOLDS_BY_CLASS && !labeled)
        env_fail(env, ERROR_PARAMETER, "Leave \"stratified\" out.", "option \"stratified\" needs classes, and %.31s has none",
                 rows_schema(rows)->estimator);
    needed = out.count + (rule == FOLDS_BY_TIME);
    if (rule != FOLDS_BY_COLUMN && n < needed)
        env_fail(env, ERROR_DATA, "Ask for fewer folds.", "%u folds need at least %llu rows, but there are %llu", out.count,
                 (unsigned long long)needed, (unsigned long long)n);
    env_require_memory(env, n * sizeof(uint16_t), "the folds of the rows");
    out.fold = env_array(env, n, sizeof(uint16_t));
    out.labels = env_array(env, FOLDS_MAX + 1, sizeof(double));
    for (uint32_t k = 0; k < out.count; k++)
        out.labels[k] = k + 1;
    if (rule == FOLDS_BY_HASH) {
        folds_by_hash(env, rows, options, labeled, &out);
    } else if (rule == FOLDS_BY_COLUMN) {
        folds_by_column(env, rows, options, &out);
    } else {
        keys = keyed_rows(env, rows, options, rule, labeled);
        (rule == FOLDS_BY_TIME    ? folds_by_time
         : rule == FOLDS_BY_GROUP ? folds_by_group
                                  : folds_by_class)(env, keys, n, &out);
        env->release(env, keys);
    }
    count_rows(env, n, &out);
    require_training(env, &out, n);
    return out;
}
