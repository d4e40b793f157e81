/*
 * nested_models.h - models kept inside another model, such as the members of an ensemble or the stages of a pipeline.
 *
 * Each is kept in its binary form, which is the same on every machine. A model that holds others has two arrays, such as
 *   members       U8      binary forms, one after another
 *   member_bytes  I64[m]  their lengths
 */
#ifndef PGFIT_NESTED_MODELS_H
#define PGFIT_NESTED_MODELS_H

#include "core/estimator/estimator.h"

/* How one kind of model keeps others. */
typedef struct Nesting {
    const char *owner, *part;     /* "ensemble", "member", for messages */
    const char *forms, *lengths;  /* names of the two arrays */
    uint32_t most;                /* models */
    /*
     * May a model be kept, whose layout is sound and which is not checked yet? Must be false for whatever may keep the owner, as far down
     * as models are kept.
     */
    bool (*allows)(Env *env, const Model *model);
} Nesting;

/* Adds the two arrays. Fails with ERROR_LIMIT if the models are too large together. */
void nested_models_add(Env *env, ModelBuilder *builder, const Nesting *nesting, const Model *const *models, uint32_t count);
/*
 * Decodes and checks the models in a value whose declared arrays are checked. Sets *models, allocated from env, and *count, which is
 * at least 1. Returns NULL, or what is wrong.
 */
const char *nested_models_read(Env *env, const Model *model, const Nesting *nesting, const Model ***models, uint32_t *count);
/* Tells whether a model, which need not be checked, keeps one of such an estimator, or something that is no model. */
bool nested_models_any(Env *env, const Model *model, const Nesting *nesting, bool (*is)(const char *estimator));

#endif
