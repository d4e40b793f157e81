/*
 * special_columns.c - which column of the feature row is no feature.
 */
#include "core/rows/special_columns.h"
#include "core/rows/folds.h"

#include <string.h>

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

bool model_options_have(const Model *state, const char *key)
{
    uint32_t length, size = (uint32_t)strlen(key);
    const char *json = model_options(state, &length);

    for (uint32_t i = 0; i + size <= length; i++)
        if (memcmp(json + i, key, size) == 0)
            return true;
    return false;
}

bool model_has_special_column(const Model *state)
{
    return model_options_have(state, "\"fold_column\":") || model_options_have(state, "\"id_column\":");
}
