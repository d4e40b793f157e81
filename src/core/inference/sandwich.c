/*
 * sandwich.c - coordinates of the rows, the meat of independent errors, and the product of bread and meat.
 */
#include "core/inference/sandwich_internal.h"

#include "core/base/all_finite.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL_FLOPS 1e8

/* Replaces the columns of b [count x n] by R^-T b. */
static void solve_transposed(const Sandwich *sandwich, double *b, uint32_t n)
{
    const SandwichFit *fit = &sandwich->fit;
    uint32_t most = (uint32_t)fmin(n, fmax(1, CALL_FLOPS / ((double)fit->count * fit->count)));
    int order = (int)fit->count, ld = (int)fit->ld;
    const double factor = ldexp(1, sandwich->exponent);

    for (uint32_t first = 0, now; first < n; first += now) {
        int columns;

        now = n - first < most ? n - first : most;
        columns = (int)now;
        dtrsm_("L", "U", "T", "N", &order, &columns, &factor, fit->factor, &ld, b + (size_t)first * fit->count, &order, 1, 1, 1, 1);
        sandwich->env->poll(sandwich->env);
    }
}

/* ---- rows ---- */

/* Scales weights whose mean is so far from 1 that squares of them would overflow or vanish. Those that count rows stay. */
static void scale_weights(Sandwich *sandwich)
{
    int exponent;

    (void)frexp(sandwich->fit.weight / sandwich->fit.rows, &exponent);
    if (!sandwich->fit.weighted || sandwich->fit.frequency || abs(exponent) < 100)
        return;
    sandwich->exponent = exponent / 2;
    sandwich->fit.weight = ldexp(sandwich->fit.weight, -2 * sandwich->exponent);
}

Sandwich *sandwich_begin(Env *env, const VcovPlan *plan, const SandwichFit *fit)
{
    Sandwich *sandwich = env_array(env, 1, sizeof(Sandwich));
    size_t k = fit->count;

    if (plan->kind == VCOV_NW && fit->frequency)
        env_fail(env, ERROR_PARAMETER, "Leave \"weight_kind\" out, or pass each row as often as its weight says.",
                 "\"vcov\": \"NW\" takes no weights that count rows");
    sandwich->env = env;
    sandwich->plan = *plan;
    sandwich->fit = *fit;
    scale_weights(sandwich);
    sandwich->tags = plan->kind == VCOV_NW ? 1 : 2 * plan->clusters;
    env_require_memory(env, (4 * k * k + 2 * SANDWICH_BLOCK * k) * sizeof(double), "the covariance of the coefficients");
    sandwich->bread = env_array(env, k * k + 1, sizeof(double));
    sandwich->meat = env_array(env, k * k + 1, sizeof(double));
    sandwich->q = env_array(env, SANDWICH_BLOCK * k + 1, sizeof(double));
    sandwich->block = env_array(env, SANDWICH_BLOCK, sizeof(SandwichRow));
    sandwich->block_tags = env_array(env, SANDWICH_BLOCK * ROW_TAGS_MAX, sizeof(double));
    for (size_t j = 0; j < k; j++) {
        sandwich->bread[j * k + j] = 1 / fit->scale[j];
        if (j > 0 && fit->intercept)
            sandwich->bread[j] = -fit->center[j] / fit->scale[j];
    }
    solve_transposed(sandwich, sandwich->bread, fit->count);
    if (vcov_clustered(plan->kind))
        clusters_begin(sandwich);
    if (plan->kind == VCOV_NW)
        sandwich->kept.width = fit->count + 2;
    return sandwich;
}

/* Returns what q of a row of independent errors is multiplied by. */
static double independent_factor(Sandwich *sandwich, const double *q, const SandwichRow *row)
{
    const SandwichFit *fit = &sandwich->fit;
    VcovKind kind = sandwich->plan.kind;
    double own = fit->frequency ? 1 : row->weight, left = 0, count = fit->frequency ? sqrt(row->weight) : 1;

    if (kind != VCOV_HC2 && kind != VCOV_HC3)
        return own * row->residual * count;
    for (uint32_t j = 0; j < fit->count; j++)
        left += q[j] * q[j];
    left = 1 - own * row->variance * left;
    if (left < SANDWICH_ONE) {
        sandwich->saturated++;
        return 0;
    }
    return own * row->residual * count / (kind == VCOV_HC2 ? sqrt(left) : left);
}

/* Returns the sum of a row's regressors but the intercept, as they came. */
static double sum_regressors(const SandwichFit *fit, const double *x)
{
    double sum = 0;

    for (uint32_t j = fit->intercept; j < fit->count; j++)
        sum += x[j] * fit->scale[j] + fit->center[j];
    return fit->count == fit->intercept ? 1 : sum;
}

