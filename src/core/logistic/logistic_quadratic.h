/*
 * logistic_newton.h - Newton steps and stopping rules, for fits over rows and for step aggregates.
 */
#ifndef PGFIT_LOGISTIC_NEWTON_H
#define PGFIT_LOGISTIC_NEWTON_H

#include "core/linalg/cholesky.h"

#define NEWTON_SUFFICIENT 1e-4     /* Armijo's share of the predicted decrease */
#define NEWTON_ROUNDING 1e-13      /* of an objective: smaller differences are noise */
#define NEWTON_SEPARATED_RATE 0.1  /* of decrease from step to step: at a minimum it is far below */

/*
 * Writes a symmetric matrix, dense [equations x count] squared, from its blocks: one per pair of equations e <= f, each
 * the upper triangle by columns of a symmetric count x count matrix.
 */
void blocks_to_dense(const double *blocks, uint32_t equations, uint32_t count, double *matrix);

/*
 * factor [size x size] := the Cholesky factor of a symmetric matrix, dense, with as much on its diagonal as it takes
 * (cholesky.h); false: it has no curvature at all. Polls.
 */
bool curvature_factor(Env *env, uint32_t size, const double *matrix, double *factor);

/*
 * step := the minimum of gradient step + step matrix step / 2 + sum l1 |theta + step| (l1 NULL: without), matrix
 * symmetric, dense. room: [size x size]. settled: where coordinate descent ends. Returns the decrease that the
 * slope promises, twice that of the quadratic model without l1. Polls.
 */
double quadratic_step(Env *env, uint32_t size, const double *matrix, const double *gradient,
                      const double *theta, const double *l1, double settled, double *room, double *step);

/*
 * Marks the columns of which those before leave a share below 1e-11: packed are the cross-products of columns whose
 * squares add up to `weight` (an intercept first where there is one), upper triangle by columns. Polls.
 */
void gram_dependent(Env *env, const double *packed, uint32_t count, double weight, uint8_t *dependent);

/* Returns the inverse of a symmetric positive definite matrix, [size x size], both triangles; NULL: it is singular. */
double *logistic_inverse(Env *env, const double *matrix, uint32_t size);

#endif
