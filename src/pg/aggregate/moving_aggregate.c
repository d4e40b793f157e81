/*
 * moving_aggregate.c - the same aggregates over moving frames: the executor pushes the rows that enter a frame
 * and tells of those that leave, which are always the oldest.
 */
#include "pg/aggregate/aggregate.h"

#include "core/moments/moments_window.h"

#include "utils/memutils.h"

/* One a moving aggregate; in its context, which the executor resets where a frame starts anew. */
typedef struct WindowState {
    MomentsWindow *queue;
    Env keep; /* allocates in the aggregate's context */
} WindowState;

static void *keep_alloc(Env *env, size_t size)
{
    return MemoryContextAllocExtended(env->host, size, MCXT_ALLOC_HUGE);
}

static void *keep_resize(Env *env, void *block, size_t size)
{
    return block ? repalloc_huge(block, size) : keep_alloc(env, size);
}

static WindowState *window_state(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    WindowState *state;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a step function works only inside its aggregate")));
    if (!PG_ARGISNULL(0))
        return (WindowState *)PG_GETARG_POINTER(0);
    state = MemoryContextAllocZero(context, sizeof(WindowState));
    state->keep = *host_env();
    state->keep.host = context;
    state->keep.alloc = keep_alloc;
    state->keep.resize = keep_resize;
    state->queue = moments_window_new(&state->keep, host_env());
    return state;
}

static uint32_t levels_of(const Model *model)
{
    return dictionary_size(model, DICTIONARY_LEVELS) + dictionary_size(model, DICTIONARY_CLASSES);
}

Datum window_step_rows(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    WindowState *state = window_state(fcinfo);
    StepSite *site = step_site(fcinfo, name, with_numbers);
    Model *known = moments_window_start(state->queue);
    Model *start = known;
    uint32_t levels = known ? levels_of(known) : 0;
    StepRow row;

    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    if (known)
        state_check_options(known, &site->call);
    step_read(site, fcinfo, &start, &row);
    if (start && (start != known || levels_of(start) != levels))
        moments_window_set_start(state->queue, start);
    if (row.used)
        moments_window_push_row(state->queue, row.slots, row.nulls, row.target, row.weight,
                              row.fold);
    else
        moments_window_push_skipped(state->queue);
    PG_RETURN_POINTER(state);
}

Datum window_step_moments(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    WindowState *state = window_state(fcinfo);
    MomentsSite *site = moments_site(fcinfo, name, with_numbers);
    Model *start = moments_window_start(state->queue);
    const Model *moments;

    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    moments = PG_ARGISNULL(1) ? NULL : PG_GETARG_MODEL(1);
    if (moments)
        moments_require(moments, &site->fit_aggregate);
    if (moments == NULL || state_is_blank(moments)) {
        moments_window_push_moments(state->queue, NULL);
        PG_RETURN_POINTER(state);
    }
    if (start == NULL)
        moments_window_set_start(state->queue, moments_start(site, moments));
    else
        moments_site_check(site, start, moments);
    moments_window_push_moments(state->queue, moments);
    PG_RETURN_POINTER(state);
}

/* window_drop(state, the row's arguments): the oldest row leaves the frame */
PG_FUNCTION_INFO_V1(pgfit_window_drop);
Datum pgfit_window_drop(PG_FUNCTION_ARGS)
{
    WindowState *state = window_state(fcinfo);

    moments_window_pop(state->queue);
    PG_RETURN_POINTER(state);
}

Datum window_result(FunctionCallInfo fcinfo, const char *name)
{
    FitAggregate fit_aggregate;
    Model *summary;
    Model *model;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    fit_aggregate = fit_aggregate_find(name);
    summary = moments_window_summary(window_state(fcinfo)->queue);
    if (summary == NULL || state_is_blank(summary))
        PG_RETURN_NULL();
    model = fit_aggregate_result(&fit_aggregate, summary, true, &final_site(fcinfo)->result, fcinfo->flinfo->fn_mcxt);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}
