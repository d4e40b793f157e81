/*
 * source_margins.c - margins and marginal_means: averages of predictions over the rows of a source or over a grid of its levels, in one pass.
 *
 * The query makes the rows: each column as it is, at a level, at a number or a little above and below. The core sums what the model makes of them.
 */
#include "pg/diagnostics/kept_source.h"
#include "pg/features/features.h"
#include "pg/inspect/tables.h"
#include "pg/type/json_options.h"
#include "pg/operations/source.h"
#include "pg/score/scoring.h"
#include "core/estimator/classifier_output.h"
#include "core/linear_equations/margins.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/*
 * How far a number moves for its derivative, as a share of its standard deviation, or of its distance from 0 where that is less: the cube root of the
 * precision balances rounding and curvature. At least these shares of the deviation and of the number, whose digits it would lose; but no large share
 * of a number near 0, whose logarithm may be a term, unless that is rounding beside the deviation.
 */
#define STEP 6e-6
#define STEP_LEAST_DEVIATION "1e-3"
#define STEP_LEAST_DISTANCE "1e-10"
#define STEP_MOST_DISTANCE "1e-3"
#define STEP_ROUNDING "6e-13"

/* A call of one of the functions. */
typedef struct Call {
    const char *function;
    const Scorer *scorer;
    Source *source;
    MarginVariable *variables;
    uint32_t count;
    int *columns;   /* [count] of the source */
    char **fixed;   /* [count] SQL of what option "at" says; NULL: nothing */
    char *weight;   /* SQL; NULL: no option "weight" */
    Margins *margins;
    const MarginVariable *variable; /* the one that is asked for */
    uint32_t place;                 /* of it */
    bool probability, differences;  /* of marginal_means: on the scale of probabilities; pairs of levels */
    const char *class_name;         /* of probabilities */
} Call;

/* ---- the arguments ---- */

static void __attribute__((noreturn)) fail_variable(const Call *call, const char *name)
{
    StringInfoData list;

    initStringInfo(&list);
    for (uint32 i = 0; i < call->count; i++)
        appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", call->variables[i].name);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model reads no column \"%s\"", name), errhint("Its columns are %s.", list.data)));
}

/* Returns SQL of a level in the type of its column, which may have 1 and 0 where the model has booleans. */
static char *level_sql(const Call *call, uint32_t place, const char *level)
{
    int column = call->columns[place];

    if (level == NULL)
        return source_cast(call->source, column, "NULL");
    if (call->variables[place].kind == MARGIN_BOOLEAN && getBaseType(TupleDescAttr(call->source->columns, column)->atttypid) != BOOLOID)
        level = strcmp(level, "true") == 0 ? "1" : strcmp(level, "false") == 0 ? "0" : level;
    return source_literal(call->source, column, level);
}

/* Returns SQL of what option "at" sets a column to. */
static char *fixed_sql(const Call *call, uint32_t place, JsonbValue *value)
{
    const MarginVariable *variable = &call->variables[place];
    char *text;

    if (value->type == jbvString)
        text = pnstrdup(value->val.string.val, value->val.string.len);
    else if (value->type == jbvNumeric)
        text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
    else if (value->type == jbvBool)
        text = pstrdup(value->val.boolean ? "true" : "false");
    else
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"at\" sets \"%s\" to no number, text or boolean", variable->name)));
    for (uint32_t i = 0; variable->kind == MARGIN_CATEGORY && i <= variable->level_count; i++) {
        if (i == variable->level_count)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"at\" sets \"%s\" to \"%s\", which is no level of the model", variable->name, text)));
        if (variable->levels[i] != NULL && strcmp(variable->levels[i], text) == 0)
            break;
    }
    return level_sql(call, place, text);
}

static void read_at(Call *call, Jsonb *options)
{
    const char **names = palloc((call->count + 1) * sizeof(char *));
    JsonbValue value;
    Jsonb *at;

    if (!json_options_value(options, "at", &value))
        return;
    at = JsonbValueToJsonb(&value);
    for (uint32_t i = 0; i < call->count; i++)
        names[i] = call->variables[i].name;
    json_options_require_object(at);
    json_options_known(at, psprintf("at of %s", call->function), names, call->count, "");
    for (uint32_t i = 0; i < call->count; i++)
        if (json_options_value(at, names[i], &value))
            call->fixed[i] = fixed_sql(call, i, &value);
}

