/*
 * settings.c - the settings of the library.
 */
#include "pg/host/backend_env.h"
#include "pg/server/trusted_functions.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

int pgfit_fit_mem = -1;
bool pgfit_log_progress = false;
bool pgfit_plan_rows = true;

void define_settings(void)
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
    DefineCustomBoolVariable("pgfit.plan_rows", "Lets the planner pass the columns that a fit reads instead of whole rows.",
                             "Results, errors and hints are the same; if off, fits to whole rows take longer.",
                             &pgfit_plan_rows, true, PGC_USERSET, 0, NULL, NULL, NULL);
    trusted_functions_init();
    MarkGUCPrefixReserved("pgfit");
}

size_t pgfit_fit_mem_bytes(void)
{
    int kilobytes = pgfit_fit_mem < 0 ? maintenance_work_mem : pgfit_fit_mem;

    return (size_t)kilobytes * 1024;
}
