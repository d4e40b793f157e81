/*
 * contingency_table.c - counts of pairs of a label and a prediction.
 */
#include "core/metrics/contingency_table.h"
#include "core/base/hash_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 4
#define POLL_CELLS 65536 /* between two polls for cancellation */
#define BYTES_MAGIC UINT64_C(0x31656c6261742d63)

typedef struct Label {
    char *bytes;
    uint32_t length;
    bool has_key;
    double key;
} Label;

struct Contingency {
    HashTable label_index, cell_index;
    Label *labels;          /* [hash_room(&label_index)] in order of appearance */
    ContingencyCell *cells; /* [hash_room(&cell_index)] in order of appearance; positions are those in labels */
    size_t text_bytes;
};

/* ---- labels ---- */

/* Returns the memory in bytes of an index and its entries of this size. */
static size_t index_memory(const HashTable *index, size_t size)
{
    return (size_t)hash_room(index) * (size + 2 * sizeof(HashSlot));
}

Contingency *contingency_new(Env *env)
{
    Contingency *table = env_array(env, 1, sizeof(Contingency));

    table->label_index = hash_table(env, FIRST_BITS);
    table->cell_index = hash_table(env, FIRST_BITS);
    table->labels = env_array(env, hash_room(&table->label_index), sizeof(Label));
    table->cells = env_array(env, hash_room(&table->cell_index), sizeof(ContingencyCell));
    return table;
}

/* Returns the entries of an index with room for one more. Fails with ERROR_LIMIT if the table exceeds the memory budget. */
static void *with_room(Env *env, const Contingency *table, const HashTable *index, void *entries, size_t size)
{
    if (index->count < hash_room(index))
        return entries;
    env_require_memory(env,
                       index_memory(&table->label_index, sizeof(Label)) + table->text_bytes +
                           index_memory(&table->cell_index, sizeof(ContingencyCell)) + 2 * index_memory(index, size),
                       "the table of labels and predictions");
    return env->resize(env, entries, (size_t)2 * index->count * size);
}

/* Returns the position of a label, which is added if it is new. */
static uint32_t find_label(Env *env, Contingency *table, const ContingencyLabel *wanted)
{
    uint32_t hash = hash_bytes(wanted->bytes, wanted->length), place = hash_start(&table->label_index, hash), position;
    Label *label;

    while ((position = hash_next(&table->label_index, hash, &place)) != HASH_NONE) {
        label = &table->labels[position];
        if (label->length != wanted->length || !bytes_same(label->bytes, wanted->bytes, wanted->length))
            continue;
        if (wanted->has_key && !label->has_key) {
            label->has_key = true;
            label->key = wanted->key;
        }
        return position;
    }
    table->labels = with_room(env, table, &table->label_index, table->labels, sizeof(Label));
    label = &table->labels[table->label_index.count];
    *label = (Label){env_array_raw(env, (size_t)wanted->length + 1, 1), wanted->length, wanted->has_key,
                     wanted->has_key ? wanted->key : 0};
    memcpy(label->bytes, wanted->bytes, wanted->length);
    table->text_bytes += wanted->length + 1;
    return hash_add(env, &table->label_index, hash);
}

/* ---- cells ---- */

/* Adds rows to the cell of these labels, which is added if it is new. */
static void cell_add(Env *env, Contingency *table, uint32_t actual, uint32_t predicted, double rows, double weight)
{
    uint32_t hash = hash_64((uint64_t)actual << 32 | predicted);
    uint32_t place = hash_start(&table->cell_index, hash), entry;

    while ((entry = hash_next(&table->cell_index, hash, &place)) != HASH_NONE) {
        ContingencyCell *cell = &table->cells[entry];

        if (cell->actual == actual && cell->predicted == predicted) {
            cell->rows += rows;
            cell->weight += weight;
            return;
        }
    }
    table->cells = with_room(env, table, &table->cell_index, table->cells, sizeof(ContingencyCell));
    table->cells[table->cell_index.count] = (ContingencyCell){actual, predicted, rows, weight};
    hash_add(env, &table->cell_index, hash);
}

void contingency_add(Env *env, Contingency *table, ContingencyLabel actual, ContingencyLabel predicted,
                     double weight)
{
    uint32_t row, column;

    if (!(weight >= 0) || isinf(weight))
        env_fail(env, ERROR_DATA, "Give a finite weight of at least 0; rows of weight 0 are skipped.",
                 "weight is %g", weight);
    if (weight == 0)
        return;
    row = find_label(env, table, &actual);
    column = find_label(env, table, &predicted);
    cell_add(env, table, row, column, 1, weight);
}

void contingency_merge(Env *env, Contingency *into, const Contingency *other)
{
    uint32_t *positions = env_array_raw(env, (size_t)other->label_index.count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < other->label_index.count; i++) {
        const Label *label = &other->labels[i];
        ContingencyLabel wanted = {label->bytes, label->length, label->has_key, label->key};

        positions[i] = find_label(env, into, &wanted);
    }
    for (uint32_t i = 0; i < other->cell_index.count; i++) {
        const ContingencyCell *cell = &other->cells[i];

        env_poll_every(env, i, POLL_CELLS);
        cell_add(env, into, positions[cell->actual], positions[cell->predicted], cell->rows, cell->weight);
    }
    env->release(env, positions);
}

/* ---- bytes ---- */

/* The parts of fixed size, in this machine's byte order, because the bytes never leave the machine. */
typedef struct BytesHead {
    uint64_t magic, cells, text;
    uint32_t labels, unused;
} BytesHead;

