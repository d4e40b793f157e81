/*
 * logistic_tile_simd.h - the inner loops of logistic_tile.c, compiled once per instruction set (cpu_dispatch.h).
 *
 * SEE reads and AT also writes the vector at an aligned address.
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES)));
#define V SIMD(Vector)
#define AT(p) (*(V *)(p))
#define SEE(p) (*(const V *)(p))

#include "core/linalg/lane_sum_simd.h"

/* Writes residuals w (p - y), curvatures w p (1 - p) and losses w (log(1 + exp(eta)) - y eta); y: 1 or 0. */
SIMD_TARGET static void SIMD(binary)(const double *restrict eta, const double *restrict y,
                                     const double *restrict w, uint32_t count, double *restrict residuals,
                                     double *restrict curvatures, double *restrict losses)
{
    for (uint32_t i = 0; i < count; i++) {
        double x = eta[i], size = x < 0 ? -x : x, above = x > 0 ? x : 0;
        double e = exponential_core(-size), near = 1 / (1 + e), far = e * near;
        double p = x > 0 ? near : far;

        residuals[i] = w[i] * (p - y[i]);
        curvatures[i] = w[i] * (near * far);
        losses[i] = w[i] * (above - y[i] * x + log1p_core(e));
    }
}

/* Replaces the probabilities p of a class by residuals w (p - 1) for its rows, and w p for others. */
SIMD_TARGET static void SIMD(residuals)(double *restrict p, double class, const double *restrict y, const double *restrict w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        p[i] = w[i] * (p[i] - (y[i] == class ? 1 : 0));
}

/* Returns the sum of a tile's losses. */
SIMD_TARGET static double SIMD(sum)(const double *losses)
{
    V sum = {0};

    for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
        sum += SEE(losses + i);
    return SIMD(lane_sum)(&sum);
}

/*
 * Replaces the scores of all classes [classes x DESIGN_TILE] by probabilities, and writes losses w (log sum exp(eta) - eta of the
 * row's class). y: positions of the classes as numbers. largest, sums: scratch. count: a multiple of LANES.
 */
SIMD_TARGET static void SIMD(softmax)(double *restrict eta, uint32_t classes, const double *restrict y,
                                      const double *restrict w, uint32_t count, double *restrict largest,
                                      double *restrict sums, double *restrict losses)
{
    memcpy(largest, eta, count * sizeof(double));
    for (uint32_t e = 1; e < classes; e++) {
        const double *score = eta + (size_t)e * DESIGN_TILE;

        for (uint32_t i = 0; i < count; i++)
            largest[i] = score[i] > largest[i] ? score[i] : largest[i];
    }
    memset(sums, 0, count * sizeof(double));
    memset(losses, 0, count * sizeof(double));
    for (uint32_t e = 0; e < classes; e++) {
        double *score = eta + (size_t)e * DESIGN_TILE;

        for (uint32_t i = 0; i < count; i++) {
            double below = score[i] - largest[i], own = y[i] == e ? 1 : 0;
            double p = exponential_core(below);

            losses[i] -= own * below;
            score[i] = p;
            sums[i] += p;
        }
    }
    for (uint32_t e = 0; e < classes; e++) {
        double *p = eta + (size_t)e * DESIGN_TILE;

        for (uint32_t i = 0; i < count; i += LANES)
            AT(p + i) /= SEE(sums + i);
    }
    for (uint32_t i = 0; i < count; i++)
        losses[i] = w[i] * (losses[i] + log_core(sums[i], sums[i] - 1)); /* sums: from 1 to the number of classes */
}

#undef V
#undef AT
#undef SEE
