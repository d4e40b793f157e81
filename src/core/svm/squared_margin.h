/*
 * squared_margin.h - linear equations under squared hinge or squared epsilon-insensitive losses.
 *
 *     minimize  1/2 sum_j p_j theta_j^2 + sum_j l1_j |theta_j| + sum_i C_i excess_i^2
 *
 * over the constraints of interior_point.h. The objective is quadratic on each set of rows with an excess, so Newton's method with the
 * generalized Hessian ends after a few steps (Mangasarian 2002, Optim. Methods Softw. 17). From step to step fewer rows enter or leave that set, and the
 * Hessian is summed over these alone: 10,000 rows of 200 features take half the time. With l1 by coordinate descent on the
 * quadratic model (Lee, Sun & Saunders 2014).
 */
#ifndef PGFIT_SQUARED_MARGIN_H
#define PGFIT_SQUARED_MARGIN_H

#include "core/svm/interior_point.h"

/*
 * Adds the losses C excess^2 of one side of rows, excess = max(0, bound - sign score), and their derivatives by the score,
 * to losses, slopes and curvatures. A sign of 0 makes no loss if C is 0.
 */
void squared_losses(const double *score, const double *sign, const double *bound, const double *C, uint32_t count, double *slopes, double *curvatures,
                    double *losses);

/* Solves problems over the same rows one after the other, in the same memory. */
typedef struct SquaredSolver SquaredSolver;
/* Allocates a solver. l1: [count], NULL: none; must outlive it, as problem must. Fails with ERROR_LIMIT beyond the budget. */
SquaredSolver *squared_solver(const MarginProblem *problem, const double *l1, const char *method);
/* Solves the problem as it now is; gap is how much a next step would gain. The result is valid until the next call. */
MarginSolution squared_solve(SquaredSolver *solver);
/*
 * Sets support[i] to 1 for rows with an excess. multipliers: [rows] receives their signed multipliers 2 C_i excess_i; NULL: not
 * wanted. Makes a pass.
 */
void squared_support(SquaredSolver *solver, uint8_t *support, double *multipliers);

#endif
