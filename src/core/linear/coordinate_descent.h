/*
 * coordinate_descent.h - least squares with absolute and squared penalties, from inner products alone.
 *
 * Minimizes |y - X b|^2 + sum l1_j |b_j| + sum l2_j b_j^2 over b, given X'X, X'y and y'y.
 */
#ifndef PGFIT_COORDINATE_DESCENT_H
#define PGFIT_COORDINATE_DESCENT_H

#include "core/base/env.h"

typedef struct Descent {
    Env *env;
    uint32_t count;      /* of coefficients */
    const double *gram;  /* X'X [count x count], all of it; its diagonal at most 1 */
    const double *cross; /* X'y [count] */
    double square;       /* y'y: 1, or 0 for a constant target */
    double tolerance;    /* converged when the duality gap is at most this times square */
    uint32_t max_passes; /* per call */
    uint32_t exact;      /* up to this many nonzero coefficients are finally solved for by Cholesky */

    /* The starting point, and afterwards the solution. */
    double *coef;     /* [count] */
    double *gradient; /* cross - gram coef [count] */

    /* Results of the last call. */
    double gap; /* the objective less a lower bound of it: at most this far from the optimum */
    uint32_t passes;
    bool converged;
} Descent;

/* Returns a descent with all coefficients 0; its arrays live until descent_free. */
Descent descent_begin(Env *env, uint32_t count, const double *gram, const double *cross, double square);
/*
 * Solves for these penalties (l1 > 0, [count] each), starting from the current coefficients. before: the l1 that these
 * solve divided by the new l1, at least 1; it only picks the first working set, which from 2 on is everything.
 */
void descent_solve(Descent *descent, const double *l1, const double *l2, double before);
void descent_free(Descent *descent);

#endif
