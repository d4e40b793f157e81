/*
 * glm_choice.h - which family and link an estimator and its options choose.
 */
#ifndef PGFIT_GLM_CHOICE_H
#define PGFIT_GLM_CHOICE_H

#include "core/estimator/estimator.h"
#include "core/glm/glm_family.h"
#include "core/linear_equations/link_function.h"

/* Return what an estimator fits with these options. */
const GlmFamily *glm_family_of(const Estimator *estimator, const Options *options);
/* Fails with ERROR_PARAMETER for a power without link power, or the link without a power. */
Link glm_link_of(Env *env, const Estimator *estimator, const Options *options);

/* Returns the parameter of the family; NaN: it has none, or is to be estimated. Fails with ERROR_PARAMETER for options of another family. */
double glm_parameter_of(Env *env, const Estimator *estimator, const Options *options);
/* Tells whether the parameter is theta, to be estimated. */
bool glm_estimates_theta(Env *env, const Estimator *estimator, const Options *options);
/* Returns the power of family tweedie. */
double glm_power(const Options *options);

#endif
