/*
 * logistic_step.c - logistic regression by passes: where to begin, and one step as an aggregate.
 */
#include "aggregate.h"
#include "scoring.h"
#include "../core/logistic_model.h"
#include "../core/logistic_step.h"

#include <math.h>

#include "utils/memutils.h"

typedef struct StartSite {
    CallOptions options;
} StartSite;

/* logistic_start(evidence [, options]) */
PG_FUNCTION_INFO_V1(pgfit_logistic_start);
PGDLLEXPORT Datum pgfit_logistic_start(PG_FUNCTION_ARGS)
{
    static const Gathering gathering = {.name = "logistic_start",
                                        .kind = EVIDENCE_CLASS_MOMENTS,
                                        .supervised = true,
                                        .estimator = &estimator_logistic_regression};
    StartSite *site = fcinfo->flinfo->fn_extra;
    const Model *evidence = PG_GETARG_MODEL(0);
    const char *wrong = model_check(host_env(), evidence, evidence->size);
    Model *model;

    if (wrong != NULL)
        env_fail(host_env(), ERROR_CORRUPT, NULL, "a stored value is damaged: %s", wrong);
    if (site == NULL) {
        site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(StartSite));
        call_options_init(&site->options, fcinfo, 1, 0, true);
        fcinfo->flinfo->fn_extra = site;
    }
    evidence_require(evidence, &gathering);
    call_options_read(&site->options, fcinfo, &gathering);
    model = logistic_start(host_env(), evidence, site->options.options);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}

/* ---- one step as an aggregate ---- */

typedef struct StepLabelSite {
    ScorerCache *cache;
    FeatureReader *features;
    ValueReader *label;
    ClassHint hint;
    LogisticStepHints hints;
    double *slots;
    uint32 slot_room;
} StepLabelSite;

static StepLabelSite *label_site(FunctionCallInfo fcinfo)
{
    StepLabelSite *site = fcinfo->flinfo->fn_extra;

    if (unlikely(site == NULL)) {
        site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(StepLabelSite));
        site->cache = scorer_cache_create(fcinfo->flinfo->fn_mcxt);
        fcinfo->flinfo->fn_extra = site;
    }
    return site;
}

/* The running state, the executor's own copy, to be changed in place; NULL: none yet. */
static Model *running_state(FunctionCallInfo fcinfo, LogisticStepHints *hints)
{
    Model *state = PG_ARGISNULL(0) ? NULL : (Model *)PG_GETARG_MODEL(0);

    if (state != NULL) {
        logistic_step_require(host_env(), state, NULL, hints);
        state->fingerprint = 0;
    }
    return state;
}

/* Argument 3's model. */
static const Model *step_model(FunctionCallInfo fcinfo, StepLabelSite *site)
{
    const Scorer *scorer = scorer_cache_get(site->cache, PG_GETARG_DATUM(3), false);

    if (scorer->estimator != &estimator_logistic_regression)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("logistic_step needs a model of logistic_regression, not of %.31s",
                               scorer->model->estimator),
                        errhint("Begin from logistic_start over class_moments.")));
    return scorer->model;
}

static double step_weight(FunctionCallInfo fcinfo)
{
    double weight = 1;

    if (PG_NARGS() > 4)
        weight = PG_ARGISNULL(4) ? 0 : PG_GETARG_FLOAT8(4);
    if (!(weight >= 0 && isfinite(weight)))
        env_fail(host_env(), ERROR_DATA, "Weights are finite and not negative; a row of weight 0 is not used.",
                 "weight is %g", weight);
    return weight;
}

/* The class of the row's label. */
static uint32_t step_class(FunctionCallInfo fcinfo, StepLabelSite *site, const Model *model)
{
    uint32_t length;
    double key;
    const char *text = value_label(value_reader(fcinfo, 1, &site->label), PG_GETARG_DATUM(1), &length, &key);
    int position = dictionary_find_class(model, &site->hint, text, length);

    if (position < 0)
        env_fail(host_env(), ERROR_DATA, "Begin from logistic_start over all rows; classes(model) lists the labels.",
                 "the model has no class \"%.*s\"", (int)length, text);
    return (uint32_t)position;
}

/* logistic_step_step(state, label, features, model [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_logistic_step_step);
PGDLLEXPORT Datum pgfit_logistic_step_step(PG_FUNCTION_ARGS)
{
    StepLabelSite *site = label_site(fcinfo);
    FeatureResult result = FEATURES_NULL;
    const Model *model;
    Model *state;
    double weight;

    step_require_aggregate(fcinfo);
    state = running_state(fcinfo, &site->hints);
    if (PG_ARGISNULL(3)) {
        if (state == NULL)
            PG_RETURN_NULL();
        return model_datum(state);
    }
    model = step_model(fcinfo, site);
    if (state == NULL)
        state = logistic_step_begin(host_env(), model);
    logistic_step_require(host_env(), state, model, &site->hints);
    weight = step_weight(fcinfo);
    if (weight > 0 && !PG_ARGISNULL(1) && !PG_ARGISNULL(2)) {
        scoring_room(fcinfo, &site->slots, &site->slot_room, model->slot_count);
        result = features_score(feature_reader(fcinfo, 2, &site->features), PG_GETARG_DATUM(2), model,
                                site->slots);
    }
    if (result == FEATURES_OK)
        logistic_step_add(host_env(), state, site->slots, step_class(fcinfo, site, model), weight,
                          &site->hints);
    else
        state->skipped++;
    return model_datum(state);
}

PG_FUNCTION_INFO_V1(pgfit_logistic_step_combine);
PGDLLEXPORT Datum pgfit_logistic_step_combine(PG_FUNCTION_ARGS)
{
    LogisticStepHints hints = {0};
    Model *state;
    const Model *other;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return model_datum(model_copy(PG_GETARG_MODEL(PG_ARGISNULL(0) ? 1 : 0)));
    state = running_state(fcinfo, &hints);
    other = PG_GETARG_MODEL(1);
    logistic_step_require(host_env(), other, NULL, &hints);
    logistic_step_merge(host_env(), state, other);
    return model_datum(state);
}

PG_FUNCTION_INFO_V1(pgfit_logistic_step_final);
PGDLLEXPORT Datum pgfit_logistic_step_final(PG_FUNCTION_ARGS)
{
    LogisticStepHints hints = {0};
    Model *next;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    logistic_step_require(host_env(), PG_GETARG_MODEL(0), NULL, &hints);
    next = logistic_step_finish(host_env(), PG_GETARG_MODEL(0));
    if (next == NULL)
        PG_RETURN_NULL();
    return model_datum(next);
}
