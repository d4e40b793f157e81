/*
 * function_options.h - tables of options of functions that are no estimators: metrics, decision_rule.
 */
#ifndef PGFIT_FUNCTION_OPTIONS_H
#define PGFIT_FUNCTION_OPTIONS_H

#include "core/options/options.h"

typedef struct OtherOptions {
    const char *name; /* of the SQL function */
    const OptionSpec *const *options;
} OtherOptions;

/* NULL where there is none of this name. */
const OtherOptions *other_options_find(const char *name);

#endif
