/*
 * histogram.h - sums of gradients per bin, from which trees over binned columns find their splits.
 *
 * A row has a gradient and a hessian (or, in trees of one target, weight x target and weight) as integers of a common scale, a
 * power of two chosen per tree. Sums of integers are exact: they do not depend on the order of the rows, and the histogram of
 * a node minus that of one child is exactly that of the other (sibling subtraction).
 * The sum of hessians shares a word with the number of rows, which takes its lowest bits.
 */
#ifndef PGFIT_HISTOGRAM_H
#define PGFIT_HISTOGRAM_H

#include "core/tree_bins/binned_columns.h"

/* What a row brings. */
typedef struct HistogramRow {
    int32_t gradient;
    uint32_t hessian;
} HistogramRow;

/* The sums over the rows of a bin, or of a node. */
typedef struct HistogramSum {
    int64_t gradient;
    int64_t packed; /* (hessian << count_bits) + rows, or their sizes */
} HistogramSum;

/* What one unit of each integer is worth. */
typedef struct HistogramScale {
    double gradient, hessian;
    unsigned count_bits;
} HistogramScale;

static inline uint64_t histogram_count(const HistogramScale *scale, int64_t packed)
{
    return (uint64_t)packed & (((uint64_t)1 << scale->count_bits) - 1);
}
static inline double histogram_hessian(const HistogramScale *scale, int64_t packed)
{
    return (double)(packed >> scale->count_bits) * scale->hessian;
}
/*
 * Returns the scale for rows with gradients of at most `gradient` in size and nonnegative hessians of at most `hessian`, which
 * sum to at most `hessians`. Both are powers of two, so that small whole numbers stay exact. rows: their number, or the sum of
 * their sizes.
 */
HistogramScale histogram_scale(uint64_t rows, double gradient, double hessian, double hessians);

/*
 * Adds rows to the histogram of all features, [binned->bins]. sizes: how many rows each row counts as; NULL: one. order: row
 * numbers; NULL: all rows. Polls.
 */
void histogram_add(const BinnedColumns *binned, const HistogramRow *rows, const uint32_t *sizes, const uint32_t *order,
                   uint32_t count, unsigned count_bits, HistogramSum *sums);
/* Subtracts a child from its parent, in place. */
void histogram_subtract(HistogramSum *parent, const HistogramSum *child, uint32_t bins);
/*
 * Adds rows, given by their bytes of one feature and by what they bring, to its histogram, [256], which is zero, and sets the
 * bits of its bins in used. For nodes that have fewer rows than features have bins.
 */
void histogram_add_few(const uint8_t *codes, const HistogramSum *rows, uint32_t count, HistogramSum *sums, uint64_t used[4]);

#endif
