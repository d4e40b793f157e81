/*
 * regression_metrics.h - the errors of predicted numbers: one state of thirteen doubles for mse, rmse, mae and r_squared.
 *
 * Squares are summed after scaling by a power of two that follows the largest value, so that neither 1e300 nor 1e-300 spoils the
 * result; sums carry their rounding error (Neumaier 1974). The spread of the actual values is centered and merged pairwise
 * (West 1979; Chan, Golub & LeVeque 1983).
 */
#ifndef PGFIT_REGRESSION_METRICS_H
#define PGFIT_REGRESSION_METRICS_H

#include "core/base/env.h"
#include "core/math/carried_sum.h"

/* The sum of w (x factor)^power; factor 0: only zeros so far. */
typedef struct ScaledSum {
    double factor;
    CarriedSum powers;
} ScaledSum;

typedef struct RegressionMetrics {
    double rows, weight;
    double origin;      /* the first actual value */
    double mean;        /* of actual - origin, so that a large offset costs no digits */
    ScaledSum spread;   /* squares of actual - mean */
    ScaledSum squares;  /* squares of actual - predicted */
    ScaledSum absolute; /* |actual - predicted| */
} RegressionMetrics;

#define REGRESSION_METRICS_SIZE 13 /* doubles */

/* Adds a row, unless its weight is 0. Fails with ERROR_DATA for NaN, infinities and negative weights, ERROR_RANGE if a sum
 * overflows. */
void metrics_add(Env *env, RegressionMetrics *state, double actual, double predicted,
                 double weight);
void metrics_merge(Env *env, RegressionMetrics *state, const RegressionMetrics *other);
/* Returns NULL if these can be the numbers of a state, else what is wrong. */
const char *metrics_check(const RegressionMetrics *state);

/* Return false if there are no rows, for r_squared also if the actual value is constant: NULL in SQL. */
bool metrics_mse(Env *env, const RegressionMetrics *state, double *result);
bool metrics_rmse(Env *env, const RegressionMetrics *state, double *result);
bool metrics_mae(Env *env, const RegressionMetrics *state, double *result);
bool metrics_r_squared(Env *env, const RegressionMetrics *state, double *result);
typedef bool (*RegressionMetric)(Env *env, const RegressionMetrics *state, double *result);
/* Returns the mean of a metric over several targets, each with a state of its own; false if one of them has none. */
bool metrics_average(Env *env, RegressionMetric metric, const RegressionMetrics *states, uint32_t count, double *result);

/* Returns |actual - predicted| / |actual|. Fails with ERROR_DATA if actual is 0, and for NaN and infinities. quantile: not read. */
double percentage_error(Env *env, double actual, double predicted, double quantile);
/* Returns 2 |actual - predicted| / (|actual| + |predicted|), 0 to 2; 0 if both are 0. Fails for NaN and infinities. */
double symmetric_percentage_error(Env *env, double actual, double predicted, double quantile);
/*
 * Returns the loss of predicting a quantile (Koenker & Bassett 1978): quantile x what the prediction is too low by, or (1 - quantile) x
 * what it is too high by. Fails with ERROR_PARAMETER for a quantile outside 0 to 1, ERROR_DATA for NaN and infinities.
 */
double pinball_loss(Env *env, double actual, double predicted, double quantile);

#endif
