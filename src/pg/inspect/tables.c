/*
 * tables.c - the one set-returning function behind coefficients(model), features(model), dendrogram_merges(model) and every
 * other table that a model can show (core/estimator/table.h). The name of the SQL function says which.
 */
#include "pg/inspect/tables.h"
#include "core/inspection/model_tables.h"
#include "pg/features/row_pair.h"
#include "pg/type/result_rows.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/scoring.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define ROW_MEMORY 65536 /* bytes that rows may leave behind before they are freed */

/* State of a call site: looked up in the catalog once. */
typedef struct TableSite {
    const char *name; /* of the SQL function */
    TupleDesc description;
} TableSite;

static TableSite *table_site(FunctionCallInfo fcinfo)
{
    FmgrInfo *info = fcinfo->flinfo;
    TableSite *site = info->fn_extra;
    MemoryContext before;

    if (site != NULL)
        return site;
    before = MemoryContextSwitchTo(info->fn_mcxt);
    site = palloc(sizeof *site);
    site->name = get_func_name(info->fn_oid);
    if (site->name == NULL || get_call_result_type(fcinfo, NULL, &site->description) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "function %u returns no table of a model", info->fn_oid);
    MemoryContextSwitchTo(before);
    info->fn_extra = site;
    return site;
}

static Datum numbers_datum(const Cell *cell)
{
    uint32 rows = cell->numbers.rows, columns = cell->numbers.columns;
    double *numbers;
    Datum array = rows > 0 ? float8_array(rows, columns, &numbers) : float8_array(columns, 0, &numbers);

    if (columns > 0)
        memcpy(numbers, cell->numbers.data, (Size)Max(rows, 1) * columns * sizeof(double));
    return array;
}

/* A text that holds the cells of a column, one after the other: rows are copied before the next one is filled. */
typedef struct ColumnText {
    text *text;
    Size room;
} ColumnText;

static Datum text_datum(ColumnText *column, const Cell *cell)
{
    Size size = VARHDRSZ + (Size)cell->text.length;

    if (size > column->room) {
        if (column->text != NULL)
            pfree(column->text);
        column->room = Max(2 * column->room, size);
        column->text = MemoryContextAlloc(MemoryContextGetParent(CurrentMemoryContext), column->room);
    }
    SET_VARSIZE(column->text, size);
    memcpy(VARDATA(column->text), cell->text.bytes, cell->text.length);
    return PointerGetDatum(column->text);
}

/* Returns a cell as a value of its column. */
static Datum cell_datum(Form_pg_attribute attribute, const Cell *cell, ColumnText *column)
{
    Oid type = attribute->atttypid;

    if (cell->kind == CELL_NUMBER && type == FLOAT8OID)
        return Float8GetDatum(cell->number);
    if (cell->kind == CELL_TEXT && type == TEXTOID)
        return text_datum(column, cell);
    if (cell->kind == CELL_INTEGER && type == INT4OID)
        return Int32GetDatum((int32)cell->integer);
    if (cell->kind == CELL_INTEGER && type == INT8OID)
        return Int64GetDatum(cell->integer);
    if (cell->kind == CELL_INTEGER && type == BOOLOID)
        return BoolGetDatum(cell->integer != 0);
    if (cell->kind == CELL_NUMBERS && type == FLOAT8ARRAYOID)
        return numbers_datum(cell);
    if (cell->kind == CELL_TEXT && type == JSONBOID)
        return DirectFunctionCall1(jsonb_in, CStringGetDatum(cell->text.bytes)); /* zero-terminated */
    elog(ERROR, "column %s of a table has type %s, its cell kind %d", NameStr(attribute->attname), format_type_be(type), cell->kind);
}

