/*
 * fold_rows.h - rows that are kept, in folds, for methods that cross-validate inside a fit: by a hash of their content or by a column, as moments
 * have them (special_columns.h).
 */
#ifndef PGFIT_FOLD_ROWS_H
#define PGFIT_FOLD_ROWS_H

#include "core/options/options.h"
#include "core/rows/rows.h"
#include "core/rows/special_columns.h"

typedef struct FoldRows {
    uint32_t count;  /* folds that have rows, at least 2 */
    double *labels;  /* [count], rising */
    uint16_t *fold;  /* [rows] */
} FoldRows;

/*
 * Returns the fold of row i of a block: a hash of its content, or what its fold column says if the plan has no hash. numbers: of the classes in the
 * hash; NULL: targets are numbers.
 */
double fold_row_label(Env *env, const Model *schema, const FoldPlan *by_hash, const double *numbers, const RowsBlock *block, uint32_t i);
/* Assigns the rows to folds. Fails with ERROR_DATA if all are in one. */
FoldRows fold_rows(Env *env, Rows *rows, const Options *options);
/*
 * Returns the rows outside fold k, with a schema of their own that has the levels and classes of all. rows: those assigned, or others that go with
 * them one by one.
 */
Rows *fold_rows_outside(Env *env, const FoldRows *folds, Rows *rows, uint32_t k);

#endif
