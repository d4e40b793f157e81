/*
 * moving_aggregate.c - aggregates over moments in moving window frames: the executor calls a step for each row that enters
 * the frame, and window_drop for each that leaves it, which is always the oldest.
 */
#include "pg/aggregate/aggregate.h"

#include "core/moments/moments_window.h"

#include "utils/memutils.h"

/* One per moving aggregate, in its context, which the executor resets when a frame starts anew. */
typedef struct WindowState {
    MomentsWindow *queue;
    FitAggregate fit_aggregate; /* whose final function all share */
    Env keep;                   /* allocates in the aggregate's context */
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
        step_require_aggregate(fcinfo);
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

/* Fails if the rows of a frame would have to be kept. */
static void refuse_deferred(const Model *start)
{
    if (start != NULL && moments_deferred(start))
        env_fail(host_env(), ERROR_PARAMETER,
                 "Use a formula of columns and functions such as log, which learn nothing; or a window whose frame does not move.",
                 "a moving window keeps no rows, from which the formula learns terms such as poly() or products with a category");
}

static uint32_t levels_of(const Model *model)
{
    return dictionary_size(model, DICTIONARY_LEVELS) + dictionary_size(model, DICTIONARY_CLASSES);
}

/* NAME_window_step(state, [target,] features, [numbers, ...] [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_window_step);
PGDLLEXPORT Datum pgfit_window_step(PG_FUNCTION_ARGS)
{
    WindowState *state = window_state(fcinfo);
    StepSite *site = step_site(fcinfo, "_window_step", false);
    Model *known = moments_window_start(state->queue);
    Model *start = known;
    uint32_t levels = known ? levels_of(known) : 0;
    StepRow row;

    state->fit_aggregate = site->fit_aggregate;
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    if (known)
        state_check_options(known, &site->call);
    step_read(site, fcinfo, &start, &row);
    if (known == NULL)
        refuse_deferred(start);
    if (start && (start != known || levels_of(start) != levels))
        moments_window_set_start(state->queue, start);
    if (row.used)
        moments_window_push_row(state->queue, row.slots, row.nulls, row.target, row.weight,
                              row.fold);
    else
        moments_window_push_skipped(state->queue);
    PG_RETURN_POINTER(state);
}

/* NAME_window_step(state, moments, [numbers, ...] [, options]) */
PG_FUNCTION_INFO_V1(pgfit_stored_window_step);
PGDLLEXPORT Datum pgfit_stored_window_step(PG_FUNCTION_ARGS)
{
    WindowState *state = window_state(fcinfo);
    MomentsSite *site = moments_site(fcinfo, "_window_step");
    Model *start = moments_window_start(state->queue);
    const Model *moments;

    state->fit_aggregate = site->fit_aggregate;
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
PGDLLEXPORT Datum pgfit_window_drop(PG_FUNCTION_ARGS)
{
    WindowState *state = window_state(fcinfo);

    moments_window_pop(state->queue);
    PG_RETURN_POINTER(state);
}

/* window_final(state) */
PG_FUNCTION_INFO_V1(pgfit_window_final);
PGDLLEXPORT Datum pgfit_window_final(PG_FUNCTION_ARGS)
{
    FinalSite *site;
    WindowState *state;
    const Model *summary;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    site = final_site(fcinfo);
    state = window_state(fcinfo);
    site->fit_aggregate = state->fit_aggregate;
    summary = moments_window_summary(state->queue);
    if (summary == NULL || state_is_blank(summary))
        PG_RETURN_NULL();
    return moments_result(fcinfo, site, summary, true);
}
