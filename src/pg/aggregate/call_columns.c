/*
 * call_columns.c - what the expressions of an aggregate call say about columns: which columns of the row the target, the id and the
 * weight are made of, and whether the features are a column that hides a row of the same name.
 *
 * By the time of a call the planner may have replaced the columns of a view or subquery by the expressions behind them. So a column of the
 * row is found by its expression, and its name is the one that the type of the row gives to its position; names of tables below a view say
 * nothing. Columns of a view that are the same expression cannot be told apart any more: they are all found.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/planner/row_columns.h"
#include "pg/values/sql_value.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include <math.h>

/* Returns the range table of the query that calls an aggregate; NIL: not known, as in a window. */
static List *range_table(FunctionCallInfo fcinfo)
{
    return fcinfo->context && IsA(fcinfo->context, AggState) ? ((AggState *)fcinfo->context)->ss.ps.state->es_range_table : NIL;
}

/* Returns a table of the query; NULL: the number is none of a table. */
static const RangeTblEntry *table_of(const List *tables, int number)
{
    const RangeTblEntry *table = number >= 1 && number <= list_length(tables) ? list_nth(tables, number - 1) : NULL;

    return table != NULL && table->eref != NULL ? table : NULL;
}

const char *query_column(const List *tables, int number, AttrNumber column)
{
    const RangeTblEntry *table = table_of(tables, number);

    if (table == NULL || column < 1 || column > list_length(table->eref->colnames))
        return NULL;
    return strVal(list_nth(table->eref->colnames, column - 1));
}

/* ---- expressions, down to the tables of the query ---- */

static Node *traced(Node *node, void *plan);

static List *scanned_columns(const Plan *plan)
{
    if (IsA(plan, IndexOnlyScan))
        return ((const IndexOnlyScan *)plan)->indextlist;
    if (IsA(plan, ForeignScan))
        return ((const ForeignScan *)plan)->fdw_scan_tlist;
    return IsA(plan, CustomScan) ? ((const CustomScan *)plan)->custom_scan_tlist : NIL;
}

/*
 * Follows a column of a plan's input to the column of a table, subquery or function, or to the expression that it comes from. A column of an
 * Append is its parent's. Where it cannot be followed, or is computed anew whenever it is asked for, it is a column of this plan.
 */
static Node *traced_column(const Var *column, Plan *plan)
{
    Plan *below = column->varno == OUTER_VAR ? outerPlan(plan) : column->varno == INNER_VAR ? innerPlan(plan) : plan;
    List *inputs = below == NULL ? NIL : below != plan ? below->targetlist : (int)column->varno == INDEX_VAR ? scanned_columns(plan) : NIL;
    Node *input = column->varattno >= 1 && column->varattno <= list_length(inputs)
                      ? (Node *)((TargetEntry *)list_nth(inputs, column->varattno - 1))->expr
                      : NULL;

    if (input != NULL && !contain_volatile_functions(input))
        return traced(input, below);
    if (!IS_SPECIAL_VARNO(column->varno))
        return (Node *)makeVar(column->varno, column->varattno, column->vartype, column->vartypmod, column->varcollid, 0);
    if (input == NULL && column->varnosyn > 0)
        return (Node *)makeVar((int)column->varnosyn, column->varattnosyn, column->vartype, column->vartypmod, column->varcollid, 0);
    return (Node *)makeVar(column->varno, column->varattno, column->vartype, column->vartypmod, column->varcollid, (Index)plan->plan_node_id + 1);
}

static Node *traced(Node *node, void *plan)
{
    if (node == NULL || IsA(node, Var))
        return node ? traced_column((Var *)node, plan) : NULL;
    return expression_tree_mutator(node, traced, plan);
}

/* Returns an argument of a call, traced; NULL: it is not known. */
static Node *traced_argument(FunctionCallInfo fcinfo, int argument)
{
    Node *expression = range_table(fcinfo) != NIL ? aggregate_argument(fcinfo, argument) : NULL;

    if (is_row_columns(expression))
        expression = (Node *)row_columns_row((FuncExpr *)expression);
    return expression ? traced(expression, ((AggState *)fcinfo->context)->ss.ps.plan) : NULL;
}

static bool is_column(const Node *node)
{
    return IsA(node, Var) && ((const Var *)node)->varlevelsup == 0;
}

