/*
 * shrinkage.h - how much a covariance is shrunk towards a multiple of the identity.
 */
#ifndef PGFIT_SHRINKAGE_H
#define PGFIT_SHRINKAGE_H

#include "env.h"

/*
 * The share of the mean variance times the identity that Chen, Wiesel, Eldar & Hero (2010), "Shrinkage
 * algorithms for MMSE covariance estimation", find for n normal rows (OAS), of a packed covariance of p
 * terms whose mean variance is mean > 0; without the terms of size 2 / p, as it is used elsewhere too.
 */
double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n);

#endif
