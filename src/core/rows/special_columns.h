/*
 * special_columns.h - the special column of the feature row, which is no feature: an option says what it holds.
 */
#ifndef PGFIT_SPECIAL_COLUMNS_H
#define PGFIT_SPECIAL_COLUMNS_H

#include "core/model/model.h"
#include "core/model/options.h"

/* A row of an estimator's table, for fits whose rows may have ids. */
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

/* Returns the special column that the options name; an estimator has at most one such option. */
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
