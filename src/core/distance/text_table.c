/*
 * text_table.c - edit, Damerau-Levenshtein and Jaro-Winkler distances of one text from many.
 *
 * The characters of the table's texts are numbered, so that what is known of each character is in an array. The characters of a row's
 * text that no text of the table has share one number, because they equal nothing.
 */
#include "core/distance/text_table.h"
#include "core/distance/edit_distance.h"
#include "core/base/hash_table.h"
#include "core/kernel/string_kernel.h"

#include <math.h>
#include <string.h>

#define POLL_STEPS 1000000
#define WORD 64
#define NOBODY UINT32_MAX
#define MASK_WORDS ((size_t)8 << 20) /* of masks; longer texts are compared in parts */
#define PREFIX 4 /* characters that Jaro-Winkler compares as the beginning */

typedef struct Text {
    uint32_t *characters;
    uint32_t count;
} Text;

struct TextTable {
    Env *env;
    MetricKind kind;
    double prefix_weight;
    uint32_t count, alphabet; /* numbers of characters: 0 .. alphabet - 1, and alphabet for all others */
    Text *texts;              /* [count] */
    HashTable known;          /* the alphabet, by hash_32, which no two characters share */
    uint32_t longest;
    /* the text that others are compared with */
    uint32_t query;     /* its number; NOBODY: none, or of a row */
    Text buffer;        /* its characters, copied if it is of a row */
    uint32_t own_room;
    const Text *compared;
    uint64_t *masks;    /* [alphabet + 1][words]: where each character is in it, one bit each; all 0 without a text */
    uint32_t words, word_room; /* of a character's mask; words is 0 if the text is compared in parts */
    int8_t *carried;           /* [carried_room] of texts in parts: the steps below the former part */
    uint32_t carried_room;
    /* scratch */
    uint64_t *steps;    /* [2 x words] of edit */
    uint32_t *rows;     /* [3][longest + 2] of damerau */
    uint32_t *last_row; /* [alphabet + 1] of damerau: where each character was met last in the compared text, 0: nowhere */
    bool unfinished;    /* last_row is not 0, or masks are not of a part: also after a comparison that an error ended */
    uint8_t *matched;   /* of jaro_winkler: flags of both texts */
    uint32_t matched_room;
    uint64_t work; /* since the last poll */
};

/* ---- the table ---- */

/* Returns the number of a character. */
static uint32_t number_of(const TextTable *table, uint32_t character)
{
    uint32_t hash = hash_32(character), place = hash_start(&table->known, hash), number = hash_next(&table->known, hash, &place);

    return number != HASH_NONE ? number : table->alphabet;
}

static void number_all(const TextTable *table, Text *text)
{
    for (uint32_t i = 0; i < text->count; i++)
        text->characters[i] = number_of(table, text->characters[i]);
}

/* Does the same for a text of the table, whose characters get numbers. */
static void number_new(TextTable *table, Text *text)
{
    for (uint32_t i = 0; i < text->count; i++) {
        uint32_t number = number_of(table, text->characters[i]);

        if (number == table->alphabet)
            table->alphabet = hash_add(table->env, &table->known, hash_32(text->characters[i])) + 1;
        text->characters[i] = number;
    }
}

static void require_table_memory(Env *env, const TextList *texts, const char *method)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < texts->count; i++)
        bytes += sizeof(Text) + (size_t)texts->lengths[i] * sizeof(uint32_t);
    env_require_memory(env, bytes, method);
}

/* Fails unless two texts that are compared by positions have as many characters. */
static void require_one_length(const TextTable *table, const Text *a, const Text *b)
{
    if (a->count != b->count)
        env_fail(table->env, ERROR_DATA, "Make the texts equally long, or use metric edit, which compares texts of different lengths.",
                 "metric hamming compares texts of one length, but one has %u and another %u characters",
                 a->count < b->count ? a->count : b->count, a->count < b->count ? b->count : a->count);
}

/* Decodes all texts and numbers their characters. */
static void fill_table(TextTable *table, const TextList *texts)
{
    Env *env = table->env;
    size_t total = 0;
    uint32_t *characters;

    for (uint32_t i = 0; i < texts->count; i++)
        total += texts->lengths[i];
    characters = env_array_raw(env, total + 1, sizeof(uint32_t)); /* one block: short ones would take twice as much */
    for (uint32_t i = 0; i < texts->count; i++) {
        Text *text = &table->texts[i];

        text->characters = characters;
        text->count = string_decode(env, texts->bytes[i], texts->lengths[i], characters);
        characters += text->count;
        table->longest = text->count > table->longest ? text->count : table->longest;
        number_new(table, text);
        if (table->kind == METRIC_HAMMING_TEXT)
            require_one_length(table, &table->texts[0], text);
        env->poll(env);
    }
}

