/*
 * group_place.c - names the group that is being fitted, for errors and warnings: its keys in GROUP BY or PARTITION BY.
 *
 * While a final function runs, the executor holds a row of its group, from which it takes the keys of the result.
 */
#include "pg/aggregate/aggregate.h"

#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/execnodes.h"
#include "utils/lsyscache.h"

#define KEY_SHOWN 60 /* bytes of a key */

/* Returns the columns of the row of a group that are its keys, and the row; 0: no group. */
static int group_keys(PlanState *node, const AttrNumber **columns, TupleTableSlot **row)
{
    if (IsA(node, WindowAggState)) {
        const WindowAgg *plan = (const WindowAgg *)node->plan;

        *columns = plan->partColIdx;
        *row = ((WindowAggState *)node)->first_part_slot;
        return plan->partNumCols;
    } else {
        AggState *agg = (AggState *)node;
        bool hashed = agg->current_phase == 0;
        const Agg *plan = hashed ? agg->perhash[agg->current_set].aggnode : agg->phase->aggnode;

        *columns = plan->grpColIdx;
        *row = node->ps_ExprContext->ecxt_outertuple;
        return !hashed && agg->phase->numsets > 0 ? agg->phase->gset_lengths[agg->projected_set] : plan->numCols;
    }
}

/* Returns the name of column `number` of the output of a plan: the query's, or that of the table's column; NULL: it has none. */
static const char *column_name(const Plan *plan, const EState *estate, AttrNumber number)
{
    while (plan != NULL && number >= 1 && number <= list_length(plan->targetlist)) {
        const TargetEntry *entry = list_nth(plan->targetlist, number - 1);
        const Var *var = (const Var *)entry->expr;

        if (entry->resname != NULL && !entry->resjunk)
            return entry->resname;
        if (!IsA(var, Var))
            return NULL;
        if (!IS_SPECIAL_VARNO(var->varno))
            return query_column(estate->es_range_table, (int)var->varno, var->varattno);
        plan = var->varno == OUTER_VAR ? outerPlan(plan) : var->varno == INNER_VAR ? innerPlan(plan) : NULL;
        number = var->varattno;
    }
    return NULL;
}

/* Returns the name that the node gives to column `number` of its input, or the name that it has there. */
static const char *key_name(const PlanState *node, AttrNumber number)
{
    ListCell *cell;

    foreach (cell, node->plan->targetlist) {
        const TargetEntry *entry = lfirst(cell);
        const Var *var = (const Var *)entry->expr;

        if (IsA(var, Var) && var->varno == OUTER_VAR && var->varattno == number && entry->resname != NULL && !entry->resjunk)
            return entry->resname;
    }
    return column_name(outerPlan(node->plan), node->state, number);
}

static void print_key(StringInfo out, const char *name, TupleTableSlot *row, AttrNumber column)
{
    Oid type = TupleDescAttr(row->tts_tupleDescriptor, column - 1)->atttypid, output;
    bool null, varlena;
    Datum value = slot_getattr(row, column, &null);
    char *text;

    if (name != NULL)
        appendStringInfo(out, "%s %s ", name, null ? "is" : "=");
    if (null) {
        appendStringInfoString(out, "NULL");
        return;
    }
    getTypeOutputInfo(type, &output, &varlena);
    if (function_is(output, "pgfit_internal", "model_out")) { /* its text is long and begins like that of any other */
        const Model *model = model_from_datum(value);

        if (model->kind == MODEL_FITTED)
            appendStringInfo(out, "a model of %.31s", model->estimator);
        else
            appendStringInfoString(out, input_kind_name((InputKind)model->kind));
        return;
    }
    text = OidOutputFunctionCall(output, value);
    appendBinaryStringInfo(out, text, pg_mbcliplen(text, (int)strlen(text), KEY_SHOWN));
    if (strlen(text) > KEY_SHOWN)
        appendStringInfoString(out, "...");
}

char *group_place(FunctionCallInfo fcinfo, uint64_t rows)
{
    PlanState *node = (PlanState *)fcinfo->context;
    const AttrNumber *columns;
    TupleTableSlot *row;
    StringInfoData out;
    int count;

    if (node == NULL) /* fit(estimator, moments) */
        return psprintf("moments of " UINT64_FORMAT " row%s", rows, rows == 1 ? "" : "s");
    if (!(IsA(node, AggState) || IsA(node, WindowAggState)))
        return NULL;
    count = group_keys(node, &columns, &row);
    if (count == 0 || TupIsNull(row))
        return NULL;
    initStringInfo(&out);
    appendStringInfoString(&out, IsA(node, WindowAggState) ? "the partition " : "the group ");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            appendStringInfoString(&out, ", ");
        print_key(&out, key_name(node, columns[i]), row, columns[i]);
    }
    if (rows > 0) /* not known of a group that a row gave up */
        appendStringInfo(&out, " (" UINT64_FORMAT " row%s)", rows, rows == 1 ? "" : "s");
    return out.data;
}
