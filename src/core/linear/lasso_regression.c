/*
 * lasso_regression.c - least squares with a penalty on the absolute coefficients.
 *
 * Minimizes |y - Xb - a|^2 + lambda sum |b_j| (Tibshirani 1996).
 */
#include "core/linear/lasso_fit.h"

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
    LINEAR_PATH_ESTIMATOR,
    .options = OPTION_TABLES(LINEAR_PATH_OPTIONS, options_linear_descent),
    .positional = lasso_positional,
    .help = "Least squares with a penalty on the absolute coefficients, which sets many of them to 0.",
    .source = "Tibshirani 1996, JRSS B 58(1); Friedman, Hastie & Tibshirani 2010, J. Stat. Softw. 33(1)",
    .fit = lasso_fit,
};