static void finish_block(Sandwich *sandwich)
{
    uint32_t k = sandwich->fit.count, rows = sandwich->filled;
    double sums[SANDWICH_BLOCK];

    for (uint32_t i = 0; i < rows; i++)
        sums[i] = sandwich->plan.kind == VCOV_NW ? sum_regressors(&sandwich->fit, sandwich->q + (size_t)i * k) : 0;
    solve_transposed(sandwich, sandwich->q, rows);
    if (vcov_clustered(sandwich->plan.kind))
        clusters_add(sandwich);
    for (uint32_t i = 0; i < rows && !vcov_clustered(sandwich->plan.kind); i++) {
        double *q = sandwich->q + (size_t)i * k;

        if (sandwich->plan.kind == VCOV_NW) {
            series_add(sandwich, q, &sandwich->block[i], sums[i]);
        } else {
            double times = independent_factor(sandwich, q, &sandwich->block[i]);

            for (uint32_t j = 0; j < k; j++)
                q[j] *= times;
        }
    }
    if (!vcov_clustered(sandwich->plan.kind) && sandwich->plan.kind != VCOV_NW)
        sandwich_add_products(sandwich, 1, sandwich->q, rows);
    sandwich->filled = 0;
}

void sandwich_add(Sandwich *sandwich, const double *x, const SandwichRow *row)
{
    uint32_t i = sandwich->filled;

    memcpy(sandwich->q + (size_t)i * sandwich->fit.count, x, sandwich->fit.count * sizeof(double));
    sandwich->block[i] = *row;
    if (sandwich->exponent != 0)
        sandwich->block[i].weight = ldexp(row->weight, -2 * sandwich->exponent);
    if (sandwich->tags > 0) {
        sandwich->block[i].tags = sandwich->block_tags + (size_t)i * ROW_TAGS_MAX;
        memcpy(sandwich->block_tags + (size_t)i * ROW_TAGS_MAX, row->tags, sandwich->tags * sizeof(double));
    }
    if (++sandwich->filled == SANDWICH_BLOCK)
        finish_block(sandwich);
}

/* ---- the result ---- */

static void require_leverages(const Sandwich *sandwich)
{
    if (sandwich->saturated > 0)
        env_fail(sandwich->env, ERROR_DATA, "Use \"HC1\", or leave out the terms that single rows determine, such as levels of one row.",
                 "\"vcov\": \"%s\" divides by 1 - leverage, which is 0 for %llu of %.0f rows", vcov_name(sandwich->plan.kind),
                 (unsigned long long)sandwich->saturated, sandwich->fit.rows);
}

/* Returns bread' meat bread. */
static double *multiply(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    uint32_t k = sandwich->fit.count;
    double *right = env_array_raw(env, (size_t)k * k + 1, sizeof(double)), *covariance = env_array_raw(env, (size_t)k * k + 1, sizeof(double));

    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < j; i++)
            sandwich->meat[(size_t)i * k + j] = sandwich->meat[(size_t)j * k + i];
    sandwich_product(env, false, sandwich->meat, k, k, sandwich->bread, k, right);
    sandwich_product(env, true, sandwich->bread, k, k, right, k, covariance);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < j; i++)
            covariance[(size_t)i * k + j] = covariance[(size_t)j * k + i];
    return covariance;
}

SandwichResult sandwich_finish(Sandwich *sandwich)
{
    SandwichResult result = {0};
    double n = sandwich->fit.rows, k = sandwich->fit.count + sandwich->fit.absorbed;
    size_t size = (size_t)sandwich->fit.count * sandwich->fit.count;

    finish_block(sandwich);
    require_leverages(sandwich);
    if (vcov_clustered(sandwich->plan.kind))
        clusters_finish(sandwich, &result);
    if (sandwich->plan.kind == VCOV_NW)
        series_finish(sandwich);
    for (size_t i = 0; i < size && sandwich->plan.kind == VCOV_HC1; i++)
        sandwich->meat[i] *= n / (n - k);
    result.covariance = multiply(sandwich);
    if (all_finite(result.covariance, size))
        result.df = sandwich->df;
    else
        env_warn(sandwich->env, ERROR_RANGE, "Divide large features or the target by a power of ten, and multiply small ones.",
                 "the variances of the coefficients exceed the range of double precision: there are no standard errors");
    result.lag = sandwich->lag;
    return result;
}

double wald_f(Env *env, double *covariance, double *estimates, uint32_t count)
{
    double sum = 0;

    if (count == 0 || cholesky_factor(env, covariance, count, CHOLESKY_TOLERANCE(count)) < count)
        return NAN;
    cholesky_solve(env, covariance, count, estimates, 1);
    for (uint32_t i = 0; i < count; i++)
        sum += estimates[i] * estimates[i];
    return sum / count;
}
