/*
 * perceptron.h - scores, checks and reports of perceptrons. Reports fail with ERROR_KIND for voted perceptrons and for
 * those with a kernel.
 */
#ifndef PGFIT_PERCEPTRON_H
#define PGFIT_PERCEPTRON_H

#include "core/estimator/estimator.h"

extern const ArrayTable perceptron_array_tables[];
extern const Scoring perceptron_scoring;
const char *perceptron_check(Env *env, const Model *model);
char *perceptron_summary(Env *env, const Model *model);

#endif
