/*
 * aggregate_result.c - final functions: the call site, the result of moments, the NOTICE about features without names; fit(estimator, moments, options).
 */
#include "pg/aggregate/aggregate.h"
#include "pg/values/sql_value.h"

#include "nodes/primnodes.h"
#include "utils/memutils.h"

void notice_unnamed(const Model *state)
{
    uint32_t unnamed = state->field_count - schema_named_fields(state);

    if (unnamed == 0)
        return;
    if (unnamed == state->field_count)
        ereport(NOTICE, (errmsg("the features have no names, so the model matches rows by position"),
                         errhint("Pass a row with names, as in FROM ..., LATERAL (SELECT a, b) AS f, or name the "
                                 "features with option \"features\".")));
    else
        ereport(NOTICE, (errmsg("%u of %u features %s, so the model matches %s by position", unnamed, state->field_count,
                                unnamed == 1 ? "has no name" : "have no names", unnamed == 1 ? "it" : "them"),
                         errhint("Name each column of the row with AS.")));
}

void final_notice_unnamed(FunctionCallInfo fcinfo, FinalSite *site, const FitAggregate *fit_aggregate, const Model *state)
{
    const Aggref *aggref;
    int argument = features_argument(fit_aggregate) - 1;

    if (site->told || state->field_count == 0)
        return;
    site->told = true;
    aggref = AggGetAggref(fcinfo);
    if (aggref && argument < list_length(aggref->aggargtypes) &&
        sql_value_of_type(list_nth_oid(aggref->aggargtypes, argument), false).value_kind == SQL_VALUE_ROW)
        notice_unnamed(state);
}

FinalSite *final_site(FunctionCallInfo fcinfo)
{
    if (fcinfo->flinfo->fn_extra == NULL)
        fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FinalSite));
    return fcinfo->flinfo->fn_extra;
}

FinalSite *moments_final_site(FunctionCallInfo fcinfo)
{
    FinalSite *site = final_site(fcinfo);

    if (unlikely(site->fit_aggregate.name == NULL)) {
        SupportFunction function;

        support_function(fcinfo, "_final", &function);
        site->fit_aggregate = fit_aggregate_of_call(&function, false);
    }
    return site;
}

static const Options *result_options(FunctionCallInfo fcinfo, FinalSite *site, const Model *state)
{
    uint32_t length;
    const char *json = model_options(state, &length);
    MemoryContext caller;

    if (site->options && site->length == length && memcmp(site->json, json, length) == 0)
        return site->options;
    if (site->context == NULL)
        site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit options", ALLOCSET_SMALL_SIZES);
    site->options = NULL;
    MemoryContextReset(site->context);
    caller = MemoryContextSwitchTo(site->context);
    site->json = pnstrdup(json, length);
    site->length = length;
    site->options = options_parse(host_env(), site->fit_aggregate.name, site->fit_aggregate.estimator->options, site->json, length, NULL, NULL, 0);
    MemoryContextSwitchTo(caller);
    return site->options;
}

/* A fit to moments, for guarded_fit. */
typedef struct MomentsWork {
    const Estimator *estimator;
    const FitInput *input;
    const Options *options;
    bool whole; /* see estimator_fit */
    Model *model;
} MomentsWork;

static void run_fit(void *argument)
{
    MomentsWork *work = argument;

    features_require_references(work->input->moments, work->options);
    work->model = estimator_fit(host_env(), work->estimator, work->input, work->options, work->whole);
}

Datum finished_moments(FunctionCallInfo fcinfo, const Model *state, uint32_t *checked)
{
    Model *result;

    if (state->rows == 0)
        PG_RETURN_NULL();
    result = moments_finish(host_env(), state);
    return model_datum(result_checked(checked) ? model_require_readable(host_env(), result) : model_require_finite(host_env(), result));
}

