/*
 * semidefinite_root.c - Cholesky factors that go on past dependent columns.
 *
 * Where a pivot of a semi-definite matrix is 0, so is the rest of its column, and the factor has a column of zeros there (Higham,
 * Accuracy and Stability of Numerical Algorithms, 10.3). No pivoting: the features keep their order.
 */
#include "core/normal/semidefinite_root.h"
#include "core/linalg/cholesky.h"

#include <math.h>
#include <string.h>

void semidefinite_root(Env *env, double *triangle, const double *packed, uint32_t n)
{
    double *diagonal = env_array(env, (size_t)n + 1, sizeof(double));

    triangle_from_packed(triangle, packed, n);
    for (uint32_t j = 0; j < n; j++)
        diagonal[j] = triangle[triangle_at(n, j)];
    for (uint32_t j = 0; j < n; j++) {
        double *column = triangle + triangle_at(n, j), pivot = column[0];

        if (!(pivot > CHOLESKY_TOLERANCE(n) * diagonal[j])) {
            memset(column, 0, (n - j) * sizeof(double));
            continue;
        }
        pivot = sqrt(pivot);
        for (uint32_t i = 0; i < n - j; i++)
            column[i] /= pivot;
        for (uint32_t k = j + 1; k < n; k++) {
            double *rest = triangle + triangle_at(n, k), factor = column[k - j];
            const double *from = column + (k - j);

            for (uint32_t i = 0; i < n - k; i++)
                rest[i] -= factor * from[i];
        }
        env->poll(env);
    }
    env->release(env, diagonal);
}

void semidefinite_root_add(const double *triangle, uint32_t n, const double *z, double *out)
{
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n; i++)
            out[i] += triangle[i - j] * z[j];
        triangle += n - j;
    }
}
