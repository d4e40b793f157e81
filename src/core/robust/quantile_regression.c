/*
 * quantile_regression.c - a linear equation for a quantile of the target, such as its median (Koenker & Bassett 1978).
 *
 * Standard errors are those of a sandwich with the density of the residuals at 0: from a kernel over the residuals (Powell 1991), or from
 * the equations of two quantiles nearby (Hendricks & Koenker 1992), both with the bandwidth of Hall & Sheather (1988). Limits without standard
 * errors come from rank-score tests (rank_limits.h).
 */
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/robust/coefficient_limits.h"
#include "core/robust/rank_limits.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

#define NOT_CROSSING 3.666852862501036e-11 /* DBL_EPSILON^(2/3), as in R's quantreg: what two predictions must differ by */

static const char *const error_kinds[] = {"kernel", "nid", "none", "rank", NULL};

/* Nearer to 0 or 1, the losses of one side are lost in the rounding of the others. */
#define EXTREME_QUANTILE 1e-9

static const OptionSpec quantile_options[] = {
    {.name = "errors",
     .types = OPTION_STRING,
     .fallback = "\"kernel\"",
     .choices = error_kinds,
     .help = "Standard errors from a kernel density of the residuals (kernel), from two more fits at quantiles nearby (nid), or none; or "
             "limits from rank-score tests, without standard errors (rank)."},
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the equation has a constant."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients()."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1000000,
     .help = "Maximum number of steps; reaching it gives a WARNING."},
    {.name = "quantile",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     .minimum = EXTREME_QUANTILE,
     .maximum = 1 - EXTREME_QUANTILE,
     .help = "The share of rows below the equation: 0.5 for the median."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "1e-14",
     ABOVE_ZERO_TO_ONE,
     .help = "Stop when the sum of the check losses is at most this share above the least one, by the duality gap."},
    {.name = NULL}};

static const char *const quantile_positional[] = {"quantile", NULL};

typedef struct Fit {
    Env *env;
    const StandardizedRows *rows;
    QuantileSolver *solver;
    QuantileSolution solution;
    double quantile, count; /* of rows */
    double level;           /* of limits */
} Fit;

/* ---- standard errors ---- */

/* Returns the bandwidth of Hall & Sheather for limits at 0.95, halved until both quantiles are between 0 and 1. */
static double bandwidth(const Fit *fit)
{
    double x = normal_quantile(fit->quantile), density = exp(-x * x / 2) / sqrt(2 * M_PI), h;

    h = pow(fit->count, -1.0 / 3) * pow(normal_quantile(0.975), 2.0 / 3) * cbrt(1.5 * density * density / (2 * x * x + 1));
    while (fit->quantile - h < 0 || fit->quantile + h > 1)
        h /= 2;
    return h;
}

/* Returns a quantile of sorted numbers, linear between them. */
static double sorted_quantile(const double *sorted, uint64_t count, double quantile)
{
    double place = quantile * ((double)count - 1);
    uint64_t low = (uint64_t)place;

    return low + 1 < count ? sorted[low] + (place - (double)low) * (sorted[low + 1] - sorted[low]) : sorted[count - 1];
}

/* Sets densities [rows] by a normal kernel over the residuals; returns false if they do not vary. */
static bool kernel_densities(const Fit *fit, double *densities)
{
    Env *env = fit->env;
    uint64_t n = quantile_rows(fit->solver);
    double *sorted = env_array_raw(env, n, sizeof(double)), mean = 0, squares = 0, spread, h = bandwidth(fit);

    quantile_residuals(fit->solver, fit->solution.theta, true, densities);
    memcpy(sorted, densities, n * sizeof(double));
    sort_polled(env, sorted, n, sizeof(double), compare_numbers);
    for (uint64_t i = 0; i < n; i++) {
        mean += densities[i] / (double)n;
        env_poll_rows(fit->env, i);
    }
    for (uint64_t i = 0; i < n; i++) {
        squares += (densities[i] - mean) * (densities[i] - mean);
        env_poll_rows(fit->env, i);
    }
    spread = fmin(sqrt(squares / ((double)n - 1)), (sorted_quantile(sorted, n, 0.75) - sorted_quantile(sorted, n, 0.25)) / 1.34);
    env->release(env, sorted);
    h = (normal_quantile(fit->quantile + h) - normal_quantile(fit->quantile - h)) * spread;
    for (uint64_t i = 0; i < n; i++) {
        densities[i] = exp(-0.5 * (densities[i] / h) * (densities[i] / h)) / (sqrt(2 * M_PI) * h);
        env_poll_rows(fit->env, i);
    }
    return h > 0 && isfinite(h);
}

/* Sets densities [rows] to the slope of the quantiles, 0 where the two equations cross. */
static bool nearby_densities(const Fit *fit, double *densities)
{
    Env *env = fit->env;
    uint64_t n = quantile_rows(fit->solver), crossed = 0;
    double h = bandwidth(fit);
    QuantileSolution low = quantile_solve(fit->solver, fit->quantile - h), high = quantile_solve(fit->solver, fit->quantile + h);

    if (!low.converged || !high.converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\", or use \"errors\": \"kernel\".",
                 "the equations of quantiles %.4g and %.4g, for standard errors, did not converge", fit->quantile - h, fit->quantile + h);
    for (uint32_t j = 0; j < fit->rows->count; j++)
        high.theta[j] -= low.theta[j];
    quantile_scores(fit->solver, high.theta, true, densities);
    for (uint64_t i = 0; i < n; i++) {
        crossed += !(densities[i] > 0);
        densities[i] = fmax(0, 2 * h / (densities[i] - NOT_CROSSING));
        env_poll_rows(fit->env, i);
    }
    if (crossed > 0)
        env_warn(env, ERROR_DATA, "Use \"errors\": \"kernel\".", "the equations of quantiles %.4g and %.4g cross in %llu of %llu rows, which add nothing to the standard errors",
                 fit->quantile - h, fit->quantile + h, (unsigned long long)crossed, (unsigned long long)n);
    return true;
}

