/*
 * normal_deviate.h - random numbers with the standard normal distribution, the same bits on every machine.
 *
 * Box & Muller (1958): the square of the radius of a pair is exponential, its angle uniform. With 53 bits of a uniform number the
 * largest deviate is 8.6; a normal number is larger once in 1e17.
 */
#ifndef PGFIT_NORMAL_DEVIATE_H
#define PGFIT_NORMAL_DEVIATE_H

#include "core/base/random.h"
#include "core/math/cosine_sine.h"
#include "core/math/exp_log1p.h"

/* Returns log u of a u in (0, 1). */
static inline double log_of_unit(double u)
{
    uint64_t bits;
    int exponent;

    memcpy(&bits, &u, sizeof(bits));
    exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u; /* the same digits in [1, 2) */
    memcpy(&u, &bits, sizeof(u));
    return log1p_core(u - 1) + exponent * 0x1.62e42fefa39efp-1;
}

/* Writes n normal deviates and advances the state of random_bits by two steps for each pair. */
static inline void normal_deviates(uint64_t *state, double *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 2) {
        double u = ((double)(random_bits(state) >> 11) + 0.5) * 0x1p-53, square = -2 * log_of_unit(u);
        double radius = square > 0 ? sqrt(square) : 0, cosine, sine;

        cosine_sine_core(random_unit(state), &cosine, &sine);
        out[i] = radius * cosine;
        if (i + 1 < n)
            out[i + 1] = radius * sine;
    }
}

#endif
