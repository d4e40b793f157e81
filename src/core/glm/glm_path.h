/*
 * glm_path.h - generalized linear models under a penalty, at one lambda or many (penalty_path.h, where the loss is half the deviance).
 */
#ifndef PGFIT_GLM_PATH_H
#define PGFIT_GLM_PATH_H

#include "core/glm/glm_solver.h"
#include "core/linear_equations/penalty_path.h"

/*
 * Solves at the lambda of a plan, or at all of them, each from the solution before, and at the one chosen. out: the equations, in which the
 * solutions are written; path: set if there are several.
 */
GlmSolution glm_solve_penalized(GlmProblem *problem, const GlmSolution *null, const PenaltyPlan *plan, LinearEquations *out, PenaltyPath *path);

#endif
