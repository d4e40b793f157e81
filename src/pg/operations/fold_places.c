/*
 * fold_places.c - writes SQL for the fold of a row, which follows from the row and from numbers in the SQL: all steps of a fit agree on it, and its scores.
 */
#include "pg/operations/fit_query.h"
#include "pg/type/json_options.h"
#include "pg/type/result_rows.h"
#include "pg/values/output_settings.h"
#include "core/base/sort.h"
#include "core/estimator/classifier_output.h"
#include "core/rows/special_columns.h"
#include "core/validation/cross_validation.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"

#define HASHES 2147483647 /* so many folds of a key that their number is a hash of it */
#define CLASS_HASHES "2147483648" /* numbers of a class in cuts of all: its hashes are below that */

/* Returns the column that an option names. */
static int option_column(const Source *source, const Options *options, const char *name)
{
    return source_column(source, psprintf("option \"%s\"", name), options_string(options, name));
}

/* Returns the fold of a key out of so many. */
static char *hashed_fold(const char *key, int count, const Options *options)
{
    return psprintf("pgfit.fold(%s, %d, " INT64_FORMAT ")", key, count, options_integer(options, "seed"));
}

/* ---- folds of a column ---- */

/* Reduces the folds to those that option test_folds lists. */
static void keep_listed(FoldPlaces *folds, const Options *options)
{
    uint32_t listed;
    const double *list = options_numbers(options, "test_folds", &listed);
    int kept = 0;

    for (uint32_t i = 0; i < listed; i++) {
        int place = 0;

        while (place < folds->count && folds->held_out[place] != list[i])
            place++;
        if (place == folds->count)
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("option \"test_folds\" lists fold %.15g, which no row has", list[i])));
        if (place >= kept) { /* not listed before */
            folds->held_out[place] = folds->held_out[kept];
            folds->held_out[kept++] = list[i];
        }
    }
    qsort(folds->held_out, (size_t)kept, sizeof(double), compare_numbers); /* rising again */
    folds->count = listed > 0 ? kept : folds->count;
}

static void folds_of_column(FoldPlaces *folds, const Source *source, const Options *options, const char *condition)
{
    const char *name = options_string(options, "fold_column");

    folds->place = source_number_sql(source, "fold column", option_column(source, options, "fold_column"));
    SPI_execute(psprintf("SELECT DISTINCT %s AS fold%s\nORDER BY 1 LIMIT %d", folds->place,
                         source_rows_sql(source, "\n", both_conditions(psprintf("%s IS NOT NULL", folds->place), condition)), FOLDS_MAX + 1),
                true, 0);
    if (SPI_processed > FOLDS_MAX)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the fold column has more than %d values", FOLDS_MAX),
                        errhint("Use a column with fewer values, or option \"group_column\", which puts groups together.")));
    folds->count = (int)SPI_processed;
    folds->held_out = palloc(sizeof(double) * (folds->count + 1));
    for (int i = 0; i < folds->count; i++) {
        folds->held_out[i] = result_number((uint64)i, 1);
        if (!(fabs(folds->held_out[i]) < 1e15) || folds->held_out[i] != floor(folds->held_out[i]))
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("fold column \"%s\" is not a whole number", name),
                            errhint("Number the folds, for example with id %% 10.")));
    }
    keep_listed(folds, options);
}

/* ---- folds by time ---- */

/* Returns a time as a number. */
static char *time_sql(const Source *source, int column)
{
    static const Oid times[] = {DATEOID, TIMESTAMPOID, TIMESTAMPTZOID, TIMEOID, INTERVALOID};

    for (size_t i = 0; i < lengthof(times); i++)
        if (getBaseType(TupleDescAttr(source->columns, column)->atttypid) == times[i])
            return psprintf("pg_catalog.date_part('epoch', %s)", source_column_sql(source, column));
    return source_number_sql(source, "time column", column);
}

/* Makes the expanding windows of cross_validate: the last parts of the n rows, each of n / (folds + 1), are held out. Rows of one time stay together. */
static void folds_by_time(FoldPlaces *folds, const Source *source, const Options *options, const char *condition)
{
    char *time = time_sql(source, option_column(source, options, "time_column"));
    char *rows = source_rows_sql(source, "\n            ", both_conditions(psprintf("%s IS NOT NULL", time), condition));
    int settings;

    SPI_execute(psprintf("SELECT pg_catalog.array_agg(cut ORDER BY cut), pg_catalog.count(*), pg_catalog.max(last) OPERATOR(pg_catalog.=) 'NaN'\n"
                         "FROM (SELECT pg_catalog.min(t) AS cut, pg_catalog.max(t) AS last\n"
                         "    FROM (SELECT t, part, pg_catalog.rank() OVER (ORDER BY t) OPERATOR(pg_catalog.-) 1 OPERATOR(pg_catalog.-) n OPERATOR(pg_catalog.+) (%d OPERATOR(pg_catalog.*) part) AS late\n"
                         "        FROM (SELECT %s AS t, pg_catalog.count(*) OVER () AS n, pg_catalog.count(*) OVER () OPERATOR(pg_catalog./) %d AS part%s) AS timed) AS ranked\n"
                         "    WHERE late OPERATOR(pg_catalog.>=) 0 AND part OPERATOR(pg_catalog.>) 0 GROUP BY late OPERATOR(pg_catalog./) part) AS parts",
                         folds->count, time, folds->count + 1, rows),
                true, 0);
    if (result_count(0, 2) == 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%d folds by time leave no part of the rows to be predicted from earlier ones", folds->count),
                        errhint("Use a column with more different times, or fewer folds.")));
    if (SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3)[0] == 't')
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("time column \"%s\" has NaN, which is no time", options_string(options, "time_column"))));
    folds->expanding = true;
    folds->count = (int)result_count(0, 2);
    settings = output_settings_begin(OUTPUT_ANY); /* every session reads the text in the same way */
    folds->place = psprintf("pg_catalog.width_bucket(%s, '%s'::pg_catalog.float8[])", time, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
    output_settings_end(settings);
}

