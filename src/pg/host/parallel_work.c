/*
 * parallel_work.c - tasks of a fit in parallel workers of the server.
 *
 * The packed data lie in dynamic shared memory. Each process takes the next task that nobody has; results wait in shared memory until this process,
 * which does tasks too, receives them in their order. A process is at most two tasks per process ahead of what was received, so that few results wait.
 * What fails in a worker or before its turn is done again here, and warnings wait with the results, so that errors and warnings are the same as without
 * workers. Eight folds that all warn take 30 s with no worker and 14 s with two, on two busy processors.
 */
#include "pg/host/parallel_work.h"
#include "pg/host/backend_env.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/lwlock.h"
#include "utils/memutils.h"

#define AHEAD 2 /* tasks per process */

/* ---- what workers do too ---- */

/* Runs a task; what it allocates in the meantime is dropped, if the kind says so. */
static void run_task(const SharedKind *kind, void *data, uint32_t task)
{
    MemoryContext former = CurrentMemoryContext, one = NULL;

    if (kind->rows != NULL)
        MemoryContextSwitchTo(one = fit_context(former, kind->rows(data)));
    kind->run(data, task);
    MemoryContextSwitchTo(former);
    if (one != NULL)
        MemoryContextDelete(one);
}

/* A warning of a task, which waits for its turn. */
typedef struct Warning Warning;
struct Warning {
    Warning *next;
    int sqlstate;
    int64 family; /* relative to the library, which processes may have loaded at different places */
    const char *message, *hint;
};

typedef struct Warnings {
    MemoryContext context;
    Warning *first, **last;
    uint32 count;
} Warnings;

/* Keeps a warning. */
static void keep_warning(const HostCall *call, int sqlstate, const char *family, const char *message, const char *hint)
{
    Warnings *warnings = call->argument;
    Warning *warning = MemoryContextAllocZero(warnings->context, sizeof(Warning));

    warning->sqlstate = sqlstate;
    warning->family = (intptr_t)family - (intptr_t)shared_kinds;
    warning->message = MemoryContextStrdup(warnings->context, message);
    warning->hint = hint != NULL ? MemoryContextStrdup(warnings->context, hint) : NULL;
    *warnings->last = warning;
    warnings->last = &warning->next;
    warnings->count++;
}

static void pack_text(Pack *pack, const char **text)
{
    uint32 size = pack->mode == PACK_OPEN || *text == NULL ? 0 : (uint32)strlen(*text) + 1;

    pack_value(pack, &size, sizeof size);
    pack_array_if(pack, size > 0, text, size, 1);
}

static void pack_warning(Pack *pack, Warning *warning)
{
    pack_value(pack, &warning->sqlstate, sizeof warning->sqlstate);
    pack_value(pack, &warning->family, sizeof warning->family);
    pack_text(pack, &warning->message);
    pack_text(pack, &warning->hint);
}

/* Runs a task. Returns false if it fails. */
static bool try_task(const SharedKind *kind, void *data, uint32_t task, Warnings *warnings)
{
    MemoryContext former = CurrentMemoryContext, one = AllocSetContextCreate(former, "pgfit task", ALLOCSET_SMALL_SIZES);
    HostCall call = {.warn = keep_warning, .argument = warnings}, *outer = host_call_begin(&call);
    volatile bool done = true;

    PG_TRY();
    {
        MemoryContextSwitchTo(kind->rows != NULL ? one : former);
        run_task(kind, data, task);
    }
    PG_CATCH();
    {
        host_call_begin(outer);
        if (kind->abandon == NULL || !host_call_failed(&call))
            PG_RE_THROW();
        MemoryContextSwitchTo(former);
        FlushErrorState();
        kind->abandon(data);
        done = false;
    }
    PG_END_TRY();
    host_call_begin(outer);
    MemoryContextSwitchTo(former);
    MemoryContextDelete(one);
    return done;
}

bool parallel_take_task(ParallelState *state, uint32 *task, bool *none)
{
    uint32 next = pg_atomic_read_u32(&state->next);

    do {
        *none = next >= state->end;
        if (*none || next >= pg_atomic_read_u32(&state->received) + state->ahead)
            return false;
    } while (!pg_atomic_compare_exchange_u32(&state->next, &next, next + 1));
    *task = next;
    return true;
}

void parallel_leave(ParallelState *state, uint32 task, dsa_pointer place)
{
    pg_write_barrier();
    pg_atomic_write_u64(&state->results[task - state->first], place);
    ConditionVariableBroadcast(&state->changed);
}

