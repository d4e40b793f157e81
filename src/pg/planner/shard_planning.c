/*
 * shard_planning.c - what a worker of Citus runs: worker_partial_agg('pgfit_distributed.lda(text,float8[],jsonb)', ROW(label, features, options)).
 *
 * That aggregate packs the arguments of each row into a tuple, takes them out again and looks up our step in the catalog, which takes as long as
 * the step itself, and it keeps parallel workers away. It returns the state as text. Before planning, row_planning.c lets this file write the same as a call of the state's own
 * aggregate: (pgfit_distributed.lda_state(label, features, options))::cstring, which the executor runs like any other. Where something is not as
 * expected, the call stays as it is and does the same, slower; see call_site.h.
 */
#include "pg/planner/shard_planning.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Tells whether every role may call a function: a plan may be run by another one. */
static bool may_execute(Oid function)
{
    return compat_function_aclcheck(function, ACL_ID_PUBLIC) == ACLCHECK_OK;
}

static bool is_in_schema(Oid function, const char *schema)
{
    char *name = get_namespace_name(get_func_namespace(function));

    return name != NULL && strcmp(name, schema) == 0;
}

bool returns_shard_state(Oid aggregate)
{
    static const char tail[] = "_state";
    char *name = is_in_schema(aggregate, "pgfit_distributed") ? get_func_name(aggregate) : NULL;
    size_t length = name != NULL ? strlen(name) : 0;

    return length >= sizeof tail && strcmp(name + length - (sizeof tail - 1), tail) == 0;
}

/* Returns the aggregate that Citus's own calls for the rows of a shard; InvalidOid: this is another call. */
static Oid relayed_aggregate(const Aggref *call)
{
    const Node *first;
    char *name;

    if (list_length(call->args) != 2 || call->aggtype != CSTRINGOID || call->aggorder != NIL || call->aggdistinct != NIL || call->aggkind != AGGKIND_NORMAL)
        return InvalidOid;
    first = (const Node *)((TargetEntry *)linitial(call->args))->expr;
    if (IsA(first, RelabelType))
        first = (const Node *)((const RelabelType *)first)->arg;
    if (!IsA(first, Const) || ((const Const *)first)->constisnull ||
        (((const Const *)first)->consttype != REGPROCEDUREOID && ((const Const *)first)->consttype != OIDOID))
        return InvalidOid;
    name = get_func_name(call->aggfnoid);
    if (name == NULL || strcmp(name, "worker_partial_agg") != 0 || get_func_namespace(call->aggfnoid) != PG_CATALOG_NAMESPACE)
        return InvalidOid;
    return DatumGetObjectId(((const Const *)first)->constvalue);
}

/* Reads step, final function and type of the state of an aggregate. */
static bool read_aggregate(Oid aggregate, Oid *step, Oid *final, Oid *state)
{
    HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
    Form_pg_aggregate form;

    if (!HeapTupleIsValid(tuple))
        return false;
    form = (Form_pg_aggregate)GETSTRUCT(tuple);
    *step = form->aggtransfn;
    *final = form->aggfinalfn;
    *state = form->aggtranstype;
    ReleaseSysCache(tuple);
    return true;
}

/* Arguments that the aggregates of states declare as "any". */
static const char *const any_typed[] = {"label", "features", "predicted", "cluster"};

/* Tells whether the expressions have exactly the declared types, as Citus demands, and lists those of the aggregate of the state. */
static bool match_types(HeapTuple function, List *expressions, Oid *types)
{
    char **names, *modes;
    Oid *declared;
    int count = get_func_arg_info(function, &declared, &names, &modes);

    if (count != list_length(expressions) || names == NULL || modes != NULL)
        return false;
    for (int i = 0; i < count; i++) {
        if (exprType(list_nth(expressions, i)) != declared[i])
            return false;
        types[i] = declared[i];
        for (size_t k = 0; k < lengthof(any_typed); k++)
            if (strcmp(names[i], any_typed[k]) == 0)
                types[i] = ANYOID;
    }
    return true;
}

/* Returns the aggregate that returns the state of another, and the type of the state; InvalidOid: there is none for these arguments. */
static Oid state_aggregate(Oid aggregate, List *expressions, Oid *state)
{
    Oid types[FUNC_MAX_ARGS], step, final, result = InvalidOid, result_step, result_final;
    HeapTuple function;

    if (!is_in_schema(aggregate, "pgfit_distributed") || !read_aggregate(aggregate, &step, &final, state) || !is_in_schema(step, "pgfit_internal") ||
        !may_execute(aggregate))
        return InvalidOid;
    function = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggregate));
    if (!HeapTupleIsValid(function))
        return InvalidOid;
    if (match_types(function, expressions, types))
        result = LookupFuncName(list_make2(makeString("pgfit_distributed"),
                                           makeString(psprintf("%s_state", NameStr(((Form_pg_proc)GETSTRUCT(function))->proname)))),
                                list_length(expressions), types, true);
    ReleaseSysCache(function);
    if (!OidIsValid(result) || !read_aggregate(result, &result_step, &result_final, state) || result_step != step || OidIsValid(result_final))
        return InvalidOid;
    return result;
}

