/*
 * ridge_regression.c - least squares with a squared penalty on the coefficients.
 *
 * Minimises |y - Xb - a|^2 + lambda |b|^2 by the triangle of the factor on top of sqrt(lambda) I (Hoerl &
 * Kennard 1970; Golub 1965), so that X'X is never formed.
 */
#include "linear_model.h"

#include <math.h>

static const char *const losses[] = {"sum", "mean", NULL};

static const OptionSpec ridge_options[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant; it is not penalised."},
    {.name = "lambda",
     .types = OPTION_NUMBER,
     .fallback = "1",
     .minimum = 0,
     .maximum = INFINITY,
     .maximum_open = true,
     .help = "The penalty on the sum of squared coefficients; 0 is least squares."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .help = "Confidence of the limits that coefficients() gives where lambda is 0."},
    {.name = "loss",
     .types = OPTION_STRING,
     .fallback = "\"sum\"",
     .choices = losses,
     .help = "What the penalty is added to: the sum of squared residuals, or their mean."},
    {.name = "penalise_intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Penalises the constant too, as if it were a feature that is always 1."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Penalises the coefficients of features divided by their standard deviation (divisor n)."},
    {.name = NULL}};

static const char *const ridge_positional[] = {"lambda", NULL};

static Model *ridge_fit(Env *env, const Evidence *evidence, const Options *options)
{
    LinearFit *fit = linear_begin(env, evidence->moments, options);
    double lambda = options_number(options, "lambda"), *scales = NULL, penalty = 0;
    LinearFact facts[2];
    Model *model;

    if (fit == NULL)
        return NULL;
    if (options_is(options, "loss", "mean"))
        lambda *= fit->design->weight;
    if (options_boolean(options, "standardize")) {
        scales = env_array(env, fit->design->terms + 1, sizeof(double));
        for (uint32_t t = 0; t < fit->design->terms; t++)
            scales[t] = linear_deviation(fit, t);
    }
    if (lambda == 0)
        linear_least_squares(fit);
    else
        linear_ridge(fit, lambda, scales, options_boolean(options, "penalise_intercept"));

    for (uint32_t t = 0; t < fit->design->terms; t++) {
        double scaled = fit->coef[t] * (scales != NULL ? scales[t] : 1);
        penalty += scaled * scaled;
    }
    if (fit->intercept && options_boolean(options, "penalise_intercept"))
        penalty += fit->offset * fit->offset;
    facts[0] = (LinearFact){"penalty", penalty};
    facts[1] = (LinearFact){"objective", fit->rss + lambda * penalty};
    model = linear_finish_with(fit, &estimator_ridge_regression, evidence, options, facts, 2);
    if (scales != NULL)
        env->release(env, scales);
    return model;
}

static Model *ridge_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = linear_statistics_begin(env, model);
    double df = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);

    if (isfinite(df))
        builder_fact(builder, "effective_df", df);
    return model_build(builder);
}

const Estimator estimator_ridge_regression = {
    .name = "ridge_regression",
    .task = TASK_REGRESSION,
    .evidence = EVIDENCE_MOMENTS,
    .supervised = true,
    .options = ridge_options,
    .positional = ridge_positional,
    .help = "Least squares with a penalty on the squared coefficients, for correlated or many features.",
    .source = "Hoerl & Kennard 1970, Technometrics 12(1)",
    .fit = ridge_fit,
    .check = linear_check,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .summary = linear_summary,
    .statistics = ridge_statistics,
};
