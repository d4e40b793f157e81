/*
 * aggregate_moments.c - aggregates over moments of constant size: steps over rows, merging, and the final functions. They
 * serve every estimator; the SQL function's name says which.
 *
 * The state is a value of type model that is changed in place, and replaced when it grows: the executor copies a new
 * pointer into the aggregate's context and frees the old one. A group's first state is allocated in the row's context
 * for the same reason.
 */
#include "pg/aggregate/aggregate.h"

#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

/* ---- steps ---- */

/*
 * Returns the running state, to be changed in place: argument 0 of a transition is the executor's own copy. Checks at
 * every row that it is moments of this call's kind, since users can create aggregates of their own over this function.
 */
static Model *step_state(FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate)
{
    struct varlena *value;
    Model *state;

    if (PG_ARGISNULL(0))
        return NULL;
    value = (struct varlena *)PG_GETARG_POINTER(0);
    if (unlikely(!VARATT_IS_4B_U(value) || (uintptr_t)value % 8 != 0))
        value = PG_DETOAST_DATUM_COPY(PointerGetDatum(value));
    state = (Model *)value;
    if (unlikely(VARSIZE(value) < sizeof(Model) || !moments_plausible(state, VARSIZE(value))))
        state = model_copy(model_from_datum(PointerGetDatum(value)));
    if (fit_aggregate && unlikely(state->kind != (uint8_t)fit_aggregate->kind))
        moments_require(state, fit_aggregate);
    return state;
}

/* Adds a row to a group in a hash table; group NULL: a new one, after the rows that `blank` skipped (NULL: none). */
static Datum step_group(StepSite *site, TableGroup *group, const Model *blank, const StepRow *row)
{
    if (group == NULL)
        group = group_new(site->groups, blank ? blank->skipped : 0);
    if (likely(row->used))
        group_add(site->groups, group, row->slots, row->target, row->weight);
    else
        group_skip(site->groups, group);
    return group_datum(group);
}

/* At a hash table's first group: decides whether the next groups share the shape of its state. */
static void groups_begin(StepSite *site, FunctionCallInfo fcinfo, const Model *state)
{
    MemoryContext context;

    if (site->groups || site->groups_refused || !group_states_context(fcinfo, &context))
        return;
    site->groups = group_states_begin(context, state, &site->groups);
    site->groups_refused = site->groups == NULL;
}

#define LARGE_STATE ((Size)1 << 20) /* smaller ones are left to the hash table, which work_mem bounds */

/* Counts the bytes of a state without its pending rows, of which every state has few. */
static Size lasting_size(const Model *state)
{
    const ModelEntry *pending = model_find(state, "pending");

    return state->size - (pending ? pending->reserved : 0);
}

/*
 * Fails if the groups of a hash table together need more than pgfit.fit_mem and what the table itself may take: each
 * group alone may grow up to pgfit.fit_mem by its classes and levels. state: what `before` became.
 */
static pg_noinline void require_groups_memory(FunctionCallInfo fcinfo, const Model *before, const Model *state)
{
    double megabyte = 1024 * 1024, table = work_mem * 1024.0 * hash_mem_multiplier;
    MemoryContext context;
    double needed;

    if (lasting_size(state) <= lasting_size(before) || !group_states_context(fcinfo, &context))
        return;
    needed = (double)MemoryContextMemAllocated(context, true) - before->size + state->size;
    if (needed > (double)pgfit_fit_mem_bytes() + table)
        env_fail(host_env(), ERROR_LIMIT,
                 "Set pgfit.fit_mem higher, or turn enable_hashagg off, so that groups are computed one after the other.",
                 "the moments of all groups need %.1f MB; pgfit.fit_mem allows %.1f MB on top of the %.1f MB of a hash table",
                 needed / megabyte, pgfit_fit_mem_bytes() / megabyte, table / megabyte);
}

/* Returns the next state; before: the previous one, NULL: none. */
static Datum step_result(FunctionCallInfo fcinfo, const Model *before, Model *state)
{
    if (unlikely(state != before && before && state->size > LARGE_STATE))
        require_groups_memory(fcinfo, before, state);
    return model_datum(state);
}

/* Reads a row whose failure gives up its group. Returns false if it does, or did before, and the next state. */
static bool step_read_group(StepSite *site, FunctionCallInfo fcinfo, TableGroup *group, Model **state, StepRow *row, Datum *result)
{
    Model *before = *state;
    StepFailure failure;

    if (group != NULL && group_failed(site->groups, group)) {
        features_pass_row(site->features);
        *result = group_datum(group);
        return false;
    }
    if (group == NULL && before != NULL && state_failure(before, &failure)) {
        features_pass_row(site->features);
        *result = model_datum(before);
        return false;
    }
    if (step_read_guarded(site, fcinfo, state, row, &failure))
        return true;
    if (group != NULL) {
        group_fail(site->groups, group, failed_state(site, &failure));
        *result = group_datum(group);
    } else {
        *result = model_datum(failed_state(site, &failure));
    }
    return false;
}

