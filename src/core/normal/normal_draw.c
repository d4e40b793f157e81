/*
 * normal_draw.c - draws from normal distributions: the mean plus a root of the covariance times independent normal deviates.
 */
#include "core/normal/normal_draw.h"
#include "core/linalg/qr_factor.h"
#include "core/normal/semidefinite_root.h"
#include "core/math/normal_deviate.h"

#include <string.h>

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
