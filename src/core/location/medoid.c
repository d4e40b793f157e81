/*
 * medoid.c - the row with the least sum of distances to all rows, by any metric.
 *
 * If the triangle inequality holds, a row whose sum E(i) is known bounds the sums of the others from below,
 * |E(i) - W d(i, j)| <= E(j) with the sum of weights W, and rows that cannot win are skipped (Newling & Fleuret 2017, "A
 * sub-quadratic exact medoid algorithm"): of 10,000 rows of 3 features it takes 0.1 s, and 1.1 s without. For squared euclidean distances and cosines the medoid is the row nearest to the mean.
 */
#include "core/location/exemplars.h"
#include "core/location/location_model.h"
#include "core/estimator/table.h"

#include <math.h>
#include <string.h>

#define SLACK 1e-12 /* by which bounds are loosened, because sums are rounded */
#define BLOCK 4096  /* rows between two polls, at least */

/* Writes the distances of one row from all rows, [count]. */
static void distances_from(Env *env, const PointSet *points, uint32_t i, double *distances)
{
    const Metric *metric = points->metric;

    for (uint32_t first = 0; first < points->count; first += BLOCK) {
        uint32_t count = points->count - first < BLOCK ? points->count - first : BLOCK;

        metric_reduced_rows(metric, point_set_row(points, i), point_set_row(points, first), count,
                            distances + first);
        for (uint32_t j = 0; j < count; j++)
            distances[first + j] = metric_of_reduced(metric, distances[first + j]);
        env->poll(env);
    }
}

/* Returns the sum of the distances, each times the weight of its row. */
static double weighted_sum(const PointSet *points, const double *distances)
{
    double total = 0;

    for (uint32_t first = 0; first < points->count; first += 256) { /* sums of short sums */
        uint32_t last = points->count - first < 256 ? points->count : first + 256;
        double part = 0;

        for (uint32_t j = first; j < last; j++)
            part += row_weight(points->weights, j) * distances[j];
        total += part;
    }
    return total;
}

/* Finds the best row by summing the distances of every row whose bound is not above the best sum. */
static uint32_t by_bounds(Env *env, const PointSet *points, double *distances, double *objective,
                          int64_t *evaluations)
{
    uint32_t n = points->count, best = 0;
    double *bounds = env_array(env, n, sizeof(double));

    *objective = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        double total;

        if (points->metric->triangle && bounds[i] > *objective * (1 + SLACK))
            continue;
        distances_from(env, points, i, distances);
        *evaluations += n;
        total = weighted_sum(points, distances);
        for (uint32_t j = 0; points->metric->triangle && j < n; j++)
            bounds[j] = fmax(bounds[j], fabs(total - points->weight * distances[j]) * (1 - SLACK));
        if (total < *objective) {
            *objective = total;
            best = i;
        }
        env->progress(env, "medoid", i, n, *objective);
    }
    return best;
}

/* Returns the row nearest to the mean: its sum of squared distances is the least. */
static uint32_t by_mean(Env *env, const PointSet *points, double *distances, double *objective,
                        int64_t *evaluations)
{
    uint32_t n = points->count, width = points->metric->width, best = 0;
    double *mean = env_array(env, (size_t)width + 1, sizeof(double)), least = INFINITY;

    for (uint32_t i = 0; i < n; i++) {
        const double *row = point_set_row(points, i);
        double share = row_weight(points->weights, i) / points->weight;

        for (uint32_t j = 0; j < width; j++)
            mean[j] += share * row[j];
    }
    metric_reduced_rows(points->metric, mean, points->coordinates, n, distances);
    for (uint32_t i = 0; i < n; i++)
        if (distances[i] < least) {
            least = distances[i];
            best = i;
        }
    distances_from(env, points, best, distances);
    *objective = weighted_sum(points, distances);
    *evaluations += 2 * (int64_t)n;
    return best;
}

