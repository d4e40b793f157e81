/*
 * fold_rows.h - rows that are kept, in folds, for methods that cross-validate inside a fit: by a hash of their content or by a column, as moments
 * have them (special_columns.h).
 */
#ifndef PGFIT_FOLD_ROWS_H
#define PGFIT_FOLD_ROWS_H

#include "core/options/options.h"
#include "core/rows/rows.h"

typedef struct FoldRows {
    uint32_t count;  /* folds that have rows, at least 2 */
    double *labels;  /* [count], rising */
    uint16_t *fold;  /* [rows] */
} FoldRows;

/* Assigns the rows to folds. Fails with ERROR_DATA if all are in one. */
FoldRows fold_rows(Env *env, Rows *rows, const Options *options);
/*
 * Returns the rows outside fold k, with a schema of their own that has the levels and classes of all. rows: those assigned, or others that go with
 * them one by one.
 */
Rows *fold_rows_outside(Env *env, const FoldRows *folds, Rows *rows, uint32_t k);

#endif
