/*
 * squares_simd.h - the inner loop of moments_flush_classes.c, compiled once per instruction set (cpu_dispatch.h). Columns do not meet, so
 * vectors of any width give the same bits.
 */

/* Adds `count` rows, SQUARES_TOGETHER or 1, while the sums of a column are in registers. */
SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(add_few)(const double *const *rows, const double *weights, const uint32_t count, uint32_t columns, const double *restrict shift,
              double *restrict sums, double *restrict squares)
{
    for (uint32_t j = 0; j < columns; j++) {
        double sum = sums[j], square = squares[j];

#pragma GCC unroll 4
        for (uint32_t i = 0; i < count; i++) {
            double away = rows[i][j] - shift[j], part = weights[i] * away;

            sum += part;
            square += part * away;
        }
        sums[j] = sum;
        squares[j] = square;
    }
}

/* Adds up to SQUARES_TOGETHER rows. */
SIMD_TARGET static void SIMD(add_squares)(const double *const *rows, const double *weights, uint32_t count, uint32_t columns,
                                          const double *shift, double *sums, double *squares)
{
    if (count == SQUARES_TOGETHER)
        SIMD(add_few)(rows, weights, SQUARES_TOGETHER, columns, shift, sums, squares);
    for (uint32_t i = 0; i < count && count < SQUARES_TOGETHER; i++)
        SIMD(add_few)(rows + i, weights + i, 1, columns, shift, sums, squares);
}
