/*
 * rank_limits.h - confidence limits of coefficients of a quantile regression, by inverting rank-score tests.
 */
#ifndef PGFIT_RANK_LIMITS_H
#define PGFIT_RANK_LIMITS_H

#include "core/robust/quantile_solver.h"

typedef struct RankWalk RankWalk;

/*
 * Returns what the limits of all coefficients begin with: the solution of a quantile as a vertex, the equation through as many rows as it has
 * coefficients. theta: the solution by quantile_solve, which may be between vertices. Returns NULL if rounding hides the vertex. Fails with
 * ERROR_LIMIT beyond the memory budget.
 */
RankWalk *rank_walk(const QuantileSolver *solver, const double *theta, double quantile);
/*
 * Sets limits [2] to those of the number direction'theta: the values that the test does not reject, which reach from one jump of its
 * statistic to another; interpolated within the last jump. direction: [columns], not 0. variance: direction'(X'X)^-1 direction, of
 * rows times weight. critical: the size of the standardized statistic where the test rejects. A limit is infinite where it never does.
 * Returns false if rounding hides a limit.
 */
bool rank_limits(RankWalk *walk, const double *direction, double variance, double critical, double *limits);

#endif
