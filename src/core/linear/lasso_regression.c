/*
 * lasso_regression.c - least squares with a penalty on the absolute coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda sum |b_j| (Tibshirani 1996).
 */
#include "core/rows/special_columns.h"
#include "core/linear/lasso_fit.h"

#include <math.h>

static const char *const lasso_positional[] = {"lambda", NULL};

static PathSolver *lasso_open(LinearFit *fit, const Options *options)
{
    return lasso_path_open(fit, options, 1);
}

static Model *lasso_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                        ModelBuilder *builder)
{
    return linear_path_fit(env, input, options, builder, lasso_open);
}

const Estimator estimator_lasso_regression = {
    .name = "lasso_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .takes_offset = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, options_folds, option_few_folds, option_intercept, options_linear_penalty,
                             option_path, options_linear_path, options_linear_descent),
    .positional = lasso_positional,
    .help = "Least squares with a penalty on the absolute coefficients, which sets many of them to 0.",
    .source = "Tibshirani 1996, JRSS B 58(1); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
    .fit = lasso_fit,
    .arrays = linear_path_array_tables,
    .check = linear_path_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .tables = linear_path_tables,
    .to_sql = linear_to_sql,
    .summary = linear_summary,
    .statistics = linear_path_statistics,
};
