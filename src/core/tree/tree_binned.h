/*
 * tree_binned.h - grows one tree over binned columns, for many rows.
 */
#ifndef PGFIT_TREE_BINNED_H
#define PGFIT_TREE_BINNED_H

#include "core/tree/binned_columns.h"
#include "core/tree/tree_grow.h"

#define TREE_BINNED_ROWS 50000u /* with more rows, "split": "auto" bins */

/* Table: split (auto, exact, binned). */
extern const OptionSpec tree_split_options[];
/*
 * Tells whether the options ask for bins, or leave it open and there are many rows. Fails with ERROR_PARAMETER if they ask for what
 * bins cannot do: absolute errors, more than two classes, pruning or monotone constraints.
 */
bool tree_binned_wanted(Env *env, const Options *options, const TreeGrowth *growth, const Rows *rows, const char *method);
/*
 * Reads targets, classes and weights alone, as columns without features. room: bytes per row that the caller allocates on top.
 * binned: receives the bins. Fails with ERROR_LIMIT past the budget.
 */
TreeColumns *tree_binned_columns(Env *env, Rows *rows, size_t room, const char *method, BinnedColumns **binned);
/* Grows a tree like tree_grow from all rows: where every value has a bin, the same one. */
void tree_binned_grow(const BinnedColumns *binned, const TreeColumns *columns, const double *weights,
                      const TreeGrowth *growth, GrownTree *tree);

#endif
