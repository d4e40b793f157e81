/*
 * logistic_function.c - the logistic function, its logarithm, and softmax.
 */
#include "core/math/logistic_function.h"

#include "core/math/exp_log1p.h"

#include <math.h>

double logistic(double x)
{
    double e;

    if (x >= 0)
        return 1 / (1 + exponential_core(-x));
    if (x < -EXP_LARGEST) /* exp(x) is subnormal or 0 */
        return x < -746 ? 0 : exponential_core(x + 0x1.601e678fc457bp+6) * 0x1p-127; /* 127 log 2 */
    e = exponential_core(x);
    return e / (1 + e);
}

/* Returns exp(x) for x <= 0. */
static double exponential(double x)
{
    return x < -EXP_LARGEST ? 0 : exponential_core(x);
}

void softmax(const double *x, uint32_t count, double *out)
{
    double largest = -INFINITY, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        largest = x[i] > largest ? x[i] : largest;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = exponential(x[i] - largest);
        sum += out[i];
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] /= sum;
}

double log_logistic(double x)
{
    return (x < 0 ? x : 0) - log1p_core(exponential(-fabs(x)));
}
