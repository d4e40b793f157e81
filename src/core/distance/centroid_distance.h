/*
 * centroid_distance.h - rows against many centroids: squared distances, the nearest, and bounds that tell which
 * rows need no distance at all. For k-means, its starts, and whoever else has centroids.
 */
#ifndef PGFIT_CENTROID_DISTANCE_H
#define PGFIT_CENTROID_DISTANCE_H

#include "core/base/env.h"

#define CENTROID_LANES 8
#define CENTROID_NONE UINT32_MAX

/* Centroids laid out for vectors: [blocks] of [dims x 8], places behind the last filled with infinity. */
typedef struct CentroidLanes {
    uint32_t count, dims, blocks;
    size_t stride; /* of a block, in doubles */
    double *data;
} CentroidLanes;

/* Bytes that lanes take, saturated. */
size_t centroid_lanes_bytes(uint32_t count, uint32_t dims);
CentroidLanes *centroid_lanes_new(Env *env, uint32_t count, uint32_t dims);
void centroid_lanes_free(Env *env, CentroidLanes *lanes);
/* order: the centroid of each of the blocks x 8 places, or CENTROID_NONE; NULL: in their own order. */
void centroid_lanes_set(CentroidLanes *lanes, const double *centroids, const uint32_t *order);

/* Squared distances to all, out: [blocks x 8]. Bits do not depend on the machine. */
void centroid_distances(const CentroidLanes *lanes, const double *row, double *out);
/* One block's, out: [8]. */
void centroid_block_distances(const CentroidLanes *lanes, uint32_t block, const double *row, double *out);
/* The nearest, the first of equals, of lanes in their own order. */
uint32_t centroid_nearest(const CentroidLanes *lanes, const double *row, double *square);
void centroid_nearest_rows(const CentroidLanes *lanes, const double *rows, uint32_t count, uint32_t *nearest,
                           double *squares);
/* Of `count` blocks from `first` on: the nearest centroid, the least number of equals, and the squares of it and of
 * the next. numbers: a centroid's a place, INT64_MAX where there is none, 64-byte aligned or not. */
typedef struct CentroidPair {
    uint32_t nearest;
    double first, second;
} CentroidPair;
void centroid_two_nearest(const CentroidLanes *lanes, uint32_t first, uint32_t count, const int64_t *numbers,
                          const double *row, CentroidPair *pair);
double centroid_square(const double *a, const double *b, uint32_t dims);
/* Of each row, or of those whose numbers are in picks, to its own centroid. squares: [count] */
void centroid_picked_squares(const double *rows, const uint32_t *picks, uint32_t count, uint32_t dims,
                             const uint32_t *nearest, const double *centroids, double *squares);
/* Adds weight times (row - its centroid) to sums, [.. x dims], and weights (NULL: 1) to totals, in order. */
void centroid_add_rows(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                       const double *weights, const double *centroids, double *sums, double *totals);

/*
 * Bounds on distances, kept as floats relative to how far centroids have moved in all, so that a row that
 * stays is read only: upper + moved[assigned] is no less than the distance to its centroid, lower - drift
 * no more than that to any other of the group, half no more than half the way to the nearest other centroid.
 */
typedef struct CentroidBounds {
    uint32_t groups;    /* a multiple of 8 */
    const float *drift; /* [groups], rounded up */
    const float *moved; /* [count], rounded up */
    const float *half;  /* [count], rounded down */
} CentroidBounds;

#define BOUND_SLACK (1 + 0x1p-20f) /* more than the rounding of the comparisons */

/* Rows whose nearest centroid the bounds do not settle: their numbers in open, [count]; returns how many. */
uint32_t centroid_open_rows(const CentroidBounds *bounds, const float *lower, const float *upper,
                            const uint32_t *assigned, uint32_t count, uint32_t *open);
/* A bound as it is kept. */
float bound_up(double value);
float bound_down(double value);

#endif