static Size packed_size(Env *env, void (*visit)(Pack *pack, void *data), void *data)
{
    Pack pack = {.env = env, .mode = PACK_MEASURE};

    visit(&pack, data);
    return pack.size;
}

/* Visits the warnings of a task and its result. */
static void pack_outcome(Pack *pack, Warnings *warnings, const SharedKind *kind, void *data)
{
    pack_value(pack, &warnings->count, sizeof warnings->count);
    for (Warning *warning = warnings->first; warning != NULL; warning = warning->next)
        pack_warning(pack, warning);
    kind->pack_result(pack, data);
}

/* Leaves the result of a task in the area. */
static void leave_result(Env *env, ParallelState *state, dsa_area *area, const SharedKind *kind, void *data, uint32 task, Warnings *warnings)
{
    Pack pack = {.env = env, .mode = PACK_MEASURE};
    dsa_pointer place;

    pack_outcome(&pack, warnings, kind, data);
    place = dsa_allocate_extended(area, pack.size + ENV_ALIGN, DSA_ALLOC_HUGE);
    pack = (Pack){.env = env, .mode = PACK_WRITE, .bytes = (uint8 *)TYPEALIGN(ENV_ALIGN, dsa_get_address(area, place))};
    pack_outcome(&pack, warnings, kind, data);
    parallel_leave(state, task, place);
}

void parallel_do(Env *env, ParallelState *state, dsa_area *area, const SharedKind *kind, void *data, uint32_t task)
{
    Warnings warnings = {.context = AllocSetContextCreate(CurrentMemoryContext, "pgfit warnings", ALLOCSET_SMALL_SIZES), .last = &warnings.first};

    if (try_task(kind, data, task, &warnings))
        leave_result(env, state, area, kind, data, task, &warnings);
    else
        parallel_leave(state, task, PARALLEL_AGAIN);
    MemoryContextDelete(warnings.context);
}

/* ---- the process of the fit ---- */

/* Returns the number of a kind. */
static uint32 kind_number(const SharedKind *kind)
{
    uint32 number = 0;

    while (shared_kinds[number] != kind)
        number++;
    return number;
}

/* Puts the tasks and their data into shared memory. Returns the area of the results; NULL: the server has no segment left. */
static dsa_area *open_context(Env *env, const SharedWork *work, ParallelContext *context, int workers, Size data_size)
{
    uint32 tasks = work->end - work->first;
    Size state_size = offsetof(ParallelState, results) + tasks * sizeof(pg_atomic_uint64), area_size = dsa_minimum_size();
    ParallelState *state;
    Pack pack = {.env = env, .mode = PACK_WRITE};
    dsa_area *area;
    void *area_place;

    shm_toc_estimate_chunk(&context->estimator, state_size);
    shm_toc_estimate_chunk(&context->estimator, data_size + ENV_ALIGN);
    shm_toc_estimate_chunk(&context->estimator, area_size);
    shm_toc_estimate_keys(&context->estimator, 3);
    InitializeParallelDSM(context);
    if (context->seg == NULL)
        return NULL;
    state = shm_toc_allocate(context->toc, state_size);
    strlcpy(state->version, PGFIT_VERSION, sizeof state->version);
    state->kind = kind_number(work->kind);
    state->first = work->first;
    state->end = work->end;
    state->ahead = AHEAD * (workers + 1);
    pg_atomic_init_u32(&state->next, work->first);
    pg_atomic_init_u32(&state->received, work->first);
    ConditionVariableInit(&state->changed);
    for (uint32 i = 0; i < tasks; i++)
        pg_atomic_init_u64(&state->results[i], InvalidDsaPointer);
    shm_toc_insert(context->toc, KEY_STATE, state);
    pack.bytes = (uint8 *)TYPEALIGN(ENV_ALIGN, shm_toc_allocate(context->toc, data_size + ENV_ALIGN));
    work->kind->pack(&pack, work->data);
    shm_toc_insert(context->toc, KEY_DATA, pack.bytes);
    area_place = shm_toc_allocate(context->toc, area_size);
    area = dsa_create_in_place(area_place, area_size, LWTRANCHE_PARALLEL_QUERY_DSA, context->seg);
    shm_toc_insert(context->toc, KEY_AREA, area_place);
    return area;
}

/* Does a task here and receives its result. */
static void do_task(const SharedWork *work, uint32 task)
{
    run_task(work->kind, work->data, task);
    shared_receive(work, task);
}

