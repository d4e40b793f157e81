/*
 * svm_mapped.h - support vector machines with approximated kernels, from options to models: kernel expansions over landmarks or
 * frequencies, without support vectors.
 */
#ifndef PGFIT_SVM_MAPPED_H
#define PGFIT_SVM_MAPPED_H

#include "core/estimator/estimator.h"
#include "core/kernel_methods/feature_map.h"

/* Fails with ERROR_PARAMETER if the options ask for an approximation of a linear kernel, or name its size without it. */
void svm_refuse_approximation(Env *env, const Options *options, const char *method);
/* Tells whether the options ask for an approximation. Fails if they contradict each other. */
bool svm_is_approximate(Env *env, const Options *options);
/* The fits of svm_classifier, svm_regression and one_class_svm for such options. factors: class weights, or NULL. */
Model *svm_mapped_classifier(Env *env, const FitInput *input, const Options *options, const double *factors, const char *method,
                             ModelBuilder *builder);
Model *svm_mapped_regression(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder);
Model *svm_mapped_one_class(Env *env, const FitInput *input, const Options *options, const char *method, ModelBuilder *builder);

#endif
