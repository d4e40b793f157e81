/*
 * whole_row.c - rows as values of type record that still know their columns, for calls that Citus sends to its workers.
 */
#include "pg/host/backend_env.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/memutils.h"

/*
 * whole_row(row): a row of a table. A cast does not do: PostgreSQL drops it from the query that Citus sends, and there the type is the table's.
 */
PG_FUNCTION_INFO_V1(pgfit_whole_row);
PGDLLEXPORT Datum pgfit_whole_row(PG_FUNCTION_ARGS)
{
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

static void __attribute__((noreturn)) fail_names(const char *what)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what),
                    errhint("Write pgfit_distributed.named_row(ARRAY['a', 'b'], t.a, t.b), with one name for each column.")));
}

/* Returns the type of the rows of a call: names that are the same for all rows, and the types of the arguments. */
static TupleDesc named_row_type(FunctionCallInfo fcinfo)
{
    const FuncExpr *call = (const FuncExpr *)fcinfo->flinfo->fn_expr;
    MemoryContext caller;
    TupleDesc type;
    Datum *names;
    bool *nulls;
    int count;

    if (call == NULL || !IsA(call, FuncExpr) || call->funcvariadic || list_length(call->args) != PG_NARGS())
        fail_names("named_row needs its columns one by one");
    if (PG_ARGISNULL(0) || !get_fn_expr_arg_stable(fcinfo->flinfo, 0))
        fail_names("the names of a row must be a constant");
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
    if (count != PG_NARGS() - 1)
        fail_names(psprintf("%d names for %d columns", count, PG_NARGS() - 1));
    caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    type = CreateTemplateTupleDesc(count);
    for (int i = 0; i < count; i++) {
        Node *column = list_nth(call->args, i + 1);

        if (nulls[i])
            fail_names("the name of a column is null");
        TupleDescInitEntry(type, (AttrNumber)(i + 1), TextDatumGetCString(names[i]), exprType(column), exprTypmod(column), 0);
        TupleDescInitEntryCollation(type, (AttrNumber)(i + 1), exprCollation(column));
    }
    type = BlessTupleDesc(type);
    MemoryContextSwitchTo(caller);
    return type;
}

/* named_row(names, columns ...): a row of these columns. Citus sends ROW() without the names of its columns, but arguments arrive as they are. */
PG_FUNCTION_INFO_V1(pgfit_named_row);
PGDLLEXPORT Datum pgfit_named_row(PG_FUNCTION_ARGS)
{
    TupleDesc type = fcinfo->flinfo->fn_extra;
    Datum values[FUNC_MAX_ARGS];
    bool nulls[FUNC_MAX_ARGS];

    if (type == NULL)
        type = fcinfo->flinfo->fn_extra = named_row_type(fcinfo);
    for (int i = 0; i < type->natts; i++) {
        values[i] = PG_GETARG_DATUM(i + 1);
        nulls[i] = PG_ARGISNULL(i + 1);
    }
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(type, values, nulls)));
}
