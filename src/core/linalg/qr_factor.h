/*
 * qr_factor.h - triangular factors, updated with blocks of rows by reflections; Gram matrices and their Cholesky factors.
 *
 * Sums may use fused multiply-adds, so the last bits of a fit depend on the machine; scoring uses none of this.
 */
#ifndef PGFIT_QR_FACTOR_H
#define PGFIT_QR_FACTOR_H

#include "core/base/env.h"
#include "core/linalg/packed.h"

/*
 * Replaces R by the triangle of [R; block], by Householder reflections. block: column major with leading dimension ld, a
 * multiple of 8 and at least the padded rows; zero below its rows; destroyed. staircase: column j is zero below its row j + 1
 * (a triangle under one full row). Safe for numbers of any size; the result is finite unless it overflows. Polls.
 */
void factor_update(Env *env, double *packed, uint32_t columns, double *block, size_t ld,
                   uint32_t rows, bool staircase);

/*
 * Centers the columns of a block at their weighted means [columns]: column major, ld and padding as above. weights: NULL for 1.
 * roots: square roots of the weights (padded with zeros), by which centered rows are multiplied, or NULL. weight: of all rows.
 */
void factor_center(double *block, size_t ld, uint32_t rows, uint32_t columns, const double *weights,
                   const double *roots, double weight, double *means);

/* The same for a row-major block whose rows are ld numbers long (a multiple of 8), padded with zeros. spare: [ld] scratch. */
void factor_center_rows(double *block, size_t ld, uint32_t rows, const double *weights,
                        const double *roots, double weight, double *means, double *spare);

/* Writes the upper triangle of block' block to gram (ld x ld, row major); block is row major. Both are of env_aligned. Polls. */
void factor_gram(Env *env, const double *block, size_t ld, uint32_t rows, double *gram);

/*
 * Replaces a Gram matrix (upper triangle, row major, ld) by its Cholesky factor if its equilibrated condition is below limit;
 * otherwise returns false and leaves gram undefined. Columns of zeros stay zero, as do the rows of columns marked as dependent
 * on those before them (dependent may be NULL). The result is equilibrated: multiply column j by scales[j]. scales: [2 x
 * columns], whose second half is scratch.
 */
bool factor_cholesky(Env *env, double *gram, size_t ld, uint32_t columns, const uint8_t *dependent,
                     double limit, double *scales);

/*
 * Sums of products beside a factor R, which stand for the triangle of R'R + products. While R, equilibrated, is well conditioned
 * and no column grows much, that triangle is well conditioned too: the least eigenvalue of a sum of such matrices is at least
 * that of one, and scaling by columns PRODUCTS_GROWTH times as large divides it by no more. So the products lose no more digits than
 * those of a block. products: the rows of an upper triangle one after another, as many numbers as the factor.
 */
#define PRODUCTS_GROWTH 4.0     /* squares of a column with the products, at most so many times those of R */
#define PRODUCTS_CONDITION 1e6  /* far beyond what the growth allows: only damaged numbers pass it */

/* Tells whether the condition of an equilibrated factor is below limit; false also if squares of its columns would overflow or vanish. */
bool factor_condition_below(Env *env, const double *packed, uint32_t columns, double limit);
/*
 * Adds the Gram matrix of a centered block (as factor_gram returns it) and the products of the differences of means [columns]. Returns
 * false, and adds nothing, where a column would grow too much.
 */
bool factor_products_add(const double *packed, double *products, uint32_t columns, const double *gram, size_t ld,
                         const double *differences);
/* Tells whether sums of products are 0, by those of each column with itself. */
bool factor_products_zero(const double *products, uint32_t columns);
/* Replaces R by the triangle of R'R + products, and the products by zeros. Returns false if that is not positive. Polls. */
bool factor_products_fold(Env *env, double *packed, double *products, uint32_t columns);
/*
 * Replaces R by the triangle of R'R + diag(squares), in a third of the time of reflections. Returns false, with R as it was, where that
 * might lose digits: the condition of R, equilibrated, is not below limit, or a column grows much. Polls.
 */
bool factor_penalize(Env *env, double *packed, uint32_t columns, const double *squares, double limit);

#endif
