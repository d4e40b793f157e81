/*
 * digamma.c - derivatives of log gamma: their asymptotic series (Abramowitz & Stegun 6.3.18, 6.4.12) from 16 on, where the seventh term
 * would be below rounding, and below by recurrence.
 */
#include "core/math/digamma.h"

#include <math.h>

#define LARGE 16

double digamma(double x)
{
    static const double c[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760};
    double below = 0, series = 0, square;

    for (; x < LARGE; x++)
        below -= 1 / x;
    square = 1 / (x * x);
    for (int i = 5; i >= 0; i--)
        series = (series + c[i]) * square;
    return below + (log(x) - 0.5 / x - series);
}

double trigamma(double x)
{
    static const double c[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
    double below = 0, series = 0, square;

    for (; x < LARGE; x++)
        below += 1 / (x * x);
    square = 1 / (x * x);
    for (int i = 5; i >= 0; i--)
        series = (series + c[i]) * square;
    return below + (1 + 0.5 / x + series) / x;
}
