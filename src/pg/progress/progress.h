/*
 * progress.h - running fits, visible to other sessions: the view pgfit.progress.
 */
#ifndef PGFIT_PROGRESS_H
#define PGFIT_PROGRESS_H

#include "pg/server/compat.h"

#include "datatype/timestamp.h"

#define PROGRESS_ROWS 1024 /* a step reports after so many rows; a power of two */

/* Asks for shared memory if the library is being preloaded; runs as it is loaded. */
void progress_init(void);
/* Reports that the aggregate `name` of the query whose memory context this is has read so many rows. */
void progress_rows(MemoryContext query, const char *name, uint64 rows);
/* Reports that a fit of the query begins, and that it ended. */
void progress_fit_begins(MemoryContext query, const char *name);
void progress_fit_ends(MemoryContext query);
/*
 * Reports a phase, the units of work done and in total (0: unknown), and the loss (NaN: none) of the innermost query that reads rows or
 * fits; ignored without one.
 */
void progress_phase(const char *phase, uint64 done, uint64 total, double loss);

/*
 * Reports a step, from 1 on, of an operation that runs queries, such as a pass over the rows or a candidate of a search, steps in total (0: unknown),
 * and the loss after the step before (NaN: none). It is shown together with what those queries report, until the current memory context is deleted.
 */
void progress_operation(const char *operation, uint64 step, uint64 steps, double loss);

#define PROGRESS_NAME 64

/* What a backend shows. */
typedef struct ProgressReport {
    int pid; /* 0: nothing */
    int leader;
    Oid database, role;
    uint64 query_id;
    TimestampTz started;
    char name[PROGRESS_NAME]; /* of the estimator or metric; empty between two queries of an operation */
    char phase[PROGRESS_NAME];
    uint64 rows, fits;  /* read and ended so far */
    uint64 done, total; /* in this phase; total 0: unknown */
    TimestampTz since;  /* when the phase began, with `first` done; of phases whose total is known */
    uint64 first;
    double loss;        /* NaN: none */
    char operation[PROGRESS_NAME];
    uint64 step, steps; /* of the operation; steps 0: unknown */
} ProgressReport;

/* Returns the number of backends that can report; 0: there is no shared memory. */
uint32 progress_slots(void);
/* Copies the report of one of them; returns false if it shows nothing. */
bool progress_read(uint32 number, ProgressReport *report);

#endif
