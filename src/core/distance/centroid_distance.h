/*
 * centroid_distance.h - squared distances from rows to many centroids, the nearest centroid, and bounds that tell which rows
 * need no distances at all. For k-means, its initialization, and other methods with centroids.
 */
#ifndef PGFIT_CENTROID_DISTANCE_H
#define PGFIT_CENTROID_DISTANCE_H

#include "core/base/env.h"

#define CENTROID_LANES 8
#define CENTROID_NONE UINT32_MAX

/* Centroids laid out for vectors: [blocks] of [dims x 8]; lanes behind the last centroid hold infinity. */
typedef struct CentroidLanes {
    uint32_t count, dims, blocks;
    size_t stride; /* of a block, in doubles */
    double *data;
} CentroidLanes;

/* Returns the memory of lanes in bytes, SIZE_MAX if that overflows. */
size_t centroid_lanes_bytes(uint32_t count, uint32_t dims);
CentroidLanes *centroid_lanes_new(Env *env, uint32_t count, uint32_t dims);
void centroid_lanes_free(Env *env, CentroidLanes *lanes);
/* Copies centroids in. order: the centroid of each of the blocks x 8 lanes, or CENTROID_NONE; NULL: in their own order. */
void centroid_lanes_set(CentroidLanes *lanes, const double *centroids, const uint32_t *order);

/* Writes the squared distances to all, out [blocks x 8]. Their bits do not depend on the machine. */
void centroid_distances(const CentroidLanes *lanes, const double *row, double *out);
/* Writes those of one block, out [8]. */
void centroid_block_distances(const CentroidLanes *lanes, uint32_t block, const double *row, double *out);
/* Returns the nearest centroid, the first of equals; lanes must be in their own order (order NULL). */
uint32_t centroid_nearest(const CentroidLanes *lanes, const double *row, double *square);
/* The same for many rows. */
void centroid_nearest_rows(const CentroidLanes *lanes, const double *rows, uint32_t count, uint32_t *nearest,
                           double *squares);
/*
 * Finds the nearest and the second nearest centroid of `count` blocks from `first` on. Among ties the one with the
 * smallest number wins. numbers: one per lane, INT64_MAX if it has no centroid.
 */
typedef struct CentroidPair {
    uint32_t nearest;
    double first, second;
} CentroidPair;
void centroid_two_nearest(const CentroidLanes *lanes, uint32_t first, uint32_t count, const int64_t *numbers,
                          const double *row, CentroidPair *pair);
/* Returns the squared distance between two points; its bits do not depend on the machine. */
double centroid_square(const double *a, const double *b, uint32_t dims);
/* Writes the squared distances [count] of rows to their own centroids: of all rows, or of those whose numbers are in picks. */
void centroid_picked_squares(const double *rows, const uint32_t *picks, uint32_t count, uint32_t dims,
                             const uint32_t *nearest, const double *centroids, double *squares);
/* Adds weight x (row - its centroid) to sums, [centroids x dims], and weights (NULL: 1) to totals, in order. */
void centroid_add_rows(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                       const double *weights, const double *centroids, double *sums, double *totals);

/*
 * Bounds on distances, kept as floats relative to how far centroids have moved in total, so that a row that stays with its
 * centroid is only read: upper + moved[assigned] is at least the distance to its centroid, lower - drift at most that to any
 * other centroid of the group, half at most half the distance to the nearest other centroid.
 */
typedef struct CentroidBounds {
    uint32_t groups;    /* a multiple of 8 */
    const float *drift; /* [groups], rounded up */
    const float *moved; /* [count], rounded up */
    const float *half;  /* [count], rounded down */
} CentroidBounds;

#define BOUND_SLACK (1 + 0x1p-20f) /* more than the rounding of the comparisons */

/* Writes to open [count] the rows whose nearest centroid does not follow from the bounds. Returns their number. */
uint32_t centroid_open_rows(const CentroidBounds *bounds, const float *lower, const float *upper,
                            const uint32_t *assigned, uint32_t count, uint32_t *open);
/* Round a bound to float, up or down. */
float bound_up(double value);
float bound_down(double value);

#endif