/* Reads model, source, variable and options of a call. Needs SPI. */
static void read_call(Call *call, FunctionCallInfo fcinfo, Jsonb *options)
{
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(2));
    char *weight = json_options_string(options, "weight");

    call->scorer = scorer_cache_get(scorer_cache_create(CurrentMemoryContext), PG_GETARG_DATUM(0), true);
    linear_inference(host_env(), call->scorer->model, call->function); /* before the source */
    if (call->scorer->pipeline != NULL)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s does not apply to a pipeline", call->function),
                        errhint("Fit the model to the columns, with what the stages do in its formula.")));
    call->variables = margin_variables(host_env(), call->scorer->model, call->function, &call->count);
    call->columns = palloc((call->count + 1) * sizeof(int));
    call->fixed = palloc0((call->count + 1) * sizeof(char *));
    while (call->place < call->count && strcmp(call->variables[call->place].name, name) != 0)
        call->place++;
    if (call->place == call->count)
        fail_variable(call, name);
    call->variable = &call->variables[call->place];
    if (call->variable->kind == MARGIN_OTHER)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("column \"%s\" is neither a number, a boolean nor a category whose levels the model knows", name)));
    if (call->variable->random)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("column \"%s\" has random effects alone, which are 0 in the population", name),
                        errhint("Read them with pgfit.random_effects(model).")));
    call->source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    for (uint32_t i = 0; i < call->count; i++)
        call->columns[i] = source_column(call->source, "model", call->variables[i].name);
    read_at(call, options);
    if (weight != NULL)
        call->weight = source_number_sql(call->source, "weight", source_column(call->source, "weight", weight));
}

/* ---- rows ---- */

static void require_weight(double weight)
{
    if (!(weight >= 0 && isfinite(weight)))
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("weight is %g", weight), errhint("Give a finite weight of at least 0; rows of weight 0 are skipped.")));
}

static void __attribute__((noreturn)) fail_rows(const Call *call)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                    errmsg("the source has no row with all columns of the model%s", call->weight != NULL ? " and a weight above 0" : ""),
                    errhint("Rows with a NULL in one of them, or without a weight, are left out.")));
}

/* Receives the rows of the query: the number of the average, the row, its weight, the row that is subtracted, the width, and the row between them. */
typedef struct RowReceiver {
    DestReceiver receiver; /* must be first */
    Call *call;
    FeatureReader *readers[3];
    double *slots[3];
    MemoryContext context, row;
    bool learns; /* what the terms of the rows have to do with each other, rather than adding them */
} RowReceiver;

/* Encodes the row in a column of the query. Returns false if a feature is NULL. */
static bool encode(RowReceiver *receiver, int which, const TupleTableSlot *slot, int column, MarginRow *row)
{
    row->slots = receiver->slots[which];
    return !slot->tts_isnull[column] &&
           scorer_read(receiver->call->scorer, receiver->readers[which], slot->tts_values[column], receiver->slots[which], &row->offset) == FEATURES_OK;
}

static bool receive_row(TupleTableSlot *slot, DestReceiver *self)
{
    RowReceiver *receiver = (RowReceiver *)self;
    MemoryContext before = MemoryContextSwitchTo(receiver->row);
    bool pair = slot->tts_tupleDescriptor->natts > 3, slope = slot->tts_tupleDescriptor->natts > 5;
    MarginRow high, low, between;
    double weight, width;
    bool more = true;

    CHECK_FOR_INTERRUPTS();
    slot_getallattrs(slot);
    weight = slot->tts_isnull[2] ? 0 : DatumGetFloat8(slot->tts_values[2]);
    width = pair && !slot->tts_isnull[4] ? DatumGetFloat8(slot->tts_values[4]) : 1;
    require_weight(weight);
    if (weight > 0 && encode(receiver, 0, slot, 1, &high) && (!pair || encode(receiver, 1, slot, 3, &low)) &&
        (!slope || encode(receiver, 2, slot, 5, &between))) {
        if (receiver->learns)
            more = margins_learn(receiver->call->margins, &high);
        else
            margins_add(receiver->call->margins, (uint32_t)DatumGetInt32(slot->tts_values[0]), &high, pair ? &low : NULL, slope ? &between : NULL, weight, width);
    }
    MemoryContextSwitchTo(before);
    MemoryContextReset(receiver->row);
    return more;
}

