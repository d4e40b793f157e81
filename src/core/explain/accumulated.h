/*
 * accumulated.h - accumulated local effects of one column (Apley & Zhu 2020, JRSS B 82(4)): differences of what a model says at the two ends of
 * a small interval, of the rows in it alone, averaged and summed up. Unlike partial dependence it never asks about rows far from the data.
 */
#ifndef PGFIT_ACCUMULATED_H
#define PGFIT_ACCUMULATED_H

#include "core/explain/column_grid.h"

extern const OptionSpec *const accumulated_effects_options[];

/* A row of the result. */
typedef struct AccumulatedEffect {
    GridValue value;   /* an end of an interval, or a level */
    const char *class; /* NULL: of a regression */
    double effect;     /* the mean over the rows is 0 */
} AccumulatedEffect;

/* Fails for wrong options or another feature, before rows are read. */
void accumulated_effects_check(const ModelRows *model, const char *feature, const Options *options);
/* Computes the effects from kept rows (ROWS_WEIGHT). */
AccumulatedEffect *accumulated_effects(const ModelRows *model, Rows *rows, const char *feature, const Options *options, uint64_t *count);

/*
 * Returns levels of a column in order of similarity: levels are near if the other columns have similar distributions in their rows. Distances are
 * the Kolmogorov-Smirnov distances of numbers at 100 quantiles and half the absolute differences of the shares of levels, summed over columns,
 * which classical scaling takes to one dimension, as ALEPlot of R does. Of both directions it is the one that begins with the end that comes first in the
 * model. levels: changed to that order.
 */
void order_by_similarity(const ModelRows *model, Rows *rows, ColumnGrid *levels);

#endif
