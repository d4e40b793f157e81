/*
 * glm_zero_sums.h - what the rows of a tile add to the sums for the test of zeros.
 */
#ifndef PGFIT_GLM_ZERO_SUMS_H
#define PGFIT_GLM_ZERO_SUMS_H

#include "core/glm/glm_solver.h"

/* Adds a tile to the sums, and to slope [count], of the expectation by the coefficients of these columns. Overwrites the gradient of the tile. */
void glm_zeros_add(const GlmProblem *problem, const double *const *columns, uint32_t count, const GlmTile *tile, GlmZeroSums *sums, double *slope);

#endif
