/*
 * output_rules.c - adds decision rules and calibrations to a model.
 */
#include "pg/backend/backend_env.h"
#include "core/estimator/classifier_output.h"
#include "core/prepare/pipeline.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

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
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
    const Model **calibrations;
    Datum *values;
    bool *nulls, by_value;
    int16 length;
    char alignment;
    int count;

    get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
    deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls, &count);
    calibrations = palloc(Max(count, 1) * sizeof(*calibrations));
    for (int i = 0; i < count; i++) {
        if (nulls[i])
            env_fail(host_env(), ERROR_PARAMETER, "Pass one calibration per class, in the order of classes(model).",
                     "calibration %d is null", i + 1);
        calibrations[i] = sound_model(values[i]);
    }
    PG_RETURN_MODEL(pipeline_with_last(
        host_env(), model, calibration_join(host_env(), pipeline_last(host_env(), model), calibrations, (uint32_t)count)));
}