/* Returns how a fit of the same method keeps the table that the model lacks, or what else can be read. */
static const char *table_hint(const Model *model, const Estimator *estimator, const char *name)
{
    static const struct {
        const char *table, *option, *hint;
    } kept[] = {
        {"prune_path", "prune", "Fit it with \"prune\": \"cost_complexity\"."},
        {"elbow", "max_k", "Fit it with \"k\": \"auto\", or a range such as [1, 10]."},
        {"vif", "vcov", "Fit it without a penalty, bounds or a minimum norm, to more rows than coefficients, and to classes that no combination of features separates."},
        {"step", "absorb", "Fit it without bounds or a minimum norm, to more rows than coefficients."},
        {"oob_curve", "oob", "Fit it with \"oob\": true and \"bootstrap\": true; merged forests have none."},
        {"support_vectors", "keep_support",
         "Fit it without \"approximation\", and with \"keep_support\": true if the kernel is linear."}};

    for (size_t i = 0; i < lengthof(kept); i++)
        if (strcmp(name, kept[i].table) == 0 && option_find(estimator->options, kept[i].option) != NULL)
            return kept[i].hint;
    return psprintf("Read such a model with %s, summary, info or parameter.", table_names(host_env(), model));
}

static void __attribute__((noreturn)) fail_table(const Model *model, const char *name)
{
    Scorer scorer = {.model = model, .estimator = estimator_of(model)};

    if (model->kind == MODEL_FITTED && scorer.estimator != NULL)
        env_fail(host_env(), ERROR_KIND, table_hint(model, scorer.estimator, name),
                 "%s does not apply to a model of %s", name, scorer.estimator->name);
    fail_unsupported(&scorer, name);
}

void table_rows(FunctionCallInfo fcinfo, const Table *table, const Model *model, void *reader, uint64_t rows)
{
    TableSite *site = table_site(fcinfo);
    Env *env = host_env();
    ColumnText texts[TABLE_MAX_COLUMNS] = {0};
    Cell cells[TABLE_MAX_COLUMNS];
    Datum values[TABLE_MAX_COLUMNS] = {0};
    bool nulls[TABLE_MAX_COLUMNS];
    MemoryContext row_context, before;
    Tuplestorestate *store;
    int columns = site->description->natts;

    if (columns > TABLE_MAX_COLUMNS)
        elog(ERROR, "function %s has %d columns", site->name, columns);
    store = rows_begin_as(fcinfo, site->description);
    row_context = AllocSetContextCreate(CurrentMemoryContext, "pgfit table row", ALLOCSET_DEFAULT_SIZES);
    before = MemoryContextSwitchTo(row_context);
    for (uint64_t i = 0; i < rows; i++) {
        CHECK_FOR_INTERRUPTS();
        for (int c = 0; c < columns; c++)
            cells[c].kind = CELL_NULL;
        if (table->row(env, model, reader, i, cells)) {
            for (int c = 0; c < columns; c++) {
                nulls[c] = cells[c].kind == CELL_NULL;
                if (!nulls[c])
                    values[c] = cell_datum(TupleDescAttr(site->description, c), &cells[c], &texts[c]);
            }
            tuplestore_putvalues(store, site->description, values, nulls);
        }
        if (!row_context->isReset && MemoryContextMemAllocated(row_context, false) > ROW_MEMORY)
            MemoryContextReset(row_context);
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(row_context);
}

/* Prepares to read a table, with the options that the call gives. */
static void *table_open(FunctionCallInfo fcinfo, const Table *table, const Model *model, uint64_t *rows)
{
    if (table->options == NULL)
        return table->open(host_env(), model, rows);
    return table->open_with(host_env(), model, options_argument(fcinfo, PG_NARGS() > 1 ? 1 : -1, table->name, table->options), rows);
}

/* name(model) or name(model, options), where name is a table's */
PG_FUNCTION_INFO_V1(pgfit_table);
PGDLLEXPORT Datum pgfit_table(PG_FUNCTION_ARGS)
{
    const char *name = table_site(fcinfo)->name;
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    Env *env = host_env();
    const Table *table = table_of(model, name);
    uint64_t rows;
    void *reader;

    if (table == NULL && pipeline_is(model)) {
        model = pipeline_last(env, model);
        table = table_of(model, name);
    }
    if (table == NULL)
        fail_table(model, name);
    reader = table_open(fcinfo, table, model, &rows);
    table_rows(fcinfo, table, model, reader, rows);
    return (Datum)0;
}
