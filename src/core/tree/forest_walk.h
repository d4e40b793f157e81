/*
 * forest_walk.h - trees laid out for walking: eight bytes per node, both children side by side, many trees at once.
 *
 * For trees whose thresholds are floats, without categories, and rows without missing values. x > t for a float t holds just if
 * it holds for x rounded up to a float, so a row is converted once and compared as floats. A leaf is its own child and its
 * threshold is NaN, which no number exceeds: trees of different depths can take the same steps without a branch.
 */
#ifndef PGFIT_FOREST_WALK_H
#define PGFIT_FOREST_WALK_H

#include "core/tree/tree_model.h"

typedef struct ForestWalk {
    uint32_t trees, slots;
    uint64_t *nodes;      /* all trees: low half slot + first child << WALK_SLOT_BITS, high half the bits of the threshold */
    uint32_t *first_node; /* [trees] */
    uint32_t *first_leaf; /* [trees] among the leaves of all trees */
    float *row;           /* [slots] scratch */
} ForestWalk;

#define WALK_TOGETHER 16 /* trees */

/* Returns the trees in this form, or NULL if they cannot have it. Adds its size to *bytes. Polls. */
ForestWalk *forest_walk(Env *env, const TreeScorer *scorer, size_t *bytes);
/* Converts a row; returns false if a value is missing. */
bool forest_walk_row(const ForestWalk *walk, const double *slots);
/* Writes the leaves that the row reaches in trees [first, first + count), count <= WALK_TOGETHER, by their numbers among all. */
void forest_walk_leaves(const ForestWalk *walk, uint32_t first, uint32_t count, uint32_t *leaves);

#endif
