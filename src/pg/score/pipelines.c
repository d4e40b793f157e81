/*
 * pipelines.c - models made of others: pipelines and their stages, ensembles, decision rules, calibrations; and rows under the names of what a
 * model makes of them.
 */
#include "pg/score/scoring.h"
#include "core/base/json.h"
#include "core/ensemble/ensemble.h"
#include "core/estimator/classifier_output.h"
#include "core/inspection/outputs.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

const Model **model_array(FunctionCallInfo fcinfo, int argument, const Model *first, const char *what, const char *of, const char *hint,
                          uint32_t *number)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    const Model **models;
    Datum *values;
    bool *nulls, by_value;
    int16 length;
    char alignment;
    int count;

    get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
    deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls, &count);
    models = palloc((count + 1) * sizeof(*models));
    *number = 0;
    if (first != NULL)
        models[(*number)++] = first;
    for (int i = 0; i < count; i++) {
        if (nulls[i])
            env_fail(host_env(), ERROR_PARAMETER, hint, "%s %u%s is null", what, *number + 1, of);
        models[(*number)++] = sound_model(values[i]);
    }
    return models;
}

/* pipeline(VARIADIC models) */
PG_FUNCTION_INFO_V1(pgfit_pipeline);
PGDLLEXPORT Datum pgfit_pipeline(PG_FUNCTION_ARGS)
{
    uint32_t count;
    const Model **models = model_array(fcinfo, 0, NULL, "model", " of the pipeline",
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

/* ---- ensembles, decision rules, calibrations ---- */

/* Returns the models of an array after `first`, and their number. */
static const Model **member_models(FunctionCallInfo fcinfo, int argument, const Model *first, uint32_t *number)
{
    return model_array(fcinfo, argument, first, "model", " of the ensemble", "Leave it out, as in array_agg(m) FILTER (WHERE m IS NOT NULL).", number);
}

PG_FUNCTION_INFO_V1(pgfit_ensemble);
PGDLLEXPORT Datum pgfit_ensemble(PG_FUNCTION_ARGS)
{
    uint32_t count;
    const Model **models = member_models(fcinfo, 1, PG_GETARG_SOUND_MODEL(0), &count);

    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, NULL, 0));
}

PG_FUNCTION_INFO_V1(pgfit_ensemble_array);
PGDLLEXPORT Datum pgfit_ensemble_array(PG_FUNCTION_ARGS)
{
    char *json = NULL;
    uint32_t count;
    const Model **models = member_models(fcinfo, 0, NULL, &count);

    if (PG_NARGS() > 1) {
        Jsonb *options = PG_GETARG_JSONB_P(1);

        json = JsonbToCString(NULL, &options->root, VARSIZE(options));
    }
    PG_RETURN_MODEL(ensemble_build(host_env(), models, count, json, json != NULL ? strlen(json) : 0));
}

PG_FUNCTION_INFO_V1(pgfit_decision_rule);
PGDLLEXPORT Datum pgfit_decision_rule(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    Jsonb *options = PG_GETARG_JSONB_P(1);
    char *json = JsonbToCString(NULL, &options->root, VARSIZE(options));

    PG_RETURN_MODEL(pipeline_with_last(
        host_env(), model, decision_rule_apply(host_env(), pipeline_last(host_env(), model), json, strlen(json))));
}

PG_FUNCTION_INFO_V1(pgfit_calibrate);
PGDLLEXPORT Datum pgfit_calibrate(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    const Model *calibration = PG_GETARG_SOUND_MODEL(1);

    PG_RETURN_MODEL(
        pipeline_with_last(host_env(), model, calibration_join(host_env(), pipeline_last(host_env(), model), &calibration, 1)));
}

PG_FUNCTION_INFO_V1(pgfit_calibrate_classes);
PGDLLEXPORT Datum pgfit_calibrate_classes(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    uint32_t count;
    const Model **calibrations = model_array(fcinfo, 1, NULL, "calibration", "",
                                             "Pass one calibration per class, in the order of classes(model).", &count);

    PG_RETURN_MODEL(
        pipeline_with_last(host_env(), model, calibration_join(host_env(), pipeline_last(host_env(), model), calibrations, count)));
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

/* The keys of a row of outputs. */
typedef struct OutputKeys {
    uint32_t count;
    char **keys; /* [count] quoted, with the colon */
} OutputKeys;

/* Returns the keys of a model's outputs. */
static const OutputKeys *output_keys(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const char *const *names;
    MemoryContext before;
    OutputKeys *keys;
    uint32_t count;

    if (call->known == scorer_identity(call->scorer))
        return call->output_keys;
    names = output_names(host_env(), call->scorer->model, &count, NULL);
    before = MemoryContextSwitchTo(scoring_facts(fcinfo, call));
    keys = palloc(sizeof *keys);
    *keys = (OutputKeys){.count = count, .keys = palloc(Max(count, 1) * sizeof(char *))};
    for (uint32_t i = 0; i < count; i++) {
        TextBuffer key = {.env = host_env()};

        json_quote(&key, names[i], strlen(names[i]));
        text_character(&key, ':');
        keys->keys[i] = text_finish(&key, NULL);
    }
    MemoryContextSwitchTo(before);
    call->output_keys = keys;
    call->known = scorer_identity(call->scorer);
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