static void receiver_startup(DestReceiver *self, int operation, TupleDesc description)
{
    RowReceiver *receiver = (RowReceiver *)self;

    for (int which = 0; which < 3 && 1 + 2 * which < description->natts; which++)
        receiver->readers[which] = feature_reader_of_type(TupleDescAttr(description, 1 + 2 * which)->atttypid, receiver->context);
}

static void receiver_end(DestReceiver *self)
{
}

/* Adds the rows of the query to the averages, or learns from them. */
static void read_rows(Call *call, const char *sql, bool learns)
{
    RowReceiver receiver = {
        .receiver = {receive_row, receiver_startup, receiver_end, receiver_end, DestTuplestore}, .call = call, .context = CurrentMemoryContext, .learns = learns};

    receiver.row = AllocSetContextCreate(CurrentMemoryContext, "pgfit margins row", ALLOCSET_DEFAULT_SIZES);
    for (int which = 0; which < 3; which++)
        receiver.slots[which] = palloc((call->scorer->model->slot_count + 1) * sizeof(double));
    source_run(sql, &receiver.receiver);
}

/* ---- queries ---- */

/* Returns "(SELECT d.a AS a, 'x'::text AS b)": the row that the model reads, with one column as this SQL. */
static char *row_sql(const Call *call, const char *value)
{
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "(SELECT ");
    for (uint32_t i = 0; i < call->count; i++)
        appendStringInfo(&sql, "%s%s AS %s", i > 0 ? ", " : "",
                         i == call->place && value != NULL ? value
                         : call->fixed[i] != NULL          ? call->fixed[i]
                                                           : source_column_sql(call->source, call->columns[i]),
                         quote_identifier(call->variables[i].name));
    appendStringInfoChar(&sql, ')');
    return sql.data;
}

/* Learns from the source how dropped terms follow from the others, if there are any. */
static void learn_dropped(Call *call)
{
    char **fixed = call->fixed;

    if (!margins_learn(call->margins, NULL))
        return;
    call->fixed = palloc0((call->count + 1) * sizeof(char *));
    read_rows(call,
              psprintf("SELECT 0, high.*::pg_catalog.record, %s FROM %s AS %s, LATERAL %s AS high", call->weight != NULL ? call->weight : "1::pg_catalog.float8",
                       call->source->from, call->source->alias, row_sql(call, NULL)),
              true);
    (void)margins_learn(call->margins, NULL);
    call->fixed = fixed;
}

/* Returns the standard deviation of the number, or what else says how large it is. */
static double scale_of(const Call *call, const char *value)
{
    bool null[2];
    double number[2];

    SPI_execute(psprintf("SELECT pg_catalog.stddev_pop(%s), pg_catalog.avg(pg_catalog.abs(%s)) FROM %s AS %s", value, value, call->source->from, call->source->alias), true, 1);
    for (int i = 0; i < 2; i++) {
        number[i] = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &null[i]));
        if (null[i] || !(number[i] > 0))
            number[i] = 0;
    }
    if (!isfinite(number[0]) || !isfinite(number[1]))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("the numbers of \"%s\" exceed the range of double precision", call->variable->name)));
    return number[0] > 0 ? number[0] : number[1] > 0 ? number[1] : 1;
}

/* Returns the query of the derivative by a number. */
static char *derivative_sql(const Call *call)
{
    char *value = call->fixed[call->place] != NULL ? psprintf("%s::pg_catalog.float8", call->fixed[call->place])
                                                   : source_number_sql(call->source, "variable", call->columns[call->place]);
    double scale = scale_of(call, value);
    const char *literal = psprintf("'%.17g'::pg_catalog.float8", scale);

    return psprintf("SELECT 0, high.*::pg_catalog.record, %s, low.*::pg_catalog.record, ends.high OPERATOR(pg_catalog.-) ends.low, middle.*::pg_catalog.record\n"
                    "FROM %s AS %s, LATERAL (SELECT %s AS v) AS number,\n"
                    "LATERAL (SELECT GREATEST(LEAST(GREATEST(pg_catalog.abs(number.v), %s OPERATOR(pg_catalog.*) " STEP_LEAST_DEVIATION "), %s), "
                    "pg_catalog.abs(number.v) OPERATOR(pg_catalog.*) " STEP_LEAST_DISTANCE " OPERATOR(pg_catalog./) %g) OPERATOR(pg_catalog.*) %g AS s) AS wide,\n"
                    "LATERAL (SELECT CASE WHEN number.v OPERATOR(pg_catalog.=) 0 THEN wide.s ELSE LEAST(wide.s, GREATEST(pg_catalog.abs(number.v) OPERATOR(pg_catalog.*) "
                    STEP_MOST_DISTANCE ", %s OPERATOR(pg_catalog.*) " STEP_ROUNDING ")) END AS s) AS step,\n"
                    "LATERAL (SELECT number.v OPERATOR(pg_catalog.-) step.s AS low, number.v OPERATOR(pg_catalog.+) step.s AS high) AS ends,\n"
                    "LATERAL %s AS high, LATERAL %s AS low, LATERAL %s AS middle WHERE number.v IS NOT NULL",
                    call->weight != NULL ? call->weight : "1::pg_catalog.float8", call->source->from, call->source->alias, value, literal, literal, STEP, STEP, literal,
                    row_sql(call, "ends.high"), row_sql(call, "ends.low"), row_sql(call, "number.v"));
}

