/*
 * densities.c - log_density(model, features), and the criteria of a whole model: log_likelihood, aic, bic.
 */
#include "pg/score/scoring.h"
#include "core/prepare/pipeline.h"

#include <math.h>

PG_FUNCTION_INFO_V1(pgfit_log_density);
PGDLLEXPORT Datum pgfit_log_density(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;

    if (scoring->log_density == NULL && scoring->log_evidence == NULL)
        fail_unsupported(call->scorer, "log_density");
    if (scoring->has_density != NULL && !scoring->has_density(call->scorer->model))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("this model of %s has no density: its rows do not vary in some direction", call->scorer->estimator->name),
                        errhint("Fit it with fewer components, or leave out features that depend on others.")));
    return give_score(fcinfo, call, scoring->log_density != NULL ? scoring->log_density : scoring->log_evidence);
}

/* Returns a fact about the model in argument 0, which describes the fit to its rows. */
static Datum give_criterion(FunctionCallInfo fcinfo, const char *name)
{
    Scorer scorer = {.model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0))};
    double value;

    scorer.estimator = estimator_of(scorer.model);
    if (scorer.estimator == NULL)
        fail_unsupported(&scorer, name);
    value = model_fact(estimator_statistics(host_env(), scorer.model), name, NAN);
    if (!isfinite(value))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("this model of %s has no %s", scorer.estimator->name, name),
                        errhint("info(model) -> 'statistics' shows what it has.")));
    PG_RETURN_FLOAT8(value);
}

PG_FUNCTION_INFO_V1(pgfit_log_likelihood);
PGDLLEXPORT Datum pgfit_log_likelihood(PG_FUNCTION_ARGS)
{
    return give_criterion(fcinfo, "log_likelihood");
}

PG_FUNCTION_INFO_V1(pgfit_aic);
PGDLLEXPORT Datum pgfit_aic(PG_FUNCTION_ARGS)
{
    return give_criterion(fcinfo, "aic");
}

PG_FUNCTION_INFO_V1(pgfit_bic);
PGDLLEXPORT Datum pgfit_bic(PG_FUNCTION_ARGS)
{
    return give_criterion(fcinfo, "bic");
}
