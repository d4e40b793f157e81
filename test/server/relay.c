/*
 * relay.c - a test's stand-in for an engine that splits aggregates over servers, as Citus does: an aggregate on each part of the rows calls the
 * steps of another, given by OID, and returns its state as text; one aggregate over those texts combines them and calls the final function. Each
 * call has a FmgrInfo of its own, without expression and without memory; the arguments arrive as one row.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_MODULE_MAGIC;

typedef struct Relay {
    Oid aggregate, type;
    FormData_pg_aggregate form;
    int16 length;
    bool by_value, is_null;
    Datum value;
    TupleDesc row;
} Relay;

static Relay *relay_begin(FunctionCallInfo fcinfo, Oid aggregate)
{
    MemoryContext context, caller;
    Relay *relay;
    HeapTuple tuple;
    Datum initial;

    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "not in an aggregate");
    caller = MemoryContextSwitchTo(context);
    relay = palloc0(sizeof(Relay));
    tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "no aggregate %u", aggregate);
    memcpy(&relay->form, GETSTRUCT(tuple), sizeof(FormData_pg_aggregate));
    relay->aggregate = aggregate;
    relay->type = relay->form.aggtranstype;
    get_typlenbyval(relay->type, &relay->length, &relay->by_value);
    initial = SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &relay->is_null);
    if (!relay->is_null) {
        Oid input, parameter;

        getTypeInputInfo(relay->type, &input, &parameter);
        relay->value = OidInputFunctionCall(input, TextDatumGetCString(initial), parameter, -1);
    }
    ReleaseSysCache(tuple);
    MemoryContextSwitchTo(caller);
    return relay;
}

/* Calls a function of the aggregate and takes what it returns as the new state. */
static void relay_call(FunctionCallInfo fcinfo, Relay *relay, Oid function, const Datum *values, const bool *nulls, int count)
{
    LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
    FmgrInfo info;
    Datum result;

    fmgr_info(function, &info);
    InitFunctionCallInfoData(*inner, &info, count + 1, fcinfo->fncollation, fcinfo->context, fcinfo->resultinfo);
    inner->args[0].value = relay->value;
    inner->args[0].isnull = relay->is_null;
    for (int i = 0; i < count; i++) {
        inner->args[i + 1].value = values[i];
        inner->args[i + 1].isnull = nulls[i];
    }
    result = FunctionCallInvoke(inner);
    if (!relay->by_value && (relay->is_null || DatumGetPointer(result) != DatumGetPointer(relay->value)) && !inner->isnull) {
        MemoryContext context, caller;

        AggCheckCallContext(fcinfo, &context);
        caller = MemoryContextSwitchTo(context);
        if (!DatumIsReadWriteExpandedObject(result, false, relay->length) || MemoryContextGetParent(DatumGetEOHP(result)->eoh_context) != context)
            result = datumCopy(result, relay->by_value, relay->length);
        MemoryContextSwitchTo(caller);
        if (!relay->is_null && DatumIsReadWriteExpandedObject(relay->value, false, relay->length))
            DeleteExpandedObject(relay->value);
        else if (!relay->is_null)
            pfree(DatumGetPointer(relay->value));
    }
    relay->value = result;
    relay->is_null = inner->isnull;
}

/* relay_step(state, aggregate oid, arguments record) */
PG_FUNCTION_INFO_V1(relay_step);
Datum relay_step(PG_FUNCTION_ARGS)
{
    Relay *relay = PG_ARGISNULL(0) ? relay_begin(fcinfo, PG_GETARG_OID(1)) : (Relay *)PG_GETARG_POINTER(0);
    HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(2);
    HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
    Datum values[FUNC_MAX_ARGS];
    bool nulls[FUNC_MAX_ARGS];

    if (relay->row == NULL) {
        MemoryContext context, caller;

        AggCheckCallContext(fcinfo, &context);
        caller = MemoryContextSwitchTo(context);
        relay->row = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
        MemoryContextSwitchTo(caller);
    }
    heap_deform_tuple(&tuple, relay->row, values, nulls);
    relay_call(fcinfo, relay, relay->form.aggtransfn, values, nulls, relay->row->natts);
    PG_RETURN_POINTER(relay);
}

/* relay_cstring(state): the state as text, to be sent */
PG_FUNCTION_INFO_V1(relay_cstring);
Datum relay_cstring(PG_FUNCTION_ARGS)
{
    const Relay *relay = PG_ARGISNULL(0) ? NULL : (Relay *)PG_GETARG_POINTER(0);
    Oid output;
    bool is_varlena;

    if (relay == NULL || relay->is_null)
        PG_RETURN_NULL();
    getTypeOutputInfo(relay->type, &output, &is_varlena);
    PG_RETURN_CSTRING(OidOutputFunctionCall(output, relay->value));
}

/* relay_text(state): the same, of type text */
PG_FUNCTION_INFO_V1(relay_text);
Datum relay_text(PG_FUNCTION_ARGS)
{
    Datum text = relay_cstring(fcinfo);

    if (!fcinfo->isnull)
        PG_RETURN_TEXT_P(cstring_to_text(DatumGetCString(text)));
    return text;
}

/* relay_combine(state, aggregate oid, state text, null of the result's type) */
PG_FUNCTION_INFO_V1(relay_combine);
Datum relay_combine(PG_FUNCTION_ARGS)
{
    Relay *relay = PG_ARGISNULL(0) ? relay_begin(fcinfo, PG_GETARG_OID(1)) : (Relay *)PG_GETARG_POINTER(0);
    Oid input, parameter;
    Datum value;
    bool null = false;

    if (PG_ARGISNULL(2))
        PG_RETURN_POINTER(relay);
    getTypeInputInfo(relay->type, &input, &parameter);
    value = OidInputFunctionCall(input, text_to_cstring(PG_GETARG_TEXT_PP(2)), parameter, -1);
    relay_call(fcinfo, relay, relay->form.aggcombinefn, &value, &null, 1);
    PG_RETURN_POINTER(relay);
}

/* relay_final(state, aggregate oid, text, null): the result of the final function, whose other arguments are NULL */
PG_FUNCTION_INFO_V1(relay_final);
Datum relay_final(PG_FUNCTION_ARGS)
{
    Relay *relay = PG_ARGISNULL(0) ? NULL : (Relay *)PG_GETARG_POINTER(0);
    Datum values[FUNC_MAX_ARGS] = {0};
    bool nulls[FUNC_MAX_ARGS];

    if (relay == NULL)
        PG_RETURN_NULL();
    memset(nulls, true, sizeof nulls);
    relay->by_value = true; /* what comes now is a result: nobody keeps it */
    relay_call(fcinfo, relay, relay->form.aggfinalfn, values, nulls, get_func_nargs(relay->form.aggfinalfn) - 1);
    if (relay->is_null)
        PG_RETURN_NULL();
    PG_RETURN_DATUM(relay->value);
}