/* NAME_step(state, [target,] features, [numbers, ...] [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_moments_step);
PGDLLEXPORT Datum pgfit_moments_step(PG_FUNCTION_ARGS)
{
    StepSite *site;
    Model *state, *before;
    TableGroup *group;
    StepRow row;
    Datum result;

    if (unlikely(frame_moves(fcinfo)))
        return frame_step(fcinfo);
    site = fcinfo->flinfo->fn_extra;
    if (unlikely(site == NULL))
        site = step_site(fcinfo, false);
    group = site->groups ? group_of(site->groups, PG_GETARG_DATUM(0)) : NULL;
    if (site->call.options_argument >= 0 || site->call.number_count > 0 || !site->call.parsed)
        call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    state = group ? group_states_shape(site->groups)->state : step_state(fcinfo, &site->fit_aggregate);
    if (state) {
        if (unlikely(state->options_hash != site->call.hash ||
                     (state->flags & CALL_FLAGS) != site_flags(site)))
            step_check_state(site, state);
        if (unlikely(state->fingerprint != 0))
            state->fingerprint = 0;
    }
    before = state;
    if (likely(!site->call.on_failure))
        step_read(site, fcinfo, &state, &row);
    else if (!step_read_group(site, fcinfo, group, &state, &row, &result))
        return result;
    if (site->groups && state == group_states_shape(site->groups)->state)
        return step_group(site, group, before, &row);
    if (likely(row.used)) {
        if (unlikely(before == NULL))
            groups_begin(site, fcinfo, state);
        state = moments_add_tagged(host_env(), state, row.slots, row.nulls, row.target, row.weight, row.ends, row.end_count);
    } else {
        if (state == NULL)
            state = state_blank(site);
        state->skipped++;
    }
    return step_result(fcinfo, before, state);
}

/*
 * merge(model, model): public, transition and combine function of the aggregate merge, and combine function of every aggregate
 * here. NULL stands for the moments of no rows.
 */
PG_FUNCTION_INFO_V1(pgfit_merge);
PGDLLEXPORT Datum pgfit_merge(PG_FUNCTION_ARGS)
{
    bool running = AggCheckCallContext(fcinfo, NULL) != 0;
    Model *a, *before;
    const Model *b;

    if (running && unlikely(frame_moves(fcinfo)))
        return frame_merge(fcinfo);
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
        b = PG_GETARG_MODEL(PG_ARGISNULL(0) ? 1 : 0);
        if (!merges_fitted(b))
            merge_require(b);
        PG_RETURN_POINTER(b);
    }
    a = (Model *)PG_GETARG_MODEL(0);
    b = PG_GETARG_MODEL(1);
    if (merges_fitted(a) + merges_fitted(b) > 0)
        return model_datum(merge_fitted(a, b));
    merge_require(a);
    merge_require(b);
    moments_same_options(a, b);
    before = a = running ? step_state(fcinfo, NULL) : a;
    a = state_merge(a, b, !running);
    return running ? step_result(fcinfo, before, a) : model_datum(model_require_finite(host_env(), moments_finish(host_env(), a)));
}

/* ---- results ---- */

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_moments_final);
PGDLLEXPORT Datum pgfit_moments_final(PG_FUNCTION_ARGS)
{
    FinalSite *site = moments_final_site(fcinfo);
    const Model *state;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (!frame_summary(PG_GETARG_DATUM(0), &state))
        state = PG_GETARG_MODEL(0);
    else if (state == NULL || state_is_blank(state))
        PG_RETURN_NULL();
    final_notice_unnamed(fcinfo, site, &site->fit_aggregate, state);
    return moments_result(fcinfo, site, state, AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW);
}

/* merge_final(state) */
PG_FUNCTION_INFO_V1(pgfit_merge_final);
PGDLLEXPORT Datum pgfit_merge_final(PG_FUNCTION_ARGS)
{
    const Model *state;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (!frame_summary(PG_GETARG_DATUM(0), &state))
        state = PG_GETARG_MODEL(0);
    if (state == NULL)
        PG_RETURN_NULL();
    return state->kind == MODEL_FITTED ? model_datum(model_copy(state)) : finished_moments(fcinfo, state, &final_site(fcinfo)->checked);
}
