/*
 * special_columns.h - a column of the feature row that is set aside: no feature, but what an option says it is.
 */
#ifndef PGFIT_SPECIAL_COLUMNS_H
#define PGFIT_SPECIAL_COLUMNS_H

#include "core/model/model.h"
#include "core/model/options.h"

/* The option id_column as a table for OPTION_TABLES, for fits whose rows may have ids. */
extern const OptionSpec option_id_column[];

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
