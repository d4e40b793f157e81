/*
 * weighted_mean.h - the state of metrics that are a mean over the rows: accuracy, percentage errors, the pinball loss.
 */
#ifndef PGFIT_WEIGHTED_MEAN_H
#define PGFIT_WEIGHTED_MEAN_H

#include "core/base/env.h"

#include <math.h>

typedef struct WeightedMean {
    double weight, sum; /* of all rows; of weight x value, each value 0 or above */
} WeightedMean;
#define WEIGHTED_MEAN_SIZE (sizeof(WeightedMean) / sizeof(double))

/* Adds a row. Sums that overflow become infinite, and fail in the result. */
static inline void weighted_mean_add(WeightedMean *mean, double value, double weight)
{
    mean->weight += weight;
    mean->sum += weight * value;
}

static inline void weighted_mean_merge(WeightedMean *into, const WeightedMean *other)
{
    into->weight += other->weight;
    into->sum += other->sum;
}

/* Computes the mean; returns false without rows. Fails with ERROR_RANGE if a sum has overflowed. */
static inline bool weighted_mean_result(Env *env, const WeightedMean *mean, double *result)
{
    if (mean->weight == 0)
        return false;
    if (isinf(mean->weight) || isinf(mean->sum))
        env_fail(env, ERROR_RANGE, NULL, "value out of range: overflow");
    *result = mean->sum / mean->weight;
    return true;
}

#endif
