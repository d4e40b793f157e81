/*
 * normal_draw.c - draws from normal distributions: the mean plus a root of the covariance times independent normal deviates.
 *
 * The root is a Cholesky factor that goes on past dependent columns: where a pivot of a semi-definite matrix is 0, so is the rest of its
 * column, and the factor has a column of zeros there (Higham, Accuracy and Stability of Numerical Algorithms, 10.3). No pivoting: the features
 * keep their order.
 */
#include "core/linalg/cholesky.h"
#include "core/normal/normal_draw.h"
#include "core/linalg/qr_factor.h"
#include "core/math/normal_deviate.h"

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

/* Adds L z to out [n]. z: [n]. */
static void semidefinite_root_add(const double *triangle, uint32_t n, const double *z, double *out)
{
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n; i++)
            out[i] += triangle[i - j] * z[j];
        triangle += n - j;
    }
}

struct NormalDraw {
    uint32_t dims;
    bool shared;
    const double *means; /* [parts x dims] */
    double *roots;       /* [parts or 1] lower triangles */
    double *z;           /* [dims] */
};

NormalDraw *normal_draw_open(Env *env, uint32_t parts, uint32_t dims, const double *means, const double *packed, bool shared)
{
    NormalDraw *draw = env_array(env, 1, sizeof(NormalDraw));
    uint32_t matrices = shared ? 1 : parts;
    size_t size = factor_packed(dims);

    env_require_memory(env, matrices * size * sizeof(double), "a sample");
    draw->dims = dims;
    draw->shared = shared;
    draw->means = means;
    draw->roots = env_array(env, matrices * size + 1, sizeof(double));
    draw->z = env_array(env, (size_t)dims + 1, sizeof(double));
    for (uint32_t m = 0; m < matrices; m++)
        semidefinite_root(env, draw->roots + m * size, packed + m * size, dims);
    return draw;
}

void normal_draw(void *state, uint32_t part, uint64_t *bits, double *out)
{
    const NormalDraw *draw = state;
    uint32_t dims = draw->dims;

    memcpy(out, draw->means + (size_t)part * dims, dims * sizeof(double));
    normal_deviates(bits, draw->z, dims);
    semidefinite_root_add(draw->roots + (draw->shared ? 0 : part * factor_packed(dims)), dims, draw->z, out);
}
