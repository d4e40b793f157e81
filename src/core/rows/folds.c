/*
 * folds.c - what the options of cross-validation say.
 */
#include "core/rows/folds.h"

const OptionSpec options_folds[] = {
    {.name = "fold_column",
     .types = OPTION_STRING,
     .help = "A column of the feature row whose whole numbers are the folds of cross-validation; "
             "it is no feature."},
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 2,
     .maximum = FOLDS_MAX,
     .help = "Folds of cross-validation, dealt by a hash of the rows: equal rows share one, and empty ones are skipped."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .help = "Another number deals the rows into other folds."},
    {.name = NULL}};

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
