/*
 * row_scale_simd.h - the inner loop of row_scale.c, compiled once per instruction set (cpu_dispatch.h). Columns do not meet, so vectors of any width
 * give the same bits.
 */

/* Adds a value to a sum, and its rounding error and another one to the carry of the sum. */
#ifndef ADD_CARRIED
#define ADD_CARRIED(total, carry, value, error)                                                                                                      \
    do {                                                                                                                                             \
        double before_ = (total), sum_ = before_ + (value), part_ = sum_ - before_;                                                                  \
                                                                                                                                                     \
        (carry) = ((carry) + ((before_ - (sum_ - part_)) + ((value) - part_))) + (error);                                                            \
        (total) = sum_;                                                                                                                              \
    } while (0)
#endif

/* Adds `rows` rows, TOGETHER or 1, while the sums of a column are in registers. shares: of each weight in the sum of those so far. */
SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(add_few)(const double *restrict x, const uint32_t rows, const double *restrict weights, const double *restrict shares, uint32_t columns,
              const double *restrict first, double *restrict total, double *restrict total_carry, double *restrict squares,
              double *restrict squares_carry, double *restrict center)
{
    for (uint32_t j = 0; j < columns; j++) {
        double sum = total[j], carry = total_carry[j], scatter = squares[j], scatter_carry = squares_carry[j], mean = center[j];

#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++) {
            double number = x[(size_t)i * columns + j], away = number - first[j], back = away + first[j];
            double rest = (number - back) - (first[j] - (back - away)); /* away + rest is the difference */
            double product = away * weights[i], error = fma(away, weights[i], -product) + rest * weights[i];
            double square = product * away, square_error = fma(product, away, -square) + product * rest + error * away;

            ADD_CARRIED(sum, carry, product, error);
            ADD_CARRIED(scatter, scatter_carry, square, square_error);
            mean += (number - mean) * shares[i]; /* for sums that overflow */
        }
        total[j] = sum;
        total_carry[j] = carry;
        squares[j] = scatter;
        squares_carry[j] = scatter_carry;
        center[j] = mean;
    }
}

/* Adds up to TOGETHER rows. */
SIMD_TARGET static void SIMD(add_rows)(const double *x, uint32_t rows, const double *weights, const double *shares, uint32_t columns,
                                       const struct RowSums *sums, double *center)
{
    if (rows == TOGETHER)
        SIMD(add_few)(x, TOGETHER, weights, shares, columns, sums->first, sums->total, sums->total_carry, sums->squares, sums->squares_carry, center);
    for (uint32_t i = 0; i < rows && rows < TOGETHER; i++)
        SIMD(add_few)(x + (size_t)i * columns, 1, weights + i, shares + i, columns, sums->first, sums->total, sums->total_carry, sums->squares,
                      sums->squares_carry, center);
}
