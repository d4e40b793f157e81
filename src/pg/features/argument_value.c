/*
 * argument_value.c - reads single values: a target as a number, a label as canonical text with its sort key.
 */
#include "pg/features/features_internal.h"
#include "pg/server/local_settings.h"
#include "pg/values/output_settings.h"
#include "pg/values/sql_value.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The text of a label that is its Datum, as read before. */
typedef struct SeenLabel {
    Datum datum;
    double key;
    uint32_t length; /* 0: none */
    char text[28];
} SeenLabel;
#define SEEN_BITS 6

struct ValueReader {
    SqlValueType type;
    bool by_value;
    int16 length;
    Oid collation;
    bool equality_known; /* equal values are the same label */
    FmgrInfo output;     /* of types that are read as their text; looked up when needed */
    OutputSettings settings; /* that their text may depend on */
    Oid row_type; /* composite values: the row type that the settings are for */
    int32 row_typmod;
    uint64 row_generation;
    MemoryContext context;
    const char *type_name;
    char buffer[SQL_VALUE_BUFFER];
    SeenLabel *seen; /* [1 << SEEN_BITS] by hash; NULL: labels are not read so */
    double *numbers; /* [number_room] of an array */
    uint32 number_room;
};

ValueReader *value_reader(FunctionCallInfo fcinfo, int argument, ValueReader **slot)
{
    Oid type;

    if (likely(*slot != NULL))
        return *slot;
    type = argument_type(fcinfo, argument);
    if (!OidIsValid(type))
        env_fail(host_env(), ERROR_PARAMETER, "Cast it.", "could not determine the type of argument %d",
                 argument + 1);
    *slot = value_reader_of_type(type, fcinfo->flinfo->fn_mcxt);
    (*slot)->collation = argument_collation(fcinfo, argument);
    return *slot;
}

/* Returns the name of a type as a model keeps it, with its schema unless it is built in, whatever the settings of the session are. */
static const char *stored_type_name(Oid type)
{
    static const char *const values[][2] = {{"quote_all_identifiers", "off"}, {"search_path", "pg_catalog"}};
    bool fixed = type < FirstNormalObjectId && !quote_all_identifiers;
    int level = fixed ? 0 : local_settings_begin(values, lengthof(values));
    const char *name = format_type_be(type);

    if (level > 0)
        local_settings_end(level);
    return name;
}

ValueReader *value_reader_of_type(Oid type, MemoryContext context)
{
    ValueReader *reader = MemoryContextAllocZero(context, sizeof *reader);
    MemoryContext before = MemoryContextSwitchTo(context);
    char alignment;

    reader->context = context;
    reader->type = sql_value_of_type(type, false);
    get_typlenbyvalalign(reader->type.base, &reader->length, &reader->by_value, &alignment);
    reader->type_name =
        reader->type.base == UNKNOWNOID ? "text" : stored_type_name(reader->type.base);
    MemoryContextSwitchTo(before);
    return reader;
}

const char *value_type_name(ValueReader *reader)
{
    return reader->type_name;
}

/* Fails, naming the value, if it is NaN, infinite or out of the range of a double. */
static double require_finite(double value, bool overflow, const char *what)
{
    if (overflow)
        env_fail(host_env(), ERROR_RANGE, NULL, "%s is out of range of double precision", what);
    if (unlikely(!isfinite(value)))
        env_fail(host_env(), ERROR_DATA,
                 "Exclude such rows with FILTER or WHERE, or replace the values by NULL.", "%s is %s", what,
                 isnan(value) ? "NaN" : "infinite");
    return value;
}

double value_number(ValueReader *reader, Datum datum, const char *what)
{
    bool overflow = false;
    Datum buffer;
    double value;

    if (reader->type.base == UNKNOWNOID)
        env_fail(host_env(), ERROR_PARAMETER,
                 strcmp(what, "target") == 0 ? "Pass a column or an expression; a formula comes after the features. Cast a literal, for example "
                                               "to float8."
                                             : "Cast it, for example to float8.",
                 "could not determine the type of the %s", what);
    if (!sql_value_is_plain_number(reader->type.value_kind))
        env_fail(host_env(), ERROR_PARAMETER,
                 value_is_numbers(reader) && strcmp(what, "target") == 0 ? "Pass one element, or use multivariate_regression, which takes an array of targets."
                                                                         : "Cast it, or extract a number from it.",
                 "the %s must be a number, not %s", what, reader->type_name);
    value =
        sql_value_number(reader->type.value_kind,
                       datum_place(datum, reader->by_value, reader->length, &buffer), &overflow);
    return require_finite(value, overflow, what);
}

