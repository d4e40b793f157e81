/*
 * penalized_quadratic.h - the minimum of a quadratic model with or without an l1 penalty, the limits at which Newton steps end, and
 * dependent columns.
 */
#ifndef PGFIT_PENALIZED_QUADRATIC_H
#define PGFIT_PENALIZED_QUADRATIC_H

#include "core/linalg/cholesky.h"

#define NEWTON_SUFFICIENT 1e-4     /* Armijo's share of the predicted decrease */
#define NEWTON_ENOUGH 0.25         /* the same of likelihoods, of which a quadratic one keeps half: less lets a step jump to where no curvature leads back */
#define NEWTON_ROUNDING 1e-13      /* relative to an objective: smaller differences are noise */

/* Returns the sum of l1 |theta| + l2 theta^2. */
double penalty_sum(uint32_t size, const double *l1, const double *l2, const double *theta);

/*
 * Writes the Cholesky factor of a symmetric matrix, dense, after adding as much to its diagonal as that takes. Returns false if
 * the matrix has no curvature at all. Polls.
 */
bool curvature_factor(Env *env, uint32_t size, const double *matrix, double *factor);

/*
 * Finds the step that minimizes gradient step + step matrix step / 2 + sum l1 |theta + step| (l1 NULL: without); matrix is
 * symmetric, dense. least_gain: gain at which coordinate descent ends. Returns the decrease that the slope promises, twice
 * that of the quadratic model without l1. room: [QUADRATIC_ROOM(size)] scratch. Polls.
 */
#define QUADRATIC_ROOM(size) ((size_t)(size) * ((size_t)(size) + 3) + 1)
double quadratic_step(Env *env, uint32_t size, const double *matrix, const double *gradient,
                      const double *theta, const double *l1, double least_gain, double *room, double *step);

/*
 * The same with coordinates scaled by their curvature, so that columns of any size are solved alike. matrix and gradient are scaled
 * as well, and stay so. Allocates its scratch.
 */
double quadratic_step_scaled(Env *env, uint32_t size, double *matrix, double *gradient, const double *theta, double *l1, double least_gain, double *step);

/*
 * Marks the columns of which earlier ones leave less than a share of 1e-11 unexplained. packed: the cross-products of columns
 * whose squares add up to `weight` (an intercept first, if there is one), upper triangle by columns. Polls.
 */
void gram_dependent(Env *env, const double *packed, uint32_t count, double weight, uint8_t *dependent);

#endif
