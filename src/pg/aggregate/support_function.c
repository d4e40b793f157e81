/*
 * support_function.c - finds the name and the argument types of the SQL function that is called.
 */
#include "pg/aggregate/support_function.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "nodes/execnodes.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

void fail_support_function(FunctionCallInfo fcinfo)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
                    errmsg("%s is not a support function that pgfit declares", format_procedure(fcinfo->flinfo->fn_oid)),
                    errhint("Use the functions of schema pgfit_internal; their names and arguments say what to compute.")));
}

void support_function(FunctionCallInfo fcinfo, const char *suffix, SupportFunction *function)
{
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
    Form_pg_proc form;
    size_t length, tail = strlen(suffix);

    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
    form = (Form_pg_proc)GETSTRUCT(tuple);
    function->fcinfo = fcinfo;
    strlcpy(function->aggregate, NameStr(form->proname), NAMEDATALEN);
    function->argument_count = form->pronargs;
    memcpy(function->arguments, form->proargtypes.values, form->pronargs * sizeof(Oid));
    ReleaseSysCache(tuple);
    length = strlen(function->aggregate);
    if (length <= tail || strcmp(function->aggregate + length - tail, suffix) != 0)
        fail_support_function(fcinfo);
    function->aggregate[length - tail] = '\0';
}

void step_require_aggregate(FunctionCallInfo fcinfo)
{
    if (likely(fcinfo->context && IsA(fcinfo->context, AggState)))
        return;
    if (AggCheckCallContext(fcinfo, NULL) == 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a support function works only inside its aggregate"),
                        errhint("Call the aggregate instead, which is in schema pgfit.")));
}
