/*
 * qr_factor.h - triangular factors: blocks of rows folded in by reflections, Gram matrices, Cholesky.
 *
 * A packed factor of p columns is the upper triangle R by columns: R[i][j] at j (j + 1) / 2 + i.
 * Kernels are compiled for AVX-512, AVX2 and the base instruction set and chosen at run time; they may
 * contract, so a fit's last bits depend on the machine (a score's do not: scorers use none of this).
 */
#ifndef PGFIT_QR_FACTOR_H
#define PGFIT_QR_FACTOR_H

#include "core/base/env.h"

#define FACTOR_LANES 8 /* rows of blocks are padded to a multiple of this */

static inline size_t factor_packed(size_t columns)
{
    return columns * (columns + 1) / 2;
}
static inline size_t factor_padded(size_t count)
{
    return (count + FACTOR_LANES - 1) / FACTOR_LANES * FACTOR_LANES;
}

/*
 * R := the triangle of [R; block], by Householder reflections. block: column major with leading
 * dimension ld, a multiple of 8 not below the padded rows, zero below rows; it is destroyed. staircase:
 * column j has nothing below its row j + 1 (a triangle under one full row). Safe for any magnitude;
 * the result is not finite only where it overflows.
 */
void factor_update(Env *env, double *packed, uint32_t columns, double *block, size_t ld,
                   uint32_t rows, bool staircase);

/*
 * Centers the columns of a block at their (weighted) means: column major, ld and padding as above. root:
 * square roots of the weights (padded with zeros), or NULL; the centered rows are multiplied by them.
 */
void factor_center(double *block, size_t ld, uint32_t rows, uint32_t columns, const double *weights,
                   const double *roots, double weight, double *means);

/* The same for a row-major block whose rows are ld (a multiple of 8) long, padded with zeros. */
void factor_center_rows(double *block, size_t ld, uint32_t rows, const double *weights,
                        const double *roots, double weight, double *means, double *spare);

/* gram (ld x ld, row major): upper triangle of block' block, block row major. */
void factor_gram(Env *env, const double *block, size_t ld, uint32_t rows, double *gram);

/*
 * The Cholesky factor of a Gram matrix in place (upper triangle, row major, ld), where its equilibrated
 * condition is below limit: else false and gram is spoiled. Columns of zeros stay zero, so do the rows
 * of columns marked as known to depend on those before them (marks may be NULL). The result is
 * equilibrated: column j is to be multiplied by scales[j]. scales: [2 x columns], the second half spare.
 */
bool factor_cholesky(Env *env, double *gram, size_t ld, uint32_t columns, const uint8_t *dependent,
                     double limit, double *scales);

#endif
