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

enum { PID, LEADER, DATABASE, ROLE, QUERY_ID, STARTED, NAME, PHASE, ROWS, FITS, DONE, TOTAL, LOSS, OPERATION, STEP, STEPS, COLUMNS };

/* Adds the row of a report. Of other roles' fits it says who runs them and nothing more. */
static void put_report(Tuplestorestate *rows, TupleDesc description, const ProgressReport *report)
{
    Datum values[COLUMNS] = {0};
    bool nulls[COLUMNS];

    memset(nulls, true, sizeof nulls);
#define PUT(column_, datum_) (values[column_] = (datum_), nulls[column_] = false)
    PUT(PID, Int32GetDatum(report->pid));
    if (report->leader != 0)
        PUT(LEADER, Int32GetDatum(report->leader));
    PUT(DATABASE, ObjectIdGetDatum(report->database));
    PUT(ROLE, ObjectIdGetDatum(report->role));
    if (may_see(report->role)) {
        if (report->query_id != 0)
            PUT(QUERY_ID, Int64GetDatum((int64)report->query_id));
        PUT(STARTED, TimestampTzGetDatum(report->started));
        if (report->name[0] != '\0') {
            PUT(NAME, CStringGetTextDatum(report->name));
            PUT(PHASE, CStringGetTextDatum(report->phase));
            PUT(ROWS, Int64GetDatum((int64)report->rows));
            PUT(FITS, Int64GetDatum((int64)report->fits));
            PUT(DONE, Int64GetDatum((int64)report->done));
        }
        if (report->total != 0)
            PUT(TOTAL, Int64GetDatum((int64)report->total));
        if (report->operation[0] != '\0') {
            PUT(OPERATION, CStringGetTextDatum(report->operation));
            PUT(STEP, Int64GetDatum((int64)report->step));
        }
        if (report->steps != 0)
            PUT(STEPS, Int64GetDatum((int64)report->steps));
        if (!isnan(report->loss))
            PUT(LOSS, Float8GetDatum(report->loss));
    }
#undef PUT
    tuplestore_putvalues(rows, description, values, nulls);
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
