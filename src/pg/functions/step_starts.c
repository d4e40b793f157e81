/*
 * step_starts.c - the first models of fits by steps, from moments: logistic_start, svm_start.
 */
#include "pg/aggregate/aggregate.h"
#include "core/estimators.h"
#include "core/logistic/logistic_step.h"
#include "core/svm/svm_step.h"

/* A start is described like an aggregate over moments, whose errors it shares. */
typedef struct ModelStart {
    FitAggregate of;
    Model *(*start)(Env *env, const Estimator *estimator, const Model *moments, const Options *options);
} ModelStart;

static Datum start_model(FunctionCallInfo fcinfo, const ModelStart *start)
{
    CallOptions *calls = fcinfo->flinfo->fn_extra, *call; /* of class moments, and of moments */
    const Model *moments = PG_GETARG_SOUND_MODEL(0);
    Model *model;

    if (calls == NULL) {
        calls = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, 2 * sizeof(CallOptions));
        call_options_init(&calls[0], fcinfo, 1, 0, true);
        call_options_init(&calls[1], fcinfo, 1, 0, true);
        fcinfo->flinfo->fn_extra = calls;
    }
    call = &calls[start->of.kind == INPUT_MOMENTS];
    moments_require(moments, &start->of);
    call_options_read(call, fcinfo, &start->of);
    model = start->start(host_env(), start->of.estimator, moments, call->options);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}

/* logistic_start(moments [, options]) */
PG_FUNCTION_INFO_V1(pgfit_logistic_start);
PGDLLEXPORT Datum pgfit_logistic_start(PG_FUNCTION_ARGS)
{
    static const ModelStart start = {{.name = "logistic_start", .kind = INPUT_CLASS_MOMENTS, .supervised = true, .estimator = &estimator_logistic_regression},
                                     logistic_start};

    return start_model(fcinfo, &start);
}

/* svm_start(moments, options) */
PG_FUNCTION_INFO_V1(pgfit_svm_start);
PGDLLEXPORT Datum pgfit_svm_start(PG_FUNCTION_ARGS)
{
    static const ModelStart classifier = {{.name = "svm_start", .kind = INPUT_CLASS_MOMENTS, .supervised = true, .estimator = &estimator_svm_classifier}, svm_start};
    static const ModelStart regression = {{.name = "svm_start", .kind = INPUT_MOMENTS, .supervised = true, .estimator = &estimator_svm_regression}, svm_start};

    return start_model(fcinfo, ((const Model *)PG_GETARG_SOUND_MODEL(0))->kind == MODEL_MOMENTS ? &regression : &classifier);
}
