/*
 * pipeline_report.c - the descriptor of pipelines, which are made of models: pipeline(model, ...). A pipeline as SQL, its summary and its
 * table of stages.
 */
#include "core/base/json.h"
#include "core/estimator/classifier_output.h"
#include "core/inspection/model_info.h"
#include "core/inspection/outputs.h"
#include "core/estimator/table.h"
#include "core/model/report_text.h"
#include "core/prepare/pipeline.h"

#include <string.h>

/* ---- SQL ---- */

/* Returns the outputs of a stage as expressions in parentheses, [outputs]. */
static char **stage_expressions(Env *env, const PipelineStage *stage, uint32_t number)
{
    char **out = env_array(env, (size_t)stage->outputs + 1, sizeof(char *));

    if (stage->estimator->output_sql == NULL)
        env_fail(env, ERROR_KIND, "Score the rows with pgfit.", "stage %u of the pipeline, a model of %.31s, cannot be written as an SQL expression",
                 number, stage->estimator->name);
    for (uint32_t i = 0; i < stage->outputs; i++) {
        TextBuffer text = {.env = env};

        env->poll(env);
        text_character(&text, '(');
        stage->estimator->output_sql(&text, stage->model, i);
        text_character(&text, ')');
        out[i] = text_finish(&text, NULL);
    }
    return out;
}

/* Returns the model of a later stage as one that asks for no NULLs: the first stage has answered them. */
static const Model *without_nulls(Env *env, const Model *model)
{
    Model *copy = env->alloc(env, model->size);

    env_copy(env, copy, model, model->size);
    copy->flags &= (uint8_t)~MODEL_NULL_VALUES;
    return copy;
}

/* Tells whether some output of a stage has no part in the row of the next one. */
static bool leaves_outputs(Env *env, const Pipeline *pipeline)
{
    for (uint32_t i = 1; i < pipeline->count; i++) {
        const PipelineStage *stage = &pipeline->stages[i];
        uint32_t outputs = stage[-1].outputs, used = 0;
        bool *seen = env_array(env, (size_t)outputs + 1, sizeof(bool));

        for (uint32_t s = 0; s < stage->model->slot_count; s++) {
            used += !seen[stage->source[s]];
            seen[stage->source[s]] = true;
        }
        if (used < outputs)
            return true;
    }
    return false;
}

/* Returns the expression of the last stage. */
static char *last_expression(Env *env, const PipelineStage *last)
{
    if (last->estimator->to_sql == NULL)
        env_fail(env, ERROR_KIND, "Score the rows with pgfit.", "the last stage of the pipeline, a model of %.31s, cannot be written as an SQL expression",
                 last->estimator->name);
    if (classifier_output_any(last->model))
        env_fail(env, ERROR_KIND, "Make the pipeline of the model without them; to_sql writes the scores.",
                 "a calibration or a decision rule cannot be written as an SQL expression");
    return last->estimator->to_sql(env, without_nulls(env, last->model));
}

static char *pipeline_to_sql(Env *env, const Model *model)
{
    Pipeline *pipeline = pipeline_opened(env, model);
    const PipelineStage *last = &pipeline->stages[pipeline->count - 1];
    const Model *first = pipeline->stages[0].model;
    TextBuffer out = {.env = env};
    const char *const *columns_of_row = env->sql_columns; /* of the first stage, whose formula may write them */
    char *expression;

    for (uint32_t i = 0; i + 1 < pipeline->count; i++) {
        const PipelineStage *next = &pipeline->stages[i + 1];
        PipelineStage stage = pipeline->stages[i];
        const char **columns = env_array(env, (size_t)next->model->slot_count + 1, sizeof(char *));
        char **expressions;

        if (next->model->field_count != next->model->slot_count)
            env_fail(env, ERROR_KIND, "Fit it to a row without arrays.",
                     "stage %u of the pipeline, a model of %.31s, has arrays among its features and cannot be written as an SQL expression", i + 2,
                     next->estimator->name);
        if (i > 0)
            stage.model = without_nulls(env, stage.model);
        expressions = stage_expressions(env, &stage, i + 1);
        for (uint32_t s = 0; s < next->model->slot_count; s++)
            columns[s] = expressions[next->source[s]];
        env->sql_columns = columns;
    }
    expression = last_expression(env, last);
    env->sql_columns = columns_of_row;
    if (first->flags & MODEL_IMPUTE || !(leaves_outputs(env, pipeline) || strncmp(last->estimator->name, "ensemble", 8) == 0))
        return expression;
    /* columns that the expression does not have make the row NULL all the same, and so do those of which members of an ensemble
     * would make something else */
    sql_if_complete(&out, first);
    text_add(&out, expression);
    sql_end_complete(&out, first);
    return text_finish(&out, NULL);
}

