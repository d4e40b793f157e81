/*
 * correlation.h - covariances and correlations from a scatter matrix.
 */
#ifndef PGFIT_CORRELATION_H
#define PGFIT_CORRELATION_H

#include "core/moments/scatter_matrix.h"

/* Returns the sum of the diagonal. */
double scatter_trace(const ScatterMatrix *scatter);
/*
 * Divides the matrix by the sum of weights, or, if sample, by that sum times (rows - 1) / rows. Returns false if the divisor is 0.
 */
bool scatter_to_covariance(Env *env, ScatterMatrix *scatter, bool sample);
/* Turns the matrix into correlations. known[size]: false for constant features, whose correlations are not defined. */
void scatter_to_correlation(Env *env, ScatterMatrix *scatter, bool *known);

#endif
