/*
 * reading.h - how one value of each SQL type becomes a number or a level.
 *
 * A value is read where it lies in a tuple, an array or a Datum: at any address, aligned or not.
 */
#ifndef PGFIT_READING_H
#define PGFIT_READING_H

#include "pg/backend/backend_env.h"
#include "pg/features/numeric_to_double.h"
#include "core/model/schema.h"

#include "datatype/timestamp.h"

typedef enum Reading {
    READING_NONE = 0, /* no feature */
    READING_FLOAT8,
    READING_FLOAT4,
    READING_INT2,
    READING_INT4,
    READING_INT8,
    READING_NUMERIC,
    READING_BOOLEAN,
    READING_DATE,
    READING_TIMESTAMP,
    READING_TIMESTAMPTZ,
    READING_TIME,
    READING_TIMETZ,
    READING_INTERVAL, /* the last that is a number */
    READING_TEXT,
    READING_BPCHAR,
    READING_NAME,
    READING_CSTRING, /* type unknown */
    READING_CHAR,    /* "char" */
    READING_ENUM,
    READING_UUID, /* the last that is a level */
    READING_ARRAY,
    READING_CAST, /* by a cast function to real[] or float8[] */
    READING_ROW,
    READING_JSONB
} Reading;

static inline bool reading_is_number(Reading reading)
{
    return reading >= READING_FLOAT8 && reading <= READING_INTERVAL;
}
static inline bool reading_is_plain_number(Reading reading)
{
    return reading >= READING_FLOAT8 && reading <= READING_BOOLEAN;
}
static inline bool reading_is_level(Reading reading)
{
    return reading >= READING_TEXT && reading <= READING_UUID;
}

/* What is known of a type. */
typedef struct TypeReading {
    Oid type; /* as declared */
    Oid base; /* under domains */
    Reading reading;
    Reading element;   /* of READING_ARRAY and READING_CAST: its elements' */
    Oid cast_function; /* of READING_CAST; InvalidOid: the bytes are the array's */
} TypeReading;

/* Looks a type up in the catalogue. casts: also look for a cast to real[] or float8[]. */
TypeReading reading_of_type(Oid type, bool casts);
FieldKind reading_kind(Reading reading);

/*
 * The type of an argument of this call, wherever it can be known from: the call's expression, the
 * aggregate's, or, where an engine hands the arguments on as a row, that row's. InvalidOid:
 * nowhere.
 */
Oid argument_type(FunctionCallInfo fcinfo, int argument);
/* Its collation, from the same places; InvalidOid: none, or nowhere. */
Oid argument_collation(FunctionCallInfo fcinfo, int argument);
/*
 * Fails where SQL holds values of this type and collation equal that are different strings, as citext does: they would
 * be different levels. what: names the values.
 */
void reading_require_equality(const TypeReading *type, Oid collation, const char *what);

/* ---- numbers ---- */

double reading_interval(const char *place);
/* As comparisons of intervals have it: days and a part of a day of the same sign; a month is 30 days, a year 12 months. */
int64 interval_days(const Interval *span, int64 *microseconds);
bool interval_infinite(const Interval *span, bool *negative);

/* Dates and times that are infinite read as infinities. */
double reading_time(Reading reading, const char *place);

static inline double reading_number(Reading reading, const char *place, bool *overflow)
{
    switch (reading) {
    case READING_FLOAT8:
        return READ_AT(double, place);
    case READING_FLOAT4:
        return READ_AT(float, place);
    case READING_INT2:
        return READ_AT(int16, place);
    case READING_INT4:
        return READ_AT(int32, place);
    case READING_INT8:
        return (double)READ_AT(int64, place);
    case READING_BOOLEAN:
        return *place != 0;
    case READING_NUMERIC:
        return reading_numeric(place, overflow);
    default:
        return reading_time(reading, place);
    }
}

/* Where a Datum's value lies: itself for types passed by reference, else a copy in *buffer. */
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

#define READING_BUFFER 80 /* holds an enum's label, an uuid, a number's text */

typedef struct ReadBytes {
    const char *bytes; /* in the value itself, in the buffer, or in palloc'd memory */
    uint32 length;
    double key; /* enums: declared order; else 0 */
} ReadBytes;

ReadBytes reading_bytes(Reading reading, const char *place, char *buffer);

#endif