/* Returns "(VALUES (0, 'a'::text), ...)": the levels of a column from this one on, with their numbers. */
static char *levels_sql(const Call *call, uint32_t place, uint32_t from)
{
    const MarginVariable *variable = &call->variables[place];
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "(VALUES ");
    for (uint32_t i = from; i < variable->level_count; i++)
        appendStringInfo(&sql, "%s(%u, %s)", i > from ? ", " : "", i, level_sql(call, place, variable->levels[i]));
    appendStringInfoChar(&sql, ')');
    return sql.data;
}

static bool has_null_level(const MarginVariable *variable)
{
    for (uint32_t i = 0; i < variable->level_count; i++)
        if (variable->levels[i] == NULL)
            return true;
    return false;
}

/* Returns the query of the differences of levels from the reference. */
static char *differences_sql(const Call *call)
{
    return psprintf("SELECT levels.i, high.*::pg_catalog.record, %s, low.*::pg_catalog.record, 1::pg_catalog.float8\n"
                    "FROM %s AS %s, LATERAL %s AS low, %s AS levels (i, v), LATERAL %s AS high WHERE %s",
                    call->weight != NULL ? call->weight : "1::pg_catalog.float8", call->source->from, call->source->alias,
                    row_sql(call, level_sql(call, call->place, call->variable->levels[0])), levels_sql(call, call->place, 1), row_sql(call, "levels.v"),
                    has_null_level(call->variable) ? "true" : psprintf("%s IS NOT NULL", source_column_sql(call->source, call->columns[call->place])));
}

/* ---- results ---- */

/* Shows row i of the result: level i, or the pair of levels that comes i-th. */
static bool margins_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Call *call = reader;
    const MarginVariable *variable = call->variable;
    uint32_t level = (uint32_t)i, other = NO_MARGIN;
    Coefficient own;
    double df;

    if (call->differences) {
        for (level = 0; i >= variable->level_count - 1 - level; level++)
            i -= variable->level_count - 1 - level;
        other = level + 1 + (uint32_t)i;
    }
    margins_finish(call->margins, level, other, &own, &df);
    if (call->probability)
        margins_to_response(call->scorer->model, &own);
    cell_string(&cells[0], variable->name);
    if (variable->level_count > 0)
        cell_string(&cells[1], variable->levels[level]);
    if (other != NO_MARGIN)
        cell_string(&cells[2], variable->levels[other]);
    else if (variable->level_count > 0 && strcmp(call->function, "margins") == 0)
        cell_string(&cells[2], variable->levels[0]);
    cell_string(&cells[3], call->class_name);
    cell_number(&cells[4], own.estimate);
    cell_number(&cells[5], own.std_error);
    cell_number(&cells[6], isfinite(df) ? df : NAN);
    cell_number(&cells[7], own.statistic);
    cell_number(&cells[8], own.p_value);
    cell_number(&cells[9], own.conf_low);
    cell_number(&cells[10], own.conf_high);
    /* the reference has no difference from itself */
    return strcmp(call->function, "margins") != 0 || variable->level_count == 0 || level > 0;
}

static void give_rows(FunctionCallInfo fcinfo, Call *call, uint64_t rows)
{
    Table table = {.name = call->function, .row = margins_row};
    double weight = 0;

    for (uint32_t i = 0; i < call->margins->count; i++)
        weight += call->margins->weight[i];
    if (rows > 0 && weight == 0)
        fail_rows(call);
    margins_warn(call->margins);
    table_rows(fcinfo, &table, call->scorer->model, call, rows);
}

