/*
 * power_analysis.h - the power of a test before it is made, and the rows or the effect that a power needs.
 */
#ifndef PGFIT_POWER_ANALYSIS_H
#define PGFIT_POWER_ANALYSIS_H

#include "core/options/options.h"

extern const OptionSpec *const power_options[];  /* of power */
extern const OptionSpec *const sizing_options[]; /* of sample_size and detectable_effect: with the power */

/*
 * Returns the probability that the test finds this effect. rows: of the control, of the only sample, or pairs. Fails with ERROR_PARAMETER for
 * an effect that is not finite or impossible, and for fewer than 2 rows.
 */
double test_power(Env *env, double effect, double rows, const Options *options);
/* Returns the rows that the power needs, not rounded, at least 2. Also fails for an effect of 0. */
double test_sample_size(Env *env, double effect, const Options *options);
/* Returns the effect that has the power with so many rows: below 0 with alternative less, else above. Fails if a share would leave 0 to 1. */
double test_detectable_effect(Env *env, double rows, const Options *options);

#endif
