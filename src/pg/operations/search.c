/*
 * search.c - search(estimator, source, formula, grid, options) and search_sql: which options predict best.
 *
 * Halving: successive halving of Jamieson and Talwalkar 2016 ("Non-stochastic best arm identification and hyperparameter optimization"), the
 * budget being rows: all candidates are judged on few rows, and one in eta goes on to eta times as many.
 */
#include "pg/type/json_options.h"
#include "core/linear_equations/linear_path_model.h"
#include "pg/operations/search_options.h"
#include "pg/type/result_rows.h"
#include "core/options/options.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/syscache.h"

typedef struct Search {
    SearchOptions options;
    Contest contest;
    FitQuery *query; /* of the estimator without the options of a candidate */
    Candidate **candidates;
    int count;
} Search;

/* ---- candidates ---- */

/* Fails for keys of a grid that are no options of the estimator. */
static void require_options(const Estimator *estimator, Jsonb *grid)
{
    JsonbIterator *iterator = JsonbIteratorInit(&grid->root);
    JsonbIteratorToken token;
    JsonbValue value;
    int depth = 0, keys = JB_ROOT_IS_OBJECT(grid) ? 1 : 2;

    while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE) {
        depth += token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT;
        depth -= token == WJB_END_ARRAY || token == WJB_END_OBJECT;
        if (token == WJB_KEY && depth == keys) {
            char *key = pnstrdup(value.val.string.val, value.val.string.len);
            uint32_t count;
            const OptionSpec **list = option_list(host_env(), estimator->options, &count);
            const char **options = palloc(sizeof(char *) * count), *nearest, *note;
            StringInfoData names;

            if (option_find(estimator->options, key) != NULL || strcmp(key, "prepare") == 0)
                continue;
            initStringInfo(&names);
            for (uint32_t i = 0; i < count; i++) {
                appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", list[i]->name);
                options[i] = list[i]->name;
            }
            nearest = option_meant(key, strlen(key), options, count, &note);
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the grid has \"%s\", which is no option of %s", key, estimator->name),
                            errhint("%s%s%sOptions are %s.", nearest != NULL ? psprintf("Did you mean \"%s\"? ", nearest) : "", note != NULL ? note : "",
                                    note != NULL ? " " : "", names.data)));
        }
    }
}

static void make_candidates(Search *search, Jsonb *grid)
{
    Oid types[] = {JSONBOID, INT4OID, INT8OID}, function = internal_function("search_candidates", lengthof(types), types);
    Jsonb *list;

    if (!OidIsValid(function))
        elog(ERROR, "pgfit_internal.search_candidates does not exist");
    list = DatumGetJsonbP(OidFunctionCall3(function, JsonbPGetDatum(grid), Int32GetDatum(search->options.draws), Int64GetDatum(search->options.seed)));
    search->count = JB_ROOT_COUNT(list);
    search->candidates = palloc(sizeof(Candidate *) * (search->count + 1));
    for (int i = 0; i < search->count; i++) {
        Candidate *candidate = palloc0(sizeof(Candidate));

        candidate->estimator = search->query->estimator->name;
        candidate->options = JsonbValueToJsonb(getIthJsonbValueFromContainer(&list->root, (uint32)i));
        candidate->fraction = 1;
        search->candidates[i] = candidate;
    }
}

/* Reads the arguments (estimator, source, formula, grid, options), of which only the formula may be NULL. */
static Search *read_search(FunctionCallInfo fcinfo)
{
    static const char *const names[] = {"estimator", "source", NULL, "grid", "options"};
    Search *search = palloc0(sizeof(Search));
    Contest *contest = &search->contest;
    Jsonb *grid;

    require_arguments(fcinfo, "search", names, lengthof(names));
    search->options = search_options(PG_GETARG_JSONB_P(4));
    grid = PG_GETARG_JSONB_P(3);
    contest->source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    contest->formula = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
    contest->fit = search->options.fit;
    contest->folds = search->options.folds;
    contest->per_scan = search->options.per_scan;
    search->query = fit_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), contest->source, contest->formula, contest->fit);
    contest_metric(contest, search->query, search->options.metric);
    if (search->options.nested > 0 && !search->query->estimator->supervised)
        json_options_fail("nested", psprintf("does not apply to %s", search->query->estimator->name), "Its models are not evaluated by a target.");
    if (search->options.group != NULL)
        (void)source_column(contest->source, "option \"group_column\"", search->options.group);
    require_options(search->query->estimator, grid);
    make_candidates(search, grid);
    return search;
}

/* ---- rounds ---- */

/* What splits rows: the group, so that it stays together, or the whole row. */
static char *row_key(const Search *search)
{
    const Source *source = search->contest.source;

    return search->options.group == NULL ? pstrdup(source->alias) : source_column_sql(source, source_column(source, "option \"group_column\"", search->options.group));
}

static int halving_rounds(const Search *search)
{
    return search->options.method != SEARCH_HALVING ? 0 : (int)floor(log((double)search->count) / log(search->options.eta) + 1e-9);
}

/* Returns the condition of the rows of a round of halving; the last, 0, has all of them. */
static char *round_condition(const Search *search, int rounds_left, double *fraction)
{
    *fraction = pow(search->options.eta, -rounds_left);
    if (rounds_left == 0)
        return NULL;
    return psprintf("pgfit.split(%s, %s, " INT64_FORMAT ")", row_key(search), json_options_double(*fraction), search->options.seed + 1);
}

