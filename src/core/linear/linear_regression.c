/*
 * linear_regression.c - ordinary (weighted) least squares.
 */
#include "core/estimator/shared_options.h"
#include "core/linear/linear_model.h"
#include "core/linear/linear_options.h"

static const OptionSpec regression_options[] = {
    {.name = "decompose",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Fit one slope per term separately, as if the terms were uncorrelated; there are no standard errors."},
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant; without one, r_squared compares with 0 instead of the mean."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .help = "Confidence level of the limits in coefficients() and predict_interval()."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Accepted because the penalized regressions have it; least squares gives the same equation either way."},
    {.name = "too_few_rows",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = too_few_rows_choices,
     .help = "Like on_failure, for a group with too few rows or classes alone, and without a WARNING."},
    {.name = NULL}};

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    LinearFit *fit = linear_begin(env, input->moments, options);
    uint32_t coefficients;

    if (options_boolean(options, "decompose")) {
        linear_decompose(fit);
    } else {
        coefficients = fit->design->terms + fit->with_intercept;
        if (fit->design->rows < coefficients && too_few_rows_are_null(input, options))
            return NULL;
        if (fit->design->rows < coefficients)
            env_fail(env, ERROR_DATA,
                     "Use more rows or fewer features, or pgfit.ridge_regression, which shares the weight.",
                     "linear_regression needs at least as many rows as coefficients: %.0f rows, %u coefficients",
                     fit->design->rows, coefficients);
        linear_least_squares(fit);
    }
    return linear_finish(fit, builder);
}

const Estimator estimator_linear_regression = {
    .name = "linear_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, regression_options),
    .help = "Least squares: the coefficients with the smallest sum of squared residuals.",
    .source = "Golub & Van Loan, Matrix Computations (QR); Chan, Golub & LeVeque 1983 (merging)",
    .fit = regression_fit,
    .arrays = linear_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .summary = linear_summary,
    .statistics = linear_statistics,
};
