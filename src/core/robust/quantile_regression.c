/*
 * quantile_regression.c - a linear equation for a quantile of the target, such as its median (Koenker & Bassett 1978).
 *
 * Limits without standard errors come from rank-score tests (rank_limits.h).
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/robust/coefficient_limits.h"
#include "core/robust/quantile_fit.h"
#include "core/robust/rank_limits.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

static const char *const error_kinds[] = {"kernel", "nid", "none", "rank", NULL};

static const OptionSpec quantile_options[] = {
    {.name = "errors",
     .types = OPTION_STRING,
     .fallback = "\"kernel\"",
     .choices = error_kinds,
     .help = "Standard errors from a kernel density of the residuals (kernel), from two more fits at quantiles nearby (nid), or none; or "
             "limits from rank-score tests, without standard errors (rank)."},
    {.name = "quantile",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST,
     .fallback = "0.5",
     .minimum = EXTREME_QUANTILE,
     .maximum = 1 - EXTREME_QUANTILE,
     .help = "The share of rows below the equation: 0.5 for the median; a list makes a model of multiple_quantile_regression."},
    {.name = "rearrange", .types = OPTION_BOOLEAN, .unset = "false", .help = "With a list of quantiles: whether the predictions of each row are sorted."},
    {.name = NULL}};

static const char *const quantile_positional[] = {"quantile", NULL};

/* ---- limits from ranks ---- */

/* Sets direction [rows->count] to that of the intercept (term -1) or of a kept term: its inner product with theta is the coefficient. */
static void set_direction(const StandardizedRows *rows, int64_t term, double *direction)
{
    memset(direction, 0, rows->count * sizeof(double));
    if (term >= 0) {
        direction[term + rows->intercept] = 1 / rows->scale[rows->term[term]];
        return;
    }
    direction[0] = 1;
    for (uint32_t t = 0; t < rows->terms; t++)
        direction[t + 1] = -rows->center[rows->term[t]] / rows->scale[rows->term[t]];
}

/* Returns direction'(X'X)^-1 direction from the factor of X'X. solved: [k], for the work. */
static double direction_variance(Env *env, const double *factor, uint32_t k, const double *direction, double *solved)
{
    double sum = 0;

    memcpy(solved, direction, k * sizeof(double));
    cholesky_solve(env, factor, k, solved, 1);
    for (uint32_t j = 0; j < k; j++)
        sum += solved[j] * solved[j];
    return sum;
}

/* Adds the limits of all coefficients to the model, unless they do not exist. */
static void add_limits(const QuantileFit *fit, const LinearEquations *out, ModelBuilder *builder)
{
    Env *env = fit->env;
    const StandardizedRows *rows = fit->rows;
    uint32_t k = rows->count, columns = out->slots + out->levels + 1;
    double *low, *high, *gram, *factor, *direction, limits[2], critical;
    RankWalk *walk;

    if (k == 0 || quantile_rows(fit->solver) <= k)
        return;
    low = env_array(env, 2 * (size_t)columns, sizeof(double));
    high = low + columns;
    gram = env_array(env, factor_packed(k), sizeof(double));
    factor = env_array(env, (size_t)k * k, sizeof(double));
    direction = env_array(env, 2 * (size_t)k, sizeof(double));
    critical = t_critical(options_number(fit->options, "level"), (double)(quantile_rows(fit->solver) - k));
    quantile_gram(fit->solver, NULL, gram);
    dense_from_packed(factor, gram, k);
    walk = cholesky_factor(env, factor, k, CHOLESKY_TOLERANCE(k)) == k ? rank_walk(fit->solver, fit->solution.theta, fit->quantile) : NULL;
    for (uint32_t i = 0; i < k; i++) {
        int64_t term = (int64_t)i - rows->intercept;
        uint32_t column = term < 0 ? 0 : 1 + linear_column(out->slots, out->terms, rows->term[term]);

        set_direction(rows, term, direction);
        if (walk == NULL || !rank_limits(walk, direction, direction_variance(env, factor, k, direction, direction + k), critical, limits)) {
            env_warn(env, ERROR_DATA, "Use \"errors\": \"kernel\".", "quantile_regression has no limits from ranks: the rows are too near to a dependence of their features");
            return;
        }
        low[column] = limits[0];
        high[column] = limits[1];
        env->progress(env, "limits from ranks", i + 1, k, NAN);
    }
    limits_add(builder, low, high, columns - 1);
}