/* Returns ROW() of the columns of named_row, under its names; the call itself, if they are not constant. */
static Node *row_of_names(FuncExpr *call)
{
    const Const *names = (const Const *)eval_const_expressions(NULL, linitial(call->args));
    RowExpr *row = makeNode(RowExpr);
    Datum *texts;
    bool *nulls;
    int count;

    if (!IsA(names, Const) || names->constisnull || call->funcvariadic)
        return (Node *)call;
    deconstruct_array(DatumGetArrayTypeP(names->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &count);
    row->args = list_copy_tail(call->args, 1);
    row->row_typeid = RECORDOID;
    row->row_format = COERCE_EXPLICIT_CALL;
    row->location = -1;
    if (count != list_length(row->args))
        return (Node *)call;
    for (int i = 0; i < count; i++) {
        if (nulls[i])
            return (Node *)call;
        row->colnames = lappend(row->colnames, makeString(TextDatumGetCString(texts[i])));
    }
    return (Node *)row;
}

/* The aggregate of the state takes rows of any type, and may read their columns alone. */
Node *shard_plain_row(Node *expression)
{
    FuncExpr *call = (FuncExpr *)expression;

    if (!IsA(expression, FuncExpr) || call->args == NIL || !is_in_schema(call->funcid, "pgfit_distributed"))
        return expression;
    if (strcmp(get_func_name(call->funcid), "whole_row") == 0)
        return linitial(call->args);
    return strcmp(get_func_name(call->funcid), "named_row") == 0 ? row_of_names(call) : expression;
}

/* Writes a call of the state's aggregate with what the original call has besides. */
static Aggref *state_call(const Aggref *original, Oid aggregate, Oid state, List *expressions)
{
    Aggref *call = copyObject((Aggref *)original);
    ListCell *cell;

    call->aggfnoid = aggregate;
    call->aggtype = state;
    call->aggcollid = get_typcollation(state);
    call->inputcollid = InvalidOid;
    call->args = call->aggargtypes = NIL;
    foreach (cell, expressions) {
        Node *expression = shard_plain_row(lfirst(cell));

        call->args = lappend(call->args, makeTargetEntry((Expr *)expression, (AttrNumber)(list_length(call->args) + 1), NULL, false));
        call->aggargtypes = lappend_oid(call->aggargtypes, exprType(expression));
        if (!OidIsValid(call->inputcollid))
            call->inputcollid = exprCollation(expression);
    }
    return call;
}

/* Returns what replaces a call; NULL: nothing does. */
static Node *direct_call(const Aggref *call)
{
    Oid aggregate = relayed_aggregate(call), state, output;
    Node *second;
    List *expressions;
    bool is_varlena;

    if (!OidIsValid(aggregate))
        return NULL;
    second = (Node *)((TargetEntry *)lsecond(call->args))->expr;
    expressions = IsA(second, RowExpr) ? ((RowExpr *)second)->args : list_make1(second);
    aggregate = state_aggregate(aggregate, expressions, &state);
    if (!OidIsValid(aggregate))
        return NULL;
    getTypeOutputInfo(state, &output, &is_varlena);
    return (Node *)makeFuncExpr(output, CSTRINGOID, list_make1(state_call(call, aggregate, state, expressions)), InvalidOid, InvalidOid,
                                COERCE_EXPLICIT_CALL);
}

/* Tells whether there is a call to replace: most queries have none, and are not copied. */
static bool has_relayed_call(Node *node, void *context)
{
    if (node == NULL)
        return false;
    if (IsA(node, Query))
        return query_tree_walker((Query *)node, has_relayed_call, context, 0);
    if (IsA(node, Aggref) && OidIsValid(relayed_aggregate((Aggref *)node)))
        return true;
    return expression_tree_walker(node, has_relayed_call, context);
}

static Node *replace_calls(Node *node, void *context)
{
    Node *direct;

    if (node == NULL)
        return NULL;
    if (IsA(node, Query))
        return (Node *)query_tree_mutator((Query *)node, replace_calls, context, 0);
    if (IsA(node, Aggref) && (direct = direct_call((Aggref *)node)) != NULL)
        return direct;
    return expression_tree_mutator(node, replace_calls, context);
}

Query *shard_calls_made_direct(Query *query)
{
    return has_relayed_call((Node *)query, NULL) ? (Query *)replace_calls((Node *)query, NULL) : query;
}
