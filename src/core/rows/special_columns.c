/*
 * special_columns.c - which column of the feature row is no feature.
 */
#include "core/rows/special_columns.h"
#include "core/base/json.h"
#include "core/rows/folds.h"

const OptionSpec option_id_column[] = {
    {.name = "id_column",
     .types = OPTION_STRING,
     .help = "A column of the feature row with the rows' ids, which the model keeps; it is no feature."},
    {.name = NULL}};

SpecialColumn special_column(const Options *options)
{
    const char *folds = fold_column(options);

    if (folds != NULL)
        return (SpecialColumn){SPECIAL_FOLD, "fold_column", folds};
    if (options_has(options, "id_column") && options_given(options, "id_column"))
        return (SpecialColumn){SPECIAL_ID, "id_column", options_string(options, "id_column")};
    return (SpecialColumn){SPECIAL_NONE, NULL, NULL};
}

RowOptions state_row_options(Env *env, const Model *state)
{
    uint32_t length;
    const char *text = model_options(state, &length);
    RowOptions options = {.option = "fold_column"};
    const Json *root, *column;

    if (length == 0)
        return options;
    root = json_parse(env, text, length, ERROR_CORRUPT, "options");
    column = json_get(root, options.option);
    if (column == NULL)
        column = json_get(root, options.option = "id_column");
    if (column != NULL) {
        options.special = column->text;
        options.special_length = column->length;
    }
    options.selected = json_get(root, "features") != NULL;
    return options;
}
