/*
 * logistic_step.h - logistic regression by passes over rows that are kept nowhere: where to begin, and one step as an
 * aggregate of sums that merge.
 *
 * A model in the making is a logistic_regression like any other. Besides, it may have
 *   step_from       F64[size]  the numbers before the last step (free equations, each the intercept at the centre
 *                              and the coefficients of linear_classifier_terms that are not dropped)
 *   step_deviation  F64[W]     standard deviations of the columns, where the penalty is on standardised ones
 *   step_factor     F64[q]     factors of the classes' weights
 * and the facts step_objective (before the last step) and step_promise (what the step was to take off it).
 *
 * The running state of logistic_step is the model with the sums beside its arrays, so that it is a value of type
 * model wherever it is sent, and the fact step_of, the fingerprint of the model:
 *   sum_gradient    F64[size]
 *   sum_curvature   F64[pairs of equations x p (p + 1) / 2], p numbers of an equation
 *   sum_rows        F64[slots + 2 x DESIGN_TILE] rows not yet summed: a column a slot, classes, weights
 *   sum_totals      F64[3]     loss, weight, rows in sum_rows
 * rows, skipped and weight of the header are those of the pass. In place; allocated once.
 */
#ifndef PGFIT_LOGISTIC_STEP_H
#define PGFIT_LOGISTIC_STEP_H

#include "estimator.h"
#include "options.h"

/*
 * The model that says the shares of the classes alone, from class_moments; options are those of
 * logistic_regression but multiclass ovr, ovo, ecoc and start. NULL: no rows.
 */
Model *logistic_start(Env *env, const Model *evidence, const Options *options);

/* Where the last state had its arrays: only hints, any numbers will do. */
typedef struct LogisticStepHints {
    uint32_t of, totals, rows;
} LogisticStepHints;

/* A state without rows. model: a logistic_regression of two classes or multinomial that passed its check. */
Model *logistic_step_begin(Env *env, const Model *model);
/* Is this a state, of this model? Fails with ERROR_KIND, ERROR_PARAMETER; model NULL: of any. */
void logistic_step_require(Env *env, const Model *state, const Model *model, LogisticStepHints *hints);
/* Adds a row; class: a final position; weight > 0. */
void logistic_step_add(Env *env, Model *state, const double *slots, uint32_t class, double weight,
                       LogisticStepHints *hints);
/* Adds the rows of b, which is not changed; fails where they are states of different models. */
void logistic_step_merge(Env *env, Model *a, const Model *b);
/* The next model; the state is not changed. NULL where it has no rows. */
Model *logistic_step_finish(Env *env, const Model *state);

/* What is wrong with the arrays of steps of a sound logistic_regression; NULL: nothing. */
const char *logistic_step_check(Env *env, const Model *model);

#endif
