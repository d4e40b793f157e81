/*
 * logistic_path.h - logistic fits over many lambdas, and the errors of each in cross-validation.
 *
 * Arrays beside those of a logistic model (L lambdas, the greatest first; E equations; W columns; K folds):
 *   path_lambda   F64[L]
 *   path_nonzero  F64[L]           number of nonzero coefficients of all equations
 *   path_coef     F64[L x (E W)]
 *   path_offset   F64[L x E]       scores at the center; only with an intercept
 *   path_facts    F64[L x 3]       loss, penalty without its factor lambda, objective
 *   cv_error      F64[L x K]       mean loss of a row of each fold under the fit of the others
 *   cv_fold       F64[K]           the folds, in rising order;  cv_weight F64[K] their sums of weights
 * Facts: lambda, lambda_max (of an automatic path), lambda_min and lambda_1se (of cross-validation).
 */
#ifndef PGFIT_LOGISTIC_PATH_H
#define PGFIT_LOGISTIC_PATH_H

#include "core/estimator/class_options.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/logistic/logistic_fit.h"

#define LOGISTIC_PATH_FACTS 3
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
PathFolds logistic_cross_validate(const LogisticPlan *plan, const ClassSet *classes, const LogisticProblem *problem, const double *lambdas,
                                  uint32_t count, uint32_t *unconverged);

#endif
