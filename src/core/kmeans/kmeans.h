/*
 * kmeans.h - k-means: Lloyd's iterations, the arrays of a model, results for one k and the choice among several.
 */
#ifndef PGFIT_KMEANS_H
#define PGFIT_KMEANS_H

#include "core/distance/centroid_distance.h"
#include "core/estimator/estimator.h"
#include "core/estimator/table.h"
#include "core/rows/row_scale.h"

/* A clustering while it is fitted. */
typedef struct Kmeans {
    Env *env;
    Rows *rows;
    RowsReader *reader;
    uint64_t n;
    uint32_t k, dims;
    int64_t max_iter;
    double tolerance; /* largest sum of squared moves at the end, relative to variance; 0: until no row changes its cluster */
    double variance;  /* mean variance of a feature */

    double *centroids; /* [k x dims] */
    double *weights;   /* [k] of the rows of each cluster */
    double *sums;      /* [k x dims] of weight times (row - centroid) */
    double *within;    /* [k] sums of squared distances in the last pass */
    double inertia, total; /* sum of within; sum of squared distances to the mean of all rows */
    int64_t iterations;
    bool converged;
    bool recounted;   /* the last pass was with the final centroids and added one more number to the history */
    uint64_t evaluations; /* distances computed for assignments, without those for the start */
    bool keep_history;
    double *history; /* [max_iter + 1] inertia of each assignment, if kept */

    double *next;            /* [k x dims] centroids of the next iteration; also work space */
    double *seen;            /* [k] weight of the rows that mini-batches gave each centroid so far */
    CentroidLanes *lanes;    /* the centroids in their order */
    struct KmeansPass *pass;
    uint64_t assignment;     /* checksum of the last one */
    uint64_t cells;          /* since the last poll */
} Kmeans;

typedef enum KmeansInit { INIT_PLUS_PLUS, INIT_PARALLEL, INIT_RANDOM, INIT_PARTITION } KmeansInit;

/* What the options ask for, read once. */
typedef struct KmeansPlan {
    int64_t max_iter;
    double tolerance;
    bool keep_history;
    KmeansInit init;
    uint32_t trials;     /* 0: 4 + log k */
    uint64_t batch_size; /* 0: no mini-batches */
    uint64_t seed;
    uint32_t starts;
} KmeansPlan;

/* Returns the bytes that a clustering takes, beside its rows; SIZE_MAX: more than there can be. */
size_t kmeans_bytes(uint32_t k, uint32_t dims);
/* Returns a clustering of rows as it is planned. Fails with ERROR_LIMIT if it exceeds the memory budget. */
Kmeans *kmeans_open(Env *env, Rows *rows, uint32_t k, const KmeansPlan *plan);
/* Releases it, because a range of k or the gap statistic opens many. */
void kmeans_close(Kmeans *kmeans);
/* Iterates from the current centroids until it converges or reaches max_iter. */
void kmeans_run(Kmeans *kmeans);
/* Runs mini-batches of about `size` rows (Sculley 2010), then one pass over all rows. */
void kmeans_run_batches(Kmeans *kmeans, uint64_t size, uint64_t seed);

/* The arrays of a checked model or state; NULL for those it does not have. */
typedef struct KmeansModel {
    uint32_t k, dims;
    const double *centroids, *sizes, *within;              /* [k x dims], [k], [k] */
    const double *sum_weights, *sum_moments, *sum_squares; /* [k], [k x dims], [k]: of states */
    RowScale scale; /* of standardized rows; else of 0 columns */
} KmeansModel;
KmeansModel kmeans_view(const Model *model);

/* ---- results for one k, and the choice among several ---- */

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

extern const Estimator estimator_kmeans;

#endif