uint32_t medoid_of_points(Env *env, const PointSet *points, double *objective, int64_t *evaluations)
{
    double *distances = env_array_raw(env, points->count, sizeof(double));
    bool mean = points->metric->symbols == 0 && (points->metric->kind == METRIC_SQUARED_EUCLIDEAN ||
                                                 points->metric->kind == METRIC_COSINE);
    uint32_t best = (mean ? by_mean : by_bounds)(env, points, distances, objective, evaluations);

    if (isinf(*objective) && points->metric->form == FORM_OBJECTS)
        env_fail(env, ERROR_DATA, "Fit one medoid per group of rows that can be reached from each other.",
                 "each row is infinitely far from another, so none is a medoid");
    if (!isfinite(*objective))
        env_fail(env, ERROR_RANGE, "Divide the features by a large number.",
                 "the sum of distances of %s is out of range", points->metric->method);
    return best;
}

static Model *medoid_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                         ModelBuilder *builder)
{
    Rows *rows = input->rows;
    int64_t evaluations = 0;
    double objective, *center;
    PointSet *points;
    uint32_t best;

    points = point_set(env, rows, options, 2 * sizeof(double), "medoid");
    best = medoid_of_points(env, points, &objective, &evaluations);
    center = env_array_raw(env, (size_t)rows_slots(rows) + 1, sizeof(double));
    point_set_slots(env, rows, &points->numbers[best], 1, "medoid", center);
    metric_number_objects(points->metric, center, 1);
    builder_f64(builder, SECTION_ARRAYS, "center", center, rows_slots(rows));
    metric_write(env, points->metric, builder);
    metric_write_objects(env, points->metric, builder, center, 1);
    if (points->metric->kind == METRIC_GIVEN)
        row_ids_write(env, builder, point_set_ids(env, rows, points), &best, 1);
    builder_fact(builder, "objective", objective);
    builder_fact_i64(builder, "distance_evaluations", evaluations);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec medoid_arrays[] = { /* of given distances */
    {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_NUMBER, .plus = 1}, .presence = ARRAY_OPTIONAL}};
static const ArrayTable medoid_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(center_arrays), ARRAY_TABLE(medoid_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(center_facts));

static const char *medoid_check(Env *env, const Model *model)
{
    const char *wrong = metric_check(env, model);

    return wrong != NULL ? wrong : metric_check_array(model, "center");
}

static void *medoid_prepare(Env *env, const Model *model, size_t *bytes)
{
    ModelPoints *prepared = env_array(env, 1, sizeof(ModelPoints));

    *prepared = model_points(env, model, model_f64(model, "center", NULL), 1);
    *bytes = 0; /* as allocated */
    return prepared;
}

static double medoid_distance(const Model *model, const void *prepared, const double *slots)
{
    double distance;

    model_points_distances(prepared, slots, &distance);
    return distance;
}

static const Scoring medoid_scoring = {
    .partial = true, .prepare = medoid_prepare, .distance = medoid_distance};

/* ---- the table "medoids" of given distances, where the medoid is an id alone ---- */

static bool has_id(const Model *model)
{
    return model_find(model, "ids") != NULL;
}

static void *open_medoid(Env *env, const Model *model, uint64_t *rows)
{
    *rows = 1;
    return NULL;
}

static bool medoid_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    cell_text_of(&cells[1], model, model_find(model, "ids"), 0);
    return true;
}

static const Table medoids = {.name = "medoids", .has = has_id, .open = open_medoid, .row = medoid_row};
static const Table *const medoid_tables[] = {&medoids, NULL};

const Estimator estimator_medoid = {
    .name = "medoid",
    .task = TASK_DESCRIPTION,
    .input = INPUT_ROWS,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS),
    .help = "The row with the least sum of distances to the others, by any metric.",
    .source = "Newling & Fleuret (2017), AISTATS",
    .fit = medoid_fit,
    .arrays = medoid_array_tables,
    .check = medoid_check,
    .scoring = &medoid_scoring,
    .tables = medoid_tables,
};
