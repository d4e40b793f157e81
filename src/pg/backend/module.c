/*
 * module.c - the library's magic block and what happens when it is loaded.
 */
#include "pg/backend/backend_env.h"

PGFIT_MODULE_MAGIC(PGFIT_VERSION);

/* 0: the linked OpenBLAS is the serial one. */
extern int openblas_get_parallel(void);

PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
    if (openblas_get_parallel() != 0)
        ereport(ERROR,
                (errcode(ERRCODE_CONFIG_FILE_ERROR),
                 errmsg("pgfit is linked with an OpenBLAS that starts threads"),
                 errhint("Link the serial variant: threads of a library take a backend's signals.")));
    pgfit_guc_init();
}
