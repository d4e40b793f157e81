/*
 * pipeline_open.c - decodes the stages of a pipeline, and takes rows through them.
 */
#include "core/base/hash_table.h"
#include "core/inspection/outputs.h"
#include "core/formula/formula_model.h"
#include "core/prepare/pipeline.h"

#include <math.h>
#include <string.h>

/* Tells whether a model may be a stage. An ensemble may: it keeps no pipelines of ensembles, so values cannot nest without end. */
static bool may_be_stage(Env *env, const Model *model)
{
    return !pipeline_is(model);
}

const Nesting pipeline_nesting = {.owner = "pipeline",
                                  .part = "stage",
                                  .forms = "stages",
                                  .lengths = "stage_bytes",
                                  .most = PIPELINE_MOST,
                                  .allows = may_be_stage};

bool pipeline_is(const Model *model)
{
    return model->kind == MODEL_FITTED && strncmp(model->estimator, "pipeline", sizeof(model->estimator)) == 0;
}

/* ---- whether stages fit each other ---- */

/* Returns the output of this name, or HASH_NONE. */
static uint32_t find_output(const HashTable *table, const char *const *names, const char *name)
{
    uint32_t hash = hash_bytes(name, (uint32_t)strlen(name)), place = hash_start(table, hash), output;

    while ((output = hash_next(table, hash, &place)) != HASH_NONE && strcmp(names[output], name) != 0)
        ;
    return output;
}

#define LISTED 5 /* names in a message */

/* Returns what does not fit: a feature that is no output. */
static const char *no_output(Env *env, const Model *before, const Model *model, const char *feature, const char *const *names,
                             uint32_t outputs)
{
    TextBuffer list = {.env = env};

    for (uint32_t i = 0; i < outputs && i < LISTED; i++)
        text_print(&list, "%s\"%.20s\"", i > 0 ? ", " : "", names[i]);
    return env_message(env, "%.31s takes \"%.40s\", which is not among the %u outputs of %.31s: %s%s", model->estimator, feature, outputs,
                       before->estimator, text_finish(&list, NULL), outputs > LISTED ? ", ..." : "");
}

/* Matches slots to outputs by name. */
static const char *match_names(Env *env, const Model *before, const Model *model, uint32_t *source)
{
    uint32_t outputs;
    const char *wrong;
    const char *const *names = output_names(env, before, &outputs, &wrong);
    HashTable table = hash_table(env, 4);

    if (wrong != NULL)
        return wrong;

    for (uint32_t i = 0; i < outputs; i++)
        hash_add(env, &table, hash_bytes(names[i], (uint32_t)strlen(names[i])));
    for (uint32_t s = 0; s < model->slot_count; s++) {
        TextBuffer name = {.env = env};
        const char *text;

        env_poll_every(env, s, 64);
        output_slot_name(&name, model, s);
        text = text_finish(&name, NULL);
        source[s] = find_output(&table, names, text);
        if (source[s] == HASH_NONE)
            return no_output(env, before, model, text, names, outputs);
    }
    return NULL;
}

const char *pipeline_match(Env *env, const Model *before, const Model *model, uint32_t *source)
{
    uint32_t outputs = scoring_outputs(estimator_of(before)->scoring, before);

    if (formula_has_expressions(env, model))
        return env_message(env, "%.31s has the formula %.80s, which reads a row of columns, not the outputs of %.31s", model->estimator,
                           schema_formula_text(env, model), before->estimator);
    for (uint32_t f = 0; f < model->field_count; f++) {
        FieldKind kind = schema_field_kind(model, f);
        TextBuffer name = {.env = env};

        env_poll_every(env, f, 64);
        if (kind != FIELD_CATEGORICAL && kind != FIELD_TEXT)
            continue;
        output_slot_name(&name, model, f);
        return env_message(env, "feature \"%.60s\" of %.31s is %s, and the outputs of %.31s are numbers", text_finish(&name, NULL),
                           model->estimator, field_kind_name(kind), before->estimator);
    }
    if (model->flags & MODEL_NAMED)
        return match_names(env, before, model, source);
    if (outputs != model->slot_count)
        return env_message(env, "%.31s has %u output%s, and %.31s takes %u feature%s without names", before->estimator, outputs,
                           outputs == 1 ? "" : "s", model->estimator, model->slot_count, model->slot_count == 1 ? "" : "s");
    for (uint32_t s = 0; s < outputs; s++)
        source[s] = s;
    return NULL;
}

/* ---- decoding ---- */

static const char *open_stage(Env *env, Pipeline *pipeline, uint32_t i)
{
    PipelineStage *stage = &pipeline->stages[i];
    const Model *model = stage->model;
    bool last = i + 1 == pipeline->count;

    stage->estimator = estimator_of(model);
    if (!last && !estimator_transforms(stage->estimator))
        return env_message(env, "stage %u, a model of %.31s, does not transform rows", i + 1, model->estimator);
    stage->outputs = last ? 0 : scoring_outputs(stage->estimator->scoring, model);
    stage->out = env_array(env, (size_t)stage->outputs + 1, sizeof(double));
    stage->row = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    if (i == 0)
        return NULL;
    stage->source = env_array(env, (size_t)model->slot_count + 1, sizeof(uint32_t));
    return pipeline_match(env, pipeline->stages[i - 1].model, model, stage->source);
}

