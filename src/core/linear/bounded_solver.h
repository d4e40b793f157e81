/*
 * bounded_solver.h - least squares whose coefficients have bounds, exactly: an active set over a matrix that stays orthogonally equivalent.
 *
 * Minimizes |y - A b|^2 + sum l1_j |b_j| under lower_j <= b_j <= upper_j. Squared penalties are further rows of A.
 */
#ifndef PGFIT_BOUNDED_SOLVER_H
#define PGFIT_BOUNDED_SOLVER_H

#include "core/base/env.h"

typedef struct BoundedProblem {
    Env *env;
    uint32_t rows, count;
    double *columns;             /* [count + 1 columns of `rows`]: those of A, of norms about 1, then y; destroyed */
    const double *lower, *upper; /* [count] or infinite */
    const double *l1;            /* [count]; NULL: 0 */
    double *coef;                /* [count] receives the solution */
    uint8_t *free;               /* [count] receives whether a coefficient is between its bounds, and not 0 under an l1 penalty */
    uint8_t *dependent;          /* [count] receives whether its column depends on those of free coefficients, and it is not free */
} BoundedProblem;

typedef struct BoundedResult {
    uint32_t steps; /* coefficients that became free or ceased to be */
    bool converged;
} BoundedResult;

/*
 * Solves the problem. Of columns that depend on free ones none becomes free: it stays where it is, at the number nearest to 0 to begin with. Takes
 * about rows x count operations per step, and about as many steps as there are free coefficients. Polls.
 */
BoundedResult bounded_solve(BoundedProblem *problem);

#endif
