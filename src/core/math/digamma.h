/*
 * digamma.h - the first two derivatives of the logarithm of the gamma function.
 */
#ifndef PGFIT_DIGAMMA_H
#define PGFIT_DIGAMMA_H

/* Return them for x > 0, to a few units in the last place. */
double digamma(double x);
double trigamma(double x);

#endif
