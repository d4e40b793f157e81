/*
 * kernel_kmeans.h - k-means in the space of a kernel, over the rows' kernel values alone.
 */
#ifndef PGFIT_KERNEL_KMEANS_H
#define PGFIT_KERNEL_KMEANS_H

#include "core/distance/kernel.h"

/* A partition in the making. */
typedef struct KernelPartition {
    Env *env;
    Kernel kernel;
    bool average; /* rows go by their mean distance to a cluster's rows, not by the distance to its mean */
    uint64_t n;
    uint32_t k, dims;
    const double *rows;    /* [n x dims] */
    const double *weights; /* [n] or NULL */
    double *self;          /* [n] k(x, x) */
    uint32_t *clusters;    /* [n] */
    double *sums;          /* [n x k] of weight times kernel value (average: distance) to each cluster's rows */
    double *sizes;         /* [k] weights */
    double *offsets;       /* [k] mean of the kernel values of a cluster's pairs of rows */
    double inertia;        /* sum of squared distances to the clusters' means */
    int64_t iterations;
    bool converged;
    uint32_t empty;
    int64_t evaluations;   /* kernel values */
    double *squares;       /* [n] while clusters are started: squared distance to the nearest row chosen */
    double *values;        /* [n] kernel values of one row with all */
    double *block;         /* [BLOCK_ROWS x BLOCK_COLUMNS] kernel values */
    double *counted;       /* [k] weights, while clusters without rows are refilled */
} KernelPartition;

KernelPartition *kernel_partition_new(Env *env, const Kernel *kernel, const double *rows, const double *weights, uint64_t n,
                                      uint32_t dims, uint32_t k);
/* Starts: the nearest of k rows chosen by squared distance (k-means++), or clusters at random. */
void kernel_partition_spread(KernelPartition *partition, uint64_t seed);
void kernel_partition_random(KernelPartition *partition, uint64_t seed);
/* Until no row changes its cluster, at most so many times; then inertia. */
void kernel_partition_run(KernelPartition *partition, int64_t max_iter);

#endif
