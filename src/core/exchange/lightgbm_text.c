/*
 * lightgbm_text.c - the text of LightGBM's save_model: lines of a key and a value, a block of lines per tree, whose arrays have a number per
 * split or per leaf. Children below 0 are leaves: -1 is leaf 0. A split on a category has the number of a bit set as its threshold.
 */
#include "core/exchange/lightgbm_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD 64 /* bytes of the longest number, with a closing zero */

/* A line: "key=value", or a key alone. */
typedef struct Line {
    const uint8_t *key, *value, *end;
    size_t key_length;
} Line;

/* What a tree has of each of these arrays. */
enum { SLOT, GAIN, THRESHOLD, DECISION, LEFT, RIGHT, VALUE, COVER, BOUNDARIES, WORDS, ARRAYS };
static const char *const array_names[ARRAYS] = {"split_feature", "split_gain", "threshold",  "decision_type",  "left_child",
                                                "right_child",   "leaf_value", "leaf_count", "cat_boundaries", "cat_threshold"};

typedef struct Bits {
    uint32_t *boundary, *word; /* the words of set s are those from boundary[s] to boundary[s + 1] */
    uint32_t boundaries, boundary_room, words, word_room;
} Bits;

/* ---- lines and numbers ---- */

/* Passes the next line that is not empty; false at the end. */
static bool next_line(Document *document, Line *line)
{
    while (document->at < document->end) {
        const uint8_t *end = memchr(document->at, '\n', (size_t)(document->end - document->at)), *equal;

        env_poll_rows(document->env, document->work++);
        *line = (Line){.key = document->at, .end = end != NULL ? end : document->end};
        document->at = end != NULL ? end + 1 : document->end;
        if (line->end > line->key && line->end[-1] == '\r')
            line->end--;
        if (line->end == line->key)
            continue;
        equal = memchr(line->key, '=', (size_t)(line->end - line->key));
        line->key_length = (size_t)((equal != NULL ? equal : line->end) - line->key);
        line->value = equal != NULL ? equal + 1 : line->end;
        return true;
    }
    return false;
}

static bool is_key(const Line *line, const char *key)
{
    return line->key_length == strlen(key) && memcmp(line->key, key, line->key_length) == 0;
}

/* Returns the next word of a line, between blanks; NULL: there is none. */
static const uint8_t *next_word(const Document *document, Line *line, size_t *length)
{
    const uint8_t *word;

    for (; line->value < line->end && *line->value == ' '; line->value++)
        env_poll_rows(document->env, (uint64_t)(line->value - document->bytes));
    for (word = line->value; line->value < line->end && *line->value != ' '; line->value++)
        env_poll_rows(document->env, (uint64_t)(line->value - document->bytes));
    *length = (size_t)(line->value - word);
    return *length > 0 ? word : NULL;
}

/* Returns the next number of a line; false: there is none. */
static bool next_number(const Document *document, Line *line, const char *key, double *out)
{
    char copy[WORD], *end;
    size_t length;
    const uint8_t *word = next_word(document, line, &length);

    if (word == NULL)
        return false;
    if (length >= WORD)
        document_fail(document, "has a number of %zu bytes in %s, in a line that ends", length, key);
    memcpy(copy, word, length);
    copy[length] = 0;
    *out = strtod(copy, &end);
    if (end != copy + length)
        document_fail(document, "has \"%.20s\" in place of a number in %s, in a line that ends", copy, key);
    return true;
}

/* Fails unless a number is whole and within these limits. */
static double require_whole(const Document *document, double value, double least, double most, const char *key)
{
    if (!(value >= least && value <= most) || value != floor(value))
        document_fail(document, "says that %s is %g, in a line that ends", key, value);
    return value;
}

/* Returns the one whole number of a line. */
static uint32_t whole_of(const Document *document, Line *line, double least, double most, const char *key)
{
    double value;

    if (!next_number(document, line, key, &value))
        document_fail(document, "says nothing of %s, in a line that ends", key);
    return (uint32_t)require_whole(document, value, least, most, key);
}

