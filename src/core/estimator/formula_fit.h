/*
 * formula_fit.h - fits whose formula has terms that are learned from the rows.
 */
#ifndef PGFIT_FORMULA_FIT_H
#define PGFIT_FORMULA_FIT_H

#include "core/estimator/estimator.h"

/* Tells whether the rows of an input must become terms before anything is fitted to them. */
bool formula_fit_learns(Env *env, const FitInput *input);
/*
 * Learns the terms from the rows of such an input, and returns an input of the same kind whose fields are the terms: rows, or moments that
 * sum them. Its schema keeps what was learned, so that models do (formula_model.h). Where the formula has offsets, they are
 * subtracted from the targets, or kept beside the rows where scoring_takes_offset; fails for estimators that take none. Makes a pass over the rows besides those that learn. Free the rows with
 * formula_fit_end.
 */
FitInput formula_fit_input(Env *env, const Estimator *estimator, const FitInput *input, const Options *options);
void formula_fit_end(const FitInput *input);

/*
 * Returns the schema of the terms of moments that sum the inputs of a formula with offsets (formula_summable), which are the terms in their order and then the
 * offsets: a fitted value without arrays, with the flags and counts of the moments. Returns the moments themselves if their formula has no offset.
 */
const Model *formula_fit_terms(Env *env, const Model *moments, bool intercept);
/* Fails with ERROR_PARAMETER for such moments: no estimator is fitted from them. */
void formula_fit_refuse_offsets(Env *env, const Estimator *estimator, const Model *moments);
/* Fails with ERROR_RANGE for an offset that is no number. */
void formula_require_offset(Env *env, double offset);

#endif
