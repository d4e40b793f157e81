/*
 * quantile_fit.c - what fits of one quantile and of several share: options, rows and standard errors.
 */
#include "core/robust/quantile_fit.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/estimator/shared_options.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

#define NOT_CROSSING 3.666852862501036e-11 /* DBL_EPSILON^(2/3), as in R's quantreg: what two predictions must differ by */

const OptionSpec quantile_fit_options[] = {
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the equation has a constant."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients()."},
    OPTION_MAX_ITER("100", 1e6, "steps"),
    OPTION_TOLERANCE("1e-14", "Stop when the sum of the check losses is at most this share above the least one, by the duality gap."),
    {.name = NULL}};

/* ---- rows and solutions ---- */

QuantileFit quantile_begin(Env *env, const Estimator *self, const FitInput *input, const Options *options)
{
    bool intercept = options_boolean(options, "intercept");
    RowDesign *design = row_design(env, input->rows, intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, self->name);
    const Model *schema = rows_schema(input->rows);
    StandardizedRows *rows;

    if ((schema->flags & MODEL_FREQUENCY) != 0)
        env_fail(env, ERROR_PARAMETER, "Leave \"weight_kind\" out, or pass each row as often as its weight says.",
                 "%s takes no weights that count rows", self->name);
    rows = standardized_rows(env, design, intercept, NULL, ROWS_INDEPENDENT, self->name);
    if (rows_count(input->rows) < rows->count)
        env_fail(env, ERROR_DATA, "Use more rows or fewer features.", "%s needs at least as many rows as coefficients: %.0f row%s, %u coefficients",
                 self->name, model_counted_rows(schema), model_counted_rows(schema) == 1 ? "" : "s", rows->count);
    return (QuantileFit){.env = env, .self = self, .options = options, .rows = rows, .count = model_counted_rows(schema),
                         .solver = quantile_solver(rows, options_number(options, "tolerance"), options_integer(options, "max_iter"))};
}

void quantile_fit_next(QuantileFit *fit, double quantile, LinearEquations *out, uint32_t equation)
{
    fit->quantile = quantile;
    fit->solution = quantile_solve(fit->solver, quantile);
    linear_rows_set(out, fit->rows, equation, fit->solution.theta, fit->self->name, "Multiply the features by a large number.");
    if (!fit->solution.converged)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%s stopped after %lld step%s with a duality gap of %g",
                 fit->self->name, (long long)fit->solution.iterations, fit->solution.iterations == 1 ? "" : "s", fit->solution.gap);
}

/* ---- standard errors ---- */

/* Returns the bandwidth of Hall & Sheather for limits at 0.95, halved until both quantiles are between 0 and 1. */
static double bandwidth(const QuantileFit *fit)
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

/* Sets densities [rows] by a normal kernel over the residuals; returns false if they do not vary, with a warning if only half of them do. */
static bool kernel_densities(const QuantileFit *fit, double *densities)
{
    Env *env = fit->env;
    uint64_t n = quantile_rows(fit->solver);
    double *sorted = env_array_raw(env, n, sizeof(double)), mean = 0, squares = 0, middle, h = bandwidth(fit);

    quantile_residuals(fit->solver, fit->solution.theta, true, densities);
    quantile_drop_rounding(fit->solver, densities); /* their density would be that of rounding errors, and so would be the standard errors */
    memcpy(sorted, densities, n * sizeof(double));
    sort_numbers(env, sorted, n, sizeof(double));
    for (uint64_t i = 0; i < n; i++) {
        mean += densities[i] / (double)n;
        env_poll_rows(fit->env, i);
    }
    for (uint64_t i = 0; i < n; i++) {
        squares += (densities[i] - mean) * (densities[i] - mean);
        env_poll_rows(fit->env, i);
    }
    middle = sorted_quantile(sorted, n, 0.75) - sorted_quantile(sorted, n, 0.25);
    env->release(env, sorted);
    if (middle == 0 && squares > 0)
        env_warn(env, ERROR_DATA, "Use \"errors\": \"nid\".", "half of the residuals of quantile %.6g of %s are equal: they have no density for standard errors",
                 fit->quantile, fit->self->name);
    h = (normal_quantile(fit->quantile + h) - normal_quantile(fit->quantile - h)) * fmin(sqrt(squares / ((double)n - 1)), middle / 1.34);
    for (uint64_t i = 0; i < n; i++) {
        densities[i] = exp(-0.5 * (densities[i] / h) * (densities[i] / h)) / (sqrt(2 * M_PI) * h);
        env_poll_rows(fit->env, i);
    }
    return h > 0 && isfinite(h);
}

/* Sets densities [rows] to the slope of the quantiles, 0 where the two equations cross. */
static bool nearby_densities(const QuantileFit *fit, double *densities)
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
        bool apart = densities[i] > NOT_CROSSING;

        crossed += !apart;
        densities[i] = apart ? 2 * h / (densities[i] - NOT_CROSSING) : 0;
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

/* Transposes a square matrix. */
static void transpose(double *matrix, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < j; i++) {
            double number = matrix[(size_t)j * k + i];

            matrix[(size_t)j * k + i] = matrix[(size_t)i * k + j];
            matrix[(size_t)i * k + j] = number;
        }
}

/* Returns the sandwich of the standardized columns, [k x k], by the density of each row; NULL if too few rows have one. */
static double *sandwich(const QuantileFit *fit, const double *densities)
{
    Env *env = fit->env;
    uint32_t k = fit->rows->count;
    double *gram = env_array(env, factor_packed(k), sizeof(double)), *bread = env_array(env, (size_t)k * k, sizeof(double));
    double *meat = env_array(env, (size_t)k * k, sizeof(double)), times = fit->quantile * (1 - fit->quantile);

    quantile_gram(fit->solver, NULL, gram);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            meat[(size_t)j * k + i] = meat[(size_t)i * k + j] = times * gram[factor_packed(j) + i];
    quantile_gram(fit->solver, densities, gram);
    dense_from_packed(bread, gram, k);
    if (cholesky_factor(env, bread, k, CHOLESKY_TOLERANCE(k)) < k) {
        env->release(env, meat);
        meat = NULL;
        env_warn(env, ERROR_DATA, "Use more rows.", "too few rows are near quantile %.6g of %s for standard errors", fit->quantile, fit->self->name);
    } else {
        solve_both(env, bread, k, meat);
        transpose(meat, k);
        solve_both(env, bread, k, meat);
    }
    env->release(env, gram);
    env->release(env, bread);
    return meat;
}

double *quantile_covariance(const QuantileFit *fit, const char *kind)
{
    Env *env = fit->env;
    uint32_t k = fit->rows->count, all = fit->rows->design->terms + fit->rows->intercept;
    uint64_t n = quantile_rows(fit->solver);
    double *densities, *covariance = NULL, *packed;

    if (strcmp(kind, "none") == 0 || k == 0 || n <= k)
        return NULL;
    env_require_memory(env, (2 * n + 3 * (size_t)k * k + factor_packed(all)) * sizeof(double), "the standard errors of quantile regression");
    densities = env_array_raw(env, n, sizeof(double));
    if ((strcmp(kind, "nid") == 0 ? nearby_densities : kernel_densities)(fit, densities))
        covariance = sandwich(fit, densities);
    env->release(env, densities);
    if (covariance == NULL)
        return NULL;
    packed = env_array(env, factor_packed(all) + 1, sizeof(double));
    if (!linear_rows_covariance(fit->rows, covariance, k, packed)) {
        env->release(env, packed);
        packed = NULL;
    }
    env->release(env, covariance);
    return packed;
}
