/*
 * point_set.c - all rows as points of a metric space, sorted by a hash of their content.
 */
#include "core/distance/point_set.h"
#include "core/rows/row_design.h"
#include "core/base/bytes.h"
#include "core/base/sort.h"

#include <string.h>

/* A row during the sort. */
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

/* Returns the metric that the options name, ready, after a pass over the rows. */
static Metric *learn_metric(Env *env, RowDesign *design, const Options *options, const char *method)
{
    DesignReader *reader;
    DesignBlock block;
    const Model *schema = schema_final(env, rows_schema(design->rows));
    Metric *metric;

    if (rows_objects(design->rows) != NULL) {
        metric = metric_of_objects(env, METRIC_GIVEN, rows_objects(design->rows), method);
        metric->schema = schema;
        return metric;
    }
    metric = metric_of_options(env, options, schema, method);
    reader = design_reader(design);
    metric_learn_objects(env, metric, rows_schema(design->rows));
    while (design_next_block(reader, &block))
        metric_learn(env, metric, block.x, block.weights, block.count);
    design_reader_free(reader);
    metric_ready(env, metric);
    return metric;
}

/* Computes the coordinates of all rows in a pass over them. */
static void place_all(Env *env, RowDesign *design, PointSet *points)
{
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    while (design_next_block(reader, &block)) {
        metric_place_rows(env, points->metric, block.x, block.count,
                          points->coordinates + block.first * points->metric->width);
        metric_number_objects(points->metric, points->coordinates + block.first * points->metric->width, block.count);
        if (points->weights != NULL)
            memcpy(points->weights + block.first, block.weights, block.count * sizeof(double));
    }
    design_reader_free(reader);
}

/* Moves the rows into sorted order. */
static void sort_rows(Env *env, PointSet *points)
{
    uint32_t n = points->count, width = points->metric->width;
    SortedRow *sorted = env_array_raw(env, n, sizeof(SortedRow));
    double *coordinates, *weights;

    env->progress(env, "sorting rows", 0, n, NAN);
    for (uint32_t i = 0; i < n; i++) {
        const double *row = point_set_row(points, i);

        env->poll(env);
        sorted[i] = (SortedRow){rows_hash(0, row, width), row,
                                row_weight(points->weights, i), i, width};
    }
    sort_polled(env, sorted, n, sizeof(SortedRow), compare_rows);
    coordinates = env_array_raw(env, n, (size_t)width * sizeof(double) + 1);
    weights = points->weights != NULL ? env_array_raw(env, n, sizeof(double)) : NULL;
    points->weight = 0;
    for (uint32_t i = 0; i < n; i++) {
        env->poll(env);
        memcpy(coordinates + (size_t)i * width, sorted[i].row, width * sizeof(double));
        if (weights != NULL)
            weights[i] = sorted[i].weight;
        points->weight += sorted[i].weight;
        points->numbers[i] = sorted[i].number;
    }
    env->release(env, points->coordinates);
    if (points->weights != NULL)
        env->release(env, points->weights);
    env->release(env, sorted);
    points->coordinates = coordinates;
    points->weights = weights;
}

PointSet *point_set(Env *env, Rows *rows, const Options *options, size_t room,
                    const char *method)
{
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, method);
    PointSet *points = env_array(env, 1, sizeof(PointSet));
    uint64_t count = rows_count(rows);
    size_t row, copy, needed;

    if (count > INT32_MAX)
        env_fail(env, ERROR_LIMIT, "Fit on a sample of the rows.",
                 "%s compares at most %d rows, not %llu", method, INT32_MAX,
                 (unsigned long long)count);
    points->count = (uint32_t)count;
    points->metric = learn_metric(env, design, options, method);
    row = ((size_t)points->metric->width + 2) * sizeof(double) + sizeof(SortedRow) + room;
    copy = ((size_t)points->metric->width + 1) * sizeof(double); /* the sorted coordinates, or the scratch of the sort */
    row += copy > sizeof(SortedRow) ? copy : sizeof(SortedRow);
    needed = count * row + 2 * rows_id_bytes(rows); /* ids as read, and in the model */
    env_require_memory(env, needed, method);
    points->spare = rows_spare(rows) > needed ? rows_spare(rows) - needed : 0;
    points->coordinates =
        env_array_raw(env, count, (size_t)points->metric->width * sizeof(double) + 1);
    points->numbers = env_array_raw(env, count, sizeof(uint32_t));
    if (rows_contents(rows) & ROWS_WEIGHT)
        points->weights = env_array_raw(env, count, sizeof(double));
    place_all(env, design, points);
    sort_rows(env, points);
    return points;
}

