/*
 * sandwich_sums.c - products of rows and of matrices in short calls, and rows that are kept.
 */
#include "core/inference/sandwich_internal.h"

#include "core/linalg/lapack.h"

#include <math.h>

#define CALL_FLOPS 1e8

void sandwich_product(Env *env, bool transposed, const double *a, uint32_t m, uint32_t k, const double *b, uint32_t n, double *c)
{
    uint32_t most = (uint32_t)fmin(n, fmax(1, CALL_FLOPS / (2.0 * m * k + 1)));
    const double one = 1, zero = 0;
    int rows = (int)m, inner = (int)k, lda = transposed ? (int)k : (int)m;

    for (uint32_t first = 0, now; first < n; first += now) {
        int columns;

        now = n - first < most ? n - first : most;
        columns = (int)now;
        dgemm_(transposed ? "T" : "N", "N", &rows, &columns, &inner, &one, a, &lda, b + (size_t)first * k, &inner, &zero, c + (size_t)first * m, &rows, 1,
               1);
        env->poll(env);
    }
}

void sandwich_add_products(Sandwich *sandwich, double times, const double *x, uint64_t n)
{
    uint32_t k = sandwich->fit.count;
    uint64_t most = (uint64_t)fmax(1, fmin(1e6, CALL_FLOPS / ((double)k * k)));
    const double one = 1;
    int order = (int)k;

    for (uint64_t first = 0, now; first < n; first += now) {
        int columns;

        now = n - first < most ? n - first : most;
        columns = (int)now;
        dsyrk_("U", "N", &order, &columns, &times, x + first * k, &order, &one, sandwich->meat, &order, 1, 1);
        sandwich->env->poll(sandwich->env);
    }
}

double *sandwich_keep(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    KeptScores *kept = &sandwich->kept;

    if (kept->count == kept->room) {
        uint64_t room = 2 * kept->room, bytes;

        if (room == 0)
            room = sandwich->fit.frequency ? 256 : (uint64_t)sandwich->fit.rows + 1;
        if (__builtin_mul_overflow(room * sizeof(double), (uint64_t)kept->width, &bytes) || bytes > SIZE_MAX / 4)
            bytes = SIZE_MAX / 4;
        env_require_memory(env, (size_t)bytes, "keeping the scores of the rows, for standard errors,");
        kept->rows = kept->rows == NULL ? env_array_raw(env, (size_t)room, kept->width * sizeof(double)) : env->resize(env, kept->rows, (size_t)bytes);
        kept->room = room;
    }
    return kept->rows + kept->count++ * kept->width;
}
