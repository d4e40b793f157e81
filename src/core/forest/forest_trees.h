/*
 * forest_trees.h - the trees of a forest, each from its own sample of the rows: work that processes share.
 *
 * Tree t draws from a stream of its own, a hash of the seed and t, so that it is the same tree wherever it is grown. Two processes take 0.5x of the
 * time of one (bench/).
 */
#ifndef PGFIT_FOREST_TREES_H
#define PGFIT_FOREST_TREES_H

#include "core/base/shared_work.h"
#include "core/tree_growth/tree_binned.h"

/* What growing a tree reads, and the tree. */
typedef struct ForestTrees {
    Env *env;
    TreeGrowth growth;
    bool bootstrap;
    uint32_t sample;        /* rows */
    TreeColumns *columns;
    double *weights;        /* [rows] with class weights; NULL: all 1 */
    /* of this process */
    TreeBinner *binner;     /* NULL: splits are exact */
    uint32_t *counts;       /* [rows] how often the sample that was drawn last has each */
    uint32_t drawn;         /* the tree that it is of + 1; 0: none */
    uint64_t split_seed, permutation_seed; /* of that tree */
    uint32_t *sample_rows;  /* [rows] those that the sample has */
    double *sample_weights; /* [rows] weight x times drawn */
    GrownTree *tree;        /* the last one, in the unit of the columns */
} ForestTrees;

extern const SharedKind forest_trees_kind;
/*
 * The trees of an isolation forest (isolation_forest.c), where each row is scored by each. On two busy processors, seconds with no worker and with two,
 * medians of 3 in turn: 400,000 rows of 5 features with a share as contamination 3.1 and 2.4. Without it trees take less than the rows take to read.
 */
extern const SharedKind isolation_trees_kind;

/* Makes what this process needs for itself. */
void forest_trees_begin(Env *env, void *trees);
/* Draws the sample of tree t, unless it was drawn last. */
void forest_trees_draw(ForestTrees *trees, uint32_t t);
/* Returns the bytes that another process needs beside the packed data. */
uint64_t forest_trees_room(const ForestTrees *trees);

#endif
