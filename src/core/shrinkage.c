/*
 * shrinkage.c - how much a covariance is shrunk.
 */
#include "shrinkage.h"

double shrinkage_oas(const double *covariance, uint32_t p, double mean, double n)
{
    double squares = 0, over, under;

    for (uint32_t j = 0; j < p; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double value = *covariance++ / mean; /* in units that cannot overflow */
            squares += i == j ? value * value : 2 * value * value;
        }
    squares /= (double)p * p;
    over = squares + 1;
    under = (n + 1) * (squares - 1.0 / p);
    return under > over ? over / under : 1;
}