/* Replaces matrix [k x k] by factor^-1' factor^-1 matrix, where factor is lower. */
static void solve_both(Env *env, const double *factor, uint32_t k, double *matrix)
{
    cholesky_solve(env, factor, k, matrix, k);
    cholesky_solve_transposed(env, factor, k, matrix, k);
}

/* Sets out->covariance, unless it does not exist. */
static void add_errors(const Fit *fit, const char *kind, LinearEquations *out)
{
    Env *env = fit->env;
    uint32_t k = fit->rows->count, all = fit->rows->design->terms + fit->rows->intercept;
    uint64_t n = quantile_rows(fit->solver);
    double *densities, *gram, *bread, *meat, *packed, times = fit->quantile * (1 - fit->quantile);

    if (strcmp(kind, "none") == 0 || k == 0 || n <= k)
        return;
    env_require_memory(env, (2 * n + 3 * (size_t)k * k + factor_packed(all)) * sizeof(double), "the standard errors of quantile regression");
    densities = env_array_raw(env, n, sizeof(double));
    if (!(strcmp(kind, "nid") == 0 ? nearby_densities : kernel_densities)(fit, densities))
        return;
    gram = env_array(env, factor_packed(k) + 1, sizeof(double));
    bread = env_array(env, (size_t)k * k + 1, sizeof(double));
    meat = env_array(env, (size_t)k * k + 1, sizeof(double));
    quantile_gram(fit->solver, NULL, gram);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            meat[(size_t)j * k + i] = meat[(size_t)i * k + j] = times * gram[factor_packed(j) + i];
    quantile_gram(fit->solver, densities, gram);
    dense_from_packed(bread, gram, k);
    if (cholesky_factor(env, bread, k, CHOLESKY_TOLERANCE(k)) < k) {
        env_warn(env, ERROR_DATA, "Use more rows.", "too few rows are near quantile %.6g of quantile_regression for standard errors", fit->quantile);
        return;
    }
    solve_both(env, bread, k, meat);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < j; i++) {
            double number = meat[(size_t)j * k + i];

            meat[(size_t)j * k + i] = meat[(size_t)i * k + j];
            meat[(size_t)i * k + j] = number;
        }
    solve_both(env, bread, k, meat);
    packed = env_array(env, factor_packed(all) + 1, sizeof(double));
    if (linear_rows_covariance(fit->rows, meat, k, packed))
        out->covariance = packed;
}

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
static void add_limits(const Fit *fit, const LinearEquations *out, ModelBuilder *builder)
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
    critical = t_critical(fit->level, (double)(quantile_rows(fit->solver) - k));
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

static void add_facts(const Fit *fit, ModelBuilder *builder)
{
    builder_fact_bool(builder, "converged", fit->solution.converged);
    builder_fact(builder, "df_model", fit->rows->terms);
    builder_fact(builder, "duality_gap", fit->solution.gap);
    builder_fact_i64(builder, "iterations", fit->solution.iterations);
    builder_fact(builder, "null_objective", quantile_null_objective(fit->solver, fit->quantile));
    builder_fact(builder, "objective", fit->solution.objective);
    if (!fit->solution.converged)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".",
                 "quantile_regression stopped after %lld steps with a duality gap of %g", (long long)fit->solution.iterations, fit->solution.gap);
}

static Model *quantile_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    RowDesign *design = row_design(env, input->rows, intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, self->name);
    const Model *schema = rows_schema(input->rows);
    StandardizedRows *rows;
    LinearEquations out;
    Fit fit = {.env = env, .quantile = options_number(options, "quantile"), .count = model_counted_rows(schema), .level = options_number(options, "level")};

    if ((schema->flags & MODEL_FREQUENCY) != 0)
        env_fail(env, ERROR_PARAMETER, "Leave \"weight_kind\" out, or pass each row as often as its weight says.",
                 "quantile_regression takes no weights that count rows");
    fit.rows = rows = standardized_rows(env, design, intercept, NULL, ROWS_INDEPENDENT, self->name);
    if (rows_count(input->rows) < rows->count)
        env_fail(env, ERROR_DATA, "Use more rows or fewer features.",
                 "quantile_regression needs at least as many rows as coefficients: %.0f rows, %u coefficients", fit.count, rows->count);
    out = linear_rows_equations(rows, 1);
    linear_equations_drop(&out, rows->dropped, NULL, "Leave them out, or add rows.", builder);
    fit.solver = quantile_solver(rows, options_number(options, "tolerance"), options_integer(options, "max_iter"));
    fit.solution = quantile_solve(fit.solver, fit.quantile);
    linear_rows_set(&out, rows, 0, fit.solution.theta, self->name, "Multiply the features by a large number.");
    add_facts(&fit, builder);
    if (options_is(options, "errors", "rank"))
        add_limits(&fit, &out, builder);
    else
        add_errors(&fit, options_string(options, "errors"), &out);
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
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, quantile_options),
    .positional = quantile_positional,
    .help = "A linear equation for the median or another quantile of the target, which outliers of the target do not move.",
    .source = "Koenker & Bassett 1978, Econometrica 46(1); Portnoy & Koenker 1997, Statistical Science 12(4)",
    .fit = quantile_fit,
    .arrays = quantile_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &quantile_scoring,
    .coefficients = limits_coefficients,
    .to_sql = linear_to_sql,
    .summary = quantile_summary,
    .statistics = quantile_statistics,
};
