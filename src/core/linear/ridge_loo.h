/*
 * ridge_loo.h - the error of ridge regression in each row when the row itself is left out.
 */
#ifndef PGFIT_RIDGE_LOO_H
#define PGFIT_RIDGE_LOO_H

#include "core/linear/linear_model.h"

typedef struct LeaveOut {
    const LinearFit *fit;
    const Model *input; /* that keeps the rows of the fit */
    const double *scales;  /* [terms] of the penalty */
    bool intercept_too;    /* penalized */
    bool mean_loss;        /* lambda is multiplied by the weight of the rows that are left */
} LeaveOut;

/*
 * errors[l] := the weighted mean of the squared errors at lambdas[l], each row's by the coefficients without it;
 * DBL_MAX where that is out of range, or where the coefficients need a row (at lambda 0). A weight is left out with
 * its row; of counts one at a time. Scales and imputed means stay those of all rows. Fails with ERROR_PARAMETER
 * where the moments keeps no rows, with ERROR_DATA where none would be left. Polls.
 */
void ridge_loo(const LeaveOut *problem, const double *lambdas, uint32_t count, double *errors);

#endif
