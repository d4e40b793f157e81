/*
 * shared_options.h - lines of the tables of options of methods that begin by chance, and their reading.
 */
#ifndef PGFIT_SHARED_OPTIONS_H
#define PGFIT_SHARED_OPTIONS_H

#include "core/model/options.h"
#include "core/base/random.h"

#define SEED_OPTION_AS(help_)                                                                      \
    {.name = "seed",                                                                               \
     .types = OPTION_INTEGER,                                                                      \
     .fallback = "0",                                                                              \
     .minimum = -9007199254740992.0,                                                               \
     .maximum = 9007199254740992.0,                                                                \
     .help = help_}
#define SEED_OPTION SEED_OPTION_AS("Of the random choices.")

#define N_INIT_OPTION                                                                              \
    {.name = "n_init",                                                                             \
     .types = OPTION_INTEGER,                                                                      \
     .minimum = 1,                                                                                 \
     .maximum = 10000,                                                                             \
     .help = "Starts, of which the best result is kept. Default: 1, and 10 for random starts."}

#define SEED_STEP RANDOM_STEP /* apart, so that restarts of one seed are none of the next */

/* How many starts: one where it is given (init is an array), as asked, or ten where chance alone decides. */
uint32_t options_starts(const Options *options, bool chance);

/* Fails where k is 0, as nothing gave it, or more than the rows. */
void require_clusters(Env *env, const char *method, uint32_t k, uint64_t rows);

#endif
