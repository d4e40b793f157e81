/*
 * binned_columns.h - the features of all rows as bytes: each value is replaced by the number of its bin.
 *
 * A numeric feature has at most BINS_MAX bins, cut at exact quantiles of its values: where it has no more distinct values
 * than that, each has a bin of its own, and the thresholds are the midpoints between neighbors, as in exact growth.
 * A category has a bin per level that occurs; past BINS_MAX levels, the rarest share the last bin. NULL (NaN) has the bin
 * after these. Nothing is sampled.
 *
 * The bytes are stored twice: by rows, in groups of features whose histograms fit the first level cache together, and by
 * columns, along which nodes are split.
 */
#ifndef PGFIT_BINNED_COLUMNS_H
#define PGFIT_BINNED_COLUMNS_H

#include "core/rows/rows.h"

#include <math.h>

#define BINS_MAX 255
#define BIN_GROUP 12 /* features per group, at most */

typedef struct BinnedFeature {
    uint32_t slot;
    uint32_t first;      /* of its bins among those of all features */
    uint32_t bins;       /* without that of NULLs */
    bool missing;        /* has NULLs: bin number `bins` */
    bool categorical;
    bool exact;          /* every distinct value, or level, has a bin of its own */
    uint32_t distinct;   /* distinct values, or levels that occur */
    double *thresholds;  /* numeric: [bins - 1]; x <= thresholds[b] lies in bins 0 .. b */
    double *low, *high;  /* numeric: [bins] the least and the largest value in each bin */
    uint32_t levels, first_level; /* categorical: in the model's dictionary */
    uint16_t *level_bin; /* [levels] by position after first_level; BIN_NONE: no row has it */
} BinnedFeature;
#define BIN_NONE UINT16_MAX

/* Features [first, first + count), by rows: the bytes of row i start at cells + i x stride. */
typedef struct BinGroup {
    uint32_t first, count, stride;
    uint8_t *cells;
} BinGroup;

typedef struct BinnedColumns {
    Env *env;
    uint32_t rows, features;
    uint32_t bins; /* of all features, those of NULLs included */
    BinnedFeature *feature; /* [features] one per slot */
    BinGroup *groups;
    uint32_t group_count;
    uint8_t *columns; /* [features x rows] */
} BinnedColumns;

/* Returns the bytes of one feature, [rows]. */
static inline const uint8_t *binned_column(const BinnedColumns *binned, uint32_t feature)
{
    return binned->columns + (size_t)feature * binned->rows;
}
/* Returns how many bytes the columns of so many rows and features take. */
uint64_t binned_columns_bytes(uint64_t rows, uint32_t features);
/*
 * Reads all rows and bins them. Rows that are in a file are read once per few features, as the budget allows. extra_bytes:
 * what the caller allocates beside them, after what sorting takes is released. Fails with ERROR_LIMIT if the larger of
 * these and the columns exceed the budget, or past 2^31 rows.
 */
BinnedColumns *binned_columns_load(Env *env, Rows *rows, uint64_t extra_bytes, const char *method);
/* Returns the threshold between two neighboring values: their midpoint, below the upper one. */
static inline double bin_midpoint(double low, double high)
{
    double middle = isfinite(high - low) ? low + (high - low) / 2 : low / 2 + high / 2;

    return middle >= low && middle < high ? middle : low;
}
/*
 * Returns the bin of a value as rows have it: a number or a position in the dictionary. NaN and levels without a bin: the bin of
 * NULLs, whether or not the feature has one.
 */
uint32_t binned_code(const BinnedFeature *feature, double value);

#endif
