/*
 * mapped_pca.h - kernel principal components by an approximation of the kernel: principal components of mapped rows.
 */
#ifndef PGFIT_MAPPED_PCA_H
#define PGFIT_MAPPED_PCA_H

#include "core/estimator/estimator.h"
#include "core/kernel_methods/feature_map.h"

/* The Estimator.fit of kernel_pca for options with an approximation. wanted: option k; 0: not given. */
Model *mapped_pca(Env *env, const FitInput *input, const Options *options, Approximation approximation, const Kernel *kernel,
                  uint32_t wanted, ModelBuilder *builder);

#endif
