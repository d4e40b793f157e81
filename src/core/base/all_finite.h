/*
 * all_finite.h - tells whether numbers from outside are free of infinities and NaN.
 */
#ifndef PGFIT_ALL_FINITE_H
#define PGFIT_ALL_FINITE_H

#include "core/base/env.h"

#include <string.h>

/*
 * Returns false if a number is NaN or infinite. Those have an exponent of all ones, so that adding one to it carries into
 * the sign bit: integer operations, which vectorize.
 */
static inline bool all_finite(const double *values, size_t count)
{
    const uint64_t exponent = UINT64_C(0x7FF0000000000000), one = UINT64_C(0x0010000000000000);
    uint64_t seen = 0, bits;

    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, &values[i], sizeof bits);
        seen |= (bits & exponent) + one;
    }
    return seen >> 63 == 0;
}

/* Does the same for arrays of any length; polls. */
static inline bool all_finite_polled(Env *env, const double *values, size_t count)
{
    const size_t part = 1000000;

    for (size_t first = 0; first < count; first += part) {
        if (!all_finite(values + first, count - first < part ? count - first : part))
            return false;
        env->poll(env);
    }
    return true;
}

#endif
