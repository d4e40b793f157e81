/*
 * parallel_worker.c - a parallel worker that does tasks of a fit.
 */
#include "pg/host/parallel_work.h"
#include "pg/host/rows_spill.h"

#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "storage/shm_toc.h"
#include "utils/memutils.h"

PGDLLEXPORT void pgfit_parallel_work(dsm_segment *segment, shm_toc *toc);

/* What a worker has. */
typedef struct Worker {
    ParallelState *state;
    dsa_area *area;
    const SharedKind *kind;
    uint8 *bytes;          /* the packed data */
    Env env;
    MemoryContext context; /* of all that follows */
    RowsNode *rows;        /* NULL: the kind has none */
    void *data;            /* NULL: not opened */
} Worker;

/* Says nothing: the process of the fit has opened the same data, and warned. */
static void be_quiet(const HostCall *call, int sqlstate, const char *family, const char *message, const char *hint)
{
}

static void open_worker(Worker *worker)
{
    HostCall call = {.warn = be_quiet};
    Pack pack = {.env = &worker->env, .mode = PACK_OPEN, .bytes = worker->bytes};
    MemoryContext former = MemoryContextSwitchTo(worker->context);
    void *data = env_array(&worker->env, 1, worker->kind->data_size);

    if (worker->kind->has_rows) {
        worker->rows = rows_node_begin(worker->context);
        pack.pool = rows_node_pool(worker->rows);
    }
    host_call_begin(&call);
    worker->kind->pack(&pack, data);
    worker->kind->begin(&worker->env, data);
    host_call_begin(NULL);
    worker->data = data;
    MemoryContextSwitchTo(former);
}

/* Does a task. Returns false if it fails, other than by a cancel: tasks only compute, so that memory is all there is to give back. */
static bool try_task(Worker *worker, uint32 task)
{
    MemoryContext former = CurrentMemoryContext;
    volatile bool done = true;

    PG_TRY();
    {
        if (worker->data == NULL)
            open_worker(worker);
        MemoryContextSwitchTo(worker->context);
        parallel_do(&worker->env, worker->state, worker->area, worker->kind, worker->data, task);
        MemoryContextSwitchTo(former);
    }
    PG_CATCH();
    {
        int code = geterrcode();

        MemoryContextSwitchTo(former);
        host_call_begin(NULL);
        if (code == ERRCODE_QUERY_CANCELED || ERRCODE_TO_CATEGORY(code) == ERRCODE_OPERATOR_INTERVENTION)
            PG_RE_THROW();
        LWLockReleaseAll(); /* that of the area, if shared memory is full */
        FlushErrorState();
        done = false;
    }
    PG_END_TRY();
    return done;
}

/* Does tasks until there are none: the entry point of a worker. */
void pgfit_parallel_work(dsm_segment *segment, shm_toc *toc)
{
    ParallelState *state = shm_toc_lookup(toc, KEY_STATE, false);
    Worker worker = {.state = state, .bytes = shm_toc_lookup(toc, KEY_DATA, false), .env = *host_env()};
    uint32 task;
    bool none;

    if (strcmp(state->version, PGFIT_VERSION) != 0)
        return;
    worker.kind = shared_kinds[state->kind];
    worker.area = dsa_attach_in_place(shm_toc_lookup(toc, KEY_AREA, false), segment);
    worker.context = AllocSetContextCreate(CurrentMemoryContext, "pgfit work", ALLOCSET_DEFAULT_SIZES);
    worker.env.share = NULL;
    worker.env.team = NULL;
    worker.env.pair_function = NULL; /* functions of users run in the process of the fit alone */
    for (;;) {
        if (parallel_take_task(state, &task, &none)) {
            if (!try_task(&worker, task)) {
                worker.data = NULL; /* a task after an error begins anew; the file of the rows ends with the worker */
                worker.rows = NULL;
                MemoryContextReset(worker.context);
                parallel_leave(state, task, PARALLEL_AGAIN);
            }
            continue;
        }
        if (none)
            break;
        ConditionVariablePrepareToSleep(&state->changed);
        while (pg_atomic_read_u32(&state->next) < state->end &&
               pg_atomic_read_u32(&state->next) >= pg_atomic_read_u32(&state->received) + state->ahead)
            ConditionVariableSleep(&state->changed, PARALLEL_WAIT);
        ConditionVariableCancelSleep();
    }
    if (worker.rows != NULL)
        rows_node_end(worker.rows);
    dsa_detach(worker.area);
}
