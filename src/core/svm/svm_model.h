/*
 * svm_model.h - fitted support vector machines: linear equations where the kernel is linear, kernel expansions (kernel_model.h)
 * otherwise. All functions tell them apart.
 */
#ifndef PGFIT_SVM_MODEL_H
#define PGFIT_SVM_MODEL_H

#include "core/estimator/estimator.h"

extern const ArrayTable svm_classifier_tables[], svm_regression_tables[];
extern const Scoring svm_classifier_scoring, svm_regression_scoring;
const char *svm_classifier_check(Env *env, const Model *model);
const char *svm_regression_check(Env *env, const Model *model);
/* The options intercept and kernel, for OPTION_TABLES. */
extern const OptionSpec options_svm_equation[];
/* The summary of linear machines and of kernel machines; of one class as well. */
char *svm_summary(Env *env, const Model *model);

#endif