static char *text_of(const Document *document, const uint8_t *bytes, size_t length)
{
    if (!text_is_valid(document->env, (const char *)bytes, length))
        document_fail(document, "has a line that is no valid text and ends");
    return env_text(document->env, (const char *)bytes, length);
}

/* ---- a tree ---- */

/* Sets element i of an array. */
static void put_number(const Document *document, ImportTree *tree, Bits *bits, int array, uint32_t i, double value)
{
    uint32_t splits = tree->count / 2;
    ImportNode *node = array < VALUE ? &tree->nodes[i] : array < BOUNDARIES ? &tree->nodes[splits + i] : NULL;
    const char *name = array_names[array];

    switch (array) {
    case SLOT:
        node->slot = (uint32_t)require_whole(document, value, 0, SCHEMA_MAX_SLOTS, name);
        break;
    case GAIN:
        node->gain = value;
        break;
    case THRESHOLD:
    case VALUE:
        node->number = value;
        break;
    case DECISION:
        node->category = (uint8_t)require_whole(document, value, 0, 15, name);
        break;
    case LEFT:
    case RIGHT:
        value = require_whole(document, value, -(double)splits - 1, (double)splits - 1, name);
        *(array == LEFT ? &node->left : &node->right) = value < 0 ? splits + (uint32_t)(-1 - value) : (uint32_t)value;
        break;
    case COVER:
        node->cover = value;
        break;
    case BOUNDARIES:
        bits->boundary = env_grow(document->env, bits->boundary, i, &bits->boundary_room, sizeof(uint32_t));
        bits->boundary[i] = (uint32_t)require_whole(document, value, i > 0 ? bits->boundary[i - 1] : 0, INT32_MAX, name);
        break;
    default:
        bits->word = env_grow(document->env, bits->word, i, &bits->word_room, sizeof(uint32_t));
        bits->word[i] = (uint32_t)require_whole(document, value, 0, UINT32_MAX, name);
    }
}

static void read_array(const Document *document, Line *line, ImportTree *tree, Bits *bits, int array, uint32_t sets)
{
    uint32_t splits = tree->count / 2, count = 0, most = array < VALUE ? splits : array < BOUNDARIES ? splits + 1 : array == BOUNDARIES ? sets + 1 : INT32_MAX;
    double value;

    for (; next_number(document, line, array_names[array], &value); count++) {
        if (count == most)
            document_fail(document, "has more than %u numbers in %s, in a line that ends", most, array_names[array]);
        put_number(document, tree, bits, array, count, value);
    }
    if (array == BOUNDARIES)
        bits->boundaries = count;
    if (array == WORDS)
        bits->words = count;
    else if (count != most && !(array == COVER && splits == 0))
        document_fail(document, "has %u numbers in %s where the tree needs %u, in a line that ends", count, array_names[array], most);
}

/* Adds the codes of a split on a category, whose threshold is the number of its set. Each set is of one split: so no code is added twice. */
static void put_codes(const Document *document, ImportTree *tree, const Bits *bits, ImportNode *node)
{
    uint32_t set = (uint32_t)require_whole(document, node->number, 0, (double)bits->boundaries - 2, "the set of a split");
    uint32_t first = bits->boundary[set];

    if (bits->boundary[set + 1] > bits->words)
        document_fail(document, "has a tree that ends here, with %u words in cat_threshold of %u", bits->words, bits->boundary[set + 1]);
    node->first_code = tree->code_count;
    for (uint32_t w = first; w < bits->boundary[set + 1]; w++)
        for (uint32_t bit = 0; bit < 32; bit++)
            if (bits->word[w] >> bit & 1) {
                if (w - first >= IMPORT_MOST_LEVELS / 32)
                    document_fail(document, "has a tree that ends here, with the code %u of a category; at most %d are read", (w - first) * 32 + bit,
                                  IMPORT_MOST_LEVELS - 1);
                import_tree_code(document->env, tree, (w - first) * 32 + bit);
                env_poll_rows(document->env, tree->code_count);
            }
    node->codes = tree->code_count - node->first_code;
}

