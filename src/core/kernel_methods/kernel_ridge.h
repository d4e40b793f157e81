/*
 * kernel_ridge.h - fits with an approximation, and reports of models of kernel_ridge. Those of an equation fail with ERROR_KIND unless the kernel is linear.
 */
#ifndef PGFIT_KERNEL_RIDGE_H
#define PGFIT_KERNEL_RIDGE_H

#include "core/estimator/estimator.h"

uint32_t kernel_ridge_coefficients(Env *env, const Model *model, Coefficient **out);
char *kernel_ridge_to_sql(Env *env, const Model *model);
/* Scoring.explain */
bool kernel_ridge_has_explain(const Model *model);
uint32_t kernel_ridge_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out);
char *kernel_ridge_summary(Env *env, const Model *model);
extern const Table *const kernel_ridge_tables[]; /* kernel_path, support_vectors */

/* The Estimator.fit for options with an approximation: ridge regression on mapped rows, with the arrays and facts of kernel_ridge.c, over the basis. */
Model *mapped_ridge(Env *env, const FitInput *input, const Options *options, ModelBuilder *builder);

#endif
