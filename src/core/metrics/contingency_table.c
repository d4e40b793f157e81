/*
 * contingency_table.c - counts of pairs of a label and a prediction.
 *
 * Two hash tables with open addressing and linear probing: one of labels, one of pairs.
 */
#include "core/metrics/contingency_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 16 /* of each table; powers of two */
#define POLL_PAIRS 65536 /* between two looks for a cancel */
#define NO_LABEL UINT32_MAX
#define BYTES_MAGIC UINT64_C(0x31656c6261742d63)

typedef struct Label {
    char *bytes;
    uint32_t length, hash;
    bool has_key;
    double key;
} Label;

typedef struct Pair {
    uint32_t actual, predicted; /* NO_LABEL: an empty slot */
    double rows, weight;
} Pair;

struct Contingency {
    Label *labels;
    uint32_t label_count, label_capacity;
    uint32_t *label_slots; /* [label_slot_count] positions */
    uint32_t label_slot_count;
    Pair *pairs;           /* [pair_slot_count] */
    uint64_t pair_count, pair_slot_count;
    size_t text_bytes;
};

/* ---- labels ---- */

static uint32_t hash_bytes(const char *bytes, uint32_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* Fowler, Noll & Vo */

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static size_t memory_of(const Contingency *table, uint64_t labels, uint64_t pairs)
{
    return labels * (sizeof(Label) + 2 * sizeof(uint32_t)) + pairs * sizeof(Pair) + table->text_bytes;
}

Contingency *contingency_new(Env *env)
{
    Contingency *table = env_array(env, 1, sizeof(Contingency));

    table->label_capacity = FIRST_SLOTS / 2;
    table->labels = env_array(env, table->label_capacity, sizeof(Label));
    table->label_slot_count = table->pair_slot_count = FIRST_SLOTS;
    table->label_slots = env_array_raw(env, FIRST_SLOTS, sizeof(uint32_t));
    table->pairs = env_array_raw(env, FIRST_SLOTS, sizeof(Pair));
    memset(table->label_slots, 0xff, FIRST_SLOTS * sizeof(uint32_t));
    memset(table->pairs, 0xff, FIRST_SLOTS * sizeof(Pair));
    return table;
}

void contingency_free(Env *env, Contingency *table)
{
    for (uint32_t i = 0; i < table->label_count; i++)
        env->release(env, table->labels[i].bytes);
    env->release(env, table->labels);
    env->release(env, table->label_slots);
    env->release(env, table->pairs);
    env->release(env, table);
}

/* Returns the slot of this label, or the empty one for it. */
static uint32_t *label_slot(const Contingency *table, const char *bytes, uint32_t length, uint32_t hash)
{
    uint32_t mask = table->label_slot_count - 1;

    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &table->label_slots[at];
        const Label *label;

        if (*slot == NO_LABEL)
            return slot;
        label = &table->labels[*slot];
        if (label->hash == hash && label->length == length && memcmp(label->bytes, bytes, length) == 0)
            return slot;
    }
}

/* Doubles the room for labels. */
static void labels_grow(Env *env, Contingency *table)
{
    uint32_t slots = table->label_slot_count * 2;

    if (slots < table->label_slot_count)
        env_fail(env, ERROR_LIMIT, NULL, "too many different labels");
    env_require_memory(env, memory_of(table, slots / 2, table->pair_slot_count), "the table of labels");
    table->labels = env->resize(env, table->labels, (size_t)slots / 2 * sizeof(Label));
    table->label_capacity = slots / 2;
    table->label_slots = env->resize(env, table->label_slots, (size_t)slots * sizeof(uint32_t));
    table->label_slot_count = slots;
    memset(table->label_slots, 0xff, (size_t)slots * sizeof(uint32_t));
    for (uint32_t i = 0; i < table->label_count; i++) {
        const Label *label = &table->labels[i];

        *label_slot(table, label->bytes, label->length, label->hash) = i;
    }
}

