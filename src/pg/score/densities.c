/*
 * densities.c - log_density(model, features), survival and its limits, and the criteria of a whole model: log_likelihood, aic, bic.
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

/* Returns the survival of the row in argument 1 past the time in argument 2, by the stratum in an argument. level: NaN: without limits. false: NULL. */
static bool row_survival(FunctionCallInfo fcinfo, ScoringCall *call, double level, int argument, PredictionInterval *survival)
{
    double time = PG_GETARG_FLOAT8(2);
    text *stratum = PG_ARGISNULL(argument) ? NULL : PG_GETARG_TEXT_PP(argument);

    if (isnan(time))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the time of survival is not a number"), errhint("Pass a time in the unit of the fit.")));
    if (!scoring_row(fcinfo, call))
        return false;
    *survival = call->scoring->survival(host_env(), call->scorer->model, call->slots, call->offset, time, level, stratum != NULL ? VARDATA_ANY(stratum) : NULL,
                                        stratum != NULL ? (uint32)VARSIZE_ANY_EXHDR(stratum) : 0);
    return true;
}

/* survival(model, features, time [, stratum]) */
PG_FUNCTION_INFO_V1(pgfit_survival);
PGDLLEXPORT Datum pgfit_survival(PG_FUNCTION_ARGS)
{
    ScoringCall *call;
    PredictionInterval survival;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_NULL();
    call = scoring_open(fcinfo);
    if (call->scoring->survival == NULL)
        fail_unsupported(call->scorer, "survival");
    if (!row_survival(fcinfo, call, NAN, 3, &survival))
        PG_RETURN_NULL();
    return give_number(survival.fit);
}

/* survival_interval(model, features, time [, level [, stratum]]) */
PG_FUNCTION_INFO_V1(pgfit_survival_interval);
PGDLLEXPORT Datum pgfit_survival_interval(PG_FUNCTION_ARGS)
{
    ScoringCall *call;
    PredictionInterval survival;
    bool found;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_NULL();
    call = scoring_open(fcinfo);
    if (call->scoring->survival == NULL)
        fail_unsupported(call->scorer, "survival_interval");
    scoring_result(fcinfo, call, 3);
    found = row_survival(fcinfo, call, scoring_level(fcinfo, call, 3), 4, &survival);
    return give_interval(call, found ? &survival : NULL);
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
