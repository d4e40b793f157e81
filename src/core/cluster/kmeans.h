/*
 * kmeans.h - Lloyd's iterations: what the estimator, its choice of k and its step share.
 */
#ifndef PGFIT_KMEANS_H
#define PGFIT_KMEANS_H

#include "core/distance/centroid_distance.h"
#include "core/estimator/estimator.h"

typedef enum KmeansAlgorithm {
    KMEANS_AUTO,   /* bounds where there is room for them */
    KMEANS_LLOYD,  /* every distance, every time */
    KMEANS_HAMERLY /* one bound a row (Hamerly 2010) */,
    KMEANS_YINYANG /* one bound a row and group of centroids (Ding et al. 2015) */
} KmeansAlgorithm;

/* A clustering in the making. Centroids, sums and within are [k x dims] and [k]. */
typedef struct Kmeans {
    Env *env;
    Rows *rows;
    RowsReader *reader;
    uint64_t n;
    uint32_t k, dims;
    KmeansAlgorithm algorithm;
    int64_t max_iter;
    double tolerance; /* of the sum of squared moves, relative to the mean variance of a feature; 0: until nothing changes */
    double spread;    /* that variance; set by kmeans_open */

    double *centroids;
    double *weights;  /* of the rows of each */
    double *sums;     /* of weight times (row - centroid) */
    double *within;   /* sums of squared distances, of the last pass */
    double inertia, total; /* their sum; the sum of squared distances to the mean of all */
    int64_t iterations;
    bool converged;
    bool recounted;   /* history has one more number than iterations: of the final centroids */
    uint64_t evaluations; /* distances computed for assignments, without those of the start */
    bool keep_history;
    double *history; /* [max_iter + 1] inertia of each assignment, if kept */

    double *next;            /* [k x dims] centroids of the next iteration, and work space */
    double *moves;           /* [k] how far each centroid moved */
    CentroidLanes *lanes;    /* in the centroids' own order */
    uint32_t *assigned;      /* [n] or NULL */
    struct KmeansBounds *bounds; /* or NULL */
    uint32_t *block_nearest; /* of a block of rows */
    double *block_squares;
    uint32_t block_room;
    uint64_t cells; /* since the last poll */
} Kmeans;

/* Rows, sizes and algorithm from the options; fails where the memory is not enough. */
Kmeans *kmeans_open(Env *env, Rows *rows, uint32_t k, const Options *options);
void kmeans_close(Kmeans *kmeans);
/* From the centroids as they stand to the end. */
void kmeans_run(Kmeans *kmeans);
/* The same by steps of about `size` rows (Sculley 2010), then one pass over all: kmeans_batches.c. */
void kmeans_run_batches(Kmeans *kmeans, uint64_t size, uint64_t seed);
/* Assigns all rows and sums them up: weights, sums, and with squares within and inertia. Returns a checksum of the assignment. */
uint64_t kmeans_pass(Kmeans *kmeans, bool first, bool squares);
/* The sum of squares about the mean of all, from the last pass. */
double kmeans_total_scatter(const Kmeans *kmeans);

/* ---- bounds (kmeans_bounds.c) ---- */

typedef struct KmeansBounds KmeansBounds;
/* NULL where there is no room for them. */
KmeansBounds *kmeans_bounds_new(Kmeans *kmeans);
void kmeans_bounds_free(Kmeans *kmeans);
/* Groups the centroids; nothing is known of any row. */
void kmeans_bounds_start(Kmeans *kmeans);
/* Loosens the bounds by the moves of the centroids since the last pass. */
void kmeans_bounds_moved(Kmeans *kmeans);
/* Assigns the rows of a block: kmeans->assigned. */
void kmeans_bounds_assign(Kmeans *kmeans, const RowsBlock *block, bool first);

/* The arrays of a checked model or state; NULL where it has none. */
typedef struct KmeansModel {
    uint32_t k, dims;
    const double *centroids, *sizes, *within;              /* [k x dims], [k], [k] */
    const double *sum_weights, *sum_moments, *sum_squares; /* [k], [k x dims], [k]: of states */
} KmeansModel;
KmeansModel kmeans_view(const Model *model);

extern const Estimator estimator_kmeans;

#endif
