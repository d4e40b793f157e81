/*
 * estimators.c - the list of all estimators, from estimators.def. The only place above the rooms of the methods.
 */
#include "core/estimators.h"

const Estimator *const estimators[] = {
#define ESTIMATOR(name) &estimator_##name,
#include "core/estimators.def"
#undef ESTIMATOR
    NULL};
