/*
 * normal_distribution.h - normal densities, and the points where two of them cross; Bayes' theorem and decisions for given likelihoods.
 */
#ifndef PGFIT_NORMAL_DISTRIBUTION_H
#define PGFIT_NORMAL_DISTRIBUTION_H

#include "core/base/env.h"

#define LOG_2PI 1.8378770664093454836 /* log(2 pi) */

/* Returns the logarithm of the density at x; sd > 0. */
double normal_log_density(double x, double mean, double sd);

/*
 * Finds the points where exp(log_ratio) times the density of (mean, sd) equals the density of (other_mean, other_sd). Writes
 * them to out in ascending order and returns their number, 0 to 2. Densities that are equal everywhere give 0. log_ratio: of
 * the prior of the first to that of the second, or 0. Both sd > 0.
 */
unsigned normal_crossings(double mean, double sd, double other_mean, double other_sd, double log_ratio,
                          double out[2]);

/*
 * Writes the Cholesky factor of a packed covariance to triangle [packed], by columns (triangle_at). Returns the logarithm of the
 * covariance's determinant, NaN if it is not positive definite.
 */
double normal_factor(Env *env, double *triangle, const double *packed, uint32_t n);

/*
 * Returns the logarithm of the n-dimensional density at x. covariance: [n x n]. Fails with ERROR_DATA unless it is
 * symmetric up to rounding and positive definite.
 */
double normal_log_density_of(Env *env, const double *x, const double *mean, const double *covariance,
                             uint32_t n);

/*
 * Writes the posterior probabilities of `count` classes to out: likelihood times prior, divided by their sum. Likelihoods and
 * priors must be finite and not negative. Returns false if all products are 0. Fails with ERROR_PARAMETER if the priors do not add
 * up to 1.
 */
bool bayes_posterior(Env *env, const double *likelihoods, const double *priors, uint32_t count, double *out);
/* Returns the class with the largest likelihood times weight; the first one wins a tie. weights: NULL for all 1. */
uint32_t bayes_decision(const double *likelihoods, const double *weights, uint32_t count);

#endif
