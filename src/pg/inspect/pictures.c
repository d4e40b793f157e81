/*
 * pictures.c - plot: gathers the table of a model, the elements of an array or the rows of an aggregate, with what a model says about each, and has the
 * core draw them.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/features/row_pair.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/scoring.h"
#include "pg/values/sql_value.h"
#include "core/picture/picture.h"
#include "core/picture/picture_data.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#define PIECE ((size_t)1 << 20) /* bytes of a picture between polls */

/* Rows of one composite type, read into columns. */
typedef struct RowReader {
    TupleDesc description;
    SqlValueType *types; /* [natts] */
    Datum *values;
    bool *nulls;
    PictureData *data;
} RowReader;

/* What scores each row, in a call site of its own, which sees the row as argument 1. */
typedef struct RowScores {
    const Scorer *scorer; /* of a copy of the first model; NULL: rows are drawn without one */
    Datum model;
    FmgrInfo info;
    ScoringCall *call;
    PGFunction limits; /* or the prediction alone, where the model has no limits */
    NullableDatum level;
    TupleDesc point; /* rows that are made up have the columns that are kept: times and booleans as they are, numbers as float8 and others as text; NULL: none was yet */
    FeatureReader *point_reader;
    MemoryContext point_memory;
    PictureData *data;
    const SqlValueType *types; /* of the columns of the data */
} RowScores;

/* The state of the aggregate. */
typedef struct PictureState {
    Oid type;
    int32 typmod;
    RowReader reader;
    RowScores scores;
    Options *options;
    Datum options_value; /* as passed with the first row */
} PictureState;

/* Returns a picture as text. Copying may take longer than a cancel waits. */
static Datum picture_datum(const char *picture)
{
    size_t length = strlen(picture);
    text *out = palloc(length + VARHDRSZ);

    SET_VARSIZE(out, length + VARHDRSZ);
    for (size_t at = 0; at < length; at += PIECE) {
        CHECK_FOR_INTERRUPTS();
        memcpy(VARDATA(out) + at, picture + at, Min(PIECE, length - at));
    }
    return PointerGetDatum(out);
}

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
    PG_RETURN_DATUM(picture_datum(picture_of_model(host_env(), model, PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)), options)));
}

/* ---- rows ---- */

/* Tells whether a model reads a column as a boolean, which numbers 0 and 1 may be, too. scorer: NULL: there is no model. */
static bool reads_boolean(const Scorer *scorer, const char *column)
{
    const Model *reads = scorer != NULL ? scorer_reads(scorer) : NULL;
    int field = reads != NULL ? schema_find_field(reads, column, strlen(column)) : -1;

    return field >= 0 && schema_has_kinds(reads) && schema_field_kind(reads, (uint32)field) == FIELD_BOOLEAN;
}

/* Prepares to read rows of a type, in the current memory context. scorer: of a model that is drawn with them, or NULL. */
static RowReader row_reader(Oid type, int32 typmod, const Scorer *scorer, const Options *options)
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
    reader.data = picture_rows(host_env(), names, (uint32)columns, scorer, options);
    for (int c = 0; c < columns; c++) {
        SqlValueKind kind = reader.types[c].value_kind;

        reader.data->columns[c].boolean = kind == SQL_VALUE_BOOLEAN || (sql_value_is_plain_number(kind) && reads_boolean(scorer, names[c]));
        reader.data->columns[c].level = sql_value_is_level(kind);
        reader.data->columns[c].date = kind == SQL_VALUE_DATE;
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

    if (reader->nulls[column] || reader->data->columns[column].unused || attribute->attisdropped || !(sql_value_is_number(kind) || sql_value_is_level(kind)))
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
            reader = row_reader(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row), NULL, options);
        else if (HeapTupleHeaderGetTypeId(row) != reader.description->tdtypeid || HeapTupleHeaderGetTypMod(row) != reader.description->tdtypmod)
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows of plot have different types")));
        begun = true;
        read_row(&reader, row);
    }
    if (!begun)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(picture_datum(picture_of_rows(host_env(), reader.data, options)));
}

/* ---- rows beside a model ---- */