TextTable *text_table(Env *env, MetricKind kind, const TextList *texts, double prefix_weight, const char *method)
{
    TextTable *table = env_array(env, 1, sizeof *table);

    if (method != NULL)
        require_table_memory(env, texts, method);
    table->env = env;
    table->kind = kind;
    table->prefix_weight = prefix_weight;
    table->count = texts->count;
    table->texts = env_array(env, (size_t)texts->count + 1, sizeof(Text));
    table->known = hash_table(env, 6);
    fill_table(table, texts);
    table->query = NOBODY;
    /* what grows with a row's text is allocated here, so that it grows in the memory of the table */
    table->own_room = table->word_room = table->matched_room = table->carried_room = 1;
    table->carried = env_array(env, 1, 1);
    table->buffer.characters = env_array(env, 1, sizeof(uint32_t));
    table->masks = env_array(env, (size_t)table->alphabet + 1, sizeof(uint64_t));
    table->steps = env_array(env, 2, sizeof(uint64_t));
    table->matched = env_array(env, 1, 1);
    if (kind == METRIC_DAMERAU) {
        table->rows = env_array(env, 3 * ((size_t)table->longest + 2), sizeof(uint32_t));
        table->last_row = env_array(env, (size_t)table->alphabet + 1, sizeof(uint32_t));
    }
    return table;
}

/* ---- the text that others are compared with ---- */

/* Makes room for a text of a row. */
static void need_own(TextTable *table, uint32_t count)
{
    if (count <= table->own_room)
        return;
    table->buffer.characters = table->env->resize(table->env, table->buffer.characters, (size_t)count * sizeof(uint32_t));
    table->own_room = count;
}

/* Returns how many words of masks there may be per character. */
static uint32_t most_words(const TextTable *table)
{
    size_t most = MASK_WORDS / ((size_t)table->alphabet + 1);

    return most < 1 ? 1 : (uint32_t)most;
}

/* Makes room for masks of so many words. */
static void need_words(TextTable *table, uint32_t words)
{
    size_t size = ((size_t)table->alphabet + 1) * words;

    if (words <= table->word_room)
        return;
    table->masks = table->env->resize(table->env, table->masks, size * sizeof(uint64_t));
    memset(table->masks, 0, size * sizeof(uint64_t));
    table->steps = table->env->resize(table->env, table->steps, 2 * (size_t)words * sizeof(uint64_t));
    table->word_room = words;
}

/* Sets the bits of characters `first` to `last` of a text. */
static void set_bits(TextTable *table, const Text *text, uint32_t first, uint32_t last, uint32_t words)
{
    for (uint32_t i = first; i < last; i++)
        table->masks[(size_t)text->characters[i] * words + (i - first) / WORD] |= (uint64_t)1 << (i - first) % WORD;
}

static void clear_bits(TextTable *table, const Text *text, uint32_t first, uint32_t last, uint32_t words)
{
    for (uint32_t i = first; i < last; i++)
        table->masks[(size_t)text->characters[i] * words + (i - first) / WORD] = 0;
}

/* Sets the bits of the compared text's characters, unless it is so long that it is compared in parts. */
static void set_masks(TextTable *table)
{
    const Text *text = table->compared;
    uint32_t words = text->count / WORD + 1;

    table->words = 0;
    if (words > most_words(table))
        return;
    need_words(table, words);
    table->words = words;
    set_bits(table, text, 0, text->count, words);
}

static void clear_masks(TextTable *table)
{
    if (table->unfinished) /* a comparison in parts was interrupted */
        memset(table->masks, 0, ((size_t)table->alphabet + 1) * table->word_room * sizeof(uint64_t));
    else if (table->compared != NULL && table->words > 0)
        clear_bits(table, table->compared, 0, table->compared->count, table->words);
    table->unfinished = false;
    table->compared = NULL;
    table->query = NOBODY;
}

/* Decodes text i of the row that is scored. */
static void read_own(TextTable *table, uint32_t i)
{
    const TextList *row = &table->env->row_texts;
    uint32_t count, *characters;

    need_own(table, row->lengths[i]);
    characters = string_characters(table->env, row->bytes[i], row->lengths[i], &count);
    memcpy(table->buffer.characters, characters, count * sizeof(uint32_t));
    table->env->release(table->env, characters);
    table->buffer.count = count;
    number_all(table, &table->buffer);
}

