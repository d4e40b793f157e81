/*
 * progress.c - see progress.h.
 *
 * Shared memory has one slot per backend, which that backend alone writes, without a lock: a reader copies a slot again if its count
 * of changes moved meanwhile or is odd, as for pg_stat_activity. The memory is there if the library is preloaded; PostgreSQL 17 and
 * later can make it at any time (the DSM registry). Without it nothing is reported, and the view says what to set.
 *
 * What a backend shows belongs to a query (a Scope) and ends with the query's memory context, however the query ends. Queries nest, as in
 * a fit that runs a query of its own; the innermost is shown, with the step of the innermost operation around it.
 */
#include "pg/progress/progress.h"

#include <math.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/autovacuum.h"
#include "replication/walsender.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/backend_status.h"
#include "utils/timestamp.h"
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif

#define AREA_NAME "pgfit progress"

typedef struct Slot {
    uint32 changes; /* odd while the report is being written */
    ProgressReport report;
} Slot;

typedef struct Area {
    uint32 count;
    Slot slots[FLEXIBLE_ARRAY_MEMBER];
} Area;

static Area *area;     /* NULL: there is no shared memory, or not yet */
static Slot *own_slot; /* NULL: not taken yet, or the backend is ending */

/* ---- shared memory ---- */

/* Returns the number of backends that can run at a time, which are the first PGPROCs. */
static uint32 backend_count(void)
{
#if PG_VERSION_NUM >= 150000
    return (uint32)MaxBackends;
#else
    /* MaxBackends is not set before libraries are preloaded */
    return (uint32)(MaxConnections + autovacuum_max_workers + 1 + max_worker_processes + max_wal_senders);
#endif
}

static Size area_size(void)
{
    return offsetof(Area, slots) + (Size)backend_count() * sizeof(Slot);
}

static void area_begin(void *memory)
{
    memset(memory, 0, area_size());
    ((Area *)memory)->count = backend_count();
}

#if PG_VERSION_NUM >= 150000
static shmem_request_hook_type next_request_hook;
#endif
static shmem_startup_hook_type next_startup_hook;

static void request_area(void)
{
#if PG_VERSION_NUM >= 150000
    if (next_request_hook)
        next_request_hook();
#endif
    RequestAddinShmemSpace(area_size());
}

static void startup_area(void)
{
    bool found;

    if (next_startup_hook)
        next_startup_hook();
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    area = ShmemInitStruct(AREA_NAME, area_size(), &found);
    if (!found)
        area_begin(area);
    LWLockRelease(AddinShmemInitLock);
}

void progress_init(void)
{
    if (!process_shared_preload_libraries_in_progress)
        return;
#if PG_VERSION_NUM >= 150000
    next_request_hook = shmem_request_hook;
    shmem_request_hook = request_area;
#else
    request_area();
#endif
    next_startup_hook = shmem_startup_hook;
    shmem_startup_hook = startup_area;
}

/* Returns the area, or NULL: this server version needs the library preloaded. */
static Area *find_area(void)
{
#if PG_VERSION_NUM >= 170000
    bool found;

    if (area == NULL)
        area = GetNamedDSMSegment(AREA_NAME, area_size(), area_begin, &found);
#endif
    return area;
}

/* ---- writing ---- */

/* What a query shows, in its memory context. */
typedef struct Scope Scope;
struct Scope {
    Scope *outer;
    MemoryContext query;
    MemoryContextCallback end;
    bool operation; /* only operation, step, steps and loss of the report are its own */
    ProgressReport report;
};

static Scope *innermost;

/* Shows the innermost query, or nothing. */
static void publish(void)
{
    volatile Slot *slot = own_slot;
    const Scope *scope = innermost;

    if (slot == NULL)
        return;
    slot->changes++;
    pg_write_barrier();
    if (scope != NULL)
        memcpy((void *)&slot->report, &scope->report, sizeof(ProgressReport));
    else
        slot->report.pid = 0;
    while (unlikely(scope != NULL && scope->outer != NULL) && !scope->operation)
        scope = scope->outer;
    if (unlikely(scope != NULL && scope->operation && scope != innermost)) {
        memcpy((void *)slot->report.operation, scope->report.operation, PROGRESS_NAME);
        slot->report.step = scope->report.step;
        slot->report.steps = scope->report.steps;
        if (isnan(slot->report.loss))
            slot->report.loss = scope->report.loss;
    }
    pg_write_barrier();
    slot->changes++;
}

/* Runs as the backend ends: the next one must not find its report. */
static void give_slot_back(int code, Datum argument)
{
    innermost = NULL;
    publish();
    own_slot = NULL;
}

