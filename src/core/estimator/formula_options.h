/*
 * formula_options.h - what a formula says that options say too.
 */
#ifndef PGFIT_FORMULA_OPTIONS_H
#define PGFIT_FORMULA_OPTIONS_H

#include "core/model/model.h"
#include "core/options/options.h"

/* Returns the formula that the options give, or NULL. */
const char *formula_option(const Options *options);
/* Returns the formula that the moments were computed by, or NULL. */
const char *formula_of_moments(Env *env, const Model *moments);

/*
 * Returns the options, with option intercept false where the formula leaves the intercept out and the options do not say so.
 * formula: NULL for none. Fails if they contradict each other.
 */
Options *formula_intercept_option(Env *env, const char *method, const OptionSpec *const *tables, Options *options, const char *formula);

#endif
