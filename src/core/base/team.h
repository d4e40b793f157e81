/*
 * team.h - processes that do each phase of a fit together: thousands of short ones per second, over data that change.
 *
 * A phase has blocks with numbers. Each process takes the next block that nobody has, and writes only what belongs to the block, or to itself. The
 * process of the fit takes blocks too; when all of them are done, it alone goes on to what comes before the next phase. Where the outcome does not
 * depend on which process does a block, it has the same bits for any number of them, also for one alone. Tasks that need nothing of each other are
 * for shared_work.h.
 *
 * Seconds alone and with a worker, and of XGBoost 1.7 with one thread and two, 100 trees of depth 6 over 500,000 rows of 10 features, two quiet
 * processors: boosted_trees_regression 1.94 and 1.47 (3.55 and 2.36), boosted_trees_classifier 2.63 and 1.82 (4.07 and 2.63). Of one start of kmeans with
 * 100 clusters and 20 iterations over 50,000 rows of 64 features on busy ones: 1.32 and 0.83, of gaussian_mixture with 10 clusters over 200,000 rows of 8:
 * 1.28 and 0.86.
 */
#ifndef PGFIT_TEAM_H
#define PGFIT_TEAM_H

#include "core/base/shared_work.h"

/* Processes at work on a fit, seen by the process of the fit. NULL where the core has one: that process alone. */
typedef struct Team Team;
struct Team {
    /* Does all blocks of a phase. May not return. */
    void (*run)(Team *team, uint32_t phase, uint32_t blocks);
};

/* One kind of work in phases. `data` is what a process has for them. */
typedef struct TeamKind {
    const char *name;
    size_t data_size;
    /* Visits what nobody changes: the whole data first. */
    void (*pack)(Pack *pack, void *data);
    /*
     * Visits the arrays that change, which then lie where all processes of a team see them; the process of the fit too visits them with PACK_OPEN.
     * processes: how many a team may have.
     */
    void (*share)(Pack *pack, void *data, uint32_t processes);
    /* Does a block. process: the number of this one, 0 in the process of the fit. Polls. Neither fails nor warns nor allocates. */
    void (*run)(void *data, uint32_t process, uint32_t phase, uint32_t block);
} TeamKind;

/* The kinds that there are, up to NULL: what a process that joins looks its own up in (core/shared_kinds.c). */
extern const TeamKind *const team_kinds[];

/* Work that goes on in steps of about the same time, each with many phases. */
typedef struct TeamWork {
    const TeamKind *kind;
    void *data;            /* of the process of the fit, in its own memory; lasts until team_work returns */
    uint32_t first, end;   /* the steps, at most */
    uint32_t expected;     /* how many of them, where the end is a limit that few reach: to tell whether processes pay; 0: all */
    bool pays;             /* whether phases are long enough to be shared, and the data can be packed */
    uint64_t process_room; /* bytes that one more process needs, besides what is packed and shared */
    uint64_t spare;        /* bytes of the budget that may be used for that */
    /* Does a step, in the process of the fit. Returns false if no other is to follow. team NULL: this process is alone, at least until the next step. */
    bool (*step)(void *owner, Team *team, uint32_t step);
    /* Does what comes after the last step and reads what is shared. */
    void (*finish)(void *owner);
    void *owner;
} TeamWork;

/* Does all steps: once they take so long that it pays, with a team if the host has one. */
void team_work(Env *env, const TeamWork *work);
/* Does all blocks of a phase. team NULL: here. */
static inline void team_run(Team *team, const TeamKind *kind, void *data, uint32_t phase, uint32_t blocks)
{
    if (team != NULL)
        team->run(team, phase, blocks);
    for (uint32_t block = 0; team == NULL && block < blocks; block++)
        kind->run(data, 0, phase, block);
}

#endif
