/* fit.h - what the tests of moments and linear fits share. */
#ifndef PGFIT_FIT_H
#define PGFIT_FIT_H

#include "host.h"
#include "core/estimator/estimator.h"
#include "core/model/schema.h"
#include "core/rows/rows.h"

/* Numbers in [0, 1), the same on every platform. */
double random_uniform(uint64_t *seed);
double random_normal(uint64_t *seed);
/* A permutation of 0 .. n - 1. */
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

/* A state of numeric features. */
Model *state_new(Env *env, ModelKind kind, uint32_t features, uint8_t flags);
/* One row added; what the state outgrows is released. */
Model *state_add(Env *env, Model *state, const double *x, const bool *nulls, double y, double w);
/* Rows [first, last) of x (n x d, row major) in this order (NULL: as they come) and weights or NULL. */
Model *state_rows(Env *env, const double *x, const double *y, const double *w, uint32_t d,
                  const uint32_t *order, uint32_t first, uint32_t last);
Model *state_copy(Env *env, const Model *state);
/* Merges and releases both. */
Model *state_merge(Env *env, Model *a, Model *b);
/* Through text and back. */
Model *model_again(Env *env, const Model *model);
/* A fit by the estimator's name with options as JSON. */
Model *fit_model(Env *env, const char *estimator, const Model *state, const char *options);
/* An array's number i; NaN where there is none. */
double array_at(const Model *model, const char *name, uint32_t i);

/* Rows of numbers x (n x slots, row major) in this order (NULL: as they come), with weights or NULL. */
Rows *number_rows(Env *env, const double *x, const double *weights, const uint32_t *order, uint64_t n, uint32_t slots);
/*
 * The same with targets [n]: numbers, or with classes > 0 places among the classes "a", "b" ...; NULL: no targets.
 */
Rows *target_rows(Env *env, const double *x, const double *targets, const double *weights, const uint32_t *order, uint64_t n,
                  uint32_t slots, uint32_t classes);
/* A fit of them, with options as JSON. */
const Model *rows_model(Env *env, const Estimator *estimator, Rows *rows, const char *options);
/* Three clouds whose rows take turns: n x dims, from malloc. */
double *three_clouds(uint64_t n, uint32_t dims, uint64_t seed);

/* A schema of one numeric feature and so many classes, the first ones "a", "b" ... */
Model *labeled_schema(Env *env, uint32_t classes);

/* A fact, stored or following from those that are; NaN where there is none. */
double fact_of(Env *env, const Model *model, const char *name);

#endif