bool value_is_numbers(const ValueReader *reader)
{
    return reader->type.value_kind == SQL_VALUE_ARRAY && sql_value_is_plain_number(reader->type.element);
}

const double *value_targets(ValueReader *reader, Datum datum, uint32_t *count)
{
    ArrayView view = array_view(DatumGetPointer(datum), "the target is");
    int32 overflow = -1;
    bool complete;

    if (view.count >= reader->number_room) {
        if (reader->numbers != NULL)
            pfree(reader->numbers);
        reader->numbers = NULL;
        reader->number_room = 0;
        reader->numbers = MemoryContextAllocHuge(reader->context, ((Size)view.count + 1) * sizeof(double));
        reader->number_room = view.count + 1;
    }
    complete = array_read(&view, reader->type.element, reader->numbers, NULL, &overflow);
    if (view.copy != NULL)
        pfree(view.copy);
    *count = view.count;
    for (uint32 i = 0; complete && i < view.count; i++)
        require_finite(reader->numbers[i], overflow == (int32)i, "a target");
    return complete ? reader->numbers : NULL;
}

/* Writes the shortest decimal that reads back as the same number; -0 is written 0. */
static const char *float_text(ValueReader *reader, double value, uint32_t *length)
{
    if (value == 0)
        value = 0;
    if (reader->type.value_kind == SQL_VALUE_FLOAT4)
        *length = (uint32_t)float_to_shortest_decimal_bufn((float)value, reader->buffer);
    else
        *length = (uint32_t)double_to_shortest_decimal_bufn(value, reader->buffer);
    return reader->buffer;
}

/* Writes dates and times in ISO 8601, whatever DateStyle and TimeZone are. */
static const char *datetime_text(ValueReader *reader, Datum datum, uint32_t *length)
{
    int utc = 0;

    JsonEncodeDateTime(reader->buffer, datum, reader->type.base,
                       reader->type.base == TIMESTAMPTZOID ? &utc : NULL);
    *length = (uint32_t)strlen(reader->buffer);
    return reader->buffer;
}

/*
 * Writes intervals as days and a time, whatever IntervalStyle is. Equal intervals have the same text: 24:00 is one day, a
 * month is 30 days.
 */
static const char *interval_text(ValueReader *reader, const char *place, uint32_t *length)
{
    Interval span;
    int64 days, rest, seconds;
    bool negative;
    char *out = reader->buffer, *end = out + sizeof reader->buffer;

    memcpy(&span, place, sizeof span);
    if (interval_infinite(&span, &negative)) {
        *length = (uint32_t)snprintf(out, sizeof reader->buffer, negative ? "-infinity" : "infinity");
        return reader->buffer;
    }
    days = interval_days(&span, &rest);
    negative = rest < 0;
    rest = negative ? -rest : rest; /* less than a day */
    seconds = rest / USECS_PER_SEC;
    if (days != 0)
        out += snprintf(out, end - out, INT64_FORMAT " %s%s", days, days == 1 ? "day" : "days",
                        rest ? " " : "");
    if (days == 0 || rest != 0)
        out += snprintf(out, end - out, "%s%02d:%02d:%02d", negative ? "-" : "", (int)(seconds / SECS_PER_HOUR),
                        (int)(seconds / SECS_PER_MINUTE % MINS_PER_HOUR), (int)(seconds % SECS_PER_MINUTE));
    if (rest % USECS_PER_SEC != 0) {
        out += snprintf(out, end - out, ".%06d", (int)(rest % USECS_PER_SEC));
        while (out[-1] == '0')
            out--;
    }
    *length = (uint32_t)(out - reader->buffer);
    return reader->buffer;
}

/* Writes amounts of money with two decimals and no currency, whatever lc_monetary is. */
static const char *money_text(ValueReader *reader, Datum datum, uint32_t *length)
{
    int64 amount = DatumGetInt64(datum);
    uint64 size = amount < 0 ? -(uint64)amount : (uint64)amount;

    *length = (uint32_t)snprintf(reader->buffer, sizeof reader->buffer, "%s" UINT64_FORMAT ".%02d",
                                 amount < 0 ? "-" : "", size / 100, (int)(size % 100));
    return reader->buffer;
}

