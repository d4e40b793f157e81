/*
 * component_sign.h - the sign of a component, which eigenvectors leave open.
 */
#ifndef PGFIT_COMPONENT_SIGN_H
#define PGFIT_COMPONENT_SIGN_H

#include <math.h>
#include <stdint.h>

#define EQUAL_ENTRIES 1e-8 /* entries within this share of the largest count as equal to it */

/* Returns the size from which an entry of a vector counts as one of the largest. */
static inline double component_largest(const double *vector, uint32_t count)
{
    double largest = 0;

    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(vector[i]));
    return largest * (1 - EQUAL_ENTRIES);
}

/* Makes entry t of a vector positive. */
static inline void component_turn(double *vector, uint32_t count, uint32_t t)
{
    if (vector[t] < 0)
        for (uint32_t i = 0; i < count; i++)
            vector[i] = 0 - vector[i];
}

/* Makes the largest entry of a vector positive, the first of equal ones. */
static inline void component_fix_sign(double *vector, uint32_t count)
{
    double largest = component_largest(vector, count);
    uint32_t t = 0;

    while (t + 1 < count && fabs(vector[t]) < largest)
        t++;
    component_turn(vector, count, t);
}

#endif
