/*
 * placed_rows.c - rows as coordinates of a metric, sorted by a hash of their content.
 */
#include "core/distance/point_set.h"
#include "core/rows/row_design.h"
#include "core/base/sort.h"

#include <string.h>

/* A row on its way through the sort. */
typedef struct SortedRow {
    uint64_t hash;
    const double *row;
    double weight;
    uint32_t number;
    uint32_t width;
} SortedRow;

static int compare_rows(const void *left, const void *right)
{
    const SortedRow *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    for (uint32_t j = 0; j < a->width; j++)
        if (a->row[j] != b->row[j])
            return a->row[j] < b->row[j] ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static Metric *learn_metric(Env *env, RowDesign *design, const Options *options, const char *method)
{
    Metric *metric =
        metric_of_options(env, options, schema_final(env, rows_schema(design->rows)), method);
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        metric_learn(env, metric, block.x, block.weights, block.count);
    design_reader_free(reader);
    metric_ready(env, metric);
    return metric;
}

static void place_all(Env *env, RowDesign *design, PlacedRows *placed)
{
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    while (design_next_block(reader, &block)) {
        metric_place_rows(env, placed->metric, block.x, block.count,
                          placed->coordinates + block.first * placed->metric->width);
        if (placed->weights != NULL)
            memcpy(placed->weights + block.first, block.weights, block.count * sizeof(double));
    }
    design_reader_free(reader);
}

/* Moves the rows into their order. */
static void sort_rows(Env *env, PlacedRows *placed)
{
    uint32_t n = placed->count, width = placed->metric->width;
    SortedRow *sorted = env_array_raw(env, n, sizeof(SortedRow));
    double *coordinates, *weights;

    for (uint32_t i = 0; i < n; i++) {
        const double *row = placed_row(placed, i);

        env->poll(env);
        sorted[i] = (SortedRow){rows_hash(0, row, width), row,
                                row_weight(placed->weights, i), i, width};
    }
    sort_polled(env, sorted, n, sizeof(SortedRow), compare_rows);
    coordinates = env_array_raw(env, n, (size_t)width * sizeof(double) + 1);
    weights = placed->weights != NULL ? env_array_raw(env, n, sizeof(double)) : NULL;
    placed->weight = 0;
    for (uint32_t i = 0; i < n; i++) {
        env->poll(env);
        memcpy(coordinates + (size_t)i * width, sorted[i].row, width * sizeof(double));
        if (weights != NULL)
            weights[i] = sorted[i].weight;
        placed->weight += sorted[i].weight;
        placed->numbers[i] = sorted[i].number;
    }
    env->release(env, placed->coordinates);
    if (placed->weights != NULL)
        env->release(env, placed->weights);
    env->release(env, sorted);
    placed->coordinates = coordinates;
    placed->weights = weights;
}

PlacedRows *placed_rows(Env *env, Rows *rows, const Options *options, size_t room,
                        const char *method)
{
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, method);
    PlacedRows *placed = env_array(env, 1, sizeof(PlacedRows));
    uint64_t count = rows_count(rows);
    size_t row, copy;

    if (count > INT32_MAX)
        env_fail(env, ERROR_LIMIT, "Take a sample of the rows.",
                 "%s compares at most %d rows, not %llu", method, INT32_MAX,
                 (unsigned long long)count);
    placed->count = (uint32_t)count;
    placed->metric = learn_metric(env, design, options, method);
    row = ((size_t)placed->metric->width + 2) * sizeof(double) + sizeof(SortedRow) + room;
    copy = ((size_t)placed->metric->width + 1) * sizeof(double); /* sorted, or of what is being sorted */
    row += copy > sizeof(SortedRow) ? copy : sizeof(SortedRow);
    env_require_memory(env, count * row + 2 * rows_id_bytes(rows), method); /* ids as read, and in the model */
    placed->coordinates =
        env_array_raw(env, count, (size_t)placed->metric->width * sizeof(double) + 1);
    placed->numbers = env_array_raw(env, count, sizeof(uint32_t));
    if (rows_contents(rows) & ROWS_WEIGHT)
        placed->weights = env_array_raw(env, count, sizeof(double));
    place_all(env, design, placed);
    row_design_free(design);
    sort_rows(env, placed);
    return placed;
}

