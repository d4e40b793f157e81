/*
 * call_columns.c - what the expressions of an aggregate call say about columns: which ones the target, the id and the weight are
 * made of, and whether the features are a column that hides a row of the same name.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/backend/row_columns.h"
#include "pg/features/sql_value.h"

#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"

/* Returns the range table of the query that calls an aggregate; NIL: not known, as in a window. */
static List *range_table(FunctionCallInfo fcinfo)
{
    return fcinfo->context && IsA(fcinfo->context, AggState) ? ((AggState *)fcinfo->context)->ss.ps.state->es_range_table : NIL;
}

/* Returns the table that a column belongs to as the query was written, and sets its name; NULL: not known. */
static RangeTblEntry *column_table(List *tables, const Var *var, const char **name)
{
    RangeTblEntry *table;

    if (var->varnosyn == 0 || (int)var->varnosyn > list_length(tables))
        return NULL;
    table = list_nth(tables, (int)var->varnosyn - 1);
    if (table->eref == NULL || var->varattnosyn < 1 || var->varattnosyn > list_length(table->eref->colnames))
        return NULL;
    *name = strVal(list_nth(table->eref->colnames, var->varattnosyn - 1));
    return table;
}

/* The search for columns in an expression. */
typedef struct ColumnSearch {
    List *tables;
    const RowExpr *row; /* the features, if the planner has resolved a subquery into expressions; else NULL */
    List *names;
    bool known;
} ColumnSearch;

/* Returns the name of the feature that is this very expression; NULL: none. */
static const char *feature_of(const RowExpr *row, const Node *node)
{
    ListCell *expression, *name;

    if (row == NULL || IsA(node, Const))
        return NULL;
    forboth(expression, row->args, name, row->colnames)
        if (equal(lfirst(expression), node))
            return strVal(lfirst(name));
    return NULL;
}

static bool find_columns(Node *node, void *context)
{
    ColumnSearch *search = context;
    const char *name;

    if (node == NULL)
        return false;
    name = feature_of(search->row, node);
    if (name != NULL) {
        search->names = lappend(search->names, (void *)name);
        return false;
    }
    if (!IsA(node, Var))
        return expression_tree_walker(node, find_columns, context);
    if (column_table(search->tables, (Var *)node, &name) == NULL)
        search->known = false;
    else
        search->names = lappend(search->names, (void *)name);
    return false;
}

/* Returns the row of expressions that the features are, or that a function such as to_jsonb makes them of; NULL: none. */
static const RowExpr *feature_row(FunctionCallInfo fcinfo, int features)
{
    Node *expression = aggregate_argument(fcinfo, features);

    if (is_row_columns(expression))
        return row_columns_row((const FuncExpr *)expression);
    while (expression != NULL && IsA(expression, FuncExpr) && list_length(((FuncExpr *)expression)->args) == 1)
        expression = linitial(((FuncExpr *)expression)->args);
    return expression != NULL && IsA(expression, RowExpr) ? (RowExpr *)expression : NULL;
}

void call_columns(FunctionCallInfo fcinfo, int features, int weight, CallColumns *columns)
{
    ColumnSearch search = {.tables = range_table(fcinfo), .row = feature_row(fcinfo, features), .known = true};
    ListCell *cell;

    for (int argument = 1; argument <= Max(features - 1, weight); argument++) {
        Node *expression = aggregate_argument(fcinfo, argument);

        if (argument >= features && argument != weight)
            continue;
        if (expression == NULL || search.tables == NIL)
            search.known = false;
        else
            find_columns(expression, &search);
    }
    columns->known = search.known;
    columns->names = palloc((list_length(search.names) + 1) * sizeof *columns->names);
    foreach (cell, search.names)
        columns->names[columns->count++] = pstrdup(lfirst(cell));
}

/* Tells whether the only column of a table is named like it, as in FROM generate_series(1, 3) AS x. The row is that column then. */
static bool is_column_itself(const RangeTblEntry *table, const char *name)
{
    return list_length(table->eref->colnames) == 1 && strcmp(strVal(linitial(table->eref->colnames)), name) == 0;
}

void call_warn_hidden_row(FunctionCallInfo fcinfo, int features)
{
    Node *expression = aggregate_argument(fcinfo, features);
    List *tables = range_table(fcinfo);
    const char *name;
    ListCell *cell;

    if (expression == NULL || !IsA(expression, Var) || column_table(tables, (Var *)expression, &name) == NULL)
        return;
    foreach (cell, tables) {
        RangeTblEntry *table = lfirst(cell);

        if (table->eref == NULL || strcmp(table->eref->aliasname, name) != 0 || is_column_itself(table, name))
            continue;
        ereport(WARNING,
                (errmsg("the features are the column \"%s\" alone: a column hides the row of the same name", name),
                 errhint("To pass whole rows, choose an alias that is no column, as in FROM t AS d. To pass the column alone, write "
                         "ARRAY[%s].", quote_identifier(name))));
        return;
    }
}

void call_warn_constant_weight(FunctionCallInfo fcinfo, int weight, const Estimator *estimator)
{
    Node *expression = aggregate_argument(fcinfo, weight);

    if (expression == NULL || !IsA(expression, Const) || ((Const *)expression)->constisnull)
        return;
    ereport(WARNING, (errmsg("the last argument, %g, is the weight of every row, not %s", DatumGetFloat8(((Const *)expression)->constvalue),
                             estimator->positional[0]),
                      errhint("Give %s before the formula or the options, or as an option.", estimator->positional[0])));
}