/* Takes the slot of this backend; returns whether it has one. */
static bool take_slot(void)
{
    uint32 number;

    if (own_slot != NULL)
        return true;
    if (find_area() == NULL || MyProc == NULL || proc_exit_inprogress)
        return false;
#if PG_VERSION_NUM >= 170000
    number = (uint32)MyProcNumber;
#else
    number = (uint32)MyProc->pgprocno;
#endif
    if (number >= area->count)
        return false;
    before_shmem_exit(give_slot_back, (Datum)0);
    own_slot = &area->slots[number];
    return true;
}

/* Runs as the memory of a query is deleted, at its end or after an error. */
static void end_scope(void *argument)
{
    for (Scope **link = &innermost; *link != NULL; link = &(*link)->outer)
        if (*link == argument) {
            *link = (*link)->outer;
            publish();
            break;
        }
}

static pg_noinline Scope *new_scope(MemoryContext query, const char *name)
{
    Scope *scope = MemoryContextAllocZero(query, sizeof(Scope));
    PGPROC *leader = MyProc->lockGroupLeader;

    scope->query = query;
    scope->report.pid = MyProcPid;
    scope->report.leader = leader != NULL && leader != MyProc ? leader->pid : 0;
    scope->report.database = MyDatabaseId;
    scope->report.role = GetUserId();
    scope->report.query_id = (uint64)pgstat_get_my_query_id();
    scope->report.started = GetCurrentTimestamp();
    scope->report.loss = NAN;
    strlcpy(scope->report.name, name, PROGRESS_NAME);
    scope->end.func = end_scope;
    scope->end.arg = scope;
    MemoryContextRegisterResetCallback(query, &scope->end);
    scope->outer = innermost;
    innermost = scope;
    return scope;
}

/* Returns the scope of a query, which becomes the innermost if it is new; NULL: nothing can be shown. */
static Scope *scope_of(MemoryContext query, const char *name)
{
    if (likely(innermost != NULL && innermost->query == query))
        return innermost;
    if (!take_slot())
        return NULL;
    for (Scope *scope = innermost; scope != NULL; scope = scope->outer)
        if (scope->query == query)
            return scope;
    return new_scope(query, name);
}

static void set_phase(Scope *scope, const char *phase, uint64 done, uint64 total, double loss)
{
    bool another = strcmp(scope->report.phase, phase) != 0;

    if (another)
        strlcpy(scope->report.phase, phase, PROGRESS_NAME);
    if (total > 0 && (another || done < scope->report.done || scope->report.total != total)) {
        scope->report.since = GetCurrentTimestamp();
        scope->report.first = done;
    }
    scope->report.done = done;
    scope->report.total = total;
    scope->report.loss = loss;
}

static const char reading_rows[] = "reading rows", fitting[] = "fitting", fitted[] = "fitted";

void progress_rows(MemoryContext query, const char *name, uint64 rows)
{
    Scope *scope = scope_of(query, name);

    if (scope == NULL)
        return;
    scope->report.rows = Max(scope->report.rows, rows); /* several aggregates of a query read the same rows */
    set_phase(scope, reading_rows, 0, 0, NAN);
    publish();
}

void progress_fit_begins(MemoryContext query, const char *name)
{
    Scope *scope = scope_of(query, name);

    if (scope == NULL)
        return;
    strlcpy(scope->report.name, name, PROGRESS_NAME);
    set_phase(scope, fitting, 0, 0, NAN);
    publish();
}

void progress_fit_ends(MemoryContext query)
{
    Scope *scope = innermost;

    if (scope == NULL || scope->query != query)
        return;
    scope->report.fits++;
    set_phase(scope, fitted, 0, 0, NAN);
    publish();
}

void progress_operation(const char *operation, uint64 step, uint64 steps, double loss)
{
    Scope *scope = scope_of(CurrentMemoryContext, "");

    if (scope == NULL)
        return;
    scope->operation = true;
    strlcpy(scope->report.operation, operation, PROGRESS_NAME);
    scope->report.step = step;
    scope->report.steps = steps;
    scope->report.loss = loss;
    publish();
}

void progress_phase(const char *phase, uint64 done, uint64 total, double loss)
{
    if (innermost == NULL || innermost->operation)
        return;
    set_phase(innermost, phase, done, total, loss);
    publish();
}

/* ---- reading ---- */

uint32 progress_slots(void)
{
    return find_area() != NULL ? area->count : 0;
}

bool progress_read(uint32 number, ProgressReport *report)
{
    const volatile Slot *slot = &area->slots[number];
    uint32 before, after;

    do {
        CHECK_FOR_INTERRUPTS();
        before = slot->changes;
        pg_read_barrier();
        memcpy(report, (const void *)&slot->report, sizeof(ProgressReport));
        pg_read_barrier();
        after = slot->changes;
    } while (before != after || before % 2 != 0);
    return report->pid != 0;
}
