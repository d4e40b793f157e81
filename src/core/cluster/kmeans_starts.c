/*
 * kmeans_starts.c - k-means for one k: every start that the options ask for, and the best result of them.
 */
#include "core/cluster/kmeans_choice.h"
#include "core/cluster/kmeans_init.h"
#include "core/estimator/shared_options.h"

#include <string.h>

/* Writes the starting centroids to kmeans->centroids: the given ones [k x dims], or those of option "init". */
static void start_centroids(Kmeans *kmeans, const Options *options, uint64_t seed, const double *given,
                            uint64_t *evaluations)
{
    CentroidStart start = {.env = kmeans->env, .rows = kmeans->rows, .k = kmeans->k, .seed = seed};

    if (options_type(options, "trials") != 0)
        start.trials = (uint32_t)options_integer(options, "trials");
    if (given != NULL)
        memcpy(kmeans->centroids, given, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    else if (options_is(options, "init", "random"))
        centroid_start_random(&start, kmeans->centroids);
    else if (options_is(options, "init", "partition"))
        centroid_start_partition(&start, kmeans->centroids);
    else if (options_is(options, "init", "k-means||"))
        centroid_start_parallel(&start, kmeans->centroids);
    else
        centroid_start_plus_plus(&start, kmeans->centroids);
    *evaluations += start.evaluations;
}

/* Returns how many costs the history has. Batches have no inertia: only that of the end is known. */
static int64_t history_length(const Kmeans *kmeans, bool batches)
{
    return batches ? 1 : kmeans->iterations + (kmeans->recounted ? 1 : 0);
}

static KmeansResult *result_copy(const Kmeans *kmeans, bool batches)
{
    Env *env = kmeans->env;
    size_t cells = (size_t)kmeans->k * kmeans->dims;
    KmeansResult *result = env_array(env, 1, sizeof(KmeansResult));

    *result = (KmeansResult){.k = kmeans->k,
                             .dims = kmeans->dims,
                             .inertia = kmeans->inertia,
                             .total = kmeans->total,
                             .iterations = kmeans->iterations,
                             .converged = kmeans->converged,
                             .evaluations = kmeans->evaluations,
                             .assignments = history_length(kmeans, batches)};
    result->centroids = env_array(env, cells, sizeof(double));
    result->sizes = env_array(env, kmeans->k, sizeof(double));
    result->within = env_array(env, kmeans->k, sizeof(double));
    result->history = env_array(env, result->assignments, sizeof(double));
    memcpy(result->centroids, kmeans->centroids, cells * sizeof(double));
    memcpy(result->sizes, kmeans->weights, kmeans->k * sizeof(double));
    memcpy(result->within, kmeans->within, kmeans->k * sizeof(double));
    memcpy(result->history, kmeans->history, result->assignments * sizeof(double));
    for (uint32_t c = 0; c < kmeans->k; c++)
        result->empty += kmeans->weights[c] == 0;
    return result;
}

void kmeans_result_free(Env *env, KmeansResult *result)
{
    env->release(env, result->centroids);
    env->release(env, result->sizes);
    env->release(env, result->within);
    env->release(env, result->history);
    env->release(env, result);
}

KmeansResult *kmeans_best(Env *env, Rows *rows, uint32_t k, const double *given, const Options *options)
{
    Kmeans *kmeans = kmeans_open(env, rows, k, options);
    uint64_t seed = (uint64_t)options_integer(options, "seed"), evaluations = 0;
    uint32_t starts =
        options_starts(options, options_is(options, "init", "random") || options_is(options, "init", "partition"));
    KmeansResult *best = NULL;

    for (uint32_t s = 0; s < starts; s++) {
        /* restarts are seeds of their own, far from those of the next seed */
        start_centroids(kmeans, options, seed * SEED_STEP + s, given, &evaluations);
        if (options_type(options, "batch_size") != 0)
            kmeans_run_batches(kmeans, (uint64_t)options_integer(options, "batch_size"), seed + s);
        else
            kmeans_run(kmeans);
        if (best == NULL || kmeans->inertia < best->inertia) {
            if (best != NULL)
                kmeans_result_free(env, best);
            best = result_copy(kmeans, options_type(options, "batch_size") != 0);
        }
    }
    best->evaluations = kmeans->evaluations; /* of all starts */
    best->start_evaluations = evaluations;
    kmeans_close(kmeans);
    return best;
}