/* Returns the position of a label, which is added if it is new. */
static uint32_t find_label(Env *env, Contingency *table, const ContingencyLabel *wanted)
{
    uint32_t hash = hash_bytes(wanted->bytes, wanted->length);
    uint32_t *slot = label_slot(table, wanted->bytes, wanted->length, hash);
    Label *label;

    if (*slot != NO_LABEL) {
        label = &table->labels[*slot];
        if (wanted->has_key && !label->has_key) {
            label->has_key = true;
            label->key = wanted->key;
        }
        return *slot;
    }
    if (table->label_count == table->label_capacity) {
        labels_grow(env, table);
        slot = label_slot(table, wanted->bytes, wanted->length, hash);
    }
    label = &table->labels[table->label_count];
    label->bytes = env_array_raw(env, (size_t)wanted->length + 1, 1);
    memcpy(label->bytes, wanted->bytes, wanted->length);
    label->length = wanted->length;
    label->hash = hash;
    label->has_key = wanted->has_key;
    label->key = wanted->has_key ? wanted->key : 0;
    table->text_bytes += wanted->length + 1;
    *slot = table->label_count;
    return table->label_count++;
}

/* ---- pairs ---- */

static Pair *pair_slot(const Contingency *table, uint32_t actual, uint32_t predicted)
{
    uint64_t mask = table->pair_slot_count - 1;
    uint64_t hash = ((uint64_t)actual << 32 | predicted) * UINT64_C(0x9e3779b97f4a7c15);

    for (uint64_t at = hash >> 32 & mask;; at = (at + 1) & mask) {
        Pair *pair = &table->pairs[at];

        if (pair->actual == NO_LABEL || (pair->actual == actual && pair->predicted == predicted))
            return pair;
    }
}

static void pairs_grow(Env *env, Contingency *table)
{
    Pair *former = table->pairs;
    uint64_t slots = table->pair_slot_count;

    env_require_memory(env, memory_of(table, table->label_capacity, 3 * slots), "the table of labels and predictions");
    table->pair_slot_count = slots * 2;
    table->pairs = env_array_raw(env, slots * 2, sizeof(Pair));
    memset(table->pairs, 0xff, slots * 2 * sizeof(Pair));
    for (uint64_t i = 0; i < slots; i++)
        if (former[i].actual != NO_LABEL)
            *pair_slot(table, former[i].actual, former[i].predicted) = former[i];
    env->release(env, former);
}

static void pair_add(Env *env, Contingency *table, uint32_t actual, uint32_t predicted, double rows, double weight)
{
    Pair *pair = pair_slot(table, actual, predicted);

    if (pair->actual == NO_LABEL) {
        if (table->pair_count >= table->pair_slot_count / 2) {
            pairs_grow(env, table);
            pair = pair_slot(table, actual, predicted);
        }
        *pair = (Pair){.actual = actual, .predicted = predicted};
        table->pair_count++;
    }
    pair->rows += rows;
    pair->weight += weight;
}

void contingency_add(Env *env, Contingency *table, ContingencyLabel actual, ContingencyLabel predicted,
                     double weight)
{
    uint32_t row, column;

    if (!(weight >= 0) || isinf(weight))
        env_fail(env, ERROR_DATA, "Weights are finite and not negative; a row of weight 0 is not used.",
                 "weight is %g", weight);
    if (weight == 0)
        return;
    row = find_label(env, table, &actual);
    column = find_label(env, table, &predicted);
    pair_add(env, table, row, column, 1, weight);
}

void contingency_merge(Env *env, Contingency *into, const Contingency *other)
{
    uint32_t *positions = env_array_raw(env, (size_t)other->label_count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < other->label_count; i++) {
        const Label *label = &other->labels[i];
        ContingencyLabel wanted = {label->bytes, label->length, label->has_key, label->key};

        positions[i] = find_label(env, into, &wanted);
    }
    for (uint64_t i = 0; i < other->pair_slot_count; i++) {
        const Pair *pair = &other->pairs[i];

        if (i % POLL_PAIRS == 0)
            env->poll(env);
        if (pair->actual != NO_LABEL)
            pair_add(env, into, positions[pair->actual], positions[pair->predicted], pair->rows, pair->weight);
    }
    env->release(env, positions);
}

