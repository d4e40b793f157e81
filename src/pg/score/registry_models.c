/*
 * registry_models.c - get_model(name [, version]): models of the registry as values.
 */
#include "pg/score/served_models.h"

/* get_model(name, version) */
PG_FUNCTION_INFO_V1(pgfit_get_model);
PGDLLEXPORT Datum pgfit_get_model(PG_FUNCTION_ARGS)
{
    FmgrInfo *info = fcinfo->flinfo;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (!PG_ARGISNULL(1))
        return served_version(PG_GETARG_DATUM(0), PG_GETARG_INT32(1));
    if (info->fn_extra == NULL)
        info->fn_extra = served_site(info->fn_mcxt);
    return served_value(info->fn_extra, PG_GETARG_DATUM(0));
}