static bool same_expression(const Node *a, const Node *b)
{
    const Var *x = (const Var *)a, *y = (const Var *)b;

    if (!IsA(a, Var) || !IsA(b, Var))
        return equal(a, b);
    return x->varno == y->varno && x->varattno == y->varattno && x->varlevelsup == y->varlevelsup;
}

/* ---- the row ---- */

/* The search for columns of a row in the other arguments. */
typedef struct ColumnSearch {
    List *tables;
    Node *features; /* as they are passed, */
    Node *row;      /* and the row that they are made of */
    List *names, *columns; /* of the row; NIL: it does not show them */
    List *found;
    bool known;
} ColumnSearch;

/* Tells whether a function returns an object with the names of its argument. */
static bool keeps_names(Oid function)
{
    static const Oid functions[] = {F_TO_JSONB, F_TO_JSON, F_ROW_TO_JSON_RECORD, F_JSONB_STRIP_NULLS, F_JSONB_DELETE_JSONB_TEXT, F_JSONB_DELETE_JSONB__TEXT};

    for (size_t i = 0; i < lengthof(functions); i++)
        if (function == functions[i])
            return true;
    return false;
}

/* Returns ROW() of the columns of named_row, under its names; the call itself, if they are not constant. */
static Node *row_of_names(FuncExpr *call)
{
    const Const *names = (const Const *)eval_const_expressions(NULL, linitial(call->args));
    RowExpr *row = makeNode(RowExpr);
    Datum *texts;
    bool *nulls;
    int count;

    if (!IsA(names, Const) || names->consttype != TEXTARRAYOID || names->constisnull || call->funcvariadic) /* a function of someone else may be called so */
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

/* Returns the row inside a call of whole_row or named_row, through which Citus passes rows; other expressions as they are. */
static Node *distributed_row(Node *expression)
{
    FuncExpr *call = (FuncExpr *)expression;

    if (!IsA(expression, FuncExpr) || call->args == NIL)
        return expression;
    if (function_is(call->funcid, "pgfit_distributed", "whole_row"))
        return linitial(call->args);
    return function_is(call->funcid, "pgfit_distributed", "named_row") ? row_of_names(call) : expression;
}

/* Takes off what the names of a row pass through. */
static Node *inner_row(Node *row)
{
    Node *inner = NULL;

    if (IsA(row, RelabelType))
        inner = (Node *)((RelabelType *)row)->arg;
    else if (IsA(row, CoerceToDomain))
        inner = (Node *)((CoerceToDomain *)row)->arg;
    else if (IsA(row, ConvertRowtypeExpr))
        inner = (Node *)((ConvertRowtypeExpr *)row)->arg;
    else if (IsA(row, CoerceViaIO) && ((CoerceViaIO *)row)->resulttype == JSONBOID)
        inner = (Node *)((CoerceViaIO *)row)->arg;
    else if (IsA(row, FuncExpr) && keeps_names(((FuncExpr *)row)->funcid))
        inner = linitial(((FuncExpr *)row)->args);
    else if (IsA(row, OpExpr) && keeps_names(((OpExpr *)row)->opfuncid))
        inner = linitial(((OpExpr *)row)->args);
    return inner ? inner_row(inner) : distributed_row(row);
}

static Node *without_implicit_cast(Node *node)
{
    if (IsA(node, FuncExpr) && ((FuncExpr *)node)->funcformat == COERCE_IMPLICIT_CAST)
        return linitial(((FuncExpr *)node)->args);
    if (IsA(node, CoerceViaIO) && ((CoerceViaIO *)node)->coerceformat == COERCE_IMPLICIT_CAST)
        return (Node *)((CoerceViaIO *)node)->arg;
    return node;
}

/* Adds column `number`, from 1, of the row. */
static void add_column(ColumnSearch *search, const char *name, int number)
{
    Node *column = IsA(search->row, RowExpr) ? without_implicit_cast(list_nth(((RowExpr *)search->row)->args, number - 1))
                                             : (Node *)makeVar(((Var *)search->row)->varno, (AttrNumber)number, InvalidOid, -1, InvalidOid, 0);

    search->names = lappend(search->names, pstrdup(name));
    search->columns = lappend(search->columns, column);
}

/* Lists the columns of the row, if it is one of expressions or a whole row of the query, under the names of its type. */
static void list_columns(ColumnSearch *search)
{
    const Node *row = search->row;
    bool expressions = IsA(row, RowExpr), whole = is_column(row) && ((const Var *)row)->varattno == InvalidAttrNumber;
    const RangeTblEntry *table = whole ? table_of(search->tables, (int)((const Var *)row)->varno) : NULL;
    List *names = expressions ? ((const RowExpr *)row)->colnames : table ? table->eref->colnames : NIL;
    Oid type = exprType(row);
    int number = 1;
    ListCell *cell;

    if (!expressions && table == NULL)
        return;
    if (type == RECORDOID) {
        foreach (cell, names)
            add_column(search, strVal(lfirst(cell)), number++);
    } else {
        TupleDesc descriptor = lookup_rowtype_tupdesc_domain(type, -1, false);

        for (; number <= descriptor->natts && (!expressions || number <= list_length(((const RowExpr *)row)->args)); number++)
            if (!TupleDescAttr(descriptor, number - 1)->attisdropped)
                add_column(search, NameStr(TupleDescAttr(descriptor, number - 1)->attname), number);
        ReleaseTupleDesc(descriptor);
    }
}

/* ---- the other arguments ---- */

/* Finds the columns of the row that are this very expression. Constants may be equal by chance. */
static bool find_expression(ColumnSearch *search, const Node *node)
{
    ListCell *name, *column;
    bool found = false;

    forboth(name, search->names, column, search->columns)
        if (!IsA(node, Const) && same_expression(lfirst(column), node)) {
            search->found = lappend(search->found, lfirst(name));
            found = true;
        }
    return found;
}

/* Finds the column that an expression takes out of the features: (d).y, d ->> 'y'. */
static bool find_part(ColumnSearch *search, const Node *node)
{
    const char *name = NULL;

    if (IsA(node, FieldSelect)) {
        const FieldSelect *part = (const FieldSelect *)node;

        if (same_expression((Node *)part->arg, search->features)) {
            TupleDesc descriptor = lookup_rowtype_tupdesc_domain(exprType((Node *)part->arg), exprTypmod((Node *)part->arg), false);

            name = pstrdup(NameStr(TupleDescAttr(descriptor, part->fieldnum - 1)->attname));
            ReleaseTupleDesc(descriptor);
        }
    } else if (IsA(node, OpExpr)) {
        const OpExpr *part = (const OpExpr *)node;
        const Const *key = (part->opfuncid == F_JSONB_OBJECT_FIELD || part->opfuncid == F_JSONB_OBJECT_FIELD_TEXT) ? lsecond(part->args) : NULL;

        if (key != NULL && IsA(key, Const) && !key->constisnull && same_expression(linitial(part->args), search->features))
            name = TextDatumGetCString(key->constvalue);
    }
    if (name != NULL)
        search->found = lappend(search->found, (void *)name);
    return name != NULL;
}

/* Returns the first of the tables that a table is or, if it is a join, joins: they precede it, those of its right side last. */
static int first_joined(const List *tables, int table)
{
    check_stack_depth();
    if (table < 2 || ((const RangeTblEntry *)list_nth(tables, table - 1))->rtekind != RTE_JOIN)
        return table;
    return first_joined(tables, first_joined(tables, table - 1) - 1);
}

/* Tells whether a join merges two columns of tables, as USING does with those of one name. */
static bool are_merged(const List *tables, const Var *a, const Var *b)
{
    int first = Min((int)a->varno, (int)b->varno), last = Max((int)a->varno, (int)b->varno);
    const char *name = query_column(tables, (int)a->varno, a->varattno), *other = query_column(tables, (int)b->varno, b->varattno);

    for (int i = last + 1; name != NULL && other != NULL && strcmp(name, other) == 0 && i <= list_length(tables); i++) {
        const RangeTblEntry *join = list_nth(tables, i - 1);

        for (int k = 0; join->rtekind == RTE_JOIN && k < join->joinmergedcols; k++)
            if (strcmp(strVal(list_nth(join->eref->colnames, k)), name) == 0 && first >= first_joined(tables, i))
                return true;
    }
    return false;
}

/* Finds the column of the row that a join has merged with a column of another table, of which one is left in the plan. */
static void find_merged(ColumnSearch *search, const Node *node)
{
    ListCell *name, *column;

    forboth(name, search->names, column, search->columns)
        if (is_column(node) && is_column(lfirst(column)) && are_merged(search->tables, (const Var *)node, lfirst(column)))
            search->found = lappend(search->found, lfirst(name));
}

/* Tells whether the features are a column of a table, which no other column is a part of. */
static bool is_stored(const ColumnSearch *search)
{
    const Var *column = (const Var *)search->features;
    const RangeTblEntry *table = is_column((const Node *)column) && column->varattno > 0 ? table_of(search->tables, (int)column->varno) : NULL;

    return table != NULL && table->rtekind == RTE_RELATION;
}

/* Takes off casts. */
static Node *without_casts(Node *node)
{
    const FuncExpr *call = (FuncExpr *)node;

    if (IsA(node, RelabelType))
        return without_casts((Node *)((RelabelType *)node)->arg);
    if (IsA(node, CoerceViaIO))
        return without_casts((Node *)((CoerceViaIO *)node)->arg);
    if (IsA(node, FuncExpr) && (call->funcformat == COERCE_EXPLICIT_CAST || call->funcformat == COERCE_IMPLICIT_CAST))
        return without_casts(linitial(call->args));
    return node;
}

static bool find_columns(Node *node, void *context)
{
    ColumnSearch *search = context;

    if (node == NULL || find_expression(search, node) || find_part(search, node))
        return false;
    if (same_expression(node, search->row) || same_expression(node, search->features))
        search->known = false;
    else if (IsA(node, SubPlan)) /* each is another one, even if they stand for one column */
        search->known = search->known && search->columns != NIL && !contain_subplans((Node *)search->columns);
    else if (IsA(node, Var) || IsA(node, Param))
        search->known = search->known && (search->columns != NIL || is_stored(search));
    find_merged(search, node);
    return expression_tree_walker(node, find_columns, context);
}

/* Tells whether a subquery or a view may call the columns of tables by other names: it is gone from the plan where the planner merged it. */
static bool names_columns(const List *tables)
{
    ListCell *cell;

    foreach (cell, tables)
        if (((RangeTblEntry *)lfirst(cell))->rtekind == RTE_SUBQUERY)
            return true;
    return false;
}

/* Notes what is known of the target after its columns were found. expression: traced. */
static void target_columns(FunctionCallInfo fcinfo, ColumnSearch *search, Node *expression, CallColumns *columns)
{
    const Var *column;
    const char *name;
    int found = list_length(search->found);

    columns->target_known = search->known && !names_columns(search->tables);
    columns->target_count = (uint32)found;
    if (!columns->target_known)
        return;
    expression = without_casts(expression);
    columns->target_plain = find_expression(search, expression) || find_part(search, expression);
    search->found = list_truncate(search->found, found);
    column = (Var *)without_casts(aggregate_argument(fcinfo, 1));
    name = IsA(column, Var) ? query_column(search->tables, (int)column->varnosyn, column->varattnosyn) : NULL;
    columns->target_column = name != NULL ? pstrdup(name) : NULL;
}

static const char **name_array(const List *names, uint32 *count)
{
    const char **array = palloc((list_length(names) + 1) * sizeof *array);
    ListCell *cell;

    *count = 0;
    foreach (cell, names)
        array[(*count)++] = pstrdup(lfirst(cell));
    return array;
}

/* Returns the names of the columns of the row that are columns of tables: the planner may have rewritten an expression in one place and not in another. */
static List *stored_names(const ColumnSearch *search)
{
    List *names = NIL;
    ListCell *name, *column;

    forboth(name, search->names, column, search->columns)
        if (IsA(lfirst(column), Var))
            names = lappend(names, lfirst(name));
    return names;
}

void call_columns(FunctionCallInfo fcinfo, int features, int weight, CallColumns *columns)
{
    ColumnSearch search = {.tables = range_table(fcinfo), .features = traced_argument(fcinfo, features)};

    search.known = search.features != NULL;
    search.row = search.known ? inner_row(search.features) : NULL;
    if (search.known)
        list_columns(&search);
    for (int argument = 1; search.known && argument <= Max(features - 1, weight); argument++) {
        Node *expression;

        if (argument >= features && argument != weight)
            continue;
        expression = traced_argument(fcinfo, argument);
        if (expression == NULL)
            search.known = false;
        else
            find_columns(expression, &search);
        if (argument == 1)
            target_columns(fcinfo, &search, expression, columns);
    }
    columns->known = search.known;
    columns->names = name_array(search.found, &columns->count);
    columns->row_names = name_array(stored_names(&search), &columns->row_count);
}

/* ---- warnings ---- */

/* Tells whether the only column of a table is named like it, as in FROM generate_series(1, 3) AS x. The row is that column then. */
static bool is_column_itself(const RangeTblEntry *table, const char *name)
{
    return list_length(table->eref->colnames) == 1 && strcmp(strVal(linitial(table->eref->colnames)), name) == 0;
}

void call_warn_hidden_row(FunctionCallInfo fcinfo, int features)
{
    Node *expression = aggregate_argument(fcinfo, features);
    List *tables = range_table(fcinfo);
    const Var *var = (const Var *)expression;
    const char *name = expression != NULL && IsA(expression, Var) ? query_column(tables, (int)var->varnosyn, var->varattnosyn) : NULL;
    ListCell *cell;

    if (name == NULL)
        return;
    foreach (cell, tables) {
        RangeTblEntry *table = lfirst(cell);

        if (table->eref == NULL || strcmp(table->eref->aliasname, name) != 0 || is_column_itself(table, name) ||
            (table->rtekind == RTE_FUNCTION && table->alias == NULL)) /* a function names both, as in FROM unnest(a) WITH ORDINALITY */
            continue;
        ereport(WARNING,
                (errmsg("the features are the column \"%s\" alone: a column hides the row of the same name", name),
                 errhint("To pass whole rows, choose an alias that is no column, as in FROM t AS d. To pass the column alone, write "
                         "ARRAY[%s].", quote_identifier(name))));
        return;
    }
}

/* Is the argument a formula, the only option? After several options, all that is meant as one has a name. */
static bool is_formula(const Node *argument)
{
    const Const *options = (const Const *)argument;
    Jsonb *json;

    if (argument == NULL || !IsA(argument, Const) || options->constisnull || options->consttype != options_type_oid())
        return false;
    json = DatumGetJsonbP(options->constvalue);
    return JB_ROOT_IS_OBJECT(json) && JB_ROOT_COUNT(json) == 1 && getKeyJsonValueFromContainer(&json->root, "formula", strlen("formula"), NULL) != NULL;
}

/* Does the method take numbers as arguments before the options? */
static bool takes_numbers(const FitAggregate *fit_aggregate)
{
    return fit_aggregate->estimator != NULL && fit_aggregate->estimator->positional != NULL;
}

/* Returns the option that a number was probably meant for: the first of these that the method has and that may be this number. NULL: none. */
static const char *probable_option(const FitAggregate *fit_aggregate, double number)
{
    static const char *const main_options[] = {"k",         "n_trees",   "lambda",    "C",          "nu",        "contamination", "radius", "min_cluster_size", "bandwidth", "bins",
                                               "degree",    "shrinkage", "smoothing", "var_smoothing", "regularization", "y_min",  "max_depth",        "max_iter",  "tolerance"};

    if (takes_numbers(fit_aggregate))
        return fit_aggregate->estimator->positional[0];
    for (size_t i = 0; i < lengthof(main_options); i++) {
        const OptionSpec *spec = option_find(fit_aggregate_options(fit_aggregate), main_options[i]);

        if (spec != NULL && ((spec->types & OPTION_NUMBER) || ((spec->types & OPTION_INTEGER) && number == floor(number))) &&
            (!option_has_range(spec) || (number >= spec->minimum && number <= spec->maximum)))
            return spec->name;
    }
    return NULL;
}

void call_warn_constant_weight(FunctionCallInfo fcinfo, int weight, const FitAggregate *fit_aggregate)
{
    Node *expression = weight >= 0 ? aggregate_argument(fcinfo, weight) : NULL;
    const char *option;
    double number;

    if (expression == NULL || !IsA(expression, Const) || ((Const *)expression)->constisnull ||
        !(takes_numbers(fit_aggregate) || is_formula(aggregate_argument(fcinfo, weight - 1))))
        return;
    number = DatumGetFloat8(((Const *)expression)->constvalue);
    option = probable_option(fit_aggregate, number);
    if (option == NULL)
        ereport(WARNING, (errmsg("the last argument, %g, is the weight of every row, not an option", number),
                          errhint("Give options by name, or leave the weight out: all rows count the same without it.")));
    else
        ereport(WARNING, (errmsg("the last argument, %g, is the weight of every row, not %s", number, option),
                          takes_numbers(fit_aggregate)
                              ? errhint("Give %s before the formula or the options, or as an option.", option)
                              : errhint("Give it as an option: {\"formula\": \"...\", \"%s\": %g}.", option, number)));
}