/* ---- bytes ---- */

/* Fixed parts, in this machine's byte order: they do not leave it. */
typedef struct BytesHead {
    uint64_t magic, pairs, text;
    uint32_t labels, unused;
} BytesHead;

typedef struct BytesLabel {
    double key;
    uint32_t length;
    uint32_t has_key;
} BytesLabel;

uint8_t *contingency_bytes(Env *env, const Contingency *table, size_t *size)
{
    BytesHead head = {.magic = BYTES_MAGIC, .pairs = table->pair_count, .labels = table->label_count};
    uint8_t *bytes, *out;

    for (uint32_t i = 0; i < table->label_count; i++)
        head.text += table->labels[i].length;
    *size = sizeof(head) + table->label_count * sizeof(BytesLabel) + head.text + table->pair_count * sizeof(Pair);
    bytes = out = env_array_raw(env, *size, 1);
    memcpy(out, &head, sizeof(head));
    out += sizeof(head);
    for (uint32_t i = 0; i < table->label_count; i++) {
        const Label *label = &table->labels[i];
        BytesLabel fixed = {label->key, label->length, label->has_key};

        memcpy(out, &fixed, sizeof(fixed));
        memcpy(out + sizeof(fixed), label->bytes, label->length);
        out += sizeof(fixed) + label->length;
    }
    for (uint64_t i = 0; i < table->pair_slot_count; i++)
        if (table->pairs[i].actual != NO_LABEL) {
            memcpy(out, &table->pairs[i], sizeof(Pair));
            out += sizeof(Pair);
        }
    return bytes;
}

static void __attribute__((noreturn)) fail_bytes(Env *env)
{
    env_fail(env, ERROR_BINARY, NULL, "these bytes are not the state of a class metric");
}

Contingency *contingency_of_bytes(Env *env, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    Contingency *table = contingency_new(env);
    BytesHead head;

    if (size < sizeof(head))
        fail_bytes(env);
    memcpy(&head, bytes, sizeof(head));
    bytes += sizeof(head);
    if (head.magic != BYTES_MAGIC)
        fail_bytes(env);
    for (uint32_t i = 0; i < head.labels; i++) {
        BytesLabel fixed;
        ContingencyLabel label;

        if ((size_t)(end - bytes) < sizeof(fixed))
            fail_bytes(env);
        memcpy(&fixed, bytes, sizeof(fixed));
        bytes += sizeof(fixed);
        if ((size_t)(end - bytes) < fixed.length)
            fail_bytes(env);
        label = (ContingencyLabel){(const char *)bytes, fixed.length, fixed.has_key != 0, fixed.key};
        if (find_label(env, table, &label) != i)
            fail_bytes(env);
        bytes += fixed.length;
    }
    if ((uint64_t)(end - bytes) / sizeof(Pair) != head.pairs || (size_t)(end - bytes) % sizeof(Pair) != 0)
        fail_bytes(env);
    for (; bytes < end; bytes += sizeof(Pair)) {
        Pair pair;

        memcpy(&pair, bytes, sizeof(pair));
        if (pair.actual >= head.labels || pair.predicted >= head.labels)
            fail_bytes(env);
        pair_add(env, table, pair.actual, pair.predicted, pair.rows, pair.weight);
    }
    return table;
}

/* ---- the table in order ---- */

typedef struct Ranked {
    const Label *label;
    uint32_t position;
    double key;
} Ranked;

/* Returns the number that a text spells, 0 if it is not a number. */
static double text_number(const Label *label)
{
    char buffer[64], *end;
    double value;

    if (label->length == 0 || label->length >= sizeof(buffer))
        return 0;
    memcpy(buffer, label->bytes, label->length);
    buffer[label->length] = 0;
    value = strtod(buffer, &end);
    return *end == 0 && isfinite(value) ? value : 0;
}

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    uint32_t length = x->label->length < y->label->length ? x->label->length : y->label->length;
    int order;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    order = memcmp(x->label->bytes, y->label->bytes, length);
    if (order != 0)
        return order;
    return (x->label->length > y->label->length) - (x->label->length < y->label->length);
}

