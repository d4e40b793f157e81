/*
 * linear_robust.c - robust standard errors of least squares: centered rows and their residuals, for core/inference.
 */
#include "core/linear/linear_robust.h"

#include "core/inference/robust_model.h"
#include "core/inference/sandwich.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

typedef struct Pass {
    LinearFit *fit;
    const LinearRows *rows;
    uint32_t first, count; /* coefficients before the terms, and all */
    double absorbed;
    double *factor, *center, *scale; /* [count x count], [count] */
    double *x; /* [count] */
} Pass;

/* Sets the factor of all columns: the root of the weight, and the triangle of the centered terms. */
static void set_factor(Pass *pass)
{
    const LinearFit *fit = pass->fit;
    uint32_t ld = fit->design->terms + 1, first = pass->first;

    if (first)
        pass->factor[0] = sqrt(fit->design->weight);
    for (uint32_t i = 0; i < fit->kept; i++) {
        memcpy(pass->factor + (size_t)(i + first) * pass->count + first, fit->triangle + (size_t)i * ld, (i + 1) * sizeof(double));
        if (first)
            pass->center[i + first] = fit->design->means[fit->kept_terms[i]];
    }
    for (uint32_t i = 0; i < pass->count; i++)
        pass->scale[i] = 1;
}

/* Sets x to the centered terms of a row and returns its residual. */
static double read_row(const Pass *pass, const double *row)
{
    const LinearFit *fit = pass->fit;
    const Design *design = fit->design;
    double residual = row[pass->rows->kept.target] - (pass->first ? design->target_mean : 0);

    if (pass->first)
        pass->x[0] = 1;
    for (uint32_t i = 0; i < fit->kept; i++) {
        uint32_t t = fit->kept_terms[i];
        double value = linear_rows_term(pass->rows, design, row, t) - (pass->first ? design->means[t] : 0);

        pass->x[i + pass->first] = value;
        residual -= value * fit->coef[t];
    }
    return residual;
}

static SandwichResult sum_rows(Pass *pass, const VcovPlan *plan)
{
    const LinearFit *fit = pass->fit;
    Env *env = fit->env;
    const KeptRows *rows = &pass->rows->kept;
    uint8_t flags = fit->design->schema->flags;
    SandwichFit sandwich_fit = {.count = pass->count,
                                .intercept = pass->first,
                                .factor = pass->factor,
                                .ld = pass->count,
                                .center = pass->center,
                                .scale = pass->scale,
                                .rows = fit->rows,
                                .weight = fit->design->weight,
                                .absorbed = pass->absorbed,
                                .weighted = rows->weight > 0,
                                .frequency = (flags & MODEL_FREQUENCY) != 0};
    Sandwich *sandwich = sandwich_begin(env, plan, &sandwich_fit);
    uint64_t done = 0, all = (uint64_t)rows->counts[0] + rows->counts[1];

    for (int part = 0; part < 2; part++)
        for (uint32_t i = 0; i < rows->counts[part]; i++) {
            const double *row = rows->rows[part] + (size_t)i * rows->width;
            SandwichRow own = {.weight = rows->weight > 0 ? row[rows->weight] : 1, .variance = 1, .tags = row + rows->width - rows->tags};

            own.residual = read_row(pass, row);
            sandwich_add(sandwich, pass->x, &own);
            if (done++ % 4096 == 0)
                env->progress(env, "standard errors", done, all, NAN);
            if (done % 256 == 0)
                env->poll(env);
        }
    return sandwich_finish(sandwich);
}

/* Replaces the packed covariance of all terms, in which dropped ones have 0. */
static void set_covariance(const Pass *pass, const double *covariance)
{
    LinearFit *fit = pass->fit;
    uint32_t first = pass->first;

    memset(fit->covariance, 0, factor_packed(fit->design->terms + first) * sizeof(double));
    for (uint32_t j = 0; j < pass->count; j++)
        for (uint32_t i = 0; i <= j; i++) {
            uint32_t row = i < first ? 0 : fit->kept_terms[i - first] + first, column = j < first ? 0 : fit->kept_terms[j - first] + first;

            fit->covariance[factor_packed(column) + row] = covariance[(size_t)j * pass->count + i];
        }
    fit->scaled = true;
}

/* Returns the degrees of freedom of all terms; a dropped term has 1. */
static double *spread_df(const Pass *pass, const double *df)
{
    const LinearFit *fit = pass->fit;
    uint32_t all = fit->design->terms + pass->first;
    double *out;

    if (df == NULL)
        return NULL;
    out = env_array(fit->env, (size_t)all + 1, sizeof(double));
    for (uint32_t i = 0; i < all; i++)
        out[i] = 1;
    for (uint32_t i = 0; i < pass->count; i++)
        out[i < pass->first ? 0 : fit->kept_terms[i - pass->first] + pass->first] = df[i];
    return out;
}

void linear_robust(LinearFit *fit, const VcovPlan *plan, const LinearRows *rows, double absorbed, ModelBuilder *builder)
{
    Env *env = fit->env;
    Pass pass = {.fit = fit, .rows = rows, .first = fit->with_intercept, .count = fit->kept + fit->with_intercept, .absorbed = absorbed};
    SandwichResult result;

    if (plan->kind == VCOV_CLASSICAL || pass.count == 0 || !(fit->rows - pass.count - absorbed > 0))
        return;
    if (rows->kept.width == 0 || rows->kept.tags != (plan->kind == VCOV_NW ? 1 : 2 * plan->clusters))
        env_fail(env, ERROR_PARAMETER, "Fit from the rows, or for HC0 to HC3 compute the moments with option \"keep_rows\": true.",
                 "\"vcov\": \"%s\" needs the rows, and these moments keep none", vcov_name(plan->kind));
    env_require_memory(env, (size_t)pass.count * (pass.count + 3) * sizeof(double), "the covariance of the coefficients");
    pass.factor = env_array(env, (size_t)pass.count * (pass.count + 3), sizeof(double));
    pass.center = pass.factor + (size_t)pass.count * pass.count;
    pass.scale = pass.center + pass.count;
    pass.x = pass.scale + pass.count;
    set_factor(&pass);
    result = sum_rows(&pass, plan);
    set_covariance(&pass, result.covariance);
    robust_add(env, builder, plan->kind, &result, spread_df(&pass, result.df), fit->design->terms + pass.first);
}
