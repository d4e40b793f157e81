/*
 * linear_svd.h - a linear fit by singular values: ridge solutions at any penalty, down to the least squares of minimum norm.
 */
#ifndef PGFIT_LINEAR_SVD_H
#define PGFIT_LINEAR_SVD_H

#include "core/linalg/svd.h"
#include "core/linear/linear_fit.h"

/* The triangular factor, its columns divided by scales and a common norm, and the target by its norm. */
typedef struct LinearSvd {
    const double *scales; /* [terms]; NULL: 1 */
    double norm, target;  /* 1 where there is nothing to divide */
    Singular form;        /* left: the target's coordinates; empty without terms */
    double rest;          /* sum of the squares of the divided target that no term explains; 0 if only rounding errors are left */
} LinearSvd;

/* Decomposes the design of a fit. scales must live as long. Fails with ERROR_LIMIT past the budget. */
LinearSvd linear_svd(LinearFit *fit, const double *scales);
/* Returns s^2 / (s^2 + ratio), for ratios from 0 to infinity; 0 for a singular value of 0. */
static inline double linear_svd_share(double s, double ratio)
{
    return s > 0 ? 1 / (1 + ratio / s / s) : 0;
}
/*
 * Solves with the penalty ratio times the sum of squares of the divided coefficients; 0: of all coefficients with the least squares those with the least such
 * sum. Drops no terms. df_model becomes the effective number of terms, which for ratio 0 is the rank.
 */
void linear_svd_solve(LinearFit *fit, const LinearSvd *svd, double ratio);

#endif
