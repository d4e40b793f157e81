/*
 * kernel_ridge_solve.c - kernel ridge regression by Cholesky factors and by eigenvalues.
 *
 * Of 900 rows, the eigenvalues give the errors of a grid of lambdas in 0.14 s; a factor per lambda takes 0.48 s. Of 200 rows it is 2 and
 * 8 ms.
 *
 * Weights enter through B = R K R + lambda I with R the roots of the weights: the inverse of K + lambda W^-1 is R B^-1 R.
 */
#include "core/kernel_methods/kernel_ridge_solve.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/eigen.h"
#include "core/rows/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define EIGEN_ROWS 1000 /* more rows: LAPACK's call for the tridiagonal matrix could not be canceled within 100 ms */
#define POLL_ROWS 64

/* What all lambdas share. */
typedef struct Scaled {
    double total;    /* weight */
    double mean;     /* subtracted from the targets */
    double *targets; /* [n] less the mean */
    double *roots;   /* [n] of the weights; NULL: 1 */
} Scaled;

size_t kernel_ridge_memory(uint32_t n, bool many)
{
    size_t vectors = (size_t)n * 80 * sizeof(double), square = (size_t)n * n * sizeof(double);

    if (!many)
        return vectors;
    return vectors + (n > EIGEN_ROWS ? square : square + eigen_memory(n, n));
}

static Scaled scale(const KernelRidge *ridge)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    Scaled out = {.targets = env_array(env, n, sizeof(double))};

    for (uint32_t i = 0; i < n; i++) {
        double weight = row_weight(ridge->weights, i);

        out.total += weight;
        out.mean += (ridge->targets[i] - out.mean) * (weight / out.total);
    }
    if (!ridge->intercept)
        out.mean = 0;
    for (uint32_t i = 0; i < n; i++)
        out.targets[i] = ridge->targets[i] - out.mean;
    if (ridge->weights == NULL)
        return out;
    out.roots = env_array(env, n, sizeof(double));
    for (uint32_t i = 0; i < n; i++)
        out.roots[i] = sqrt(ridge->weights[i]);
    return out;
}

static double root_of(const Scaled *scaled, uint32_t i)
{
    return scaled->roots != NULL ? scaled->roots[i] : 1;
}

/* Returns R K R with lambda added to the diagonal: in place, or a copy. */
static double *matrix_with(const KernelRidge *ridge, const Scaled *scaled, double lambda, bool in_place)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    double *a = in_place ? ridge->gram : env_array_raw(env, (size_t)n * n, sizeof(double));

    for (uint32_t i = 0; i < n; i++) {
        const double *from = ridge->gram + (size_t)i * n;
        double *to = a + (size_t)i * n;

        if (!in_place)
            memcpy(to, from, n * sizeof(double));
        for (uint32_t j = 0; scaled->roots != NULL && j < n; j++)
            to[j] *= scaled->roots[i] * scaled->roots[j];
        to[i] += lambda;
        env_poll_every(env, i, POLL_ROWS);
    }
    return a;
}

/*
 * Returns the leave-one-out residual of row i. moved: (M (y - mean))_i, ones: (M 1)_i, inverse: M_ii. A row whose leverage is 1
 * determines its own prediction: the residual is infinite.
 */
static double left_out(const KernelRidge *ridge, const Scaled *scaled, double lambda, uint32_t i, double moved, double ones,
                       double inverse)
{
    double weight = row_weight(ridge->weights, i), removed = ridge->counts ? fmin(1, weight) : weight;
    double own = lambda * inverse / weight; /* 1 - leverage */
    double left = removed < weight ? 1 - removed / weight * (1 - own) : own;
    double shift = ridge->intercept ? -removed * scaled->targets[i] / (scaled->total - removed) : 0;
    double residual = lambda / weight * (moved - shift * ones) / left;

    return isfinite(residual) ? residual : INFINITY;
}

/* ---- one lambda ---- */

/* Sets the fields of leave-one-out from (M 1) and the diagonal of M. */
static void leave_out(const KernelRidge *ridge, const Scaled *scaled, double lambda, const double *ones, const double *inverse,
                      KernelRidgeFit *fit)
{
    double sum = 0, df = 0;

    fit->residuals = env_array(ridge->env, ridge->n, sizeof(double));
    for (uint32_t i = 0; i < ridge->n; i++) {
        double weight = row_weight(ridge->weights, i);
        double residual = left_out(ridge, scaled, lambda, i, fit->multipliers[i], ones[i], inverse[i]);

        fit->residuals[i] = residual;
        sum += weight / scaled->total * residual * residual;
        df += 1 - lambda * inverse[i] / weight;
        if (ridge->intercept) /* the mean, less its share in the smooth part */
            df += lambda * ones[i] / scaled->total;
    }
    fit->loo_mse = sum;
    fit->df = df;
}

