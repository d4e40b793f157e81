/*
 * pictures.c - plot: gathers the table of a model, the elements of an array or the rows of an aggregate, and has the core draw them.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/features/row_pair.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/scoring.h"
#include "pg/values/sql_value.h"
#include "core/picture/picture.h"
#include "core/picture/picture_data.h"
#include "core/prepare/pipeline.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* Rows of one composite type, read into columns. */
typedef struct RowReader {
    TupleDesc description;
    SqlValueType *types; /* [natts] */
    Datum *values;
    bool *nulls;
    PictureData *data;
} RowReader;

/* The state of the aggregate. */
typedef struct PictureState {
    Oid type;
    int32 typmod;
    RowReader reader;
    Options *options;
    Datum options_value; /* as passed with the first row */
} PictureState;

/* ---- models ---- */

/* plot(model, figure, options) */
PG_FUNCTION_INFO_V1(pgfit_plot_model);
PGDLLEXPORT Datum pgfit_plot_model(PG_FUNCTION_ARGS)
{
    const Model *model;
    Scorer scorer;
    Options *options;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
        PG_RETURN_NULL();
    model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));
    scorer = (Scorer){.model = model, .estimator = estimator_of(model)};
    if (model->kind != MODEL_FITTED || scorer.estimator == NULL)
        fail_unsupported(&scorer, "plot");
    options = options_argument(fcinfo, 2, "plot", plot_options);
    PG_RETURN_DATUM(CStringGetTextDatum(picture_of_model(host_env(), model, PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)), options)));
}

/* ---- rows ---- */

/* Prepares to read rows of a type, in the current memory context. */
static RowReader row_reader(Oid type, int32 typmod)
{
    RowReader reader = {.description = lookup_rowtype_tupdesc_copy(type, typmod)};
    int columns = reader.description->natts;
    const char **names = palloc(Max(columns, 1) * sizeof *names);

    reader.types = palloc0(Max(columns, 1) * sizeof(SqlValueType));
    reader.values = palloc(Max(columns, 1) * sizeof(Datum));
    reader.nulls = palloc(Max(columns, 1) * sizeof(bool));
    for (int c = 0; c < columns; c++) {
        Form_pg_attribute attribute = TupleDescAttr(reader.description, c);

        names[c] = NameStr(attribute->attname);
        if (!attribute->attisdropped)
            reader.types[c] = sql_value_of_type(attribute->atttypid, false);
    }
    reader.data = picture_data_new(host_env(), names, (uint32)columns);
    for (int c = 0; c < columns; c++) {
        SqlValueKind kind = reader.types[c].value_kind;

        reader.data->columns[c].time = kind == SQL_VALUE_DATE || kind == SQL_VALUE_TIMESTAMP || kind == SQL_VALUE_TIMESTAMPTZ;
    }
    return reader;
}

/* Adds a value to the last row of the data. Values of other types than numbers, times and strings stay NULL. */
static void read_value(RowReader *reader, int column)
{
    Form_pg_attribute attribute = TupleDescAttr(reader->description, column);
    SqlValueKind kind = reader->types[column].value_kind;
    Datum value = reader->values[column], kept = value, buffer;
    char label[SQL_VALUE_BUFFER];
    const char *place;
    bool overflow = false;

    if (reader->nulls[column] || attribute->attisdropped || !(sql_value_is_number(kind) || sql_value_is_level(kind)))
        return;
    if (attribute->attlen == -1)
        value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
    place = datum_place(value, attribute->attbyval, attribute->attlen, &buffer);
    if (kind == SQL_VALUE_NUMERIC) { /* which is read with the bytes before it */
        picture_data_number(reader->data, (uint32)column, sql_value_numeric(place, &overflow));
    } else if (sql_value_is_number(kind)) {
        picture_data_number(reader->data, (uint32)column, sql_value_number(kind, place, &overflow) * (kind == SQL_VALUE_DATE ? SECONDS_A_DAY : 1));
    } else {
        ReadBytes bytes = sql_value_bytes(kind, place, label);

        picture_data_copy(reader->data, (uint32)column, bytes.bytes, bytes.length);
    }
    if (value != kept) /* the context is that of the aggregate */
        pfree(DatumGetPointer(value));
}

