/*
 * gram_matrix.c - computes and centers Gram matrices.
 */
#include "core/kernel_methods/gram_matrix.h"

#include "core/kernel/kernel_points.h"

#include <string.h>

#define DIRECT_DIMS 64 /* with more coordinates, products of matrices are faster than panels of points */
#define STRIP 128      /* rows computed by one product */
#define TILE 64        /* of transposition */

void gram_require_memory(Env *env, uint64_t count, unsigned copies, size_t others, const char *method)
{
    char need[ENV_SIZE_TEXT], limit[ENV_SIZE_TEXT];
    double bytes = (double)count * (double)count * sizeof(double) * copies + (double)others;
    size_t needed = bytes < 1e18 ? (size_t)bytes : (size_t)1e18;

    if (needed > env->memory_limit)
        env_fail(env, ERROR_LIMIT, "Set pgfit.fit_mem higher, or give \"approximation\": \"nystroem\".",
                 "%s would need %s for the kernel values of %llu rows with each other, and pgfit.fit_mem allows %s", method,
                 env_size_text(needed, need), (unsigned long long)count, env_size_text(env->memory_limit, limit));
}

/* Fills the lower triangle (row major) of an n x n matrix from the upper one. Polls. */
static void gram_mirror(Env *env, double *gram, uint32_t n)
{
    for (uint32_t top = 0; top < n; top += TILE) {
        uint32_t bottom = n - top < TILE ? n : top + TILE;

        for (uint32_t left = 0; left <= top; left += TILE)
            for (uint32_t i = top; i < bottom; i++)
                for (uint32_t j = left; j < left + TILE && j < i; j++)
                    gram[(size_t)i * n + j] = gram[(size_t)j * n + i];
        env->poll(env);
    }
}

/* Fills the upper triangle row by row, from panels of eight points. */
static void fill_from_panels(const KernelSample *sample, const Kernel *kernel, double *gram)
{
    Env *env = sample->env;
    uint32_t n = sample->count, spare = n + KERNEL_PANEL;
    KernelPoints points = kernel_points(env, kernel, sample->points, n, sample->dims);
    double *values = env_array_raw(env, spare, sizeof(double));

    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i / KERNEL_PANEL * KERNEL_PANEL;

        kernel_points_values(&points, sample->points + (size_t)i * sample->dims, first, n - first, values);
        memcpy(gram + (size_t)i * n + i, values + (i - first), (n - i) * sizeof(double));
        if (i % TILE == 0)
            env->progress(env, "kernel matrix", i, n, NAN);
        env->poll(env);
    }
    env->release(env, values);
    env->release(env, points.numbers);
}

/* Fills the upper triangle strip by strip, by products of matrices. */
static void fill_from_products(const KernelSample *sample, const Kernel *kernel, double *gram)
{
    Env *env = sample->env;
    uint32_t n = sample->count, dims = sample->dims;
    double *values = env_array_raw(env, (size_t)STRIP * n, sizeof(double));

    for (uint32_t first = 0; first < n; first += STRIP) {
        uint32_t rows = n - first < STRIP ? n - first : STRIP, columns = n - first;
        const double *from = sample->points + (size_t)first * dims;

        env->progress(env, "kernel matrix", first, n, NAN);
        kernel_matrix(env, kernel, from, rows, from, columns, dims, values);
        for (uint32_t i = 0; i < rows; i++)
            memcpy(gram + (size_t)(first + i) * n + first + i, values + (size_t)i * columns + i, (columns - i) * sizeof(double));
    }
    env->release(env, values);
}

static void require_finite(Env *env, const Kernel *kernel, const double *gram, uint32_t n, const char *method)
{
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;

        for (uint32_t j = i; j < n; j++)
            sum += gram[(size_t)i * n + j] * 0.0; /* NaN if the value is not finite */
        if (sum != 0)
            env_fail(env, ERROR_RANGE, "Give \"standardize\": true, divide large features by a power of ten, or choose a smaller gamma.",
                     "values of kernel %s between the rows of %s exceed the range of double precision", kernel_name(kernel->kind),
                     method);
        env_poll_every(env, i, TILE);
    }
}

double *gram_matrix(const KernelSample *sample, const Kernel *kernel)
{
    Env *env = sample->env;
    uint32_t n = sample->count;
    double *gram = env_array_raw(env, (size_t)n * n, sizeof(double));

    if (sample->dims <= DIRECT_DIMS)
        fill_from_panels(sample, kernel, gram);
    else
        fill_from_products(sample, kernel, gram);
    require_finite(env, kernel, gram, n, sample->method);
    gram_mirror(env, gram, n);
    return gram;
}

double gram_center(Env *env, double *gram, uint32_t n, const double *weights, double *means)
{
    double total = 0, mean = 0;

    for (uint32_t i = 0; i < n; i++)
        total += row_weight(weights, i);
    for (uint32_t i = 0; i < n; i++) {
        const double *row = gram + (size_t)i * n;
        double sum = 0;

        for (uint32_t j = 0; j < n; j++)
            sum += weights != NULL ? row[j] * weights[j] : row[j];
        means[i] = sum / total;
        mean += row_weight(weights, i) * means[i] / total;
        env_poll_every(env, i, TILE);
    }
    for (uint32_t i = 0; i < n; i++) {
        double *row = gram + (size_t)i * n;

        for (uint32_t j = 0; j < n; j++)
            row[j] += mean - (means[i] + means[j]);
        env_poll_every(env, i, TILE);
    }
    return mean;
}

void gram_weigh(Env *env, double *gram, uint32_t n, const double *roots)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = gram + (size_t)i * n;

        for (uint32_t j = 0; j < n; j++)
            row[j] *= roots[i] * roots[j];
        env_poll_every(env, i, TILE);
    }
}
