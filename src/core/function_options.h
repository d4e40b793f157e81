/*
 * function_options.h - tables of options of functions that are no estimators: metrics, tests, decision_rule.
 */
#ifndef PGFIT_FUNCTION_OPTIONS_H
#define PGFIT_FUNCTION_OPTIONS_H

#include "core/options/options.h"

/* Returns the tables of the options of a SQL function; NULL where there is none of this name. */
const OptionSpec *const *other_options_find(const char *name);

#endif
