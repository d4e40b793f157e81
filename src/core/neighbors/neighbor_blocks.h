/*
 * neighbor_blocks.h - the nearest rows of each row of an index, block by block: work that processes share.
 *
 * On two busy processors, seconds with no worker and with two, medians of 3 in turn: local_outlier_factor of 50,000 rows of 4 features 1.4 and 1.1, of
 * 20,000 rows of 20 features 4.1 and 1.9; "k": "loo" of knn_classifier over the same rows 2.1 and 1.1, 3.9 and 2.4.
 */
#ifndef PGFIT_NEIGHBOR_BLOCKS_H
#define PGFIT_NEIGHBOR_BLOCKS_H

#include "core/neighbors/neighbor_index.h"

#define NEIGHBOR_BLOCK 256 /* rows whose neighbors are searched together */

/* Returns how many rows a block has, the last one aside. */
static inline uint32_t neighbor_block_rows(uint32_t count)
{
    return count < NEIGHBOR_BLOCK ? count : NEIGHBOR_BLOCK;
}

/* The neighbors of consecutive rows. */
typedef struct NeighborBlock {
    uint32_t first, count;  /* rows */
    uint32_t k;
    const Neighbor *found;  /* [count x k] */
    const uint32_t *counts; /* [count] how many each row has, at most k */
} NeighborBlock;

/* Takes a block. They come in the order of the rows. */
typedef void (*NeighborBlockTaken)(void *context, const NeighborBlock *block);

/*
 * Finds the k nearest rows of each row, itself among them or not (beside). spare: bytes of the budget that other processes may use. phase: for
 * progress. Needs neighbor_block_rows x k neighbors of memory, which the caller compares to the budget.
 */
void neighbor_blocks(Env *env, NeighborIndex *index, uint32_t k, bool beside, uint64_t spare, const char *phase, NeighborBlockTaken taken, void *context);
extern const SharedKind neighbor_blocks_kind;

#endif
