/*
 * sql_value.c - how one value of each SQL type becomes a number or a level.
 */
#include "pg/values/sql_value.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#define DAYS_A_MONTH 30
#define DAYS_A_YEAR 365.25
#define MICROSECONDS 1e6

/* ---- types ---- */

/* Returns the kind of a built-in type; SQL_VALUE_NONE for others. */
static SqlValueKind sql_value_of_oid(Oid type)
{
    switch (type) {
    case FLOAT8OID:
        return SQL_VALUE_FLOAT8;
    case FLOAT4OID:
        return SQL_VALUE_FLOAT4;
    case INT2OID:
        return SQL_VALUE_INT2;
    case INT4OID:
        return SQL_VALUE_INT4;
    case INT8OID:
        return SQL_VALUE_INT8;
    case NUMERICOID:
        return SQL_VALUE_NUMERIC;
    case BOOLOID:
        return SQL_VALUE_BOOLEAN;
    case DATEOID:
        return SQL_VALUE_DATE;
    case TIMESTAMPOID:
        return SQL_VALUE_TIMESTAMP;
    case TIMESTAMPTZOID:
        return SQL_VALUE_TIMESTAMPTZ;
    case TIMEOID:
        return SQL_VALUE_TIME;
    case TIMETZOID:
        return SQL_VALUE_TIMETZ;
    case INTERVALOID:
        return SQL_VALUE_INTERVAL;
    case TEXTOID:
    case VARCHAROID:
        return SQL_VALUE_TEXT;
    case BPCHAROID:
        return SQL_VALUE_BPCHAR;
    case NAMEOID:
        return SQL_VALUE_NAME;
    case UNKNOWNOID:
    case CSTRINGOID:
        return SQL_VALUE_CSTRING;
    case CHAROID:
        return SQL_VALUE_CHAR;
    case UUIDOID:
        return SQL_VALUE_UUID;
    case JSONBOID:
        return SQL_VALUE_JSONB;
    case RECORDOID:
        return SQL_VALUE_ROW;
    case ANYARRAYOID: /* a column of a system view: each array names its element type */
        return SQL_VALUE_ARRAY;
    default:
        return SQL_VALUE_NONE;
    }
}

/* Finds the cast from a type to an array of this element type, if there is one. */
static bool find_cast(Oid type, Oid array, Oid *function)
{
    CoercionPathType path;

    *function = InvalidOid;
    path = find_coercion_pathway(array, type, COERCION_EXPLICIT, function);
    return path == COERCION_PATH_FUNC || path == COERCION_PATH_RELABELTYPE;
}

SqlValueType sql_value_of_type(Oid type, bool casts)
{
    SqlValueType result = {.type = type};
    Oid element;

    result.base = getBaseType(type);
    result.value_kind = sql_value_of_oid(result.base);
    if (result.value_kind != SQL_VALUE_NONE)
        return result;
    element = get_element_type(result.base);
    if (OidIsValid(element)) {
        SqlValueKind value_kind = sql_value_of_oid(getBaseType(element));

        result.value_kind = SQL_VALUE_ARRAY;
        result.element = sql_value_is_plain_number(value_kind) ? value_kind : SQL_VALUE_NONE;
    } else if (type_is_rowtype(result.base))
        result.value_kind = SQL_VALUE_ROW;
    else if (type_is_enum(result.base))
        result.value_kind = SQL_VALUE_ENUM;
    else if (get_typlen(result.base) == -1) {
        if (IsBinaryCoercible(result.base, TEXTOID)) /* such as citext */
            result.value_kind = SQL_VALUE_TEXT;
        else if (casts && find_cast(result.base, FLOAT4ARRAYOID, &result.cast_function)) {
            result.value_kind = SQL_VALUE_CAST;
            result.element = SQL_VALUE_FLOAT4;
        } else if (casts && find_cast(result.base, FLOAT8ARRAYOID, &result.cast_function)) {
            result.value_kind = SQL_VALUE_CAST;
            result.element = SQL_VALUE_FLOAT8;
        }
    }
    return result;
}

