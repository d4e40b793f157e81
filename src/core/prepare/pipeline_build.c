/*
 * pipeline_build.c - makes pipelines of fitted models.
 */
#include "core/estimator/classifier_output.h"
#include "core/inspection/outputs.h"
#include "core/prepare/pipeline.h"

#include <string.h>

/* Adds the models as stages. */
static Model *add_stages(Env *env, const Model *const *models, uint32_t count)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "pipeline");
    Model *header = builder_header(builder);
    const Model *first = models[0], *last = models[count - 1];

    for (uint32_t i = 0; i < first->entry_count; i++)
        if (model_entries(first)[i].section == SECTION_SCHEMA)
            builder_entry_from(builder, first, &model_entries(first)[i]);
    header->flags = first->flags & PIPELINE_FLAGS;
    header->flags |= last->flags & (MODEL_WEIGHTED | MODEL_FREQUENCY);
    header->field_count = first->field_count;
    header->slot_count = first->slot_count;
    header->rows = last->rows;
    header->skipped = last->skipped;
    header->weight = last->weight;
    nested_models_add(env, builder, &pipeline_nesting, models, count);
    return model_build(builder);
}

/* Returns a stage under the names of the outputs before it, if it takes all of them by position. The members of an ensemble have none either. */
static const Model *with_names(Env *env, const Model *before, const Model *model)
{
    uint32_t outputs;
    const char *const *names;
    ModelBuilder *builder;
    SchemaView view;

    schema_view(model, &view);
    if (model->flags & MODEL_NAMED || view.field_names != NULL || view.field_widths != NULL || model->field_count == 0 ||
        strncmp(model->estimator, "ensemble", strlen("ensemble")) == 0)
        return model;
    names = output_names(env, before, &outputs, NULL);
    builder = builder_from(env, model, NULL);
    builder_header(builder)->flags |= MODEL_NAMED;
    builder_text(builder, SECTION_SCHEMA, "field_names", names, NULL, outputs);
    return model_build(builder);
}

/* Fails unless a model can be a stage. */
static void require_stage(Env *env, const Model *model, uint32_t number, bool last)
{
    const Estimator *estimator = estimator_of(model);

    if (estimator == NULL)
        env_fail(env, ERROR_KIND, "Pass fitted models.", "model %u of the pipeline is %s%.31s", number,
                 model->kind == MODEL_FITTED ? "a model of an unknown estimator: " : "moments: ", model->estimator);
    if (!last && !estimator_transforms(estimator))
        env_fail(env, ERROR_KIND, "Only the last model may be one that does not transform rows.",
                 "model %u of the pipeline, a model of %.31s, does not transform rows", number, estimator->name);
    if (!last && classifier_output_any(model))
        env_fail(env, ERROR_KIND, "Pass the model without them.",
                 "model %u of the pipeline has a calibration or a decision rule, which only the last may have", number);
}

Model *pipeline_build(Env *env, const Model *const *models, uint32_t count)
{
    const Model **stages;
    const char *wrong;
    Model *model;
    uint32_t total = 0, used = 0;

    if (count == 0)
        env_fail(env, ERROR_PARAMETER, "Pass the models in the order in which a row goes through them.", "a pipeline needs a model");
    if (count == 1) {
        require_stage(env, models[0], 1, true);
        return model_compact(env, models[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own;

        pipeline_stages(env, models[i], &own);
        total += own;
    }
    if (total > PIPELINE_MOST)
        env_fail(env, ERROR_PARAMETER, NULL, "a pipeline has at most %d models, not %u", PIPELINE_MOST, total);
    stages = env_array(env, total, sizeof(Model *));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own;
        const Model *const *parts = pipeline_stages(env, models[i], &own);

        for (uint32_t p = 0; p < own; p++)
            stages[used++] = parts[p];
    }
    for (uint32_t i = 0; i < total; i++) {
        uint32_t *source;

        require_stage(env, stages[i], i + 1, i + 1 == total);
        if (i == 0)
            continue;
        source = env_array(env, (size_t)stages[i]->slot_count + 1, sizeof(uint32_t));
        wrong = pipeline_match(env, stages[i - 1], stages[i], source);
        if (wrong != NULL)
            env_fail(env, ERROR_PARAMETER,
                     "Fit each model to the rows that the one before makes of them: transform_row(model, features) keeps their names.",
                     "models %u and %u of the pipeline do not fit each other: %s", i, i + 1, wrong);
        stages[i] = with_names(env, stages[i - 1], stages[i]);
    }
    model = add_stages(env, stages, total);
    wrong = model_check(env, model, model->size);
    if (wrong != NULL) /* each of them is sound, but someone may have written it */
        env_fail(env, ERROR_PARAMETER, "Pass models that pgfit fitted.", "the models do not make a pipeline: %s", wrong);
    return model;
}

Model *pipeline_with_last(Env *env, const Model *model, Model *last)
{
    uint32_t count;
    const Model **stages;

    if (!pipeline_is(model))
        return last;
    stages = (const Model **)(uintptr_t)pipeline_stages(env, model, &count);
    stages[count - 1] = last;
    return pipeline_build(env, stages, count);
}
