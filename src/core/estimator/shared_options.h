/*
 * shared_options.h - options of methods that start from random choices: seed, n_init, k; and choices of others.
 */
#ifndef PGFIT_SHARED_OPTIONS_H
#define PGFIT_SHARED_OPTIONS_H

#include "core/base/random.h"
#include "core/estimator/estimator.h"

/* Tables of one option each, for an estimator to name in its OPTION_TABLES. */
extern const OptionSpec option_seed[], option_n_init[], option_k[];
/* Estimator.positional of methods whose first option is k. */
extern const char *const positional_k[];
/* The choices of options too_few_rows, whose help each method writes itself: "error", "null". */
extern const char *const too_few_rows_choices[];
/* Tells whether too few rows give NULL instead of an error: in a window's frame, or by option too_few_rows. */
bool too_few_rows_are_null(const FitInput *input, const Options *options);

/* Restarts use seeds this far apart, so that no restart repeats one of the next seed. */
#define SEED_STEP RANDOM_STEP

/* Returns how many times to start: once if init gives the start (an array), n_init if given, else `usual` times. */
uint32_t options_starts(const Options *options, uint32_t usual);
#define STARTS_RANDOM 10 /* usual for starts at random, which vary more than chosen ones */

/* Fails with ERROR_PARAMETER if k is 0 (not given), with ERROR_DATA if it is more than the rows. */
void require_clusters(Env *env, const char *method, uint32_t k, uint64_t rows);

#endif
