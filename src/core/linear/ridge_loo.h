/*
 * ridge_loo.h - leave-one-out errors of ridge regression.
 */
#ifndef PGFIT_RIDGE_LOO_H
#define PGFIT_RIDGE_LOO_H

#include "core/linear/linear_fit.h"

typedef struct LeaveOut {
    const LinearFit *fit;
    const KeptRows *rows;  /* of the fit; NULL: the moments keep none */
    const double *scales;  /* [terms] of the penalty */
    bool intercept_too;    /* penalized */
    bool mean_loss;        /* lambda is multiplied by the weight of the remaining rows */
} LeaveOut;

/*
 * Writes into errors[l] the weighted mean squared error at lambdas[l], each row predicted by the fit without it;
 * DBL_MAX if that is out of range, or if a row determines coefficients by itself (at lambda 0). A weighted row is left
 * out with its weight; a counted one is left out one at a time. Scales and imputed means stay those of all rows. Fails
 * with ERROR_PARAMETER if the moments keep no rows, with ERROR_DATA if no row would be left. Polls.
 */
void ridge_loo(const LeaveOut *problem, const double *lambdas, uint32_t count, double *errors);

#endif
