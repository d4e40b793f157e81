/*
 * kmeans_choice.c - chooses the number of clusters by a criterion.
 */
#include "core/kmeans/kmeans_choice.h"
#include "core/metrics/cluster_metrics.h"

#include <math.h>
#include <string.h>

/* Returns the value of the criterion; infinity if clusters of several rows have no scatter, 0 with as many clusters as rows. */
static double criterion_of(Env *env, Rows *rows, const KmeansResult *result, const Options *options)
{
    Clusters clusters = {result->k, result->dims, result->centroids, result->sizes, result->within};
    double value;

    if (options_is(options, "select", "silhouette"))
        value = silhouettes_by_centroids(env, rows, &clusters, true, NULL);
    else
        value = variance_ratio(result->total - result->inertia, result->inertia, result->k,
                               model_counted_rows(rows_schema(rows)));
    if (isfinite(value))
        return value;
    return result->inertia == 0 && result->k < rows_count(rows) ? INFINITY : 0;
}

/* Tells whether the gap of position i is within a standard error of the next one's. */
static bool gap_suffices(const KmeansChoice *choice, uint32_t i)
{
    return choice->gap[i] >= choice->gap[i + 1] - choice->error[i + 1];
}

/* Returns the position of the first k whose gap is within a standard error of the next one's, or of the last k. */
static uint32_t first_gap(const KmeansChoice *choice)
{
    for (uint32_t i = 0; i + 1 < choice->count; i++)
        if (gap_suffices(choice, i))
            return i;
    return choice->count - 1;
}

/* Returns the position of the largest criterion, the first of equal ones; k = 1 has none. */
static uint32_t largest_criterion(const KmeansChoice *choice)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->criterion[i] > choice->criterion[best] || isnan(choice->criterion[best]))
            best = i;
    return best;
}

/*
 * Tells whether one cluster suffices: neither two nor the best number of them have a clearly larger gap. Two alone do not tell,
 * because many clusters in all directions do not fall into two halves. The best number was chosen by its criterion, so it must pass a
 * higher bar.
 */
static bool one_suffices(const KmeansChoice *choice, uint32_t best)
{
    return gap_suffices(choice, 0) && choice->gap[0] >= choice->gap[best] - 2 * choice->error[best];
}

/* Fits each k of the range, and sets what is known of it without references. Returns the results, [count]. */
static KmeansResult **fit_range(Env *env, Rows *rows, KmeansRange range, const Options *options, KmeansChoice *choice)
{
    uint32_t count = range.high - range.low + 1;
    bool gap = options_is(options, "select", "gap");
    KmeansResult **results = env_array(env, count, sizeof(*results));

    choice->k = env_array(env, count, sizeof(double));
    choice->inertia = env_array(env, count, sizeof(double));
    choice->criterion = env_array(env, count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        KmeansResult *result = results[i] = kmeans_best(env, rows, range.low + i, NULL, options);
        uint32_t distinct = result->k - result->empty;

        if (range.distinct && result->empty > 0 && result->converged) {
            if (range.strict)
                env_fail(env, ERROR_DATA, "Lower \"max_k\".", "\"max_k\" is %u, but the rows have only %u distinct value%s", range.high,
                         distinct, distinct == 1 ? "" : "s");
            break;
        }
        choice->k[i] = range.low + i;
        choice->inertia[i] = result->inertia;
        choice->criterion[i] = gap || result->k == 1 ? NAN : criterion_of(env, rows, result, options);
        choice->count = i + 1;
    }
    return results;
}

KmeansResult *kmeans_choose(Env *env, Rows *rows, KmeansRange range, const Options *options, KmeansChoice *choice)
{
    KmeansResult **results = fit_range(env, rows, range, options, choice);
    bool gap = options_is(options, "select", "gap");

    if (gap && choice->inertia[0] > 0) {
        kmeans_gaps(env, rows, range.low, choice->count, 0, options, choice);
        choice->criterion = choice->gap;
        choice->chosen = first_gap(choice);
    } else if (!gap) {
        uint32_t best = largest_criterion(choice);
        bool one = range.low == 1 && (choice->count == 1 || choice->inertia[0] == 0);

        if (range.low == 1 && !one) {
            kmeans_gaps(env, rows, range.low, 2, best, options, choice);
            one = one_suffices(choice, best);
        }
        choice->chosen = one ? 0 : best;
    }
    return results[choice->chosen];
}
