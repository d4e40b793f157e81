/*
 * row_planning.c - fits to rows without making the rows: linear_regression(y, d, 'a + b') FROM t AS d, linear_regression(y, (a, b)).
 *
 * PostgreSQL would copy all columns of d into a composite value for each row, which takes longer than the step of most fits.
 * Aggregates have no support function that could pass something else, so a planner hook does, in two places. Before planning it
 * replaces d by ROW(a, b) under the names of the columns: all that a formula or option "features" names, and all columns whose name is
 * a string of the options. The step finds columns by their names, so models and errors are the same; where they might not be, the row
 * stays as it is. In the finished plan, where no planner of another server or extension looks at it any more, it replaces any ROW() by
 * a call that passes the columns as they are (row_columns.h). The hook is there from the first plan after the library was loaded. The
 * rights that a whole row needs are in the range table already.
 *
 * A linear_regression of 1,000,000 rows of 12 columns takes 0.18 s for y, d, 'a + b' (0.33 with pgfit.plan_rows off), 0.27 (0.42) for five
 * columns of which one is text, and 0.16 (0.20) for y, (a, b).
 */
#include "pg/host/backend_env.h"
#include "pg/planner/row_columns.h"
#include "core/formula/formula.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parse_relation.h"
#include "parser/parse_type.h"
#include "parser/parsetree.h"
#include "storage/lockdefs.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static planner_hook_type next_planner_hook;

/* ---- what the options ask for ---- */

/* The columns that a fit may look for. */
typedef struct RowNeeds {
    const char *formula;  /* NULL: none */
    List *names;          /* that must be columns */
    List *strings;        /* all keys and strings of the options */
    bool known;
} RowNeeds;

static char *string_of(const JsonbValue *value)
{
    return pnstrdup(value->val.string.val, value->val.string.len);
}

/* Returns a value of an object; NULL: it has none of this name. */
static JsonbValue *value_of(JsonbContainer *object, const char *key)
{
    return getKeyJsonValueFromContainer(object, key, (int)strlen(key), NULL);
}

static bool is_container(const JsonbValue *value, bool object)
{
    return value != NULL && value->type == jbvBinary &&
           (object ? JsonContainerIsObject(value->val.binary.data) : JsonContainerIsArray(value->val.binary.data));
}

/* Tells whether a key of the options names columns, as fold_column and cluster do. */
static bool names_columns(const JsonbValue *key)
{
    static const char tail[] = "_column", *const others[] = {"absorb", "cluster", "entry", "event", "order", "strata"};
    const int length = sizeof tail - 1;

    for (size_t i = 0; i < lengthof(others); i++)
        if (key->val.string.len == (int)strlen(others[i]) && memcmp(key->val.string.val, others[i], strlen(others[i])) == 0)
            return true;
    return key->val.string.len > length && memcmp(key->val.string.val + key->val.string.len - length, tail, length) == 0;
}

/* Lists the strings among the elements of an array, or the keys of an object. Returns false if an element is something else. */
static bool list_strings(JsonbContainer *container, List **names)
{
    JsonbIterator *iterator = JsonbIteratorInit(container);
    bool keys = JsonContainerIsObject(container);
    JsonbIteratorToken token;
    JsonbValue value;

    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
        if (token == (keys ? WJB_KEY : WJB_ELEM)) {
            if (value.type != jbvString)
                return false;
            *names = lappend(*names, string_of(&value));
        }
    return true;
}

/* Lists all keys and strings of the options, and the columns that options such as fold_column and cluster name, alone or in an array. */
static void list_options(JsonbContainer *root, RowNeeds *needs)
{
    JsonbIterator *iterator = JsonbIteratorInit(root);
    JsonbIteratorToken token;
    JsonbValue value;
    int depth = 0;
    bool columns = false;

    while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE) {
        depth += token == WJB_BEGIN_OBJECT || token == WJB_BEGIN_ARRAY ? 1 : token == WJB_END_OBJECT || token == WJB_END_ARRAY ? -1 : 0;
        if ((token == WJB_KEY || token == WJB_VALUE || token == WJB_ELEM) && value.type == jbvString) {
            needs->strings = lappend(needs->strings, string_of(&value));
            if (columns && ((token == WJB_VALUE && depth == 1) || (token == WJB_ELEM && depth == 2)))
                needs->names = lappend(needs->names, string_of(&value));
        }
        if (token == WJB_KEY && depth == 1)
            columns = names_columns(&value);
    }
}