/* Begins the averages, with the level of their limits, in memory that outlives SPI: its functions leave their own as the current one. */
static void begin(Call *call, MemoryContext context, Jsonb *options, uint32_t count, bool response)
{
    const Model *model = call->scorer->model;
    double level = json_options_number(options, "level", NAN);

    MemoryContextSwitchTo(context);
    call->margins = margins_begin(host_env(), model, call->function, count, response);
    if (json_options_has(options, "level") && !(level > 0 && level < 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"level\" of %s must be a number with 0 < x < 1, not %g", call->function, level)));
    if (!isnan(level))
        call->margins->inference.level = level;
    if (call->margins->view.link != LINK_NONE)
        call->class_name = class_string(host_env(), model, class_rule_of(model).positive);
}

PG_FUNCTION_INFO_V1(pgfit_margins);
PGDLLEXPORT Datum pgfit_margins(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"at", "level", "weight"};
    Jsonb *options = json_options_known(PG_GETARG_JSONB_P(3), "margins", names, lengthof(names), "");
    MemoryContext caller = CurrentMemoryContext;
    Call *call = palloc0(sizeof *call);
    bool number;

    call->function = "margins";
    SPI_connect();
    MemoryContextSwitchTo(caller);
    read_call(call, fcinfo, options);
    number = call->variable->kind == MARGIN_NUMBER;
    if (!number && call->fixed[call->place] != NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"at\" sets \"%s\", whose levels are compared", call->variable->name)));
    begin(call, caller, options, number ? 1 : call->variable->level_count, true);
    learn_dropped(call);
    if (number || call->variable->level_count > 1)
        read_rows(call, number ? derivative_sql(call) : differences_sql(call), false);
    SPI_finish();
    give_rows(fcinfo, call, number ? 1 : call->variable->level_count > 1 ? call->variable->level_count : 0);
    return (Datum)0;
}

/* ---- marginal_means ---- */

/* Returns the condition that a row has all columns of the model. */
static char *complete_sql(const Call *call)
{
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "true");
    for (uint32_t i = 0; i < call->count; i++)
        if (!has_null_level(&call->variables[i]) && (call->scorer->model->flags & MODEL_IMPUTE) == 0)
            appendStringInfo(&sql, " AND %s IS NOT NULL", source_column_sql(call->source, call->columns[i]));
    return sql.data;
}

/* Sets all numbers that option "at" does not set to their means. Fails if the source has no row, though "at" sets all of them. */
static void fix_numbers(Call *call)
{
    const char *weight = call->weight != NULL ? call->weight : "1::pg_catalog.float8";
    uint32_t *places = palloc((call->count + 1) * sizeof(uint32_t));
    StringInfoData sql;
    char *number;
    int count = 0;
    bool none, null;
    double sum;

    initStringInfo(&sql);
    for (uint32_t i = 0; i < call->count; i++) {
        if (call->fixed[i] != NULL || call->variables[i].level_count > 0)
            continue;
        if (call->variables[i].kind == MARGIN_OTHER)
            ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("marginal_means needs the mean of column \"%s\", which is no number", call->variables[i].name),
                            errhint("Set it in option \"at\".")));
        places[count++] = i;
        number = source_number_sql(call->source, "column", call->columns[i]);
        appendStringInfo(&sql, "pg_catalog.sum(%s OPERATOR(pg_catalog.*) %s), pg_catalog.sum(%s) FILTER (WHERE %s IS NOT NULL), ", number, weight, weight, number);
    }
    SPI_execute(psprintf("SELECT %spg_catalog.min(%s), pg_catalog.max(%s) FROM %s AS %s WHERE %s", sql.data, weight, weight, call->source->from, call->source->alias,
                         complete_sql(call)),
                true, 1);
    for (int i = 0; i < 2; i++) { /* the greatest of all is NaN */
        sum = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2 * count + 1 + i, &none));
        if (!none)
            require_weight(sum);
    }
    if (none || sum == 0)
        fail_rows(call);
    for (int k = 0; k < count; k++) {
        double own = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2 * k + 1, &null));

        sum = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2 * k + 2, &none));
        call->fixed[places[k]] = none || null || !(sum > 0) ? "NULL::pg_catalog.float8" : psprintf("'%.17g'::pg_catalog.float8", own / sum);
    }
}

