/*
 * exp_log1p.h - exp, log and log(1 + x) without branches, so that compilers can vectorize loops over them.
 *
 * They do the same operations in the same order everywhere, and scores are compiled without contraction, so results have the
 * same bits on every machine, which libm does not guarantee. Accurate to 2 units in the last place.
 */
#ifndef PGFIT_EXP_LOG1P_H
#define PGFIT_EXP_LOG1P_H

#include <stdint.h>
#include <string.h>

#define EXP_LARGEST 708.0 /* largest |x| for exponential_core */

/* Returns exp(x), with |x| limited to EXP_LARGEST. */
static inline __attribute__((always_inline)) double exponential_core(double x)
{
    /* x = n log 2 + r, |r| <= log(2) / 2; n is in the low bits of `shifted` */
    const double shift = 0x1.8p52;
    double shifted, n, r, p, scale;
    uint64_t bits;

    x = x < -EXP_LARGEST ? -EXP_LARGEST : x;
    x = x > EXP_LARGEST ? EXP_LARGEST : x;
    shifted = x * 0x1.71547652b82fep0 + shift;
    n = shifted - shift;
    r = x - n * 0x1.62e42fefa0000p-1; /* log 2 in two parts: n times the first is exact */
    r = r - n * 0x1.cf79abc9e3b3ap-40;
    p = 0x1.6124613a86d09p-33; /* 1/13!, 1/12!, ... */
    p = p * r + 0x1.1eed8eff8d898p-29;
    p = p * r + 0x1.ae64567f544e4p-26;
    p = p * r + 0x1.27e4fb7789f5cp-22;
    p = p * r + 0x1.71de3a556c734p-19;
    p = p * r + 0x1.a01a01a01a01ap-16;
    p = p * r + 0x1.a01a01a01a01ap-13;
    p = p * r + 0x1.6c16c16c16c17p-10;
    p = p * r + 0x1.1111111111111p-7;
    p = p * r + 0x1.5555555555555p-5;
    p = p * r + 0x1.5555555555555p-3;
    p = p * r + 0.5;
    p = p * r * r + r;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits + 1023) << 52;
    memcpy(&scale, &bits, sizeof(scale));
    return scale + scale * p;
}

/* Returns 2 artanh(s) = log((1 + s) / (1 - s)) for |s| <= 3 - sqrt(8). */
static inline __attribute__((always_inline)) double twice_artanh(double s)
{
    double z = s * s, p;

    p = 1.0 / 23;
    p = p * z + 1.0 / 21;
    p = p * z + 1.0 / 19;
    p = p * z + 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    s = s + s;
    return s + s * z * p;
}

/* Returns log(quotient), positive and normal, from part = quotient - 1 where that is small. */
static inline __attribute__((always_inline)) double log_core(double quotient, double part)
{
    /* quotient = 2^n m with m from sqrt(1/2) to sqrt(2): n log 2 + 2 artanh(s), s = (m - 1) / (m + 1) */
    const uint64_t root = 0x3fe6a09e667f3bcd, magic = 0x4330000000000000;
    const double log_2 = 0x1.62e42fefa39efp-1;
    int near = part > -0.25 && part < 0.375;
    uint64_t bits, shifted, below;
    double m, n, f;

    memcpy(&bits, &quotient, sizeof(bits));
    shifted = bits - root + (UINT64_C(1024) << 52); /* above 0 for any positive number */
    below = (shifted >> 52) | magic;
    memcpy(&n, &below, sizeof(n));
    n = n - (0x1p52 + 1024);
    bits -= ((shifted >> 52) - 1024) << 52;
    memcpy(&m, &bits, sizeof(m));
    f = near ? part : m - 1;
    n = near ? 0 : n;
    return n * log_2 + twice_artanh(f / (f + 2));
}

/* Returns log(1 + x) for 0 <= x <= 1, accurate even if 1 + x rounds to 1. */
static inline __attribute__((always_inline)) double log1p_core(double x)
{
    /* 2 artanh(s) with s = x / (2 + x), or after halving 1 + x */
    int large = x > 0x1.a827999fcef32p-2; /* sqrt(2) - 1 */

    return (large ? 0x1.62e42fefa39efp-1 : 0) + twice_artanh((large ? x - 1 : x) / (large ? x + 3 : x + 2));
}

#endif
