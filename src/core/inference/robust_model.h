/*
 * robust_model.h - what models keep of robust standard errors, beside their covariance.
 *
 *   coefficient_df   F64[coefficients]   degrees of freedom of their t tests, in the order of the covariance; missing: those of other fits.
 *                                    Mixed models have them without being robust.
 *
 * Facts: vcov (missing: classical), clusters (their number, for each column), lag.
 */
#ifndef PGFIT_ROBUST_MODEL_H
#define PGFIT_ROBUST_MODEL_H

#include "core/estimator/array_spec.h"
#include "core/inference/sandwich.h"
#include "core/model/report_text.h"

extern const ArraySpec robust_arrays[1];
extern const ArraySpec robust_facts[3];

/* Adds them to a model. df: [count] of all its coefficients, or NULL. */
void robust_add(Env *env, ModelBuilder *builder, VcovKind kind, const SandwichResult *result, const double *df, uint32_t count);
/* Checks what the tables cannot say. count: of the coefficients of the covariance. Returns NULL, or what is wrong. */
const char *robust_check(Env *env, const Model *model, size_t count);
/* Tells whether the covariance of a model is robust. */
bool robust_is(const Model *model);
/* Returns the degrees of freedom of the t tests of coefficients, in the order of the covariance; NULL: as for other fits. */
const double *robust_df(const Model *model);
/*
 * Returns those of the denominator of a test of several coefficients: one less than there are clusters, or `df` without clusters, or where it is INFINITY
 * and coefficients have no degrees of freedom of their own.
 */
double robust_f_df(const Model *model, double df);
/* Writes the line of a summary, "standard errors: CR2, 54 clusters of firm". */
void robust_put(TextBuffer *out, const Model *model);

#endif
