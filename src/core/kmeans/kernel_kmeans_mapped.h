/*
 * kernel_kmeans_mapped.h - kernel k-means on features that approximate the kernel, for rows that are too many to compare.
 */
#ifndef PGFIT_KERNEL_KMEANS_MAPPED_H
#define PGFIT_KERNEL_KMEANS_MAPPED_H

#include "core/kernel_methods/mapped_rows.h"

/* A partition of the rows of a map into k clusters while it is fitted. */
typedef struct MappedPartition {
    Env *env;
    FeatureMap *map;
    MappedRows *rows;
    uint64_t n;
    uint32_t k;
    uint32_t *clusters;  /* [n] */
    double *means;       /* [k x features] of the clusters, as last summed */
    double *sizes;       /* [k] weights */
    double inertia;      /* sum of squared distances to the means, in the kernel's feature space */
    int64_t iterations, evaluations;
    bool converged;
    uint32_t empty;      /* clusters without rows */
    double *sums;        /* [features x k] */
    double *products;    /* [k x MAP_TILE] */
    double *squares;     /* [k] of the means; infinite: no rows */
    double *row_squares; /* [n] squared distances while a start is chosen */
    double self;         /* mean of k(x, x) */
    double *point;       /* [terms] */
    uint64_t farthest_row; /* from its mean in the last pass, with its squared distance */
    double farthest_square;
} MappedPartition;

/* Returns a partition without starting clusters. Fails with ERROR_LIMIT past the budget. */
MappedPartition *mapped_partition(FeatureMap *map, uint32_t k);
/* Set the starting clusters: around k rows chosen by squared distance (k-means++), or at random. */
void mapped_partition_plus_plus(MappedPartition *partition, uint64_t seed);
void mapped_partition_random(MappedPartition *partition, uint64_t seed);
/* Reassigns rows until none changes its cluster, at most max_iter times, and sets the inertia. */
void mapped_partition_run(MappedPartition *partition, int64_t max_iter);

#endif
