/*
 * summary_aggregate.c - feature_summary(row) and merge_summaries(summary): aggregates whose state is a summary of features.
 *
 * The state lives in the aggregate's memory context. Between parallel processes it travels as the JSON text that the result has.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/values/sql_value.h"
#include "core/drift/feature_summary.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/jsonb.h"
#include "utils/typcache.h"

/* What a call site knows of its rows. */
typedef struct SummarySite {
    Oid type;
    int32 parameter;
    TupleDesc columns; /* NULL: not known yet */
    SqlValueType *types;
    Datum *values;
    bool *nulls;
} SummarySite;

static MemoryContext aggregate_context(FunctionCallInfo fcinfo)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a support function of an aggregate was called outside one")));
    return context;
}

/* Learns the columns of a row type. Fails for a type that has neither numbers nor levels. */
static void site_learn(SummarySite *site, FunctionCallInfo fcinfo, HeapTupleHeader row)
{
    MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    TupleDesc columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));

    site->type = HeapTupleHeaderGetTypeId(row);
    site->parameter = HeapTupleHeaderGetTypMod(row);
    site->columns = CreateTupleDescCopy(columns);
    ReleaseTupleDesc(columns);
    site->types = palloc0(sizeof(SqlValueType) * (Size)Max(site->columns->natts, 1));
    site->values = palloc(sizeof(Datum) * (Size)Max(site->columns->natts, 1));
    site->nulls = palloc((Size)Max(site->columns->natts, 1));
    for (int i = 0; i < site->columns->natts; i++) {
        Form_pg_attribute column = TupleDescAttr(site->columns, i);

        if (column->attisdropped)
            continue;
        site->types[i] = sql_value_of_type(column->atttypid, false);
        if (!sql_value_is_number(site->types[i].value_kind) && !sql_value_is_level(site->types[i].value_kind))
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                            errmsg("column \"%s\" has type %s, which is neither a number nor text", NameStr(column->attname),
                                   format_type_be(column->atttypid)),
                            errhint("Leave the column out, or cast it.")));
    }
    MemoryContextSwitchTo(caller);
}

static RowSummary *begin_summary(const SummarySite *site)
{
    int columns = site->columns->natts;
    const char **names = palloc(sizeof(char *) * (Size)Max(columns, 1));
    bool *levels = palloc((Size)Max(columns, 1));
    uint32_t count = 0;

    for (int i = 0; i < columns; i++)
        if (!TupleDescAttr(site->columns, i)->attisdropped) {
            names[count] = NameStr(TupleDescAttr(site->columns, i)->attname);
            levels[count++] = sql_value_is_level(site->types[i].value_kind);
        }
    return summary_new(host_env(), count, names, levels);
}

/* Adds a value. What it takes to read it stays in the current memory context; what the summary keeps goes to the other one. */
static void add_value(RowSummary *summary, MemoryContext context, uint32_t feature, const SqlValueType *type, Form_pg_attribute column, Datum datum)
{
    char text[SQL_VALUE_BUFFER];
    bool overflow = false;
    double number = 0;
    ReadBytes level = {0};
    MemoryContext caller;
    Datum buffer;
    const char *place = datum_place(datum, column->attbyval, column->attlen, &buffer);

    if (column->attlen == -1)
        place = (const char *)PG_DETOAST_DATUM(datum);
    if (sql_value_is_number(type->value_kind))
        number = sql_value_number(type->value_kind, place, &overflow);
    else
        level = sql_value_bytes(type->value_kind, place, text);
    caller = MemoryContextSwitchTo(context);
    if (sql_value_is_number(type->value_kind))
        summary_number(summary, feature, number);
    else
        summary_level(summary, feature, level.bytes, level.length);
    MemoryContextSwitchTo(caller);
}

/* feature_summary_step(state internal, row record) */
PG_FUNCTION_INFO_V1(pgfit_feature_summary_step);
PGDLLEXPORT Datum pgfit_feature_summary_step(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo), caller;
    RowSummary *summary = PG_ARGISNULL(0) ? NULL : (RowSummary *)PG_GETARG_POINTER(0);
    SummarySite *site = fcinfo->flinfo->fn_extra;
    HeapTupleHeader row;
    HeapTupleData tuple;

    if (PG_ARGISNULL(1)) {
        if (summary == NULL)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(summary);
    }
    row = PG_GETARG_HEAPTUPLEHEADER(1);
    if (site == NULL)
        site = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SummarySite));
    if (site->columns == NULL || site->type != HeapTupleHeaderGetTypeId(row) || site->parameter != HeapTupleHeaderGetTypMod(row))
        site_learn(site, fcinfo, row);
    tuple.t_len = HeapTupleHeaderGetDatumLength(row);
    ItemPointerSetInvalid(&tuple.t_self);
    tuple.t_tableOid = InvalidOid;
    tuple.t_data = row;
    heap_deform_tuple(&tuple, site->columns, site->values, site->nulls);
    if (summary == NULL) {
        caller = MemoryContextSwitchTo(context);
        summary = begin_summary(site);
        MemoryContextSwitchTo(caller);
    }
    for (int i = 0, feature = 0; i < site->columns->natts; i++) {
        Form_pg_attribute column = TupleDescAttr(site->columns, i);

        if (column->attisdropped)
            continue;
        if ((uint32_t)feature >= summary->count || summary->features[feature].levels != sql_value_is_level(site->types[i].value_kind))
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows of a summary have different columns")));
        if (site->nulls[i])
            summary_null(summary, (uint32_t)feature);
        else
            add_value(summary, context, (uint32_t)feature, &site->types[i], column, site->values[i]);
        feature++;
    }
    summary->rows++;
    PG_RETURN_POINTER(summary);
}

