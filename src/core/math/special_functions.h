/*
 * special_functions.h - normal, t (also non-central), F and chi-square: tail probabilities and quantiles, accurate far into the tails.
 *
 * They agree with R to 1e-13 (test/core/test_special_functions.c). GSL is under the GPL, Boost.Math needs C++, cephes loses digits in the tails.
 */
#ifndef PGFIT_SPECIAL_FUNCTIONS_H
#define PGFIT_SPECIAL_FUNCTIONS_H

/* Returns P(X <= x). */
double normal_cdf(double x);
/* Returns the x with P(X <= x) = p. */
double normal_quantile(double p);

/* Returns the regularized incomplete beta function I_x(a, b); *upper: 1 - I_x(a, b); y = 1 - x. */
double beta_tails(double a, double b, double x, double y, double *upper);

/* Returns the regularized incomplete gamma function P(a, x); *upper: 1 - P(a, x). */
double gamma_tails(double a, double x, double *upper);
/* Returns P(X >= x) for a chi-square distribution. */
double chi_square_upper(double x, double df);

/* Returns P(|T| >= |t|); NaN if there are no degrees of freedom. */
double t_two_sided(double t, double df);
/* Returns the t with P(|T| <= t) = level, 0 <= level < 1. */
double t_critical(double level, double df);

/* Returns the t with P(T <= t) = p. */
double t_quantile(double p, double df);

/* Returns P(T >= t) for the non-central t distribution, of (a normal number around shift) / sqrt(chi-square / df). Also for infinite df. */
double noncentral_t_upper(double t, double df, double shift);

/* Returns P(F >= f). */
double f_upper(double f, double df1, double df2);
/* Returns the f with P(F >= f) = tail; the f with P(F <= f) = p is 1 / f_critical(p, df2, df1). */
double f_critical(double tail, double df1, double df2);

/* Returns log gamma(z) minus Stirling's formula (z - 1/2) log z - z + log sqrt(2 pi), z > 0. */
double stirling_error(double z);

/* Returns the logarithm of the probability of x successes in n trials, by Loader's saddle point (2000); q = 1 - p. */
double binomial_log_density(double x, double n, double p, double q);

#endif
