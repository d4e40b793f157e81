/*
 * linear_regression.c - ordinary (weighted) least squares.
 */
#include "core/estimator/shared_options.h"
#include "core/inference/robust_model.h"
#include "core/linear/linear_fit.h"
#include "core/linear/linear_robust.h"
#include "core/linear/standardized_table.h"

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
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients() and predict_interval()."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the standard deviations of the features and of the target for standardized_coefficients(model); the equation is the same either "
             "way."},
    {.name = NULL}};

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    Design *design = moments_design(env, input->moments, intercept);
    VcovPlan vcov = vcov_plan(env, options);
    LinearRows rows = linear_rows(env, design, input->kept);
    Absorbed absorbed = linear_absorb(env, absorbed_columns(env, options, vcov.kind), design, &rows);
    LinearFit *fit = linear_begin(env, design, intercept);
    uint32_t coefficients;

    if (options_boolean(options, "decompose")) {
        if (vcov.kind != VCOV_CLASSICAL)
            env_fail(env, ERROR_PARAMETER, "Leave one of the two out.", "\"decompose\" gives no standard errors, so \"vcov\": \"%s\" means nothing",
                     vcov_name(vcov.kind));
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
        linear_robust(fit, &vcov, &rows, absorbed.df, builder);
        linear_absorbed_add(builder, fit, &absorbed);
    }
    if (options_boolean(options, "standardize"))
        linear_deviations_add(builder, fit);
    return linear_finish(fit, builder);
}

static const ArrayTable regression_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_model_arrays),
                                                                 ARRAY_TABLE(deviation_arrays), ARRAY_TABLE(robust_arrays), FACT_TABLE(linear_facts),
                                                                 FACT_TABLE(robust_facts));

const Estimator estimator_linear_regression = {
    .name = "linear_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_absorb, option_too_few_rows, options_vcov, regression_options),
    .help = "Least squares: the coefficients with the smallest sum of squared residuals.",
    .source = "Golub & Van Loan, Matrix Computations (QR); Chan, Golub & LeVeque 1983 (merging)",
    .fit = regression_fit,
    .arrays = regression_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .tables = standardized_tables,
    .summary = linear_summary,
    .statistics = linear_statistics,
};