FieldKind sql_value_kind(SqlValueKind value_kind)
{
    switch (value_kind) {
    case SQL_VALUE_BOOLEAN:
        return FIELD_BOOLEAN;
    case SQL_VALUE_DATE:
        return FIELD_DATE;
    case SQL_VALUE_TIMESTAMP:
        return FIELD_TIMESTAMP;
    case SQL_VALUE_TIMESTAMPTZ:
        return FIELD_TIMESTAMPTZ;
    case SQL_VALUE_TIME:
    case SQL_VALUE_TIMETZ:
        return FIELD_TIME;
    case SQL_VALUE_INTERVAL:
        return FIELD_INTERVAL;
    default:
        return sql_value_is_level(value_kind) ? FIELD_CATEGORICAL : FIELD_NUMERIC;
    }
}

Oid argument_type(FunctionCallInfo fcinfo, int argument)
{
    Oid type = fcinfo->flinfo ? get_fn_expr_argtype(fcinfo->flinfo, argument) : InvalidOid;
    Node *node;

    if (OidIsValid(type))
        return type;
    node = aggregate_argument(fcinfo, argument);
    return node ? exprType(node) : InvalidOid;
}

Node *aggregate_argument(FunctionCallInfo fcinfo, int argument)
{
    Aggref *aggref = AggGetAggref(fcinfo);
    Node *last;

    if (aggref == NULL || aggref->args == NIL || argument < 1)
        return NULL;
    if (fcinfo->flinfo && fcinfo->flinfo->fn_expr != NULL)
        return argument > list_length(aggref->args) ? NULL : (Node *)((TargetEntry *)list_nth(aggref->args, argument - 1))->expr;
    /* Called by another aggregate in place of ours: several arguments arrive as one row. */
    last = (Node *)((TargetEntry *)llast(aggref->args))->expr;
    if (IsA(last, RowExpr) && list_length(((RowExpr *)last)->args) == fcinfo->nargs - 1)
        return argument < fcinfo->nargs ? list_nth(((RowExpr *)last)->args, argument - 1) : NULL;
    return fcinfo->nargs == 2 && argument == 1 ? last : NULL;
}

Oid argument_collation(FunctionCallInfo fcinfo, int argument)
{
    Node *call = fcinfo->flinfo ? (Node *)fcinfo->flinfo->fn_expr : NULL;
    Node *node = aggregate_argument(fcinfo, argument);

    if (node == NULL && AggGetAggref(fcinfo) == NULL && call && IsA(call, FuncExpr) && argument < list_length(((FuncExpr *)call)->args))
        node = list_nth(((FuncExpr *)call)->args, argument);
    if (node != NULL && exprType(node) == argument_type(fcinfo, argument))
        return exprCollation(node);
    return PG_GET_COLLATION(); /* all that is known in a window function */
}

/* Returns the type of the elements of an array or range, InvalidOid of others. */
static Oid element_type(Oid type)
{
    return type_is_range(type) ? get_range_subtype(type) : type_is_multirange(type) ? get_multirange_range(type) : get_element_type(type);
}

/* Tells whether a type that is kept as text says itself what is equal. */
static bool has_own_equality(Oid type)
{
    Oid equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

    return OidIsValid(equality) && get_opcode(equality) != F_TEXTEQ;
}

/* Can equal elements of an array or range be different strings, as 1.0 and 1.00, or 24 hours and a day? Of floats only 0 and -0 are: arrays of numbers are keys. */
static bool element_strings_differ(Oid element)
{
    Oid type = getBaseType(element), inner = element_type(type);

    if (OidIsValid(inner))
        return element_strings_differ(inner);
    if (type == NUMERICOID || type == INTERVALOID || type == BPCHAROID || type == JSONBOID)
        return true;
    if (type == TEXTOID || type == VARCHAROID || sql_value_of_type(type, false).value_kind != SQL_VALUE_TEXT)
        return false;
    return has_own_equality(type);
}

