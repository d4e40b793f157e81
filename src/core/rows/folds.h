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

/* Rows of an estimator's table. */
#define FOLD_OPTIONS                                                                               \
    {.name = "fold_column",                                                                        \
     .types = OPTION_STRING,                                                                       \
     .help = "A column of the feature row whose whole numbers are the folds of cross-validation; " \
             "it is no feature."},                                                                 \
        {.name = "folds",                                                                          \
         .types = OPTION_INTEGER,                                                                  \
         .fallback = "10",                                                                         \
         .minimum = 2,                                                                             \
         .maximum = FOLDS_MAX,                                                                     \
         .help = "Folds of cross-validation, dealt by a hash of the rows: equal rows share one, and empty ones are skipped."}
#define FOLD_OPTION_SEED                                                                           \
    {.name = "seed",                                                                               \
     .types = OPTION_INTEGER,                                                                      \
     .fallback = "0",                                                                              \
     .help = "Another number deals the rows into other folds."}

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
