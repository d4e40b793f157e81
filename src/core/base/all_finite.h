/*
 * all_finite.h - tells whether numbers from outside are free of infinities and NaN.
 */
#ifndef PGFIT_ALL_FINITE_H
#define PGFIT_ALL_FINITE_H

#include "core/base/env.h"

static inline bool all_finite(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i] * 0.0; /* NaN for either */
    return sum == 0;
}

/* The same for arrays of any length; polls. */
static inline bool all_finite_polled(Env *env, const double *values, size_t count)
{
    const size_t some = 1000000;

    for (size_t first = 0; first < count; first += some) {
        if (!all_finite(values + first, count - first < some ? count - first : some))
            return false;
        env->poll(env);
    }
    return true;
}

#endif
