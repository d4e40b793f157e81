/*
 * aggregate_rows.c - aggregates over rows that are kept: step and final function of every such estimator and metric.
 *
 * The state is internal: the rows, in the pool of the plan node, and their schema. The final function leaves the state as
 * it was, because it may be called again: by a window, or by a call that shares the state.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/host/rows_spill.h"

#include <math.h>

#include "utils/memutils.h"

void rows_state_adopt(RowsState *state, Model *schema)
{
    MemoryContext caller;
    Model *former = state->schema;

    if (schema == former)
        return;
    caller = MemoryContextSwitchTo(state->context);
    state->schema = model_copy(schema);
    MemoryContextSwitchTo(caller);
    if (state->rows)
        rows_set_schema(state->rows, state->schema);
    if (former)
        pfree(former);
}

RowsState *rows_state_of(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    RowsState *state;

    if (!PG_ARGISNULL(0))
        return (RowsState *)PG_GETARG_POINTER(0);
    AggCheckCallContext(fcinfo, &context);
    state = MemoryContextAllocZero(context, sizeof(RowsState));
    state->context = context;
    return state;
}

static unsigned site_contents(const StepSite *site)
{
    return (site->fit_aggregate.supervised ? ROWS_TARGET : 0) |
           (site->weight_argument >= 0 ? ROWS_WEIGHT : 0) | (site->id || site->call.special.use != SPECIAL_NONE ? ROWS_ID : 0) |
           ((site->call.flags & MODEL_NULL_VALUES) == MODEL_IMPUTE ? ROWS_MISSING : 0);
}

/* Reads the fold of a row from its column as the bytes of the row's id; returns false where it is NULL. */
static bool read_fold_tag(StepSite *site, FunctionCallInfo fcinfo, StepRow *row, char tag[sizeof(double)])
{
    double fold;

    if (!features_fold(site->features, PG_GETARG_DATUM(site->features_argument), &site->call.special, &fold))
        return false;
    memcpy(tag, &fold, sizeof fold);
    row->id = tag;
    row->id_length = sizeof fold;
    return true;
}

bool rows_step_read(StepSite *site, FunctionCallInfo fcinfo, RowsState *state, Model **schema, StepRow *row)
{
    StepFailure failure;

    *schema = state->schema;
    if (*schema != NULL)
        step_check_state(site, *schema);
    if (likely(!site->call.on_failure)) {
        step_read(site, fcinfo, schema, row);
        return true;
    }
    if (state->failure != NULL) {
        features_pass_row(site->features);
        return false;
    }
    if (step_read_guarded(site, fcinfo, schema, row, &failure))
        return true;
    if (state->schema == NULL)
        rows_state_adopt(state, state_blank(site));
    state->failure = MemoryContextStrdup(state->context, failure.message);
    state->failure_hint = failure.hint ? MemoryContextStrdup(state->context, failure.hint) : NULL;
    return false;
}

void rows_step_keep(StepSite *site, FunctionCallInfo fcinfo, RowsState *state, unsigned contents, const StepRow *row)
{
    if (row->nulls)
        for (uint32_t i = 0; i < state->schema->slot_count; i++)
            if (row->nulls[i])
                site->slots[i] = NAN;
    if (!state->rows)
        rows_state_begin(state, fcinfo, contents);
    rows_append(state->rows, row->slots, row->target, row->weight, row->id, row->id_length);
}

static Datum rows_step(FunctionCallInfo fcinfo, StepSite *site)
{
    RowsState *state;
    Model *schema;
    StepRow row;
    char tag[sizeof(double)];

    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    state = rows_state_of(fcinfo);
    if (!rows_step_read(site, fcinfo, state, &schema, &row))
        PG_RETURN_POINTER(state);
    if (row.used && site->call.tags > 0) {
        row.id = (const char *)site->tags;
        row.id_length = site->call.tags * sizeof(double);
    }
    if (row.used && site->call.special.use == SPECIAL_FOLD)
        row.used = read_fold_tag(site, fcinfo, &row, tag);
    rows_state_adopt(state, schema != NULL ? schema : state_blank(site));
    if (row.used)
        rows_step_keep(site, fcinfo, state, site_contents(site), &row);
    else
        state->schema->skipped++;
    PG_RETURN_POINTER(state);
}

/* NAME_rows_step(state, [target | id,] features, [numbers, ...] [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_rows_step);
PGDLLEXPORT Datum pgfit_rows_step(PG_FUNCTION_ARGS)
{
    step_require_aggregate(fcinfo);
    return rows_step(fcinfo, step_site(fcinfo, true));
}

static const Options *state_options(const Estimator *estimator, const RowsState *state);

/* Returns the rows of the state, or its failure; NULL: there are none. */
static const RowsState *state_argument(FunctionCallInfo fcinfo)
{
    const RowsState *state;
    const Estimator *estimator;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        return NULL;
    state = (const RowsState *)PG_GETARG_POINTER(0);
    if (state->rows || state->failure)
        return state;
    estimator = state->schema != NULL ? estimator_of(state->schema) : NULL;
    if (estimator != NULL && AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE)
        guarded_fit_empty(fcinfo, estimator, state_options(estimator, state));
    return NULL;
}

