/*
 * glm_power.h - the power of the variance of family tweedie, by its profile likelihood.
 */
#ifndef PGFIT_GLM_POWER_H
#define PGFIT_GLM_POWER_H

#include "core/glm/glm_solver.h"

typedef struct GlmPower {
    double power, dispersion; /* of greatest likelihood */
    double likelihood;
    bool converged;
} GlmPower;

/*
 * Estimates power, dispersion and coefficients, from a solution at some power. Sets the parameter of the problem. Fails with ERROR_DATA if the
 * likelihood has no maximum between powers of 1.05 and 1.95.
 */
GlmPower glm_power_estimate(GlmProblem *problem, GlmSolution *solution);

#endif
