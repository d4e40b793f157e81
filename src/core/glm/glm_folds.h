/*
 * glm_folds.h - cross-validation of the lambdas of a penalized generalized linear model: the rows of each fold under the fits to the others.
 */
#ifndef PGFIT_GLM_FOLDS_H
#define PGFIT_GLM_FOLDS_H

#include "core/glm/glm_solver.h"
#include "core/linear_equations/penalty_path.h"

/* Fits rows outside a fold at the listed lambdas of a plan, and keeps the solutions. */
typedef void (*GlmOutside)(GlmProblem *problem, const PenaltyPlan *listed, LinearEquations *out, PenaltyPath *path);

/* Returns the errors, which are half the mean deviance, of falling lambdas, and those that they choose. */
PathFolds glm_cross_validate(const GlmProblem *problem, const PenaltyPlan *plan, double *lambdas, uint32_t count, GlmOutside fit);

#endif
