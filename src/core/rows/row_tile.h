/*
 * row_tile.h - sums over one tile of rows (row_design.h), column by column, and over a few rows in row order.
 *
 * columns: pointers to columns of DESIGN_TILE numbers on 64-byte boundaries; a list of `count` is followed by up to
 * TILE_PADDING - 1 pointers to zeros. Rows of weight 0 add nothing, whatever finite numbers they hold. Only for fits: the code is
 * compiled for AVX-512, AVX2 and the base instruction set, and may use fused multiply-adds.
 */
#ifndef PGFIT_ROW_TILE_H
#define PGFIT_ROW_TILE_H

#include "core/rows/row_design.h"

#define TILE_PADDING 4

/* Returns the sum of DESIGN_TILE numbers. */
double tile_sum(const double *numbers);
/* Copies rows, x [count x terms], to columns from `tile` on, the next one DESIGN_TILE numbers behind the one before. */
void tile_transpose(const double *x, uint32_t terms, uint32_t count, double *tile);
/* Replaces a column by (column - center) scale. */
void tile_standardize(double *column, double center, double scale);
/* Sets eta to the sum of column j times theta_j. */
void tile_scores(const double *const *columns, uint32_t count, const double *theta, double *eta);
/* Adds the sum of weights times column j to sums[j]. */
void tile_products(const double *const *columns, uint32_t count, const double *weights, double *sums);
/* Adds the sum of weights times the squares of column j to squares[j]. */
void tile_squares(const double *const *columns, uint32_t count, const double *weights, double *squares);
/*
 * Adds the sum of weights times column i times column j to packed[j (j + 1) / 2 + i], for i <= j. scratch: [4 x DESIGN_TILE],
 * aligned. Polls.
 */
void tile_gram(Env *env, const double *const *columns, uint32_t count, const double *weights,
               double *scratch, double *packed);

/* ---- at most DESIGN_TILE rows in row order, x [count x terms]: sums do not depend on how many rows come in one call ---- */

#define LINES_MULTIPLE 8
/* Returns how many rows stay in the cache between two reads, as for scores and for products: a multiple of LINES_MULTIPLE, at most DESIGN_TILE. */
uint32_t lines_cached(uint32_t terms);
/* Sets eta[i] to constant + the sum of (x - center) slope over the terms. */
void lines_scores(const double *x, uint32_t terms, uint32_t count, const double *center, const double *slope,
                  double constant, double *eta);
/* Adds the sum of weights times (x - center) to sums[j]. */
void lines_products(const double *x, uint32_t terms, uint32_t count, const double *center, const double *weights,
                    double *sums);
/*
 * The same bits for two equations at once, for which rows are read once. slopes: [2 x terms]; eta, weights: [2 x DESIGN_TILE]; the sums of the second
 * equation are `stride` numbers behind those of the first.
 */
void lines_scores_two(const double *x, uint32_t terms, uint32_t count, const double *center, const double *slopes,
                      const double *constants, double *eta);
void lines_products_two(const double *x, uint32_t terms, uint32_t count, const double *center, const double *weights,
                        double *sums, size_t stride);
/* Adds weight (x - shift) of one row to sums[j], and weight (x - shift)^2 to squares[j]. */
void line_moments(const double *x, uint32_t terms, const double *shift, double weight, double *sums,
                  double *squares);

#endif
