/*
 * ridge_regression.c - least squares with a squared penalty on the coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda |b|^2 by the triangle of the factor on top of sqrt(lambda) I (Hoerl &
 * Kennard 1970; Golub 1965), so that X'X is never formed.
 */
#include "core/linear/ridge_path.h"

static const char *const ridge_words[] = {"path", "cv", "gcv", "loo", NULL};
static const char *const ridge_rules[] = {"min", "1se", "aic", "bic", "gcv", "loo", NULL};

static const OptionSpec ridge_options[] = {
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .fallback = "1",
     .replaced_by = "penalty_budget",
     FROM_ZERO,
     .choices = ridge_words,
     .help = "The penalty on the sum of squared coefficients (0: least squares): a number, an array of numbers, "
             "\"path\" for a path of them; or chosen by cross-validation (\"cv\"), generalized cross-validation "
             "(\"gcv\") or leave-one-out (\"loo\", which keeps the rows)."},
    {.name = "path_ratio",
     .types = OPTION_NUMBER,
     .fallback = "1e-08",
     BETWEEN_ZERO_AND_ONE,
     .help = LINEAR_PATH_RATIO_HELP},
    {.name = "penalize_intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to penalize the constant too, as if it were a feature that is always 1."},
    {.name = "select", .types = OPTION_STRING, .choices = ridge_rules, .unset = "the smallest lambda; min with cv", .help = LINEAR_SELECT_HELP},
    {.name = NULL}};

static const char *const ridge_positional[] = {"lambda", NULL};

static Model *ridge_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                        ModelBuilder *builder)
{
    return linear_path_fit(env, input, options, builder, ridge_path_open);
}

const Estimator estimator_ridge_regression = {
    .name = "ridge_regression",
    LINEAR_PATH_ESTIMATOR,
    .options = OPTION_TABLES(LINEAR_PATH_OPTIONS, ridge_options),
    .positional = ridge_positional,
    .help = "Least squares with a penalty on the squared coefficients, for correlated or many features.",
    .source = "Hoerl & Kennard 1970, Technometrics 12(1)",
    .fit = ridge_fit,
};
