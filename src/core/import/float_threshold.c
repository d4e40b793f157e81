/*
 * float_threshold.c - the doubles between which a rounded comparison changes.
 */
#include "core/import/float_threshold.h"

#include <math.h>

float float_above(double number)
{
    float near = (float)number;

    return (double)near > number ? near : nextafterf(near, INFINITY);
}

/* Returns the smallest float that is not below a number. */
static float float_not_below(double number)
{
    float near = (float)number;

    return (double)near >= number ? near : nextafterf(near, INFINITY);
}

double double_below_float(float limit)
{
    float below = nextafterf(limit, -INFINITY);
    double half, beyond = 0x1p128; /* what the float after FLT_MAX would be */

    if (limit == -INFINITY)
        return -INFINITY;
    half = ((isinf(limit) ? beyond : (double)limit) + (isinf(below) ? -beyond : (double)below)) / 2;
    return (float)half < limit ? half : nextafter(half, -INFINITY);
}

double threshold_at(double number, bool less, bool single)
{
    if (!single)
        return less ? nextafter(number, -INFINITY) : number;
    if (!less && isinf(number))
        return number;
    return double_below_float(less ? float_not_below(number) : float_above(number));
}
