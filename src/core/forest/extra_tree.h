/*
 * extra_tree.h - grows an extremely randomized tree (Geurts, Ernst & Wehenkel 2006): each feature of a node gets one threshold,
 * uniform between its smallest and its largest value in the node, and the best of these splits is taken.
 *
 * Nothing is sorted. That is what it is for: tree_grow, which can draw thresholds too, keeps every feature sorted and takes 3.3
 * times as long (100 trees over 10,000 rows of 10 features, two classes: 0.22 s and 0.72 s of processor time;
 * bench/run --only "forest, 100,000 rows" has the bars, 0.5 of scikit-learn, of which 0.43 to 0.49 is used).
 */
#ifndef PGFIT_EXTRA_TREE_H
#define PGFIT_EXTRA_TREE_H

#include "core/tree_growth/tree_grow.h"

typedef struct ExtraGrower ExtraGrower;

/* Tells whether these are random thresholds under limits that extra_tree_grow can follow; tree_grow follows all of them. */
bool extra_tree_grows(const TreeGrowth *growth);
/* Returns the bytes per row that growing takes beside the columns, without the tree. */
size_t extra_tree_room(uint32_t slots);
/* Returns a grower. columns, whose targets and weights are read, and growth must outlive it. weights: [rows], NULL: all 1. */
ExtraGrower *extra_grower(Env *env, const TreeColumns *columns, const double *weights, const TreeGrowth *growth);
/*
 * Grows a tree into `tree`, which is cleared first. counts: [rows] how often the sample has each row; seed: of the features and
 * thresholds. Polls.
 */
void extra_tree_grow(ExtraGrower *grower, const uint32_t *counts, uint64_t seed, GrownTree *tree);

#endif
