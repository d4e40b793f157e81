/*
 * cosine_sine.h - cosine and sine of an angle in turns, without branches, so that compilers can vectorize loops over them.
 *
 * An angle in turns needs no reduction by pi: t - round(t) is exact. Operations and their order are the same everywhere, and
 * scores are compiled without contraction, so results have the same bits on every machine, which libm does not guarantee.
 * The error is below 4e-16.
 */
#ifndef PGFIT_COSINE_SINE_H
#define PGFIT_COSINE_SINE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TURNS_LARGEST 0x1p50 /* from here on no digit of the angle is left: it counts as 0, as NaN does */

/* Sets *cosine and *sine to those of 2 pi turns. */
static inline __attribute__((always_inline)) void cosine_sine_core(double turns, double *cosine, double *sine)
{
    /* turns = q / 4 + r, |r| <= 1/8; q is in the low bits of `shifted` */
    const double shift = 0x1.8p52;
    double t = fabs(turns) < TURNS_LARGEST ? turns : 0, shifted = t * 4 + shift;
    double r = t - (shifted - shift) * 0.25, x = r * 0x1.921fb54442d18p+2, z = x * x, c, s, swap;
    uint64_t q;

    memcpy(&q, &shifted, sizeof(q));
    s = -0x1.ae7f3e733b81fp-41; /* -1/15!, 1/13!, ... */
    s = s * z + 0x1.6124613a86d09p-33;
    s = s * z - 0x1.ae64567f544e4p-26;
    s = s * z + 0x1.71de3a556c734p-19;
    s = s * z - 0x1.a01a01a01a01ap-13;
    s = s * z + 0x1.1111111111111p-7;
    s = s * z - 0x1.5555555555555p-3;
    s = x + x * z * s;
    c = 0x1.ae7f3e733b81fp-45; /* 1/16!, -1/14!, ... */
    c = c * z - 0x1.93974a8c07c9dp-37;
    c = c * z + 0x1.1eed8eff8d898p-29;
    c = c * z - 0x1.27e4fb7789f5cp-22;
    c = c * z + 0x1.a01a01a01a01ap-16;
    c = c * z - 0x1.6c16c16c16c17p-10;
    c = c * z + 0x1.5555555555555p-5;
    c = 1 - (0.5 * z - z * z * c);
    swap = (q & 1) != 0 ? c : s; /* a quarter of a turn makes a sine of a cosine */
    c = (q & 1) != 0 ? s : c;
    *sine = (q & 2) != 0 ? -swap : swap;
    *cosine = ((q + 1) & 2) != 0 ? -c : c;
}

#endif
