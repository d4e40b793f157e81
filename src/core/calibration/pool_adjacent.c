/*
 * pool_adjacent.c - pooling adjacent violators, in one pass.
 */
#include "core/calibration/pool_adjacent.h"

#define FIRST_CAPACITY 64 /* blocks */

void pool_add(PooledBlocks *pooled, PooledBlock block)
{
    while (pooled->count > 0) {
        const PooledBlock *last = &pooled->blocks[pooled->count - 1];

        if (last->sum * block.weight < block.sum * last->weight) /* the means, exact where they are shares of counts */
            break;
        block.low = last->low;
        block.sum += last->sum;
        block.weight += last->weight;
        pooled->count--;
    }
    if (pooled->count == pooled->capacity) {
        pooled->capacity = pooled->capacity > 0 ? pooled->capacity * 2 : FIRST_CAPACITY;
        env_require_memory(pooled->env, pooled->capacity * sizeof(PooledBlock), pooled->method);
        pooled->blocks = pooled->env->resize(pooled->env, pooled->blocks, pooled->capacity * sizeof(PooledBlock));
    }
    pooled->blocks[pooled->count++] = block;
}
