/*
 * histogram_grow.h - grows trees over binned columns, one after another, from histograms.
 */
#ifndef PGFIT_HISTOGRAM_GROW_H
#define PGFIT_HISTOGRAM_GROW_H

#include "core/tree_bins/histogram_split.h"
#include "core/tree_bins/histogram_team.h"
#include "core/tree_value/tree_model.h"

/* What is kept from tree to tree. */
typedef struct HistogramGrower HistogramGrower;

/* Returns the bytes that a grower takes for so many rows, and for histograms of so many bins. */
uint64_t histogram_grower_bytes(uint64_t rows, uint64_t bins, const HistogramGrowth *growth);
/* histogram_bytes: what histograms may take; without room for enough of them, more rows are added again. */
HistogramGrower *histogram_grower(const BinnedColumns *binned, const HistogramGrowth *growth, uint64_t histogram_bytes);
/* Releases what grows with the rows and the nodes, after the last tree. */
void histogram_grower_end(HistogramGrower *grower);
/*
 * Grows a tree into `tree`, which is cleared first: covers are numbers of rows, values under newton -G / (H + lambda), otherwise
 * the mean, and impurities such that weighted decreases are the gains; of more than two classes the impurity and the majority of
 * each node. rows: [binned->rows] gradients. sizes: how many rows each counts as under the least numbers of rows; NULL: one.
 * sample: [count] numbers of the rows to grow from, ascending; NULL: all. number: of the tree, for its random choices. Polls.
 */
void histogram_grow(HistogramGrower *grower, const HistogramRow *rows, const uint32_t *sizes, const HistogramScale *scale,
                    const uint32_t *sample, uint32_t count, uint64_t number, GrownTree *tree);
/*
 * Writes what processes of a team need of the grower, which must not have more than two classes; then, once it is shared, grows the next trees with
 * them, from rows and sizes that they have too.
 */
void histogram_grower_share(const HistogramGrower *grower, NodeTeam *nodes);
void histogram_grower_join(HistogramGrower *grower, NodeTeam *nodes);
/* Returns the list of rows that the leaves of the last tree are parts of. */
const uint32_t *histogram_order(const HistogramGrower *grower);
/* Returns what a node of the last tree may predict; infinite without monotone constraints. */
HistogramNode histogram_bounds(const HistogramGrower *grower, uint32_t node);

#endif
