/*
 * m_model.c - models of M-estimates: their covariance, facts and reports.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/robust/m_solver.h"
#include "core/linear_equations/linear_model.h"

/*
 * Returns how many standard deviations of an unweighted least squares estimate one of this estimate is: the root of
 * K^2 (sum of psi^2 / (n - p)) / (mean of psi')^2 in Huber 1981 (6.5), with his correction K for few rows; for the bisquare times the root
 * of the mean weight, which makes X'WX as large as X'X. Not finite if psi' is 0 everywhere.
 */
static double error_factor(const MSolver *solver, MLoss loss)
{
    double squares = 0, slopes = 0, slope_squares = 0, weights = 0, n = solver->weight, mean, correction;

    for (uint64_t i = 0; i < solver->count; i++) {
        double u = solver->residuals[i] / solver->scale, count = solver->counts != NULL ? solver->counts[i] : 1;
        double weight = m_weight(loss, u), slope = m_slope(loss, u);

        weights += count * weight;
        squares += count * (u * weight) * (u * weight);
        slopes += count * slope;
        slope_squares += count * slope * slope;
        if (i % DESIGN_TILE == 0)
            solver->env->poll(solver->env);
    }
    mean = slopes / n;
    correction = 1 + solver->width * (slope_squares - slopes * mean) / (n - 1) / (n * mean * mean);
    return solver->scale * sqrt(squares / (n - solver->width)) * correction / mean * (loss.bisquare ? sqrt(weights / n) : 1);
}

/* Adds the covariance of the coefficients, unless it does not exist. */
static void add_covariance(MSolver *solver, MLoss loss, LinearEquations *out)
{
    Env *env = solver->env;
    uint32_t k = solver->width, all = solver->rows->design->terms + solver->rows->intercept;
    double factor, *inverse, *packed;

    if (k == 0 || solver->scale == 0 || solver->weight <= k)
        return;
    factor = error_factor(solver, loss) * solver->unit;
    if (!isfinite(factor) || factor <= 0)
        return;
    env_require_memory(env, ((size_t)k * k + factor_packed(all)) * sizeof(double), solver->method);
    m_products(solver, loss.bisquare ? &loss : NULL);
    if (cholesky_factor(env, solver->dense, k, 0) < k)
        return;
    inverse = env_array(env, (size_t)k * k, sizeof(double));
    for (uint32_t j = 0; j < k; j++)
        inverse[(size_t)j * k + j] = factor;
    cholesky_solve(env, solver->dense, k, inverse, k);
    cholesky_solve_transposed(env, solver->dense, k, inverse, k);
    for (size_t i = 0; i < (size_t)k * k; i++)
        inverse[i] *= factor;
    packed = env_array(env, factor_packed(all) + 1, sizeof(double));
    if (linear_rows_covariance(solver->rows, inverse, k, packed))
        out->covariance = packed;
}

Model *m_model(MSolver *solver, MLoss loss, ModelBuilder *builder)
{
    Env *env = solver->env;
    StandardizedRows *rows = solver->rows;
    LinearEquations out = linear_rows_equations(rows, 1);
    double *theta = env_array(env, (size_t)solver->width + 1, sizeof(double));

    if (solver->singular)
        env_fail(env, ERROR_RANGE, "Multiply small weights by a large number, or leave out features that depend on others.",
                 "the weighted features of %s are too small, or too close to dependent, for a number", solver->method);
    if (!solver->converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%s stopped after %lld step%s, the last of which moved the residuals by %g times their scale",
                 solver->method, (long long)solver->iterations, solver->iterations == 1 ? "" : "s", solver->moved);
    for (uint32_t j = 0; j < solver->width; j++)
        theta[j] = solver->theta[j] * solver->unit;
    linear_equations_drop(&out, rows->dropped, NULL, "Leave them out, or add rows.", builder);
    linear_rows_set(&out, rows, 0, theta, solver->method, "Multiply the features by a large number.");
    if (solver->scale == 0 && solver->weight > solver->width)
        env_warn(env, ERROR_DATA, "Use linear_regression, or look at how many rows have the same target.",
                 "at least half of the rows lie on the equation of %s, so its scale is 0 and it has no standard errors", solver->method);
    builder_fact_bool(builder, "converged", solver->converged);
    builder_fact(builder, "df_model", rows->terms);
    builder_fact_i64(builder, "iterations", solver->iterations);
    builder_fact(builder, "scale", solver->scale * solver->unit);
    add_covariance(solver, loss, &out);
    linear_equations_add(builder, &out);
    return model_build(builder);
}

/* ---- reports ---- */

Model *m_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "df_residual", linear_df_residual(model));
    return model_build(builder);
}

char *m_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    Coefficient *list;
    uint32_t count = linear_coefficients(env, model, &list);

    text_print(&out, "%s: ", estimator_of(model)->name);
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    linear_put_equations(&out, list, count, count, "t");
    text_print(&out, "\n");
    report_rows(&out, model);
    text_print(&out, "scale of the residuals: %.6g, degrees of freedom: %.6g, steps: %.0f", model_fact(model, "scale", NAN), linear_df_residual(model),
               model_fact(model, "iterations", NAN));
    if (model_fact(model, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return out.text;
}
