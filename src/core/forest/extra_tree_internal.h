/*
 * extra_tree_internal.h - an extremely randomized tree while it grows: shared by the files that draw splits.
 */
#ifndef PGFIT_EXTRA_TREE_INTERNAL_H
#define PGFIT_EXTRA_TREE_INTERNAL_H

#include "core/base/random.h"
#include "core/forest/extra_tree.h"

/* What a row adds to a node. */
typedef struct RowTally {
    double weight; /* times drawn */
    double value;  /* target, or class */
} RowTally;

/* The best split so far. */
typedef struct ExtraSplit {
    double loss;      /* weight x impurity of both children together */
    uint32_t slot;    /* TREE_NONE: none yet */
    double threshold; /* known values up to this one go left */
    bool missing_left, has_missing;
    bool category;    /* the levels in ExtraGrower.set go left */
} ExtraSplit;

typedef struct ExtraNode { /* the node being split */
    uint32_t count;
    const uint32_t *rows; /* [count] */
    double weight, loss, tolerance;
    double sum;           /* numbers: of weight x target */
    double mean;
    double *classes;      /* [classes] weights */
    uint64_t pair;        /* draws; of the second class in the upper half */
} ExtraNode;

typedef struct ExtraTask { /* a node still to be grown */
    uint32_t begin, end, depth;
    uint32_t parent; /* TREE_NONE: the root */
    bool right;
    bool decides;    /* its weight says where missing values go, of which the parent had none */
} ExtraTask;

struct ExtraGrower {
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
    ExtraNode node;
    double **values; /* [slots] by row, NaN: none; NULL for a category */
    /* rows of the tree, in the order of nodes */
    uint32_t *rows, *swap;
    ExtraTask *tasks;
    uint32_t task_count, task_capacity;
    /* what each row adds: pairs use draws + (draws of the second class) << 32 */
    RowTally *tally;
    uint64_t *pair_tally;
    /* of the node's rows: their values of a feature, and what they add */
    double *x;
    uint64_t *pair_here;
    RowTally *here;
    double *left, *right;   /* [classes] */
    /* categories: [levels of the largest] */
    double *level_tally;    /* [levels x (classes or 2)] */
    double *level_key;
    uint32_t *level_order, *level_rows;
    uint8_t *set, *present; /* bits: levels that go left in the best split, levels that have rows */
};

/* Returns weight x impurity of both children, of class weights or of numbers; left: their weights, or weight and sum. */
double extra_classes_loss(ExtraGrower *g, const double *left, double left_weight);
double extra_numbers_loss(const ExtraGrower *g, double left_weight, double left_sum);
/* Tells whether a split of this loss should replace the best: it is better, or as good and of an earlier feature. */
static inline bool extra_better(const ExtraGrower *g, const ExtraSplit *best, double loss, uint32_t slot)
{
    return loss < INFINITY && (loss < best->loss - g->node.tolerance ||
                               (loss <= best->loss + g->node.tolerance && slot < best->slot));
}

/* Each draws a split on one feature and keeps it if it is better, unless the feature is constant in the node. */
void extra_number_split(ExtraGrower *g, uint32_t slot, ExtraSplit *best);
void extra_category_split(ExtraGrower *g, uint32_t slot, ExtraSplit *best);

#endif