/* Fits an estimator to moments, or fails as the rows did, under guarded_fit; NULL where there is nothing to fit. failure: NULL: none. */
static Datum moments_fit(FunctionCallInfo fcinfo, const Estimator *estimator, const Options *options, const FitInput *moments,
                         StepFailure *failure, uint32_t *checked)
{
    MemoryContext caller = CurrentMemoryContext, fit;
    MomentsWork work = {.estimator = estimator, .input = moments, .options = options, .whole = result_checked(checked)};
    Model *model = NULL;

    fit = fit_context(caller, NULL);
    MemoryContextSwitchTo(fit);
    if (!guarded_fit(fcinfo, estimator, options, moments->moments->rows, failure ? raise_step_failure : run_fit,
                     failure ? (void *)failure : &work))
        work.model = NULL;
    MemoryContextSwitchTo(caller);
    if (work.model)
        model = model_copy(work.model);
    MemoryContextDelete(fit);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}

Datum moments_result(FunctionCallInfo fcinfo, FinalSite *site, const Model *state, bool frame)
{
    const FitAggregate *fit_aggregate = &site->fit_aggregate;
    FitInput moments = {.kind = (InputKind)state->kind, .moments = state, .frame = frame};
    StepFailure failure;
    const Options *options;
    bool failed;

    moments_require(state, fit_aggregate);
    if (state->rows > MODEL_MAX_ROWS || state->skipped > MODEL_MAX_ROWS)
        fail_rows();
    if (fit_aggregate->estimator == NULL)
        return finished_moments(fcinfo, state, &site->checked);
    failed = state_failure(state, &failure);
    if (state->rows == 0 && !failed && (state->skipped == 0 || frame))
        PG_RETURN_NULL();
    options = result_options(fcinfo, site, state);
    if (state->rows == 0 && !failed) {
        guarded_fit_empty(fcinfo, fit_aggregate->estimator, options);
        PG_RETURN_NULL();
    }
    return moments_fit(fcinfo, fit_aggregate->estimator, options, &moments, failed ? &failure : NULL, &site->checked);
}

/* The call site of fit over moments, in fn_extra. */
typedef struct MomentsSite {
    FitAggregate fit_aggregate; /* name NULL: none yet */
    CallOptions call;
    uint32_t checked; /* results, see result_checked */
} MomentsSite;

/* Returns the estimator of this name. Fails unless it fits moments. */
static const Estimator *estimator_of_moments(const char *name)
{
    const Estimator *estimator = fit_estimator(name);

    if (estimator->input == INPUT_ROWS && estimator->other_input == 0)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s needs rows, not moments", estimator->name),
                        errhint("Call the aggregate pgfit.%s over the rows, or pass a table or a query to fit.", estimator->name)));
    return estimator;
}

/* Returns the call site, with the estimator that argument 0 names and the options of argument 2. */
static MomentsSite *moments_site(FunctionCallInfo fcinfo)
{
    MomentsSite *site = fcinfo->flinfo->fn_extra;
    const text *name = PG_GETARG_TEXT_PP(0);
    size_t length = VARSIZE_ANY_EXHDR(name);
    const char *known;

    if (site == NULL) {
        site = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MomentsSite));
        call_options_init(&site->call, fcinfo, 2, 0, true);
    }
    known = site->fit_aggregate.name;
    if (known == NULL || strlen(known) != length || memcmp(known, VARDATA_ANY(name), length) != 0) {
        site->fit_aggregate = fit_aggregate_of(estimator_of_moments(text_to_cstring(name)));
        site->call.parsed = false;
    }
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    return site;
}

/* fit(estimator, moments, options) */
PG_FUNCTION_INFO_V1(pgfit_fit_moments);
PGDLLEXPORT Datum pgfit_fit_moments(PG_FUNCTION_ARGS)
{
    FitInput input = {0};
    MomentsSite *site;
    const Options *options;

    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument estimator of fit is null")));
    if (PG_ARGISNULL(1))
        PG_RETURN_NULL();
    site = moments_site(fcinfo);
    input.moments = PG_GETARG_MODEL(1);
    input.kind = (InputKind)input.moments->kind;
    moments_require(input.moments, &site->fit_aggregate);
    options = call_options_of_moments(&site->call, &site->fit_aggregate, input.moments);
    return moments_fit(fcinfo, site->fit_aggregate.estimator, options, &input, NULL, &site->checked);
}
