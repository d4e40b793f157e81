/*
 * pipeline.c - the descriptor of pipelines, which are made of models: pipeline(model, ...).
 */
#include "core/prepare/pipeline.h"

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
