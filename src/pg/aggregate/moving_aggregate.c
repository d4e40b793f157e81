/*
 * moving_aggregate.c - aggregates over moments in moving window frames: the executor calls a step for each row that enters
 * the frame, and window_drop for each that leaves it, which is always the oldest.
 *
 * The state of a frame is an expanded object (utils/expandeddatum.h) of type model around a queue. Where it leaves the
 * aggregate, it becomes the moments of the rows in the frame. So steps and final functions are those of every aggregate.
 */
#include "pg/aggregate/aggregate.h"
#include "core/inference/vcov_options.h"

#include "core/moments/moments_window.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

/* One per moving aggregate, in its context, which the executor resets when a frame starts anew. */
typedef struct Frame {
    ExpandedObjectHeader header;
    MomentsWindow *queue;
    Env keep;          /* allocates in the context of the object */
    Model *fitted;     /* of merge: all fitted models in one, of which none can leave; NULL: none */
    const Model *flat; /* between asking for the size and flattening */
} Frame;

/* ---- the object ---- */

static Size frame_size(ExpandedObjectHeader *header)
{
    Frame *frame = (Frame *)header;

    frame->flat = frame->fitted ? frame->fitted : moments_window_summary(frame->queue);
    if (frame->flat == NULL)
        env_fail(host_env(), ERROR_DATA, NULL, "no row of the window frame has moments");
    return frame->flat->size;
}

static void frame_flatten(ExpandedObjectHeader *header, void *place, Size size)
{
    memcpy(place, ((Frame *)header)->flat, size);
    SET_VARSIZE(place, size);
}

static const ExpandedObjectMethods frame_methods = {frame_size, frame_flatten};

static Frame *frame_of(Datum value)
{
    if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)) || DatumGetEOHP(value)->eoh_methods != &frame_methods)
        return NULL;
    return (Frame *)DatumGetEOHP(value);
}

static void *keep_alloc(Env *env, size_t size)
{
    return MemoryContextAllocExtended(env->host, size, MCXT_ALLOC_HUGE);
}

static void *keep_resize(Env *env, void *block, size_t size)
{
    return block ? repalloc_huge(block, size) : keep_alloc(env, size);
}

/* Returns the running frame in argument 0, or a new one if that is NULL. Fails for any other state: users can pass anything. */
static Frame *running_frame(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    Frame *frame;

    step_require_aggregate(fcinfo);
    if (!PG_ARGISNULL(0)) {
        frame = frame_of(PG_GETARG_DATUM(0));
        if (frame == NULL)
            env_fail(host_env(), ERROR_KIND, "Give the aggregate no INITCOND.", "this state is not that of a moving window frame");
        return frame;
    }
    AggCheckCallContext(fcinfo, &context);
    context = AllocSetContextCreate(context, "pgfit window frame", ALLOCSET_SMALL_SIZES);
    frame = MemoryContextAllocZero(context, sizeof(Frame));
    EOH_init_header(&frame->header, &frame_methods, context);
    frame->keep = *host_env();
    frame->keep.host = context;
    frame->keep.alloc = keep_alloc;
    frame->keep.resize = keep_resize;
    frame->queue = moments_window_new(&frame->keep, host_env());
    return frame;
}

static Datum frame_datum(Frame *frame)
{
    return EOHPGetRWDatum(&frame->header);
}

bool frame_moves(FunctionCallInfo fcinfo)
{
    if (likely(fcinfo->context && IsA(fcinfo->context, AggState)))
        return false;
    step_require_aggregate(fcinfo);
    return (((WindowAggState *)fcinfo->context)->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) == 0;
}

/* Fails if the rows of a frame would have to be kept. */
static void refuse_deferred(const Model *start, const Options *options)
{
    if (options_robust(options))
        env_fail(host_env(), ERROR_PARAMETER, "Use a window whose frame does not move, or one group per frame.",
                 "a moving window keeps no rows, from which \"vcov\": \"%s\" is computed", options_string(options, "vcov"));
    if (special_column(options).absorbed > 0)
        env_fail(host_env(), ERROR_PARAMETER, "Use a window whose frame does not move, or one group per frame.",
                 "a moving window keeps no rows, from which the effects of \"absorb\" are taken out");
    if (start != NULL && moments_deferred(start))
        env_fail(host_env(), ERROR_PARAMETER,
                 "Use a formula of columns and functions such as log, which learn nothing; or a window whose frame does not move.",
                 "a moving window keeps no rows, from which the formula learns terms such as poly() or products with a category");
}

static uint32_t levels_of(const Model *model)
{
    return dictionary_size(model, DICTIONARY_LEVELS) + dictionary_size(model, DICTIONARY_CLASSES);
}

Datum frame_step(FunctionCallInfo fcinfo)
{
    Frame *frame = running_frame(fcinfo);
    StepSite *site = step_site(fcinfo, false);
    Model *known = moments_window_start(frame->queue);
    Model *start = known;
    uint32_t levels = known ? levels_of(known) : 0;
    StepRow row;

    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    if (known)
        state_check_options(known, &site->call);
    step_read(site, fcinfo, &start, &row);
    if (known == NULL)
        refuse_deferred(start, site->call.options);
    if (start && (start != known || levels_of(start) != levels))
        moments_window_set_start(frame->queue, start);
    if (row.used)
        moments_window_push_row(frame->queue, row.slots, row.nulls, row.target, row.weight, row.ends);
    else
        moments_window_push_skipped(frame->queue);
    return frame_datum(frame);
}

Datum frame_merge(FunctionCallInfo fcinfo)
{
    Frame *frame = running_frame(fcinfo);
    Model *start = moments_window_start(frame->queue), *former;
    const Model *model = PG_ARGISNULL(1) ? NULL : PG_GETARG_MODEL(1);

    if (model != NULL && (merges_fitted(model) || frame->fitted != NULL)) { /* models take the place of the queue */
        former = frame->fitted ? frame->fitted : start;
        if (former)
            model = merge_fitted(former, model);
        frame->fitted = keep_resize(&frame->keep, frame->fitted, model->size);
        env_copy(host_env(), frame->fitted, model, model->size);
        return frame_datum(frame);
    }
    if (model != NULL)
        merge_require(model);
    if (model == NULL || state_is_blank(model)) {
        moments_window_push_moments(frame->queue, NULL);
        return frame_datum(frame);
    }
    if (start == NULL)
        moments_window_set_start(frame->queue, state_of_moments(model));
    else
        moments_same_options(start, model);
    moments_window_push_moments(frame->queue, model);
    return frame_datum(frame);
}

/* window_drop(state, the row's arguments), in any number: the oldest row leaves the frame. NULL: the frame must start anew. */
PG_FUNCTION_INFO_V1(pgfit_window_drop);
PGDLLEXPORT Datum pgfit_window_drop(PG_FUNCTION_ARGS)
{
    Frame *frame = running_frame(fcinfo);

    if (frame->fitted != NULL)
        PG_RETURN_NULL();
    if (moments_window_count(frame->queue) == 0)
        env_fail(host_env(), ERROR_KIND, NULL, "there is no row in the window frame that could leave it");
    moments_window_pop(frame->queue);
    return frame_datum(frame);
}

bool frame_summary(Datum state, const Model **summary)
{
    Frame *frame = frame_of(state);

    if (frame != NULL)
        *summary = frame->fitted ? frame->fitted : moments_window_summary(frame->queue);
    return frame != NULL;
}