/* Reads the options; what is unusual in them is left to the fit, which gets the whole row. */
static bool read_options(JsonbContainer *root, RowNeeds *needs)
{
    JsonbValue *inner = JsonContainerIsObject(root) ? value_of(root, "options") : NULL, *formula, *features, *reference;
    JsonbContainer *options = is_container(inner, true) ? inner->val.binary.data : root; /* of the estimator that is cross-validated */

    if (!JsonContainerIsObject(root))
        return false;
    formula = value_of(options, "formula");
    features = value_of(options, "features");
    if ((formula == NULL) == (features == NULL) || (formula != NULL && formula->type != jbvString))
        return false;
    if (formula != NULL)
        needs->formula = string_of(formula);
    else if (!is_container(features, false) || !list_strings(features->val.binary.data, &needs->names))
        return false;
    reference = value_of(options, "reference");
    if (is_container(reference, true))
        list_strings(reference->val.binary.data, &needs->names);
    list_options(root, needs);
    return true;
}

static List *variable_names(const Formula *formula)
{
    List *names = NIL;

    for (uint32 i = 0; i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *name = formula_variable(formula, i, &length);

        names = lappend(names, pnstrdup(name, length));
    }
    return names;
}

static bool read_formula(RowNeeds *needs)
{
    const Formula *formula = formula_parse(host_env(), needs->formula, strlen(needs->formula));

    if (formula_has_dot(formula))
        return false;
    needs->names = list_concat(needs->names, variable_names(formula));
    if (formula_target(formula) != NULL) /* it is compared with the columns of the row */
        needs->names = list_concat(needs->names, variable_names(formula_target(formula)));
    return true;
}

/*
 * Reads the formula. An error of the core, which holds nothing but memory, is left for the fit to raise, or not if there are no
 * rows.
 */
static void try_formula(RowNeeds *needs)
{
    HostCall call = {0}, *former = host_call_begin(&call);
    MemoryContext before = CurrentMemoryContext;

    PG_TRY();
    {
        needs->known = read_formula(needs);
    }
    PG_CATCH();
    {
        host_call_begin(former);
        if (!host_call_failed(&call))
            PG_RE_THROW();
        MemoryContextSwitchTo(before);
        FlushErrorState();
        needs->known = false;
        return;
    }
    PG_END_TRY();
    host_call_begin(former);
}

/* Finds out which columns constant options ask for; needs->known is false where that is not certain. */
static void needs_of(const Const *options, RowNeeds *needs)
{
    memset(needs, 0, sizeof *needs);
    if (options->constisnull)
        return;
    needs->known = read_options(&DatumGetJsonbP(options->constvalue)->root, needs);
    if (needs->known && needs->formula != NULL)
        try_formula(needs);
}

static bool has_name(const List *names, const char *name)
{
    ListCell *cell;

    foreach (cell, names)
        if (strcmp(lfirst(cell), name) == 0)
            return true;
    return false;
}

/* Tells whether all that is asked for is there, as it is written: otherwise an error may list the columns of the row. */
static bool needs_are_met(const RowNeeds *needs, const List *columns)
{
    ListCell *cell;

    foreach (cell, needs->names)
        if (!has_name(columns, lfirst(cell)))
            return false;
    return true;
}

/* ---- the row ---- */

/* Tells whether a join may put NULL in the place of a row of this table: a row that is NULL is not one of NULLs. */
static bool is_nullable(const Node *join, int table, bool nullable)
{
    ListCell *cell;

    if (join == NULL)
        return false;
    if (IsA(join, RangeTblRef))
        return nullable && ((const RangeTblRef *)join)->rtindex == table;
    if (IsA(join, FromExpr)) {
        foreach (cell, ((const FromExpr *)join)->fromlist)
            if (is_nullable(lfirst(cell), table, nullable))
                return true;
        return false;
    }
    if (IsA(join, JoinExpr)) {
        const JoinExpr *both = (const JoinExpr *)join;
        bool left = both->jointype == JOIN_RIGHT || both->jointype == JOIN_FULL;
        bool right = both->jointype == JOIN_LEFT || both->jointype == JOIN_FULL;

        return is_nullable(both->larg, table, nullable || left) || is_nullable(both->rarg, table, nullable || right);
    }
    return true;
}

