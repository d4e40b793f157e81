/*
 * linear_build.c - turns a linear fit into a model: the facts and arrays that it stores.
 */
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"
#include "core/linear/linear_fit.h"

#include <math.h>
#include <string.h>

/* Returns the residual degrees of freedom; there are none if it is 0 or less. */
static double residual_df(const LinearFit *fit)
{
    return fit->rows - fit->df_model - fit->with_intercept;
}

/* Adds the facts that linear_statistics cannot derive from the rest of the model. */
static void add_facts(ModelBuilder *builder, const LinearFit *fit)
{
    builder_fact_finite(builder, "rss", fit->rss);
    builder_fact_finite(builder, "tss", fit->tss);
    builder_fact_finite(builder, "df_model", fit->df_model);
    builder_fact_finite(builder, "condition_number", fit->condition);
    if (fit->design->log_weight_sum != 0)
        builder_fact_finite(builder, "log_likelihood",
                 linear_log_likelihood(fit->rows, fit->rss, fit->design->log_weight_sum));
}

static void warn_no_tests(const LinearFit *fit)
{
    double coefficients = fit->df_model + fit->with_intercept;

    if (fit->covariance != NULL && !fit->scaled && !(residual_df(fit) > 0))
        env_warn(fit->env, ERROR_DATA, "Use more rows or fewer features.",
                 "%.0f row%s for %.0f coefficient%s: standard errors and tests do not exist", fit->rows, fit->rows == 1 ? "" : "s",
                 coefficients, coefficients == 1 ? "" : "s");
}

static void require_finite(const LinearFit *fit)
{
    bool finite = isfinite(fit->intercept) && isfinite(fit->rss) && isfinite(fit->tss);

    for (uint32_t t = 0; t < fit->design->terms; t++)
        finite = finite && isfinite(fit->coef[t]);
    if (!finite)
        env_fail(fit->env, ERROR_RANGE, "Divide large features or the target by a power of ten.",
                 "the coefficients or the sums of squares exceed the range of double precision");
}

static LinearEquations equation_of(const LinearFit *fit)
{
    const Design *design = fit->design;
    LinearEquations out = linear_equations(fit->env, design->schema, FIT_TERMS(design), 1, fit->with_intercept ? design->means : NULL);
    double unpenalized = design->target_mean;

    if (fit->with_intercept)
        out.offset[0] = design->target_mean;
    for (uint32_t t = 0; t < design->terms; t++) {
        linear_equations_set(&out, 0, t, fit->coef[t]);
        unpenalized -= fit->coef[t] * design->means[t];
    }
    if (fit->with_intercept && unpenalized != fit->intercept) /* a penalized intercept does not follow from the means */
        out.offset[0] += fit->intercept - unpenalized;
    return out;
}

/* Adds the means of the columns of levels. */
static void add_level_means(ModelBuilder *builder, const LinearFit *fit, uint32_t levels)
{
    const Design *design = fit->design;
    double *means;

    if (levels == 0 || !fit->with_intercept)
        return;
    means = env_array(fit->env, levels, sizeof(double));
    for (uint32_t t = 0; t < design->terms; t++)
        if (design->term_level[t] >= 0)
            means[design->term_level[t]] = design->means[t];
    builder_f64(builder, SECTION_ARRAYS, "level_means", means, levels);
}

/* Returns the covariance of the coefficients, packed; NULL without one, without degrees of freedom to estimate it or out of range. */
static double *covariance_of(const LinearFit *fit)
{
    uint32_t size = fit->design->terms + fit->with_intercept;
    double df = residual_df(fit), variance = fit->scaled ? 1 : fit->rss / df;

    if (fit->covariance == NULL || !(fit->scaled || df > 0) || size == 0)
        return NULL;
    for (size_t i = 0; i < factor_packed(size); i++)
        fit->covariance[i] *= variance;
    return all_finite(fit->covariance, factor_packed(size)) ? fit->covariance : NULL;
}

Model *linear_finish(LinearFit *fit, ModelBuilder *builder)
{
    LinearEquations equation = equation_of(fit);
    bool ridge = strcmp(builder_header(builder)->estimator, "ridge_regression") == 0;

    require_finite(fit);
    linear_equations_drop(&equation, fit->dropped, NULL,
                          ridge ? "Leave them out, add rows, or give a \"lambda\" above 0, which shares the weight."
                                : "Leave them out, add rows, or use pgfit.ridge_regression, which shares the weight.",
                          builder);
    warn_no_tests(fit);

    add_facts(builder, fit);
    equation.covariance = covariance_of(fit);
    linear_equations_add(builder, &equation);
    add_level_means(builder, fit, equation.levels);
    return model_build(builder);
}
