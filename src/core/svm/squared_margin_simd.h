/*
 * squared_margin_simd.h - the arithmetic of squared_margin.c for one tile of rows, compiled once per instruction set.
 */

/* Adds loss and derivatives of one side of rows: excess = max(0, bound - sign score), squared, times C. */
SIMD_TARGET static void SIMD(side)(const double *restrict score, const double *restrict sign, const double *restrict bound,
                                   const double *restrict C, uint32_t count, double *restrict slopes, double *restrict curvatures,
                                   double *restrict losses)
{
    for (uint32_t i = 0; i < count; i++) {
        double excess = bound[i] - sign[i] * score[i], over = excess > 0 ? excess : 0, weight = 2 * C[i];

        slopes[i] -= weight * sign[i] * over;
        curvatures[i] += excess > 0 ? weight * sign[i] * sign[i] : 0;
        losses[i] += C[i] * over * over;
    }
}
