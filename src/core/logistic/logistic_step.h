/*
 * logistic_step.h - logistic regression by passes over rows that are kept nowhere: where to begin, and one step as an
 * aggregate of sums that merge.
 *
 * A model in the making is a logistic_regression like any other. Besides, it may have
 *   step_penalty    F64[2]     factors of |w| and w^2; where there is any of these arrays
 *   step_from       F64[size]  the numbers before the last step (free equations, each the intercept at the center
 *                              and the coefficients of linear_classifier_terms that are not dropped)
 *   step_deviation  F64[W]     standard deviations of the columns, where the penalty is on standardized ones
 *   step_factor     F64[q]     factors of the classes' weights
 * and the facts step_objective (before the last step) and step_promise (what the step was to take off it).
 *
 * The running state (model_step.h) has, with p numbers of an equation:
 *   sum_gradient    F64[size]
 *   sum_curvature   F64[pairs of equations x p (p + 1) / 2], p numbers of an equation
 *   sum_rows        F64[slots + 2 x DESIGN_TILE] rows not yet summed: a column a slot, classes, weights
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

/* Of models of two classes and multinomial ones. */
extern const ModelStep logistic_step;

/* What is wrong with the arrays of steps of a sound logistic_regression; NULL: nothing. */
const char *logistic_step_check(Env *env, const Model *model);

#endif
