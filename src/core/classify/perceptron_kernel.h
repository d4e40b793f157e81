/*
 * perceptron_kernel.h - the perceptron in the feature space of a kernel: f(x) = sum of multiplier_i k(x_i, x).
 *
 * A model is an expansion over the rows that were mistakes (kernel_model.h), with one problem per binary problem. A voted one has
 *   steps        F64[m]  what a mistake of the row adds to its multiplier
 *   vote_rows    I64[u]  the rows of the mistakes in their order, from 0
 *   vote_counts  I64[u]  how many rows the perceptron after each mistake survived
 */
#ifndef PGFIT_PERCEPTRON_KERNEL_H
#define PGFIT_PERCEPTRON_KERNEL_H

#include "core/kernel_methods/feature_map.h"

/* Tells whether the options ask for a kernel other than linear. Fails if an option does not apply to the kernel. */
bool perceptron_wants_kernel(Env *env, const Options *options);
/* Returns the map that approximates the kernel under these options; NULL: the kernel is exact. Fails if an option conflicts with it. */
FeatureMap *perceptron_map(Env *env, const FitInput *input, const Options *options);
/* Fits a model of all pairs of rows: Estimator.fit. */
Model *perceptron_kernel_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder);

extern const ArraySpec perceptron_vote_arrays[3];
const char *perceptron_kernel_check(Env *env, const Model *model);
/* Functions of Scoring, for models that kernel_model_is accepts. */
void *perceptron_kernel_prepare(Env *env, const Model *model, size_t *bytes);
void perceptron_kernel_decisions(const Model *model, const void *prepared, const double *slots, double *out);
uint32_t perceptron_kernel_classify(const Model *model, const void *prepared, const double *slots);
char *perceptron_kernel_summary(Env *env, const Model *model);
extern const Table *const perceptron_kernel_tables[]; /* support_vectors */

#endif