/* Fails: a superuser's aggregate combines support functions that do not belong together. */
static pg_noinline void fail_state(const RowsState *state, const char *wanted) __attribute__((noreturn));
static void fail_state(const RowsState *state, const char *wanted)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
                    errmsg("the final function belongs to %s, but the state to %.31s", wanted, state->schema->estimator),
                    errhint("Combine the support functions as the aggregates of pgfit do.")));
}

/* Parses the options of the first row of a state. */
static const Options *state_options(const Estimator *estimator, const RowsState *state)
{
    uint32_t length;
    const char *json = model_options(state->schema, &length);

    return options_parse(host_env(), estimator->name, estimator->options, json, length, NULL, NULL, 0);
}

/* The result of a state, for guarded_fit. */
typedef struct RowsWork {
    FunctionCallInfo fcinfo;
    Rows *rows;
    const Options *options;
    const RowsMetric *metric;
    MemoryContext caller;
    Datum datum;
} RowsWork;

static void run_result(void *argument)
{
    RowsWork *work = argument;
    double positive = NAN;

    if (work->metric->positive != NULL && !work->metric->positive(host_env(), work->rows, work->options, &positive))
        work->fcinfo->isnull = true;
    else
        work->datum = work->metric->result(work->fcinfo, work->rows, positive, work->options, work->caller);
}

static Datum rows_result(FunctionCallInfo fcinfo, const RowsState *state, const RowsMetric *metric)
{
    RowsWork work = {fcinfo, state->rows, .metric = metric, .caller = CurrentMemoryContext};
    StepFailure failure = {state->failure, state->failure_hint};
    MemoryContext fit = fit_context(work.caller, state->rows);

    MemoryContextSwitchTo(fit);
    work.options = state_options(metric->metric, state);
    if (!guarded_fit(fcinfo, metric->metric, work.options, state->failure ? 0 : state->schema->rows, state->failure ? raise_step_failure : run_result,
                     state->failure ? (void *)&failure : &work)) {
        if (state->rows)
            rows_end_readers(state->rows);
        fcinfo->isnull = true;
        work.datum = (Datum)0;
    }
    MemoryContextSwitchTo(work.caller);
    MemoryContextDelete(fit);
    return work.datum;
}

/* ---- models ---- */

static Datum fit_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    const Estimator *estimator = estimator_of(rows_schema(rows));
    FitAggregate fit_aggregate = fit_aggregate_of(estimator);
    FitInput input = {.kind = INPUT_ROWS, .rows = rows, .frame = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW};
    FinalSite *site = final_site(fcinfo);
    Model *model;

    final_notice_unnamed(fcinfo, site, &fit_aggregate, rows_schema(rows));
    features_require_references(rows_schema(rows), options);
    model = estimator_fit(host_env(), estimator, &input, options, result_checked(&site->checked));
    if (model == NULL)
        PG_RETURN_NULL();
    MemoryContextSwitchTo(caller);
    return model_datum(model_copy(model));
}

/* rows_final(state): the schema of the rows names the estimator */
PG_FUNCTION_INFO_V1(pgfit_rows_final);
PGDLLEXPORT Datum pgfit_rows_final(PG_FUNCTION_ARGS)
{
    const RowsState *state = state_argument(fcinfo);
    const Estimator *estimator;

    if (state == NULL)
        PG_RETURN_NULL();
    estimator = estimator_of(state->schema);
    if (estimator == NULL)
        fail_state(state, "an estimator");
    return rows_result(fcinfo, state, &(RowsMetric){estimator, fit_result});
}

/* ---- metrics ---- */

static const RowsMetric *metric_of_call(const SupportFunction *function, const RowsMetric *metrics)
{
    for (const RowsMetric *metric = metrics; metric->metric != NULL; metric++)
        if (strcmp(metric->metric->name, function->aggregate) == 0)
            return metric;
    fail_support_function(function->fcinfo);
}

Datum rows_metric_step(FunctionCallInfo fcinfo, const RowsMetric *metrics)
{
    step_require_aggregate(fcinfo);
    if (unlikely(fcinfo->flinfo->fn_extra == NULL)) {
        SupportFunction function;
        const RowsMetric *metric;
        StepSite *site;

        support_function(fcinfo, "_step", &function);
        metric = metric_of_call(&function, metrics);
        site = step_site_begin(&function, (FitAggregate){metric->metric->name, INPUT_ROWS, .supervised = true, .estimator = metric->metric}, false);
        site->columns.number = metric->number;
        fcinfo->flinfo->fn_extra = site;
    }
    return rows_step(fcinfo, fcinfo->flinfo->fn_extra);
}

Datum rows_metric_final(FunctionCallInfo fcinfo, const RowsMetric *metrics)
{
    const RowsState *state = state_argument(fcinfo);
    const RowsMetric *metric = fcinfo->flinfo->fn_extra;

    if (state == NULL)
        PG_RETURN_NULL();
    if (unlikely(metric == NULL)) {
        SupportFunction function;

        support_function(fcinfo, "_final", &function);
        metric = metric_of_call(&function, metrics);
        fcinfo->flinfo->fn_extra = (void *)metric;
    }
    if (strcmp(state->schema->estimator, metric->metric->name) != 0)
        fail_state(state, metric->metric->name);
    return rows_result(fcinfo, state, metric);
}
