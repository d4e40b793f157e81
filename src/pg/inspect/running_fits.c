/*
 * running_fits.c - what running fits report, as rows of the view pgfit.progress.
 */
#include "pg/progress/progress.h"
#include "pg/type/result_rows.h"

#include <math.h>

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

static bool may_see(Oid role)
{
    return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) || has_privs_of_role(GetUserId(), role);
}

/* Returns how many seconds the rest of the phase takes at the pace so far; NaN: unknown. */
static double seconds_left(const ProgressReport *report)
{
    if (report->total == 0 || report->done <= report->first)
        return NAN;
    return (double)(GetCurrentTimestamp() - report->since) / USECS_PER_SEC * (double)(report->total - Min(report->done, report->total)) /
           (double)(report->done - report->first);
}

/* Adds the row of a report. Of other roles' fits it says who runs them and nothing more. */
static void put_report(Tuplestorestate *rows, TupleDesc description, const ProgressReport *report)
{
    bool seen = may_see(report->role), named = seen && report->name[0] != '\0', inside = seen && report->operation[0] != '\0';
    ResultRow row = {0};

    row_add(&row, Int32GetDatum(report->pid), false);
    row_add(&row, Int32GetDatum(report->leader), report->leader == 0);
    row_add(&row, ObjectIdGetDatum(report->database), false);
    row_add(&row, ObjectIdGetDatum(report->role), false);
    row_add(&row, Int64GetDatum((int64)report->query_id), !seen || report->query_id == 0);
    row_add(&row, TimestampTzGetDatum(report->started), !seen);
    row_add_text(&row, named ? report->name : NULL);
    row_add_text(&row, named ? report->phase : NULL);
    row_add(&row, Int64GetDatum((int64)report->rows), !named);
    row_add(&row, Int64GetDatum((int64)report->fits), !named);
    row_add(&row, Int64GetDatum((int64)report->done), !named);
    row_add(&row, Int64GetDatum((int64)report->total), !seen || report->total == 0);
    row_add_number(&row, seen ? seconds_left(report) : NAN);
    row_add_number(&row, seen ? report->loss : NAN);
    row_add_text(&row, inside ? report->operation : NULL);
    row_add(&row, Int64GetDatum((int64)report->step), !inside);
    row_add(&row, Int64GetDatum((int64)report->steps), !seen || report->steps == 0);
    tuplestore_putvalues(rows, description, row.values, row.nulls);
}

/* running_fits(): the reports of all backends, for the view pgfit.progress */
PG_FUNCTION_INFO_V1(pgfit_running_fits);
PGDLLEXPORT Datum pgfit_running_fits(PG_FUNCTION_ARGS)
{
    TupleDesc description;
    Tuplestorestate *rows = rows_begin(fcinfo, &description);
    ProgressReport report;
    uint32 slots = progress_slots();

    if (slots == 0) {
        ereport(WARNING, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                          errmsg("pgfit.progress is empty, because pgfit has no shared memory"),
                          errhint("Add pgfit to shared_preload_libraries and restart the server. PostgreSQL 17 and later need no setting.")));
        return (Datum)0;
    }
    for (uint32 i = 0; i < slots; i++)
        if (progress_read(i, &report))
            put_report(rows, description, &report);
    return (Datum)0;
}
