/*
 * parallel_team.c - phases of a fit in parallel workers of the server.
 *
 * The blocks that nobody has of a phase are one number, with that of the phase: who lowers it has a block. So a process that the system stopped in the
 * meantime cannot take a block of a phase that is over. Processes that wait look for a while whether there is something to do, and then sleep: phases
 * follow each other within microseconds, and a wake-up takes longer.
 */
#include "pg/host/parallel_work.h"
#include "pg/host/backend_env.h"
#include "core/base/team.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/s_lock.h"

PGDLLEXPORT void pgfit_parallel_team(dsm_segment *segment, shm_toc *toc);

#define LOOK_US 100.0    /* before a process sleeps */
#define LOOKS_PER_TIME 16 /* looks between two at the clock */
#define LINE 128         /* bytes that processors move together */

typedef struct TeamState {
    char version[32];  /* as in ParallelState */
    uint32 kind;       /* in team_kinds */
    uint32 processes;  /* at most */
    uint32 phase, blocks;
    pg_atomic_uint32 joined; /* processes */
    pg_atomic_uint32 over;   /* no phase follows */
    ConditionVariable more;  /* there are blocks, or it is over */
    ConditionVariable done;  /* all blocks are done */
    char apart[LINE];
    pg_atomic_uint64 ticket; /* number of the phase << 32 | blocks that nobody has */
    char alone[LINE];
    pg_atomic_uint32 finished; /* blocks of the phase */
    char behind[LINE];
} TeamState;

/* A team, as the process of the fit has it. */
typedef struct HostTeam {
    Team team;
    TeamState *state;
    const TeamKind *kind;
    void *data;
    uint32 number; /* of the phase */
} HostTeam;

/* ---- blocks ---- */

/* Does blocks of the current phase while there are any. */
static void do_blocks(TeamState *state, const TeamKind *kind, void *data, uint32 process)
{
    uint64 ticket = pg_atomic_read_u64(&state->ticket);

    while ((uint32)ticket > 0) {
        uint32 blocks;

        if (!pg_atomic_compare_exchange_u64(&state->ticket, &ticket, ticket - 1))
            continue;
        blocks = state->blocks; /* the phase is not over before this block is done */
        kind->run(data, process, state->phase, blocks - (uint32)ticket);
        if (pg_atomic_fetch_add_u32(&state->finished, 1) + 1 == blocks && process > 0)
            ConditionVariableBroadcast(&state->done);
        CHECK_FOR_INTERRUPTS();
        ticket = pg_atomic_read_u64(&state->ticket);
    }
}

/* Tells whether a process that waits has something to do. */
typedef bool Ready(TeamState *state);

static bool is_done(TeamState *state)
{
    return pg_atomic_read_u32(&state->finished) == state->blocks;
}

static bool has_more(TeamState *state)
{
    return (uint32)pg_atomic_read_u64(&state->ticket) > 0 || pg_atomic_read_u32(&state->over) != 0;
}

static void wait_for(TeamState *state, Ready *ready, ConditionVariable *changed)
{
    instr_time start, now;

    if (ready(state))
        return;
    INSTR_TIME_SET_CURRENT(start);
    do {
        for (int i = 0; i < LOOKS_PER_TIME; i++) {
            if (ready(state))
                return;
            CHECK_FOR_INTERRUPTS();
            SPIN_DELAY();
        }
        INSTR_TIME_SET_CURRENT(now);
        INSTR_TIME_SUBTRACT(now, start);
    } while (INSTR_TIME_GET_MICROSEC(now) < LOOK_US);
    ConditionVariablePrepareToSleep(changed);
    pg_memory_barrier(); /* who changes it after this look sees that this process sleeps */
    while (!ready(state))
        ConditionVariableSleep(changed, PARALLEL_WAIT);
    ConditionVariableCancelSleep();
}

static void wake(ConditionVariable *changed)
{
    pg_memory_barrier(); /* who does not see the change is seen */
    ConditionVariableBroadcast(changed);
}

/* ---- workers ---- */

