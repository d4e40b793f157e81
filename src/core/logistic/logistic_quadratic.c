/*
 * logistic_quadratic.c - the curvature of several equations as one matrix, and its inverse.
 */
#include "core/logistic/logistic_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define SINGULAR 1e-15        /* smallest pivot, relative to its diagonal element */

void center_numbers(double *x, uint32_t count, size_t stride)
{
    double mean = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += x[i * stride] / count;
    for (uint32_t i = 0; i < count; i++)
        x[i * stride] -= mean;
}

void blocks_to_dense(const double *blocks, uint32_t equations, uint32_t count, double *matrix)
{
    uint32_t size = equations * count;

    for (uint32_t e = 0, pair = 0; e < equations; e++)
        for (uint32_t f = e; f < equations; f++, pair++) {
            const double *packed = blocks + pair * factor_packed(count);

            for (uint32_t j = 0; j < count; j++)
                for (uint32_t i = 0; i <= j; i++, packed++) {
                    size_t a = (size_t)e * count + i, b = (size_t)f * count + j;
                    size_t c = (size_t)e * count + j, d = (size_t)f * count + i;

                    matrix[a * size + b] = matrix[b * size + a] = *packed;
                    matrix[c * size + d] = matrix[d * size + c] = *packed;
                }
        }
}

void blocks_to_hessian(const double *blocks, uint32_t equations, uint32_t count, const double *l2, double common,
                       double *matrix)
{
    uint32_t size = equations * count;

    blocks_to_dense(blocks, equations, count, matrix);
    for (uint32_t i = 0; i < size; i++)
        matrix[(size_t)i * size + i] += 2 * l2[i];
    for (uint32_t e = 0; e < equations && common > 0; e++)
        for (uint32_t f = 0; f < equations; f++)
            matrix[(size_t)e * count * size + (size_t)f * count] += common;
}

double *logistic_inverse(Env *env, const double *matrix, uint32_t size)
{
    double *factor = env_array(env, (size_t)size * size + 1, sizeof(double));
    double *inverse = env_array(env, (size_t)size * size + 1, sizeof(double));

    memcpy(factor, matrix, (size_t)size * size * sizeof(double));
    if (cholesky_factor(env, factor, size, SINGULAR) < size)
        return NULL;
    for (uint32_t i = 0; i < size; i++)
        inverse[(size_t)i * size + i] = 1;
    cholesky_solve(env, factor, size, inverse, size);
    cholesky_solve_transposed(env, factor, size, inverse, size);
    for (size_t i = 0; i < (size_t)size * size; i++)
        if (!isfinite(inverse[i]))
            return NULL;
    return inverse;
}
