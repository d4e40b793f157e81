/*
 * tree_split_mae.h - moving rows from one side of a split to the other under the mean absolute deviation.
 */
#ifndef PGFIT_TREE_SPLIT_MAE_H
#define PGFIT_TREE_SPLIT_MAE_H

#include "core/tree_growth/tree_split.h"

typedef struct MaeScan {
    uint32_t rows; /* of the node */
    TreeSide left, right;
} MaeScan;

/* Begins with all rows on the right, or those without a value on the left. tree_mae_node has run for the node. */
MaeScan tree_mae_begin(TreeSearch *search, const TreeRecord *lacking, uint32_t count, bool missing_left);
void tree_mae_move(TreeSearch *search, MaeScan *scan, uint32_t row); /* to the left */
/* Returns the sum of weight x deviation on both sides, and the medians. */
double tree_mae_badness(const TreeSearch *search, const MaeScan *scan, double *left, double *right);

#endif
