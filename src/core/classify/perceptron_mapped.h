/*
 * perceptron_mapped.h - the kernel perceptron by an approximation of the kernel: a linear perceptron on mapped rows.
 */
#ifndef PGFIT_PERCEPTRON_MAPPED_H
#define PGFIT_PERCEPTRON_MAPPED_H

#include "core/estimator/estimator.h"
#include "core/kernel_methods/feature_map.h"

/* Fits classes for options with an approximation: the arrays of perceptron_kernel.h over the basis. */
Model *perceptron_mapped_fit(Env *env, const FitInput *input, const Options *options, Approximation approximation,
                             const Kernel *kernel, ModelBuilder *builder);

#endif
