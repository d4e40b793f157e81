/*
 * design_columns.h - the columns that an equation over a model's features has: numbers, and levels as 0 and 1.
 */
#ifndef PGFIT_DESIGN_COLUMNS_H
#define PGFIT_DESIGN_COLUMNS_H

#include "core/model/model.h"

typedef struct DesignColumns {
    uint32_t count;
    bool intercept;  /* the first column is 1 */
    uint32_t *slot;  /* [count] */
    int64_t *level;  /* [count] position of the level, or -1: the slot itself */
} DesignColumns;

/*
 * Returns the columns: the intercept, unless formula or options say that there is none; the numeric slots and the levels of categorical
 * ones in the order of the features. With an intercept, the first level of each feature has no column; without one, only the first feature
 * has all of its levels.
 */
DesignColumns *design_columns(Env *env, const Model *model);
/* Returns the name of a column: "(intercept)", "carat", "cut=Ideal", "cut=Ideal:carat". */
const char *design_column_name(Env *env, const Model *model, const DesignColumns *columns, uint32_t column);
/* Writes the columns of an encoded row, [count]. */
void design_columns_row(const DesignColumns *columns, const double *slots, double *out);

#endif
