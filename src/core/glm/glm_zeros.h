/*
 * glm_zeros.h - how many counts are 0, and how many the fit expects: counts of two kinds of rows, of which some are never above 0, have more.
 */
#ifndef PGFIT_GLM_ZEROS_H
#define PGFIT_GLM_ZEROS_H

#include "core/glm/glm_solver.h"

typedef struct GlmZeros {
    double observed, expected; /* NaN: the family has no probability of 0 */
    double z; /* of their difference, by the normal distribution; NaN: it has no variance */
} GlmZeros;

/*
 * Counts the zeros of a fit of families poisson and negative_binomial, whose coefficients and, with a standard error, theta were estimated. Weights
 * count rows. The test is that of He, Tang, Wang & Crits-Christoph (2019), for any link and with theta.
 */
GlmZeros glm_zeros(GlmProblem *problem, const GlmSolution *solution, double theta_error);
/* Tells whether there are clearly more zeros than expected: p < 0.001, and at least a twentieth of them. */
bool glm_zeros_many(const GlmZeros *zeros);

#endif
