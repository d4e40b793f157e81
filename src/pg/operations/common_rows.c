/*
 * common_rows.c - finds the columns whose NULLs keep a row from being scored, and the rows that have none in any of them.
 */
#include "pg/operations/common_rows.h"
#include "pg/operations/json_options.h"
#include "pg/operations/training.h"
#include "pg/values/sql_value.h"
#include "core/formula/formula.h"
#include "core/options/options.h"

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

/* What a fit reads of a row, for run_guarded: a formula may be wrong. */
typedef struct Reading {
    const FitQuery *query;
    bool *needed; /* [columns of the source] */
} Reading;

/* Tells whether rows with a NULL have no score. */
static bool skips_nulls(const FitQuery *query, Jsonb *options)
{
    const OptionSpec *spec = option_find(query->estimator->options, "nulls");
    char *policy = json_options_string_or_null(options, "nulls");

    return policy != NULL ? strcmp(policy, "skip") == 0 : spec != NULL && spec->fallback != NULL && strcmp(spec->fallback, "\"skip\"") == 0;
}

/* Marks the column of this name. */
static void need_column(const Reading *reading, const char *name, size_t length)
{
    TupleDesc columns = reading->query->source->columns;

    for (int i = 0; i < columns->natts; i++)
        if (strlen(NameStr(TupleDescAttr(columns, i)->attname)) == length && memcmp(NameStr(TupleDescAttr(columns, i)->attname), name, length) == 0)
            reading->needed[i] = true;
}

/* Marks the columns that a formula reads. */
static void need_variables(const Reading *reading, const char *text)
{
    const FitQuery *query = reading->query;
    TupleDesc columns = query->source->columns;
    FormulaVariable *variables = palloc(sizeof(FormulaVariable) * (columns->natts + 1));
    const char **others = palloc(sizeof(char *) * (columns->natts + 1));
    const Formula *formula;
    uint32 other_count = 0;

    for (int i = 0; i < columns->natts; i++) {
        Form_pg_attribute attribute = TupleDescAttr(columns, i);
        SqlValueKind kind = sql_value_of_type(attribute->atttypid, false).value_kind;

        variables[i] = (FormulaVariable){NameStr(attribute->attname), (uint32)strlen(NameStr(attribute->attname)), sql_value_is_level(kind) ? FIELD_CATEGORICAL : FIELD_NUMERIC, 1};
        if (i != query->target && i != query->weight && i != query->id)
            others[other_count++] = NameStr(attribute->attname);
    }
    formula = formula_resolve(host_env(), formula_parse(host_env(), text, strlen(text)), variables, (uint32)columns->natts, others, other_count);
    for (uint32_t i = 0; i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *name = formula_variable(formula, i, &length);

        if (formula_reads(formula, i))
            need_column(reading, name, length);
    }
}

static void read_columns(void *argument)
{
    const Reading *reading = argument;
    Jsonb *options = json_options_parse(reading->query->options);
    char *text = json_options_string_or_null(options, "formula");
    JsonbValue features;

    if (!skips_nulls(reading->query, options))
        return;
    if (json_options_value(options, "features", &features) && features.type == jbvBinary) {
        for (int i = 0, count = JB_ROOT_COUNT(JsonbValueToJsonb(&features)); i < count; i++) {
            JsonbValue *name = getIthJsonbValueFromContainer(features.val.binary.data, (uint32)i);

            if (name->type == jbvString)
                need_column(reading, name->val.string.val, (size_t)name->val.string.len);
        }
        return;
    }
    need_variables(reading, text != NULL ? text : ".");
}

/* Returns the condition of rows without NULLs in these columns; "true" without columns. */
static char *condition_of(const Source *source, const bool *needed)
{
    StringInfoData sql;

    initStringInfo(&sql);
    for (int i = 0; i < source->columns->natts; i++) {
        char *column;

        if (!needed[i])
            continue;
        column = source_column_sql(source, i);
        appendStringInfo(&sql, "%s%s IS NOT NULL", sql.len > 0 ? " AND " : "", column);
        if (OidIsValid(get_base_element_type(TupleDescAttr(source->columns, i)->atttypid)))
            appendStringInfo(&sql, " AND pg_catalog.num_nulls(VARIADIC %s) OPERATOR(pg_catalog.=) 0", column);
    }
    return sql.len > 0 ? sql.data : "true";
}

/* Counts the rows with a target that meet each of the conditions. */
static void count_rows(const FitQuery *query, char *const *conditions, int count, int64 *rows)
{
    StringInfoData sql;
    const char *before = "SELECT ";

    initStringInfo(&sql);
    for (int i = 0; i < count; i++, before = ",\n    ")
        appendStringInfo(&sql, "%spg_catalog.count(*) FILTER (WHERE %s)", before, conditions[i]);
    appendStringInfo(&sql, "\nFROM %s AS %s WHERE true", query->source->from, query->source->alias);
    if (query->target >= 0)
        appendStringInfo(&sql, " AND %s IS NOT NULL", source_column_sql(query->source, query->target));
    if (query->weight >= 0)
        appendStringInfo(&sql, " AND %s OPERATOR(pg_catalog.<>) 0", source_column_sql(query->source, query->weight));
    SPI_execute(sql.data, true, 0);
    for (int i = 0; i < count; i++) {
        bool isnull;

        rows[i] = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull));
    }
    SPI_freetuptable(SPI_tuptable);
}

char *common_rows(FitQuery *const *queries, int count, int64 *scorable)
{
    const FitQuery *first = NULL;
    char **conditions = palloc(sizeof(char *) * (count + 1));
    int *own = palloc(sizeof(int) * count), different = 0;
    int64 *rows;
    bool *all = NULL, same = true;

    for (int i = 0; i < count; i++) {
        Reading reading = {.query = queries[i] != NULL && queries[i]->reads != NULL ? queries[i]->reads : queries[i]};
        char *condition;

        scorable[i] = -1;
        own[i] = -1;
        if (queries[i] == NULL)
            continue;
        reading.needed = palloc0(sizeof(bool) * (queries[i]->source->columns->natts + 1));
        if (all == NULL)
            all = palloc0(sizeof(bool) * (queries[i]->source->columns->natts + 1));
        if (run_guarded(read_columns, &reading) != NULL)
            continue; /* what is wrong comes up where it is judged */
        first = first != NULL ? first : queries[i];
        for (int c = 0; c < queries[i]->source->columns->natts; c++)
            all[c] = all[c] || reading.needed[c];
        condition = condition_of(queries[i]->source, reading.needed);
        for (own[i] = 0; own[i] < different && strcmp(conditions[own[i]], condition) != 0; own[i]++)
            ;
        if (own[i] == different)
            conditions[different++] = condition;
    }
    if (different < 2)
        return NULL;
    conditions[different] = condition_of(first->source, all);
    rows = palloc(sizeof(int64) * (different + 1));
    count_rows(first, conditions, different + 1, rows);
    for (int i = 0; i < different; i++)
        same = same && rows[i] == rows[different];
    if (same)
        return NULL;
    if (rows[different] == 0) {
        ereport(WARNING, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row can be scored by all candidates, so each is judged on rows of its own"),
                          errhint("Choose candidates that read the same columns, or option \"nulls\": \"impute\" for all.")));
        return NULL;
    }
    for (int i = 0; i < count; i++)
        if (own[i] >= 0)
            scorable[i] = rows[own[i]];
    return conditions[different];
}
