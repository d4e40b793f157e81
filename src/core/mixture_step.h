/*
 * mixture_step.h - one iteration of a mixture as an aggregate: sums of rows that merge, then the next model.
 *
 * The running state is the model itself with the sums beside its parameters, so that it is a value of type model
 * wherever it is sent (k components, d features):
 *   sum_weights   F64[k]             of rows times shares
 *   sum_moments   F64[k x d]         of rows less the means
 *   sum_products  F64[matrices x p]  see mixture.h
 *   sum_rows      F64[d + 1 x 256]   rows not yet summed: a column of numbers a feature, then the weights
 *   sum_totals    F64[3]             log likelihood, weight, rows in sum_rows
 * and the fact step_of, the fingerprint of the model. rows, skipped and weight of the header are those of
 * the pass. In place; allocated once.
 */
#ifndef PGFIT_MIXTURE_STEP_H
#define PGFIT_MIXTURE_STEP_H

#include "model.h"

/* A state without rows. model: a gaussian_mixture that passed its check. */
Model *mixture_step_begin(Env *env, const Model *model);
/* Is this a state, of this model? Fails with ERROR_KIND, ERROR_PARAMETER; model NULL: of any. */
void mixture_step_require(Env *env, const Model *state, const Model *model);
/* Adds a row of finite numbers, of weight > 0. */
void mixture_step_add(Env *env, Model *state, const double *slots, double weight);
/* Adds the rows of b, which is not changed; fails where they are states of different models. */
void mixture_step_merge(Env *env, Model *a, const Model *b);
/* The next model; the state is not changed. NULL where it has no rows. */
Model *mixture_step_finish(Env *env, const Model *state);

/* What is wrong with the arrays of a state, of a mixture whose other arrays are right; NULL: nothing. */
const char *mixture_step_check(const Model *model);

#endif