/* Prepares to score rows of a type with a copy of the model, in the current memory context: another value can be made to have its fingerprint. */
static void begin_scores(RowScores *scores, const Model *model, Oid type, const Options *options)
{
    Model *copy = model_copy(model);
    const Scoring *scoring;

    scores->model = model_datum(copy);
    scores->call = palloc0(sizeof(ScoringCall));
    scores->call->cache = scorer_cache_create(CurrentMemoryContext);
    scores->call->constant = true;
    scores->scorer = scorer_cache_get(scores->call->cache, scores->model, true);
    if (scores->scorer->model->kind != MODEL_FITTED || scores->scorer->estimator == NULL)
        fail_unsupported(scores->scorer, "plot");
    scoring = scoring_of(scores->scorer);
    scores->limits = scoring->interval != NULL || scores->scorer->conformal != NULL ? pgfit_predict_interval : pgfit_predict;
    scores->level = (NullableDatum){.isnull = !options_given(options, "level")};
    if (!scores->level.isnull)
        scores->level.value = Float8GetDatum(options_number(options, "level"));
    scores->info = (FmgrInfo){.fn_mcxt = CurrentMemoryContext, .fn_nargs = 3, .fn_extra = scores->call};
    scores->info.fn_expr = (Node *)makeFuncExpr(InvalidOid, RECORDOID,
                                                list_make3(makeNullConst(model_type_oid(), -1, InvalidOid), makeNullConst(type, -1, InvalidOid),
                                                           makeNullConst(FLOAT8OID, -1, InvalidOid)),
                                                InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
    scores->call->result = CreateTemplateTupleDesc(3);
    TupleDescInitEntry(scores->call->result, 1, "fit", FLOAT8OID, -1, 0);
    TupleDescInitEntry(scores->call->result, 2, "lower", FLOAT8OID, -1, 0);
    TupleDescInitEntry(scores->call->result, 3, "upper", FLOAT8OID, -1, 0);
    scores->call->result = BlessTupleDesc(scores->call->result);
}

/* Adds the prediction of the last row and its limits, as predict_interval has them; NULL stays NULL. */
static void put_limits(RowScores *scores, PictureData *data, Datum row)
{
    LOCAL_FCINFO(call, 3);
    Datum result;

    InitFunctionCallInfoData(*call, &scores->info, 3, InvalidOid, NULL, NULL);
    call->args[0] = (NullableDatum){.value = scores->model};
    call->args[1] = (NullableDatum){.value = row};
    call->args[2] = scores->level;
    result = scores->limits(call);
    if (call->isnull)
        return;
    if (scores->limits == pgfit_predict) {
        picture_data_number(data, data->scored, DatumGetFloat8(result));
        return;
    }
    for (int i = 0; i < 3; i++) {
        bool null;
        Datum number = GetAttributeByNum(DatumGetHeapTupleHeader(result), (AttrNumber)(i + 1), &null);

        if (!null)
            picture_data_number(data, data->scored + (uint32)i, DatumGetFloat8(number));
    }
}

/* Returns the type of a column in rows that are made up: a model that was fitted on times or booleans takes no other numbers. */
static Oid point_type(const RowScores *scores, uint32 column)
{
    if (scores->data->columns[column].boolean)
        return BOOLOID;
    switch (scores->types[column].value_kind) {
    case SQL_VALUE_DATE:
        return DATEOID;
    case SQL_VALUE_TIMESTAMP:
        return TIMESTAMPOID;
    case SQL_VALUE_TIMESTAMPTZ:
        return TIMESTAMPTZOID;
    case SQL_VALUE_TIME:
    case SQL_VALUE_TIMETZ:
        return TIMEOID;
    case SQL_VALUE_INTERVAL:
        return INTERVALOID;
    default:
        return scores->data->columns[column].level ? TEXTOID : FLOAT8OID;
    }
}

/* Returns a number as a value of such a type: days or seconds, as models read them, in the range of numbers that the types hold. */
static Datum point_value(Oid type, double number)
{
    int64 microseconds = type == FLOAT8OID ? 0 : (int64) (fmax(-9e12, fmin(9e12, number)) * 1e6);
    Interval *interval;

    switch (type) {
    case BOOLOID:
        return BoolGetDatum(number >= 0.5);
    case DATEOID:
        return DateADTGetDatum((DateADT) rint(fmax(-2e9, fmin(2e9, number))));
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
        return TimestampGetDatum(microseconds);
    case TIMEOID:
        return TimeADTGetDatum(microseconds);
    case INTERVALOID:
        interval = palloc0(sizeof *interval);
        interval->time = microseconds;
        return IntervalPGetDatum(interval);
    default:
        return Float8GetDatum(number);
    }
}

/* Prepares to encode rows that are made up, also for later pictures of the state: a window draws one for each row. */
static void begin_points(RowScores *scores)
{
    const PictureData *data = scores->data;
    MemoryContext before = MemoryContextSwitchTo(GetMemoryChunkContext(scores->call));
    int columns = 0;

    for (uint32 c = 0; c < data->scored; c++)
        columns += !data->columns[c].unused;
    scores->point = CreateTemplateTupleDesc(columns);
    for (uint32 c = 0, at = 0; c < data->scored; c++)
        if (!data->columns[c].unused)
            TupleDescInitEntry(scores->point, (AttrNumber)++at, data->columns[c].name, point_type(scores, c), -1, 0);
    scores->point = BlessTupleDesc(scores->point);
    scores->point_reader = feature_reader_of_type(RECORDOID, CurrentMemoryContext);
    scores->point_memory = AllocSetContextCreate(CurrentMemoryContext, "pgfit point of a picture", ALLOCSET_SMALL_SIZES);
    MemoryContextSwitchTo(before);
}

/* PictureData.encode: makes a row of these values, so that a formula reads it as it reads any row. */
static bool encode_point(void *host, const double *numbers, const PictureText *texts, double *slots, double *offset)
{
    RowScores *scores = host;
    const PictureData *data = scores->data;
    MemoryContext before;
    Datum *values;
    bool *nulls, encoded;

    if (scores->point == NULL)
        begin_points(scores);
    MemoryContextReset(scores->point_memory);
    before = MemoryContextSwitchTo(scores->point_memory);
    values = palloc0((scores->point->natts + 1) * sizeof(Datum));
    nulls = palloc((scores->point->natts + 1) * sizeof(bool));
    for (uint32 c = 0, at = 0; c < data->scored; c++) {
        bool text = data->columns[c].level;

        if (data->columns[c].unused)
            continue;
        nulls[at] = text ? texts[c].bytes == NULL : isnan(numbers[c]);
        if (!nulls[at])
            values[at] = text ? PointerGetDatum(cstring_to_text_with_len(texts[c].bytes, (int)texts[c].length)) : point_value(TupleDescAttr(scores->point, at)->atttypid, numbers[c]);
        at++;
    }
    encoded = scorer_read(scores->scorer, scores->point_reader, HeapTupleGetDatum(heap_form_tuple(scores->point, values, nulls)), slots, offset) == FEATURES_OK;
    MemoryContextSwitchTo(before);
    return encoded;
}

/* Adds to the last row what its model says about it. */
static void score_row(FunctionCallInfo fcinfo, RowScores *scores, PictureData *data, int argument)
{
    double *slots;

    if (data->score == PICTURE_INTERVAL)
        put_limits(scores, data, PG_GETARG_DATUM(argument));
    if (data->score != PICTURE_DECISION && data->score != PICTURE_COMPONENTS)
        return;
    slots = site_buffer(fcinfo, &scores->call->slot_buffer, (Size)(scores->scorer->model->slot_count + 1) * sizeof(double));
    if (scorer_read(scores->scorer, feature_reader(fcinfo, argument, &scores->call->reader), PG_GETARG_DATUM(argument), slots, &scores->call->offset) == FEATURES_OK)
        picture_score(data, slots);
}

/* ---- the aggregate ---- */

/* Begins a state with its first row. model: that is drawn with the rows; NULL: none is. options: their argument, or -1. */
static PictureState *begin_state(FunctionCallInfo fcinfo, HeapTupleHeader row, const Model *model, int row_argument, int options)
{
    PictureState *state = palloc0(sizeof *state);

    state->type = HeapTupleHeaderGetTypeId(row);
    state->typmod = HeapTupleHeaderGetTypMod(row);
    state->options = options_argument(fcinfo, options, "plot", plot_options);
    if (options >= 0)
        state->options_value = PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(options)));
    if (model != NULL)
        begin_scores(&state->scores, model, argument_type(fcinfo, row_argument), state->options);
    state->reader = row_reader(state->type, state->typmod, state->scores.scorer, state->options);
    state->scores.data = state->reader.data;
    state->scores.types = state->reader.types;
    state->reader.data->encode = encode_point;
    state->reader.data->host = &state->scores;
    return state;
}