typedef struct BytesLabel {
    double key;
    uint32_t length;
    uint32_t has_key;
} BytesLabel;

uint8_t *contingency_bytes(Env *env, const Contingency *table, size_t *size)
{
    BytesHead head = {.magic = BYTES_MAGIC, .cells = table->cell_index.count, .labels = table->label_index.count};
    uint8_t *bytes, *out;

    for (uint32_t i = 0; i < head.labels; i++)
        head.text += table->labels[i].length;
    *size = sizeof(head) + head.labels * sizeof(BytesLabel) + head.text + head.cells * sizeof(ContingencyCell);
    bytes = out = env_array_raw(env, *size, 1);
    memcpy(out, &head, sizeof(head));
    out += sizeof(head);
    for (uint32_t i = 0; i < head.labels; i++) {
        const Label *label = &table->labels[i];
        BytesLabel fixed = {label->key, label->length, label->has_key};

        memcpy(out, &fixed, sizeof(fixed));
        memcpy(out + sizeof(fixed), label->bytes, label->length);
        out += sizeof(fixed) + label->length;
    }
    memcpy(out, table->cells, head.cells * sizeof(ContingencyCell));
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
    if ((uint64_t)(end - bytes) / sizeof(ContingencyCell) != head.cells || (size_t)(end - bytes) % sizeof(ContingencyCell) != 0)
        fail_bytes(env);
    for (; bytes < end; bytes += sizeof(ContingencyCell)) {
        ContingencyCell cell;

        memcpy(&cell, bytes, sizeof(cell));
        if (cell.actual >= head.labels || cell.predicted >= head.labels)
            fail_bytes(env);
        cell_add(env, table, cell.actual, cell.predicted, cell.rows, cell.weight);
    }
    return table;
}

/* ---- the table in order ---- */

typedef struct Ranked {
    const Label *label;
    uint32_t position;
    double key;
} Ranked;

/* Returns the number that the label spells, or 0 if it is not a number. */
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

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return bytes_compare(x->label->bytes, x->label->length, y->label->bytes, y->label->length);
}

static int compare_cells(const void *a, const void *b)
{
    const ContingencyCell *x = a, *y = b;

    return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

/*
 * Sorts the labels into out and returns the new position of each. If some labels have keys other than 0, they are numbers or
 * enums: a label that was only given as text is then sorted by the number that it spells.
 */
static uint32_t *order_labels(Env *env, const Contingency *table, ConfusionTable *out)
{
    Ranked *ranked = env_array(env, (size_t)out->count + 1, sizeof(Ranked));
    uint32_t *places = env_array(env, (size_t)out->count + 1, sizeof(uint32_t));
    bool numbers = false;

    for (uint32_t i = 0; i < out->count; i++)
        numbers = numbers || (table->labels[i].has_key && table->labels[i].key != 0);
    for (uint32_t i = 0; i < out->count; i++) {
        const Label *label = &table->labels[i];

        ranked[i] = (Ranked){label, i, label->has_key ? label->key : numbers ? text_number(label) : 0};
    }
    qsort(ranked, out->count, sizeof(Ranked), compare_ranked);
    for (uint32_t i = 0; i < out->count; i++) {
        places[ranked[i].position] = i;
        out->labels[i] = ranked[i].label->bytes;
        out->lengths[i] = ranked[i].label->length;
    }
    return places;
}

/* Sorts the cells: by actual label first, by counting, then the cells of each label by prediction. */
static void order_cells(Env *env, const Contingency *table, const uint32_t *places, ConfusionTable *out)
{
    uint64_t *starts = env_array(env, (size_t)out->count + 2, sizeof(uint64_t));

    for (uint64_t i = 0; i < out->cell_count; i++)
        starts[places[table->cells[i].actual] + 2]++;
    for (uint32_t k = 0; k < out->count; k++)
        starts[k + 2] += starts[k + 1];
    for (uint64_t i = 0; i < out->cell_count; i++) {
        ContingencyCell cell = table->cells[i];

        env_poll_every(env, i, POLL_CELLS);
        cell.actual = places[cell.actual];
        cell.predicted = places[cell.predicted];
        out->cells[starts[cell.actual + 1]++] = cell;
    }
    for (uint32_t k = 0; k < out->count; k++) {
        env_poll_every(env, k, POLL_CELLS);
        qsort(out->cells + starts[k], starts[k + 1] - starts[k], sizeof(ContingencyCell), compare_cells);
    }
}

ConfusionTable *contingency_table(Env *env, const Contingency *table)
{
    ConfusionTable *out = env_array(env, 1, sizeof(ConfusionTable));
    size_t room = (size_t)table->label_index.count + 1;

    out->env = env;
    out->count = table->label_index.count;
    out->cell_count = table->cell_index.count;
    out->labels = env_array(env, room, sizeof(char *));
    out->lengths = env_array(env, room, sizeof(uint32_t));
    out->actual = env_array(env, room, sizeof(double));
    out->predicted = env_array(env, room, sizeof(double));
    out->right = env_array(env, room, sizeof(double));
    out->cells = env_array(env, out->cell_count + 1, sizeof(ContingencyCell));
    order_cells(env, table, order_labels(env, table, out), out);
    for (uint64_t i = 0; i < out->cell_count; i++) {
        const ContingencyCell *cell = &out->cells[i];

        env_poll_every(env, i, POLL_CELLS);
        out->actual[cell->actual] += cell->weight;
        out->predicted[cell->predicted] += cell->weight;
        out->total += cell->weight;
        if (cell->actual == cell->predicted)
            out->right[cell->actual] += cell->weight;
    }
    return out;
}
