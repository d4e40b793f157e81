/*
 * all_finite.h - tells whether numbers from outside are free of infinities and NaN.
 */
#ifndef PGFIT_ALL_FINITE_H
#define PGFIT_ALL_FINITE_H

#include "core/base/env.h"

/* Tells whether all values are finite. */
static inline bool all_finite(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i] * 0.0; /* NaN if the value is infinite or NaN */
    return sum == 0;
}

/* The same for arrays of any length; polls. */
static inline bool all_finite_polled(Env *env, const double *values, size_t count)
{
    const size_t step = 1000000;

    for (size_t first = 0; first < count; first += step) {
        if (!all_finite(values + first, count - first < step ? count - first : step))
            return false;
        env->poll(env);
    }
    return true;
}

#endif
