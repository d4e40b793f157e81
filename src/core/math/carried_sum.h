/*
 * carried_sum.h - a sum that carries its rounding errors (Neumaier 1974), so that it hardly depends on the order of its terms.
 */
#ifndef PGFIT_CARRIED_SUM_H
#define PGFIT_CARRIED_SUM_H

#include <math.h>

typedef struct CarriedSum {
    double sum, carry;
} CarriedSum;

static inline void carried_add(CarriedSum *total, double value)
{
    double sum = total->sum + value;

    total->carry += fabs(total->sum) >= fabs(value) ? (total->sum - sum) + value : (value - sum) + total->sum;
    total->sum = sum;
}

static inline double carried_value(const CarriedSum *total)
{
    return total->sum + total->carry;
}

#endif