void placed_rows_free(Env *env, PlacedRows *placed)
{
    env->release(env, placed->coordinates);
    env->release(env, placed->numbers);
    if (placed->weights != NULL)
        env->release(env, placed->weights);
    metric_free(env, placed->metric);
    env->release(env, placed);
}

void placed_rows_slots(Env *env, Rows *rows, const uint32_t *numbers, uint32_t count, const char *method,
                       double *slots)
{
    uint32_t width = rows_slots(rows), missing = count;
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, method);
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    while (missing > 0 && design_next_block(reader, &block))
        for (uint32_t i = 0; i < count; i++)
            if (numbers[i] >= block.first && numbers[i] - block.first < block.count) {
                memcpy(slots + (size_t)i * width, block.x + (numbers[i] - block.first) * width, width * sizeof(double));
                missing--;
            }
    design_reader_free(reader);
    row_design_free(design);
}

/* ---- ids ---- */

static RowId *read_ids(Env *env, Rows *rows)
{
    RowId *ids = env_array_raw(env, rows_count(rows), sizeof(RowId));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block)) {
        size_t bytes = 0;
        char *copy;

        for (uint32_t i = 0; i < block.count; i++)
            bytes += block.id_lengths[i];
        copy = env_array_raw(env, bytes + 1, 1);
        for (uint32_t i = 0; i < block.count; i++) {
            memcpy(copy, block.ids[i], block.id_lengths[i]);
            ids[block.first + i] = (RowId){copy, block.id_lengths[i]};
            copy += block.id_lengths[i];
        }
    }
    rows_reader_free(reader);
    return ids;
}

/* A row among equal ones. */
typedef struct Named {
    RowId id;
    uint32_t number;
} Named;

static int compare_named(const void *left, const void *right)
{
    const Named *a = left, *b = right;
    uint32_t length = a->id.length < b->id.length ? a->id.length : b->id.length;
    int order = length > 0 ? memcmp(a->id.text, b->id.text, length) : 0;

    if (order != 0)
        return order;
    return a->id.length < b->id.length ? -1 : a->id.length > b->id.length;
}

static bool equal_rows(const PlacedRows *placed, uint32_t a, uint32_t b)
{
    return memcmp(placed_row(placed, a), placed_row(placed, b),
                  placed->metric->width * sizeof(double)) == 0 &&
           (placed->weights == NULL || placed->weights[a] == placed->weights[b]);
}

/* Equal rows side by side go by their ids, so that nothing depends on how the rows came. */
static void order_equal_rows(Env *env, PlacedRows *placed, const RowId *ids)
{
    Named *run = env_array_raw(env, placed->count, sizeof(Named));

    for (uint32_t first = 0, last; first < placed->count; first = last) {
        for (last = first + 1; last < placed->count && equal_rows(placed, first, last);)
            last++;
        if (last - first == 1)
            continue;
        for (uint32_t i = first; i < last; i++)
            run[i - first] = (Named){ids[placed->numbers[i]], placed->numbers[i]};
        sort_polled(env, run, last - first, sizeof(Named), compare_named);
        for (uint32_t i = first; i < last; i++)
            placed->numbers[i] = run[i - first].number;
    }
    env->release(env, run);
}

RowId *placed_rows_ids(Env *env, Rows *rows, PlacedRows *placed)
{
    RowId *read = read_ids(env, rows), *ids = env_array_raw(env, placed->count, sizeof(RowId));

    order_equal_rows(env, placed, read);
    for (uint32_t i = 0; i < placed->count; i++)
        ids[i] = read[placed->numbers[i]];
    env->release(env, read);
    return ids;
}
