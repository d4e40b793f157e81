/*
 * kmeans_choice.h - results of k-means for one k, and the choice among several.
 */
#ifndef PGFIT_KMEANS_CHOICE_H
#define PGFIT_KMEANS_CHOICE_H

#include "core/estimator/table.h"
#include "core/kmeans/kmeans.h"

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

/* The values of k that were tried, [count] each. NaN: there is no such number for this k. */
typedef struct KmeansChoice {
    uint32_t count, chosen; /* chosen: the position of the best k */
    double *k, *inertia, *criterion;
    double *gap, *error; /* gap statistics and their standard errors, where they were asked for; else NULL */
} KmeansChoice;

/* The table of a choice of k. */
extern const Table elbow_table;

/* The values of k to choose from. */
typedef struct KmeansRange {
    uint32_t low, high;
    bool distinct; /* end at the number of distinct values */
    bool strict;   /* fail if there are fewer than high */
} KmeansRange;

/*
 * Returns the result for the best k of a range by option "select": the largest mean silhouette or Calinski-Harabasz index,
 * or the smallest k whose gap is within a standard error of the next one's (Tibshirani et al. 2001). The former two have no value for
 * one cluster: where the range includes 1, the gaps of 1, 2 and the best other k decide between 1 and more.
 */
KmeansResult *kmeans_choose(Env *env, Rows *rows, KmeansRange range, const Options *options, KmeansChoice *choice);
/*
 * Sets choice->gap and choice->error for the first `first` values of k, which begin with low, and for position `last`. choice->inertia
 * is set.
 */
void kmeans_gaps(Env *env, Rows *rows, uint32_t low, uint32_t first, uint32_t last, const Options *options, KmeansChoice *choice);

#endif