/* Receives a result that is in the area, and warns as its task would have here. */
static void take_result(Env *env, const SharedWork *work, dsa_area *area, dsa_pointer place)
{
    Pack pack = {.env = env, .mode = PACK_OPEN};
    uint32 warnings;

    pg_read_barrier();
    pack.bytes = (uint8 *)TYPEALIGN(ENV_ALIGN, dsa_get_address(area, place));
    pack_value(&pack, &warnings, sizeof warnings);
    for (uint32 i = 0; i < warnings; i++) {
        Warning warning = {0};

        pack_warning(&pack, &warning);
        host_call_warn(warning.sqlstate, (const char *)((intptr_t)shared_kinds + (intptr_t)warning.family), warning.message, warning.hint);
    }
    work->kind->pack_result(&pack, work->data);
    dsa_free(area, place);
}

/* Receives the results in their order, and does tasks while the next one is not there. */
static void receive_all(Env *env, const SharedWork *work, ParallelState *state, dsa_area *area)
{
    uint32 due = work->first, task;
    bool none;

    while (due < work->end) {
        dsa_pointer place = pg_atomic_read_u64(&state->results[due - work->first]);

        CHECK_FOR_INTERRUPTS();
        if (place == PARALLEL_AGAIN) {
            do_task(work, due);
        } else if (DsaPointerIsValid(place)) {
            take_result(env, work, area, place);
            shared_receive(work, due);
        } else if (parallel_take_task(state, &task, &none)) {
            if (task != due) {
                parallel_do(env, state, area, work->kind, work->data, task);
                continue;
            }
            do_task(work, due);
        } else {
            ConditionVariablePrepareToSleep(&state->changed);
            while (!DsaPointerIsValid(pg_atomic_read_u64(&state->results[due - work->first])))
                ConditionVariableSleep(&state->changed, PARALLEL_WAIT);
            ConditionVariableCancelSleep();
            continue;
        }
        pg_atomic_write_u32(&state->received, ++due);
        ConditionVariableBroadcast(&state->changed);
    }
}

/* Does the tasks with workers. Without any, because others have them all, this process does them. An error may be caught by whoever fits groups. */
static void share_tasks(Env *env, const SharedWork *work, int workers, Size data_size)
{
    ParallelContext *volatile context = NULL;
    dsa_area *volatile area = NULL;

    parallel_begin();
    PG_TRY();
    {
        dsa_area *results;

        context = parallel_context("pgfit_parallel_work", workers);
        area = results = open_context(env, work, context, workers, data_size);
        if (results != NULL)
            LaunchParallelWorkers(context);
        if (results != NULL && context->nworkers_launched > 0)
            receive_all(env, work, shm_toc_lookup(context->toc, KEY_STATE, false), results);
        else
            for (uint32 task = work->first; task < work->end; task++)
                do_task(work, task);
        if (results != NULL)
            WaitForParallelWorkersToFinish(context);
    }
    PG_FINALLY();
    {
        LWLockReleaseAll(); /* that of the area, if shared memory was full: to detach from it takes the same lock */
        if (area != NULL)
            dsa_detach(area);
        parallel_end(context);
    }
    PG_END_TRY();
}

/*
 * Does all tasks: with up to max_parallel_workers_per_gather workers, each of which the tasks pay, if the data can be packed and the budget has room
 * for them. An Env.share.
 */
static void host_share(Env *env, const SharedWork *work)
{
    SharedWork rest = *work;
    uint64 lookups = pair_functions_looked_up();
    bool possible = work->packs && parallel_possible();

    while (rest.first < rest.end) { /* each task says how long the others may take */
        instr_time start, end;
        int workers;

        INSTR_TIME_SET_CURRENT(start);
        run_task(work->kind, work->data, rest.first);
        INSTR_TIME_SET_CURRENT(end);
        INSTR_TIME_SUBTRACT(end, start);
        if (pair_functions_looked_up() != lookups)
            possible = false; /* functions of users may do what is not allowed during a parallel operation */
        workers = possible ? parallel_paid(INSTR_TIME_GET_MILLISEC(end) * (rest.end - rest.first - 1), rest.end - rest.first - 1) : 0;
        if (workers > 0) {
            Size data_size = packed_size(env, work->kind->pack, work->data);
            Size ahead = AHEAD * packed_size(env, work->kind->pack_result, work->data);

            workers = parallel_with_room(&(ParallelRoom){data_size + ahead, ahead, work->process_room}, workers, work->spare);
            possible = workers > 0;
            shared_receive(work, rest.first++);
            if (workers > 0) {
                share_tasks(env, &rest, workers, data_size);
                return;
            }
            continue;
        }
        shared_receive(work, rest.first++);
    }
}

void parallel_work_init(void)
{
    host_env()->share = host_share;
    parallel_team_init();
}
