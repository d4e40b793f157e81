/*
 * drift.c - drift(model, source): the rows of a source against those that the model was trained on.
 */
#include "pg/operations/drift.h"
#include "pg/type/json_options.h"
#include "pg/type/result_rows.h"
#include "pg/values/sql_value.h"
#include "core/formula/formula.h"
#include "core/formula/formula_model.h"
#include "core/drift/feature_drift.h"
#include "core/model/schema.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

/* Returns the query that summarizes columns of a source, which are written as "d.a, d.b". */
static char *summary_query(const char *columns, const Source *source, const char *condition)
{
    return psprintf("SELECT pgfit.feature_summary(f.*) FROM (SELECT %s%s) AS f", columns, source_rows_sql(source, " ", condition));
}

/* Returns the formula of a schema, or NULL. */
static const Formula *formula_in_training(const Model *schema)
{
    uint32_t length;
    const char *text = schema_formula(schema, &length), *wrong;

    return text != NULL ? formula_of_schema(host_env(), pnstrdup(text, length), length, schema, &wrong) : NULL;
}

/* Returns what a column was in training: as a field, or inside the formula. */
static FieldKind kind_in_training(const Model *schema, const Formula *formula, const char *name)
{
    int field = schema_find_field(schema, name, strlen(name));

    for (uint32 i = 0; field < 0 && formula != NULL && i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *variable = formula_variable(formula, i, &length);

        if (length == strlen(name) && memcmp(variable, name, length) == 0)
            return formula_variable_kind(formula, i);
    }
    return field < 0 ? FIELD_NUMERIC : schema_field_kind(schema, (uint32_t)field);
}

/* Writes a column of a source in the unit of training, as scores convert it: timestamps as days where it was a date, a date as a timestamp where it was one. */
static void add_column(StringInfo sql, const Source *source, int column, FieldKind trained)
{
    const char *value = source_column_sql(source, column);
    const char *name = quote_identifier(NameStr(TupleDescAttr(source->columns, column)->attname));
    SqlValueKind kind = sql_value_of_type(TupleDescAttr(source->columns, column)->atttypid, false).value_kind;

    if (trained == FIELD_DATE && (kind == SQL_VALUE_TIMESTAMP || kind == SQL_VALUE_TIMESTAMPTZ))
        appendStringInfo(sql, "(pg_catalog.date_part('epoch', %s) OPERATOR(pg_catalog.-) 946684800) OPERATOR(pg_catalog./) 86400 AS %s", value, name);
    else if ((trained == FIELD_TIMESTAMP || trained == FIELD_TIMESTAMPTZ) && kind == SQL_VALUE_DATE)
        appendStringInfo(sql, "%s::pg_catalog.timestamp AS %s", value, name);
    else
        appendStringInfoString(sql, value);
}

/* Lists the features of a summary as columns of a source. */
static char *columns_of_summary(const RowSummary *then, const Model *model, const Source *source)
{
    const Model *schema = formula_row_schema(host_env(), model);
    const Formula *formula = formula_in_training(schema);
    StringInfoData sql;

    initStringInfo(&sql);
    for (uint32_t i = 0; i < then->count; i++) {
        const char *name = then->features[i].name;

        appendStringInfoString(&sql, i > 0 ? ", " : "");
        add_column(&sql, source, source_column(source, "feature", name), kind_in_training(schema, formula, name));
    }
    return sql.data;
}

static RowSummary *read_jsonb(Datum datum)
{
    Jsonb *json = DatumGetJsonbP(datum);
    char *text = JsonbToCString(NULL, &json->root, VARSIZE(json));

    return summary_read(host_env(), text, strlen(text), ERROR_PARAMETER);
}

/* Runs the query with the rights of the current user. Needs SPI. */
static RowSummary *summarize(const char *columns, const Source *source, const char *condition)
{
    bool isnull;
    Datum value;

    if (SPI_execute(summary_query(columns, source, condition), true, 0) != SPI_OK_SELECT || SPI_processed != 1)
        elog(ERROR, "the query of drift returned " UINT64_FORMAT " rows", SPI_processed);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
    if (isnull)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the source returns no rows"), errhint("Check the query, or its condition.")));
    return read_jsonb(value);
}

/* ---- the summary that a fit keeps ---- */

static bool name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

/* Tells whether a formula has this name as a word. */
static bool formula_names(const char *formula, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = strstr(formula, name); found != NULL; found = strstr(found + 1, name))
        if ((found == formula || !name_character(found[-1])) && !name_character(found[length]))
            return true;
    return false;
}

/* Tells whether a model reads a column of its source: as a field, or inside its formula. */
static bool model_reads(const Model *schema, const char *formula, const char *name)
{
    return schema_find_field(schema, name, strlen(name)) >= 0 || (formula != NULL && formula_names(formula, name));
}

