/*
 * logistic_path.h - logistic fits over many lambdas (penalty_path.h), and the errors of each in cross-validation.
 */
#ifndef PGFIT_LOGISTIC_PATH_H
#define PGFIT_LOGISTIC_PATH_H

#include "core/estimator/class_options.h"
#include "core/linear_equations/penalty_path.h"
#include "core/logistic/logistic_fit.h"

/*
 * Returns the first lambda of an automatic path: the least at which all coefficients are 0 (with alpha of at least 0.001), or for l2
 * one that shrinks them to about a hundredth.
 */
double logistic_path_greatest(LogisticSolver *solver);
/* Solves at a lambda, from the solution before. The result is valid until the next call. */
LogisticSolution logistic_path_solve(LogisticSolver *solver, double lambda);

/*
 * Fits each lambda to the rows outside each fold and measures its losses in the fold. problem: of all rows. Fails with ERROR_DATA
 * if fewer than two folds have rows, or the rows outside a fold lack a class. *unconverged: is raised by the fits that did not converge.
 */
PathFolds logistic_cross_validate(const PenaltyPlan *plan, const ClassSet *classes, const LogisticProblem *problem, const double *lambdas,
                                  uint32_t count, uint32_t *unconverged);

#endif
