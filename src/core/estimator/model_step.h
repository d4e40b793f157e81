/*
 * model_step.h - one iteration of a fit as an aggregate: sums over rows, which merge, then the next model.
 *
 * The state is the model itself with the sums beside its parameters, so that it is a value of type model wherever it is sent,
 * and the fact step_of, the fingerprint of the model. rows, skipped and weight in its header count the rows of this pass. The
 * state is allocated once and changed in place.
 */
#ifndef PGFIT_MODEL_STEP_H
#define PGFIT_MODEL_STEP_H

#include "core/estimator/estimator.h"

/* Positions of entries in the last state, tried first in the next one. Wrong positions only cost a search. */
typedef struct ModelStepHints {
    uint32_t of, sums, arrays[4]; /* step_of, ModelStep.sums, arrays of the step */
} ModelStepHints;

typedef struct ModelStep {
    const char *name; /* of the aggregate */
    const char *estimator; /* the name of its models' estimator */
    const char *begin_hint; /* a sentence: where the first model comes from */
    const char *sums;       /* an array that only states have */
    /* Returns a state without rows for a model that passed its check. */
    Model *(*begin)(Env *env, const Model *model);
    /* Adds a row of finite numbers with weight > 0. prepared: what the model's prepare made. */
    void (*add)(Env *env, Model *state, const void *prepared, const double *slots, double weight, ModelStepHints *hints);
    /* The same for steps over (label, features): target is the label's position in the model, or with `numbers` the number. offset: of the row's formula. */
    void (*add_labeled)(Env *env, Model *state, const void *prepared, const double *slots, double target, double weight, double offset,
                         ModelStepHints *hints);
    bool numbers;
    /* Adds the rows of b, a state for the same model, which stays as it is. */
    void (*merge)(Env *env, Model *a, const Model *b);
    /* Returns the next model, NULL if the state has no rows. The state stays as it is. */
    Model *(*finish)(Env *env, const Model *state);
} ModelStep;

/*
 * Fails with ERROR_PARAMETER, as rows and sums are of different models. Workers of a parallel plan may meet one model each, so
 * steps and merges say the same.
 */
void model_step_fail_other(Env *env, const char *name) __attribute__((noreturn));
/* Fails with ERROR_KIND if this is not a state of the step, ERROR_PARAMETER if it is for another model (NULL: any will do). */
void model_step_require(Env *env, const ModelStep *step, const Model *state, const Model *model,
                        ModelStepHints *hints);
/* Returns the entry of this name and sets the hint to its place; NULL if there is none. */
const ModelEntry *model_step_search(const Model *state, const char *name, uint32_t *hint);
/* Does the same, looking at the hint first, for every row. The name is a literal, so that no function compares it: a tenth of a pass. */
static inline const ModelEntry *model_step_find(const Model *state, const char *name, uint32_t *hint)
{
    const ModelEntry *entry = model_entries(state) + *hint;
    size_t length = __builtin_strlen(name) + 1;

    if (*hint < state->entry_count && length <= MODEL_NAME_SIZE && __builtin_memcmp(entry->name, name, length) == 0)
        return entry;
    return model_step_search(state, name, hint);
}
/*
 * Of states to be merged: fails with ERROR_PARAMETER if they are for different models, ERROR_RANGE if they have too many
 * rows together.
 */
void model_step_require_same(Env *env, const ModelStep *step, const Model *a, const Model *b);
/* Returns the iterations that a model or state has behind it; 0 if the fact is missing or not a count. */
int64_t model_step_iterations(const Model *state);
/* Returns a builder with the schema, options and flags of the model. */
ModelBuilder *model_step_builder(Env *env, const Model *model);
/* Returns the model with these options, which all steps from it follow. */
Model *model_step_with_options(Env *env, const Model *model, const Options *options);
/*
 * Adds the sums of b to those of a, and its rows to the counts. names: of the arrays, [count], which both have; the last `kept`
 * numbers of the last one stay as they are. Fails with ERROR_CORRUPT if the arrays differ in length.
 */
void model_step_add_sums(Env *env, const ModelStep *step, Model *a, const Model *b, const char *const *names, uint32_t count, uint32_t kept);
/* Returns an array of a state, for writing. */
double *model_step_array(Model *state, const char *name);

extern const ModelStep kmeans_step;

#endif
