/*
 * guc.c - the two settings.
 */
#include "pg/backend/backend_env.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

int pgfit_fit_mem = -1;
bool pgfit_log_progress = false;

void pgfit_guc_init(void)
{
    DefineCustomIntVariable("pgfit.fit_mem",
                            "Memory a fit may take for rows and working arrays, a plan node and "
                            "process; -1 means maintenance_work_mem.",
                            "Rows past it go to a temporary file where the method streams; a method "
                            "that needs more fails and says how much.",
                            &pgfit_fit_mem, -1, -1, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL,
                            NULL, NULL);
    DefineCustomBoolVariable("pgfit.log_progress", "Logs the progress of long fits.",
                             "Without it progress is reported at message level DEBUG1.",
                             &pgfit_log_progress, false, PGC_USERSET, 0, NULL, NULL, NULL);
    MarkGUCPrefixReserved("pgfit");
}

size_t pgfit_fit_mem_bytes(void)
{
    int kilobytes = pgfit_fit_mem < 0 ? maintenance_work_mem : pgfit_fit_mem;

    return (size_t)kilobytes * 1024;
}
