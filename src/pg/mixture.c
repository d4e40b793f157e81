/*
 * mixture.c - functions of models made of normal distributions.
 */
#include "aggregate.h"
#include "inspect.h"
#include "scoring.h"
#include "../core/mixture_model.h"
#include "../core/mixture_step.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* Numbers as float8[], rows = 0: of one dimension. */
static Datum array_of(const double *numbers, uint32 rows, uint32 columns)
{
    Size count = (Size)columns * Max(rows, 1);
    int sizes[2] = {(int)rows, (int)columns}, starts[2] = {1, 1};
    Datum *values;

    if (!AllocSizeIsValid(count * sizeof(Datum)))
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("an array of %zu numbers is too large", (size_t)count)));
    values = palloc(count * sizeof(Datum));
    for (Size i = 0; i < count; i++)
        values[i] = Float8GetDatum(numbers[i]);
    return PointerGetDatum(construct_md_array(values, NULL, rows > 0 ? 2 : 1, rows > 0 ? sizes : sizes + 1,
                                              starts, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                                              TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(pgfit_distributions);
PGDLLEXPORT Datum pgfit_distributions(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = inspect_model(fcinfo)};
    Distributions list;
    TupleDesc description;
    Tuplestorestate *store;

    scorer.estimator = estimator_of(scorer.model);
    if (scorer.estimator == NULL || scorer.estimator->distributions == NULL)
        fail_ability(&scorer, "distributions");
    scorer.estimator->distributions(host_env(), scorer.model, &list);
    store = rows_begin(fcinfo, &description);
    for (uint32 i = 0; i < list.count; i++) {
        Datum values[4];
        bool nulls[4] = {false};

        CHECK_FOR_INTERRUPTS();
        values[0] = Int32GetDatum((int32)i + 1);
        values[1] = Float8GetDatum(list.weights[i]);
        values[2] = array_of(list.means + (size_t)i * list.dims, 0, list.dims);
        values[3] = array_of(list.covariances + (size_t)i * list.dims * list.dims, list.dims, list.dims);
        tuplestore_putvalues(store, description, values, nulls);
    }
    return (Datum)0;
}

/* ---- one iteration as an aggregate ---- */

typedef struct MixtureSite {
    ScorerCache *cache;
    FeatureReader *reader;
    double *slots;
    uint32 slot_room;
} MixtureSite;

static MixtureSite *mixture_site(FunctionCallInfo fcinfo)
{
    MixtureSite *site = fcinfo->flinfo->fn_extra;

    if (unlikely(site == NULL)) {
        site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MixtureSite));
        site->cache = scorer_cache_create(fcinfo->flinfo->fn_mcxt);
        fcinfo->flinfo->fn_extra = site;
    }
    return site;
}

/* The running state, the executor's own copy, to be changed in place; NULL: none yet. */
static Model *running_state(FunctionCallInfo fcinfo)
{
    Model *state = PG_ARGISNULL(0) ? NULL : (Model *)PG_GETARG_MODEL(0);

    if (state != NULL) {
        mixture_step_require(host_env(), state, NULL);
        state->fingerprint = 0;
    }
    return state;
}

/* mixture_step_step(state, features, model [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_mixture_step_step);
PGDLLEXPORT Datum pgfit_mixture_step_step(PG_FUNCTION_ARGS)
{
    MixtureSite *site = mixture_site(fcinfo);
    Model *state;
    const Scorer *scorer;
    double weight = 1;
    FeatureResult result = FEATURES_NULL;

    step_require_aggregate(fcinfo);
    state = running_state(fcinfo);
    if (PG_ARGISNULL(2)) {
        if (state == NULL)
            PG_RETURN_NULL();
        return model_datum(state);
    }
    scorer = scorer_cache_get(site->cache, PG_GETARG_DATUM(2), false);
    if (scorer->estimator != &estimator_gaussian_mixture)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("mixture_step needs a model of gaussian_mixture, not of %.31s",
                               scorer->model->estimator),
                        errhint("Begin from gaussian_mixture over some of the rows.")));
    if (state == NULL)
        state = mixture_step_begin(host_env(), scorer->model);
    mixture_step_require(host_env(), state, scorer->model);
    if (PG_NARGS() > 3) {
        weight = PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3);
        if (!(weight >= 0 && isfinite(weight)))
            env_fail(host_env(), ERROR_DATA, "Weights are finite and not negative; a row of weight 0 is not used.",
                     "weight is %g", weight);
    }
    if (!PG_ARGISNULL(1)) {
        scoring_room(fcinfo, &site->slots, &site->slot_room, state->slot_count);
        result = features_score(feature_reader(fcinfo, 1, &site->reader), PG_GETARG_DATUM(1), scorer->model,
                                site->slots);
    }
    if (result == FEATURES_OK && weight > 0)
        mixture_step_add(host_env(), state, site->slots, weight);
    else
        state->skipped++;
    return model_datum(state);
}

PG_FUNCTION_INFO_V1(pgfit_mixture_step_combine);
PGDLLEXPORT Datum pgfit_mixture_step_combine(PG_FUNCTION_ARGS)
{
    Model *state;
    const Model *other;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return model_datum(model_copy(PG_GETARG_MODEL(PG_ARGISNULL(0) ? 1 : 0)));
    state = running_state(fcinfo);
    other = PG_GETARG_MODEL(1);
    mixture_step_require(host_env(), other, NULL);
    mixture_step_merge(host_env(), state, other);
    return model_datum(state);
}

PG_FUNCTION_INFO_V1(pgfit_mixture_step_final);
PGDLLEXPORT Datum pgfit_mixture_step_final(PG_FUNCTION_ARGS)
{
    Model *next;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    mixture_step_require(host_env(), PG_GETARG_MODEL(0), NULL);
    next = mixture_step_finish(host_env(), PG_GETARG_MODEL(0));
    if (next == NULL)
        PG_RETURN_NULL();
    return model_datum(next);
}
