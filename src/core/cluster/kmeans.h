/*
 * kmeans.h - k-means: Lloyd's iterations, bounds, and the arrays of a model; shared by the estimator, its choice of k and its step.
 */
#ifndef PGFIT_KMEANS_H
#define PGFIT_KMEANS_H

#include "core/distance/centroid_distance.h"
#include "core/estimator/estimator.h"

typedef enum KmeansAlgorithm {
    KMEANS_AUTO,   /* bounds if they pay and there is memory for them */
    KMEANS_LLOYD,  /* all distances in each pass */
    KMEANS_HAMERLY /* one lower bound per row (Hamerly 2010) */,
    KMEANS_YINYANG /* one per row and group of centroids (Ding et al. 2015) */
} KmeansAlgorithm;

/* A clustering while it is fitted. */
typedef struct Kmeans {
    Env *env;
    Rows *rows;
    RowsReader *reader;
    uint64_t n;
    uint32_t k, dims;
    KmeansAlgorithm algorithm;
    int64_t max_iter;
    double tolerance; /* for the sum of squared moves, relative to spread; 0: until no row changes its cluster */
    double spread;    /* mean variance of a feature */

    double *centroids; /* [k x dims] */
    double *weights;   /* [k] of the rows of each */
    double *sums;      /* [k x dims] of weight times (row - centroid) */
    double *within;    /* [k] sums of squared distances, of the last pass */
    double inertia, total; /* sum of within; sum of squared distances to the mean of all */
    int64_t iterations;
    bool converged;
    bool recounted;   /* a last pass with the final centroids added one more number to the history */
    uint64_t evaluations; /* distances computed for assignments, not counting those of the start */
    bool keep_history;
    double *history; /* [max_iter + 1] inertia of each assignment, if kept */

    double *next;            /* [k x dims] centroids of the next iteration, and work space */
    double *moves;           /* [k] how far each centroid moved */
    CentroidLanes *lanes;    /* in the centroids' own order */
    uint32_t *assigned;      /* [n] or NULL */
    struct KmeansBounds *bounds; /* or NULL */
    uint32_t *block_nearest; /* [block_room] of a block of rows */
    double *block_squares;   /* [block_room] */
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
/* Frees it: a range of k or the gap statistic opens many. */
void kmeans_close(Kmeans *kmeans);
/* Iterates from the current centroids to the end. */
void kmeans_run(Kmeans *kmeans);
/* Takes mini-batches of about `size` rows (Sculley 2010), then one pass over all rows. */
void kmeans_run_batches(Kmeans *kmeans, uint64_t size, uint64_t seed);
/* Assigns all rows and sets weights and sums, and with `squares` within and inertia. Returns a checksum of the assignment. */
uint64_t kmeans_pass(Kmeans *kmeans, bool first, bool squares);
/* Returns the sum of squares about the mean of all rows, from the sums of the last pass. */
double kmeans_total_scatter(const Kmeans *kmeans);

/* ---- bounds (kmeans_bounds.c) ---- */

typedef struct KmeansBounds KmeansBounds;
/* Returns bounds, or NULL if they do not pay or do not fit into memory. */
KmeansBounds *kmeans_bounds_new(Kmeans *kmeans);
void kmeans_bounds_free(Kmeans *kmeans);
/* Groups the centroids and forgets the bounds of all rows. */
void kmeans_bounds_start(Kmeans *kmeans);
/* Loosens the bounds by the moves of the centroids since the last pass. */
void kmeans_bounds_moved(Kmeans *kmeans);
/* Assigns the rows of a block, in kmeans->assigned. first: no row has bounds yet. */
void kmeans_bounds_assign(Kmeans *kmeans, const RowsBlock *block, bool first);

/* The arrays of a checked model or state; NULL for those it does not have. */
typedef struct KmeansModel {
    uint32_t k, dims;
    const double *centroids, *sizes, *within;              /* [k x dims], [k], [k] */
    const double *sum_weights, *sum_moments, *sum_squares; /* [k], [k x dims], [k]: of states */
} KmeansModel;
KmeansModel kmeans_view(const Model *model);

extern const Estimator estimator_kmeans;

#endif
