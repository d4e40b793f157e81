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
/* Gives a NOTICE if there are. */
void glm_zeros_warn(Env *env, const GlmFamily *family, const char *method, const GlmZeros *zeros);
/* Adds those that are numbers. */
void glm_zeros_facts(const GlmZeros *zeros, ModelBuilder *builder);

/* ---- for other passes over the rows ---- */

/* Tells whether a family is one that zeros are counted of. */
bool glm_zeros_counted(const GlmFamily *family);
/* Returns what the sums say. factor: as in GlmSolution. Overwrites slope. */
GlmZeros glm_zeros_of(Env *env, const GlmZeroSums *sums, double *slope, const double *factor, uint32_t count, double theta_error);

#endif
