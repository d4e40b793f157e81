/*
 * column_scoring.c - scores of whole rows without making the rows: predict(m, d) FROM t AS d.
 *
 * PostgreSQL would copy all columns of d into a composite value for each row, which takes longer than reading the few that a model
 * needs. A planner support function therefore passes the columns themselves to a function of the same score, NAME_columns(model,
 * type of the row, columns ...). What is read, and every message, is the same.
 */
#include "pg/score/scoring.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define COLUMNS_MAX 64 /* of a row that is passed by its columns; a function has at most 100 arguments */

/* ---- planning ---- */

/* Tells whether a join of the query may put NULLs in the place of rows: a row that is NULL is not one of NULLs. */
static bool has_outer_join(const Query *query)
{
    ListCell *cell;

    foreach (cell, query->rtable) {
        const RangeTblEntry *entry = lfirst(cell);

        if (entry->rtekind == RTE_JOIN && IS_OUTER_JOIN(entry->jointype))
            return true;
    }
    return query->groupingSets != NIL;
}

/* Tells whether the query groups by whole rows: columns of a grouped row are not there any more. */
static bool groups_rows(const Query *query)
{
    ListCell *cell, *inner;

    foreach (cell, query->groupClause) {
        Node *expression = get_sortgroupclause_expr(lfirst(cell), query->targetList);
        List *variables = pull_var_clause(expression, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);

        foreach (inner, variables)
            if (((Var *)lfirst(inner))->varattno == InvalidAttrNumber)
                return true;
    }
    return false;
}

/* Tells whether RETURNING asks for this row as OLD or NEW, of which there may be none. */
static bool is_old_or_new(const Var *row)
{
#if PG_VERSION_NUM >= 180000
    return row->varreturningtype != VAR_RETURNING_DEFAULT;
#else
    return false;
#endif
}

/* Returns the columns of a row of a table as arguments; NIL: it has too many. */
static List *columns_of(const Var *row)
{
    TupleDesc descriptor = lookup_rowtype_tupdesc(row->vartype, -1);
    List *columns = NIL;

    for (int i = 0; i < descriptor->natts && descriptor->natts <= COLUMNS_MAX; i++) {
        Form_pg_attribute column = TupleDescAttr(descriptor, i);

        columns = lappend(columns, column->attisdropped
                                       ? (Node *)makeNullConst(INT4OID, -1, InvalidOid)
                                       : (Node *)makeVar((int)row->varno, column->attnum, column->atttypid, column->atttypmod,
                                                         column->attcollation, 0));
    }
    ReleaseTupleDesc(descriptor);
    return columns;
}

/*
 * Returns the function NAME_columns of the function that is called; InvalidOid: there is none, or the user may not call NAME. It is
 * looked up in the catalog, because users have no rights in its schema.
 */
static Oid columns_function(const FuncExpr *call)
{
    char *name = get_func_name(call->funcid);
    Oid types[] = {exprType(linitial(call->args)), OIDOID, ANYOID}, schema = get_namespace_oid("pgfit_internal", true);

    if (name == NULL || !OidIsValid(schema) || compat_function_aclcheck(call->funcid, GetUserId()) != ACLCHECK_OK)
        return InvalidOid;
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(psprintf("%s_columns", name)),
                           PointerGetDatum(buildoidvector(types, lengthof(types))), ObjectIdGetDatum(schema));
}

/* Returns the call of NAME_columns for NAME(model, row of a table), or NULL where it would not be the same. */
static Node *call_with_columns(const SupportRequestSimplify *request)
{
    const FuncExpr *call = request->fcall;
    const Var *row = list_length(call->args) == 2 ? lsecond(call->args) : NULL;
    const RangeTblEntry *table;
    List *columns;
    Oid function;

    if (request->root == NULL || row == NULL || !IsA(row, Var) || row->varattno != InvalidAttrNumber || row->varlevelsup != 0 ||
        row->vartype == RECORDOID || is_old_or_new(row) || has_outer_join(request->root->parse) ||
        groups_rows(request->root->parse))
        return NULL;
    table = rt_fetch((int)row->varno, request->root->parse->rtable);
    if (table->rtekind != RTE_RELATION || get_rel_type_id(table->relid) != row->vartype)
        return NULL;
    function = columns_function(call);
    columns = OidIsValid(function) ? columns_of(row) : NIL;
    if (columns == NIL)
        return NULL;
    columns = lcons(makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(row->vartype), false, true), columns);
    columns = lcons(linitial(call->args), columns);
    return (Node *)makeFuncExpr(function, call->funcresulttype, columns, call->funccollid, call->inputcollid, COERCE_EXPLICIT_CALL);
}

/* score_support(request): the planner support function of the scores that have a form with columns */
PG_FUNCTION_INFO_V1(pgfit_score_support);
PGDLLEXPORT Datum pgfit_score_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (!IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(NULL);
    PG_RETURN_POINTER(call_with_columns((SupportRequestSimplify *)request));
}

/* ---- scoring ---- */

/* Scores the row whose columns are the arguments from the third on. */
static Datum score_columns(FunctionCallInfo fcinfo, PGFunction score)
{
    ScoringCall *call;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(1) || PG_NARGS() < 3)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("this function is called by the planner alone"),
                        errhint("Call the function of schema pgfit.")));
    call = scoring_call(fcinfo);
    if (unlikely(call->reader == NULL))
        call->reader = column_reader(fcinfo, PG_GETARG_OID(1), 2);
    call->columns = true;
    features_columns(call->reader, fcinfo);
    return score(fcinfo);
}

/* predict_columns(model, type, columns ...) */
PG_FUNCTION_INFO_V1(pgfit_predict_columns);
PGDLLEXPORT Datum pgfit_predict_columns(PG_FUNCTION_ARGS)
{
    return score_columns(fcinfo, pgfit_predict);
}

/* classify_columns(model, type, columns ...) */
PG_FUNCTION_INFO_V1(pgfit_classify_columns);
PGDLLEXPORT Datum pgfit_classify_columns(PG_FUNCTION_ARGS)
{
    return score_columns(fcinfo, pgfit_classify);
}

/* probability_columns(model, type, columns ...) */
PG_FUNCTION_INFO_V1(pgfit_probability_columns);
PGDLLEXPORT Datum pgfit_probability_columns(PG_FUNCTION_ARGS)
{
    return score_columns(fcinfo, pgfit_probability);
}

/* cluster_columns(model, type, columns ...) */
PG_FUNCTION_INFO_V1(pgfit_cluster_columns);
PGDLLEXPORT Datum pgfit_cluster_columns(PG_FUNCTION_ARGS)
{
    return score_columns(fcinfo, pgfit_cluster);
}

/* distance_columns(model, type, columns ...) */
PG_FUNCTION_INFO_V1(pgfit_distance_columns);
PGDLLEXPORT Datum pgfit_distance_columns(PG_FUNCTION_ARGS)
{
    return score_columns(fcinfo, pgfit_distance);
}