/* Returns what a worker has for the phases; NULL: there is no memory for it. */
static void *open_data(Env *env, shm_toc *toc, const TeamState *state)
{
    const TeamKind *kind = team_kinds[state->kind];
    Pack fixed = {.env = env, .mode = PACK_OPEN, .bytes = shm_toc_lookup(toc, KEY_DATA, false)};
    Pack changing = {.env = env, .mode = PACK_OPEN, .bytes = shm_toc_lookup(toc, KEY_AREA, false)};
    MemoryContext former = CurrentMemoryContext;
    void *volatile data = NULL;

    PG_TRY();
    {
        void *opened = env_array(env, 1, kind->data_size);

        kind->pack(&fixed, opened);
        kind->share(&changing, opened, state->processes);
        data = opened;
    }
    PG_CATCH();
    {
        if (geterrcode() != ERRCODE_OUT_OF_MEMORY)
            PG_RE_THROW();
        MemoryContextSwitchTo(former);
        FlushErrorState();
    }
    PG_END_TRY();
    return data;
}

/* Does blocks until the work is over: the entry point of a worker. */
void pgfit_parallel_team(dsm_segment *segment, shm_toc *toc)
{
    TeamState *state = shm_toc_lookup(toc, KEY_STATE, false);
    Env env = *host_env();
    const TeamKind *kind;
    void *data;
    uint32 process;

    if (strcmp(state->version, PGFIT_VERSION) != 0)
        return;
    kind = team_kinds[state->kind];
    env.share = NULL;
    env.team = NULL;
    data = open_data(&env, toc, state);
    if (data == NULL)
        return;
    process = pg_atomic_fetch_add_u32(&state->joined, 1);
    while (process < state->processes && pg_atomic_read_u32(&state->over) == 0) {
        do_blocks(state, kind, data, process);
        wait_for(state, has_more, &state->more);
    }
}

/* ---- the process of the fit ---- */

/* A Team.run. */
static void run_phase(Team *team, uint32_t phase, uint32_t blocks)
{
    HostTeam *host = (HostTeam *)team;
    TeamState *state = host->state;

    if (blocks == 0)
        return;
    state->phase = phase;
    state->blocks = blocks;
    pg_atomic_write_u32(&state->finished, 0);
    pg_memory_barrier(); /* who takes a block sees these, and what the core wrote, and changes nothing that the core has yet to read */
    pg_atomic_write_u64(&state->ticket, (uint64)++host->number << 32 | blocks);
    wake(&state->more);
    do_blocks(state, host->kind, host->data, 0);
    wait_for(state, is_done, &state->done);
    pg_memory_barrier(); /* what others wrote comes before what the core reads and writes */
}

/* Returns the bytes of both parts. */
static Size packed_size(Env *env, const TeamWork *work, uint32 processes, Size *changing)
{
    Pack fixed = {.env = env, .mode = PACK_MEASURE}, shared = fixed;

    work->kind->pack(&fixed, work->data);
    work->kind->share(&shared, work->data, processes);
    *changing = shared.size;
    return fixed.size;
}

static uint32 kind_number(const TeamKind *kind)
{
    uint32 number = 0;

    while (team_kinds[number] != kind)
        number++;
    return number;
}

/* Puts the data into shared memory, and makes those of this process lead there. Returns the state; NULL: the server has no segment left. */
static TeamState *open_team(Env *env, const TeamWork *work, ParallelContext *context, int workers)
{
    Size changing, fixed = packed_size(env, work, workers + 1, &changing);
    Pack pack = {.env = env, .mode = PACK_WRITE};
    TeamState *state;

    shm_toc_estimate_chunk(&context->estimator, sizeof(TeamState));
    shm_toc_estimate_chunk(&context->estimator, fixed + ENV_ALIGN);
    shm_toc_estimate_chunk(&context->estimator, changing + ENV_ALIGN);
    shm_toc_estimate_keys(&context->estimator, 3);
    InitializeParallelDSM(context);
    if (context->seg == NULL)
        return NULL;
    state = shm_toc_allocate(context->toc, sizeof(TeamState));
    memset(state, 0, sizeof *state);
    strlcpy(state->version, PGFIT_VERSION, sizeof state->version);
    state->kind = kind_number(work->kind);
    state->processes = workers + 1;
    pg_atomic_init_u32(&state->joined, 1);
    pg_atomic_init_u32(&state->over, 0);
    pg_atomic_init_u32(&state->finished, 0);
    pg_atomic_init_u64(&state->ticket, 0);
    ConditionVariableInit(&state->more);
    ConditionVariableInit(&state->done);
    shm_toc_insert(context->toc, KEY_STATE, state);
    pack.bytes = (uint8 *)TYPEALIGN(ENV_ALIGN, shm_toc_allocate(context->toc, fixed + ENV_ALIGN));
    work->kind->pack(&pack, work->data);
    shm_toc_insert(context->toc, KEY_DATA, pack.bytes);
    pack = (Pack){.env = env, .mode = PACK_WRITE, .bytes = (uint8 *)TYPEALIGN(ENV_ALIGN, shm_toc_allocate(context->toc, changing + ENV_ALIGN))};
    shm_toc_insert(context->toc, KEY_AREA, pack.bytes);
    work->kind->share(&pack, work->data, workers + 1);
    pack = (Pack){.env = env, .mode = PACK_OPEN, .bytes = pack.bytes};
    work->kind->share(&pack, work->data, workers + 1);
    return state;
}