/* Tells whether a model reads a column of its source, and a summary can have it: a number or levels. */
static bool is_summarized(const FitQuery *query, const Model *schema, const char *formula, int i)
{
    Form_pg_attribute column = TupleDescAttr(query->source->columns, i);
    SqlValueKind kind;

    if (column->attisdropped || i == query->target || i == query->id || i == query->weight || !model_reads(schema, formula, NameStr(column->attname)))
        return false;
    kind = sql_value_of_type(column->atttypid, false).value_kind;
    return sql_value_is_number(kind) || sql_value_is_level(kind);
}

char *summary_columns(const FitQuery *query, const Model *model)
{
    const Model *schema = formula_row_schema(host_env(), model);
    const char *formula = schema_formula_text(host_env(), model);
    StringInfoData columns;

    initStringInfo(&columns);
    for (int i = 0; i < query->source->columns->natts; i++)
        if (is_summarized(query, schema, formula, i))
            appendStringInfo(&columns, "%s%s", columns.len > 0 ? ", " : "", source_column_sql(query->source, i));
    return columns.len > 0 ? columns.data : NULL;
}

/* Lists names of columns as JSON; NULL: there are none. */
static char *names_read(const FitQuery *query, const Model *schema, const char *formula)
{
    StringInfoData names;

    initStringInfo(&names);
    for (int i = 0; i < query->source->columns->natts; i++)
        if (is_summarized(query, schema, formula, i))
            json_options_quote(&names, names.len > 0 ? ", " : "[", NameStr(TupleDescAttr(query->source->columns, i)->attname));
    appendStringInfoChar(&names, ']');
    return names.len > 1 ? names.data : NULL;
}

char *summary_names(const FitQuery *query, const Model *model)
{
    const Model *schema = formula_row_schema(host_env(), model);
    const char *formula = schema_formula_text(host_env(), model);
    /* beside "." a formula names columns to leave them out, or again: what it reads are fields */
    char *names = formula != NULL && strchr(formula, '.') != NULL ? names_read(query, schema, NULL) : NULL;

    return names != NULL ? names : names_read(query, schema, formula);
}

Model *model_keep_summary(const FitQuery *query, const char *condition, const Model *model)
{
    char *columns = summary_columns(query, model);
    Model *kept;

    if (columns == NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model reads no column of the source that could be summarized"),
                        errhint("Leave \"summary\" out of the options, or name columns of numbers or text in the formula.")));
    kept = model_with_summary(host_env(), model, summarize(columns, query->source, condition));
    (void)model_datum(kept); /* sets the length word: the value may be passed on as it is */
    return kept;
}

/* ---- rows ---- */

static Datum examples_array(const FeatureDrift *drift)
{
    Datum texts[DRIFT_EXAMPLES];

    for (uint32_t i = 0; i < drift->example_count; i++)
        texts[i] = PointerGetDatum(cstring_to_text_with_len(drift->examples[i]->bytes, (int)drift->examples[i]->length));
    return PointerGetDatum(construct_array(texts, (int)drift->example_count, TEXTOID, -1, false, TYPALIGN_INT));
}

static void put_drift(Tuplestorestate *rows, TupleDesc description, const FeatureDrift *drift)
{
    bool counted = !isnan(drift->unseen_count);
    ResultRow row = {0};

    row_add_text(&row, drift->name);
    row_add_text(&row, drift->verdict);
    row_add_number(&row, drift->psi);
    row_add_number(&row, drift->ks);
    row_add_number(&row, drift->ks_error);
    row_add(&row, Int64GetDatum(counted ? (int64)drift->unseen_count : 0), !counted);
    row_add_number(&row, drift->unseen_share);
    row_add(&row, drift->example_count == 0 ? (Datum)0 : examples_array(drift), drift->example_count == 0);
    row_add_number(&row, drift->null_then);
    row_add_number(&row, drift->null_now);
    row_add_number(&row, drift->mean_then);
    row_add_number(&row, drift->mean_now);
    tuplestore_putvalues(rows, description, row.values, row.nulls);
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

/* drift(model, source) */
PG_FUNCTION_INFO_V1(pgfit_drift);
PGDLLEXPORT Datum pgfit_drift(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    RowSummary *then = model_summary(host_env(), model), *now;
    Source *source;
    MemoryContext caller = CurrentMemoryContext, spi;

    SPI_connect();
    source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    now = summarize(columns_of_summary(then, model, source), source, NULL);
    spi = MemoryContextSwitchTo(caller);
    put_drifts(fcinfo, then, now);
    MemoryContextSwitchTo(spi);
    SPI_finish();
    return (Datum)0;
}
