/*
 * kmeans_step.c - one pass of k-means as an aggregate, which keeps no rows.
 *
 * The state is a model with sums over its rows: sum_weights F64[k]; sum_moments F64[k x slots], of weight times (row - centroid);
 * sum_squares F64[k], of weight times squared distance. Moments are in the units of the data, squares in those of the model's scale.
 */
#include "core/distance/centroid_distance.h"
#include "core/kmeans/centroid_score.h"
#include "core/kmeans/kmeans.h"
#include "core/estimator/model_step.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

#define SETTLED 1e-18 /* smaller squared moves, relative to the mean variance, are rounding */

static Model *step_begin(Env *env, const Model *model)
{
    KmeansModel view = kmeans_view(model);
    uint32_t k = view.k, dims = view.dims;
    double *zeros;
    ModelBuilder *builder = model_step_builder(env, model);
    Model *state;

    env_require_memory(env, centroid_lanes_bytes(k, dims), "kmeans_step");
    zeros = env_array(env, (size_t)k * dims, sizeof(double));
    builder_fact_i64(builder, "step_of", (int64_t)model->fingerprint);
    builder_fact_i64(builder, "iterations", model_step_iterations(model));
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", view.centroids, k, dims);
    builder_f64(builder, SECTION_ARRAYS, "sizes", view.sizes, k);
    builder_f64(builder, SECTION_ARRAYS, "within", view.within, k);
    row_scale_write(builder, view.scale.columns > 0 ? &view.scale : NULL);
    builder_f64(builder, SECTION_ARRAYS, "sum_weights", zeros, k);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_moments", zeros, k, dims);
    builder_f64(builder, SECTION_ARRAYS, "sum_squares", zeros, k);
    state = model_build(builder);
    state->fingerprint = 0;
    env->release(env, zeros);
    return state;
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double weight, ModelStepHints *hints)
{
    const ModelEntry *moments = model_step_find(state, "sum_moments", &hints->sums);
    const double *centroids = model_data(state, model_step_find(state, "centroids", &hints->arrays[0]));
    double *weights = model_data_mutable(state, (ModelEntry *)model_step_find(state, "sum_weights", &hints->arrays[1]));
    double *squares = model_data_mutable(state, (ModelEntry *)model_step_find(state, "sum_squares", &hints->arrays[2]));
    double square;
    uint32_t cluster = centroid_of_row(prepared, slots, &square);

    if (cluster >= moments->rows) /* a state typed in by hand may have other centroids */
        model_step_fail_other(env, "kmeans_step");
    centroid_add_rows(slots, 1, moments->columns, &cluster, &weight, centroids, model_data_mutable(state, (ModelEntry *)moments), weights);
    squares[cluster] += weight * square;
    state->rows++;
    state->weight += weight;
    if (!isfinite(square))
        env_fail(env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows and centroids are out of range");
}

/* Adds to sums of a state, which its view declares constant. */
static void add_sums(const double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double *)to)[i] += from[i];
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    KmeansModel to = kmeans_view(a), from = kmeans_view(b);

    if (to.k != from.k || to.dims != from.dims)
        model_step_fail_other(env, "kmeans_step");
    add_sums(to.sum_weights, from.sum_weights, to.k);
    add_sums(to.sum_moments, from.sum_moments, (size_t)to.k * to.dims);
    add_sums(to.sum_squares, from.sum_squares, to.k);
    a->rows += b->rows;
    a->weight += b->weight;
    a->skipped += b->skipped;
}

/* The next centroids, and what follows from the assignment that led to them. */
typedef struct Next {
    uint32_t k, dims;
    double *centroids, *within;
    const double *sizes;
    double inertia, total, moved;
    RowScale scale; /* of 0 columns: none */
} Next;

/* Returns a difference of feature j as it counts in squared distances. */
static double scaled(const Next *next, uint32_t j, double difference)
{
    return next->scale.columns > 0 ? difference * next->scale.scale[j] : difference;
}

static Next next_centroids(Env *env, const Model *state)
{
    KmeansModel view = kmeans_view(state);
    Next next = {.k = view.k, .dims = view.dims, .sizes = view.sum_weights, .scale = view.scale};
    double *mean = env_array(env, next.dims, sizeof(double)), weight = 0;

    next.centroids = env_array(env, (size_t)next.k * next.dims, sizeof(double));
    next.within = env_array(env, next.k, sizeof(double));
    for (uint32_t c = 0; c < next.k; c++) {
        double moved = 0;

        for (uint32_t j = 0; j < next.dims; j++) {
            size_t at = (size_t)c * next.dims + j;
            double step = next.sizes[c] > 0 ? view.sum_moments[at] / next.sizes[c] : 0;

            next.centroids[at] = view.centroids[at] + step;
            mean[j] += next.sizes[c] * next.centroids[at];
            step = scaled(&next, j, step);
            moved += step * step;
        }
        weight += next.sizes[c];
        next.within[c] = fmax(view.sum_squares[c] - next.sizes[c] * moved, 0);
        next.inertia += next.within[c];
        next.moved += moved;
    }
    next.total = next.inertia;
    for (uint32_t c = 0; c < next.k; c++)
        for (uint32_t j = 0; j < next.dims; j++) {
            double away = scaled(&next, j, next.centroids[(size_t)c * next.dims + j] - mean[j] / weight);

            next.total += next.sizes[c] * away * away;
        }
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
    options = estimator_options(env, estimator_of(state), state);
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
    builder_fact_i64(builder, "iterations", model_step_iterations(state) + 1);
    builder_fact_bool(builder, "converged", next.moved <= limit);
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", next.centroids, next.k, next.dims);
    builder_f64(builder, SECTION_ARRAYS, "sizes", next.sizes, next.k);
    builder_f64(builder, SECTION_ARRAYS, "within", next.within, next.k);
    row_scale_write(builder, next.scale.columns > 0 ? &next.scale : NULL);
    return model_require_readable(env, model_build(builder));
}

const ModelStep kmeans_step = {.name = "kmeans_step",
                               .estimator = "kmeans",
                               .begin_hint = "Begin from kmeans over some of the rows.",
                               .sums = "sum_moments",
                               .begin = step_begin,
                               .add = step_add,
                               .merge = step_merge,
                               .finish = step_finish};