/* Tells whether rows of this relation may come from other servers, to which an aggregate over a row may be sent, but not one over ROW(). */
static bool is_foreign(const RangeTblEntry *table)
{
    ListCell *cell;

    if (table->relkind == RELKIND_FOREIGN_TABLE)
        return true;
    if (!table->inh || !has_subclass(table->relid))
        return false;
    foreach (cell, find_all_inheritors(table->relid, NoLock, NULL))
        if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
            return true;
    return false;
}

/* Tells whether a row of this kind of table is the row of its columns. That of a function may be a value or NULL. */
static bool is_row_of_columns(const Query *query, const Var *row)
{
    const RangeTblEntry *table = rt_fetch((int)row->varno, query->rtable);

    switch (table->rtekind) {
    case RTE_RELATION:
        return row->vartype == get_rel_type_id(table->relid) && !is_foreign(table);
    case RTE_SUBQUERY:
    case RTE_CTE:
    case RTE_VALUES:
        return row->vartype == RECORDOID || get_typtype(row->vartype) == TYPTYPE_COMPOSITE;
    default:
        return false;
    }
}

/* Lists the columns of a row as variables and by their names in the row. Returns false where that is not certain. */
static bool row_columns(const Query *query, const Var *row, List **names, List **columns)
{
    RangeTblEntry *table = rt_fetch((int)row->varno, query->rtable);
    TupleDesc descriptor;
    bool matched = true;

    *names = *columns = NIL;
#if PG_VERSION_NUM >= 180000
    expandRTE(table, (int)row->varno, 0, VAR_RETURNING_DEFAULT, -1, false, names, columns);
#else
    expandRTE(table, (int)row->varno, 0, -1, false, names, columns);
#endif
    if (row->vartype != RECORDOID) { /* a type has names of its own, whatever the query calls the columns */
        ListCell *cell;

        *names = NIL;
        descriptor = lookup_rowtype_tupdesc(row->vartype, -1);
        foreach (cell, *columns) {
            const Var *column = lfirst(cell);

            matched = matched && IsA(column, Var) && column->varattno >= 1 && column->varattno <= descriptor->natts &&
                      !TupleDescAttr(descriptor, column->varattno - 1)->attisdropped &&
                      TupleDescAttr(descriptor, column->varattno - 1)->atttypid == column->vartype;
            if (matched)
                *names = lappend(*names, makeString(pstrdup(NameStr(TupleDescAttr(descriptor, column->varattno - 1)->attname))));
        }
        ReleaseTupleDesc(descriptor);
    }
    return matched && list_length(*names) == list_length(*columns);
}

/* Returns the names as strings; NIL where two are equal or one is none, so that the step would go by positions. */
static List *distinct_names(const List *names)
{
    List *strings = NIL;
    ListCell *cell;

    foreach (cell, names) {
        char *name = strVal(lfirst(cell));

        if (strcmp(name, "?column?") == 0 || has_name(strings, name))
            return NIL;
        strings = lappend(strings, name);
    }
    return strings;
}

/* Tells whether these are the names that ROW() gives: f1, f2 ... */
static bool are_default_names(const List *names)
{
    for (int i = 0; i < list_length(names); i++)
        if (strcmp(strVal(list_nth(names, i)), psprintf("f%d", i + 1)) != 0)
            return false;
    return true;
}

/* Returns ROW() of the columns that are needed, or NULL where the whole row is better. */
static RowExpr *narrow_row(const Query *query, const Var *row, const RowNeeds *needs)
{
    List *names, *columns, *strings, *kept_names = NIL, *kept = NIL;
    RowExpr *result;
    int i = 0;
    ListCell *cell;

    if (!row_columns(query, row, &names, &columns))
        return NULL;
    strings = distinct_names(names);
    if (strings == NIL || are_default_names(names) || !needs_are_met(needs, strings))
        return NULL;
    foreach (cell, strings) {
        if (has_name(needs->names, lfirst(cell)) || has_name(needs->strings, lfirst(cell))) {
            kept_names = lappend(kept_names, list_nth(names, i));
            kept = lappend(kept, list_nth(columns, i));
        }
        i++;
    }
    if (kept == NIL || are_default_names(kept_names))
        return NULL;
    result = makeNode(RowExpr);
    result->args = kept;
    result->row_typeid = RECORDOID;
    result->row_format = COERCE_EXPLICIT_CALL;
    result->colnames = kept_names;
    result->location = -1;
    return result;
}

