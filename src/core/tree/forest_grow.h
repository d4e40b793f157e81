/*
 * forest_grow.h - grows one tree of a forest: from a sample of the rows, with a few random features to choose from at each node.
 *
 * Splits, ties and missing values are those of tree_grow.h, so that a tree from all rows and all features is the same tree. What
 * differs is the speed: nodes are sorted by bitmaps (forest_block.h), which pays because a forest looks at each feature of few
 * nodes. Extremely randomized trees (Geurts, Ernst & Wehenkel 2006) sort nothing: each feature gets one threshold, uniform
 * between the smallest and the largest value in the node; levels of a category by their mean target, or at random.
 */
#ifndef PGFIT_FOREST_GROW_H
#define PGFIT_FOREST_GROW_H

#include "core/tree/tree_grow.h"

typedef struct ForestGrower ForestGrower;

/* Tells whether forest_grow can follow these limits; tree_grow follows all of them. */
bool forest_grows(const TreeGrowth *growth);
/* Returns the bytes per row that growing takes beside the columns, without the tree. */
size_t forest_grow_room(uint32_t slots, const TreeGrowth *growth);
/* Returns a grower. columns, whose targets and weights are read, and growth must outlive it. weights: [rows], NULL: all 1. */
ForestGrower *forest_grower(Env *env, const TreeColumns *columns, const double *weights, const TreeGrowth *growth);
/*
 * Grows a tree into `tree`, which is cleared first. counts: [rows] how often the sample has each row; seed: of the features and
 * thresholds. Polls.
 */
void forest_grow(ForestGrower *grower, const uint32_t *counts, uint64_t seed, GrownTree *tree);

#endif
