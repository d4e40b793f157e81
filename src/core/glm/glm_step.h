/*
 * glm_step.h - generalized linear models by repeated passes over rows that are not stored: the first model, and one step of Fisher scoring as an
 * aggregate whose sums merge.
 *
 * The steps are those of glm_solver.h, from the same start, except that only the next pass can tell that a step was too long; it then halves it.
 * A model between steps is a model of its estimator like any other. It may also have
 *   step_from       F64[p]  the parameters before the last step (the intercept at the center, then the terms that are not dropped)
 * and the facts
 *   step_start      BOOL    it is the first model, whose pass finds the usual start of the coefficients
 *   step_first      F64     the deviance where the steps began
 *   step_mean       F64     the mean of the targets; missing after a fit of the rows
 *   step_objective  F64     the deviance at step_from
 *   step_promise    F64     what the last step was to lower it by; missing after the first pass, whose step is taken back whole
 *   step_theta      F64     where theta is estimated: theta before the last step
 *   step_null       F64     where theta is estimated or the formula has offset(...): the next score without coefficients,
 *   step_null_from, step_null_deviance  F64  the last one and its deviance, missing in the first model
 * Where theta is estimated, a step changes its logarithm too, and minus twice the log-likelihood stands for the deviance where steps are judged.
 *
 * The running state (model_step.h) also has
 *   step_family     F64[3]  the position of the family among glm_families, its parameter, or 0, and 1 where that is theta to be estimated
 *   sum_gradient    F64[2 p] that of the coefficients, then the slope of the expected zeros (glm_zeros.h)
 *   sum_curvature   F64[p (p + 1) / 2]
 *   sum_rows        F64[slots + 3, DESIGN_TILE] pending rows (linear_step.h)
 *   sum_totals      F64[15] deviance, Pearson's sum, what the likelihood lacks, rows of tiles with a mean outside its domain, tiles with an extreme
 *                           mean, the derivatives of the likelihood by theta, the deviance without coefficients, its gradient and curvature, the
 *                           sums of zeros, rows in sum_rows
 */
#ifndef PGFIT_GLM_STEP_H
#define PGFIT_GLM_STEP_H

#include "core/estimator/model_step.h"

/* Fails with ERROR_PARAMETER for options that steps cannot follow, as a penalty. */
void glm_step_require(Env *env, const Estimator *estimator, const Options *options);
/* Builds the model that steps begin from: the mean of the targets, all coefficients 0. input: moments. NULL: no rows. */
Model *glm_start(Env *env, const Estimator *estimator, const Model *input, const Options *options);

/* Of gamma_regression, glm, negative_binomial_regression, poisson_regression and tweedie_regression; all are called glm_step. */
#define GLM_STEPS 5
extern const ModelStep glm_steps[GLM_STEPS];

extern const ArraySpec glm_step_arrays[6];
/* Returns what is wrong with the step arrays of an otherwise sound model; NULL: nothing. */
const char *glm_step_check(Env *env, const Model *model);

#endif
