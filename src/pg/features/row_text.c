/*
 * row_text.c - the text of a composite value, which is the key of a row that has none of its own.
 *
 * It is what record_out writes under fixed settings. To set and reset those for every row takes longer than all else, so that numbers, strings, dates and
 * times are written here.
 */
#include "pg/features/features_internal.h"
#include "pg/values/output_settings.h"

#include <ctype.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

typedef struct ColumnText {
    Oid type; /* under domains */
    bool by_output;
    FmgrInfo output;
} ColumnText;

struct RowText {
    MemoryContext context;
    /* the type that the rest is for */
    uint64 generation;
    Oid type;
    int32 typmod;
    const Source *source;
    MemoryContext columns_context;
    ColumnText *columns;
    OutputSettings settings; /* that some output function needs */
    Datum *values;
    bool *nulls;
};

RowText *row_text_create(MemoryContext context)
{
    RowText *reader = MemoryContextAllocZero(context, sizeof *reader);

    reader->context = context;
    return reader;
}

static bool is_written_here(Oid type)
{
    switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
        return true;
    default:
        return false;
    }
}

static void find_columns(RowText *reader, Oid type, int32 typmod)
{
    uint64 generation = source_generation;
    const Source *source = source_of(type, typmod);
    uint32 count = source->column_count;
    MemoryContext before;

    reader->source = NULL; /* until all of it is known: errors leave from here */
    if (reader->columns_context != NULL)
        MemoryContextDelete(reader->columns_context);
    reader->columns_context = NULL;
    reader->columns_context = AllocSetContextCreate(reader->context, "pgfit text of rows", ALLOCSET_SMALL_SIZES);
    before = MemoryContextSwitchTo(reader->columns_context);
    reader->columns = palloc0(Max(count, 1) * sizeof(ColumnText));
    reader->values = palloc(Max(count, 1) * sizeof(Datum));
    reader->nulls = palloc(Max(count, 1) * sizeof(bool));
    reader->settings = OUTPUT_FIXED;
    for (uint32 i = 0; i < count; i++) {
        ColumnText *column = &reader->columns[i];
        OutputSettings settings;
        Oid function;
        bool is_varlena;

        if (source->columns[i].dropped)
            continue;
        column->type = getBaseType(source->columns[i].type);
        if (is_written_here(column->type))
            continue;
        column->by_output = true;
        getTypeOutputInfo(column->type, &function, &is_varlena);
        fmgr_info_cxt(function, &column->output, reader->columns_context);
        settings = output_settings_of(column->type);
        reader->settings = Max(reader->settings, settings);
    }
    MemoryContextSwitchTo(before);
    reader->type = type;
    reader->typmod = typmod;
    reader->generation = generation; /* a change from there on outdates it */
    reader->source = source;
}

/* Writes dates and times as DateStyle ISO and TimeZone GMT have them. */
static const char *time_text(Oid type, Datum value, char *buffer)
{
    struct pg_tm fields;
    fsec_t fraction;

    if (type == DATEOID) {
        DateADT date = DatumGetDateADT(value);

        if (DATE_NOT_FINITE(date)) {
            EncodeSpecialDate(date, buffer);
            return buffer;
        }
        j2date(date + POSTGRES_EPOCH_JDATE, &fields.tm_year, &fields.tm_mon, &fields.tm_mday);
        EncodeDateOnly(&fields, USE_ISO_DATES, buffer);
        return buffer;
    }
    if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)))
        EncodeSpecialTimestamp(DatumGetTimestamp(value), buffer);
    else if (timestamp2tm(DatumGetTimestamp(value), NULL, &fields, &fraction, NULL, NULL) == 0) {
        fields.tm_isdst = 0; /* not unknown, which would leave the zone out */
        EncodeDateTime(&fields, fraction, type == TIMESTAMPTZOID, 0, "GMT", USE_ISO_DATES, buffer);
    } else
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
    return buffer;
}

/* Appends a value, in quotes where it is empty or has a character that would need them. */
static void append_value(StringInfo text, const char *value, uint32 length)
{
    bool quoted = length == 0;

    for (uint32 i = 0; i < length && !quoted; i++)
        quoted = value[i] == '"' || value[i] == '\\' || value[i] == '(' || value[i] == ')' || value[i] == ',' || isspace((unsigned char)value[i]);
    if (!quoted) {
        appendBinaryStringInfo(text, value, (int)length);
        return;
    }
    appendStringInfoCharMacro(text, '"');
    for (uint32 i = 0; i < length; i++) {
        if (value[i] == '"' || value[i] == '\\')
            appendStringInfoCharMacro(text, value[i]);
        appendStringInfoCharMacro(text, value[i]);
    }
    appendStringInfoCharMacro(text, '"');
}

static void append_column(StringInfo text, ColumnText *column, Datum value)
{
    char buffer[MAXDATELEN + 1];
    const char *string;
    uint32 length;

    if (column->by_output) {
        string = OutputFunctionCall(&column->output, value);
        append_value(text, string, (uint32)strlen(string));
        return;
    }
    switch (column->type) {
    case BOOLOID:
        appendStringInfoCharMacro(text, DatumGetBool(value) ? 't' : 'f');
        return;
    case INT2OID:
        appendBinaryStringInfo(text, buffer, pg_itoa(DatumGetInt16(value), buffer));
        return;
    case INT4OID:
        appendBinaryStringInfo(text, buffer, pg_ltoa(DatumGetInt32(value), buffer));
        return;
    case INT8OID:
        appendBinaryStringInfo(text, buffer, pg_lltoa(DatumGetInt64(value), buffer));
        return;
    case FLOAT4OID:
        appendBinaryStringInfo(text, buffer, float_to_shortest_decimal_bufn(DatumGetFloat4(value), buffer));
        return;
    case FLOAT8OID:
        appendBinaryStringInfo(text, buffer, double_to_shortest_decimal_bufn(DatumGetFloat8(value), buffer));
        return;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
        string = varlena_content(DatumGetPointer(value), &length);
        append_value(text, string, length);
        return;
    default:
        string = time_text(column->type, value, buffer);
        append_value(text, string, (uint32)strlen(string));
    }
}

const char *row_text(RowText *reader, Datum row, uint32_t *length)
{
    HeapTupleHeader header = DatumGetHeapTupleHeader(row);
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
    Oid type = HeapTupleHeaderGetTypeId(header);
    int32 typmod = HeapTupleHeaderGetTypMod(header);
    StringInfoData text;
    bool first = true;
    int level;

    check_stack_depth(); /* rows in rows */
    ItemPointerSetInvalid(&tuple.t_self);
    if (unlikely(reader->source == NULL || reader->generation != source_generation || reader->type != type || reader->typmod != typmod))
        find_columns(reader, type, typmod);
    heap_deform_tuple(&tuple, reader->source->descriptor, reader->values, reader->nulls);
    initStringInfo(&text);
    level = output_settings_begin(reader->settings);
    appendStringInfoCharMacro(&text, '(');
    for (uint32 i = 0; i < reader->source->column_count; i++) {
        if (reader->source->columns[i].dropped)
            continue;
        if (!first)
            appendStringInfoCharMacro(&text, ',');
        first = false;
        if (!reader->nulls[i])
            append_column(&text, &reader->columns[i], reader->values[i]);
    }
    appendStringInfoCharMacro(&text, ')');
    output_settings_end(level);
    *length = (uint32_t)text.len;
    return text.data;
}
