/*
 * shared_options.h - lines of the tables of options of methods that begin by chance, and their reading.
 */
#ifndef PGFIT_SHARED_OPTIONS_H
#define PGFIT_SHARED_OPTIONS_H

#include "core/model/options.h"
#include "core/base/random.h"

/* Tables of one option each, for an estimator to name in its OPTION_TABLES. */
extern const OptionSpec option_seed[], option_n_init[];

#define SEED_STEP RANDOM_STEP /* apart, so that restarts of one seed are none of the next */

/* How many starts: one where it is given (init is an array), as asked, or ten where chance alone decides. */
uint32_t options_starts(const Options *options, bool chance);

/* Fails where k is 0, as nothing gave it, or more than the rows. */
void require_clusters(Env *env, const char *method, uint32_t k, uint64_t rows);

#endif
