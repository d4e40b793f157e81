/*
 * logistic_quadratic.h - the curvature of several equations as one matrix, and the limits at which steps end: for fits over rows and
 * for step aggregates.
 */
#ifndef PGFIT_LOGISTIC_QUADRATIC_H
#define PGFIT_LOGISTIC_QUADRATIC_H

#include "core/linalg/penalized_quadratic.h"

#define NEWTON_SEPARATED_RATE 0.1  /* of decrease from step to step: near a minimum it is far below */

/* Subtracts their mean from `count` numbers that are `stride` apart. */
void center_numbers(double *x, uint32_t count, size_t stride);

/*
 * Writes a symmetric matrix, dense [equations x count] squared, from its blocks: one per pair of equations e <= f, each
 * the upper triangle by columns of a symmetric count x count matrix.
 */
void blocks_to_dense(const double *blocks, uint32_t equations, uint32_t count, double *matrix);
/* The same plus 2 l2 on the diagonal, and plus `common` on each pair of intercepts, the first columns of the equations. */
void blocks_to_hessian(const double *blocks, uint32_t equations, uint32_t count, const double *l2, double common,
                       double *matrix);

/* Returns the inverse of a symmetric positive definite matrix, [size x size], both triangles; NULL: it is singular. */
double *logistic_inverse(Env *env, const double *matrix, uint32_t size);

#endif
