/*
 * vector_loops.h - sums over the coordinates of two vectors, the same bits on every machine.
 *
 * A sum consists of eight partial sums, coordinate j in number j % 8, added as ((0+4)+(1+5)) + ((2+6)+(3+7)) at the end, whatever
 * the width of the machine's vectors, and whether rows are stored one by one or in panels of eight (metric.h). No contraction.
 */
#ifndef PGFIT_VECTOR_LOOPS_H
#define PGFIT_VECTOR_LOOPS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Loop {
    LOOP_SQUARES,   /* sum of (a - b)^2 */
    LOOP_ABSOLUTE,  /* sum of |a - b| */
    LOOP_LARGEST,   /* the largest |a - b| */
    LOOP_DIFFERING, /* number of coordinates with a != b */
    LOOP_POWERS,    /* sum of |a - b|^power, power an integer of at least 1 */
    LOOP_PRODUCTS   /* sum of a b */
} Loop;

/* Returns x^power, for a power of at least 1. */
static inline double whole_power(double x, uint32_t power)
{
    double result;

    for (; (power & 1) == 0; power >>= 1)
        x *= x;
    result = x;
    for (power >>= 1; power > 0; power >>= 1) {
        x *= x;
        if (power & 1)
            result *= x;
    }
    return result;
}

/* Returns the sum for two vectors of `count` numbers. power: for LOOP_POWERS. */
double loop_pair(Loop loop, uint32_t power, const double *a, const double *b, uint32_t count);
/* Writes the sum of q and row i to out[i]; rows are `stride` numbers apart. */
void loop_rows(Loop loop, uint32_t power, const double *q, const double *rows, uint32_t rows_count,
               uint32_t count, size_t stride, double *out);
/* Writes the sums of q and the rows of panel i to out[8 i .. 8 i + 7]; panels are 8 x `stride` numbers apart. */
void loop_panels(Loop loop, uint32_t power, const double *q, const double *panels,
                 uint32_t panel_count, uint32_t count, size_t stride, double *out);
/* Returns how far x is outside of an interval; 0 if that is NaN. */
static inline double loop_gap(double x, double low, double high)
{
    double below = low - x, above = x - high, gap = below > above ? below : above;

    return gap > 0 ? gap : 0;
}
/* Returns the sum of the gaps between a vector and a box, or of their squares. */
double loop_box(bool squares, const double *q, const double *low, const double *high, uint32_t count);
/* Returns the square root of the sum of squares of a - b, for numbers of any size. */
double loop_norm(const double *a, const double *b, uint32_t count);
/* The same (b NULL: of a) after scaling numbers to near 1: slower, and accurate even if squares overflow or vanish. */
double loop_norm_scaled(const double *a, const double *b, uint32_t count);
/* Tells whether the root of a sum of squares has all its digits. */
static inline bool squares_sound(double squares)
{
    return squares > 1e-280 && squares < 1e280;
}
/* Returns the norm of a - b, given the sum of squares. */
static inline double loop_norm_of(double squares, const double *a, const double *b, uint32_t count)
{
    return squares_sound(squares) ? sqrt(squares) : loop_norm_scaled(a, b, count);
}
/* Adds eight partial sums in the order above, for loops elsewhere. */
static inline double loop_join(const double *part)
{
    return ((part[0] + part[4]) + (part[1] + part[5])) +
           ((part[2] + part[6]) + (part[3] + part[7]));
}

#endif
