/*
 * special_columns.h - columns of the feature row that are not features but say something about the row: its fold or its id.
 *
 * Cross-validation assigns rows to folds by a hash of a row's content (target and features, not the weight), so that
 * equal rows share a fold and neither order nor plan matters; or by whole numbers in a column of the rows.
 */
#ifndef PGFIT_SPECIAL_COLUMNS_H
#define PGFIT_SPECIAL_COLUMNS_H

#include "core/model/model.h"
#include "core/options/options.h"

#define FOLDS_MAX 1000

/* Tables for OPTION_TABLES: folds, fold_column and seed; id_column, for fits whose rows may have ids. */
extern const OptionSpec options_folds[], option_id_column[];

/* How rows are assigned to folds. */
typedef struct FoldPlan {
    int64_t folds; /* their number, by hash; 0: a column of the rows holds the fold */
    int64_t seed;
} FoldPlan;

/* Returns whether these options ask for folds; false if the estimator has no such options. */
bool options_folded(const Options *options);
/* Returns how these options assign rows to folds. */
FoldPlan fold_plan(const Options *options);

typedef enum SpecialUse { SPECIAL_NONE, SPECIAL_FOLD, SPECIAL_ID, SPECIAL_GROUP, SPECIAL_TIME } SpecialUse;

typedef struct SpecialColumn {
    SpecialUse use;
    /* that names it: "fold_column", "id_column", "holdout_column" (kept like an id), or of cross_validate "group_column", "time_column" */
    const char *option;
    const char *column; /* its name; lives as long as the options */
} SpecialColumn;

/* Returns the column that the options name as the fold or the id; an estimator has at most one such option. */
SpecialColumn special_column(const Options *options);
/* Returns what the column holds, for messages: "folds", "ids", ... */
const char *special_content(SpecialUse use);
/* What the options of a running state say about the columns of its rows. */
typedef struct RowOptions {
    bool selected;       /* option "features" names the columns to use */
    const char *special; /* the column that is no feature; NULL: none */
    uint32_t special_length;
    const char *option; /* that names it */
    const struct Json *reference; /* the object of option "reference"; NULL: not given */
} RowOptions;

/* Reads them from the options kept in the state. Names and object live in memory of env. */
RowOptions state_row_options(Env *env, const Model *state);

#endif