void sql_value_require_equality(const SqlValueType *type, Oid collation, const char *what)
{
    static const char hint[] =
        "Pass strings that are identical where values are equal, for example lower(x::text) COLLATE \"C\".";
    bool differ;

    if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
        env_fail(host_env(), ERROR_PARAMETER, hint,
                 "equal %s may be different strings, because collation \"%s\" is not deterministic", what,
                 get_collation_name(collation));
    differ = OidIsValid(element_type(type->base)) && element_strings_differ(type->base);
    if (type->value_kind == SQL_VALUE_TEXT && type->base != TEXTOID && type->base != VARCHAROID)
        differ = has_own_equality(type->base);
    if (differ)
        env_fail(host_env(), ERROR_PARAMETER, hint,
                 "equal %s may be different strings, because type %s has its own equality", what,
                 format_type_be(type->base));
}

/* ---- numbers ---- */

bool interval_infinite(const Interval *span, bool *negative)
{
    *negative = span->time < 0;
    return (span->month == PG_INT32_MAX && span->day == PG_INT32_MAX && span->time == PG_INT64_MAX) ||
           (span->month == PG_INT32_MIN && span->day == PG_INT32_MIN && span->time == PG_INT64_MIN);
}

int64 interval_days(const Interval *span, int64 *microseconds)
{
    int64 days = (int64)span->month * DAYS_A_MONTH + span->day + span->time / USECS_PER_DAY;
    int64 rest = span->time % USECS_PER_DAY;

    if (days > 0 && rest < 0) {
        days--;
        rest += USECS_PER_DAY;
    } else if (days < 0 && rest > 0) {
        days++;
        rest -= USECS_PER_DAY;
    }
    *microseconds = rest;
    return days;
}

/* Returns the seconds of an interval as EXTRACT(epoch) counts them: a month is 30 days, a year 365.25 days. */
static double sql_value_interval(const char *place)
{
    Interval span;
    bool negative;
    double days;

    memcpy(&span, place, sizeof span);
    if (interval_infinite(&span, &negative))
        return negative ? -INFINITY : INFINITY;
    days = DAYS_A_YEAR * (span.month / MONTHS_PER_YEAR) +
           DAYS_A_MONTH * (double)(span.month % MONTHS_PER_YEAR) + span.day;
    return days * SECONDS_A_DAY + (double)span.time / MICROSECONDS;
}

double sql_value_time(SqlValueKind value_kind, const char *place)
{
    switch (value_kind) {
    case SQL_VALUE_DATE: {
        DateADT date = READ_AT(DateADT, place);

        return DATE_IS_NOBEGIN(date) ? -INFINITY : DATE_IS_NOEND(date) ? INFINITY : date;
    }
    case SQL_VALUE_TIMESTAMP:
    case SQL_VALUE_TIMESTAMPTZ: {
        Timestamp timestamp = READ_AT(Timestamp, place);

        return TIMESTAMP_IS_NOBEGIN(timestamp) ? -INFINITY
               : TIMESTAMP_IS_NOEND(timestamp) ? INFINITY
                                               : (double)timestamp / MICROSECONDS;
    }
    case SQL_VALUE_TIME:
        return (double)READ_AT(TimeADT, place) / MICROSECONDS;
    case SQL_VALUE_TIMETZ: {
        TimeADT time = READ_AT(TimeADT, place);
        int32 zone = READ_AT(int32, place + offsetof(TimeTzADT, zone));

        return (double)time / MICROSECONDS + zone; /* UTC: zones count westwards */
    }
    case SQL_VALUE_INTERVAL:
        return sql_value_interval(place);
    default:
        return NAN;
    }
}

/* ---- strings ---- */

/* The labels of enum values seen last, by oid. */
#define ENUM_CACHE 256
#define ENUM_ORDER_ZERO 0x1p-150 /* smaller than any other float4 */
typedef struct EnumLabel {
    Oid value;
    double order;
    NameData label;
} EnumLabel;
static EnumLabel *enum_labels;

/* Forgets all labels: some enum changed. */
static void enum_forget(Datum argument, int cache, uint32 hash)
{
    memset(enum_labels, 0, ENUM_CACHE * sizeof *enum_labels);
}

