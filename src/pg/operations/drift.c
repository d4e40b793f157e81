/*
 * drift.c - drift(model, source): the rows of a source against those that the model was trained on.
 */
#include "pg/operations/source.h"
#include "pg/backend/result_rows.h"
#include "core/metrics/feature_drift.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

/* Returns the query that summarizes the features of a summary in a source. */
static char *summary_query(const RowSummary *then, const Source *source)
{
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT pgfit.feature_summary(f) FROM (SELECT ");
    for (uint32_t i = 0; i < then->count; i++)
        appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "", source_column_sql(source, source_column(source, "feature", then->features[i].name)));
    appendStringInfo(&sql, " FROM %s AS %s) AS f", source->from, source->alias);
    return sql.data;
}

static RowSummary *read_jsonb(Datum datum)
{
    Jsonb *json = DatumGetJsonbP(datum);
    char *text = JsonbToCString(NULL, &json->root, VARSIZE(json));

    return summary_read(host_env(), text, strlen(text), ERROR_PARAMETER);
}

/* Runs the query with the rights of the current user. Needs SPI. */
static RowSummary *summarize(const RowSummary *then, const Source *source)
{
    bool isnull;
    Datum value;

    if (SPI_execute(summary_query(then, source), true, 0) != SPI_OK_SELECT || SPI_processed != 1)
        elog(ERROR, "the query of drift returned " UINT64_FORMAT " rows", SPI_processed);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
    if (isnull)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the source returns no rows"), errhint("Check the query, or its condition.")));
    return read_jsonb(value);
}

/* ---- rows ---- */

enum { FEATURE, VERDICT, PSI, KS, KS_ERROR, UNSEEN, UNSEEN_SHARE, EXAMPLES, NULL_THEN, NULL_NOW, MEAN_THEN, MEAN_NOW, COLUMNS };

static Datum examples_array(const FeatureDrift *drift)
{
    Datum texts[DRIFT_EXAMPLES];

    for (uint32_t i = 0; i < drift->example_count; i++)
        texts[i] = PointerGetDatum(cstring_to_text_with_len(drift->examples[i]->bytes, (int)drift->examples[i]->length));
    return PointerGetDatum(construct_array(texts, (int)drift->example_count, TEXTOID, -1, false, TYPALIGN_INT));
}

static void put_number(Datum *values, bool *nulls, int column, double number)
{
    nulls[column] = isnan(number);
    values[column] = Float8GetDatum(number);
}

static void put_drift(Tuplestorestate *rows, TupleDesc description, const FeatureDrift *drift)
{
    Datum values[COLUMNS] = {0};
    bool nulls[COLUMNS] = {0};

    values[FEATURE] = CStringGetTextDatum(drift->name);
    values[VERDICT] = CStringGetTextDatum(drift->verdict);
    put_number(values, nulls, PSI, drift->psi);
    put_number(values, nulls, KS, drift->ks);
    put_number(values, nulls, KS_ERROR, drift->ks_error);
    nulls[UNSEEN] = isnan(drift->unseen_count);
    if (!nulls[UNSEEN])
        values[UNSEEN] = Int64GetDatum((int64)drift->unseen_count);
    put_number(values, nulls, UNSEEN_SHARE, drift->unseen_share);
    nulls[EXAMPLES] = drift->example_count == 0;
    if (!nulls[EXAMPLES])
        values[EXAMPLES] = examples_array(drift);
    put_number(values, nulls, NULL_THEN, drift->null_then);
    put_number(values, nulls, NULL_NOW, drift->null_now);
    put_number(values, nulls, MEAN_THEN, drift->mean_then);
    put_number(values, nulls, MEAN_NOW, drift->mean_now);
    tuplestore_putvalues(rows, description, values, nulls);
}

static void put_drifts(FunctionCallInfo fcinfo, RowSummary *then, RowSummary *now)
{
    TupleDesc description;
    Tuplestorestate *rows = rows_begin(fcinfo, &description);

    drift_require_same(then, now);
    for (uint32_t i = 0; i < then->count; i++) {
        FeatureDrift drift = feature_drift(then, now, i);

        put_drift(rows, description, &drift);
    }
}

/* drift(training jsonb, rows jsonb) */
PG_FUNCTION_INFO_V1(pgfit_drift_summaries);
PGDLLEXPORT Datum pgfit_drift_summaries(PG_FUNCTION_ARGS)
{
    put_drifts(fcinfo, read_jsonb(PG_GETARG_DATUM(0)), read_jsonb(PG_GETARG_DATUM(1)));
    return (Datum)0;
}

/* drift(model, summary jsonb) */
PG_FUNCTION_INFO_V1(pgfit_drift_summary);
PGDLLEXPORT Datum pgfit_drift_summary(PG_FUNCTION_ARGS)
{
    put_drifts(fcinfo, model_summary(host_env(), PG_GETARG_SOUND_MODEL(0)), read_jsonb(PG_GETARG_DATUM(1)));
    return (Datum)0;
}

/* drift(model, source text or regclass) */
PG_FUNCTION_INFO_V1(pgfit_drift);
PGDLLEXPORT Datum pgfit_drift(PG_FUNCTION_ARGS)
{
    RowSummary *then = model_summary(host_env(), PG_GETARG_SOUND_MODEL(0)), *now;
    Source *source;
    MemoryContext caller = CurrentMemoryContext, spi;

    SPI_connect();
    source = get_fn_expr_argtype(fcinfo->flinfo, 1) == REGCLASSOID ? source_of_relation(PG_GETARG_OID(1))
                                                                   : source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    now = summarize(then, source);
    spi = MemoryContextSwitchTo(caller);
    put_drifts(fcinfo, then, now);
    MemoryContextSwitchTo(spi);
    SPI_finish();
    return (Datum)0;
}
