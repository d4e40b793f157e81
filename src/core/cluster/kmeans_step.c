/*
 * kmeans_step.c - one pass of k-means as an aggregate, which keeps no rows.
 *
 * The state's sums: sum_weights F64[k]; sum_moments F64[k x slots], of weight times (row - centroid);
 * sum_squares F64[k], of weight times the squared distance.
 */
#include "core/distance/centroid_distance.h"
#include "core/cluster/kmeans.h"
#include "core/estimator/model_step.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define SETTLED 1e-18 /* squared moves below this, relative to the variance, are rounding */

const char *kmeans_step_check(const Model *model)
{
    const ModelEntry *centroids = model_find(model, "centroids");
    static const char *const arrays[] = {"sum_weights", "sum_moments", "sum_squares"};
    uint32_t there = 0;

    for (size_t a = 0; a < sizeof(arrays) / sizeof(*arrays); a++)
        there += model_find(model, arrays[a]) != NULL;
    if (there == 0)
        return NULL;
    if (!array_is_finite(model, "sum_weights", centroids->rows, 0) ||
        !array_is_finite(model, "sum_moments", centroids->rows, centroids->columns) ||
        !array_is_finite(model, "sum_squares", centroids->rows, 0))
        return "the sums of a step of kmeans do not fit its model, or are not finite";
    return NULL;
}

static Model *step_begin(Env *env, const Model *model)
{
    const ModelEntry *centroids = model_find(model, "centroids");
    uint32_t k = centroids->rows, dims = centroids->columns, length;
    double *zeros;
    ModelBuilder *builder = model_step_builder(env, model);
    Model *state;

    env_require_memory(env, centroid_lanes_bytes(k, dims), "kmeans_step");
    zeros = env_array(env, (size_t)k * dims, sizeof(double));
    builder_fact_i64(builder, "step_of", (int64_t)model->fingerprint);
    builder_fact_i64(builder, "iterations", (int64_t)model_fact(model, "iterations", 0));
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", model_data(model, centroids), k, dims);
    builder_f64(builder, SECTION_ARRAYS, "sizes", model_f64(model, "sizes", &length), k);
    builder_f64(builder, SECTION_ARRAYS, "within", model_f64(model, "within", &length), k);
    builder_f64(builder, SECTION_ARRAYS, "sum_weights", zeros, k);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_moments", zeros, k, dims);
    builder_f64(builder, SECTION_ARRAYS, "sum_squares", zeros, k);
    state = model_build(builder);
    state->fingerprint = 0;
    env->release(env, zeros);
    return state;
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double weight)
{
    double square, *weights = model_step_array(state, "sum_weights");
    uint32_t cluster = centroid_nearest(prepared, slots, &square), dims = state->slot_count, length;
    const double *centroids = model_f64(state, "centroids", &length);

    if (cluster >= model_find(state, "centroids")->rows) /* a typed state of other centroids */
        env_fail(env, ERROR_PARAMETER, "Group the rows by their model.",
                 "kmeans_step was given another model than for the rows before");
    centroid_add_rows(slots, 1, dims, &cluster, &weight, centroids, model_step_array(state, "sum_moments"), weights);
    model_step_array(state, "sum_squares")[cluster] += weight * square;
    state->rows++;
    state->weight += weight;
    if (!isfinite(square))
        env_fail(env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows and centroids are out of range");
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    static const char *const arrays[] = {"sum_weights", "sum_moments", "sum_squares"};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
        uint32_t mine, theirs;
        const double *from = model_f64(b, arrays[i], &theirs);
        double *to = model_step_array(a, arrays[i]);

        model_f64(a, arrays[i], &mine);
        if (mine != theirs)
            env_fail(env, ERROR_PARAMETER, "Merge steps of one model.",
                     "kmeans_step cannot merge sums of different models");
        for (uint32_t j = 0; j < mine; j++)
            to[j] += from[j];
    }
    a->rows += b->rows;
    a->weight += b->weight;
    a->skipped += b->skipped;
}

/* The next centroids and what is known of them: sizes and within of the assignment that made them. */
typedef struct Next {
    uint32_t k, dims;
    double *centroids, *within;
    const double *sizes;
    double inertia, total, moved;
} Next;

static Next next_centroids(Env *env, const Model *state)
{
    const ModelEntry *entry = model_find(state, "centroids");
    Next next = {.k = entry->rows, .dims = entry->columns};
    uint32_t length;
    const double *centroids = model_data(state, entry), *moments = model_f64(state, "sum_moments", &length);
    const double *squares = model_f64(state, "sum_squares", &length);
    double *mean = env_array(env, next.dims, sizeof(double)), weight = 0;

    next.sizes = model_f64(state, "sum_weights", &length);
    next.centroids = env_array(env, (size_t)next.k * next.dims, sizeof(double));
    next.within = env_array(env, next.k, sizeof(double));
    for (uint32_t c = 0; c < next.k; c++) {
        double moved = 0;

        for (uint32_t j = 0; j < next.dims; j++) {
            size_t at = (size_t)c * next.dims + j;
            double step = next.sizes[c] > 0 ? moments[at] / next.sizes[c] : 0;

            next.centroids[at] = centroids[at] + step;
            mean[j] += next.sizes[c] * next.centroids[at];
            moved += step * step;
        }
        weight += next.sizes[c];
        next.within[c] = fmax(squares[c] - next.sizes[c] * moved, 0);
        next.inertia += next.within[c];
        next.moved += moved;
    }
    next.total = next.inertia;
    for (uint32_t c = 0; c < next.k; c++)
        for (uint32_t j = 0; j < next.dims; j++) {
            double away = next.centroids[(size_t)c * next.dims + j] - mean[j] / weight;

            next.total += next.sizes[c] * away * away;
        }
    env->release(env, mean);
    return next;
}

static Model *step_finish(Env *env, const Model *state)
{
    Options *options;
    ModelBuilder *builder;
    double limit;
    Model *header;
    Next next;

    if (!(state->weight > 0))
        return NULL;
    next = next_centroids(env, state);
    options = estimator_options(env, &estimator_kmeans, state);
    limit = fmax(options_number(options, "tolerance"), SETTLED) * next.total / state->weight / next.dims;
    builder = model_step_builder(env, state);
    header = builder_header(builder);
    header->rows = state->rows;
    header->skipped = state->skipped;
    header->weight = state->weight;
    builder_fact_i64(builder, "k", next.k);
    builder_fact(builder, "inertia", next.inertia);
    builder_fact(builder, "between_scatter", next.total - next.inertia);
    builder_fact(builder, "total_scatter", next.total);
    builder_fact_i64(builder, "iterations", (int64_t)model_fact(state, "iterations", 0) + 1);
    builder_fact_bool(builder, "converged", next.moved <= limit);
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", next.centroids, next.k, next.dims);
    builder_f64(builder, SECTION_ARRAYS, "sizes", next.sizes, next.k);
    builder_f64(builder, SECTION_ARRAYS, "within", next.within, next.k);
    return model_require_readable(env, model_build(builder));
}

const ModelStep kmeans_step = {.name = "kmeans_step",
                               .estimator = &estimator_kmeans,
                               .begin_hint = "Begin from kmeans over some of the rows.",
    .sums = "sum_moments",
                               .begin = step_begin,
                               .add = step_add,
                               .merge = step_merge,
                               .finish = step_finish};
