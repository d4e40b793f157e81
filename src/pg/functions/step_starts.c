/*
 * step_starts.c - the first models of fits by steps, from moments: glm_start, logistic_start, svm_start.
 */
#include "pg/aggregate/aggregate.h"
#include "core/estimators.h"
#include "core/glm/glm_step.h"
#include "core/logistic/logistic_step.h"
#include "core/svm/svm_step.h"

#define STARTED GLM_STEPS /* most estimators of one function */

/* A start is described like an aggregate over moments, whose errors it shares. */
typedef struct ModelStart {
    FitAggregate of;
    Model *(*start)(Env *env, const Estimator *estimator, const Model *moments, const Options *options);
} ModelStart;

/* which: of the estimators that the function starts, each of which has its own options. */
static Datum start_model(FunctionCallInfo fcinfo, const ModelStart *start, unsigned which)
{
    CallOptions *calls = fcinfo->flinfo->fn_extra;
    const Model *moments = PG_GETARG_SOUND_MODEL(0);
    Model *model;

    if (calls == NULL) {
        calls = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, STARTED * sizeof(CallOptions));
        for (unsigned i = 0; i < STARTED; i++)
            call_options_init(&calls[i], fcinfo, 1, 0, true);
        fcinfo->flinfo->fn_extra = calls;
    }
    moments_require(moments, &start->of);
    call_options_read(&calls[which], fcinfo, &start->of);
    model = start->start(host_env(), start->of.estimator, moments, call_options_of_moments(&calls[which], &start->of, moments));
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}

/* glm_start(moments [, options [, method]]) */
PG_FUNCTION_INFO_V1(pgfit_glm_start);
PGDLLEXPORT Datum pgfit_glm_start(PG_FUNCTION_ARGS)
{
    const char *method = text_to_cstring(PG_GETARG_TEXT_PP(2));
    unsigned which = 0;

    while (which < GLM_STEPS && strcmp(glm_steps[which].estimator, method) != 0)
        which++;
    if (which == GLM_STEPS)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("glm_start does not start method \"%s\"", method),
                        errhint("Choose glm, gamma_regression, negative_binomial_regression, poisson_regression or tweedie_regression.")));
    return start_model(fcinfo, &(ModelStart){{.name = "glm_start", .kind = INPUT_MOMENTS, .supervised = true, .estimator = fit_estimator(method)}, glm_start}, which);
}

/* logistic_start(moments [, options]) */
PG_FUNCTION_INFO_V1(pgfit_logistic_start);
PGDLLEXPORT Datum pgfit_logistic_start(PG_FUNCTION_ARGS)
{
    static const ModelStart start = {{.name = "logistic_start", .kind = INPUT_CLASS_MOMENTS, .supervised = true, .estimator = &estimator_logistic_regression},
                                     logistic_start};

    return start_model(fcinfo, &start, 0);
}

/* svm_start(moments, options) */
PG_FUNCTION_INFO_V1(pgfit_svm_start);
PGDLLEXPORT Datum pgfit_svm_start(PG_FUNCTION_ARGS)
{
    static const ModelStart classifier = {{.name = "svm_start", .kind = INPUT_CLASS_MOMENTS, .supervised = true, .estimator = &estimator_svm_classifier}, svm_start};
    static const ModelStart regression = {{.name = "svm_start", .kind = INPUT_MOMENTS, .supervised = true, .estimator = &estimator_svm_regression}, svm_start};

    bool numbers = ((const Model *)PG_GETARG_SOUND_MODEL(0))->kind == MODEL_MOMENTS;

    return start_model(fcinfo, numbers ? &regression : &classifier, numbers);
}