/* Fails unless a row has the type, the model and the options of the first. */
static void require_same(FunctionCallInfo fcinfo, const PictureState *state, HeapTupleHeader row, const Model *model, int options)
{
    const struct varlena *first = (const struct varlena *)DatumGetPointer(state->options_value);
    const struct varlena *now = options >= 0 ? PG_DETOAST_DATUM(PG_GETARG_DATUM(options)) : NULL;

    if (state->type != HeapTupleHeaderGetTypeId(row) || state->typmod != HeapTupleHeaderGetTypMod(row))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the rows of plot have different types")));
    if (now != NULL && (VARSIZE(now) != VARSIZE(first) || memcmp(now, first, VARSIZE(now)) != 0))
        fail_options_differ();
    if (model != NULL && (state->scores.scorer->whole->fingerprint != model->fingerprint || state->scores.scorer->whole->size != model->size))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("plot got several models in one group"), errhint("Group the rows by the model.")));
}

/* Adds a row. model: as in begin_state. */
static Datum add_row(FunctionCallInfo fcinfo, const Model *model, int argument)
{
    PictureState *state = PG_ARGISNULL(0) ? NULL : (PictureState *)PG_GETARG_POINTER(0);
    int options = PG_NARGS() > argument + 1 ? argument + 1 : -1;
    HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(argument);
    MemoryContext context, before;

    AggCheckCallContext(fcinfo, &context);
    before = MemoryContextSwitchTo(context);
    if (state == NULL)
        state = begin_state(fcinfo, row, model, argument, options);
    else
        require_same(fcinfo, state, row, model, options);
    read_row(&state->reader, row);
    MemoryContextSwitchTo(before);
    if (model != NULL)
        score_row(fcinfo, &state->scores, state->reader.data, argument);
    PG_RETURN_POINTER(state);
}

