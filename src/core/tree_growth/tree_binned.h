/*
 * tree_binned.h - grows single trees, and those of forests, over binned columns, for many rows.
 */
#ifndef PGFIT_TREE_BINNED_H
#define PGFIT_TREE_BINNED_H

#include "core/tree_bins/histogram_split.h"
#include "core/tree_growth/tree_grow.h"

#define TREE_BINNED_ROWS 50000u /* with more rows, "split": "auto" bins */

/* Table: split (auto, exact, binned). */
extern const OptionSpec tree_split_options[];
/*
 * For tree_growth_read: tells whether the options ask for bins, or leave it open and there are many rows. Fails with ERROR_PARAMETER if they ask for what
 * bins cannot do: absolute errors, categories of more than 255 levels.
 */
bool tree_binned_wanted(Env *env, const Options *options, const TreeGrowth *growth, const Rows *rows, const char *method);
/*
 * For tree_load: reads and bins the rows.
 */
TreeColumns *tree_binned_columns(Env *env, Rows *rows, unsigned what, const TreeGrowth *growth, size_t room, const char *method);

typedef struct TreeBinner TreeBinner;
/* Releases what grows with the rows and the nodes, after the last tree. */
void tree_binner_end(TreeBinner *binner);
/* Returns what grows trees over binned columns one after another; columns and growth must outlive it. */
TreeBinner *tree_binner(const TreeColumns *columns, const TreeGrowth *growth);
/* Returns the bytes that a binner takes at least. */
uint64_t tree_binner_bytes(const TreeColumns *columns);
/*
 * Grows a tree like tree_grow: where every value has a bin, the same one. seed: of features that are drawn. Polls.
 */
void tree_binned_grow(TreeBinner *binner, const TreeSample *sample, uint64_t seed, GrownTree *tree);

#endif
