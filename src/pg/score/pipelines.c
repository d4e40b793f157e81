/*
 * pipelines.c - pipeline(model, ...) and its stages, and rows under the names of what a model makes of them.
 */
#include "pg/score/model_array.h"
#include "pg/score/scoring.h"
#include "core/base/json.h"
#include "core/inspection/outputs.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* pipeline(VARIADIC models) */
PG_FUNCTION_INFO_V1(pgfit_pipeline);
PGDLLEXPORT Datum pgfit_pipeline(PG_FUNCTION_ARGS)
{
    uint32_t count;
    const Model **models = model_array(PG_GETARG_ARRAYTYPE_P(0), NULL, "model", " of the pipeline",
                                       "A fit without rows is null. Leave such a group out: WHERE model IS NOT NULL.", &count);

    PG_RETURN_MODEL(pipeline_build(host_env(), models, count));
}

/* stage(model, number) */
PG_FUNCTION_INFO_V1(pgfit_stage);
PGDLLEXPORT Datum pgfit_stage(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    int32 number = PG_GETARG_INT32(1);
    uint32_t count;
    const Model *const *stages;

    if (!pipeline_is(model))
        env_fail(host_env(), ERROR_KIND, "Only a pipeline has stages.", "stage does not apply to %s%.31s",
                 model->kind == MODEL_FITTED ? "a model of " : "", model->estimator);
    stages = pipeline_stages(host_env(), model, &count);
    if (number < 1 || (uint32_t)number > count)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "the pipeline has stages 1 to %u, not %d", count, number);
    PG_RETURN_MODEL(model_copy(stages[number - 1]));
}

/* ---- names of outputs ---- */

/* output_names(model) */
PG_FUNCTION_INFO_V1(pgfit_output_names);
PGDLLEXPORT Datum pgfit_output_names(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0))};
    const char *const *names;
    uint32_t count;
    Datum *values;

    scorer.estimator = estimator_of(scorer.model);
    if (!estimator_transforms(scorer.estimator))
        fail_unsupported(&scorer, "output_names");
    names = output_names(host_env(), scorer.model, &count, NULL);
    values = palloc(Max(count, 1) * sizeof(Datum));
    for (uint32_t i = 0; i < count; i++)
        values[i] = CStringGetTextDatum(names[i]);
    PG_RETURN_ARRAYTYPE_P(construct_array(values, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The keys of a row of outputs, kept for the rows that follow. */
typedef struct OutputKeys {
    uint64 model; /* fingerprint of the model that they belong to; 0: of none */
    uint32_t count;
    char **keys; /* [count] quoted, with the colon */
    MemoryContext context;
} OutputKeys;

/* Returns the keys of a model's outputs. */
static const OutputKeys *output_keys(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const Model *model = call->scorer->model;
    OutputKeys *keys = call->output_keys;
    const char *const *names;
    MemoryContext before;

    if (keys == NULL)
        keys = call->output_keys = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *keys);
    if (keys->model == model->fingerprint && keys->model != 0)
        return keys;
    keys->model = 0;
    if (keys->context == NULL)
        keys->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit output names", ALLOCSET_SMALL_SIZES);
    MemoryContextReset(keys->context);
    names = output_names(host_env(), model, &keys->count, NULL);
    before = MemoryContextSwitchTo(keys->context);
    keys->keys = palloc(Max(keys->count, 1) * sizeof(char *));
    for (uint32_t i = 0; i < keys->count; i++) {
        TextBuffer key = {.env = host_env()};

        json_quote(&key, names[i], strlen(names[i]));
        text_character(&key, ':');
        keys->keys[i] = text_finish(&key, NULL);
    }
    MemoryContextSwitchTo(before);
    keys->model = model->fingerprint;
    return keys;
}

/* transform_row(model, features) */
PG_FUNCTION_INFO_V1(pgfit_transform_row);
PGDLLEXPORT Datum pgfit_transform_row(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;
    TextBuffer out = {.env = host_env()};
    const OutputKeys *keys;
    double *numbers;

    if (scoring->transform == NULL)
        fail_unsupported(call->scorer, "transform_row");
    keys = output_keys(fcinfo, call);
    numbers = scoring_numbers(fcinfo, call, keys->count);
    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    scoring->transform(call->scorer->model, call->scorer->prepared, call->slots, numbers);
    if (keys->count > 0 && scoring->partial && isnan(numbers[0]))
        PG_RETURN_NULL();
    for (uint32_t i = 0; i < keys->count; i++) {
        text_character(&out, i == 0 ? '{' : ',');
        text_add(&out, keys->keys[i]);
        give_number(numbers[i]);
        json_double(&out, numbers[i]);
    }
    text_add(&out, keys->count == 0 ? "{}" : "}");
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text_finish(&out, NULL)));
}