/* Prepares the comparison with a text. Returns false if there is none of this number, which may be anything. */
static bool compare_with(TextTable *table, double number)
{
    const TextList *row = &table->env->row_texts;
    uint32_t place;

    if (number >= 0 && number < table->count) {
        uint32_t query = (uint32_t)number;

        if (query == table->query)
            return true;
        if (table->kind == METRIC_EDIT)
            clear_masks(table);
        table->compared = &table->texts[query];
        if (table->kind == METRIC_EDIT)
            set_masks(table);
        table->query = query;
        return true;
    }
    if (!row_text_of(row, number, &place))
        return false;
    if (table->kind == METRIC_EDIT)
        clear_masks(table);
    table->query = NOBODY;
    table->compared = NULL;
    read_own(table, place);
    table->compared = &table->buffer;
    if (table->kind == METRIC_EDIT)
        set_masks(table);
    return true;
}

/* ---- distances ---- */

/* Counts work, and polls now and then. */
static inline void work_done(TextTable *table, uint64_t work)
{
    env_poll_after(table->env, &table->work, work, POLL_STEPS);
}

/*
 * Compares `count` characters of the compared text, whose bits are set, with another text, 64 characters at a time. carried: steps of the part above, replaced by those of this one; NULL: this is the whole text. Returns the sum of
 * the steps.
 */
static inline int64_t compare_part(TextTable *table, const Text *other, uint32_t count, uint32_t width, int8_t *carried)
{
    uint32_t words = (count + WORD - 1) / WORD;
    uint64_t *up = table->steps, *down = table->steps + words;
    int64_t sum = 0;

    memset(up, 0xff, words * sizeof(uint64_t));
    memset(down, 0, words * sizeof(uint64_t));
    for (uint32_t j = 0; j < other->count; j++) {
        const uint64_t *masks = table->masks + (size_t)other->characters[j] * width;
        int step = carried != NULL ? carried[j] : 1;

        for (uint32_t w = 0; w < words; w++) {
            EditSteps steps = {up[w], down[w]};

            step = edit_step(&steps, masks[w], w + 1 < words ? WORD - 1 : (count - 1) % WORD, step);
            up[w] = steps.up;
            down[w] = steps.down;
        }
        sum += step;
        if (carried != NULL)
            carried[j] = (int8_t)step;
        if (words > 16)
            work_done(table, 2 * words);
    }
    work_done(table, words > 16 ? 0 : (uint64_t)other->count * words * 2);
    return sum;
}

/* Returns the edit distance from a text of which only a part may have masks at a time. */
static uint64_t edits_in_parts(TextTable *table, const Text *other)
{
    const Text *text = table->compared;
    uint32_t width = most_words(table);
    int64_t sum = 0;

    if (table->carried_room < table->longest) {
        table->carried = table->env->resize(table->env, table->carried, table->longest);
        table->carried_room = table->longest;
    }
    need_words(table, width);
    if (table->unfinished)
        memset(table->masks, 0, ((size_t)table->alphabet + 1) * table->word_room * sizeof(uint64_t));
    table->unfinished = true;
    memset(table->carried, 1, other->count);
    for (uint32_t first = 0, last; first < text->count; first = last) {
        last = text->count - first > width * WORD ? first + width * WORD : text->count;
        set_bits(table, text, first, last, width);
        sum = compare_part(table, other, last - first, width, table->carried);
        clear_bits(table, text, first, last, width);
    }
    table->unfinished = false;
    return (uint64_t)(text->count + sum);
}

/* Returns the edit distance from the compared text. */
static uint64_t edits(TextTable *table, const Text *other)
{
    uint32_t count = table->compared->count;

    if (count == 0)
        return other->count;
    if (table->words == 0)
        return edits_in_parts(table, other);
    return (uint64_t)(count + compare_part(table, other, count, table->words, NULL));
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/*
 * Returns the number of insertions, deletions, substitutions and transpositions of neighbors, also of those between which others are
 * inserted or deleted (Damerau 1964, Lowrance & Wagner 1975), in three rows of memory (Zhao & Sahni 2019).
 */
static uint32_t transposing_edits(TextTable *table, const Text *other)
{
    const Text *text = table->compared;
    uint32_t n = other->count, far = (text->count > n ? text->count : n) + 1, width = table->longest + 2;
    uint32_t *row = table->rows + 1, *above = row + width, *saved = above + width; /* each from -1 on */

    if (table->unfinished)
        memset(table->last_row, 0, ((size_t)table->alphabet + 1) * sizeof(uint32_t));
    table->unfinished = true;
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = j;
        above[j] = saved[j] = far;
    }
    row[-1] = above[-1] = saved[-1] = far;
    for (uint32_t i = 1; i <= text->count; i++) {
        uint32_t character = text->characters[i - 1], column = 0, before, corner = far, *swapped = row;

        row = above; /* it has the row two above, which is overwritten from left to right */
        above = swapped;
        before = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t there = other->characters[j - 1];
            uint32_t best = least(above[j - 1] + (character != there), least(row[j - 1], above[j]) + 1);

            if (character == there) {
                column = j;
                saved[j] = above[(int64_t)j - 2];
                corner = before;
            } else if (column > 0 && j - column == 1) {
                if (table->last_row[there] > 0)
                    best = least(best, saved[j] + i - table->last_row[there]);
            } else if (column > 0 && table->last_row[there] > 0 && i - table->last_row[there] == 1) {
                best = least(best, corner + j - column);
            }
            before = row[j];
            row[j] = best;
        }
        table->last_row[character] = i;
        work_done(table, 2 * (uint64_t)n);
    }
    for (uint32_t i = 0; i < text->count; i++)
        table->last_row[text->characters[i]] = 0;
    table->unfinished = false;
    return row[n];
}

