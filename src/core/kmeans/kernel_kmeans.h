/*
 * kernel_kmeans.h - k-means in the feature space of a kernel, computed from kernel values alone.
 */
#ifndef PGFIT_KERNEL_KMEANS_H
#define PGFIT_KERNEL_KMEANS_H

#include "core/kernel/kernel.h"

/* A partition of n rows into k clusters while it is fitted. */
typedef struct KernelPartition {
    Env *env;
    Kernel kernel;
    bool average; /* assigns rows to the cluster with the least mean distance to its rows, not with the nearest mean */
    uint64_t n;
    uint32_t k, dims;
    const double *rows;    /* [n x dims] */
    const double *weights; /* [n] or NULL */
    double *self;          /* [n] k(x, x) */
    uint32_t *clusters;    /* [n] */
    double *sums;          /* [n x k] of weight times kernel value (average: distance) over the rows of each cluster */
    double *sizes;         /* [k] weights */
    double *offsets;       /* [k] mean kernel value of the pairs of rows of each cluster */
    double inertia;        /* sum of squared distances to the clusters' means */
    int64_t iterations;
    bool converged;
    uint32_t empty;        /* clusters without rows */
    int64_t evaluations;   /* kernel values computed */
    double *squares;       /* [n] squared distance to the nearest row chosen so far, by kernel_partition_plus_plus */
    double *values;        /* [n] kernel values of one row with all */
    double *block;         /* [BLOCK_ROWS x BLOCK_COLUMNS] kernel values */
    double *counted_sizes; /* [k] weights, while clusters without rows are refilled */
} KernelPartition;

/* Returns a partition without starting clusters. Fails with ERROR_RANGE if k(x, x) of a row is not finite. */
KernelPartition *kernel_partition_new(Env *env, const Kernel *kernel, const double *rows, const double *weights, uint64_t n,
                                      uint32_t dims, uint32_t k);
/* Set the starting clusters: around k rows chosen by squared distance (k-means++), or at random. */
void kernel_partition_plus_plus(KernelPartition *partition, uint64_t seed);
void kernel_partition_random(KernelPartition *partition, uint64_t seed);
/* Reassigns rows until none changes its cluster, at most max_iter times, and sets the inertia. */
void kernel_partition_run(KernelPartition *partition, int64_t max_iter);

#endif
