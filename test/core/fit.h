/* fit.h - random numbers, states, rows and fits for unit tests. */
#ifndef PGFIT_FIT_H
#define PGFIT_FIT_H

#include "host.h"
#include "core/estimator/estimator.h"
#include "core/model/schema.h"
#include "core/rows/rows.h"

/* Returns a number in [0, 1), the same on every platform. */
double random_uniform(uint64_t *seed);
double random_normal(uint64_t *seed);
/* Writes a random permutation of 0 .. n - 1. */
void random_order(uint64_t *seed, uint32_t *order, uint32_t n);

/* Returns a fitted value that has this schema and nothing else. */
Model *schema_model(Env *env, const SchemaSpec *spec);
/* Returns the same for so many numeric features. */
Model *numeric_schema(Env *env, uint32_t features);
/*
 * Overwrites so many bytes of an array beyond the schema with random ones, for the caller to seal and check. Returns false if
 * the array that was picked has no numbers.
 */
bool forge_array(uint64_t *seed, Model *model, int count);

/* Returns an empty state of numeric features. */
Model *state_new(Env *env, ModelKind kind, uint32_t features, uint8_t flags);
/* Adds a row; releases the old block if the state moves. */
Model *state_add(Env *env, Model *state, const double *x, const bool *nulls, double y, double w);
/* Returns the state of rows [first, last) of x (n x d) in this order, or in their own if NULL. w: weights or NULL. */
Model *state_rows(Env *env, const double *x, const double *y, const double *w, uint32_t d,
                  const uint32_t *order, uint32_t first, uint32_t last);
Model *state_copy(Env *env, const Model *state);
/* Merges two states and releases both. */
Model *state_merge(Env *env, Model *a, Model *b);
/* Returns the model after a round trip through text. */
Model *model_again(Env *env, const Model *model);
/* Fits an estimator, given by name, with options as JSON. */
Model *fit_model(Env *env, const char *estimator, const Model *state, const char *options);
/* Returns number i of an array, or NaN. */
double array_at(const Model *model, const char *name, uint32_t i);

/* Returns rows of numbers x (n x slots) in this order, or in their own if NULL. weights: or NULL. */
Rows *number_rows(Env *env, const double *x, const double *weights, const uint32_t *order, uint64_t n, uint32_t slots);
/*
 * The same with targets [n]: numbers, or with classes > 0 places among the classes "a", "b" ...; NULL: without targets.
 */
Rows *target_rows(Env *env, const double *x, const double *targets, const double *weights, const uint32_t *order, uint64_t n,
                  uint32_t slots, uint32_t classes);
/* Fits rows, with options as JSON. */
const Model *rows_model(Env *env, const Estimator *estimator, Rows *rows, const char *options);
/* The same for a method given by name, in this order of rows or in their own; ids, if it wants any, are the row numbers. */
Model *fit_rows(Host *host, const char *estimator, const double *x, const double *weights, uint32_t n, uint32_t d, const char *json,
                const uint32_t *order);
/* Returns n rows of three clouds in turn (n x dims), from malloc. */
double *three_clouds(uint64_t n, uint32_t dims, uint64_t seed);

/* Returns a schema of one numeric feature and so many classes "a", "b" ... */
Model *labeled_schema(Env *env, uint32_t classes);

/* Returns a fact, stored or derived, or NaN. */
double fact_of(Env *env, const Model *model, const char *name);

#endif