/* Returns the Jaro similarity (Jaro 1989), with the characters of a matched in their order. */
static double jaro(TextTable *table, const Text *a, const Text *b)
{
    uint8_t *matched = table->matched;
    uint32_t window = b->count / 2 > 1 ? b->count / 2 - 1 : 0, matches = 0, moved = 0, next = 0;
    uint8_t *of_a = matched, *of_b = matched + a->count;

    memset(matched, 0, (size_t)a->count + b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t first = i > window ? i - window : 0, last = least(b->count, i + window + 1);

        for (uint32_t j = first; j < last; j++)
            if (!of_b[j] && a->characters[i] == b->characters[j]) {
                of_a[i] = of_b[j] = 1;
                matches++;
                break;
            }
        work_done(table, window + 1);
    }
    if (matches == 0)
        return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!of_a[i])
            continue;
        while (!of_b[next])
            next++;
        moved += a->characters[i] != b->characters[next++];
    }
    return ((double)matches / a->count + (double)matches / b->count + (matches - moved / 2.0) / matches) / 3;
}

/* Returns 1 - the Jaro-Winkler similarity (Winkler 1990). */
static double jaro_winkler(TextTable *table, const Text *other)
{
    const Text *a = table->compared, *b = other;
    uint64_t room = (uint64_t)a->count + b->count;
    uint32_t prefix = 0, shorter = least(a->count, b->count);
    double similarity;

    if (a->count == b->count && memcmp(a->characters, b->characters, a->count * sizeof(uint32_t)) == 0)
        return 0;
    if (shorter == 0)
        return 1;
    if (room > table->matched_room) {
        table->matched = table->env->resize(table->env, table->matched, room);
        table->matched_room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    }
    if (b->count < a->count) {
        a = other;
        b = table->compared;
    }
    similarity = jaro(table, a, b);
    if (a->count == b->count) /* which is matched first can matter */
        similarity = fmax(similarity, jaro(table, b, a));
    while (prefix < PREFIX && prefix < shorter && a->characters[prefix] == b->characters[prefix])
        prefix++;
    return (1 - similarity) * (1 - prefix * table->prefix_weight);
}

/* Returns the number of positions whose characters differ. */
static uint32_t differing(TextTable *table, const Text *other)
{
    const Text *text = table->compared;
    uint32_t count = 0;

    require_one_length(table, text, other);
    for (uint32_t i = 0; i < text->count; i++)
        count += text->characters[i] != other->characters[i];
    work_done(table, text->count);
    return count;
}

void text_distances(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out)
{
    TextTable *table = objects->context;
    bool found = compare_with(table, a);

    for (uint32_t i = 0; i < count; i++) {
        const Text *other;

        if (!found || !(others[i] < table->count) || (others[i] < 0 && others[i] != a)) {
            out[i] = NAN;
            continue;
        }
        other = others[i] < 0 ? table->compared : &table->texts[(uint32_t)others[i]];
        if (other == table->compared)
            out[i] = 0;
        else if (table->kind == METRIC_EDIT)
            out[i] = (double)edits(table, other);
        else if (table->kind == METRIC_HAMMING_TEXT)
            out[i] = differing(table, other);
        else
            out[i] = table->kind == METRIC_DAMERAU ? (double)transposing_edits(table, other) : jaro_winkler(table, other);
    }
}

double text_distance(Env *env, MetricKind kind, const TextList *two, double prefix_weight)
{
    MetricObjects objects = {.context = text_table(env, kind, two, prefix_weight, NULL)};
    double second = 1, distance;

    text_distances(&objects, 0, &second, 1, &distance);
    return distance;
}