/* Does the steps from one on, and what comes after them. */
static void do_steps(const TeamWork *work, Team *team, uint32 step)
{
    while (step < work->end && work->step(work->owner, team, step))
        step++;
    work->finish(work->owner);
}

/* Does the steps from one on with workers. Without any, because others have them all, this process does all blocks. */
static void share_steps(Env *env, const TeamWork *work, uint32 step, int workers)
{
    HostTeam host = {.team.run = run_phase, .kind = work->kind, .data = work->data};
    ParallelContext *volatile context = NULL;

    parallel_begin();
    PG_TRY();
    {
        context = parallel_context("pgfit_parallel_team", workers);
        host.state = open_team(env, work, context, workers);
        if (host.state != NULL)
            LaunchParallelWorkers(context);
        do_steps(work, host.state != NULL ? &host.team : NULL, step);
        if (host.state != NULL) {
            pg_atomic_write_u32(&host.state->over, 1);
            wake(&host.state->more);
            WaitForParallelWorkersToFinish(context);
        }
    }
    PG_FINALLY();
    {
        parallel_end(context);
    }
    PG_END_TRY();
}

/*
 * Returns how many processors this process may use. With more processes than these a phase waits for one that the system has stopped: on two, trees that
 * took 7.3 s alone and 4.8 s with one worker took 17.1 s with two.
 */
static int processors(void)
{
#ifdef PGFIT_SANITIZED
    return INT_MAX; /* to see them meet */
#else
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* Returns how many workers pay for so much work and have room. */
static int workers_for(Env *env, const TeamWork *work, double work_ms)
{
    int workers = parallel_paid(work_ms, processors());
    Size shared, more, fixed;

    if (workers == 0)
        return 0;
    fixed = packed_size(env, work, 1, &shared);
    packed_size(env, work, 2, &more);
    return parallel_with_room(&(ParallelRoom){fixed + shared, more - shared, work->process_room}, workers, work->spare);
}

/* Returns how many steps are likely to follow. */
static uint32 steps_left(const TeamWork *work, uint32 step)
{
    return work->expected > 0 ? Min(work->expected, work->end - step) : work->end - step;
}

/* Does all steps: once they pay it, with up to max_parallel_workers_per_gather workers, if the budget has room for them. An Env.team. */
static void host_team(Env *env, const TeamWork *work)
{
    bool possible = work->pays && parallel_possible(), goes_on = true;
    uint32 step = work->first;

    while (possible && goes_on && step < work->end) { /* each step says how long the others may take */
        instr_time start, end;
        int workers;

        INSTR_TIME_SET_CURRENT(start);
        goes_on = work->step(work->owner, NULL, step++);
        INSTR_TIME_SET_CURRENT(end);
        INSTR_TIME_SUBTRACT(end, start);
        workers = goes_on ? workers_for(env, work, INSTR_TIME_GET_MILLISEC(end) * steps_left(work, step)) : 0;
        if (workers > 0) {
            share_steps(env, work, step, workers);
            return;
        }
    }
    do_steps(work, NULL, goes_on ? step : work->end);
}

void parallel_team_init(void)
{
    host_env()->team = host_team;
}