/* Judges candidates on the rows that meet the condition, and sorts them. */
static void judge(const Search *search, Candidate **candidates, int count, const char *condition)
{
    int left = count;

    for (int rounds = halving_rounds(search); rounds >= 0; rounds--) {
        double fraction;
        char *rows = both_conditions(condition, round_condition(search, rounds, &fraction));

        for (int i = 0; i < left; i++)
            candidates[i]->fraction = fraction;
        contest_judge(&search->contest, candidates, left, rows);
        contest_sort(&search->contest, candidates, left);
        if (rounds > 0 && !isfinite(candidates[0]->value))
            continue; /* too few rows or groups to fit or judge any of them */
        while (left > 1 && candidates[left - 1]->error != NULL)
            left--; /* what cannot be fitted does not go on */
        if (rounds > 0)
            left = Max(1, (int)ceil(left / search->options.eta - 1e-9));
    }
    contest_sort(&search->contest, candidates, count);
}

/* ---- outer folds ---- */

/* Returns a copy of the candidates as they were before they were judged. */
static Candidate **fresh_candidates(const Search *search)
{
    Candidate **copies = palloc(sizeof(Candidate *) * search->count);

    for (int i = 0; i < search->count; i++) {
        copies[i] = palloc0(sizeof(Candidate));
        copies[i]->estimator = search->candidates[i]->estimator;
        copies[i]->options = search->candidates[i]->options;
        copies[i]->fraction = 1;
    }
    return copies;
}

/* Returns the positive one of two classes: the one that the inner folds are judged by, or the model's own. */
static char *positive_class(const Search *search, const Model *model)
{
    JsonbValue value;

    if (!json_options_value(search->options.folds, "positive", &value))
        return evaluation_positive(model);
    if (value.type == jbvBool)
        return pstrdup(value.val.boolean ? "true" : "false");
    if (value.type == jbvNumeric)
        return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric)));
    return pnstrdup(value.val.string.val, value.val.string.len); /* cross_validate has checked it */
}

/* Searches without an outer fold, and adds how the best candidate does on it; nothing where no row of the fold can be judged. */
static void judge_outer(const Search *search, int fold, Candidate *row)
{
    Candidate **candidates = fresh_candidates(search);
    char *in_fold = psprintf("pgfit.fold(%s, %d, " INT64_FORMAT ") OPERATOR(pg_catalog.=) %d", row_key(search), search->options.nested, search->options.seed + 2, fold);
    char *others = psprintf("pgfit.fold(%s, %d, " INT64_FORMAT ") OPERATOR(pg_catalog.<>) %d", row_key(search), search->options.nested, search->options.seed + 2, fold);
    EvaluationMetrics choice;
    Evaluation evaluation;
    Model *model;

    judge(search, candidates, search->count, others);
    contest_require_one(candidates, search->count);
    if (candidates[0]->query == NULL)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no candidate can be fitted without outer fold %d: %s", fold, candidates[0]->error)));
    choice = evaluation_metrics(candidates[0]->query, search->contest.metric, true);
    model = candidates[0]->error == NULL && isnan(candidates[0]->value) ? NULL : fit_query_run(candidates[0]->query, others);
    if (model == NULL) { /* or none is the best */
        row->folds[row->fold_count++] = NAN;
        return;
    }
    evaluation = evaluate_model(&choice, &(Judged){.model = model, .positive = positive_class(search, model), .condition = both_conditions(in_fold, search->contest.common)});
    row->rows += evaluation.rows;
    if (evaluation.rows > 0)
        row->folds[row->fold_count++] = evaluation.values[choice.decides];
}

/* Returns the row of a nested search: what the whole procedure, search and fit, reaches on rows that it has not seen. */
static Candidate *nested_row(const Search *search)
{
    Candidate *row = palloc0(sizeof(Candidate));

    row->estimator = search->query->estimator->name;
    row->fraction = 1;
    row->scorable = -1;
    row->folds = palloc(sizeof(double) * search->options.nested);
    for (int fold = 1; fold <= search->options.nested; fold++)
        judge_outer(search, fold, row);
    row->value = path_fold_mean(row->folds, (uint32_t)row->fold_count, &row->std_error);
    row->std_dev = row->std_error * sqrt(row->fold_count);
    row->message = psprintf("nested: the best candidate of %d searches, each evaluated on the outer fold that it has not seen", row->fold_count);
    return row;
}

/* ---- the calls ---- */

/* search(estimator, source, formula, grid, options) */
PG_FUNCTION_INFO_V1(pgfit_search);
PGDLLEXPORT Datum pgfit_search(PG_FUNCTION_ARGS)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    Search *search;

    SPI_connect();
    search = read_search(fcinfo);
    contest_find_common(&search->contest, search->candidates, search->count);
    judge(search, search->candidates, search->count, NULL);
    contest_require_one(search->candidates, search->count);
    if (search->options.nested > 0) {
        search->candidates[search->count] = nested_row(search);
        search->count++;
    }
    if (search->options.store != NULL)
        contest_store(&search->contest, search->candidates[0], search->options.store);
    contest_note_fewer(search->candidates, search->count, search->options.store != NULL);
    contest_rows(&search->contest, search->candidates, search->count, store, description);
    SPI_finish();
    return (Datum)0;
}

/* search_sql(estimator, source, formula, grid, options) */
PG_FUNCTION_INFO_V1(pgfit_search_sql);
PGDLLEXPORT Datum pgfit_search_sql(PG_FUNCTION_ARGS)
{
    Search *search;
    double fraction;
    char *sql;
    Datum result;

    SPI_connect();
    search = read_search(fcinfo);
    for (int i = 0; i < search->count; i++)
        search->candidates[i]->query = contest_query(&search->contest, search->candidates[i]);
    contest_find_common(&search->contest, search->candidates, search->count);
    sql = contest_sql(&search->contest, search->candidates, search->count, round_condition(search, halving_rounds(search), &fraction));
    result = SPI_datumTransfer(CStringGetTextDatum(sql), false, -1);
    SPI_finish();
    return result;
}
