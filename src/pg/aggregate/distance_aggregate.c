/*
 * distance_aggregate.c - distance_matrix: the aggregate over pairs of ids and their distances.
 *
 * The state keeps the ids, each once, and the pairs as rows of two numbers of ids and a distance, in the pool of the plan node, so
 * that they may spill. A pair is looked at again only by the final function.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/progress/progress.h"
#include "pg/host/rows_spill.h"
#include "core/base/hash_table.h"
#include "core/distance/distance_matrix.h"

#include "utils/memutils.h"

extern const Estimator estimator_distance_matrix;

#define FIRST_OPTION 4 /* argument; 0 is the state */

typedef struct PairsState {
    RowsState kept; /* the pairs */
    HashTable table;
    const char **ids;
    uint32_t *lengths;
    uint32_t room;
    uint64_t id_bytes;
    char type[64 + 1];
} PairsState;

/* The call site of a step. */
typedef struct PairsSite {
    CallOptions call;
    ValueReader *a, *b;
    char type[64 + 1];
    uint64 rows_read;
} PairsSite;

static const FitAggregate matrix_aggregate = {"distance_matrix", INPUT_ROWS, .estimator = &estimator_distance_matrix};

static PairsSite *pairs_site(FunctionCallInfo fcinfo)
{
    PairsSite *site = fcinfo->flinfo->fn_extra;
    SupportFunction function;
    MemoryContext caller;

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, "_step", &function);
    if (strcmp(function.aggregate, "distance_matrix") != 0 || PG_NARGS() < FIRST_OPTION)
        fail_support_function(fcinfo);
    caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    site = palloc0(sizeof *site);
    call_options_init(&site->call, fcinfo, FIRST_OPTION, 0, false);
    site->call.own_alone = true;
    value_reader(fcinfo, 1, &site->a);
    value_reader(fcinfo, 2, &site->b);
    strlcpy(site->type, value_type_name(site->a), sizeof site->type);
    if (strcmp(site->type, value_type_name(site->b)) != 0)
        env_fail(host_env(), ERROR_PARAMETER, "Cast one of them to the type of the other.",
                 "the ids of a pair have the types %s and %s", site->type, value_type_name(site->b));
    MemoryContextSwitchTo(caller);
    fcinfo->flinfo->fn_extra = site;
    return site;
}

/* Returns a new state in the aggregate's memory. */
static PairsState *state_begin(FunctionCallInfo fcinfo, const PairsSite *site)
{
    static const char *const names[] = {"a", "b", "distance"};
    SchemaSpec spec = {.field_count = 3, .names = names};
    MemoryContext context, caller;
    PairsState *state;

    AggCheckCallContext(fcinfo, &context);
    caller = MemoryContextSwitchTo(context);
    state = palloc0(sizeof *state);
    state->kept.context = context;
    state->table = hash_table(host_env(), 8);
    strlcpy(state->type, site->type, sizeof state->type);
    MemoryContextSwitchTo(caller);
    rows_state_adopt(&state->kept, state_new(&matrix_aggregate, &site->call, &spec, 0));
    return state;
}

/* Returns the number of an id, a new one where it is new. */
static uint32_t find_id(PairsState *state, const char *text, uint32_t length)
{
    uint32_t hash = hash_bytes(text, length), place = hash_start(&state->table, hash), found;
    MemoryContext caller;
    char *copy;

    while ((found = hash_next(&state->table, hash, &place)) != HASH_NONE)
        if (state->lengths[found] == length && memcmp(state->ids[found], text, length) == 0)
            return found;
    caller = MemoryContextSwitchTo(state->kept.context);
    if (state->table.count == state->room) {
        state->room = state->room > 0 ? 2 * state->room : 64;
        state->ids = host_env()->resize(host_env(), state->ids, state->room * sizeof(char *));
        state->lengths = host_env()->resize(host_env(), state->lengths, state->room * sizeof(uint32_t));
    }
    state->id_bytes += length + 48;
    env_require_memory(host_env(), state->id_bytes, "distance_matrix");
    copy = palloc(length + 1);
    memcpy(copy, text, length);
    found = hash_add(host_env(), &state->table, hash);
    state->ids[found] = copy;
    state->lengths[found] = length;
    MemoryContextSwitchTo(caller);
    return found;
}

/* distance_matrix_step(state, a, b, distance [, options]) */
PG_FUNCTION_INFO_V1(pgfit_distance_matrix_step);
PGDLLEXPORT Datum pgfit_distance_matrix_step(PG_FUNCTION_ARGS)
{
    PairsState *state;
    PairsSite *site;
    double pair[3];
    uint32_t length, other_length;
    const char *text, *other;

    step_require_aggregate(fcinfo);
    site = pairs_site(fcinfo);
    if (unlikely(site->rows_read++ % PROGRESS_ROWS == 0))
        progress_rows(fcinfo->flinfo->fn_mcxt, matrix_aggregate.name, site->rows_read);
    call_options_read(&site->call, fcinfo, &matrix_aggregate);
    state = PG_ARGISNULL(0) ? state_begin(fcinfo, site) : (PairsState *)PG_GETARG_POINTER(0);
    state_check_options(state->kept.schema, &site->call);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3)) {
        state->kept.schema->skipped++;
        PG_RETURN_POINTER(state);
    }
    pair[2] = PG_GETARG_FLOAT8(3);
    text = value_text(site->a, PG_GETARG_DATUM(1), &length);
    pair[0] = find_id(state, text, length);
    other = value_text(site->b, PG_GETARG_DATUM(2), &other_length);
    pair[1] = find_id(state, other, other_length);
    if (unlikely(!(pair[2] >= 0) || isinf(pair[2])))
        distance_require(host_env(), site->call.options, pair[2], state->ids[(uint32_t)pair[0]], length, other, other_length);
    if (state->kept.rows == NULL)
        rows_state_begin(&state->kept, fcinfo, 0);
    rows_append(state->kept.rows, pair, 0, 1, NULL, 0);
    PG_RETURN_POINTER(state);
}

/* distance_matrix_final(state) */
PG_FUNCTION_INFO_V1(pgfit_distance_matrix_final);
PGDLLEXPORT Datum pgfit_distance_matrix_final(PG_FUNCTION_ARGS)
{
    MemoryContext caller = CurrentMemoryContext, fit;
    const PairsState *state;
    ObjectIds ids;
    uint32_t length;
    const char *json;
    Options *options;
    Model *model;

    step_require_aggregate(fcinfo);
    state = PG_ARGISNULL(0) ? NULL : (const PairsState *)PG_GETARG_POINTER(0);
    if (state == NULL || state->kept.rows == NULL)
        PG_RETURN_NULL();
    fit = fit_context(caller, state->kept.rows);
    MemoryContextSwitchTo(fit);
    json = model_options(state->kept.schema, &length);
    options = options_parse(host_env(), "distance_matrix", estimator_distance_matrix.options, json, length, NULL, NULL, 0);
    ids = (ObjectIds){state->table.count, state->ids, state->lengths, state->type};
    progress_fit_begins(fcinfo->flinfo->fn_mcxt, matrix_aggregate.name);
    model = distance_matrix_build(host_env(), state->kept.rows, options, &ids, state->kept.schema->skipped);
    progress_fit_ends(fcinfo->flinfo->fn_mcxt);
    rows_end_readers(state->kept.rows);
    MemoryContextSwitchTo(caller);
    model = model_copy(model);
    MemoryContextDelete(fit);
    return model_datum(model);
}