/* ---- the fit ---- */

static void add_facts(const QuantileFit *fit, ModelBuilder *builder)
{
    builder_fact_bool(builder, "converged", fit->solution.converged);
    builder_fact(builder, "df_model", fit->rows->terms);
    builder_fact(builder, "duality_gap", fit->solution.gap);
    builder_fact_i64(builder, "iterations", fit->solution.iterations);
    builder_fact(builder, "null_objective", quantile_null_objective(fit->solver, fit->quantile));
    builder_fact(builder, "objective", fit->solution.objective);
}

static Model *quantile_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    QuantileFit fit;
    LinearEquations out;

    if (options_boolean(options, "rearrange"))
        env_fail(env, ERROR_PARAMETER, "Give several quantiles, such as \"quantile\": [0.1, 0.5, 0.9].", "option \"rearrange\" needs a list of quantiles, not one");
    fit = quantile_begin(env, self, input, options);
    out = linear_rows_equations(fit.rows, 1);
    linear_equations_drop(&out, fit.rows->dropped, NULL, "Leave them out, or add rows.", builder);
    quantile_fit_next(&fit, options_number(options, "quantile"), &out, 0);
    add_facts(&fit, builder);
    if (options_is(options, "errors", "rank"))
        add_limits(&fit, &out, builder);
    else
        out.covariance = quantile_covariance(&fit, options_string(options, "errors"));
    linear_equations_add(builder, &out);
    return model_build(builder);
}

/* ---- reports ---- */

static const ArraySpec quantile_facts[] = {
    FACT("converged", ARRAY_BOOL), FACT("df_model", ARRAY_F64), FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("duality_gap", ARRAY_F64),
    FACT("iterations", ARRAY_I64), FACT("null_objective", ARRAY_F64), FACT("objective", ARRAY_F64)};

static const ArrayTable quantile_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(limit_arrays), FACT_TABLE(quantile_facts));

/* Adds what R's quantreg derives: the likelihood of asymmetric Laplace errors, and R1 of Koenker & Machado (1999). */
static Model *quantile_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    const Options *options = estimator_options(env, estimator_of(model), model);
    double quantile = options_number(options, "quantile"), n = model_counted_rows(model), objective = model_fact(model, "objective", NAN);
    double null = model_fact(model, "null_objective", NAN), k = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);
    double likelihood = n * (log(quantile * (1 - quantile)) - 1 - log(objective / n));

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "df_residual", fmax(0, n - k));
    if (null > 0)
        builder_fact_finite(builder, "r1", 1 - objective / null);
    builder_fact_finite(builder, "log_likelihood", likelihood);
    builder_fact_finite(builder, "aic", 2 * k - 2 * likelihood);
    builder_fact_finite(builder, "bic", log(n) * k - 2 * likelihood);
    return model_build(builder);
}

static char *quantile_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    Coefficient *list;
    uint32_t count = limits_coefficients(env, model, &list);

    text_print(&out, "quantile_regression: ");
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    linear_put_equations(&out, list, count, count, "t");
    text_print(&out, "\n");
    report_rows(&out, model);
    text_print(&out, "sum of check losses: %.6g", model_fact(facts, "objective", NAN));
    if (!isnan(model_fact(facts, "r1", NAN)))
        text_print(&out, ", R1: %.4f", model_fact(facts, "r1", NAN));
    if (!isnan(model_fact(facts, "aic", NAN))) /* errors without spread have no likelihood */
        text_print(&out, "\nAIC: %.6g, BIC: %.6g, of asymmetric Laplace errors", model_fact(facts, "aic", NAN), model_fact(facts, "bic", NAN));
    if (model_fact(facts, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return out.text;
}

static const Scoring quantile_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_quantile_regression = {
    .name = "quantile_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .takes_offset = true,
    .list_option = "quantile",
    .list_estimator = "multiple_quantile_regression",
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, quantile_fit_options, quantile_options),
    .positional = quantile_positional,
    .help = "A linear equation for the median or another quantile of the target, which outliers of the target do not move.",
    .source = "Koenker & Bassett 1978, Econometrica 46(1); Portnoy & Koenker 1997, Statistical Science 12(4)",
    .fit = quantile_fit,
    .arrays = quantile_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &quantile_scoring,
    .coefficients = limits_coefficients,
    .tables = inflation_tables,
    .to_sql = linear_to_sql,
    .summary = quantile_summary,
    .statistics = quantile_statistics,
};