/* Tells whether a row takes no part, because an argument is NULL. */
static bool is_left_out(FunctionCallInfo fcinfo, int from)
{
    step_require_aggregate(fcinfo);
    for (int i = from; i < PG_NARGS(); i++)
        if (PG_ARGISNULL(i))
            return true;
    return false;
}

/* plot_step(state, row [, options]) */
PG_FUNCTION_INFO_V1(pgfit_plot_step);
PGDLLEXPORT Datum pgfit_plot_step(PG_FUNCTION_ARGS)
{
    if (!is_left_out(fcinfo, 1))
        return add_row(fcinfo, NULL, 1);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

/* plot_step(state, model, row [, options]) */
PG_FUNCTION_INFO_V1(pgfit_plot_beside_step);
PGDLLEXPORT Datum pgfit_plot_beside_step(PG_FUNCTION_ARGS)
{
    ScorerCache *cache = fcinfo->flinfo->fn_extra;

    if (is_left_out(fcinfo, 1)) {
        if (PG_ARGISNULL(0))
            PG_RETURN_NULL();
        PG_RETURN_POINTER(PG_GETARG_POINTER(0));
    }
    if (cache == NULL)
        cache = fcinfo->flinfo->fn_extra = scorer_cache_create(fcinfo->flinfo->fn_mcxt);
    return add_row(fcinfo, scorer_cache_get(cache, PG_GETARG_DATUM(1), false)->whole, 2);
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
    result = picture_datum(text);
    MemoryContextDelete(drawing);
    PG_RETURN_DATUM(result);
}
