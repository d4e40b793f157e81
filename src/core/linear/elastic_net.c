/*
 * elastic_net.c - least squares with a penalty on the absolute and the squared coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda (alpha sum |b_j| + (1 - alpha) sum b_j^2) (Zou & Hastie 2005): no 1/2
 * before any of the squares.
 */
#include "core/rows/special_columns.h"
#include "core/linear/ridge_path.h"
#include "core/linear/lasso_fit.h"

#include <math.h>

static const OptionSpec elastic_options[] = {
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .help = "The share of the penalty on the absolute coefficients: 1 is lasso, 0 ridge."},
    {.name = NULL}};

static const char *const elastic_positional[] = {"lambda", "alpha", NULL};

static PathSolver *elastic_open(LinearFit *fit, const Options *options)
{
    double alpha = options_number(options, "alpha");

    return alpha > 0 ? lasso_path_open(fit, options, alpha) : ridge_path_open(fit, options);
}

static Model *elastic_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                          ModelBuilder *builder)
{
    return linear_path_fit(env, input, options, builder, elastic_open);
}

const Estimator estimator_elastic_net = {
    .name = "elastic_net",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .takes_offset = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, options_folds, option_few_folds, option_intercept, options_linear_penalty,
                             option_path, options_linear_path, options_linear_descent, elastic_options),
    .positional = elastic_positional,
    .help = "Least squares with a penalty on absolute and squared coefficients: many are 0, and correlated features "
            "share the weight.",
    .source = "Zou & Hastie 2005, JRSS B 67(2); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
    .fit = elastic_fit,
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
