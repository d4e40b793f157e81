/*
 * kmeans_choice.c - chooses the number of clusters by a criterion.
 */
#include "core/cluster/kmeans_choice.h"
#include "core/metrics/cluster_metrics.h"
#include "core/base/random.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

/* Returns the value of the criterion; 0 if it is not finite, as with as many clusters as rows. */
static double criterion_of(Env *env, Rows *rows, const KmeansResult *result, const Options *options)
{
    Clusters clusters = {result->k, result->dims, result->centroids, result->sizes, result->within};
    double value;

    if (options_is(options, "criterion", "silhouette"))
        value = silhouettes_by_centroids(env, rows, &clusters, true, NULL);
    else
        value = variance_ratio(result->total - result->inertia, result->inertia, result->k,
                               model_counted_rows(rows_schema(rows)));
    return isfinite(value) ? value : 0;
}

/* ---- the gap statistic ---- */

/* Returns the least and the greatest value of each feature, and work space for a row: [3 x dims]. */
static double *box_of(Env *env, Rows *rows)
{
    uint32_t dims = rows_slots(rows);
    double *box = env_array(env, 3, dims * sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    for (uint32_t j = 0; j < dims; j++) {
        box[j] = INFINITY;
        box[dims + j] = -INFINITY;
    }
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            for (uint32_t j = 0; j < dims; j++) {
                double x = block.slots[(size_t)i * dims + j];

                box[j] = fmin(box[j], x);
                box[dims + j] = fmax(box[dims + j], x);
            }
    rows_reader_free(reader);
    return box;
}

/* Returns as many rows as there are, with uniform random values within their box. */
static Rows *uniform_rows(Env *env, Rows *rows, double *box, uint64_t seed)
{
    uint32_t dims = rows_slots(rows);
    Rows *uniform = rows_new(rows_pool_of(rows), rows_schema(rows), 0);
    Model *schema = rows_schema(rows);
    int64_t used = schema->rows;
    double weight = schema->weight, *row = box + (size_t)2 * dims;

    for (uint64_t i = 0; i < rows_count(rows); i++) {
        for (uint32_t j = 0; j < dims; j++)
            row[j] = box[j] + random_unit(&seed) * (box[dims + j] - box[j]);
        rows_append(uniform, row, 0, 1, NULL, 0);
        if (i % 4096 == 0)
            env->poll(env);
    }
    schema->rows = used; /* the schema belongs to the fit, which must not count these rows */
    schema->weight = weight;
    return uniform;
}

/* Sets the gap of each k and its standard error. inertias: [count] of the rows themselves. */
static void gaps(Env *env, Rows *rows, uint32_t low, const Options *options, const double *inertias,
                 KmeansChoice *choice)
{
    uint32_t references = (uint32_t)options_integer(options, "gap_references");
    uint64_t seed = (uint64_t)options_integer(options, "seed");
    double *box = box_of(env, rows), *sums = env_array(env, choice->count, sizeof(double));
    double *squares = env_array(env, choice->count, sizeof(double));

    for (uint32_t r = 0; r < references; r++) {
        Rows *uniform = uniform_rows(env, rows, box, seed + ((uint64_t)r + 1) * SEED_STEP);

        for (uint32_t i = 0; i < choice->count; i++) {
            KmeansResult *result = kmeans_best(env, uniform, low + i, NULL, options);
            double value = log(result->inertia), step = value - sums[i];

            sums[i] += step / (r + 1); /* a running mean */
            squares[i] += step * (value - sums[i]);
            kmeans_result_free(env, result);
        }
        rows_free(uniform);
    }
    choice->error = env_array(env, choice->count, sizeof(double));
    for (uint32_t i = 0; i < choice->count; i++) {
        choice->criterion[i] = sums[i] - log(inertias[i]);
        choice->error[i] = sqrt(squares[i] / references * (1 + 1.0 / references));
    }
}

/* Returns the position of the first k whose gap is within a standard error of the next one's, or of the last k. */
static uint32_t first_gap(const KmeansChoice *choice)
{
    for (uint32_t i = 0; i + 1 < choice->count; i++)
        if (choice->criterion[i] >= choice->criterion[i + 1] - choice->error[i + 1])
            return i;
    return choice->count - 1;
}

KmeansResult *kmeans_choose(Env *env, Rows *rows, uint32_t low, uint32_t high, const Options *options,
                            KmeansChoice *choice)
{
    uint32_t count = high - low + 1, best = 0;
    bool gap = options_is(options, "criterion", "gap");
    KmeansResult **results = env_array(env, count, sizeof(*results));
    double *inertias = env_array(env, count, sizeof(double));

    choice->count = count;
    choice->k = env_array(env, count, sizeof(double));
    choice->criterion = env_array(env, count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        KmeansResult *result = results[i] = kmeans_best(env, rows, low + i, NULL, options);

        choice->k[i] = low + i;
        inertias[i] = result->inertia;
        if (!gap)
            choice->criterion[i] = criterion_of(env, rows, result, options);
    }
    if (gap) {
        gaps(env, rows, low, options, inertias, choice);
        best = first_gap(choice);
    }
    for (uint32_t i = 1; i < count && !gap; i++)
        if (choice->criterion[i] > choice->criterion[best])
            best = i;
    return results[best];
}