void point_set_slots(Env *env, Rows *rows, const uint32_t *numbers, uint32_t count, const char *method,
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

/* One of several equal rows. */
typedef struct Named {
    RowId id;
    uint32_t number;
} Named;

static int compare_named(const void *left, const void *right)
{
    const Named *a = left, *b = right;

    return bytes_compare(a->id.text, a->id.length, b->id.text, b->id.length);
}

static bool equal_rows(const PointSet *points, uint32_t a, uint32_t b)
{
    return memcmp(point_set_row(points, a), point_set_row(points, b),
                  points->metric->width * sizeof(double)) == 0 &&
           (points->weights == NULL || points->weights[a] == points->weights[b]);
}

/* Sorts equal rows by their ids, so that nothing depends on the order of arrival. */
static void order_equal_rows(Env *env, PointSet *points, const RowId *ids)
{
    Named *run = env_array_raw(env, points->count, sizeof(Named));

    for (uint32_t first = 0, last; first < points->count; first = last) {
        for (last = first + 1; last < points->count && equal_rows(points, first, last);)
            last++;
        if (last - first == 1)
            continue;
        for (uint32_t i = first; i < last; i++)
            run[i - first] = (Named){ids[points->numbers[i]], points->numbers[i]};
        sort_polled(env, run, last - first, sizeof(Named), compare_named);
        for (uint32_t i = first; i < last; i++)
            points->numbers[i] = run[i - first].number;
    }
}

RowId *point_set_ids(Env *env, Rows *rows, PointSet *points)
{
    RowId *read = read_ids(env, rows), *ids = env_array_raw(env, points->count, sizeof(RowId));

    order_equal_rows(env, points, read);
    for (uint32_t i = 0; i < points->count; i++)
        ids[i] = read[points->numbers[i]];
    return ids;
}

void row_ids_write(Env *env, ModelBuilder *builder, const RowId *ids, const uint32_t *places, uint32_t count)
{
    const char **texts = env_array_raw(env, count, sizeof(char *));
    uint32_t *lengths = env_array_raw(env, count, sizeof(uint32_t));

    for (uint32_t i = 0; i < count; i++) {
        const RowId *id = &ids[places != NULL ? places[i] : i];

        texts[i] = id->text;
        lengths[i] = id->length;
    }
    builder_text(builder, SECTION_ARRAYS, "ids", texts, lengths, count);
}

/* ---- points of a model ---- */

ModelPoints model_points(Env *env, const Model *model, const double *rows, uint32_t count)
{
    ModelPoints points = {.metric = metric_open(env, model), .count = count};
    size_t width = points.metric->width;

    points.coordinates = env_array(env, count, width * sizeof(double) + 1);
    points.row = env_array(env, width + 1, sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        metric_place(points.metric, rows + (size_t)i * model->slot_count, points.coordinates + i * width);
    return points;
}

double model_points_distance(const ModelPoints *points, uint32_t i)
{
    return metric_distance(points->metric, points->row, points->coordinates + (size_t)i * points->metric->width);
}

void model_points_distances(const ModelPoints *points, const double *slots, double *out)
{
    bool sound = metric_place(points->metric, slots, points->row);

    for (uint32_t i = 0; i < points->count; i++)
        out[i] = sound ? model_points_distance(points, i) : NAN;
}
