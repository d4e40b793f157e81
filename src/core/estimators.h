/*
 * estimators.h - declares every descriptor of estimators.def, for what is above the rooms of the methods: the list of
 * estimators, the glue and the tests. A method gets its own descriptor as an argument of fit.
 */
#ifndef PGFIT_ESTIMATORS_H
#define PGFIT_ESTIMATORS_H

#include "core/estimator/estimator.h"

#define ESTIMATOR(name) extern const Estimator estimator_##name;
#include "core/estimators.def"
#undef ESTIMATOR

#endif
