/*
 * export_check.h - what no format for models can say.
 */
#ifndef PGFIT_EXPORT_CHECK_H
#define PGFIT_EXPORT_CHECK_H

#include "core/estimator/estimator.h"

/*
 * Returns what a model does that a document of columns and scores cannot say: terms that are no plain columns, an offset, calibrations, decision
 * rules, texts; NULL: nothing.
 */
const char *export_obstacle(Env *env, const Model *model);

#endif