static const char *bytea_text(Datum datum, uint32_t *length)
{
    uint32 size;
    const char *bytes = varlena_content(DatumGetPointer(datum), &size);
    char *text;

    if (size > (MaxAllocSize - 3) / 2)
        env_fail(host_env(), ERROR_LIMIT, NULL, "a label of %u bytes is too long", size);
    text = palloc((Size)size * 2 + 3);
    strcpy(text, "\\x");
    *length = (uint32_t)hex_encode(bytes, size, text + 2) + 2;
    return text;
}

/* Finds the settings that some column of a composite value depends on; its type may be another one in each row. */
static void find_row_settings(ValueReader *reader, Datum row)
{
    HeapTupleHeader header = DatumGetHeapTupleHeader(row);
    Oid type = HeapTupleHeaderGetTypeId(header);
    int32 typmod = HeapTupleHeaderGetTypMod(header);
    uint64 generation = source_generation;
    const Source *source;

    if (reader->row_type == type && reader->row_typmod == typmod && reader->row_generation == generation)
        return;
    reader->row_type = InvalidOid; /* until all of it is known: errors leave from here */
    source = source_of(type, typmod);
    reader->settings = OUTPUT_FIXED;
    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped)
            reader->settings = Max(reader->settings, output_settings_of(source->columns[i].type));
    reader->row_type = type;
    reader->row_typmod = typmod;
    reader->row_generation = generation;
}

/* Returns what the type's output function writes, under settings that are the same in every session. */
static const char *output_text(ValueReader *reader, Datum datum, uint32_t *length)
{
    int level;
    char *text;

    if (!OidIsValid(reader->output.fn_oid)) {
        Oid function;
        bool is_varlena;

        getTypeOutputInfo(reader->type.base, &function, &is_varlena);
        fmgr_info_cxt(function, &reader->output, reader->context);
        reader->settings = output_settings_of(reader->type.base);
    }
    if (reader->type.value_kind == SQL_VALUE_ROW)
        find_row_settings(reader, datum);
    level = output_settings_begin(reader->settings);
    text = OutputFunctionCall(&reader->output, datum);
    output_settings_end(level);
    *length = (uint32_t)strlen(text);
    return text;
}

/* Returns the text of any value but a level. place: its address. */
static const char *plain_text(ValueReader *reader, Datum datum, const char *place, uint32_t *length)
{
    bool overflow;

    switch (reader->type.value_kind) {
    case SQL_VALUE_FLOAT8:
    case SQL_VALUE_FLOAT4:
        return float_text(reader, sql_value_number(reader->type.value_kind, place, &overflow), length);
    case SQL_VALUE_INT2:
        *length = (uint32_t)pg_itoa(DatumGetInt16(datum), reader->buffer);
        return reader->buffer;
    case SQL_VALUE_INT4:
        *length = (uint32_t)pg_ltoa(DatumGetInt32(datum), reader->buffer);
        return reader->buffer;
    case SQL_VALUE_INT8:
        *length = (uint32_t)pg_lltoa(DatumGetInt64(datum), reader->buffer);
        return reader->buffer;
    case SQL_VALUE_BOOLEAN:
        *length = *place != 0 ? 4 : 5;
        return *place != 0 ? "true" : "false";
    case SQL_VALUE_NUMERIC: {
        const char *text = numeric_normalize(DatumGetNumeric(datum));

        *length = (uint32_t)strlen(text);
        return text;
    }
    case SQL_VALUE_DATE:
    case SQL_VALUE_TIMESTAMP:
    case SQL_VALUE_TIMESTAMPTZ:
    case SQL_VALUE_TIME:
    case SQL_VALUE_TIMETZ:
        return datetime_text(reader, datum, length);
    case SQL_VALUE_INTERVAL:
        return interval_text(reader, place, length);
    default:
        if (reader->type.base == BYTEAOID)
            return bytea_text(datum, length);
        if (reader->type.base == CASHOID)
            return money_text(reader, datum, length);
        return output_text(reader, datum, length);
    }
}

/* Returns the seconds by which SQL compares intervals: equal intervals have equal keys. */
static double interval_key(const char *place)
{
    Interval span;
    bool negative;
    int64 days, rest;

    memcpy(&span, place, sizeof span);
    if (interval_infinite(&span, &negative))
        return negative ? -INFINITY : INFINITY;
    days = interval_days(&span, &rest);
    return (double)days * SECS_PER_DAY + (double)rest / USECS_PER_SEC;
}

