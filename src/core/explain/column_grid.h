/*
 * column_grid.h - the values that a column of kept rows is set to.
 */
#ifndef PGFIT_COLUMN_GRID_H
#define PGFIT_COLUMN_GRID_H

#include "core/explain/model_rows.h"

typedef struct ColumnGrid {
    const ModelColumn *column;
    uint32_t count;
    double *values; /* [count] numbers, or positions of levels */
} ColumnGrid;

/* Returns the numbers of a column that are not NULL in rising order, and their count. Fails with ERROR_DATA if there are none, ERROR_LIMIT past the budget. */
double *column_numbers(const ModelRows *model, Rows *rows, const ModelColumn *column, uint64_t *count);
/* Returns the levels of a column that the rows have and the model knows, in the model's order. */
ColumnGrid column_levels(const ModelRows *model, Rows *rows, const ModelColumn *column);
/*
 * Returns the values of option `name`, a list of numbers or of levels; without it the levels, or all different numbers, or, unless these are fewer than
 * option "grid" says, as many numbers at equal distances between two quantiles, 0.05 and 0.95 by option "percentiles", as scikit-learn does
 * (scipy's mquantiles). Fails with ERROR_PARAMETER for values that the column cannot have, and with ERROR_DATA where all are NULL.
 */
ColumnGrid column_grid(const ModelRows *model, Rows *rows, const ModelColumn *column, const Options *options, const char *name);

/* A value as users see it. */
typedef struct GridValue {
    double number;     /* NaN: it is a level */
    const char *level; /* NULL: it is a number */
    uint32_t length;
} GridValue;
GridValue grid_value(const ModelRows *model, const ModelColumn *column, double value);
/* Returns the position of a level of a column. Fails with ERROR_PARAMETER, listing the levels. */
double level_of_column(const ModelRows *model, const ModelColumn *column, const char *option, const char *level);

/* Fails with ERROR_DATA: no row can be scored. */
void fail_no_scores(Env *env, Rows *rows, const char *function) __attribute__((noreturn));
/* Fails with ERROR_RANGE: weights, or weighted scores, add up to too much. */
void fail_sums(Env *env, const char *function) __attribute__((noreturn));

#endif
