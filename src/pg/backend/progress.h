/*
 * progress.h - running fits, visible to other sessions: the view pgfit.progress.
 */
#ifndef PGFIT_PROGRESS_H
#define PGFIT_PROGRESS_H

#include "pg/backend/compat.h"

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

#endif