/* ---- folds by class ---- */

/* Deals the rows of each class evenly to the folds, by their hashes. A class begins where the one before it ended: rare ones do not all go to the first fold. */
static void folds_by_class(FoldPlaces *folds, const FitQuery *query, const Options *options, const char *condition)
{
    const Source *source = query->source;
    char *hash = hashed_fold(source->alias, HASHES, options), *label;
    HeapTuple row;
    TupleDesc columns;

    if (query->target < 0 || !estimator_classifies(query->estimator))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"stratified\" needs classes, and %s has none", query->estimator->name),
                        errhint("Leave \"stratified\" out.")));
    label = source_label_sql(source_column_sql(source, query->target), TupleDescAttr(source->columns, query->target)->atttypid);
    SPI_execute(psprintf("SELECT pg_catalog.array_agg(DISTINCT label ORDER BY label), pg_catalog.array_agg(cut ORDER BY cut), pg_catalog.array_agg(fold ORDER BY cut)\n"
                         "FROM (SELECT label, fold, pg_catalog.min(class OPERATOR(pg_catalog.*) " CLASS_HASHES " OPERATOR(pg_catalog.+) hash) AS cut\n"
                         "    FROM (SELECT label, class, hash, 1 OPERATOR(pg_catalog.+) ((before OPERATOR(pg_catalog.*) %d OPERATOR(pg_catalog./) n OPERATOR(pg_catalog.+) others) OPERATOR(pg_catalog.%%) %d) AS fold\n"
                         "        FROM (SELECT label, hash, pg_catalog.dense_rank() OVER (ORDER BY label) AS class, pg_catalog.rank() OVER (PARTITION BY label ORDER BY hash) OPERATOR(pg_catalog.-) 1 AS before,\n"
                         "                pg_catalog.count(*) OVER (PARTITION BY label) AS n, pg_catalog.dense_rank() OVER (ORDER BY label, hash) OPERATOR(pg_catalog.-) pg_catalog.dense_rank() OVER (PARTITION BY label ORDER BY hash) AS others\n"
                         "            FROM (SELECT %s COLLATE pg_catalog.\"C\" AS label, %s AS hash%s) AS labeled) AS ranked) AS dealt\n"
                         "    GROUP BY label, fold) AS parts",
                         folds->count, folds->count, label, hash, source_rows_sql(source, "\n            ", condition)),
                true, 0);
    row = SPI_tuptable->vals[0];
    columns = SPI_tuptable->tupdesc;
    if (SPI_getvalue(row, columns, 1) == NULL)
        folds->place = "NULL::pg_catalog.int8";
    else /* not CASE label WHEN ..., whose operator is looked up in the search_path */
        folds->place = psprintf("('%s'::pg_catalog.int8[])[pg_catalog.width_bucket(pg_catalog.array_position(%s::pg_catalog.text[], %s COLLATE pg_catalog.\"C\") OPERATOR(pg_catalog.*) " CLASS_HASHES
                                " OPERATOR(pg_catalog.+) %s, '%s'::pg_catalog.int8[])]",
                                SPI_getvalue(row, columns, 3), quote_literal_cstr(SPI_getvalue(row, columns, 1)), label, hash, SPI_getvalue(row, columns, 2));
}

FoldPlaces fold_places(const FitQuery *query, Jsonb *options, const char *condition)
{
    const char *json = json_options_text(options);
    const Options *read = options_parse(host_env(), "evaluate", cross_validate_options, json, strlen(json), NULL, NULL, 0);
    FoldPlaces folds = {.count = (int)options_integer(read, "folds")};
    const char *key = query->source->alias;

    if (query->target >= 0) /* as cross_validate, which sees no others */
        condition = both_conditions(psprintf("%s IS NOT NULL", source_column_sql(query->source, query->target)), condition);
    if (options_given(read, "group_column"))
        key = source_column_sql(query->source, option_column(query->source, read, "group_column"));
    switch (fold_rule(host_env(), read)) {
    case FOLDS_BY_COLUMN:
        folds_of_column(&folds, query->source, read, condition);
        break;
    case FOLDS_BY_TIME:
        folds_by_time(&folds, query->source, read, condition);
        break;
    case FOLDS_BY_CLASS:
        folds_by_class(&folds, query, read, condition);
        break;
    case FOLDS_BY_GROUP:
    case FOLDS_BY_HASH:
        folds.place = hashed_fold(key, folds.count, read);
        break;
    }
    return folds;
}
