/*
 * module.c - the magic block of the library, and what runs when it is loaded.
 */
#include "pg/host/backend_env.h"
#include "pg/progress/progress.h"
#include "pg/host/query_notes.h"
#include "pg/metrics/metric_state.h"
#include "pg/planner/row_columns.h"

PGFIT_MODULE_MAGIC(PGFIT_VERSION);

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
    pair_functions_init();
    parallel_work_init();
    metric_kinds[0] = &table_kind;
    metric_kinds[1] = &loss_kind;
    metric_kinds[2] = &test_kind;
}
