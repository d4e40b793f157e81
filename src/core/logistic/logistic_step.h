/*
 * logistic_step.h - logistic regression by repeated passes over rows that are not stored: the first model, and one
 * Newton step as an aggregate whose sums merge.
 *
 * A model between steps is a logistic_regression like any other. It may also have
 *   step_penalty    F64[2]     factors of |w| and w^2; always present with any of these arrays
 *   step_from       F64[size]  the parameters before the last step (free equations, each the intercept at the center
 *                              and the coefficients of linear_terms that are not dropped)
 *   step_deviation  F64[W]     standard deviations of the columns, if the penalty is on standardized ones
 *   step_factor     F64[q]     class weights
 * and the facts step_objective (before the last step) and step_promise (the decrease that the step promised).
 *
 * The running state (model_step.h) also has, with p parameters per equation:
 *   sum_gradient    F64[size]
 *   sum_curvature   F64[pairs of equations x p (p + 1) / 2]
 *   sum_rows        F64[slots + 3, DESIGN_TILE] pending rows (linear_step.h)
 *   sum_totals      F64[3]     loss, weight, rows in sum_rows
 */
#ifndef PGFIT_LOGISTIC_STEP_H
#define PGFIT_LOGISTIC_STEP_H

#include "core/estimator/model_step.h"

/*
 * Builds the model that step aggregates begin from: intercepts that predict the share of each class, all
 * coefficients 0. estimator: logistic_regression. input: class_moments. options: those of logistic_regression
 * except "start" and the multiclass strategies ovr, ovo and ecoc. NULL: no rows.
 */
Model *logistic_start(Env *env, const Estimator *estimator, const Model *input, const Options *options);

/* Steps for models of two classes and for multinomial models. */
extern const ModelStep logistic_step;

extern const ArraySpec logistic_step_arrays[8];
/* Returns what is wrong with the step arrays of an otherwise sound logistic_regression; NULL: nothing. */
const char *logistic_step_check(Env *env, const Model *model);

#endif
