/*
 * householder.c - applies the reflections of a reduction to tridiagonal or bidiagonal form.
 */
#include "core/linalg/householder.h"
#include "core/linalg/lapack.h"

#include <math.h>

#define BLOCK 32       /* reflections applied together */
#define CALL_FLOPS 1e8 /* at most, of one call into BLAS */

void householder_apply(Env *env, const double *a, const double *tau, uint32_t n, double *z, uint32_t count)
{
    int ld = (int)n, reflectors = ld - 1, block = BLOCK;
    int step = (int)fmin(count, fmax(1, CALL_FLOPS / (4.0 * ld * block)));
    double triangle[BLOCK * BLOCK], *work;

    work = env_array(env, (size_t)step * block + 1, sizeof(double));
    for (int first = (reflectors - 1) / block * block; first >= 0; first -= block) {
        int width = reflectors - first < block ? reflectors - first : block, rows = ld - first - 1;
        const double *v = a + (size_t)first * n + first + 1;
        dlarft_("F", "C", &rows, &width, v, &ld, tau + first, triangle, &block, 1, 1);
        for (uint32_t j = 0; j < count; j += step) {
            int columns = count - j < (uint32_t)step ? (int)(count - j) : step;
            dlarfb_("L", "N", "F", "C", &rows, &columns, &width, v, &ld, triangle, &block,
                    z + (size_t)j * n + first + 1, &ld, work, &step, 1, 1, 1, 1);
            env->poll(env);
        }
    }
}