/* ---- calls ---- */

/* Tells whether this is an aggregate of pgfit, whose step is in the schema that users have no rights in. */
static bool is_own(Oid aggregate)
{
    HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
    Oid step;

    if (!HeapTupleIsValid(tuple))
        return false;
    step = ((Form_pg_aggregate)GETSTRUCT(tuple))->aggtransfn;
    ReleaseSysCache(tuple);
    return function_is(step, "pgfit_internal", NULL);
}

/* Returns the positions of the features and the options among the arguments of an aggregate; -1: it has none. */
static void find_arguments(Oid aggregate, int *features, int *options)
{
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggregate));
    char **names, *modes;
    Oid *types;
    int count;

    *features = *options = -1;
    if (!HeapTupleIsValid(tuple))
        return;
    count = get_func_arg_info(tuple, &types, &names, &modes);
    for (int i = 0; i < count && names != NULL && modes == NULL; i++) {
        if (types[i] == ANYOID && strcmp(names[i], "features") == 0)
            *features = i;
        if (types[i] == options_type_oid() && strcmp(names[i], "options") == 0)
            *options = i;
    }
    ReleaseSysCache(tuple);
}

static bool is_whole_row(const Node *node)
{
    return node != NULL && IsA(node, Var) && ((const Var *)node)->varattno == InvalidAttrNumber &&
           ((const Var *)node)->varlevelsup == 0;
}

/* Returns what replaces the features of a call with these arguments, and sets their position; NULL: nothing does. */
static RowExpr *narrowed_features(const Query *query, Oid aggregate, const List *arguments, int *position)
{
    const Node *row, *options;
    RowNeeds needs;
    int option;

    if (!is_own(aggregate))
        return NULL;
    find_arguments(aggregate, position, &option);
    if (*position < 0 || option < 0 || Max(*position, option) >= list_length(arguments))
        return NULL;
    row = list_nth(arguments, *position);
    if (!is_whole_row(row) || !is_row_of_columns(query, (const Var *)row) ||
        is_nullable((const Node *)query->jointree, (int)((const Var *)row)->varno, false))
        return NULL;
    options = eval_const_expressions(NULL, list_nth(arguments, option)); /* a cast of a constant is one */
    if (!IsA(options, Const))
        return NULL;
    if (OidIsValid(get_extension_oid("citus", true))) /* it would send ROW() to its workers, without the names */
        return NULL;
    needs_of((const Const *)options, &needs);
    return needs.known ? narrow_row(query, (const Var *)row, &needs) : NULL;
}

static void narrow_aggregate(const Query *query, Aggref *call)
{
    List *arguments = NIL;
    bool whole = false;
    RowExpr *row;
    TargetEntry *target;
    ListCell *cell;
    int position;

    if (call->agglevelsup != 0 || call->aggdistinct != NIL || call->aggkind != AGGKIND_NORMAL)
        return;
    foreach (cell, call->args) {
        arguments = lappend(arguments, ((TargetEntry *)lfirst(cell))->expr);
        whole = whole || is_whole_row(llast(arguments));
    }
    row = whole ? narrowed_features(query, call->aggfnoid, arguments, &position) : NULL;
    if (row == NULL)
        return;
    target = list_nth(call->args, position);
    if (target->ressortgroupref != 0) /* sorted by whole rows */
        return;
    target->expr = (Expr *)row;
    lfirst_oid(list_nth_cell(call->aggargtypes, position)) = RECORDOID;
}

/* The same for a window, unless its rows are groups, of which the columns may be gone. */
static void narrow_window(const Query *query, WindowFunc *call)
{
    bool whole = false;
    RowExpr *row;
    ListCell *cell;
    int position;

    foreach (cell, call->args)
        whole = whole || is_whole_row(lfirst(cell));
    if (!whole || !call->winagg || query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL)
        return;
    row = narrowed_features(query, call->winfnoid, call->args, &position);
    if (row != NULL)
        lfirst(list_nth_cell(call->args, position)) = row;
}

