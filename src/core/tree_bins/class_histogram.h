/*
 * class_histogram.h - histograms of more than two classes, and the best split of a node from them.
 *
 * A bin has 1 + classes cells of 64 bits: the sum of hessians with the number of rows, as in HistogramSum.packed, then the weight
 * of each class. The gradient of a row (HistogramRow) is its class, the hessian its weight. Splits, ties and the order of levels
 * are those of tree_split.c, so that a tree is the exact one where every value has a bin.
 */
#ifndef PGFIT_CLASS_HISTOGRAM_H
#define PGFIT_CLASS_HISTOGRAM_H

#include "core/tree_bins/histogram_split.h"

/* Scratch, and the sums of the node whose split is looked for. */
typedef struct ClassHistograms {
    Env *env;
    uint32_t classes;
    uint32_t cells;       /* per bin: a multiple of two, so that bins are whole HistogramSums */
    int64_t *node, *left; /* [cells] */
    double *total, *left_weights, *right_weights; /* [classes] */
    double *level_classes; /* [(BINS_MAX + 1) x classes] */
    double *room;          /* [2 x classes] */
    double level_sums[BINS_MAX + 1], keys[BINS_MAX + 1];
} ClassHistograms;

/* Returns how many HistogramSums a bin takes; 1 for up to two classes. */
static inline uint32_t class_histogram_stride(uint32_t classes)
{
    return classes > 2 ? (classes + 2) / 2 : 1;
}

ClassHistograms *class_histograms(Env *env, uint32_t classes);
/* Do the same as histogram_add and histogram_add_few; rows of the latter have the class as gradient. */
void class_histogram_add(const ClassHistograms *histograms, const BinnedColumns *binned, const HistogramRow *rows,
                         const uint32_t *sizes, const uint32_t *order, uint32_t count, unsigned count_bits, int64_t *cells);
void class_histogram_add_few(const ClassHistograms *histograms, const uint8_t *codes, const HistogramSum *rows,
                             uint32_t count, unsigned count_bits, int64_t *cells, uint64_t used[4]);
/* Makes the sums of the cells those of the node, and returns its impurity and the class with the most weight. */
double class_histogram_node(ClassHistograms *histograms, const HistogramGrowth *growth, const HistogramScale *scale,
                            uint32_t *majority);
/* Makes split the best one of this feature if it is better. cells: of its bins; used: a bit per bin that has rows; NULL: not known. */
void class_histogram_split(ClassHistograms *histograms, const BinnedColumns *binned, const HistogramGrowth *growth,
                           const HistogramScale *scale, uint32_t feature, const int64_t *cells, const uint64_t *used,
                           HistogramSplit *split);

#endif
