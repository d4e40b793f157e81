/*
 * kmeans_choice.h - results of k-means for one k, and the choice among several.
 */
#ifndef PGFIT_KMEANS_CHOICE_H
#define PGFIT_KMEANS_CHOICE_H

#include "core/cluster/kmeans.h"

/* The best result for one k. */
typedef struct KmeansResult {
    uint32_t k, dims, empty;
    double *centroids, *sizes, *within, *history;
    double inertia, total;
    int64_t iterations, assignments; /* assignments: numbers in history; 0: no history */
    bool converged;
    uint64_t evaluations, start_evaluations;
} KmeansResult;

/* Returns the result with the least inertia of all starts. given: the centroids to start from, [k x dims], or NULL. */
KmeansResult *kmeans_best(Env *env, Rows *rows, uint32_t k, const double *given, const Options *options);
void kmeans_result_free(Env *env, KmeansResult *result);

/* The values of k that were tried, [count] each; error only for the gap statistic, else NULL. */
typedef struct KmeansChoice {
    uint32_t count;
    double *k, *criterion, *error;
} KmeansChoice;

/*
 * Returns the result for the best k from low to high by option "criterion": the largest mean silhouette or Calinski-Harabasz index,
 * or the smallest k whose gap is within a standard error of the next one's (Tibshirani et al. 2001).
 */
KmeansResult *kmeans_choose(Env *env, Rows *rows, uint32_t low, uint32_t high, const Options *options,
                            KmeansChoice *choice);

#endif
