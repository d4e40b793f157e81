/*
 * svm_step.h - linear support vector machines under squared losses by repeated passes over rows that are not stored: the first model,
 * and one Newton step of all equations as an aggregate whose sums merge.
 *
 *     1/2 |w|^2 + C sum w_i excess_i^2        and the other penalties of svm_linear.h
 *
 * The method is that of squared_margin.h, except that only the next pass can tell that a step was too long; it then halves it. A model
 * between steps is a svm_classifier or svm_regression like any other. It may also have, with E equations of p parameters
 * (the intercept at the center, then the terms):
 *   step_deviation  F64[W]      standard deviations of the columns; 0: a constant column, which has no coefficient
 *   step_factor     F64[q]      class weights
 *   step_from       F64[E x p]  the parameters before the last step
 *   step_objective  F64[E]      the objective there
 *   step_promise    F64[E]      the decrease that the step promised
 *   step_done       U8[E]       1: the equation has converged and stays as it is
 *
 * The running state (model_step.h) also has
 *   step_epsilon    F64[1]      of a regression
 *   sum_gradient    F64[E x p], for C = 1
 *   sum_curvature   F64[E x p (p + 1) / 2]
 *   sum_rows        F64[slots + 3, DESIGN_TILE] pending rows (linear_step.h)
 *   sum_totals      F64[E + 2]  losses; support vectors; rows in sum_rows
 */
#ifndef PGFIT_SVM_STEP_H
#define PGFIT_SVM_STEP_H

#include "core/estimator/model_step.h"

/* Fails with ERROR_PARAMETER for options of a svm_classifier or svm_regression that passes cannot follow: other kernels, other losses. */
void svm_step_require(Env *env, const Estimator *estimator, const Options *options);
/*
 * Builds the model that steps begin from: of a classifier, the first Newton step from coefficients of 0, which the moments give; of a regression,
 * the minimum of the squared errors. input: class_moments, or moments. NULL: no rows.
 */
Model *svm_start(Env *env, const Estimator *estimator, const Model *input, const Options *options);

/* Both are called svm_step. */
extern const ModelStep svm_classifier_step, svm_regression_step;

extern const ArraySpec svm_step_arrays[11];
/* Returns what is wrong with the step arrays of an otherwise sound linear model; NULL: nothing. */
const char *svm_step_check(Env *env, const Model *model);

/* ---- shared by the first model and the steps ---- */

/* Where the equations are after a step, all [equations]; from [equations x count]. NULL arrays: there was none. */
typedef struct SvmProgress {
    const double *from, *objective, *promise;
    const uint8_t *done;
    bool finished; /* all equations have converged */
} SvmProgress;

/* Adds what the next step needs of this one; nothing if all equations have converged. */
void svm_progress_add(ModelBuilder *builder, const SvmProgress *progress, uint32_t equations, uint32_t count);

#endif
