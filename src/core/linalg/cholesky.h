/*
 * cholesky.h - Cholesky factors of symmetric matrices, with a rank test that names the column at fault.
 *
 * A column is dependent if the columns before it leave at most `tolerance` times its diagonal element: the share of a feature's
 * variance that the others do not explain. The test does not depend on the units of the columns.
 */
#ifndef PGFIT_CHOLESKY_H
#define PGFIT_CHOLESKY_H

#include "core/base/env.h"

/* In a covariance of n columns, a pivot below this share is rounding. */
#define CHOLESKY_TOLERANCE(n) (1e-14 * ((n) + 10.0))

/*
 * For fits: a (n x n, column major, lower triangle) becomes L with L L' = a; the upper triangle is not
 * touched. Returns n, or the first dependent column, where the work stops. Uses BLAS, block by block; polls.
 */
uint32_t cholesky_factor(Env *env, double *a, uint32_t n, double tolerance);
/* Replaces b (n x columns, column major) by L^-1 b, in several calls into BLAS; polls. */
void cholesky_solve(Env *env, const double *l, uint32_t n, double *b, uint32_t columns);
/* Replaces b by L'^-1 b. */
void cholesky_solve_transposed(Env *env, const double *l, uint32_t n, double *b, uint32_t columns);
/* Writes the diagonal of (L L')^-1 to out [n], in n^3 / 3 operations and little memory; polls. */
void cholesky_inverse_diagonal(Env *env, const double *l, uint32_t n, double *out);
/* Writes (L L')^-1, full, of the first n rows and columns of an L with leading dimension ld to out [n x n], in 2/3 n^3 operations; polls. */
void cholesky_inverse(Env *env, const double *l, uint32_t ld, uint32_t n, double *out);

/*
 * The same for scoring: a lower triangle packed by columns (triangle_at), without BLAS and in one fixed order of operations.
 * Polls.
 */
uint32_t cholesky_triangle(Env *env, double *triangle, uint32_t n, double tolerance);
/* Tells whether a packed covariance (upper triangle by columns) has such a factor, with a tolerance of 0. */
bool packed_is_definite(Env *env, const double *packed, uint32_t n);
/* Replaces b [n] by L^-1 b. */
void triangle_solve(const double *triangle, uint32_t n, double *b);
/* Sets x [n] to L'^-1 b; x may be b. */
void triangle_solve_transposed(const double *triangle, uint32_t n, const double *b, double *x);

/* Returns where column j of a lower triangle packed by columns starts, with its diagonal element. */
static inline size_t triangle_at(uint32_t n, uint32_t j)
{
    return (size_t)j * n - (size_t)j * (j - (size_t)1) / 2;
}
/* Copy the upper triangle by columns, as models store symmetric matrices, to a packed and to a dense lower one. */
void triangle_from_packed(double *triangle, const double *packed, uint32_t n);
void dense_from_packed(double *dense, const double *packed, uint32_t n);

#endif
