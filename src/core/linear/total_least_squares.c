/*
 * total_least_squares.c - the plane with the least sum of squared orthogonal distances to the rows.
 *
 * The right singular vector of [X y], centered if there is an intercept, for its smallest singular value
 * (Golub & Van Loan 1980); from the triangular factor, so that the squares are never formed. Terms that depend
 * exactly on others are dropped as in least squares.
 */
#include "core/linalg/svd.h"
#include "core/linear/linear_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEARLY 1e-6 /* relative distance of the two smallest singular values below which there is a WARNING */

static const OptionSpec total_options[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant; without one, the plane passes through the origin."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Measure distances in standard deviations (divisor n) of features and target, also in orthogonal_rss."},
    {.name = NULL}};

static void refuse_categories(Env *env, const Model *moments)
{
    for (uint32_t f = 0; f < moments->field_count; f++) {
        char name[SCHEMA_NAME_SIZE];
        if (schema_field_kind(moments, f) != FIELD_CATEGORICAL)
            continue;
        schema_field_name(moments, f, name, sizeof(name));
        env_fail(env, ERROR_DATA,
                 "Leave it out, fit one model per group, or use pgfit.linear_regression, which treats features as "
                 "exact.",
                 "total least squares assumes an error in every feature, but a category such as \"%s\" has none", name);
    }
}

static double column_length(const double *column, uint32_t rows)
{
    double sum = 0;

    for (uint32_t i = 0; i < rows; i++)
        sum = hypot(sum, column[i]);
    return sum;
}

/* Returns the triangle [n x n] of the kept terms and the target, divided by scales [n]. r: their triangle. */
static double *matrix_of(Env *env, double *r, uint32_t ld, uint32_t n, const double *scales)
{
    double *a = env_array(env, (size_t)n * n + 1, sizeof(double));
    double *target = r + (size_t)(n - 1) * ld;

    /* the residual of the target may take several rows below the terms */
    target[n - 1] = column_length(target + n - 1, ld - (n - 1));
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++)
            a[(size_t)j * n + i] = r[(size_t)j * ld + i] / scales[j];
    return a;
}

static void check_unique(LinearFit *fit, double least, double next, double largest, uint32_t n)
{
    double distance = next - least;

    if (distance <= 100 * n * DBL_EPSILON * largest)
        env_fail(fit->env, ERROR_DATA,
                 "Use other features, or pgfit.linear_regression, where the target alone has errors.",
                 "total least squares has no unique solution: the smallest singular value, %.6g, occurs twice",
                 least);
    if (distance <= NEARLY * next)
        env_warn(fit->env, ERROR_DATA, "Use other features, or pgfit.linear_regression.",
                 "total least squares is nearly undetermined: the smallest singular values are %.10g and %.10g",
                 least, next);
}

/* Sets the coefficients of the kept terms from the singular vector; returns the smallest singular value. */
static double solve(LinearFit *fit, double *a, uint32_t n, const uint32_t *kept, const double *scales)
{
    Env *env = fit->env;
    double largest = 0, least, next = INFINITY;
    const double *v;
    Singular form;

    for (uint32_t j = 0; j < n; j++)
        largest = fmax(largest, column_length(a + (size_t)j * n, j + 1));
    form = singular_make(env, a, n, NULL, NULL);
    least = form.values[n - 1];
    v = form.vectors + (size_t)(n - 1) * n;
    if (n > 1) {
        next = form.values[n - 2];
        check_unique(fit, least, next, largest, n);
    }
    if (fabs(v[n - 1]) <= 100 * n * DBL_EPSILON / fmin(1, (next - least) / largest))
        env_fail(env, ERROR_DATA,
                 "Drop features until the rest do not depend on each other, or use pgfit.linear_regression.",
                 "total least squares has no solution: the plane nearest to the rows is parallel to the target's axis");
    for (uint32_t j = 0; j + 1 < n; j++)
        fit->coef[kept[j]] = -v[j] / v[n - 1] * (scales[n - 1] / scales[j]);
    return least;
}

static Model *total_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                        ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    LinearFit *fit = linear_begin(env, moments_design(env, input->moments, intercept), intercept);
    uint32_t ld, count, *kept;
    double *r, *scales, least;

    refuse_categories(env, input->moments);
    ld = fit->design->terms + 1;
    env_require_memory(env, 2 * (size_t)ld * ld * sizeof(double) + singular_memory(ld), "total least squares");
    kept = env_array(env, ld, sizeof(uint32_t));
    scales = env_array(env, ld, sizeof(double));
    r = env_array_raw(env, (size_t)ld * ld, sizeof(double));
    memcpy(r, fit->design->factor, (size_t)ld * ld * sizeof(double));
    count = linear_drop_dependent(fit, r, kept);
    fit->condition = linear_condition(env, r, ld, count);
    for (uint32_t j = 0; j <= count; j++) {
        uint32_t column = j < count ? kept[j] : ld - 1;
        double deviation = options_boolean(options, "standardize") ? linear_deviation(fit, column) : 1;
        scales[j] = deviation > 0 ? deviation : 1;
    }
    least = solve(fit, matrix_of(env, r, ld, count + 1, scales), count + 1, kept, scales);
    fit->df_model = NAN;
    linear_set_intercept(fit);
    fit->rss = linear_residual(fit);
    builder_fact_finite(builder, "orthogonal_rss", least * least);
    return linear_finish(fit, builder);
}

const Estimator estimator_total_least_squares = {
    .name = "total_least_squares",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, total_options),
    .help = "The plane nearest to the rows by orthogonal distance, for features that are measured with errors, like "
            "the target.",
    .source = "Golub & Van Loan 1980, SIAM J. Numer. Anal. 17(6)",
    .fit = total_fit,
    .arrays = linear_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .summary = linear_summary,
    .statistics = linear_statistics,
};
