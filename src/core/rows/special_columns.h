/*
 * special_columns.h - columns of the feature row that are not features but say something about the row: its fold or its id.
 *
 * Cross-validation deals rows into folds by a hash of a row's content (target and features, not the weight), so that
 * equal rows share a fold and neither order nor plan matters; or by whole numbers in a column of the rows.
 */
#ifndef PGFIT_SPECIAL_COLUMNS_H
#define PGFIT_SPECIAL_COLUMNS_H

#include "core/model/model.h"
#include "core/model/options.h"

#define FOLDS_MAX 1000

/* Rows of an estimator's option table. */
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

/* A row of an estimator's option table, for fits whose rows may have ids. */
#define ID_COLUMN_OPTION                                                                                       \
    {                                                                                                          \
        .name = "id_column", .types = OPTION_STRING,                                                           \
        .help = "A column of the feature row with the rows' ids, which the model keeps; it is no feature."     \
    }

typedef enum SpecialUse { SPECIAL_NONE, SPECIAL_FOLD, SPECIAL_ID } SpecialUse;

typedef struct SpecialColumn {
    SpecialUse use;
    const char *option; /* its name: "fold_column", "id_column" */
    const char *column; /* lives as long as the options */
} SpecialColumn;

/* The column that the options set aside; an estimator knows one of them. */
SpecialColumn special_column(const Options *options);
/* Do the options that a running state came with set one aside? */
bool model_has_special_column(const Model *state);
/* Do they have this key? key: in quotes, with the colon. */
bool model_options_have(const Model *state, const char *key);

#endif
