/*
 * rows_spill.c - one pool of rows and one temporary file for all aggregates of a plan node.
 *
 * Who releases what:
 * - In an Agg node every state registers a callback with its group's ExprContext, which runs at the next group, at a
 *   rescan and at the end. The last state of the node closes the file.
 * - In a WindowAgg node, where AggRegisterCallback fails, a state releases its rows when its memory context is reset, at
 *   a restart or the next partition. A callback of the node's own ExprContext closes the file, at a rescan and at the end.
 * - After an error none of these callbacks runs. The resource owner closes the file, the memory goes with the query, and
 *   the pool's entry here is removed together with its memory context. No callback of a memory context may touch the
 *   file: the resource owner may have closed it already.
 */
#include "pg/host/rows_spill.h"

#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

struct RowsNode {
    Env env; /* must be first: the Env of a pool is cast to its node */
    RowsNode *next;
    fmNodePtr plan_node;
    MemoryContext context; /* of the pool, a child of the query's; NULL: freed, and the states will follow */
    MemoryContextCallback forget;
    RowsPool *pool;
    BufFile *file;
    uint64_t file_end, file_position;
    uint64_t states;  /* with rows in the pool */
    uint64_t holders; /* window states that still point here */
};

/* The nodes of the backend's running queries that hold rows. */
static RowsNode *rows_nodes;

/* ---- the file ---- */

/* Returns false past the last segment of the file. */
static bool node_seek(RowsNode *node, uint64_t position)
{
    if (position == node->file_position)
        return true;
    if (BufFileSeekBlock(node->file, (long)(position / BLCKSZ)) != 0 ||
        (position % BLCKSZ != 0 &&
         BufFileSeek(node->file, 0, (off_t)(position % BLCKSZ), SEEK_CUR) != 0)) {
        node->file_position = UINT64_MAX;
        return false;
    }
    node->file_position = position;
    return true;
}

static void node_require_seek(RowsNode *node, uint64_t position)
{
    if (!node_seek(node, position))
        env_fail(&node->env, ERROR_INTERNAL, NULL,
                 "could not find position %llu of a temporary file of %llu bytes",
                 (unsigned long long)position, (unsigned long long)node->file_end);
}

static void node_append(RowsNode *node, const void *data, size_t size)
{
    BufFileWrite(node->file, (void *)data, size);
    node->file_position += size;
    if (node->file_end < node->file_position)
        node->file_end = node->file_position;
}

static void node_spill_write(Env *env, uint64_t position, const void *data, size_t size)
{
    static const char zeros[1024];
    RowsNode *node = (RowsNode *)env;
    MemoryContext caller = MemoryContextSwitchTo(node->context);

    if (!node->file)
        node->file = BufFileCreateTemp(false);
    if (!node_seek(node, position)) { /* a new segment begins only when the last one is full */
        node_require_seek(node, node->file_end);
        while (node->file_end < position)
            node_append(node, zeros, Min(position - node->file_end, sizeof zeros));
        node_require_seek(node, position);
    }
    node_append(node, data, size);
    MemoryContextSwitchTo(caller);
}

static void node_spill_read(Env *env, uint64_t position, void *data, size_t size)
{
    RowsNode *node = (RowsNode *)env;

    if (!node->file)
        env_fail(env, ERROR_INTERNAL, NULL, "no temporary file to read from");
    node_require_seek(node, position);
    if (BufFileRead(node->file, data, size) != size)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("could not read %zu bytes of a temporary file: %m", size)));
    node->file_position += size;
}

/* ---- memory ---- */

static void *node_alloc(Env *env, size_t size)
{
    MemoryContext caller = MemoryContextSwitchTo(((RowsNode *)env)->context);
    void *block = host_env()->alloc(env, size);

    MemoryContextSwitchTo(caller);
    return block;
}

static void *node_resize(Env *env, void *block, size_t size)
{
    MemoryContext caller = MemoryContextSwitchTo(((RowsNode *)env)->context);

    block = host_env()->resize(env, block, size);
    MemoryContextSwitchTo(caller);
    return block;
}

/* ---- nodes ---- */

static void node_unlink(RowsNode *node)
{
    for (RowsNode **link = &rows_nodes; *link; link = &(*link)->next)
        if (*link == node) {
            *link = node->next;
            return;
        }
}

/* Forgets a node as the memory of its pool is freed; must not touch the file. */
static void node_forget(void *argument)
{
    RowsNode *node = argument;

    node_unlink(node);
    node->context = NULL;
    node->pool = NULL;
    if (node->holders == 0)
        pfree(node);
}

/* Closes the file and frees the pool, outside of errors. */
void rows_node_end(RowsNode *node)
{
    if (node->file)
        BufFileClose(node->file);
    node->file = NULL;
    MemoryContextDelete(node->context); /* and node_forget */
}

static void node_close_window(Datum argument)
{
    rows_node_end((RowsNode *)DatumGetPointer(argument));
}

RowsNode *rows_node_begin(MemoryContext context)
{
    RowsNode *node = MemoryContextAllocZero(TopMemoryContext, sizeof(RowsNode));

    node->context = AllocSetContextCreate(context, "pgfit rows", ALLOCSET_DEFAULT_SIZES);
    node->env = *host_env();
    node->env.alloc = node_alloc;
    node->env.resize = node_resize;
    node->env.spill_write = node_spill_write;
    node->env.spill_read = node_spill_read;
    node->forget.func = node_forget;
    node->forget.arg = node;
    MemoryContextRegisterResetCallback(node->context, &node->forget);
    node->next = rows_nodes;
    rows_nodes = node;
    node->pool = rows_pool(&node->env);
    return node;
}

RowsPool *rows_node_pool(RowsNode *node)
{
    return node->pool;
}

/* Returns the node of this call, made if it has no pool yet. */
static RowsNode *node_of(FunctionCallInfo fcinfo)
{
    PlanState *plan = (PlanState *)fcinfo->context;
    RowsNode *node;

    for (node = rows_nodes; node; node = node->next)
        if (node->plan_node == fcinfo->context)
            return node;
    node = rows_node_begin(plan->state->es_query_cxt);
    node->plan_node = fcinfo->context;
    if (IsA(plan, WindowAggState))
        RegisterExprContextCallback(plan->ps_ExprContext, node_close_window, PointerGetDatum(node));
    return node;
}

/* ---- states ---- */

/* Releases the rows of a group of an Agg node at its end. */
static void state_release(Datum argument)
{
    RowsState *state = (RowsState *)DatumGetPointer(argument);
    RowsNode *node = state->node;

    if (node->states == 1) { /* the last state: free the pool as a whole */
        rows_node_end(node);
    } else {
        node->states--;
        rows_free(state->rows);
    }
    state->rows = NULL;
}

/* Releases the rows of a window's state with its memory context; the pool may be freed already. */
static void state_release_window(void *argument)
{
    RowsState *state = argument;
    RowsNode *node = state->node;

    node->holders--;
    if (node->context) {
        node->states--;
        rows_free(state->rows);
    } else if (node->holders == 0) {
        pfree(node);
    }
}

void rows_state_begin(RowsState *state, FunctionCallInfo fcinfo, unsigned contents)
{
    state->node = node_of(fcinfo);
    state->rows = rows_new(state->node->pool, state->schema, contents);
    if (IsA(fcinfo->context, WindowAggState)) {
        state->release.func = state_release_window;
        state->release.arg = state;
        MemoryContextRegisterResetCallback(state->context, &state->release);
        state->node->holders++;
    } else {
        AggRegisterCallback(fcinfo, state_release, PointerGetDatum(state));
    }
    state->node->states++;
}
