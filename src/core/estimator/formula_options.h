/*
 * formula_options.h - what a formula says that options say too.
 */
#ifndef PGFIT_FORMULA_OPTIONS_H
#define PGFIT_FORMULA_OPTIONS_H

#include "core/options/options.h"

/*
 * Tells whether the formula leaves the intercept out where the options do not say so: option intercept becomes false then. Fails
 * if they contradict each other.
 */
bool formula_drops_intercept(Env *env, const Options *options);

#endif
