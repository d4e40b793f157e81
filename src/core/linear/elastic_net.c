/*
 * elastic_net.c - least squares with a penalty on the absolute and the squared coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda (alpha sum |b_j| + (1 - alpha) sum b_j^2) (Zou & Hastie 2005): no 1/2
 * before any of the squares.
 */
#include "core/linear/ridge_path.h"
#include "core/linear/lasso_fit.h"

static const OptionSpec elastic_options[] = {
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     FROM_ZERO_TO_ONE,
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
    LINEAR_PATH_ESTIMATOR,
    .options = OPTION_TABLES(LINEAR_PATH_OPTIONS, options_linear_descent, elastic_options),
    .positional = elastic_positional,
    .help = "Least squares with a penalty on absolute and squared coefficients: many are 0, and correlated features "
            "share the weight.",
    .source = "Zou & Hastie 2005, JRSS B 67(2); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
    .fit = elastic_fit,
};
