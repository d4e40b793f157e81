/*
 * row_tile.c - sums over tiles of rows.
 */
#include "core/rows/row_tile.h"

#include "core/base/fused_sums.h"

#define SIMD_FILE "core/rows/row_tile_simd.h"
#include "core/base/cpu_dispatch.h"

#define POLL_WORK 4e6 /* multiplications between two polls */
#define LINES_BYTES 131072 /* of rows that are read twice: a share of the L2 cache */

double tile_sum(const double *numbers)
{
    double sums[8] = {0};

    for (uint32_t i = 0; i < DESIGN_TILE; i += 8)
        for (uint32_t k = 0; k < 8; k++)
            sums[k] += numbers[i + k];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void tile_transpose(const double *x, uint32_t terms, uint32_t count, double *tile)
{
    SIMD_CALL(transpose, x, terms, count, tile);
}

void tile_standardize(double *column, double center, double scale)
{
    SIMD_CALL(standardize, column, center, scale);
}

void tile_scores(const double *const *columns, uint32_t count, const double *theta, double *eta)
{
    SIMD_CALL(scores, columns, count, theta, eta);
}

uint32_t lines_cached(uint32_t terms)
{
    uint32_t groups = LINES_BYTES / sizeof(double) / (terms + 1) / LINES_MULTIPLE;

    return groups < 1 ? LINES_MULTIPLE : groups > DESIGN_TILE / LINES_MULTIPLE ? DESIGN_TILE : groups * LINES_MULTIPLE;
}

void lines_scores(const double *x, uint32_t terms, uint32_t count, const double *center, const double *slope,
                  double constant, double *eta)
{
    SIMD_CALL(line_scores, x, terms, count, center, slope, constant, eta);
}

void lines_scores_two(const double *x, uint32_t terms, uint32_t count, const double *center, const double *slopes,
                      const double *constants, double *eta)
{
    SIMD_CALL(line_scores_two, x, terms, count, center, slopes, constants, eta);
}

void lines_products_two(const double *x, uint32_t terms, uint32_t count, const double *center, const double *weights,
                        double *sums, size_t stride)
{
    SIMD_CALL(line_products_two, x, terms, count, center, weights, sums, stride);
}

void lines_products(const double *x, uint32_t terms, uint32_t count, const double *center, const double *weights,
                    double *sums)
{
    SIMD_CALL(line_products, x, terms, count, center, weights, sums);
}

void line_moments(const double *x, uint32_t terms, const double *shift, double weight, double *sums,
                  double *squares)
{
    SIMD_CALL(line_moments, x, terms, shift, weight, sums, squares);
}

void tile_products(const double *const *columns, uint32_t count, const double *weights, double *sums)
{
    SIMD_CALL(products, columns, count, weights, sums);
}

void tile_squares(const double *const *columns, uint32_t count, const double *weights, double *squares)
{
    SIMD_CALL(squares, columns, count, weights, squares);
}

void tile_gram(Env *env, const double *const *columns, uint32_t count, const double *weights,
               double *scratch, double *packed)
{
    uint64_t work = 0;

    for (uint32_t first = 0; first < count; first += TILE_PADDING) {
        SIMD_CALL(gram, columns, count, first, weights, scratch, packed);
        env_poll_after(env, &work, 4 * DESIGN_TILE * (uint64_t)(count - first), POLL_WORK);
    }
}
