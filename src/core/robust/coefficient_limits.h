/*
 * coefficient_limits.h - limits of coefficients that follow from no standard error, as models keep them.
 *
 * Arrays: conf_low and conf_high F64[1 + columns] of the intercept and the columns (linear_view.h), infinite where there is no limit,
 * NaN where none is known.
 */
#ifndef PGFIT_COEFFICIENT_LIMITS_H
#define PGFIT_COEFFICIENT_LIMITS_H

#include "core/linear_equations/linear_equations.h"

extern const ArraySpec limit_arrays[2];
/* Adds the arrays, [1 + columns]. */
void limits_add(ModelBuilder *builder, const double *low, const double *high, uint32_t columns);
/* Lists the coefficients of a model of one equation, with the limits that it keeps: Estimator.coefficients. */
uint32_t limits_coefficients(Env *env, const Model *model, Coefficient **out);

#endif
