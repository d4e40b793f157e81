/*
 * logistic_model.h - what logistic_regression and logistic_step share: options, checks, derived statistics.
 *
 * Facts that are stored: log_likelihood, null_deviance, parameters (of one likelihood: two classes or
 * multinomial), objective (penalised), nonzero (l1), iterations, converged, separated, dropped_terms.
 */
#ifndef PGFIT_LOGISTIC_MODEL_H
#define PGFIT_LOGISTIC_MODEL_H

#include "estimator.h"

#define LOGISTIC_OPTION_INTERCEPT                                                                  \
    {.name = "intercept",                                                                          \
     .types = OPTION_BOOLEAN,                                                                      \
     .fallback = "true",                                                                           \
     .help = "Whether the equation has a constant; it is not penalised."}
#define LOGISTIC_OPTION_LEVEL                                                                      \
    {.name = "level",                                                                              \
     .types = OPTION_NUMBER,                                                                       \
     .fallback = "0.95",                                                                           \
     .minimum = 0,                                                                                 \
     .maximum = 1,                                                                                 \
     .minimum_open = true,                                                                         \
     .maximum_open = true,                                                                         \
     .help = "Confidence of the limits that coefficients() gives without a penalty."}

extern const Estimator estimator_logistic_regression;

/* The inverse of a symmetric matrix, dense, both triangles; NULL where it is singular. */
double *logistic_inverse(Env *env, const double *matrix, uint32_t size);
const char *logistic_check(Env *env, const Model *model);
/* Adds deviance, aic, bic, pseudo_r_squared (McFadden), df_residual. */
Model *logistic_statistics(Env *env, const Model *model);

#endif