/* ---- summary ---- */

static char *pipeline_summary(Env *env, const Model *model)
{
    uint32_t count;
    const Model *const *stages = pipeline_stages(env, model, &count);
    TextBuffer out = {.env = env};

    text_add(&out, "pipeline: ");
    for (uint32_t i = 0; i < count; i++)
        text_print(&out, "%s%.31s", i > 0 ? " -> " : "", stages[i]->estimator);
    for (uint32_t i = 0; i < count; i++) {
        text_print(&out, "\n\nstage %u: ", i + 1);
        text_add(&out, describe_summary(env, stages[i]));
    }
    return text_finish(&out, NULL);
}

/* ---- the table "stages" ---- */

typedef struct StageReader {
    uint32_t count;
    const Model *const *models;
} StageReader;

static void *open_stages(Env *env, const Model *model, uint64_t *rows)
{
    StageReader *reader = env_array(env, 1, sizeof *reader);

    reader->models = pipeline_stages(env, model, &reader->count);
    *rows = reader->count;
    return reader;
}

/* Sets a cell to the names of a list as JSON. */
static void cell_names(Env *env, Cell *cell, const char *const *names, uint32_t count)
{
    TextBuffer out = {.env = env};

    text_character(&out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(&out, ',');
        json_quote(&out, names[i], strlen(names[i]));
    }
    text_character(&out, ']');
    cell_buffer(cell, &out);
}

static bool stage_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const StageReader *reader = data;
    const Model *stage = reader->models[i];
    uint32_t count = stage->slot_count;
    const char **inputs = env_array(env, (size_t)count + 1, sizeof(char *));

    for (uint32_t s = 0; s < count; s++) {
        TextBuffer name = {.env = env};

        output_slot_name(&name, stage, s);
        inputs[s] = text_finish(&name, NULL);
    }
    cell_integer(&cells[0], (int64_t)i + 1);
    cell_text(&cells[1], stage->estimator, (uint32_t)strnlen(stage->estimator, sizeof(stage->estimator)));
    cell_names(env, &cells[2], inputs, count);
    if (i + 1 < reader->count || estimator_transforms(estimator_of(stage))) {
        const char *const *outputs = output_names(env, stage, &count, NULL);

        cell_names(env, &cells[3], outputs, count);
    }
    return true;
}

static const Table stages = {.name = "stages", .open = open_stages, .row = stage_row};

static const Table *const pipeline_tables[] = {&stages, NULL};

/* ---- the descriptor ---- */

static const char *pipeline_check(Env *env, const Model *model)
{
    Pipeline pipeline;

    return pipeline_open(env, model, &pipeline);
}

static void *prepare(Env *env, const Model *model, size_t *bytes)
{
    *bytes = 4 * (size_t)model->size;
    return pipeline_prepare(env, model);
}

static const ArraySpec pipeline_arrays[] = {
    {.name = "stage_bytes", .type = ARRAY_I64, .values = VALUES_POSITIVE, .rows = {SIZE_FREE}},
    {.name = "stages", .type = ARRAY_U8, .values = VALUES_ANY, .rows = {SIZE_FREE}}};
static const ArrayTable pipeline_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(pipeline_arrays), NO_FACTS);

/* The scores are those of the last stage: who scores asks it. */
static const Scoring pipeline_scoring = {.prepare = prepare};
static const OptionSpec pipeline_options[] = {{.name = NULL}};

const Estimator estimator_pipeline = {
    .name = "pipeline",
    .task = TASK_PREPARATION,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(pipeline_options),
    .help = "Takes rows through fitted models, one after the other: pipeline(model, ...).",
    .source = "scikit-learn's Pipeline",
    .arrays = pipeline_array_tables,
    .check = pipeline_check,
    .scoring = &pipeline_scoring,
    .parts = pipeline_stages,
    .tables = pipeline_tables,
    .to_sql = pipeline_to_sql,
    .summary = pipeline_summary,
};