static int compare_cells(const void *a, const void *b)
{
    const ContingencyCell *x = a, *y = b;

    return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

/*
 * If some labels have keys other than 0, they are numbers or enums: a label that came only as text is then sorted by the number
 * that it spells.
 */
static uint32_t *order_labels(Env *env, const Contingency *table, ConfusionTable *out)
{
    Ranked *ranked = env_array(env, (size_t)table->label_count + 1, sizeof(Ranked));
    uint32_t *place = env_array(env, (size_t)table->label_count + 1, sizeof(uint32_t));
    bool numbers = false;

    for (uint32_t i = 0; i < table->label_count; i++)
        numbers = numbers || (table->labels[i].has_key && table->labels[i].key != 0);
    for (uint32_t i = 0; i < table->label_count; i++) {
        const Label *label = &table->labels[i];

        ranked[i] = (Ranked){label, i, label->has_key ? label->key : numbers ? text_number(label) : 0};
    }
    qsort(ranked, table->label_count, sizeof(Ranked), compare_ranked);
    for (uint32_t i = 0; i < table->label_count; i++) {
        place[ranked[i].position] = i;
        out->labels[i] = ranked[i].label->bytes;
        out->lengths[i] = ranked[i].label->length;
    }
    env->release(env, ranked);
    return place;
}

/* Sorts the pairs as cells: into the rows of their labels first, then row by row. */
static void order_cells(Env *env, const Contingency *table, const uint32_t *place, ConfusionTable *out)
{
    uint64_t *starts = env_array(env, (size_t)out->count + 2, sizeof(uint64_t));

    for (uint64_t i = 0; i < table->pair_slot_count; i++)
        if (table->pairs[i].actual != NO_LABEL)
            starts[place[table->pairs[i].actual] + 2]++;
    for (uint32_t k = 0; k < out->count; k++)
        starts[k + 2] += starts[k + 1];
    for (uint64_t i = 0; i < table->pair_slot_count; i++) {
        const Pair *pair = &table->pairs[i];

        if (i % POLL_PAIRS == 0)
            env->poll(env);
        if (pair->actual != NO_LABEL)
            out->cells[starts[place[pair->actual] + 1]++] =
                (ContingencyCell){place[pair->actual], place[pair->predicted], pair->rows, pair->weight};
    }
    out->cell_count = table->pair_count;
    for (uint32_t k = 0; k < out->count; k++) {
        if (k % POLL_PAIRS == 0)
            env->poll(env);
        qsort(out->cells + starts[k], starts[k + 1] - starts[k], sizeof(ContingencyCell), compare_cells);
    }
    env->release(env, starts);
}

ConfusionTable *contingency_table(Env *env, const Contingency *table)
{
    ConfusionTable *out = env_array(env, 1, sizeof(ConfusionTable));
    size_t room = (size_t)table->label_count + 1;
    uint32_t *place;

    out->env = env;
    out->count = table->label_count;
    out->labels = env_array(env, room, sizeof(char *));
    out->lengths = env_array(env, room, sizeof(uint32_t));
    out->actual = env_array(env, room, sizeof(double));
    out->predicted = env_array(env, room, sizeof(double));
    out->right = env_array(env, room, sizeof(double));
    out->cells = env_array(env, table->pair_count + 1, sizeof(ContingencyCell));
    place = order_labels(env, table, out);
    order_cells(env, table, place, out);
    env->release(env, place);
    for (uint64_t i = 0; i < out->cell_count; i++) {
        const ContingencyCell *cell = &out->cells[i];

        if (i % POLL_PAIRS == 0)
            env->poll(env);
        out->actual[cell->actual] += cell->weight;
        out->predicted[cell->predicted] += cell->weight;
        out->total += cell->weight;
        if (cell->actual == cell->predicted)
            out->right[cell->actual] += cell->weight;
    }
    return out;
}
