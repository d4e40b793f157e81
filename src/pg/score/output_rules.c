/*
 * output_rules.c - adds decision rules and calibrations to a model.
 */
#include "pg/host/backend_env.h"
#include "core/estimator/classifier_output.h"
#include "core/prepare/pipeline.h"
#include "pg/score/model_array.h"

#include "utils/jsonb.h"

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
    const Model **calibrations = model_array(PG_GETARG_ARRAYTYPE_P(1), NULL, "calibration", "",
                                             "Pass one calibration per class, in the order of classes(model).", &count);

    PG_RETURN_MODEL(
        pipeline_with_last(host_env(), model, calibration_join(host_env(), pipeline_last(host_env(), model), calibrations, count)));
}
