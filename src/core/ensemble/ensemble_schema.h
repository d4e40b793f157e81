/*
 * ensemble_schema.h - the schema of an ensemble: what its members read of a row, levels and classes.
 *
 * A member reads a row by a schema: its own; that of the inputs of its formula, where the terms were learned; that of the first stage of
 * a pipeline. The fields of the ensemble are those of all these schemas. Where some are expressions, such as log(a) or factor(k), the
 * ensemble has a formula that is their sum, so that a row is read once for all members.
 */
#ifndef PGFIT_ENSEMBLE_SCHEMA_H
#define PGFIT_ENSEMBLE_SCHEMA_H

#include "core/prepare/pipeline.h"
#include "core/ensemble/ensemble.h"

typedef struct Joining {
    Env *env;
    uint32_t count;
    const Model **last;  /* [count] the models, of pipelines their last stages: they have the classes */
    const Model **reads; /* [count] the schemas by which they read a row */
    const Options *options;
    Task task;
    bool named;
    Model *schema; /* running: fields of all members, their levels, the classes */
} Joining;

/* Tells whether two models have the same classes, in the same order. */
bool ensemble_same_classes(Env *env, const Model *model, const Model *member);
/* Returns the schema by which a checked model reads a row. */
const Model *ensemble_reads(Env *env, const Model *model);
/*
 * Returns the schema that all members can be scored from. Fails with ERROR_PARAMETER if fields or columns of one name differ, or only some
 * models have names.
 */
Model *ensemble_schema(Joining *joining);

#endif
