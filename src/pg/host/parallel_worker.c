/*
 * parallel_worker.c - a parallel worker that does tasks of a fit.
 */
#include "pg/host/backend_env.h"
#include "pg/host/parallel_work.h"

#include "storage/dsm.h"
#include "storage/shm_toc.h"
#include "utils/memutils.h"

PGDLLEXPORT void pgfit_parallel_work(dsm_segment *segment, shm_toc *toc);

/* Does tasks until there are none: the entry point of a worker. */
void pgfit_parallel_work(dsm_segment *segment, shm_toc *toc)
{
    ParallelState *state = shm_toc_lookup(toc, KEY_STATE, false);
    dsa_area *area = dsa_attach_in_place(shm_toc_lookup(toc, KEY_AREA, false), segment);
    MemoryContext former = MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "pgfit work", ALLOCSET_DEFAULT_SIZES));
    const SharedKind *kind = shared_kinds[state->kind];
    Env *env = host_env();
    void *data = env_array(env, 1, kind->data_size);
    Pack pack = {.env = env, .mode = PACK_OPEN, .bytes = shm_toc_lookup(toc, KEY_DATA, false)};
    uint32 task;
    bool none;

    kind->pack(&pack, data);
    kind->begin(env, data);
    for (;;) {
        if (parallel_take_task(state, &task, &none)) {
            kind->run(data, task);
            parallel_leave_result(env, state, area, kind, data, task);
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
    dsa_detach(area);
    MemoryContextSwitchTo(former);
}
