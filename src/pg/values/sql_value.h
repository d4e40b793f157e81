/*
 * sql_value.h - how one value of each SQL type becomes a number or a level.
 *
 * A value is read in place, in a tuple, an array or a Datum, at any address, aligned or not.
 */
#ifndef PGFIT_SQL_VALUE_H
#define PGFIT_SQL_VALUE_H

#include "pg/host/backend_env.h"
#include "pg/values/numeric_to_double.h"
#include "core/model/schema.h"

#include "datatype/timestamp.h"
#include "nodes/nodes.h"

typedef enum SqlValueKind {
    SQL_VALUE_NONE = 0, /* cannot be a feature */
    SQL_VALUE_FLOAT8,
    SQL_VALUE_FLOAT4,
    SQL_VALUE_INT2,
    SQL_VALUE_INT4,
    SQL_VALUE_INT8,
    SQL_VALUE_NUMERIC,
    SQL_VALUE_BOOLEAN,
    SQL_VALUE_DATE,
    SQL_VALUE_TIMESTAMP,
    SQL_VALUE_TIMESTAMPTZ,
    SQL_VALUE_TIME,
    SQL_VALUE_TIMETZ,
    SQL_VALUE_INTERVAL, /* the last kind that is a number */
    SQL_VALUE_TEXT,
    SQL_VALUE_BPCHAR,
    SQL_VALUE_NAME,
    SQL_VALUE_CSTRING, /* type unknown */
    SQL_VALUE_CHAR,    /* "char" */
    SQL_VALUE_ENUM,
    SQL_VALUE_UUID, /* the last kind that is a level */
    SQL_VALUE_ARRAY,
    SQL_VALUE_CAST, /* has a cast to real[] or float8[] */
    SQL_VALUE_ROW,
    SQL_VALUE_JSONB
} SqlValueKind;

static inline bool sql_value_is_number(SqlValueKind value_kind)
{
    return value_kind >= SQL_VALUE_FLOAT8 && value_kind <= SQL_VALUE_INTERVAL;
}
static inline bool sql_value_is_plain_number(SqlValueKind value_kind)
{
    return value_kind >= SQL_VALUE_FLOAT8 && value_kind <= SQL_VALUE_BOOLEAN;
}
static inline bool sql_value_is_level(SqlValueKind value_kind)
{
    return value_kind >= SQL_VALUE_TEXT && value_kind <= SQL_VALUE_UUID;
}

/* How values of a type are read. */
typedef struct SqlValueType {
    Oid type; /* as declared */
    Oid base; /* under domains */
    SqlValueKind value_kind;
    SqlValueKind element; /* of the elements of SQL_VALUE_ARRAY and SQL_VALUE_CAST */
    Oid cast_function;    /* of SQL_VALUE_CAST; InvalidOid: the value already has the bytes of the array */
} SqlValueType;

/* Looks a type up in the catalog. casts: also look for a cast to real[] or float8[]. */
SqlValueType sql_value_of_type(Oid type, bool casts);
FieldKind sql_value_kind(SqlValueKind value_kind);

/*
 * Returns the type of an argument of this call, from the expression of the call or the aggregate, or, where an engine
 * passes the arguments on as one row, from that row. InvalidOid: unknown.
 */
Oid argument_type(FunctionCallInfo fcinfo, int argument);
/*
 * Returns the expression of an argument of the aggregate that calls; NULL: not known, as in a window. Where an engine passes the arguments on
 * as one row, that of the row.
 */
Node *aggregate_argument(FunctionCallInfo fcinfo, int argument);
/* Returns its collation, from the same places; InvalidOid: none, or unknown. */
Oid argument_collation(FunctionCallInfo fcinfo, int argument);
/*
 * Fails if SQL may hold different strings of this type and collation equal, as citext does: they would be different
 * levels. what: the values, for the message.
 */
void sql_value_require_equality(const SqlValueType *type, Oid collation, const char *what);

/* ---- numbers ---- */

#define SECONDS_A_DAY 86400.0
/* Splits an interval as comparisons do, into days and part of a day of the same sign; a month is 30 days, a year 12 months. */
int64 interval_days(const Interval *span, int64 *microseconds);
bool interval_infinite(const Interval *span, bool *negative);

/* Returns a date in days, any other time in seconds; infinities for infinite dates and times. */
double sql_value_time(SqlValueKind value_kind, const char *place);

static inline double sql_value_number(SqlValueKind value_kind, const char *place, bool *overflow)
{
    switch (value_kind) {
    case SQL_VALUE_FLOAT8:
        return READ_AT(double, place);
    case SQL_VALUE_FLOAT4:
        return READ_AT(float, place);
    case SQL_VALUE_INT2:
        return READ_AT(int16, place);
    case SQL_VALUE_INT4:
        return READ_AT(int32, place);
    case SQL_VALUE_INT8:
        return (double)READ_AT(int64, place);
    case SQL_VALUE_BOOLEAN:
        return *place != 0;
    case SQL_VALUE_NUMERIC:
        return sql_value_numeric(place, overflow);
    default:
        return sql_value_time(value_kind, place);
    }
}

/* Returns the address of a Datum's value: for types passed by value, that of a copy in *buffer. */
static inline const char *datum_place(Datum datum, bool by_value, int16 length, Datum *buffer)
{
    if (!by_value)
        return DatumGetPointer(datum);
    switch (length) {
    case 1:
        *(char *)buffer = DatumGetChar(datum);
        break;
    case 2:
        *(int16 *)buffer = DatumGetInt16(datum);
        break;
    case 4:
        *(int32 *)buffer = DatumGetInt32(datum);
        break;
    default:
        *buffer = datum;
    }
    return (const char *)buffer;
}

/* ---- strings ---- */

#define SQL_VALUE_BUFFER 80 /* holds an enum's label, an uuid, a number's text */

typedef struct ReadBytes {
    const char *bytes; /* in the value itself, in the buffer, or in palloc'd memory */
    uint32 length;
    double key; /* of enums: their declared order; else 0 */
} ReadBytes;

/* Returns the string of a level. buffer: [SQL_VALUE_BUFFER], for kinds that are not stored as strings. */
ReadBytes sql_value_bytes(SqlValueKind value_kind, const char *place, char *buffer);
/* Sets the order of the enum value that the text names, as sql_value_bytes does; false: the enum has none. */
bool sql_value_enum_order(Oid type, const char *label, uint32_t length, double *order);

#endif