/* Does what value_label does for a label that was not seen before. */
static const char *read_label(ValueReader *reader, Datum datum, uint32_t *length, double *key)
{
    SqlValueKind value_kind = reader->type.value_kind;
    bool overflow = false;
    Datum buffer;
    const char *place = datum_place(datum, reader->by_value, reader->length, &buffer);

    *key = 0;
    if (unlikely(!reader->equality_known)) {
        sql_value_require_equality(&reader->type, reader->collation, "labels");
        reader->equality_known = true;
        if (reader->by_value && sql_value_is_number(value_kind)) /* not enums, whose texts and order may change */
            reader->seen = MemoryContextAllocZero(reader->context, sizeof(SeenLabel) << SEEN_BITS);
    }
    if (sql_value_is_level(value_kind)) {
        ReadBytes string = sql_value_bytes(value_kind, place, reader->buffer);

        *length = string.length;
        *key = string.key;
        return string.bytes;
    }
    if (value_kind == SQL_VALUE_INTERVAL)
        *key = require_finite(interval_key(place), false, "label");
    else if (sql_value_is_number(value_kind))
        *key = require_finite(sql_value_number(value_kind, place, &overflow), overflow, "label");
    return plain_text(reader, datum, place, length);
}

const char *value_label(ValueReader *reader, Datum datum, uint32_t *length, double *key)
{
    SeenLabel *seen;
    const char *text;

    if (reader->seen == NULL)
        return read_label(reader, datum, length, key);
    seen = &reader->seen[bits_of_hash(datum, SEEN_BITS)];
    if (likely(seen->length > 0 && seen->datum == datum)) {
        *length = seen->length;
        *key = seen->key;
        return seen->text;
    }
    text = read_label(reader, datum, length, key);
    if (*length <= sizeof seen->text) {
        *seen = (SeenLabel){.datum = datum, .key = *key, .length = *length};
        memcpy(seen->text, text, *length);
    }
    return text;
}

const char *value_label_beside(ValueReader *reader, Datum datum, const ValueReader *other, uint32_t *length, double *key)
{
    const char *text = value_label(reader, datum, length, key);

    if (reader->type.value_kind != SQL_VALUE_BOOLEAN || other->type.value_kind == SQL_VALUE_BOOLEAN || !value_is_number(other))
        return text;
    *length = 1;
    return *key != 0 ? "1" : "0";
}

void value_require_equality(ValueReader *reader, Oid collation, const char *column)
{
    if (likely(reader->equality_known))
        return;
    sql_value_require_equality(&reader->type, OidIsValid(collation) ? collation : reader->collation,
                               column != NULL ? psprintf("values of column \"%s\"", column) : "keys");
    reader->equality_known = true;
}

bool value_is_number(const ValueReader *reader)
{
    return sql_value_is_number(reader->type.value_kind);
}

bool value_has_order(const ValueReader *reader)
{
    return sql_value_is_number(reader->type.value_kind) || reader->type.value_kind == SQL_VALUE_ENUM;
}

bool value_order_of(const ValueReader *reader, const char *label, uint32_t length, double *key)
{
    return reader->type.value_kind == SQL_VALUE_ENUM && sql_value_enum_order(reader->type.base, label, length, key);
}

/* Do equal values of the type have equal Datums, all of which are valid labels? */
static bool datum_is_label(SqlValueKind value_kind)
{
    return value_kind == SQL_VALUE_INT2 || value_kind == SQL_VALUE_INT4 || value_kind == SQL_VALUE_INT8 ||
           value_kind == SQL_VALUE_BOOLEAN || value_kind == SQL_VALUE_ENUM || value_kind == SQL_VALUE_CHAR;
}

bool value_same_label(ValueReader *a, Datum x, ValueReader *b, Datum y)
{
    uint32_t a_length, b_length;
    const char *a_text, *b_text;
    double key;

    if (a->type.base == b->type.base && datum_is_label(a->type.value_kind))
        return x == y;
    a_text = value_label_beside(a, x, b, &a_length, &key);
    b_text = value_label_beside(b, y, a, &b_length, &key);
    return a_length == b_length && memcmp(a_text, b_text, a_length) == 0;
}

const char *value_text(ValueReader *reader, Datum datum, uint32_t *length)
{
    Datum buffer;
    const char *place = datum_place(datum, reader->by_value, reader->length, &buffer);
    ReadBytes string;

    if (!sql_value_is_level(reader->type.value_kind))
        return plain_text(reader, datum, place, length);
    string = sql_value_bytes(reader->type.value_kind, place, reader->buffer);
    *length = string.length;
    return string.bytes;
}
