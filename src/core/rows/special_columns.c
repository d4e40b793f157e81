/*
 * special_columns.c - reads from the options which column of the feature row holds the fold or the id, and how
 * rows are assigned to folds.
 */
#include "core/rows/special_columns.h"
#include "core/base/json.h"

#include <string.h>

const OptionSpec options_folds[] = {
    {.name = "fold_column",
     .types = OPTION_STRING,
     .unset = "folds by a hash of the row",
     .help = "A column of the feature row whose integers are the folds of cross-validation; it is not used as a "
             "feature."},
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 2,
     .maximum = FOLDS_MAX,
     .help = "Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .help = "Seed of the random choices: another one assigns the rows to different folds."},
    {.name = NULL}};

const OptionSpec option_id_column[] = {
    {.name = "id_column",
     .types = OPTION_STRING,
     .unset = "no ids",
     .help = "A column of the feature row with the ids of the rows, which the model keeps; it is not used as a "
             "feature."},
    {.name = NULL}};

bool options_folded(const Options *options)
{
    if (!options_has(options, "fold_column")) /* folds of rows that are kept: the method's own affair */
        return false;
    if (options_given(options, "folds") || options_given(options, "fold_column"))
        return true;
    return options_has(options, "lambda") && options_has(options, "select") &&
           (options_is(options, "lambda", "cv") || options_is(options, "select", "min") || options_is(options, "select", "1se"));
}

/* Returns the name of the column that holds the folds; NULL: there are none, or a hash assigns them. */
static const char *fold_column(const Options *options)
{
    return options_folded(options) ? options_string(options, "fold_column") : NULL;
}

FoldPlan fold_plan(const Options *options)
{
    FoldPlan plan = {0, 0};

    if (fold_column(options) == NULL) {
        plan.folds = options_integer(options, "folds");
        plan.seed = options_integer(options, "seed");
    }
    return plan;
}

SpecialColumn special_column(const Options *options)
{
    const char *folds = fold_column(options);

    if (folds != NULL)
        return (SpecialColumn){SPECIAL_FOLD, "fold_column", folds};
    if (options_has(options, "id_column") && options_given(options, "id_column"))
        return (SpecialColumn){SPECIAL_ID, "id_column", options_string(options, "id_column")};
    if (options_has(options, "holdout_column") && options_given(options, "holdout_column"))
        return (SpecialColumn){SPECIAL_ID, "holdout_column", options_string(options, "holdout_column")};
    if (options_given(options, "group_column"))
        return (SpecialColumn){SPECIAL_GROUP, "group_column", options_string(options, "group_column")};
    if (options_given(options, "time_column"))
        return (SpecialColumn){SPECIAL_TIME, "time_column", options_string(options, "time_column")};
    return (SpecialColumn){SPECIAL_NONE, NULL, NULL};
}

const char *special_content(SpecialUse use)
{
    static const char *const contents[] = {"", "folds", "ids", "groups", "times"};

    return contents[use];
}

RowOptions state_row_options(Env *env, const Model *state)
{
    uint32_t length;
    const char *text = model_options(state, &length);
    static const char *const names[] = {"fold_column", "id_column", "holdout_column", "group_column", "time_column"};
    RowOptions options = {.option = names[0]};
    const Json *root, *column = NULL;

    if (length == 0)
        return options;
    root = json_parse(env, text, length, ERROR_CORRUPT, "options");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && column == NULL; i++)
        column = json_get(root, options.option = names[i]);
    if (column != NULL && column->type == JSON_STRING) {
        options.special = json_string(env, column);
        options.special_length = (uint32_t)strlen(options.special);
    }
    options.selected = json_get(root, "features") != NULL || json_get(root, "formula") != NULL;
    options.reference = json_get(root, "reference");
    return options;
}
