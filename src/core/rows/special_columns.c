/*
 * column_aside.c - which column of the feature row is no feature.
 */
#include "core/rows/special_columns.h"
#include "core/rows/folds.h"

#include <string.h>

ColumnAside column_aside(const Options *options)
{
    const char *folds = fold_column(options);

    if (folds != NULL)
        return (ColumnAside){ASIDE_FOLD, "fold_column", folds};
    if (options_has(options, "id_column") && options_given(options, "id_column"))
        return (ColumnAside){ASIDE_ID, "id_column", options_string(options, "id_column")};
    return (ColumnAside){ASIDE_NONE, NULL, NULL};
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

bool model_sets_column_aside(const Model *state)
{
    return model_options_have(state, "\"fold_column\":") || model_options_have(state, "\"id_column\":");
}