static RowSummary *summary_of_jsonb(Datum datum)
{
    Jsonb *json = DatumGetJsonbP(datum);
    char *text = JsonbToCString(NULL, &json->root, VARSIZE(json));

    return summary_read(host_env(), text, strlen(text), ERROR_PARAMETER);
}

/* Merges a summary into a state, in the memory context of the aggregate; into NULL: it becomes the state. */
static RowSummary *merge_into(MemoryContext context, RowSummary *into, RowSummary *from)
{
    MemoryContext caller = MemoryContextSwitchTo(context);

    if (into == NULL) {
        char *text = summary_text(from, NULL);

        into = summary_read(host_env(), text, strlen(text), ERROR_INTERNAL);
    } else {
        summary_merge(into, from);
    }
    MemoryContextSwitchTo(caller);
    return into;
}

/* merge_summaries_step(state internal, summary jsonb) */
PG_FUNCTION_INFO_V1(pgfit_merge_summaries_step);
PGDLLEXPORT Datum pgfit_merge_summaries_step(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    RowSummary *summary = PG_ARGISNULL(0) ? NULL : (RowSummary *)PG_GETARG_POINTER(0);

    if (!PG_ARGISNULL(1))
        summary = merge_into(context, summary, summary_of_jsonb(PG_GETARG_DATUM(1)));
    if (summary == NULL)
        PG_RETURN_NULL();
    PG_RETURN_POINTER(summary);
}

/* feature_summary_combine(state internal, other internal) */
PG_FUNCTION_INFO_V1(pgfit_feature_summary_combine);
PGDLLEXPORT Datum pgfit_feature_summary_combine(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    RowSummary *summary = PG_ARGISNULL(0) ? NULL : (RowSummary *)PG_GETARG_POINTER(0);

    if (!PG_ARGISNULL(1))
        summary = merge_into(context, summary, (RowSummary *)PG_GETARG_POINTER(1));
    if (summary == NULL)
        PG_RETURN_NULL();
    PG_RETURN_POINTER(summary);
}

/* feature_summary_serialize(state internal) */
PG_FUNCTION_INFO_V1(pgfit_feature_summary_serialize);
PGDLLEXPORT Datum pgfit_feature_summary_serialize(PG_FUNCTION_ARGS)
{
    (void)aggregate_context(fcinfo);
    PG_RETURN_BYTEA_P(cstring_to_text(summary_text((RowSummary *)PG_GETARG_POINTER(0), NULL)));
}

/* feature_summary_deserialize(bytes bytea, internal) */
PG_FUNCTION_INFO_V1(pgfit_feature_summary_deserialize);
PGDLLEXPORT Datum pgfit_feature_summary_deserialize(PG_FUNCTION_ARGS)
{
    char *text;

    (void)aggregate_context(fcinfo);
    text = text_to_cstring((const struct varlena *)PG_GETARG_BYTEA_PP(0));
    PG_RETURN_POINTER(summary_read(host_env(), text, strlen(text), ERROR_BINARY));
}

/* feature_summary_final(state internal) */
PG_FUNCTION_INFO_V1(pgfit_feature_summary_final);
PGDLLEXPORT Datum pgfit_feature_summary_final(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo), caller;
    char *text;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    caller = MemoryContextSwitchTo(context); /* settling moves the buckets of the state */
    text = summary_text((RowSummary *)PG_GETARG_POINTER(0), NULL);
    MemoryContextSwitchTo(caller);
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
}

/* with_summary(model, summary jsonb) */
PG_FUNCTION_INFO_V1(pgfit_with_summary);
PGDLLEXPORT Datum pgfit_with_summary(PG_FUNCTION_ARGS)
{
    const Model *model;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    model = PG_GETARG_SOUND_MODEL(0);
    if (PG_ARGISNULL(1))
        PG_RETURN_MODEL(model_without_summary(host_env(), model));
    PG_RETURN_MODEL(model_with_summary(host_env(), model, summary_of_jsonb(PG_GETARG_DATUM(1))));
}

/* training_summary(model) */
PG_FUNCTION_INFO_V1(pgfit_training_summary);
PGDLLEXPORT Datum pgfit_training_summary(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_MODEL(0);

    if (!model_has_summary(model))
        PG_RETURN_NULL();
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(summary_text(model_summary(host_env(), model), NULL)));
}