/* Narrows the rows of all calls in a query and its subqueries. query: the one that the node belongs to. */
static bool narrow_walker(Node *node, void *query)
{
    if (node == NULL)
        return false;
    if (IsA(node, Query))
        return query_tree_walker((Query *)node, narrow_walker, node, 0);
    if (IsA(node, Aggref))
        narrow_aggregate(query, (Aggref *)node);
    else if (IsA(node, WindowFunc))
        narrow_window(query, (WindowFunc *)node);
    return expression_tree_walker(node, narrow_walker, query);
}

/* ---- finished plans ---- */

/* Notes that a plan depends on a function, and on the columns of the type of a row: with others, it must be made anew. */
static void depend_on(PlannedStmt *plan, Oid function, Oid row_type)
{
    PlanInvalItem *item = makeNode(PlanInvalItem);
    Oid relation = row_type != RECORDOID ? typeOrDomainTypeRelid(row_type) : InvalidOid;

    item->cacheId = PROCOID;
    item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
    plan->invalItems = lappend(plan->invalItems, item);
    if (OidIsValid(relation))
        plan->relationOids = list_append_unique_oid(plan->relationOids, relation);
}

/* Passes the columns of a row to an aggregate, unless its rows are sorted first, which outlive the columns. */
static void pass_columns(PlannedStmt *plan, Aggref *call)
{
    int features, options;
    TargetEntry *target;
    FuncExpr *columns;
    const RowExpr *row;

    if (DO_AGGSPLIT_COMBINE(call->aggsplit) || call->aggdistinct != NIL || call->aggorder != NIL || call->aggkind != AGGKIND_NORMAL ||
        !is_own(call->aggfnoid))
        return;
    find_arguments(call->aggfnoid, &features, &options);
    if (features < 0 || features >= list_length(call->args))
        return;
    target = list_nth(call->args, features);
    if (!IsA(target->expr, RowExpr))
        return;
    row = (const RowExpr *)target->expr;
    columns = row_columns_call(row);
    if (columns == NULL)
        return;
    depend_on(plan, columns->funcid, row->row_typeid);
    target->expr = (Expr *)columns;
}

static bool has_row(const Aggref *call)
{
    ListCell *cell;

    foreach (cell, call->args)
        if (IsA(((TargetEntry *)lfirst(cell))->expr, RowExpr))
            return true;
    return false;
}

static bool pass_walker(Node *node, void *plan)
{
    if (node == NULL)
        return false;
    if (IsA(node, Aggref) && has_row((Aggref *)node))
        pass_columns(plan, (Aggref *)node);
    return expression_tree_walker(node, pass_walker, plan);
}

static void finish_nodes(PlannedStmt *plan, List *nodes);

/* Passes columns to the aggregates of a plan node and those below it. */
static void finish_node(PlannedStmt *plan, Plan *node)
{
    if (node == NULL)
        return;
    check_stack_depth();
    if (IsA(node, Agg)) {
        pass_walker((Node *)node->targetlist, plan);
        pass_walker((Node *)node->qual, plan);
    }
    finish_node(plan, node->lefttree);
    finish_node(plan, node->righttree);
    if (IsA(node, Append))
        finish_nodes(plan, ((Append *)node)->appendplans);
    else if (IsA(node, MergeAppend))
        finish_nodes(plan, ((MergeAppend *)node)->mergeplans);
    else if (IsA(node, SubqueryScan))
        finish_node(plan, ((SubqueryScan *)node)->subplan);
    else if (IsA(node, CustomScan))
        finish_nodes(plan, ((CustomScan *)node)->custom_plans);
}

static void finish_nodes(PlannedStmt *plan, List *nodes)
{
    ListCell *cell;

    foreach (cell, nodes)
        finish_node(plan, lfirst(cell));
}

static PlannedStmt *plan_query(Query *parse, const char *string, int cursor_options, ParamListInfo parameters)
{
    planner_hook_type next = next_planner_hook ? next_planner_hook : standard_planner;
    PlannedStmt *plan;

    if (!pgfit_plan_rows)
        return next(parse, string, cursor_options, parameters);
    narrow_walker((Node *)parse, NULL); /* a planner may change its input */
    plan = next(parse, string, cursor_options, parameters);
    finish_node(plan, plan->planTree);
    finish_nodes(plan, plan->subplans);
    return plan;
}

void row_planning_init(void)
{
    next_planner_hook = planner_hook;
    planner_hook = plan_query;
}
