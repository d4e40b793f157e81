/*
 * result_rows.c - results of set-returning functions.
 */
#include "pg/backend/result_rows.h"

#include "funcapi.h"
#include "miscadmin.h"

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
