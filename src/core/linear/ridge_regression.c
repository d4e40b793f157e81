/*
 * ridge_regression.c - least squares with a squared penalty on the coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda |b|^2 by the triangle of the factor on top of sqrt(lambda) I (Hoerl &
 * Kennard 1970; Golub 1965), so that X'X is never formed.
 */
#include "core/rows/special_columns.h"
#include "core/linear/ridge_path.h"

#include <math.h>

static const char *const ridge_words[] = {"path", "cv", "gcv", "loo", NULL};
static const char *const ridge_rules[] = {"min", "1se", "aic", "bic", "gcv", "loo", NULL};

static const OptionSpec ridge_options[] = {
    FOLD_OPTIONS,
    LINEAR_OPTION_INTERCEPT("Whether the equation has a constant; it is not penalized."),
    LINEAR_OPTION_LAMBDA(ridge_words,
                         "The penalty on the sum of squared coefficients, 0 is least squares; several; or chosen "
                         "on a path of them, by cross-validation with \"cv\", by generalized "
                         "cross-validation with \"gcv\", or by leaving out each row with \"loo\", which keeps the rows."),
    LINEAR_OPTION_LEVEL("Confidence of the limits that coefficients() gives where lambda is 0."),
    LINEAR_OPTION_LOSS,
    LINEAR_OPTION_PATH,
    LINEAR_OPTION_PATH_RATIO("1e-08"),
    {.name = "penalize_intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Penalizes the constant too, as if it were a feature that is always 1."},
    FOLD_OPTION_SEED,
    LINEAR_OPTION_SELECT(ridge_rules, LINEAR_SELECT_HELP),
    LINEAR_OPTION_STANDARDIZE(LINEAR_STANDARDIZE_PENALTY),
    {.name = NULL}};

static const char *const ridge_positional[] = {"lambda", NULL};

static Model *ridge_fit(Env *env, const FitInput *input, const Options *options)
{
    return linear_path_fit(env, &estimator_ridge_regression, input, options, ridge_path_open);
}

const Estimator estimator_ridge_regression = {
    .name = "ridge_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .supervised = true,
    .options = ridge_options,
    .positional = ridge_positional,
    .help = "Least squares with a penalty on the squared coefficients, for correlated or many features.",
    .source = "Hoerl & Kennard 1970, Technometrics 12(1)",
    .fit = ridge_fit,
    .check = linear_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .summary = linear_summary,
    .statistics = linear_path_statistics,
};
