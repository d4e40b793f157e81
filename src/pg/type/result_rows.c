/*
 * result_rows.c - results of functions: tuplestores, ids and labels in a type that the caller names, arrays of numbers.
 */
#include "pg/type/result_rows.h"
#include "pg/server/trusted_functions.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

Tuplestorestate *rows_begin_as(FunctionCallInfo fcinfo, TupleDesc description)
{
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    MemoryContext before;

    if (result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a function that returns rows was called where none are accepted")));
    before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    result->returnMode = SFRM_Materialize;
    result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
    result->setDesc = CreateTupleDescCopy(description); /* the executor frees it */
    MemoryContextSwitchTo(before);
    return result->setResult;
}

Tuplestorestate *rows_begin(FunctionCallInfo fcinfo, TupleDesc *description)
{
    Tuplestorestate *store;

    if (get_call_result_type(fcinfo, NULL, description) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "a function that returns rows has a wrong declaration");
    store = rows_begin_as(fcinfo, *description);
    *description = ((ReturnSetInfo *)fcinfo->resultinfo)->setDesc;
    return store;
}

/* Fails because the argument that gives the type of the result has a value, which would be ignored. */
static void __attribute__((noreturn)) fail_value(FunctionCallInfo fcinfo, Oid type)
{
    char *function = get_func_name(fcinfo->flinfo->fn_oid);
    bool labels = strcmp(function, "classify") == 0;

    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("argument result_type of %s gives the type of the result and must be NULL, but it has a value of type %s",
                           function, format_type_be(type)),
                    errhint("Pass NULL::%s to get %s of this type%s.", format_type_be(type), labels ? "labels" : "ids",
                            labels ? "; to set a decision threshold, use decision_rule(model, '{\"threshold\": 0.3}')" : "")));
}

void result_type_find(ResultType *result, FunctionCallInfo fcinfo, int argument)
{
    uint64 trust;
    Oid type = result->type, input;

    if (likely(type == TEXTOID && PG_ARGISNULL(argument)))
        return;
    if (!OidIsValid(type))
        type = get_fn_expr_argtype(fcinfo->flinfo, argument);
    if (!OidIsValid(type))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("could not determine the type of the result"),
                        errhint("Cast the argument, as in NULL::int.")));
    if (!PG_ARGISNULL(argument))
        fail_value(fcinfo, type);
    trust = trust_generation();
    if (result->user != GetUserId() || result->trust != trust) {
        require_trusted_result(type);
        result->user = GetUserId();
        result->trust = trust;
    }
    if (OidIsValid(result->type))
        return;
    getTypeInputInfo(type, &input, &result->parameter);
    fmgr_info_cxt(input, &result->input, fcinfo->flinfo->fn_mcxt);
    result->type = type;
}

Datum result_datum(ResultType *result, const char *text, uint32 length)
{
    if (!OidIsValid(result->type) || result->type == TEXTOID)
        return PointerGetDatum(cstring_to_text_with_len(text, (int)length));
    return InputFunctionCall(&result->input, pnstrdup(text, length), result->parameter, -1);
}

Datum float8_array(uint32 rows, uint32 columns, double **numbers)
{
    int dimensions = columns > 0 ? 2 : 1, sizes[] = {(int)rows, (int)columns}, bounds[] = {1, 1};
    uint64 count = (uint64)rows * Max(columns, 1), size = ARR_OVERHEAD_NONULLS(dimensions) + count * sizeof(double);
    ArrayType *array;

    *numbers = NULL;
    if (count == 0)
        return PointerGetDatum(construct_empty_array(FLOAT8OID));
    if (!AllocSizeIsValid(size))
        env_fail(host_env(), ERROR_LIMIT, NULL, "an array of %llu numbers is too large", (unsigned long long)count);
    array = palloc(size);
    SET_VARSIZE(array, size);
    array->ndim = dimensions;
    array->dataoffset = 0;
    array->elemtype = FLOAT8OID;
    memcpy(ARR_DIMS(array), sizes, dimensions * sizeof(int));
    memcpy(ARR_LBOUND(array), bounds, dimensions * sizeof(int));
    *numbers = (double *)ARR_DATA_PTR(array);
    return PointerGetDatum(array);
}

void row_add(ResultRow *row, Datum value, bool null)
{
    row->nulls[row->count] = null;
    row->values[row->count++] = value;
}

void row_add_text(ResultRow *row, const char *text)
{
    row_add(row, text == NULL ? (Datum)0 : CStringGetTextDatum(text), text == NULL);
}

void row_add_number(ResultRow *row, double number)
{
    row_add(row, Float8GetDatum(number), isnan(number));
}

Datum number_or_null(double number, bool *null)
{
    *null = isnan(number);
    return Float8GetDatum(number);
}

Datum numbers_or_null(const double *numbers, int count, bool *null)
{
    double *copy;
    Datum array = float8_array((uint32)count, 0, &copy);

    *null = count == 0;
    for (int i = 0; i < count; i++)
        copy[i] = numbers[i];
    return array;
}

double result_number(uint64 row, int column)
{
    bool isnull;
    Datum value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

    return isnull ? NAN : DatumGetFloat8(value);
}

int64 result_count(uint64 row, int column)
{
    bool isnull;
    Datum value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

    return isnull ? 0 : DatumGetInt64(value);
}
