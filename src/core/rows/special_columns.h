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
/* What the options of a running state say about the columns of its rows. */
typedef struct RowOptions {
    bool selected;       /* option "features" names the columns to use */
    const char *special; /* the column that is no feature, not zero-terminated; NULL: none */
    uint32_t special_length;
    const char *option; /* that names it: "fold_column", "id_column" */
} RowOptions;

/* Reads them from the options kept in the state. The name lives in memory of env. */
RowOptions state_row_options(Env *env, const Model *state);

#endif
