/*
 * model_step.h - one iteration of a fit as an aggregate: sums of rows that merge, then the next model.
 *
 * The running state is the model itself with the sums beside its parameters, so that it is a value of type
 * model wherever it is sent, and the fact step_of, the fingerprint of the model. rows, skipped and weight of
 * the header are those of the pass. In place; allocated once.
 */
#ifndef PGFIT_MODEL_STEP_H
#define PGFIT_MODEL_STEP_H

#include "core/estimator/estimator.h"

/* Where the last state had its entries: only hints, any numbers will do. */
typedef struct ModelStepHints {
    uint32_t of, sums, arrays[2]; /* step_of, the array that only states have, those of the step */
} ModelStepHints;

typedef struct ModelStep {
    const char *name; /* of the aggregate */
    const char *estimator; /* the name of its models' estimator */
    const char *begin_hint; /* a sentence: where the first model comes from */
    const char *sums; /* an array that only states have */
    /* A state without rows, of a model that passed its check. */
    Model *(*begin)(Env *env, const Model *model);
    /* Adds a row of finite numbers, of weight > 0. prepared: what the scorer of the model has. */
    void (*add)(Env *env, Model *state, const void *prepared, const double *slots, double weight);
    /* Instead, of steps over (label, features): class is the label's position in the model. */
    void (*add_labeled)(Env *env, Model *state, const double *slots, uint32_t class, double weight,
                         ModelStepHints *hints);
    /* Adds the rows of b, a state of the same model, which is not changed. */
    void (*merge)(Env *env, Model *a, const Model *b);
    /* The next model; the state is not changed. NULL where it has no rows. */
    Model *(*finish)(Env *env, const Model *state);
} ModelStep;

/* Is this a state of the step, of this model? Fails with ERROR_KIND, ERROR_PARAMETER; model NULL: of any. */
void model_step_require(Env *env, const ModelStep *step, const Model *state, const Model *model,
                        ModelStepHints *hints);
/* The entry of this name, at the hint or searched; NULL: none. */
const ModelEntry *model_step_find(const Model *state, const char *name, uint32_t *hint);
/* Are both states of one model? Fails with ERROR_PARAMETER. */
void model_step_require_same(Env *env, const ModelStep *step, const Model *a, const Model *b);
/* A builder with the schema, options and flags of the model. */
ModelBuilder *model_step_builder(Env *env, const Model *model);
/* An array of a state, to be written. */
double *model_step_array(Model *state, const char *name);

extern const ModelStep kmeans_step;

#endif
