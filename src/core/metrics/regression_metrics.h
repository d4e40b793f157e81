/*
 * regression_metrics.h - errors of predicted numbers: one state of thirteen doubles for mse, rmse, mae,
 * r_squared.
 *
 * Squares are summed after scaling by a power of two that follows the largest value, so that
 * neither 1e300 nor 1e-300 loses the result; sums carry their rounding error (Neumaier 1974). The
 * spread of the actual values is centered and merged pairwise (West 1979; Chan, Golub & LeVeque
 * 1983).
 */
#ifndef PGFIT_REGRESSION_METRICS_H
#define PGFIT_REGRESSION_METRICS_H

#include "core/base/env.h"

/* sum of w (x factor)^power, and what rounding has taken from it; factor 0: nothing but zeros yet
 */
typedef struct ScaledSum {
    double factor, sum, rest;
} ScaledSum;

typedef struct RegressionMetrics {
    double rows, weight;
    double origin;      /* the first actual value */
    double mean;        /* of actual - origin: a large offset costs no digits */
    ScaledSum spread;   /* squares of actual - mean */
    ScaledSum squares;  /* squares of actual - predicted */
    ScaledSum absolute; /* |actual - predicted| */
} RegressionMetrics;

#define REGRESSION_METRICS_SIZE 13 /* doubles */

/* Adds a row; weight 0 is no row. NaN, infinities and negative weights: ERROR_DATA; overflow:
 * ERROR_RANGE. */
void metrics_add(Env *env, RegressionMetrics *state, double actual, double predicted,
                 double weight);
void metrics_merge(Env *env, RegressionMetrics *state, const RegressionMetrics *other);
/* NULL where these can be numbers of a state, else what is wrong. */
const char *metrics_check(const RegressionMetrics *state);

/* false: no rows (r_squared: or a constant actual value), the result is NULL. */
bool metrics_mse(Env *env, const RegressionMetrics *state, double *result);
bool metrics_rmse(Env *env, const RegressionMetrics *state, double *result);
bool metrics_mae(Env *env, const RegressionMetrics *state, double *result);
bool metrics_r_squared(Env *env, const RegressionMetrics *state, double *result);

#endif
