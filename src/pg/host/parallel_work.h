/*
 * parallel_work.h - Env.share of a backend: tasks of a fit in parallel workers of the server.
 */
#ifndef PGFIT_PARALLEL_WORK_H
#define PGFIT_PARALLEL_WORK_H

#include "pg/server/compat.h"
#include "core/base/shared_work.h"

#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "utils/dsa.h"
#include "utils/wait_event.h"

/*
 * Does all tasks: with up to max_parallel_workers_per_gather workers, each of which the tasks pay, if the data can be packed and the budget has room
 * for them. The first task is done here and says how long one takes.
 */
void host_share(Env *env, const SharedWork *work);

/* ---- between the process of the fit and its workers (parallel_worker.c) ---- */

#define PARALLEL_WAIT PG_WAIT_EXTENSION

/* Keys of the table of contents: the state, the packed data, the area of the results. */
enum { KEY_STATE = 1, KEY_DATA, KEY_AREA };

typedef struct ParallelState {
    uint32 kind;               /* in shared_kinds */
    uint32 first, end;         /* tasks */
    uint32 ahead;              /* tasks that may be taken before the first of them is received */
    Size data_size;
    pg_atomic_uint32 next;     /* task that nobody has */
    pg_atomic_uint32 received; /* tasks before this one are */
    ConditionVariable changed;
    pg_atomic_uint64 results[FLEXIBLE_ARRAY_MEMBER]; /* [end - first] in the area; InvalidDsaPointer: not yet */
} ParallelState;

/* Takes a task that nobody has. Returns false if there is none, or too few were received; *none: there is none. */
bool parallel_take_task(ParallelState *state, uint32 *task, bool *none);
/* Leaves the result of a task in the area, for the process that receives it. */
void parallel_leave_result(Env *env, ParallelState *state, dsa_area *area, const SharedKind *kind, void *data, uint32 task);

#endif
