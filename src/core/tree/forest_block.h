/*
 * forest_block.h - rows of a tree sorted by each feature, so that the rows of any node come out in sorted order without a sort.
 *
 * A block numbers its rows 0 .. rows - 1 and knows, for every feature, the place of each row in sorted order. To sort the rows of
 * a node, their places are set in a bitmap, which is then read from its beginning: a few operations per row, whatever the size
 * of the node. Reading takes time in proportion to the block, so a node much smaller than its block gets a block of its own, whose
 * places come from those of the larger block by the same bitmap. A feature of a block is sorted when it is first asked for.
 */
#ifndef PGFIT_FOREST_BLOCK_H
#define PGFIT_FOREST_BLOCK_H

#include "core/tree/tree_columns.h"

/* The rows of a block in the order of a feature; those without a value come last. All arrays: [rows]. */
typedef struct BlockColumn {
    uint32_t *place;  /* of each row */
    uint32_t *row_at; /* the row at each place */
    uint32_t *rank;   /* by place: differs between neighbors where the value does */
    uint32_t known;   /* rows with a value */
    double *x;        /* instead of all that, in blocks of values: of each row; NaN: none */
    bool ready;
} BlockColumn;

typedef struct ForestBlock {
    struct ForestBlock *parent; /* NULL: all rows */
    uint32_t rows, slots;
    uint32_t capacity;          /* rows for which there is memory */
    uint32_t *in_parent;        /* [rows] their numbers in the parent; NULL: all rows */
    BlockColumn *columns;       /* [slots]; those of categories are empty */
} ForestBlock;

/* What sorting needs beside the blocks. */
typedef struct BlockScratch {
    uint64_t *bits; /* one per row, all 0 between uses */
    uint32_t *own;  /* [rows] */
} BlockScratch;

/* Returns the bytes per row of the block of all rows and of the scratch. */
size_t block_bytes_per_row(uint32_t slots);
BlockScratch block_scratch(Env *env, uint32_t rows);
/* Makes the block of all rows. Polls. */
ForestBlock *block_of_all(Env *env, const TreeColumns *columns);
/* Makes the block of all rows with their values instead of places. Polls. */
ForestBlock *block_of_values(Env *env, const TreeColumns *columns);
/* Returns an empty block for up to `capacity` rows of a larger one. */
ForestBlock *block_inside(Env *env, ForestBlock *parent, uint32_t capacity);
/* Fills a block with these rows of its parent, in this order. */
void block_fill(ForestBlock *block, ForestBlock *parent, const uint32_t *rows, uint32_t count);
/* Writes the places of these rows in ascending order, [count]. */
void block_sort(ForestBlock *block, BlockScratch *scratch, uint32_t slot, const uint32_t *rows, uint32_t count,
                uint32_t *places);
/* Returns the values of a feature, [rows of the block]. */
const double *block_values(ForestBlock *block, uint32_t slot);
/* Returns the number of a block's row among all rows. */
uint32_t block_row(const ForestBlock *block, uint32_t row);

#endif