/* Returns the order of an enum value. One added before the first can have the order 0, which here means a level without order. */
static double enum_order(Form_pg_enum form)
{
    return form->enumsortorder != 0 ? form->enumsortorder : ENUM_ORDER_ZERO;
}

bool sql_value_enum_order(Oid type, const char *label, uint32_t length, double *order)
{
    char name[NAMEDATALEN];
    HeapTuple tuple;

    if (length >= NAMEDATALEN)
        return false;
    memcpy(name, label, length);
    name[length] = 0;
    tuple = SearchSysCache2(ENUMTYPOIDNAME, ObjectIdGetDatum(type), CStringGetDatum(name));
    if (!HeapTupleIsValid(tuple))
        return false;
    *order = enum_order((Form_pg_enum)GETSTRUCT(tuple));
    ReleaseSysCache(tuple);
    return true;
}

static ReadBytes read_enum(Oid value, char *buffer)
{
    EnumLabel *cached;
    ReadBytes result;

    if (!enum_labels) {
        enum_labels = MemoryContextAllocZero(TopMemoryContext, ENUM_CACHE * sizeof *enum_labels);
        CacheRegisterSyscacheCallback(ENUMOID, enum_forget, (Datum)0);
    }
    cached = &enum_labels[value % ENUM_CACHE];
    if (cached->value != value) {
        HeapTuple tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(value));
        Form_pg_enum form;

        if (!HeapTupleIsValid(tuple))
            env_fail(host_env(), ERROR_DATA, NULL, "invalid enum value %u", value);
        form = (Form_pg_enum)GETSTRUCT(tuple);
        cached->value = value;
        cached->order = enum_order(form);
        cached->label = form->enumlabel;
        ReleaseSysCache(tuple);
    }
    result.length = (uint32)strlen(NameStr(cached->label));
    memcpy(buffer, NameStr(cached->label), result.length);
    result.bytes = buffer;
    result.key = cached->order;
    return result;
}

static ReadBytes read_uuid(const char *place, char *buffer)
{
    static const char hex[] = "0123456789abcdef";
    char *out = buffer;

    for (int i = 0; i < UUID_LEN; i++) {
        unsigned char byte = (unsigned char)place[i];

        if (i == 4 || i == 6 || i == 8 || i == 10)
            *out++ = '-';
        *out++ = hex[byte >> 4];
        *out++ = hex[byte & 15];
    }
    return (ReadBytes){buffer, (uint32)(out - buffer), 0};
}

/* Writes a "char" as PostgreSQL 16 and later does. */
static ReadBytes read_char(unsigned char byte, char *buffer)
{
    int length = byte == 0    ? 0
                 : byte < 128 ? snprintf(buffer, SQL_VALUE_BUFFER, "%c", byte)
                              : snprintf(buffer, SQL_VALUE_BUFFER, "\\%03o", byte);

    return (ReadBytes){buffer, (uint32)length, 0};
}

ReadBytes sql_value_bytes(SqlValueKind value_kind, const char *place, char *buffer)
{
    ReadBytes result = {NULL, 0, 0};

    switch (value_kind) {
    case SQL_VALUE_TEXT:
        result.bytes = varlena_content(place, &result.length);
        break;
    case SQL_VALUE_BPCHAR:
        result.bytes = varlena_content(place, &result.length);
        while (result.length && result.bytes[result.length - 1] == ' ')
            result.length--;
        break;
    case SQL_VALUE_NAME:
        result.bytes = place;
        result.length = (uint32)strnlen(place, NAMEDATALEN);
        break;
    case SQL_VALUE_CSTRING:
        result.bytes = place;
        result.length = (uint32)strlen(place);
        break;
    case SQL_VALUE_CHAR:
        return read_char((unsigned char)*place, buffer);
    case SQL_VALUE_ENUM:
        return read_enum(READ_AT(Oid, place), buffer);
    case SQL_VALUE_UUID:
        return read_uuid(place, buffer);
    default:
        env_fail(host_env(), ERROR_INTERNAL, NULL, "kind %d is not a string", value_kind);
    }
    return result;
}
