/*
 * kmeans.h - k-means: Lloyd's iterations and the arrays of a model, for the estimator, its choice of k and its step.
 */
#ifndef PGFIT_KMEANS_H
#define PGFIT_KMEANS_H

#include "core/distance/centroid_distance.h"
#include "core/estimator/estimator.h"
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
    uint32_t *block_nearest; /* [block_room] cluster of each row of a block */
    double *block_squares;   /* [block_room] their squared distances */
    uint32_t block_room;
    uint64_t cells;          /* since the last poll */
} Kmeans;

#define KMEANS_POLL_CELLS 4000000u /* numbers of rows times centroids between two polls */

/* Polls if this many more cells make it time to. */
static inline void kmeans_poll(Kmeans *kmeans, uint64_t cells)
{
    kmeans->cells += cells;
    if (kmeans->cells > KMEANS_POLL_CELLS) {
        kmeans->cells = 0;
        kmeans->env->poll(kmeans->env);
    }
}

/* Returns a clustering of rows as the options ask for it. Fails with ERROR_LIMIT if it exceeds the memory budget. */
Kmeans *kmeans_open(Env *env, Rows *rows, uint32_t k, const Options *options);
/* Releases it, because a range of k or the gap statistic opens many. */
void kmeans_close(Kmeans *kmeans);
/* Iterates from the current centroids until it converges or reaches max_iter. */
void kmeans_run(Kmeans *kmeans);
/* Runs mini-batches of about `size` rows (Sculley 2010), then one pass over all rows. */
void kmeans_run_batches(Kmeans *kmeans, uint64_t size, uint64_t seed);
/* Assigns all rows and sets weights, sums, within and inertia. Returns a checksum of the assignment. */
uint64_t kmeans_pass(Kmeans *kmeans);
/* Returns the sum of squares about the mean of all rows, from the sums of the last pass. */
double kmeans_total_scatter(const Kmeans *kmeans);

/* The arrays of a checked model or state; NULL for those it does not have. */
typedef struct KmeansModel {
    uint32_t k, dims;
    const double *centroids, *sizes, *within;              /* [k x dims], [k], [k] */
    const double *sum_weights, *sum_moments, *sum_squares; /* [k], [k x dims], [k]: of states */
    RowScale scale; /* of standardized rows; else of 0 columns */
} KmeansModel;
KmeansModel kmeans_view(const Model *model);
/* Returns the summary of a checked model: a table of its centroids, and how the fit went. */
char *kmeans_report(Env *env, const Model *model, const KmeansModel *view);

extern const Estimator estimator_kmeans;

#endif