KernelRidgeFit kernel_ridge_fit(const KernelRidge *ridge, double lambda, bool loo, bool spend)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    Scaled scaled = scale(ridge);
    KernelRidgeFit fit = {.intercept = scaled.mean, .loo_mse = NAN, .df = NAN};
    double *a = matrix_with(ridge, &scaled, lambda, spend), *right = env_array(env, 3 * (size_t)n, sizeof(double));
    double *ones = right + n, *inverse = right + 2 * (size_t)n;

    for (uint32_t i = 0; i < n; i++)
        inverse[i] = a[(size_t)i * n + i];
    fit.solved = cholesky_factor(env, a, n, 8 * DBL_EPSILON) == n;
    if (!fit.solved) {
        if (!spend)
            env->release(env, a);
        return fit;
    }
    for (uint32_t i = 0; i < n; i++) {
        double pivot = a[(size_t)i * n + i];

        fit.rounding = fmax(fit.rounding, DBL_EPSILON * inverse[i] / (pivot * pivot));
        right[i] = scaled.targets[i] * root_of(&scaled, i);
        ones[i] = root_of(&scaled, i);
    }
    cholesky_solve(env, a, n, right, loo ? 2 : 1);
    cholesky_solve_transposed(env, a, n, right, loo ? 2 : 1);
    if (loo)
        cholesky_inverse_diagonal(env, a, n, inverse);
    if (!spend)
        env->release(env, a);
    fit.multipliers = right;
    for (uint32_t i = 0; i < n; i++) {
        double root = root_of(&scaled, i), weight = row_weight(ridge->weights, i), residual;

        right[i] *= root;
        ones[i] *= root;
        inverse[i] *= root * root;
        residual = lambda * right[i] / weight;
        fit.mse += weight / scaled.total * residual * residual;
    }
    if (loo)
        leave_out(ridge, &scaled, lambda, ones, inverse, &fit);
    return fit;
}

/* ---- many lambdas ---- */

/* Q' R y, Q' R 1 and the values of R K R = Q D Q', for all lambdas. */
typedef struct Spectrum {
    const double *values;
    double *vectors; /* [n x n], one per row */
    double *targets, *ones;
} Spectrum;

static Spectrum decompose(const KernelRidge *ridge, const Scaled *scaled)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    double *scaled_targets = env_array(env, 2 * (size_t)n, sizeof(double)), *scaled_ones = scaled_targets + n;
    Spectrum out;
    Eigen *eigen = eigen_begin(env, matrix_with(ridge, scaled, 0, false), n);

    out.values = eigen_values(eigen);
    out.vectors = env_array_raw(env, (size_t)n * n, sizeof(double));
    eigen_vectors(eigen, n, out.vectors);
    out.targets = env_array(env, 2 * (size_t)n, sizeof(double));
    out.ones = out.targets + n;
    for (uint32_t i = 0; i < n; i++) {
        scaled_ones[i] = root_of(scaled, i);
        scaled_targets[i] = scaled->targets[i] * scaled_ones[i];
    }
    for (uint32_t j = 0; j < n; j++) {
        out.targets[j] = column_dot(out.vectors + (size_t)j * n, scaled_targets, n);
        out.ones[j] = column_dot(out.vectors + (size_t)j * n, scaled_ones, n);
    }
    return out;
}

/* Returns the error of one lambda. scratch: [3 n]. */
static double error_of(const KernelRidge *ridge, const Scaled *scaled, const Spectrum *spectrum, double lambda, double *scratch)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    double *moved = scratch, *ones = moved + n, *inverse = ones + n, sum = 0;

    if (!(spectrum->values[n - 1] + lambda > 8 * DBL_EPSILON * (fabs(spectrum->values[0]) + lambda)))
        return INFINITY;
    memset(scratch, 0, 3 * (size_t)n * sizeof(double));
    for (uint32_t j = 0; j < n; j++) {
        const double *vector = spectrum->vectors + (size_t)j * n;
        double share = 1 / (spectrum->values[j] + lambda), y = spectrum->targets[j] * share, one = spectrum->ones[j] * share;

        for (uint32_t i = 0; i < n; i++) {
            moved[i] += vector[i] * y;
            ones[i] += vector[i] * one;
            inverse[i] += vector[i] * vector[i] * share;
        }
        env_poll_every(env, j, POLL_ROWS);
    }
    for (uint32_t i = 0; i < n; i++) {
        double root = root_of(scaled, i), residual;

        residual = left_out(ridge, scaled, lambda, i, moved[i] * root, ones[i] * root, inverse[i] * root * root);
        sum += row_weight(ridge->weights, i) / scaled->total * residual * residual;
    }
    return sum;
}

void kernel_ridge_errors(const KernelRidge *ridge, const double *lambdas, uint32_t count, double *errors)
{
    Env *env = ridge->env;
    Scaled scaled;
    Spectrum spectrum;
    double *scratch;

    if (count < 2 || ridge->n > EIGEN_ROWS) {
        for (uint32_t l = 0; l < count; l++) {
            KernelRidgeFit fit = kernel_ridge_fit(ridge, lambdas[l], true, false);

            errors[l] = fit.solved ? fit.loo_mse : INFINITY;
            env->progress(env, "leaving out row by row", l + 1, count, errors[l]);
        }
        return;
    }
    scaled = scale(ridge);
    spectrum = decompose(ridge, &scaled);
    scratch = env_array(env, 3 * (size_t)ridge->n, sizeof(double));
    for (uint32_t l = 0; l < count; l++)
        errors[l] = error_of(ridge, &scaled, &spectrum, lambdas[l], scratch);
    env->release(env, spectrum.vectors);
}
