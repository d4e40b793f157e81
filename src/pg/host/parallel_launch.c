/*
 * parallel_launch.c - whether a fit has parallel workers of the server, how many, and their context.
 */
#include "pg/host/parallel_work.h"

#include <dlfcn.h>
#include <sys/statvfs.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "storage/dsm_impl.h"
#include "utils/snapmgr.h"

#define WORKER_PAYS_MS 100.0 /* of work per process: a worker starts in about 10 ms, and copies the catalog caches that it needs */

/* Whether this process shares work now: what that work would share, it does alone. */
static bool sharing;

/* Tells whether the place of dynamic shared memory has twice the room: a container's may be small, and what does not fit fails. */
static bool memory_has_room(uint64 bytes)
{
    struct statvfs place;

    if (dynamic_shared_memory_type != DSM_IMPL_POSIX)
        return true;
    return statvfs("/dev/shm", &place) == 0 && (uint64)place.f_bavail * place.f_frsize / 2 > bytes;
}

bool parallel_possible(void)
{
    return max_parallel_workers_per_gather > 0 && max_parallel_workers > 0 && !sharing && !IsParallelWorker() && !InitializingParallelWorker &&
           ActiveSnapshotSet();
}

int parallel_paid(double work_ms, double most)
{
    double paid = Min(work_ms / WORKER_PAYS_MS, most) - 1;

    return (int)Max(0, Min(paid, Min(max_parallel_workers_per_gather, max_parallel_workers)));
}

int parallel_with_room(const ParallelRoom *room, int workers, uint64 spare)
{
    for (; workers > 0; workers--) {
        uint64 shared = room->shared + workers * room->shared_each;

        if (shared + workers * room->own_each <= spare && memory_has_room(shared))
            break;
    }
    return workers;
}

/* Returns the file of this library, which workers load. */
static const char *library_file(void)
{
    Dl_info info;

    return dladdr((void *)parallel_possible, &info) != 0 ? info.dli_fname : NULL;
}

void parallel_begin(void)
{
    EnterParallelMode();
    sharing = true;
}

ParallelContext *parallel_context(const char *function, int workers)
{
    return CreateParallelContext(library_file(), function, workers);
}

void parallel_end(ParallelContext *context)
{
    sharing = false;
    ConditionVariableCancelSleep();
    if (context != NULL)
        DestroyParallelContext(context);
    ExitParallelMode();
}
