/*
 * logistic_function.h - the logistic function, its logarithm, and softmax, with the same bits on every machine.
 */
#ifndef PGFIT_LOGISTIC_FUNCTION_H
#define PGFIT_LOGISTIC_FUNCTION_H

#include <stdint.h>

/* Returns 1 / (1 + exp(-x)), without overflow and with full relative precision at both ends. */
double logistic(double x);
/* Returns log(logistic(x)). */
double log_logistic(double x);
/* Sets out to exp(x_i) / sum exp(x); out may be x. */
void softmax(const double *x, uint32_t count, double *out);

#endif
