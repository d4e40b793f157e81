/*
 * normal_distribution.h - normal densities, and the points where two of them cross.
 */
#ifndef PGFIT_NORMAL_DISTRIBUTION_H
#define PGFIT_NORMAL_DISTRIBUTION_H

#include "core/base/env.h"

/* Returns the logarithm of the density at x; sd > 0. */
double normal_log_density(double x, double mean, double sd);

/*
 * Finds the points where the density of (mean, sd) times ratio equals that of (other_mean, other_sd); writes them to
 * out in rising order and returns how many there are, 0 to 2. Densities that are equal everywhere give 0. ratio > 0: of
 * the priors, or 1. Both sd > 0.
 */
unsigned normal_crossings(double mean, double sd, double other_mean, double other_sd, double log_ratio,
                          double out[2]);

/*
 * Returns the logarithm of the n-dimensional density at x. covariance: [n x n]. Fails with ERROR_DATA unless it is
 * symmetric up to rounding and positive definite.
 */
double normal_log_density_of(Env *env, const double *x, const double *mean, const double *covariance,
                             uint32_t n);

#endif
