/*
 * folds.h - rows dealt into folds for cross-validation: the options that say how.
 *
 * By a hash of the row's content (target and features, not the weight), so that equal rows share a fold
 * and neither order nor plan matters; or by whole numbers in a column of the rows.
 */
#ifndef PGFIT_FOLDS_H
#define PGFIT_FOLDS_H

#include "core/model/options.h"

#define FOLDS_MAX 1000

/* The options folds, fold_column and seed, as a table for OPTION_TABLES. */
extern const OptionSpec options_folds[];

/* How rows are dealt. */
typedef struct FoldPlan {
    int64_t folds; /* by hash; 0: as a column says */
    int64_t seed;
} FoldPlan;

/* Do these options want rows in folds? False where the estimator has no such options. */
bool options_folded(const Options *options);
FoldPlan fold_plan(const Options *options);
/* The column that holds the folds; NULL: by hash. */
const char *fold_column(const Options *options);

#endif
