/*
 * row_columns.c - rows that are passed as their columns; see row_columns.h.
 */
#include "pg/planner/row_columns.h"

#include "access/tupdesc.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define ROW_COLUMNS "row_columns"

/* ---- planning ---- */

List *row_columns_of(const RowExpr *row)
{
    int count = list_length(row->args);

    if (count == 0 || count > ROW_COLUMNS_MAX || (row->row_typeid == RECORDOID && list_length(row->colnames) != count))
        return NIL;
    if (row->row_typeid != RECORDOID) {
        TupleDesc descriptor = lookup_rowtype_tupdesc(row->row_typeid, -1);
        bool same = descriptor->natts == count;

        for (int i = 0; i < count && same; i++)
            same = !TupleDescAttr(descriptor, i)->attisdropped && TupleDescAttr(descriptor, i)->atttypid == exprType(list_nth(row->args, i));
        ReleaseTupleDesc(descriptor);
        if (!same)
            return NIL;
    }
    return list_copy(row->args);
}

Const *row_columns_names(const RowExpr *row)
{
    Datum *names;
    int count = 0;
    ListCell *cell;

    if (row->row_typeid != RECORDOID)
        return makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(row->row_typeid), false, true);
    names = palloc(list_length(row->colnames) * sizeof *names);
    foreach (cell, row->colnames)
        names[count++] = CStringGetTextDatum(strVal(lfirst(cell)));
    return makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
                     PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT)), false, false);
}

/*
 * Returns the function row_columns whose first argument has this type. InvalidOid if not all may call it: a plan may be run by another role than the one it was made for.
 */
static Oid row_columns_function(Oid names)
{
    Oid types[] = {names, ANYOID}, function = internal_function(ROW_COLUMNS, lengthof(types), types);

    return OidIsValid(function) && compat_function_aclcheck(function, ACL_ID_PUBLIC) == ACLCHECK_OK ? function : InvalidOid;
}

FuncExpr *row_columns_call(const RowExpr *row)
{
    List *columns = row_columns_of(row);
    Const *names;
    Oid function;

    if (columns == NIL)
        return NULL;
    names = row_columns_names(row);
    if (names->consttype == OIDOID)
        names->consttype = REGTYPEOID; /* as EXPLAIN shows it */
    function = row_columns_function(names->consttype);
    if (!OidIsValid(function))
        return NULL;
    /* its type is none that the parser would give it: so the function knows a call that a plan has, and so do those who read its value */
    return makeFuncExpr(function, INTERNALOID, lcons(names, columns), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

bool is_row_columns(const Node *node)
{
    const FuncExpr *call = (const FuncExpr *)node;

    return node != NULL && IsA(node, FuncExpr) && call->funcresulttype == INTERNALOID && function_is(call->funcid, "pgfit_internal", ROW_COLUMNS);
}

const RowExpr *row_columns_row(const FuncExpr *call)
{
    const Const *names = linitial_node(Const, call->args);
    RowExpr *row = makeNode(RowExpr);
    Datum *texts;
    int count;

    row->args = list_copy_tail(call->args, 1);
    row->row_typeid = names->consttype == TEXTARRAYOID ? RECORDOID : DatumGetObjectId(names->constvalue);
    row->row_format = COERCE_EXPLICIT_CALL;
    row->location = -1;
    if (names->consttype != TEXTARRAYOID)
        return row;
    deconstruct_array(DatumGetArrayTypeP(names->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL, &count);
    for (int i = 0; i < count; i++)
        row->colnames = lappend(row->colnames, makeString(TextDatumGetCString(texts[i])));
    return row;
}

/* ---- execution ---- */

void fail_not_planned(void)
{
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("this function is called by the planner alone"),
                    errhint("Call the function of schema pgfit.")));
}

/* Returns the type of a row without one, whose columns have these names and are the arguments from `first` on. */
static int32 typmod_of_names(FunctionCallInfo fcinfo, int first, ArrayType *array)
{
    List *arguments = fcinfo->flinfo->fn_expr && IsA(fcinfo->flinfo->fn_expr, FuncExpr) ? ((FuncExpr *)fcinfo->flinfo->fn_expr)->args : NIL;
    TupleDesc descriptor;
    Datum *names;
    bool *nulls;
    int count;

    deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
    if (count != PG_NARGS() - first || list_length(arguments) != PG_NARGS())
        fail_not_planned();
    descriptor = CreateTemplateTupleDesc(count);
    for (int i = 0; i < count; i++) {
        Node *column = list_nth(arguments, i + first);

        if (nulls[i])
            fail_not_planned();
        TupleDescInitEntry(descriptor, (AttrNumber)(i + 1), TextDatumGetCString(names[i]), exprType(column), exprTypmod(column), 0);
        TupleDescInitEntryCollation(descriptor, (AttrNumber)(i + 1), exprCollation(column));
    }
    assign_record_type_typmod(descriptor);
    return descriptor->tdtypmod;
}

void row_columns_type(FunctionCallInfo fcinfo, int first, Oid *type, int32 *typmod)
{
    int names = first - 1;

    if (get_fn_expr_argtype(fcinfo->flinfo, names) == TEXTARRAYOID) {
        *type = RECORDOID;
        *typmod = typmod_of_names(fcinfo, first, PG_GETARG_ARRAYTYPE_P(names));
    } else {
        *type = PG_GETARG_OID(names);
        *typmod = -1;
    }
}

/* Returns the value of a call site, without the columns yet. */
static pg_noinline RowColumns *row_columns_begin(FunctionCallInfo fcinfo)
{
    MemoryContext caller;
    RowColumns *row;

    if (get_fn_expr_rettype(fcinfo->flinfo) != INTERNALOID || PG_NARGS() < 2 || PG_ARGISNULL(0))
        fail_not_planned();
    caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    row = palloc0(offsetof(RowColumns, values) + (Size)(PG_NARGS() - 1) * sizeof(NullableDatum));
    SET_VARSIZE(row, offsetof(RowColumns, values) + (Size)(PG_NARGS() - 1) * sizeof(NullableDatum));
    row_columns_type(fcinfo, 1, &row->row_type, &row->row_typmod);
    row->call = fcinfo->flinfo;
    row->first = 1;
    row->count = (uint32)PG_NARGS() - 1;
    MemoryContextSwitchTo(caller);
    fcinfo->flinfo->fn_extra = row;
    return row;
}

/*
 * row_columns(names | type, columns ...). The columns are copied: with JIT, the arguments of a call may be gone after it.
 */
PG_FUNCTION_INFO_V1(pgfit_row_columns);
PGDLLEXPORT Datum pgfit_row_columns(PG_FUNCTION_ARGS)
{
    RowColumns *row = fcinfo->flinfo->fn_extra;

    if (unlikely(row == NULL))
        row = row_columns_begin(fcinfo);
    for (uint32 i = 0; i < row->count; i++)
        row->values[i] = fcinfo->args[i + 1];
    PG_RETURN_POINTER(row);
}
