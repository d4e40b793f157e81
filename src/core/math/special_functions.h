/*
 * special_functions.h - normal, t, F and chi-square: tail probabilities and quantiles, accurate far into the tails.
 */
#ifndef PGFIT_SPECIAL_FUNCTIONS_H
#define PGFIT_SPECIAL_FUNCTIONS_H

/* P(X <= x), and the x with P(X <= x) = p. */
double normal_cdf(double x);
double normal_quantile(double p);

/* Regularized incomplete beta functions I_x(a, b) (return) and 1 - I_x(a, b) (*upper); y = 1 - x. */
double beta_tails(double a, double b, double x, double y, double *upper);

/* Regularized incomplete gamma functions P(a, x) (return) and 1 - P(a, x) (*upper). */
double gamma_tails(double a, double x, double *upper);
/* P(X >= x) of a sum of df squared standard normal variables. */
double chi_square_upper(double x, double df);

/* P(|T| >= |t|); NaN without degrees of freedom. */
double t_two_sided(double t, double df);
double t_cdf(double t, double df);
/* The t with P(|T| <= t) = level, 0 <= level < 1. */
double t_critical(double level, double df);

/* P(F >= f). */
double f_upper(double f, double df1, double df2);
/* The f with P(F >= f) = p, 0 < p <= 1. */
double f_critical(double p, double df1, double df2);

#endif
