/*
 * penalized_regression.c - least squares with a penalty on the coefficients: ridge_regression, lasso_regression and elastic_net.
 *
 * They minimize |y - Xb - a|^2 + lambda (alpha sum |b_j| + (1 - alpha) sum b_j^2): no 1/2 before any of the squares. alpha is 0 for ridge
 * (Hoerl & Kennard 1970), 1 for lasso (Tibshirani 1996), and an option of the elastic net (Zou & Hastie 2005).
 */
#include "core/linear/linear_bounded.h"

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

static const OptionSpec elastic_options[] = {
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     FROM_ZERO_TO_ONE,
     .help = "The share of the penalty on the absolute coefficients: 1 is lasso, 0 ridge."},
    {.name = NULL}};

static const char *const one_positional[] = {"lambda", NULL};
static const char *const elastic_positional[] = {"lambda", "alpha", NULL};

static PathSolver *open_path(LinearFit *fit, const Options *options)
{
    bool ridge = options_has(options, "penalize_intercept");
    double alpha = options_has(options, "alpha") ? options_number(options, "alpha") : !ridge;

    if (bounds_given(options))
        return bounded_path_open(fit, options, alpha);
    return alpha > 0 ? lasso_path_open(fit, options, alpha) : ridge_path_open(fit, options);
}

static Model *penalized_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    return linear_path_fit(env, input, options, builder, open_path);
}

/* What the three have in common. */
#define PENALIZED                                                                                                      \
    .task = TASK_REGRESSION, .input = INPUT_MOMENTS, .takes_offset = true, .null_model = true, .supervised = true,     \
    .fit = penalized_fit, .arrays = linear_path_array_tables, .check = linear_path_check, .accept = linear_accept,     \
    .scoring = &linear_scoring, .coefficients = linear_coefficients, .tables = linear_path_tables,                     \
    .to_sql = linear_to_sql, .summary = linear_summary, .statistics = linear_path_statistics
#define PENALIZED_OPTIONS                                                                                              \
    options_common, options_folds, option_too_few_rows, option_intercept, options_linear_penalty, option_path, options_linear_path,  \
        options_bounds

const Estimator estimator_ridge_regression = {
    .name = "ridge_regression",
    PENALIZED,
    .options = OPTION_TABLES(PENALIZED_OPTIONS, ridge_options),
    .positional = one_positional,
    .help = "Least squares with a penalty on the squared coefficients, for correlated or many features.",
    .source = "Hoerl & Kennard 1970, Technometrics 12(1)",
};

const Estimator estimator_lasso_regression = {
    .name = "lasso_regression",
    PENALIZED,
    .options = OPTION_TABLES(PENALIZED_OPTIONS, options_linear_descent),
    .positional = one_positional,
    .help = "Least squares with a penalty on the absolute coefficients, which sets many of them to 0.",
    .source = "Tibshirani 1996, JRSS B 58(1); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
};

const Estimator estimator_elastic_net = {
    .name = "elastic_net",
    PENALIZED,
    .options = OPTION_TABLES(PENALIZED_OPTIONS, options_linear_descent, elastic_options),
    .positional = elastic_positional,
    .help = "Least squares with a penalty on absolute and squared coefficients: many are 0, and correlated features "
            "share the weight.",
    .source = "Zou & Hastie 2005, JRSS B 67(2); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
};
