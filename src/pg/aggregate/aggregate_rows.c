/*
 * aggregate_rows.c - aggregates over rows that are kept: step and result of every such estimator.
 *
 * The state is internal: the rows, in the pool of the plan node, and their schema. The result leaves
 * the state as it was, so it may be asked for again: by a window, or by a call that shares the state.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/backend/rows_spill.h"

#include <math.h>

#include "utils/memutils.h"

/* Keeps a schema that a row made or grew in the row's memory. */
static void state_adopt(RowsState *state, Model *schema)
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

static RowsState *state_of(FunctionCallInfo fcinfo)
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
           (site->weight_argument >= 0 ? ROWS_WEIGHT : 0) | (site->id || site->call.special.use == SPECIAL_ID ? ROWS_ID : 0) |
           (site->call.flags & MODEL_IMPUTE ? ROWS_MISSING : 0);
}

static Datum rows_step(FunctionCallInfo fcinfo, StepSite *site)
{
    RowsState *state;
    Model *schema;
    StepRow row;

    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    state = state_of(fcinfo);
    schema = state->schema;
    if (schema)
        step_check_state(site, schema);
    step_read(site, fcinfo, &schema, &row);
    if (!row.used) {
        if (schema == NULL)
            schema = state_blank(site);
        state_adopt(state, schema);
        state->schema->skipped++;
        PG_RETURN_POINTER(state);
    }
    state_adopt(state, schema);
    if (row.nulls)
        for (uint32_t i = 0; i < schema->slot_count; i++)
            if (row.nulls[i])
                site->slots[i] = NAN;
    if (!state->rows)
        rows_state_begin(state, fcinfo, site_contents(site));
    rows_append(state->rows, row.slots, row.target, row.weight, row.id, row.id_length);
    PG_RETURN_POINTER(state);
}

/* step(state, [target | id,] features, [numbers, ...] [, options [, weight]]) */
static Datum step_rows(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    step_require_aggregate(fcinfo);
    return rows_step(fcinfo, step_site(fcinfo, name, with_numbers));
}

Datum rows_unlisted_step(FunctionCallInfo fcinfo, const Estimator *estimator)
{
    StepSite *site = fcinfo->flinfo->fn_extra;

    step_require_aggregate(fcinfo);
    if (unlikely(site == NULL))
        fcinfo->flinfo->fn_extra = site = step_site_begin(
            fcinfo, (FitAggregate){estimator->name, INPUT_ROWS, .supervised = true, .estimator = estimator}, false);
    return rows_step(fcinfo, site);
}

/* The options that the rows of a state came with. */
static const Options *state_options(const Estimator *estimator, const RowsState *state)
{
    uint32_t length;
    const char *json = model_options(state->schema, &length);

    return options_parse(host_env(), estimator->name, estimator->options, json, length, NULL, NULL, 0);
}

Datum rows_result(FunctionCallInfo fcinfo, const Estimator *estimator, RowsResult result)
{
    MemoryContext caller = CurrentMemoryContext, fit;
    RowsState *state;
    Datum datum;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = (RowsState *)PG_GETARG_POINTER(0);
    if (!state->rows)
        PG_RETURN_NULL();
    fit = AllocSetContextCreate(caller, "pgfit fit", ALLOCSET_DEFAULT_SIZES);
    MemoryContextSwitchTo(fit);
    datum = result(fcinfo, state->rows, state_options(estimator, state), caller);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(fit);
    return datum;
}

/* The model that the estimator named in the rows' schema fits. */
static Datum fit_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    const Estimator *estimator = estimator_of(rows_schema(rows));
    FitAggregate fit_aggregate = fit_aggregate_find(estimator->name);
    FitInput moments = {.kind = INPUT_ROWS, .rows = rows};
    FinalSite *site = final_site(fcinfo);
    Model *model;

    final_notice_unnamed(fcinfo, site, &fit_aggregate, rows_schema(rows));
    model = estimator_fit(host_env(), estimator, &moments, options, result_checked(&site->checked));
    if (model == NULL)
        PG_RETURN_NULL();
    MemoryContextSwitchTo(caller);
    return model_datum(model_copy(model));
}

/* final(state) */
static Datum result_of(FunctionCallInfo fcinfo, const char *name)
{
    return rows_result(fcinfo, fit_aggregate_find(name).estimator, fit_result);
}

/* ---- entry points, steps and result of each estimator ---- */

#define ROWS_ENTRY(symbol, body)                                                                   \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    Datum symbol(PG_FUNCTION_ARGS)                                                                 \
    {                                                                                              \
        return body;                                                                               \
    }
#define ESTIMATOR_ROWS(name)                                                                       \
    ROWS_ENTRY(pgfit_##name##_rows_step, step_rows(fcinfo, #name, false))                          \
    ROWS_ENTRY(pgfit_##name##_rows_number_step, step_rows(fcinfo, #name, true))                    \
    ROWS_ENTRY(pgfit_##name##_rows_final, result_of(fcinfo, #name))

#define ESTIMATOR_MOMENTS(name)
#define ESTIMATOR_CLASS_MOMENTS(name)
#define ESTIMATOR_FEATURE_MOMENTS(name)
#define ESTIMATOR(name, moments) ESTIMATOR_##moments(name)
#include "core/estimators.def"
