/*
 * linear_statistics.c - statistics of a linear model, derived from the few numbers that it stores.
 */
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"
#include "core/linear_equations/linear_model.h"

#include <math.h>

#define MANY 1e12 /* degrees of freedom: more change no digit of a tail probability, but take long */

static bool has_intercept(const Model *model)
{
    return model_find(model, "intercept") != NULL;
}

double linear_df_residual(const Model *model)
{
    double k = model_fact(model, "df_model", NAN);

    return isfinite(k) ? fmax(0, model_counted_rows(model) - k - has_intercept(model)) : NAN;
}

double linear_sigma(const Model *model)
{
    double df = linear_df_residual(model);

    return df > 0 ? sqrt(model_fact(model, "rss", NAN) / df) : NAN;
}

/* Returns the Wald statistic of all terms that are not dropped, divided by their number; NaN where their covariance is singular. */
static double robust_f(Env *env, const Model *model)
{
    uint32_t count, kept = 0, length;
    const LinearTerm *terms = linear_terms(env, model, &count);
    const uint8_t *dropped = linear_dropped(model);
    const double *packed = model_f64(model, "covariance" MODEL_PACKED, &length);
    uint32_t *places = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    double *covariance, *estimates = env_array(env, (size_t)count + 1, sizeof(double));
    LinearView view;

    linear_view(model, &view);
    for (uint32_t t = 0; t < count; t++)
        if (dropped == NULL || !dropped[terms[t].column]) {
            estimates[kept] = view.coef[terms[t].column];
            places[kept++] = t + has_intercept(model);
        }
    covariance = env_array(env, (size_t)kept * kept + 1, sizeof(double));
    for (uint32_t j = 0; j < kept; j++)
        for (uint32_t i = 0; i <= j; i++)
            covariance[(size_t)j * kept + i] = covariance[(size_t)i * kept + j] = packed[factor_packed(places[j]) + places[i]];
    return wald_f(env, covariance, estimates, kept);
}

/* Adds the F test that all coefficients, but those of absorbed columns, are 0; only least squares has one. */
static void derive_test(Env *env, ModelBuilder *builder, const Model *model, double rss, double tss)
{
    double k = model_fact(model, "df_model", NAN) - model_fact(model, "absorbed_df", 0), df = linear_df_residual(model), f;

    if (model_find(model, "covariance" MODEL_PACKED) == NULL || !(df > 0 && k > 0 && rss > 0))
        return;
    if (robust_is(model)) {
        f = robust_f(env, model);
        df = robust_f_df(model, df);
        if (isnan(f))
            return;
    } else {
        f = fmax(0, model_fact(model, "within_tss", tss) - rss) / k / (rss / df);
    }
    builder_fact_finite(builder, "f_statistic", f);
    builder_fact_finite(builder, "f_p_value", f_upper(f, fmin(k, MANY), fmin(df, MANY)));
}

double linear_log_likelihood(double n, double rss, double log_weight_sum)
{
    return 0.5 * log_weight_sum - 0.5 * n * (log(2 * M_PI) + log(rss / n) + 1);
}

static void derive_likelihood(ModelBuilder *builder, const Model *model, double rss)
{
    double n = model_counted_rows(model), count, likelihood;

    count = model_fact(model, "df_model", NAN) + has_intercept(model) + 1;
    if (model_find(model, "log_likelihood") != NULL) {
        likelihood = model_fact(model, "log_likelihood", NAN);
    } else {
        likelihood = linear_log_likelihood(n, rss, 0);
        builder_fact_finite(builder, "log_likelihood", likelihood);
    }
    builder_fact_finite(builder, "aic", 2 * count - 2 * likelihood);
    builder_fact_finite(builder, "bic", log(n) * count - 2 * likelihood);
}

/* Leaves out what is undefined, such as sigma without degrees of freedom. */
ModelBuilder *linear_statistics_begin(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double rss = model_fact(model, "rss", NAN), tss = model_fact(model, "tss", NAN);
    double n = model_counted_rows(model), df = linear_df_residual(model);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "n", n);
    builder_fact_finite(builder, "mse", rss / model->weight);
    builder_fact_finite(builder, "rmse", sqrt(rss / model->weight));
    builder_fact_finite(builder, "sigma2_ml", rss / n);
    builder_fact_finite(builder, "df_residual", df);
    builder_fact_finite(builder, "sigma", linear_sigma(model));
    if (tss > 0) {
        builder_fact_finite(builder, "r_squared", 1 - rss / tss);
        if (df > 0)
            builder_fact_finite(builder, "adjusted_r_squared",
                   1 - rss / tss * ((n - has_intercept(model)) / df));
    }
    if (model_fact(model, "within_tss", 0) > 0)
        builder_fact_finite(builder, "within_r_squared", 1 - rss / model_fact(model, "within_tss", NAN));
    derive_test(env, builder, model, rss, tss);
    derive_likelihood(builder, model, rss);
    return builder;
}

Model *linear_statistics(Env *env, const Model *model)
{
    return model_build(linear_statistics_begin(env, model));
}