static void finish_tree(const Document *document, ImportTree *tree, const Bits *bits, uint32_t found)
{
    static const uint32_t needed = 1u << SLOT | 1u << THRESHOLD | 1u << DECISION | 1u << LEFT | 1u << RIGHT | 1u << VALUE | 1u << COVER;
    uint32_t splits = tree->count / 2;
    uint8_t *used = env_array(document->env, (size_t)bits->boundaries + 1, 1);

    if (tree->count == 0 || (splits > 0 ? (found & needed) != needed : !(found >> VALUE & 1)))
        document_fail(document, "has a tree that ends here and lacks num_leaves, or an array");
    for (uint32_t i = 0; i < tree->count; i++) {
        ImportNode *node = &tree->nodes[i];

        env_poll_rows(document->env, i);
        if (i >= splits) {
            node->left = node->right = TREE_NONE;
            continue;
        }
        if (node->category & LIGHTGBM_CATEGORY) {
            put_codes(document, tree, bits, node);
            if (used[(uint32_t)node->number]++)
                document_fail(document, "has a tree that ends here, in which two splits have set %.0f of categories", node->number);
        }
        lightgbm_finish_split(document, node);
    }
    document->env->release(document->env, used);
}

/* Begins a tree of so many leaves: no more than the bytes that are left can describe, at least six numbers for each. */
static void begin_tree(const Document *document, Line *line, ImportTree *tree)
{
    uint32_t leaves = whole_of(document, line, 1, INT32_MAX / 2, "num_leaves");

    if (tree->count > 0 || leaves - 1 > (size_t)(document->end - document->at) / 12)
        document_fail(document, "has a tree of %u leaves", leaves);
    import_tree_begin(document->env, tree, 2 * leaves - 1);
}

static void read_tree(LightgbmDocument *lightgbm, Document *place, ImportTree *tree)
{
    Bits *bits = lightgbm->reader;
    uint32_t found = 0, sets = 0;
    Line line;

    bits->boundaries = bits->words = 0;
    import_tree_begin(lightgbm->env, tree, 0);
    while (next_line(place, &line) && !is_key(&line, "Tree") && !is_key(&line, "end of trees")) {
        int a = 0;

        if (is_key(&line, "num_leaves"))
            begin_tree(place, &line, tree);
        else if (is_key(&line, "num_cat"))
            sets = whole_of(place, &line, 0, INT32_MAX / 2, "num_cat");
        else if (is_key(&line, "is_linear") && whole_of(place, &line, 0, 1, "is_linear") == 1)
            lightgbm_refuse_linear(lightgbm->env);
        while (a < ARRAYS && !is_key(&line, array_names[a]))
            a++;
        if (a == ARRAYS)
            continue;
        if (found >> a & 1)
            document_fail(place, "says \"%s\" twice, in a line that ends", array_names[a]);
        found |= 1u << a;
        if (tree->count == 0)
            document_fail(place, "has %s before num_leaves, in a line that ends", array_names[a]);
        read_array(place, &line, tree, bits, a, sets);
    }
    finish_tree(place, tree, bits, found);
}

/* ---- the rest of the document ---- */

static void read_names(LightgbmDocument *lightgbm, Document *document, Line *line, bool infos)
{
    const uint8_t *word;
    size_t length;

    while ((word = next_word(document, line, &length)) != NULL)
        if (infos) /* [least:most] of a number, codes of a category: 1:5:2, none of a feature that was not used */
            lightgbm_add_kind(lightgbm, *word == '[' ? LIGHTGBM_NUMBER : length == 4 && memcmp(word, "none", 4) == 0 ? LIGHTGBM_UNUSED : LIGHTGBM_CODES);
        else
            lightgbm_add_name(lightgbm, text_of(document, word, length));
}

static uint32_t count_words(const Document *document, Line *line)
{
    uint32_t count = 0;
    size_t length;

    while (next_word(document, line, &length) != NULL)
        count++;
    return count;
}

