/*
 * kmeans_init.h - starting centroids of k-means and mixtures: rows picked independently of their order.
 *
 * A pick goes by masses: rows fall into buckets by a hash of their content, a bucket is drawn by its mass, and
 * of its rows, in order of the hash, one by the masses so far. Equal rows add up, and which of them is taken
 * makes no difference. Rows are read block by block; what is kept a row (ten bytes) only where it fits.
 */
#ifndef PGFIT_KMEANS_INIT_H
#define PGFIT_KMEANS_INIT_H

#include "core/rows/rows.h"

typedef struct CentroidStart {
    Env *env;
    Rows *rows; /* numeric slots, all of them used */
    uint32_t k;
    uint64_t seed;
    uint32_t trials; /* candidates a centroid, of which the best is kept; 0: 4 + log k (greedy k-means++) */
    uint64_t evaluations; /* distances computed, added to */
} CentroidStart;

/*
 * k rows, the first by weight, each further one by weight times squared distance to the nearest so far
 * (Arthur & Vassilvitskii 2007). centroids: [k x slots]. Returns how many are distinct: k, or fewer where the
 * rows have fewer distinct values; the rest then repeats the first ones.
 */
uint32_t centroid_start_plus_plus(CentroidStart *start, double *centroids);
/* The same from a sample that five passes over the rows collect (Bahmani et al. 2012): few passes for large k. */
uint32_t centroid_start_parallel(CentroidStart *start, double *centroids);
/* k distinct rows, whatever their weight; returns as above. */
uint32_t centroid_start_random(CentroidStart *start, double *centroids);
/* Means of a random partition of the rows into k parts; a part without rows is a random row. */
uint32_t centroid_start_partition(CentroidStart *start, double *centroids);

#endif
