/*
 * perceptron.h - inner products for methods that learn row by row: summed in one order on every machine, because the
 * sign of a score decides where the next step goes.
 */
#ifndef PGFIT_PERCEPTRON_H
#define PGFIT_PERCEPTRON_H

#include "core/estimator/estimator.h"

/* Scoring and reports of perceptrons (perceptron_votes.c). Reports fail with ERROR_KIND for voted perceptrons. */
extern const ArrayTable perceptron_array_tables[];
extern const Scoring perceptron_scoring;
const char *perceptron_check(Env *env, const Model *model);
uint32_t perceptron_coefficients(Env *env, const Model *model, Coefficient **out);
char *perceptron_to_sql(Env *env, const Model *model);

/* Returns x.y, summed in four parts. */
static inline double row_product(const double *x, const double *y, uint32_t count)
{
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < count; i++)
        a += x[i] * y[i];
    return (a + b) + (c + d);
}

/* Adds step x to y. */
static inline void row_step(double *restrict y, double step, const double *restrict x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        y[i] += step * x[i];
}

#endif
