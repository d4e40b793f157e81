/*
 * parallel_work.h - what the process of a fit and its parallel workers have in common.
 */
#ifndef PGFIT_PARALLEL_WORK_H
#define PGFIT_PARALLEL_WORK_H

#include "pg/server/compat.h"
#include "core/base/shared_work.h"

#include "access/parallel.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "utils/dsa.h"
#include "utils/wait_event.h"

#define PARALLEL_WAIT PG_WAIT_EXTENSION

/* Instead of a result: the task failed in a worker, so the process of the fit does it again. */
#define PARALLEL_AGAIN ((dsa_pointer)1)

/* Keys of the table of contents: the state, the packed data, the area of the results. */
enum { KEY_STATE = 1, KEY_DATA, KEY_AREA };

typedef struct ParallelState {
    char version[32];          /* of the library: a worker may have loaded another one, which was installed meanwhile, and then does nothing */
    uint32 kind;               /* in shared_kinds */
    uint32 first, end;         /* tasks */
    uint32 ahead;              /* tasks that may be taken before the first of them is received */
    pg_atomic_uint32 next;     /* task that nobody has */
    pg_atomic_uint32 received; /* tasks before this one are */
    ConditionVariable changed;
    pg_atomic_uint64 results[FLEXIBLE_ARRAY_MEMBER]; /* [end - first] in the area; InvalidDsaPointer: not yet; PARALLEL_AGAIN */
} ParallelState;

/*
 * Does a task before its turn and leaves its result in the area, for the process that receives it, with its warnings: only the process of the fit can
 * say one once for all rows. A task that fails is left to be done again in its turn: only then is it known that no task before it fails. Other errors
 * pass, and all do if data do not serve the next task.
 */
void parallel_do(Env *env, ParallelState *state, dsa_area *area, const SharedKind *kind, void *data, uint32_t task);
/* Takes a task that nobody has. Returns false if there is none, or too few were received; *none: there is none. */
bool parallel_take_task(ParallelState *state, uint32 *task, bool *none);
/* Leaves where the result of a task is. */
void parallel_leave(ParallelState *state, uint32 task, dsa_pointer place);

/* ---- for tasks and teams ---- */

/* What a launch takes: bytes in shared memory, besides those for each worker, and what each has in its own memory. */
typedef struct ParallelRoom {
    uint64 shared, shared_each, own_each;
} ParallelRoom;

/* Gives Env.team (parallel_team.c). */
void parallel_team_init(void);
/* Tells whether a fit may have workers now. */
bool parallel_possible(void);
/* Returns how many workers pay for so much work, if more than `most` processes have nothing to do. */
int parallel_paid(double work_ms, double most);
/* Returns how many of the workers have room in so many bytes of the budget, and in shared memory. */
int parallel_with_room(const ParallelRoom *room, int workers, uint64 spare);
/* Begins to share the work of a fit; parallel_end, also after an error. */
void parallel_begin(void);
/* Returns a context of workers that run a function of this library. */
ParallelContext *parallel_context(const char *function, int workers);
/* context: NULL: there is none. */
void parallel_end(ParallelContext *context);

#endif
