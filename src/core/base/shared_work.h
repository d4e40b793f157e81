/*
 * shared_work.h - tasks that other processes may do too, over the same data.
 *
 * Tasks have numbers, and each gives the same result wherever it runs; results arrive in the order of the numbers. So the
 * outcome has the same bits for any number of processes, also for one alone.
 *
 * On two processors, seconds with no worker and with two, medians of 3 in turn: forest_regression of 100,000 rows of 10 features 8.0 and 4.6,
 * forest_classifier 11.1 and 6.1, kmeans of 200,000 rows with 10 clusters 2.3 and 1.5, five folds of boosted_trees_classifier over 50,000 rows 3.1 and
 * 2.2; 500 forests of 40 rows 0.12 and 0.12.
 */
#ifndef PGFIT_SHARED_WORK_H
#define PGFIT_SHARED_WORK_H

#include "core/base/env.h"

/* ---- data for another process: copied without pointers ---- */

typedef enum PackMode {
    PACK_MEASURE, /* adds up the bytes */
    PACK_WRITE,   /* copies what is visited to the bytes */
    PACK_OPEN     /* copies values back; arrays become pointers into the bytes, which outlive them and must not be written */
} PackMode;

struct Rows;
struct RowsPool;

typedef struct Pack Pack;
struct Pack {
    Env *env;
    PackMode mode;
    struct RowsPool *pool; /* for rows that PACK_OPEN makes; NULL: what is visited has none */
    uint8_t *bytes; /* on a boundary of ENV_ALIGN bytes; NULL: measuring */
    size_t size;    /* visited so far */
};

/* Returns where the next bytes are, NULL while measuring: for what is not one piece. */
uint8_t *pack_bytes(Pack *pack, size_t size);
/* Visits a value, such as a structure. Pointers in it stay those of the writer until they are visited. */
void pack_value(Pack *pack, void *value, size_t size);
/* Visits the array [count] whose pointer is at `place`; NULL stays NULL. */
void pack_array(Pack *pack, void *place, size_t count, size_t size);
/* The same where the pointer does not tell whether there is an array. */
void pack_array_if(Pack *pack, bool there, void *place, size_t count, size_t size);
/* Visits an array of structures with pointers, which the caller visits next: each process has its own. */
void pack_structures(Pack *pack, void *place, size_t count, size_t size);

/* Visits an array that has no content yet: zeros where the others are written. */
void pack_zeros(Pack *pack, void *place, size_t count, size_t size);

/* ---- work ---- */

/* One kind of tasks. `data` is what a process has for them. */
typedef struct SharedKind {
    const char *name;
    size_t data_size;
    bool has_rows; /* among what the tasks read */
    /* Visits what the tasks read: all of it or, in another process, into zeros. */
    void (*pack)(Pack *pack, void *data);
    /* Makes what a process has for itself, after PACK_OPEN. */
    void (*begin)(Env *env, void *data);
    /* Does a task and leaves the result in data. Polls. May fail and warn. */
    void (*run)(void *data, uint32_t task);
    /*
     * Returns the rows that the fits of a task are over, whose memory ends with the task, but for the result, which is in memory of begin. NULL:
     * run keeps its memory for the next task.
     */
    struct Rows *(*rows)(const void *data);
    /* Gives back what a task held when it failed, whose memory is still there, so that data serve the next task. NULL: they do not. */
    void (*abandon)(void *data);
    /* Visits the result, to take it to another process; PACK_OPEN leaves it in data as run does, without a pointer into the bytes. */
    void (*pack_result)(Pack *pack, void *data);
} SharedKind;

/* The kinds that there are, up to NULL: what a process that joins looks its own up in (core/shared_kinds.c). */
extern const SharedKind *const shared_kinds[];

typedef struct SharedWork {
    const SharedKind *kind;
    void *data;            /* of this process, begun */
    uint32_t first, end;   /* the tasks */
    bool packs;            /* whether the data can be packed: false where part of it is in a file */
    uint64_t process_room; /* bytes that one more process needs, besides the packed data */
    uint64_t spare;        /* bytes of the budget that may be used for that */
    /* Takes the result of a task, which is in data. In the order of the tasks, in this process. NULL: it is where it belongs. */
    void (*receive)(void *receiver, uint32_t task);
    void *receiver;
} SharedWork;

static inline void shared_receive(const SharedWork *work, uint32_t task)
{
    if (work->receive != NULL)
        work->receive(work->receiver, task);
}

/*
 * Does all tasks: in several processes if the host has them and they pay, else here. A task that fails elsewhere is done again here, and warnings
 * come with results, so that errors and warnings are the same and come in the order of the tasks.
 */
void shared_work(Env *env, const SharedWork *work);

#endif
