/*
 * shared_options.h - options of methods that start from random choices: seed, n_init, k; and choices and limits of others.
 */
#ifndef PGFIT_SHARED_OPTIONS_H
#define PGFIT_SHARED_OPTIONS_H

#include "core/base/random.h"
#include "core/estimator/estimator.h"

/* Tables of one option each, for an estimator to name in its OPTION_TABLES. */
extern const OptionSpec option_seed[], option_n_init[], option_k[], option_level[], option_too_few_rows[];
/* Rows of an option table: max_iter, of methods that warn when they reach it; what: "steps". tolerance, from above 0 to 1. */
#define OPTION_MAX_ITER(usual, most, what)                                                                             \
    {.name = "max_iter", .types = OPTION_INTEGER, .fallback = usual, .minimum = 1, .maximum = most,                    \
     .help = "Maximum number of " what "; reaching it gives a WARNING."}
#define OPTION_TOLERANCE(usual, when)                                                                                  \
    {.name = "tolerance", .types = OPTION_NUMBER, .fallback = usual, ABOVE_ZERO_TO_ONE, .help = when}
/* A row of an option table: contamination, of methods that find outliers. what: "a factor above 1.5", the usual limit. */
extern const char *const contamination_choices[];
#define OPTION_CONTAMINATION(what)                                                                                     \
    {.name = "contamination", .types = OPTION_NUMBER | OPTION_STRING, .fallback = "\"auto\"",                          \
     .minimum = 0, .minimum_open = true, .maximum = 0.5, .choices = contamination_choices,                             \
     .help = "Which rows classify calls out: those with " what " (auto), or as many as this share of the training rows."}
/* Scoring.labels of these methods, and of one_class_svm: "out", "in". */
extern const char *const outlier_labels[];
/* Estimator.positional of methods whose first option is k. */
extern const char *const positional_k[];
/*
 * Returns the model in option "start", as text; NULL: there is none. Fails with ERROR_KIND if it is a model of another method.
 */
const Model *start_model(Env *env, const Options *options, const Estimator *estimator);
/* Tells whether too few rows give NULL instead of an error: in a window's frame, or by option too_few_rows. */
bool too_few_rows_are_null(const FitInput *input, const Options *options);

/* Restarts use seeds this far apart, so that no restart repeats one of the next seed. */
#define SEED_STEP RANDOM_STEP

/* Returns how many times to start: once if init gives the start (an array), n_init if given, else `usual` times. */
uint32_t options_starts(const Options *options, uint32_t usual);
#define STARTS_RANDOM 10 /* usual for starts at random, which vary more than chosen ones */

/* Fails with ERROR_PARAMETER if k is 0 (not given), with ERROR_DATA if it is more than the rows. */
void require_clusters(Env *env, const char *method, uint32_t k, uint64_t rows);
/* Returns how many clusters a checked model with array "sizes" has: Scoring.width of most of them. */
uint32_t cluster_count(const Model *model);

#endif
