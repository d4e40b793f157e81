/*
 * kernel_check.c - tells whether a Gram matrix is symmetric and positive semi-definite.
 */
#include "core/kernel/kernel_internal.h"
#include "core/linalg/cholesky.h"

#include <math.h>

#define ASYMMETRY 1e-6    /* of numbers that went through single precision; relative to the diagonal or the numbers themselves */
#define NEGATIVE 1e-8     /* relative to the mean of the diagonal: an eigenvalue below minus this is no rounding */
#define FACTORED_ROWS 500 /* their Cholesky factor takes about 5 ms */

static void fail_asymmetric(Env *env, uint32_t i, uint32_t j, double upper, double lower)
{
    env_fail(env, ERROR_DATA, "Pass k(x_i, x_j) of the same rows in the same order as rows and as columns.",
             "the Gram matrix is not symmetric: row %u has %.10g in column %u, row %u has %.10g in column %u", i + 1, upper, j + 1, j + 1,
             lower, i + 1);
}

void kernel_check_gram(Env *env, const double *gram, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            double upper = gram[(size_t)i * n + j], lower = gram[(size_t)j * n + i];
            double size = fmax(fmax(fabs(upper), fabs(lower)), sqrt(fabs(gram[(size_t)i * n + i])) * sqrt(fabs(gram[(size_t)j * n + j])));

            if (!(fabs(upper - lower) <= ASYMMETRY * size))
                fail_asymmetric(env, i, j, upper, lower);
        }
        env_poll_every(env, i, 16);
    }
}

static const char hint[] = "Results may be wrong or depend on the start; use a kernel that is, such as rbf, or check the matrix.";

/* Warns of the first diagonal element, or pair of rows, that no positive semi-definite matrix has. Returns whether there is one. */
static bool warn_minors(Env *env, const double *gram, uint32_t n, const char *name, const char *method)
{
    double mean = 0;

    for (uint32_t i = 0; i < n; i++)
        mean += fabs(gram[(size_t)i * n + i]) / n;
    for (uint32_t i = 0; i < n; i++) {
        double self = gram[(size_t)i * n + i];

        if (self < -NEGATIVE * mean) {
            env_warn(env, ERROR_DATA, hint, "kernel %s of %s is not positive semi-definite: row %u with itself gives %.6g", name, method,
                     i + 1, self);
            return true;
        }
        for (uint32_t j = i + 1; j < n; j++) {
            double value = gram[(size_t)i * n + j], other = gram[(size_t)j * n + j];
            /* the lesser eigenvalue of the two rows */
            double least = (self + other) / 2 - hypot((self - other) / 2, value);

            if (least < -NEGATIVE * fmax(mean, fabs(value))) {
                env_warn(env, ERROR_DATA, hint,
                         "kernel %s of %s is not positive semi-definite: rows %u and %u give %.6g and %.6g with themselves, and "
                         "%.6g with each other",
                         name, method, i + 1, j + 1, self, other, value);
                return true;
            }
        }
        env_poll_every(env, i, 16);
    }
    return false;
}

/* Returns row i of `count` rows that are evenly spaced among n. */
static uint32_t spaced(uint32_t i, uint32_t count, uint32_t n)
{
    return (uint32_t)((uint64_t)i * n / count);
}

/* Tells whether a matrix, with a little added to its diagonal, has a Cholesky factor, which overwrites it. */
static bool has_factor(Env *env, double *matrix, uint32_t n)
{
    double mean = 0;

    for (uint32_t i = 0; i < n; i++)
        mean += fabs(matrix[(size_t)i * n + i]) / n;
    for (uint32_t i = 0; i < n; i++)
        matrix[(size_t)i * n + i] += NEGATIVE * n * mean;
    return mean == 0 || cholesky_factor(env, matrix, n, 0) == n;
}

static void warn_factor(Env *env, double *matrix, uint32_t count, uint32_t n, const char *name, const char *method)
{
    if (has_factor(env, matrix, count))
        return;
    if (count == n)
        env_warn(env, ERROR_DATA, hint, "kernel %s of %s is not positive semi-definite for the %u rows", name, method, n);
    else
        env_warn(env, ERROR_DATA, hint, "kernel %s of %s is not positive semi-definite, as %u of the %u rows show", name, method, count, n);
}

void kernel_warn_gram(Env *env, const double *gram, uint32_t n, const char *name, const char *method)
{
    uint32_t count = n < FACTORED_ROWS ? n : FACTORED_ROWS;
    double *matrix;

    if (warn_minors(env, gram, n, name, method))
        return;
    matrix = env_array_raw(env, (size_t)count * count, sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            matrix[(size_t)i * count + j] = gram[(size_t)spaced(i, count, n) * n + spaced(j, count, n)];
    warn_factor(env, matrix, count, n, name, method);
    env->release(env, matrix);
}

void kernel_warn_indefinite(Env *env, const Kernel *kernel, const double *points, uint64_t n, uint32_t dims, const char *method)
{
    uint32_t count = n < FACTORED_ROWS ? (uint32_t)n : FACTORED_ROWS;
    double *rows, *gram;

    if (kernel_is_definite(kernel))
        return;
    rows = env_array_raw(env, (size_t)count * dims, sizeof(double));
    gram = env_array_raw(env, (size_t)count * count, sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        env_copy(env, rows + (size_t)i * dims, points + (size_t)spaced(i, count, (uint32_t)n) * dims, dims * sizeof(double));
    kernel_gram(env, kernel, rows, count, dims, gram);
    warn_factor(env, gram, count, (uint32_t)n, kernel_name(kernel->kind), method);
    env->release(env, gram);
    env->release(env, rows);
}
