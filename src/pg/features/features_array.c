/*
 * features_array.c - arrays of numbers, read in place.
 *
 * A short array on a page has a one-byte header and no alignment; its numbers are loaded from unaligned addresses. Only
 * a compressed, external or expanded array is copied.
 */
#include "pg/features/features_internal.h"
#include "pg/server/trusted_functions.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

/* Offsets after the length word: ndim, dataoffset, elemtype, dims, lower bounds, (bitmap), data. */
#define ARRAY_NDIM 0
#define ARRAY_DATA_OFFSET 4
#define ARRAY_ELEMENT 8
#define ARRAY_DIMENSION 12
#define ARRAY_BITMAP 20

ArrayView array_view(const char *place, const char *what)
{
    ArrayView view = {0};
    const char *content;
    uint32 size, dimensions, data_offset;

    content = varlena_content_of(place, &size, &view.copy);
    dimensions = READ_AT(uint32, content + ARRAY_NDIM);
    view.element = READ_AT(Oid, content + ARRAY_ELEMENT);
    if (dimensions == 0)
        return view;
    if (dimensions != 1)
        env_fail(host_env(), ERROR_DATA, "Pass one array of numbers per row.",
                 "%s an array of %u dimensions, not one", what, dimensions);
    view.count = READ_AT(uint32, content + ARRAY_DIMENSION);
    data_offset = READ_AT(uint32, content + ARRAY_DATA_OFFSET);
    if (data_offset) {
        view.bitmap = (const uint8 *)content + ARRAY_BITMAP;
        view.data = content + data_offset - VARHDRSZ;
    } else
        view.data = content + ARRAY_BITMAP;
    if ((!view.bitmap && view.count > size) || view.count > (uint64)size * 8)
        env_fail(host_env(), ERROR_CORRUPT, NULL, "%s an array of %u elements in %u bytes", what,
                 view.count, size);
    return view;
}

bool array_plain_doubles(const char *place, uint32 count, double *out)
{
    uint32 size;
    const char *content = varlena_in_place(place, &size);

    return content != NULL && READ_AT(uint32, content + ARRAY_NDIM) == 1 &&
           READ_AT(uint32, content + ARRAY_DATA_OFFSET) == 0 &&
           READ_AT(Oid, content + ARRAY_ELEMENT) == FLOAT8OID &&
           READ_AT(uint32, content + ARRAY_DIMENSION) == count &&
           size >= ARRAY_BITMAP + (uint64)count * sizeof(double) &&
           copy_doubles(out, content + ARRAY_BITMAP, count);
}

/* Returns the size in bytes of an element of a fixed size. */
static uint32 element_size(SqlValueKind element)
{
    switch (element) {
    case SQL_VALUE_FLOAT8:
    case SQL_VALUE_INT8:
        return 8;
    case SQL_VALUE_FLOAT4:
    case SQL_VALUE_INT4:
        return 4;
    case SQL_VALUE_INT2:
        return 2;
    default:
        return 1;
    }
}

#define READ_ALL(type_)                                                                            \
    for (uint32 i = 0; i < view->count; i++)                                                       \
    out[i] = (double)READ_AT(type_, view->data + i * sizeof(type_))

/* Reads an array without NULLs, with one plain loop per type. */
static void read_dense(const ArrayView *view, SqlValueKind element, double *out, int32 *overflow)
{
    switch (element) {
    case SQL_VALUE_FLOAT8:
        memcpy(out, view->data, (size_t)view->count * sizeof(double));
        break;
    case SQL_VALUE_FLOAT4:
        READ_ALL(float);
        break;
    case SQL_VALUE_INT2:
        READ_ALL(int16);
        break;
    case SQL_VALUE_INT4:
        READ_ALL(int32);
        break;
    case SQL_VALUE_INT8:
        READ_ALL(int64);
        break;
    case SQL_VALUE_BOOLEAN:
        READ_ALL(bool);
        break;
    default: {
        const char *end = view->data;

        for (uint32 i = 0; i < view->count; i++) {
            const char *at = view->data + INTALIGN(end - view->data);
            bool over = false;

            if (unlikely((at != end) & (*end != 0))) /* no padding: a length byte is never 0 */
                at = end;
            if (unlikely(!numeric_small(at, &out[i]))) {
                out[i] = sql_value_numeric(at, &over);
                if (over)
                    *overflow = (int32)i;
            }
            end = at + varlena_size(at);
        }
    }
    }
}

bool array_read(const ArrayView *view, SqlValueKind element, double *out, bool *nulls, int32 *overflow)
{
    const char *at = view->data;
    uint32 size = element_size(element);

    if (nulls)
        memset(nulls, 0, view->count);
    if (!view->bitmap) {
        read_dense(view, element, out, overflow);
        return true;
    }
    for (uint32 i = 0; i < view->count; i++) {
        bool over = false;

        if (!(view->bitmap[i >> 3] & (1 << (i & 7)))) {
            if (!nulls)
                return false;
            nulls[i] = true;
            out[i] = 0;
            continue;
        }
        if (element == SQL_VALUE_NUMERIC && *at == 0)
            at = view->data + INTALIGN(at - view->data);
        out[i] = sql_value_number(element, at, &over);
        if (over)
            *overflow = (int32)i;
        at += element == SQL_VALUE_NUMERIC ? varlena_size(at) : size;
    }
    return true;
}

SqlValueKind array_element_kind(FeatureReader *reader, Oid element)
{
    if (reader->element_type != element) {
        SqlValueKind value_kind = sql_value_of_type(element, false).value_kind;

        if (!sql_value_is_plain_number(value_kind))
            env_fail(host_env(), ERROR_PARAMETER,
                     "Pass an array of numbers, or a row if the features have different types.",
                     "an array of %s cannot hold features", format_type_be(element));
        reader->element = value_kind;
        reader->element_type = element;
    }
    return reader->element;
}

static void trust_cast(ArrayCast *cast, Oid function)
{
    uint64 trust = trust_generation();

    require_trusted_function(function, "the function of the cast to an array,", false);
    cast->user = GetUserId();
    cast->trust = trust;
}

void cast_find(ArrayCast *cast, Oid function, MemoryContext context)
{
    trust_cast(cast, function);
    fmgr_info_cxt(function, &cast->function, context);
}

const char *cast_to_array(ArrayCast *cast, const char *place)
{
    LOCAL_FCINFO(call, 3);
    Datum value = PointerGetDatum(place), array;

    if (unlikely(cast->user != GetUserId() || cast->trust != trust_generation()))
        trust_cast(cast, cast->function.fn_oid);
    if ((uintptr_t)place % MAXIMUM_ALIGNOF && VARATT_IS_4B(place)) {
        uint32 size = varlena_size(place);
        char *aligned = palloc(size);

        memcpy(aligned, place, size);
        value = PointerGetDatum(aligned);
    }
    InitFunctionCallInfoData(*call, &cast->function, cast->function.fn_nargs, InvalidOid, NULL, NULL);
    call->args[0] = (NullableDatum){value, false};
    call->args[1] = (NullableDatum){Int32GetDatum(-1), false};
    call->args[2] = (NullableDatum){BoolGetDatum(true), false};
    array = FunctionCallInvoke(call);
    return call->isnull ? NULL : DatumGetPointer(array);
}
