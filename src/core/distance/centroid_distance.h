/*
 * centroid_distance.h - squared distances from rows to many centroids, and the nearest centroid. For k-means, its initialization, and other methods with centroids.
 */
#ifndef PGFIT_CENTROID_DISTANCE_H
#define PGFIT_CENTROID_DISTANCE_H

#include "core/base/env.h"

#define CENTROID_LANES 8

/* Centroids laid out for vectors: [blocks] of [dims x 8]; lanes behind the last centroid hold infinity. */
typedef struct CentroidLanes {
    uint32_t count, dims, blocks;
    size_t stride; /* of a block, in doubles */
    double *data;
    double *halves; /* [blocks x 8] half the squared lengths */
    double longest; /* squared length */
} CentroidLanes;

/* Returns the memory of lanes in bytes, SIZE_MAX if that overflows. */
size_t centroid_lanes_bytes(uint32_t count, uint32_t dims);
CentroidLanes *centroid_lanes_new(Env *env, uint32_t count, uint32_t dims);
void centroid_lanes_free(Env *env, CentroidLanes *lanes);
/* Copies centroids in. */
void centroid_lanes_set(CentroidLanes *lanes, const double *centroids);

/* Writes the squared distances to all, out [blocks x 8]. Their bits do not depend on the machine. */
void centroid_distances(const CentroidLanes *lanes, const double *row, double *out);
/* Writes those of one block, out [8]. */
void centroid_block_distances(const CentroidLanes *lanes, uint32_t block, const double *row, double *out);
/* Returns the nearest centroid, the first of equals. */
uint32_t centroid_nearest(const CentroidLanes *lanes, const double *row, double *square);
/* The same for many rows. centroids: those of the lanes, [count x dims]. */
void centroid_nearest_rows(const CentroidLanes *lanes, const double *centroids, const double *rows, uint32_t count, uint32_t *nearest,
                           double *squares);
/*
 * Adds weight (NULL: 1) x what each centroid takes off a row's square where its own squared distance is less to taken, [centroids x 8], the sums of which over
 * the eight lanes are the result. Their bits do not depend on the machine.
 */
void centroid_take_rows(const CentroidLanes *lanes, const double *rows, uint32_t count, const double *squares, const double *weights, double *taken);
/* Returns the squared distance between two points; its bits do not depend on the machine. */
double centroid_square(const double *a, const double *b, uint32_t dims);
/* Adds weight x (row - its centroid) to sums, [centroids x dims], and weights (NULL: 1) to totals, in order. */
void centroid_add_rows(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                       const double *weights, const double *centroids, double *sums, double *totals);

#endif
