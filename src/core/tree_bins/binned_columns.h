/*
 * binned_columns.h - the features of all rows as bytes: each value is replaced by the number of its bin.
 *
 * A numeric feature has at most BINS_MAX bins, cut at exact quantiles of its values: where it has no more distinct values
 * than that, each has a bin of its own, and the thresholds are the midpoints between neighbors, as in exact growth.
 * A category has a bin per level that occurs; past BINS_MAX levels, the rarest share the last bin. NULL (NaN) has the bin
 * after these. Nothing is sampled.
 *
 * The bytes are stored twice: by rows, in groups of features whose histograms fit the first level cache together, and by
 * columns, along which nodes are split. Where the budget has no room for them they are in the temporary file, by columns
 * alone, each of which is a group; binned_run and binned_code_at read them from either place.
 */
#ifndef PGFIT_BINNED_COLUMNS_H
#define PGFIT_BINNED_COLUMNS_H

#include "core/base/shared_work.h"
#include "core/tree_bins/binned_pages.h"

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
    uint32_t distinct;   /* distinct values, if every one has a bin, or levels that occur */
    double *thresholds;  /* numeric: [bins - 1]; x <= thresholds[b] lies in bins 0 .. b */
    double *low, *high;  /* numeric: [bins] the least and the largest value in each bin */
    uint32_t levels, first_level; /* categorical: in the model's dictionary */
    uint16_t *level_bin; /* [levels] by position after first_level; BIN_NONE: no row has it */
    uint32_t *bin_level; /* categorical: [bins] the level of each bin, where each has one */
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
    uint8_t *columns; /* [features x rows]; NULL: the bytes are in the file */
    BinPages *pages;  /* ... here */
    uint64_t spare;   /* bytes of the budget that the columns and the caller's extra bytes leave */
} BinnedColumns;

/* Returns the bin of a row in a feature. */
static inline uint32_t binned_code_at(const BinnedColumns *binned, uint32_t feature, uint32_t row)
{
    if (binned->columns != NULL)
        return binned->columns[(size_t)feature * binned->rows + row];
    return binned_page(binned->pages, feature, row)[row % BIN_PAGE];
}

/* The same where the other features of the row are read too, or have just been: they lie beside it. */
static inline uint32_t binned_cell_at(const BinnedColumns *binned, uint32_t feature, uint32_t row)
{
    const BinGroup *group;

    if (binned->pages != NULL)
        return binned_page(binned->pages, feature, row)[row % BIN_PAGE];
    group = &binned->groups[feature / BIN_GROUP];
    return group->cells[(size_t)row * group->stride + (feature - group->first)];
}

/* The bytes of rows first, first + 1 ... by rows, for the next `count` rows of a list; valid until the next one is asked for. */
typedef struct BinRun {
    const uint8_t *cells;
    uint32_t first, count;
} BinRun;

/* Returns the run from place `at` of a list of [count] ascending row numbers; order NULL: all rows. */
BinRun binned_pages_run(const BinnedColumns *binned, const BinGroup *group, const uint32_t *order, uint32_t at,
                        uint32_t count);
static inline BinRun binned_run(const BinnedColumns *binned, const BinGroup *group, const uint32_t *order,
                                uint32_t at, uint32_t count)
{
    if (binned->pages == NULL)
        return (BinRun){.cells = group->cells, .count = count - at};
    return binned_pages_run(binned, group, order, at, count);
}
/* The same for the bytes of one feature alone: those of row i are at cells[i - first]. */
static inline BinRun binned_column_run(const BinnedColumns *binned, uint32_t feature, const uint32_t *order, uint32_t at,
                                       uint32_t count)
{
    if (binned->columns != NULL)
        return (BinRun){.cells = binned->columns + (size_t)feature * binned->rows, .count = count - at};
    return binned_pages_run(binned, &binned->groups[feature], order, at, count);
}
/* The same from among the bytes of the rows, where they are in memory: those of row i are at cells[(i - first) x step]. */
static inline BinRun binned_cells_run(const BinnedColumns *binned, uint32_t feature, const uint32_t *order, uint32_t at,
                                      uint32_t count, size_t *step)
{
    const BinGroup *group;

    *step = 1;
    if (binned->columns == NULL)
        return binned_column_run(binned, feature, order, at, count);
    group = &binned->groups[feature / BIN_GROUP];
    *step = group->stride;
    return (BinRun){.cells = group->cells + (feature - group->first), .count = count - at};
}
/*
 * Reads all rows and bins them. place: [rows] the number that each row gets, in their order of arrival; NULL: that order. Rows that are in a file are read once per few features, as the budget allows. extra_bytes:
 * what the caller allocates beside them, after what sorting takes is released. What the budget has no room for is written to
 * the file of the rows. Fails with ERROR_LIMIT if the larger of these alone exceeds the budget, or past 2^31 rows.
 */
BinnedColumns *binned_columns_load(Env *env, Rows *rows, const uint32_t *place, uint64_t extra_bytes, const char *method);
/* Visits all of it, for another process: not while the bytes are in the file. */
void binned_columns_pack(Pack *pack, BinnedColumns *binned);
/* Gives the bytes of the rows back, and their place in the file. */
void binned_columns_end(BinnedColumns *binned);
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
