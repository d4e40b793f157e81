/*
 * forest_walk.h - trees laid out for walking: eight bytes per node, both children side by side, many trees at once.
 *
 * For trees without categories and rows without missing values. Thresholds and values are compared as 32-bit keys of the same
 * order: floats, because x > t for a float t holds just if it holds for x rounded up to a float. Thresholds that are no float
 * are rounded down, and a row with a value in such a gap between two floats is left to the slower walk. If there are many of
 * them, the key of a threshold is its number among those of its feature instead, and values are looked up. A leaf is its own
 * child and asks for a feature whose key is 0, so that trees of different depths take the same steps without a branch.
 */
#ifndef PGFIT_FOREST_WALK_H
#define PGFIT_FOREST_WALK_H

#include "core/tree_value/tree_model.h"

typedef struct ForestWalk {
    uint32_t trees, slots;
    uint64_t *nodes;      /* all trees: low half slot + distance to the first child << 10, high half key of the threshold; of a
                             leaf slot `slots`, distance 0, and its number in the tree */
    uint32_t *first_node; /* [trees] */
    uint32_t *first_leaf; /* [trees] among the leaves of all trees */
    uint32_t *depth;      /* [trees] of the deepest leaf */
    /* keys are floats: for each feature 2^gap_bits bits, those of gaps with a threshold set; NULL: all thresholds are floats */
    uint64_t *gaps;
    uint32_t gap_bits;
    /* distinct thresholds, ascending, feature by feature: those that are no floats, or without `gaps` all, whose numbers are the keys; NULL: all are floats */
    double *thresholds;
    uint32_t *first_threshold; /* [slots + 1] */
    uint32_t *row;        /* [slots + WALK_ROOM] scratch: keys; vectors read beyond the last */
    struct ForestTiles *tiles; /* the same trees (forest_tiles.h); there are no nodes then. NULL: nodes are walked */
} ForestWalk;

#define WALK_TOGETHER 32 /* trees */
#define WALK_ROOM 32
#define WALK_SLOT_BITS 10
#define WALK_MOST_SLOTS ((1u << WALK_SLOT_BITS) - 1)

/* Returns the trees in this form, or NULL if they cannot have it. Adds its size to *bytes. Polls. */
ForestWalk *forest_walk(Env *env, const TreeScorer *scorer, size_t *bytes);
/* Converts a row; returns the walk, or NULL if it is NULL or the row has to take the slower walk. */
const ForestWalk *forest_walk_row(const ForestWalk *walk, const double *slots);
/*
 * Writes the leaves that a row reaches in the trees from `first` on, by their numbers among all, and returns in how many trees.
 * walk: what forest_walk_row returned.
 */
uint32_t forest_walk_leaves(const TreeScorer *scorer, const ForestWalk *walk, const double *slots, uint32_t first,
                            uint32_t leaves[WALK_TOGETHER]);
/* Returns the values of all leaves, by their numbers. Adds their size to *bytes. */
double *forest_leaf_values(Env *env, const TreeScorer *scorer, size_t *bytes);

#endif