/* Returns the query of a grid of all levels of the categories that option "at" does not set, with equal weights or those of the rows. */
static char *grid_sql(Call *call, bool proportional)
{
    StringInfoData from, others;
    int count = 0;

    initStringInfo(&from);
    initStringInfo(&others);
    for (uint32_t i = 0; i < call->count; i++) {
        if (call->fixed[i] != NULL || i == call->place)
            continue;
        if (call->variables[i].random) {
            call->fixed[i] = level_sql(call, i, call->variables[i].levels[0]);
            continue;
        }
        count++;
        if (proportional) {
            Oid type = TupleDescAttr(call->source->columns, call->columns[i])->atttypid;
            char *text = psprintf("others.c%d", count);

            appendStringInfo(&others, "%s AS c%d, ", source_text_sql(source_column_sql(call->source, call->columns[i]), type), count);
            /* the owner of an enum could make a cast of text that runs his function; the reader finds its levels by their text */
            call->fixed[i] = type_is_enum(getBaseType(type)) ? text : source_cast(call->source, call->columns[i], text);
        } else {
            appendStringInfo(&from, ", %s AS c%d (i, v)", levels_sql(call, i, 0), count);
            call->fixed[i] = psprintf("c%d.v", count);
        }
    }
    if (proportional && count > 0) {
        appendStringInfo(&from, ", (SELECT %spg_catalog.sum(%s) AS w FROM %s AS %s WHERE %s GROUP BY 1", others.data,
                         call->weight != NULL ? call->weight : "1::pg_catalog.float8", call->source->from, call->source->alias, complete_sql(call));
        for (int k = 2; k <= count; k++)
            appendStringInfo(&from, ", %d", k);
        appendStringInfoString(&from, ") AS others");
    }
    return psprintf("SELECT levels.i, high.*::pg_catalog.record, %s FROM %s AS levels (i, v)%s, LATERAL %s AS high", proportional && count > 0 ? "others.w" : "1::pg_catalog.float8",
                    levels_sql(call, call->place, 0), from.data, row_sql(call, "levels.v"));
}

/* Tells whether an option is the second of two choices; without the option it is the first. */
static bool is_second(Jsonb *options, const char *name, const char *first, const char *second)
{
    const char *given = json_options_string(options, name);

    if (given != NULL && strcmp(given, first) != 0 && strcmp(given, second) != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"%s\" of marginal_means must be \"%s\" or \"%s\", not \"%s\"", name, first, second, given)));
    return given != NULL && strcmp(given, second) == 0;
}

PG_FUNCTION_INFO_V1(pgfit_marginal_means);
PGDLLEXPORT Datum pgfit_marginal_means(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"at", "differences", "level", "type", "weight", "weights"};
    Jsonb *options = json_options_known(PG_GETARG_JSONB_P(3), "marginal_means", names, lengthof(names), "");
    bool proportional = is_second(options, "weights", "equal", "proportional"), response = is_second(options, "type", "link", "response");
    MemoryContext caller = CurrentMemoryContext;
    Call *call = palloc0(sizeof *call);
    uint64_t levels;

    call->function = "marginal_means";
    call->differences = json_options_boolean(options, "differences", false);
    if (call->differences && response)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("differences of marginal means are on the scale of the link"),
                        errhint("Leave \"type\" out; exp() of a difference of log odds is an odds ratio.")));
    SPI_connect();
    MemoryContextSwitchTo(caller);
    read_call(call, fcinfo, options);
    levels = call->variable->level_count;
    if (call->variable->kind == MARGIN_NUMBER)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("column \"%s\" is a number and has no levels", call->variable->name),
                        errhint("Call pgfit.margins for the effect of a number.")));
    if (call->fixed[call->place] != NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"at\" sets \"%s\", whose levels are compared", call->variable->name)));
    if (model_find(call->scorer->model, "absorbed_levels") != NULL)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("marginal_means needs the effects of the absorbed levels, and this model keeps none"),
                        errhint("Fit the model again with the columns in the formula, such as C(firm).")));
    begin(call, caller, options, call->variable->level_count, false);
    call->probability = response && (call->margins->view.link != LINK_NONE || link_of_model(call->scorer->model).function != NULL);
    learn_dropped(call);
    fix_numbers(call);
    read_rows(call, grid_sql(call, proportional), false);
    SPI_finish();
    give_rows(fcinfo, call, call->differences ? levels * (levels - 1) / 2 : levels);
    return (Datum)0;
}
