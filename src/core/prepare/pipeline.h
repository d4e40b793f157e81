/*
 * pipeline.h - fitted models one after the other: each but the last transforms the row for the next.
 *
 * A pipeline keeps its models, the stages, as an ensemble keeps its members (nested_models.h). Its schema is that of the first stage, which
 * reads the row and decides about NULLs and unknown levels; a score is that of the last stage. Whoever scores or inspects a pipeline asks
 * the last stage (pipeline_last), after pipeline_run has made the row that it is asked about.
 *
 *   stages       U8      binary forms, one after another
 *   stage_bytes  I64[m]  their lengths
 */
#ifndef PGFIT_PIPELINE_H
#define PGFIT_PIPELINE_H

#include "core/estimator/nested_models.h"

#define PIPELINE_MOST 100 /* stages */
#define PIPELINE_FLAGS (MODEL_NAMED | MODEL_NULL_VALUES | MODEL_UNSEEN_ERROR) /* those of the first stage */

typedef struct PipelineStage {
    const Model *model;
    const Estimator *estimator;
    const void *prepared; /* set by pipeline_prepare */
    uint32_t outputs;     /* numbers that it writes; 0 of the last */
    uint32_t *source;     /* [slots] which output of the stage before each slot is; of all but the first */
    double *row;          /* [slots] of all but the last */
    double *out;          /* [outputs] */
} PipelineStage;

typedef struct Pipeline {
    uint32_t count; /* at least 2 */
    PipelineStage *stages;
} Pipeline;

extern const Nesting pipeline_nesting; /* any models but pipelines */
/*
 * Returns the pipeline of checked models, or a copy of a single one. Pipelines among them give their stages. A stage without names
 * that takes all outputs of the one before gets their names. Fails with ERROR_KIND for models that do not transform before the last, and
 * ERROR_PARAMETER for stages that do not fit each other.
 */
Model *pipeline_build(Env *env, const Model *const *models, uint32_t count);
/* Tells whether a model is a pipeline. */
bool pipeline_is(const Model *model);
/* Decodes a pipeline whose declared arrays are checked, checking the stages. Returns NULL, or what is wrong. */
const char *pipeline_open(Env *env, const Model *model, Pipeline *pipeline);
/* Returns a decoded pipeline; fails where pipeline_open finds something wrong. */
Pipeline *pipeline_opened(Env *env, const Model *model);
/* Makes a decoded pipeline ready for rows. */
void pipeline_prepare_stages(Env *env, Pipeline *pipeline);
/* Returns a pipeline that is ready for rows. */
Pipeline *pipeline_prepare(Env *env, const Model *model);
/*
 * Makes the row of the last stage from that of the first. Returns false if a stage has no answer to it. Fails with ERROR_RANGE if a
 * number overflows.
 */
bool pipeline_run(Env *env, const Pipeline *pipeline, const double *slots, double *out);
/*
 * Takes numbers of the last stage's transform back to those of the first stage's, which are returned. Fails with ERROR_KIND if a stage
 * on the way has no inverse, or did not get all outputs of the one before.
 */
const double *pipeline_inverse(Env *env, const Pipeline *pipeline, const double *numbers);
/* Takes a row of the last stage back to a row of the first one: its transform need not have an inverse. Fails likewise. */
const double *pipeline_inverse_row(Env *env, const Pipeline *pipeline, const double *row);
/* Returns the stages of a checked model: one if it is no pipeline. Sets *count. */
const Model *const *pipeline_stages(Env *env, const Model *model, uint32_t *count);
/* Returns the last of them. */
const Model *pipeline_last(Env *env, const Model *model);
/* Returns a model with another last stage: the stage itself if `model` is no pipeline. */
Model *pipeline_with_last(Env *env, const Model *model, Model *last);

/* Finds the output of the stage before that each slot of a model is. Returns NULL, or what does not fit. */
const char *pipeline_match(Env *env, const Model *before, const Model *model, uint32_t *source);

#endif
