/*
 * kmeans_init.h - starting centroids of k-means and mixtures: rows drawn independently of their order.
 *
 * Rows are drawn in proportion to their mass. A hash of their content puts rows into buckets; a bucket is drawn by its mass, then one
 * of its rows, in the order of the hash. Equal rows count as one with their masses added up. Rows are read block by block; ten bytes
 * per row are kept if they fit into memory.
 */
#ifndef PGFIT_KMEANS_INIT_H
#define PGFIT_KMEANS_INIT_H

#include "core/rows/rows.h"

typedef struct CentroidStart {
    Env *env;
    Rows *rows; /* numeric slots, all of them used */
    uint32_t k;
    uint64_t seed;
    uint32_t trials; /* candidates per centroid, of which the best is kept; 0: 4 + log k (greedy k-means++) */
    uint64_t evaluations; /* adds up the distances computed */
} CentroidStart;

/*
 * Chooses k rows, the first by weight, each further one by weight times squared distance to the nearest so far (Arthur &
 * Vassilvitskii 2007). centroids: [k x slots]. Returns how many are distinct: k, or fewer if the rows have fewer distinct values;
 * the others then repeat the first ones.
 */
uint32_t centroid_start_plus_plus(CentroidStart *start, double *centroids);
/* Does so from a sample that five passes over the rows collect (Bahmani et al. 2012), which saves passes if k is large. */
uint32_t centroid_start_parallel(CentroidStart *start, double *centroids);
/* Chooses k distinct rows, whatever their weight. Returns as above. */
uint32_t centroid_start_random(CentroidStart *start, double *centroids);
/* Sets the means of a random partition of the rows into k parts; a part without rows becomes a random row. Returns as above. */
uint32_t centroid_start_partition(CentroidStart *start, double *centroids);

#endif