const char *pipeline_open(Env *env, const Model *model, Pipeline *pipeline)
{
    const Model **models;
    uint32_t count;
    const char *wrong = nested_models_read(env, model, &pipeline_nesting, &models, &count);

    if (wrong != NULL)
        return wrong;
    if (count < 2)
        return "a pipeline has at least 2 stages";
    if (((model->flags ^ models[0]->flags) & PIPELINE_FLAGS) != 0 || model_schema_fingerprint(env, model) != model_schema_fingerprint(env, models[0]) ||
        model->field_count != models[0]->field_count || model->slot_count != models[0]->slot_count)
        return "the features of the pipeline are not those of its first stage";
    *pipeline = (Pipeline){.count = count, .stages = env_array(env, count, sizeof(PipelineStage))};
    for (uint32_t i = 0; i < count && wrong == NULL; i++) {
        pipeline->stages[i].model = models[i];
        wrong = open_stage(env, pipeline, i);
    }
    return wrong;
}

Pipeline *pipeline_opened(Env *env, const Model *model)
{
    Pipeline *pipeline = env_array(env, 1, sizeof(Pipeline));
    const char *wrong = pipeline_open(env, model, pipeline);

    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
    return pipeline;
}

void pipeline_prepare_stages(Env *env, Pipeline *pipeline)
{
    size_t bytes;

    for (uint32_t i = 0; i < pipeline->count; i++) {
        PipelineStage *stage = &pipeline->stages[i];
        const Scoring *scoring = stage->estimator->scoring;

        if (scoring_prepares(scoring, stage->model))
            stage->prepared = scoring->prepare(env, stage->model, &bytes);
    }
}

Pipeline *pipeline_prepare(Env *env, const Model *model)
{
    Pipeline *pipeline = pipeline_opened(env, model);

    pipeline_prepare_stages(env, pipeline);
    return pipeline;
}

const Model *const *pipeline_stages(Env *env, const Model *model, uint32_t *count)
{
    const Model **models;
    const char *wrong;

    if (pipeline_is(model)) {
        wrong = nested_models_read(env, model, &pipeline_nesting, &models, count);
        if (wrong != NULL)
            env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
        return models;
    }
    models = env_array(env, 1, sizeof(Model *));
    models[0] = model;
    *count = 1;
    return models;
}

const Model *pipeline_last(Env *env, const Model *model)
{
    uint32_t count;

    if (!pipeline_is(model))
        return model;
    return pipeline_stages(env, model, &count)[count - 1];
}

/* ---- rows ---- */

/* Takes the row of stage i, one number per slot, back to the outputs of the stage before. */
static double *unsort_row(Env *env, const Pipeline *pipeline, uint32_t i, const double *row)
{
    const PipelineStage *stage = &pipeline->stages[i];
    uint32_t outputs = stage[-1].outputs, found = 0;
    double *out = env_array(env, (size_t)outputs + 1, sizeof(double));
    bool *seen = env_array(env, (size_t)outputs + 1, sizeof(bool));

    for (uint32_t s = 0; s < stage->model->slot_count; s++) {
        found += !seen[stage->source[s]];
        seen[stage->source[s]] = true;
        out[stage->source[s]] = row[s];
    }
    if (found < outputs)
        env_fail(env, ERROR_KIND, "Transform back with the stages that can be.",
                 "stage %u of the pipeline, a model of %.31s, takes %u of the %u outputs before it, which cannot be found again", i + 1,
                 stage->estimator->name, found, outputs);
    return out;
}

/* Takes numbers of a stage's transform back to its row. */
static const double *invert_stage(Env *env, const Pipeline *pipeline, uint32_t i, const double *numbers)
{
    const PipelineStage *stage = &pipeline->stages[i];
    const Scoring *scoring = stage->estimator->scoring;
    uint32_t width = scoring != NULL && scoring->inverse != NULL ? scoring->inverse_width(stage->model) : 0;
    double *row;

    if (width == 0 || width != stage->model->slot_count)
        env_fail(env, ERROR_KIND, "Transform back with the stages that can be.",
                 "stage %u of the pipeline, a model of %.31s, has no inverse", i + 1, stage->estimator->name);
    row = env_array(env, width, sizeof(double));
    scoring->inverse(stage->model, numbers, row);
    return row;
}

const double *pipeline_inverse(Env *env, const Pipeline *pipeline, const double *numbers)
{
    for (uint32_t i = pipeline->count - 1; i > 0; i--)
        numbers = unsort_row(env, pipeline, i, invert_stage(env, pipeline, i, numbers));
    return numbers;
}

const double *pipeline_inverse_row(Env *env, const Pipeline *pipeline, const double *row)
{
    for (uint32_t i = pipeline->count - 1; i > 0; i--)
        row = invert_stage(env, pipeline, i - 1, unsort_row(env, pipeline, i, row));
    return row;
}

/* Writes what a stage makes of its row. Returns false if it has no answer. */
static bool run_stage(Env *env, const PipelineStage *stage, uint32_t number, const double *slots)
{
    const Scoring *scoring = stage->estimator->scoring;

    scoring->transform(stage->model, stage->prepared, slots, stage->out);
    if (scoring->partial && stage->outputs > 0 && isnan(stage->out[0]))
        return false;
    for (uint32_t i = 0; i < stage->outputs; i++)
        if (!isfinite(stage->out[i]))
            env_fail(env, ERROR_RANGE, NULL, "output %u of stage %u of the pipeline, a model of %.31s, is out of range of double precision",
                     i + 1, number, stage->estimator->name);
    return true;
}

bool pipeline_run(Env *env, const Pipeline *pipeline, const double *slots, double *out)
{
    for (uint32_t i = 0; i + 1 < pipeline->count; i++) {
        const PipelineStage *stage = &pipeline->stages[i], *next = stage + 1;
        double *row = i + 2 == pipeline->count ? out : next->row;

        if (!run_stage(env, stage, i + 1, slots))
            return false;
        for (uint32_t s = 0; s < next->model->slot_count; s++)
            row[s] = stage->out[next->source[s]];
        slots = row;
    }
    return true;
}
