/*
 * forest_grow_internal.h - a tree of a forest while it grows: shared by the files that look for splits.
 */
#ifndef PGFIT_FOREST_GROW_INTERNAL_H
#define PGFIT_FOREST_GROW_INTERNAL_H

#include "core/base/random.h"
#include "core/tree/forest_block.h"
#include "core/tree/forest_grow.h"

#define FOREST_BLOCKS 6 /* at most, inside each other */

/* What a row adds to a node. */
typedef struct RowTally {
    double weight; /* times drawn */
    double value;  /* target, or class */
} RowTally;

/* The best split so far. */
typedef struct ForestSplit {
    double loss;      /* weight x impurity of both children together */
    uint32_t slot;    /* TREE_NONE: none yet */
    uint32_t place;   /* sorted: known rows up to this place of the block go left */
    double threshold; /* random: known values up to this one */
    double low, high; /* values on both sides */
    bool missing_left, has_missing;
    bool category;    /* the levels in ForestGrower.set go left */
} ForestSplit;

typedef struct ForestNode { /* the node being split */
    uint32_t count;
    const uint32_t *rows; /* [count] numbers in the current block */
    double weight, loss, tolerance;
    double sum;           /* numbers: of weight x target */
    double mean;
    double *classes;      /* [classes] weights */
    uint64_t pair;        /* draws; of the second class in the upper half */
} ForestNode;

typedef struct ForestTask { /* a node still to be grown */
    uint32_t begin, end, depth;
    uint32_t block;  /* number of the block of its rows */
    uint32_t parent; /* TREE_NONE: the root */
    bool right;
    bool decides;    /* its weight says where missing values go, of which the parent had none */
} ForestTask;

struct ForestGrower {
    Env *env;
    const TreeColumns *columns;
    const TreeGrowth *growth;
    const double *weights;
    GrownTree *tree;
    uint64_t random;
    uint64_t work; /* rows x features since the last poll */
    bool pairs; /* two classes, all weights 1, gini: counts say all */
    uint32_t class_count;
    double root_weight;
    uint32_t *features; /* [slots] in random order */
    ForestNode node;
    /* rows of the tree, in the order of nodes */
    uint32_t *rows, *swap;
    ForestTask *tasks;
    uint32_t task_count, task_capacity;
    /* blocks; number 0 has all rows */
    ForestBlock *blocks[FOREST_BLOCKS];
    uint32_t block_count, block;
    BlockScratch scratch;
    /* what each row of a block adds: pairs use draws + (draws of the second class) << 32 */
    RowTally *tally[FOREST_BLOCKS];
    uint64_t *pair_tally[FOREST_BLOCKS];
    /* scratch of a node: [rows] */
    uint32_t *places;
    int32_t *left_all, *left_second;
    double *losses;         /* [2 x rows] */
    double *left, *right;   /* [classes] */
    double *x;              /* random thresholds: values of the node's rows */
    uint64_t *pair_here;    /* [rows] tallies of the node's rows */
    RowTally *here;
    /* categories: [levels of the largest] */
    uint32_t most_levels;
    double *level_tally;    /* [levels x (classes or 2)] */
    double *level_key;
    uint32_t *level_order, *level_rows;
    uint8_t *set, *present; /* bits: levels that go left in the best split, levels that have rows */
    double *level_left;     /* [classes or 2] */
    double *level_axis;     /* [classes] */
};

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((random_bits(state) >> 32) * limit >> 32);
}

/* Returns weight x impurity of both children, of class weights or of numbers; left: their weights, or weight and sum. */
double forest_classes_loss(ForestGrower *g, const double *left, double left_weight);
double forest_numbers_loss(const ForestGrower *g, double left_weight, double left_sum);
/* Tells whether a split of this loss should replace the best: it is better, or as good and of an earlier feature. */
static inline bool forest_better(const ForestGrower *g, const ForestSplit *best, double loss, uint32_t slot)
{
    return loss < best->loss - g->node.tolerance ||
           (loss <= best->loss + g->node.tolerance && slot < best->slot);
}

/* Each looks at one feature and keeps a better split. They return false if the feature is constant in the node. */
bool forest_sorted_split(ForestGrower *g, uint32_t slot, ForestSplit *best);
bool forest_random_split(ForestGrower *g, uint32_t slot, ForestSplit *best);
bool forest_category_split(ForestGrower *g, uint32_t slot, ForestSplit *best);

#endif
