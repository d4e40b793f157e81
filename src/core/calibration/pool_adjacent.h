/*
 * pool_adjacent.h - the rising step function nearest to weighted numbers, by pooling adjacent violators (Ayer et al. 1955).
 */
#ifndef PGFIT_POOL_ADJACENT_H
#define PGFIT_POOL_ADJACENT_H

#include "core/base/env.h"

/* Neighboring rows that share a value, the mean sum / weight. */
typedef struct PooledBlock {
    double low, high; /* what the rows are sorted by */
    double sum, weight; /* of weight times number, and of weights */
} PooledBlock;

typedef struct PooledBlocks {
    Env *env;
    const char *method;
    PooledBlock *blocks;
    uint64_t count, capacity;
} PooledBlocks;

/* Adds rows, in rising order of what they are sorted by, merged with the blocks before them whose mean is not smaller. */
void pool_add(PooledBlocks *pooled, PooledBlock block);

#endif
