/*
 * kmeans_init.h - starting centroids of k-means and mixtures: random rows, chosen independently of their order.
 *
 * Rows are drawn with probabilities proportional to their mass. A hash of their content distributes them over buckets. A bucket is
 * drawn by its mass, then one of its rows, in the order of the hash. Equal rows count as one row with the sum of their masses. Rows
 * are read block by block; ten bytes per row are kept if they fit into memory.
 */
#ifndef PGFIT_KMEANS_INIT_H
#define PGFIT_KMEANS_INIT_H

#include "core/rows/rows.h"

typedef struct CentroidStart {
    Env *env;
    Rows *rows; /* with numeric slots only */
    uint32_t k;
    uint64_t seed;
    uint32_t trials; /* candidates per centroid, of which the best is kept; 0: 4 + log k (greedy k-means++) */
    uint64_t evaluations; /* distances computed so far */
    uint16_t **buckets; /* where those of the rows stay for the next start; NULL: they do not */
} CentroidStart;

/*
 * Chooses k rows at random: the first by weight, each further one by weight times the squared distance to the nearest one chosen so
 * far (Arthur & Vassilvitskii 2007). Writes them to centroids, [k x slots]. Returns how many are distinct: k, or fewer if the rows
 * have fewer distinct values; the others then repeat the first ones.
 */
uint32_t centroid_start_plus_plus(CentroidStart *start, double *centroids);
/* Does the same within a sample that five passes over the rows collect (Bahmani et al. 2012), which saves passes if k is large. */
uint32_t centroid_start_parallel(CentroidStart *start, double *centroids);
/* Chooses k distinct rows with equal probabilities. Returns as above. */
uint32_t centroid_start_random(CentroidStart *start, double *centroids);
/* Writes the means of a random partition of the rows into k parts; a part without rows gets a random row. Returns as above. */
uint32_t centroid_start_partition(CentroidStart *start, double *centroids);

#endif
