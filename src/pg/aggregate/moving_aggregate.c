/*
 * window.c - the same aggregates over moving frames: the executor pushes the rows that enter a frame
 * and tells of those that leave, which are always the oldest.
 */
#include "pg/aggregate/aggregate.h"

#include "core/moments/moments_window.h"

#include "utils/memutils.h"

/* One a moving aggregate; in its context, which the executor resets where a frame starts anew. */
typedef struct WindowState {
    WindowQueue *queue;
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
    state->queue = window_queue_new(&state->keep, host_env());
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
    Model *known = window_queue_start(state->queue);
    Model *start = known;
    uint32_t levels = known ? levels_of(known) : 0;
    StepRow row;

    call_options_read(&site->call, fcinfo, &site->gathering);
    if (known)
        state_check_options(known, &site->call);
    step_read(site, fcinfo, &start, &row);
    if (start && (start != known || levels_of(start) != levels))
        window_queue_set_start(state->queue, start);
    if (row.used)
        window_queue_push_row(state->queue, row.slots, row.nulls, row.target, row.weight,
                              row.fold);
    else
        window_queue_push_skipped(state->queue);
    PG_RETURN_POINTER(state);
}

Datum window_step_evidence(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    WindowState *state = window_state(fcinfo);
    EvidenceSite *site = evidence_site(fcinfo, name, with_numbers);
    Model *start = window_queue_start(state->queue);
    const Model *evidence;

    call_options_read(&site->call, fcinfo, &site->gathering);
    evidence = PG_ARGISNULL(1) ? NULL : PG_GETARG_MODEL(1);
    if (evidence)
        evidence_require(evidence, &site->gathering);
    if (evidence == NULL || state_is_blank(evidence)) {
        window_queue_push_evidence(state->queue, NULL);
        PG_RETURN_POINTER(state);
    }
    if (start == NULL)
        window_queue_set_start(state->queue, evidence_start(site, evidence));
    else
        evidence_check(site, start, evidence);
    window_queue_push_evidence(state->queue, evidence);
    PG_RETURN_POINTER(state);
}

/* window_drop(state, the row's arguments): the oldest row leaves the frame */
PG_FUNCTION_INFO_V1(pgfit_window_drop);
Datum pgfit_window_drop(PG_FUNCTION_ARGS)
{
    WindowState *state = window_state(fcinfo);

    window_queue_pop(state->queue);
    PG_RETURN_POINTER(state);
}

Datum window_result(FunctionCallInfo fcinfo, const char *name)
{
    Gathering gathering;
    Model *summary;
    Model *model;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    gathering = gathering_find(name);
    summary = window_queue_summary(window_state(fcinfo)->queue);
    if (summary == NULL || state_is_blank(summary))
        PG_RETURN_NULL();
    model = gathering_result(&gathering, summary, true, &final_site(fcinfo)->result, fcinfo->flinfo->fn_mcxt);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}
