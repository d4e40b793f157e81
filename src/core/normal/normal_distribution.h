/*
 * normal_distribution.h - normal densities, where two of them cross, and decisions by them.
 */
#ifndef PGFIT_NORMAL_DISTRIBUTION_H
#define PGFIT_NORMAL_DISTRIBUTION_H

#include "core/base/env.h"

/* The logarithm of the density at x; sd > 0. */
double normal_log_density(double x, double mean, double sd);

/*
 * Where the density of (mean, sd) times ratio equals that of (other_mean, other_sd): none, one or two points,
 * rising, into out. ratio > 0: of the priors; 1 for the densities alone. Needs sd > 0. Returns their number;
 * 0 too where both are the same everywhere.
 */
unsigned normal_crossings(double mean, double sd, double other_mean, double other_sd, double log_ratio,
                          double out[2]);

/*
 * The logarithm of the density of n dimensions at x. covariance: [n x n], symmetric up to rounding. Fails with
 * ERROR_DATA where it is not, or not positive definite.
 */
double normal_log_density_of(Env *env, const double *x, const double *mean, const double *covariance,
                             uint32_t n);

#endif
