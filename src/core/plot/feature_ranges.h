/*
 * feature_ranges.h - where the features of a model lie, as far as the model knows: the table feature_ranges(model), and the axes of
 * plots.
 *
 * A model keeps no rows unless its method needs them, so what is known depends on the method:
 *   rows (neighbors)                                from the least to the greatest
 *   splits of trees                                 from the first to the last threshold, and a tenth further on both sides
 *   mean and standard deviation (standardized features, standard_scaler, normal distributions)
 *                                                   3 standard deviations to both sides, of all classes or components
 *   centroids or medoids                            from the first to the last, and half of that further on both sides
 *   ends (minmax_scaler)                            these
 * The typical value is the mean of the rows, where the model has it.
 */
#ifndef PGFIT_FEATURE_RANGES_H
#define PGFIT_FEATURE_RANGES_H

#include "core/estimator/table.h"

typedef struct FeatureRange {
    double low, high;    /* NaN: not known */
    double typical;      /* NaN: not known */
    const char *source;  /* of low and high; NULL: not known */
} FeatureRange;

typedef struct FeatureRanges {
    const Model *schema;  /* by which rows are read: the inputs of a formula, the first stage of a pipeline */
    uint32_t count;       /* slots */
    FeatureRange *ranges; /* [count] */
} FeatureRanges;

/* Finds out what a checked model knows. */
FeatureRanges feature_ranges(Env *env, const Model *model);

/* feature_ranges(model): one row per number of a row. */
extern const Table feature_range_table;
void *feature_ranges_open(Env *env, const Model *model, uint64_t *rows);

#endif
