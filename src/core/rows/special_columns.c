/*
 * special_columns.c - reads from the options which column of the feature row holds the fold or the id, and how rows
 * are dealt into folds.
 */
#include "core/rows/special_columns.h"

#include <string.h>

bool options_folded(const Options *options)
{
    if (!options_has(options, "folds"))
        return false;
    if (options_given(options, "folds") || options_given(options, "fold_column"))
        return true;
    return options_has(options, "lambda") && (options_is(options, "lambda", "cv") || options_is(options, "select", "min") ||
                                              options_is(options, "select", "1se"));
}

const char *fold_column(const Options *options)
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
