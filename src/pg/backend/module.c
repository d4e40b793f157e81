/*
 * module.c - the magic block of the library, its two settings, and what runs when it is loaded.
 */
#include "pg/backend/progress.h"
#include "pg/backend/query_notes.h"
#include "pg/backend/row_planning.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

PGFIT_MODULE_MAGIC(PGFIT_VERSION);

int pgfit_fit_mem = -1;
bool pgfit_log_progress = false;

static void define_settings(void)
{
    DefineCustomIntVariable("pgfit.fit_mem",
                            "Memory that a fit may use for rows and working arrays, per plan node and process; -1 means "
                            "maintenance_work_mem.",
                            "Beyond it, methods that stream write rows to a temporary file; others fail and report how "
                            "much they need.",
                            &pgfit_fit_mem, -1, -1, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL,
                            NULL, NULL);
    DefineCustomBoolVariable("pgfit.log_progress", "Logs the progress of long fits.",
                             "If off, progress is reported at message level DEBUG1.",
                             &pgfit_log_progress, false, PGC_USERSET, 0, NULL, NULL, NULL);
    MarkGUCPrefixReserved("pgfit");
}

size_t pgfit_fit_mem_bytes(void)
{
    int kilobytes = pgfit_fit_mem < 0 ? maintenance_work_mem : pgfit_fit_mem;

    return (size_t)kilobytes * 1024;
}

/* Returns 0 if the linked OpenBLAS is the serial one. */
extern int openblas_get_parallel(void);

PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    if (openblas_get_parallel() != 0)
        ereport(ERROR,
                (errcode(ERRCODE_CONFIG_FILE_ERROR),
                 errmsg("pgfit is linked with an OpenBLAS that starts threads"),
                 errhint("Link the serial variant; threads of a library would receive the backend's signals.")));
    define_settings();
    progress_init();
    query_notes_init();
    row_planning_init();
}
