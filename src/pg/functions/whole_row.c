/*
 * whole_row.c - a row of a table as a value of type record that still knows its columns. A cast does not do: PostgreSQL drops it from the query that
 * Citus sends, and there the type is the table's.
 */
#include "pg/backend/backend_env.h"

PG_FUNCTION_INFO_V1(pgfit_whole_row);
PGDLLEXPORT Datum pgfit_whole_row(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