/* Adds a row. */
static void read_row(RowReader *reader, HeapTupleHeader row)
{
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_tableOid = InvalidOid, .t_data = row};

    ItemPointerSetInvalid(&tuple.t_self);
    heap_deform_tuple(&tuple, reader->description, reader->values, reader->nulls);
    picture_data_row(reader->data);
    for (int c = 0; c < reader->description->natts; c++)
        read_value(reader, c);
}

/* plot(array [, options]) */
PG_FUNCTION_INFO_V1(pgfit_plot_array);
PGDLLEXPORT Datum pgfit_plot_array(PG_FUNCTION_ARGS)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    Options *options = options_argument(fcinfo, 1, "plot", plot_options);
    Oid type = ARR_ELEMTYPE(array);
    RowReader reader;
    ArrayIterator elements;
    Datum element;
    bool null, begun = false;

    if (!type_is_rowtype(type))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("plot draws arrays of rows, not of %s", format_type_be(type)),
                        errhint("Pass the result of roc_curve, confusion_matrix or another such aggregate, or array_agg of rows.")));
    elements = array_create_iterator(array, 0, NULL);
    while (array_iterate(elements, &element, &null)) {
        HeapTupleHeader row;

        CHECK_FOR_INTERRUPTS();
        if (null)
            continue;
        row = DatumGetHeapTupleHeader(element);
        if (!begun)
            reader = row_reader(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
        else if (HeapTupleHeaderGetTypeId(row) != reader.description->tdtypeid || HeapTupleHeaderGetTypMod(row) != reader.description->tdtypmod)
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows of plot have different types")));
        begun = true;
        read_row(&reader, row);
    }
    if (!begun)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(CStringGetTextDatum(picture_of_rows(host_env(), reader.data, options)));
}

/* plot_step(state, row [, options]) */
PG_FUNCTION_INFO_V1(pgfit_plot_step);
PGDLLEXPORT Datum pgfit_plot_step(PG_FUNCTION_ARGS)
{
    PictureState *state = PG_ARGISNULL(0) ? NULL : (PictureState *)PG_GETARG_POINTER(0);
    int options = PG_NARGS() > 2 ? 2 : -1;
    MemoryContext context, before;
    HeapTupleHeader row;
    struct varlena *now;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(1) || (options >= 0 && PG_ARGISNULL(options))) {
        if (state == NULL)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(state);
    }
    row = PG_GETARG_HEAPTUPLEHEADER(1);
    now = options >= 0 ? PG_DETOAST_DATUM(PG_GETARG_DATUM(options)) : NULL;
    AggCheckCallContext(fcinfo, &context);
    before = MemoryContextSwitchTo(context);
    if (state == NULL) {
        state = palloc0(sizeof *state);
        state->type = HeapTupleHeaderGetTypeId(row);
        state->typmod = HeapTupleHeaderGetTypMod(row);
        state->reader = row_reader(state->type, state->typmod);
        state->options = options_argument(fcinfo, options, "plot", plot_options);
        if (options >= 0)
            state->options_value = PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(options)));
    } else if (state->type != HeapTupleHeaderGetTypeId(row) || state->typmod != HeapTupleHeaderGetTypMod(row)) {
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows of plot have different types")));
    } else if (options >= 0) {
        const struct varlena *first = (const struct varlena *)DatumGetPointer(state->options_value);

        if (VARSIZE(now) != VARSIZE(first) || memcmp(now, first, VARSIZE(now)) != 0)
            fail_options_differ();
    }
    read_row(&state->reader, row);
    MemoryContextSwitchTo(before);
    PG_RETURN_POINTER(state);
}

/* plot_final(state) */
PG_FUNCTION_INFO_V1(pgfit_plot_final);
PGDLLEXPORT Datum pgfit_plot_final(PG_FUNCTION_ARGS)
{
    const PictureState *state = PG_ARGISNULL(0) ? NULL : (const PictureState *)PG_GETARG_POINTER(0);
    MemoryContext drawing, before;
    const char *text;
    Datum result;

    step_require_aggregate(fcinfo);
    if (state == NULL)
        PG_RETURN_NULL();
    drawing = AllocSetContextCreate(CurrentMemoryContext, "pgfit picture", ALLOCSET_DEFAULT_SIZES);
    before = MemoryContextSwitchTo(drawing);
    text = picture_of_rows(host_env(), state->reader.data, state->options);
    MemoryContextSwitchTo(before);
    result = CStringGetTextDatum(text);
    MemoryContextDelete(drawing);
    PG_RETURN_DATUM(result);
}
