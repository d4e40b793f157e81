/*
 * mapped_ridge.h - kernel ridge regression by an approximation of the kernel: ridge regression on mapped rows.
 */
#ifndef PGFIT_MAPPED_RIDGE_H
#define PGFIT_MAPPED_RIDGE_H

#include "core/estimator/estimator.h"

/* The Estimator.fit of kernel_ridge for options with an approximation: the arrays and facts of kernel_ridge.c, over the basis. */
Model *mapped_ridge(Env *env, const FitInput *input, const Options *options, ModelBuilder *builder);

#endif