/* Reads a line before the trees. Returns the number of trees that tree_sizes has, or `sizes`. */
static uint32_t read_head(LightgbmDocument *lightgbm, Document *document, Line *line, uint32_t sizes)
{
    uint32_t part = lightgbm_part(lightgbm, document, (const char *)line->key, line->key_length);

    if (part == LIGHTGBM_VERSION)
        lightgbm->version = text_of(document, line->value, (size_t)(line->end - line->value));
    else if (part == LIGHTGBM_CLASSES)
        lightgbm->classes = whole_of(document, line, 1, LIGHTGBM_MOST_CLASSES, "num_class");
    else if (part == LIGHTGBM_PER_ITERATION)
        lightgbm->per_iteration = whole_of(document, line, 1, LIGHTGBM_MOST_CLASSES, "num_tree_per_iteration");
    else if (part == LIGHTGBM_FEATURES)
        lightgbm->features = whole_of(document, line, 0, SCHEMA_MAX_SLOTS - 1, "max_feature_idx") + 1;
    else if (part == LIGHTGBM_OBJECTIVE)
        lightgbm->objective = text_of(document, line->value, (size_t)(line->end - line->value));
    else if (part == LIGHTGBM_AVERAGED)
        lightgbm->averaged = true;
    else if (part == LIGHTGBM_NAMES || part == LIGHTGBM_INFOS)
        read_names(lightgbm, document, line, part == LIGHTGBM_INFOS);
    else if (part == LIGHTGBM_SIZES)
        sizes = count_words(document, line);
    return sizes;
}

/* Reads the value of the parameter categorical_feature, "0,3,7": it tells which features are categories, where the rows used none of them. */
static void read_categories(LightgbmDocument *lightgbm, const char *text)
{
    for (char *end; *text >= '0' && *text <= '9'; text = end + (*end == ',')) {
        unsigned long feature = strtoul(text, &end, 10);

        if (feature < lightgbm->described && lightgbm->kind[feature] == LIGHTGBM_UNUSED)
            lightgbm->kind[feature] = LIGHTGBM_CODES;
    }
}

/* Returns the place behind the beginning of a line; NULL: it begins in another way. */
static const uint8_t *behind(const Line *line, const char *begin)
{
    size_t length = strlen(begin);

    return (size_t)(line->end - line->key) >= length && memcmp(line->key, begin, length) == 0 ? line->key + length : NULL;
}

/* Reads the lines behind the trees: parameters of the training, and the levels of categories as JSON. */
static void read_tail(LightgbmDocument *lightgbm, Document *document)
{
    const uint8_t *at;
    Line line;

    while (next_line(document, &line))
        if ((at = behind(&line, "pandas_categorical:")) != NULL) {
            lightgbm_part(lightgbm, document, "pandas_categorical", 18);
            lightgbm->levels = *document;
            lightgbm->levels.at = at;
            lightgbm->levels.end = line.end;
        } else if ((at = behind(&line, "[categorical_feature: ")) != NULL) {
            read_categories(lightgbm, text_of(document, at, (size_t)(line.end - at)));
        }
}

void lightgbm_read_text(LightgbmDocument *lightgbm)
{
    Document *document = &lightgbm->document;
    uint32_t sizes = UINT32_MAX;
    bool ended = false;
    Line line;

    lightgbm->read_tree = read_tree;
    lightgbm->reader = env_array(lightgbm->env, 1, sizeof(Bits));
    while (next_line(document, &line)) {
        ended = is_key(&line, "end of trees");
        if (ended)
            break;
        if (is_key(&line, "Tree"))
            lightgbm_add_place(lightgbm, document);
        else if (lightgbm->trees == 0)
            sizes = read_head(lightgbm, document, &line, sizes);
    }
    if (!ended || (sizes != UINT32_MAX && sizes != lightgbm->trees))
        document_fail(document, "ends too early: it has %u trees", lightgbm->trees);
    lightgbm->seen |= LIGHTGBM_TREES;
    read_tail(lightgbm, document);
}
