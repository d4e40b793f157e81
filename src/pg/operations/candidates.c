/*
 * candidates.c - writes and runs the queries that judge candidates, and ranks them.
 *
 * One SELECT calls cross_validate for all candidates, so that the source is read once. Candidates that differ only in numbers that a fit reads share a call,
 * which keeps the rows, and sums moments, once for all of them. If the query fails, its candidates are judged one by one, each in a subtransaction, and the
 * failure becomes the message of the one that caused it.
 */
#include "pg/operations/candidates.h"
#include "core/linear_equations/linear_path_model.h"
#include "pg/server/local_settings.h"
#include "pg/operations/common_rows.h"
#include "pg/progress/progress.h"
#include "pg/type/result_rows.h"
#include "pg/operations/json_options.h"
#include "pg/operations/training.h"
#include "core/validation/cross_validation.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "portability/instr_time.h"
#include "utils/plancache.h"
#include "utils/timestamp.h"

void contest_metric(Contest *contest, const FitQuery *query, const char *name)
{
    EvaluationMetrics choice = evaluation_metrics(query, name, true);

    if (choice.decides < 0)
        evaluation_fail(query->estimator);
    contest->metric = evaluation_metric(&choice, choice.decides);
    contest->lower_is_better = evaluation_lower_is_better(&choice);
}

/* Returns the candidate's options joined to those of all. */
static Jsonb *fit_options(const Contest *contest, const Candidate *candidate)
{
    return json_options_join(contest->fit, candidate->options);
}

FitQuery *contest_query(const Contest *contest, const Candidate *candidate)
{
    return fit_query(candidate->estimator, contest->source, contest->formula, fit_options(contest, candidate));
}

/* ---- the query ---- */

/* Returns the numbers of a candidate in which those of a call may differ, or else all other options of its fit. */
static Jsonb *options_part(const Candidate *candidate, bool numbers)
{
    Jsonb *part = numbers ? candidate->options : json_options_parse(candidate->query->options);
    JsonbIterator *iterator = JsonbIteratorInit(&candidate->options->root);
    JsonbIteratorToken token;
    JsonbValue value;
    char *key = NULL;

    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        if (token == WJB_KEY)
            key = pnstrdup(value.val.string.val, value.val.string.len);
        else if (token == WJB_VALUE && numbers != (value.type == jbvNumeric && validation_varies(candidate->query->estimator, key)))
            part = json_options_without(part, key);
    }
    return part;
}

/* The calls of a query: which of them judges each candidate, and which row of its result is the candidate's. */
typedef struct Calls {
    int count;
    int *call, *row, *rows; /* [candidates], [candidates], [calls]; from 0 */
    Jsonb **shared;         /* [calls] options of all candidates of a call */
} Calls;

static Calls *calls_new(int candidates)
{
    Calls *calls = palloc0(sizeof(Calls));

    calls->call = palloc(sizeof(int) * candidates);
    calls->row = palloc(sizeof(int) * candidates);
    calls->rows = palloc0(sizeof(int) * candidates);
    calls->shared = palloc(sizeof(Jsonb *) * candidates);
    return calls;
}

/* Adds candidate i to a call that has its options, or to a new one. */
static void calls_add(Calls *calls, int i, const Candidate *candidate)
{
    Jsonb *shared = options_part(candidate, false);
    int call = 0;

    while (call < calls->count && compareJsonbContainers(&shared->root, &calls->shared[call]->root) != 0)
        call++;
    if (call == calls->count)
        calls->shared[calls->count++] = shared;
    calls->call[i] = call;
    calls->row[i] = calls->rows[call]++;
}

/* Returns the options of a call of cross_validate. */
static char *validate_options(const Contest *contest, Candidate *const *candidates, int count, const Calls *calls, int call)
{
    StringInfoData json;
    const char *before = ", \"candidates\": [";

    initStringInfo(&json);
    json_options_quote(&json, "{\"metrics\": ", contest->metric);
    for (int i = 0; i < count; i++) {
        if (calls->call[i] == call && calls->rows[call] == 1)
            appendStringInfo(&json, ", \"options\": %s", candidates[i]->query->options);
        if (calls->call[i] != call || calls->rows[call] == 1)
            continue;
        appendStringInfo(&json, "%s%s", before, json_options_text(options_part(candidates[i], true)));
        before = ", ";
    }
    if (calls->rows[call] > 1)
        appendStringInfo(&json, "], \"options\": %s", json_options_text(calls->shared[call]));
    appendStringInfoChar(&json, '}');
    return json_options_text(json_options_join(contest->folds, json_options_parse(json.data)));
}

/* Appends one row of VALUES per candidate: its options or number, and the part of the result that is its own. numbers: NULL: for users. */
static void append_candidates(StringInfo sql, Candidate *const *candidates, const int *numbers, int count, const Calls *calls)
{
    for (int i = 0; i < count; i++) {
        int call = calls->call[i], row = calls->row[i] + 1;

        appendStringInfoString(sql, i > 0 ? ",\n                     (" : "(");
        if (numbers == NULL)
            appendStringInfo(sql, "%s::pg_catalog.jsonb", quote_literal_cstr(json_options_text(candidates[i]->options)));
        else
            appendStringInfo(sql, "%d", numbers[i]);
        appendStringInfo(sql, ", v.c%d%s)", call + 1, calls->rows[call] > 1 ? psprintf("[%d:%d]", row, row) : "");
    }
}

/* Appends a SELECT of all scores of these candidates, in one scan of the source. */
static void append_scan(StringInfo sql, const Contest *contest, Candidate *const *candidates, const int *numbers, int count, const char *condition)
{
    Calls *calls = calls_new(count);
    int written = 0;

    appendStringInfoString(sql, numbers == NULL ? "SELECT c.options, s.metric, s.value, s.std_error, s.rows\nFROM (SELECT "
                                                : "SELECT c.candidate, s.fold, s.value, s.std_error, s.rows\nFROM (SELECT ");
    for (int i = 0; i < count; i++)
        calls_add(calls, i, candidates[i]);
    for (int i = 0; i < count; i++) {
        if (calls->row[i] > 0)
            continue;
        appendStringInfoString(sql, written > 0 ? ",\n             " : "");
        appendStringInfo(sql, "%s AS c%d", cross_validate_call(candidates[i]->query, validate_options(contest, candidates, count, calls, calls->call[i]), contest->common),
                         written + 1);
        written++;
    }
    appendStringInfo(sql, "\n      FROM %s AS %s%s%s) AS v,\n     LATERAL (VALUES ", contest->source->from, contest->source->alias,
                     condition != NULL ? "\n      WHERE " : "", condition != NULL ? condition : "");
    append_candidates(sql, candidates, numbers, count, calls);
    appendStringInfo(sql, ") AS c(%s, scores),\n     LATERAL pg_catalog.unnest(c.scores) AS s\n", numbers == NULL ? "options" : "candidate");
}

char *contest_sql(const Contest *contest, Candidate *const *candidates, int count, const char *condition)
{
    StringInfoData sql;

    for (int i = 0; i < count; i++)
        if (candidates[i]->query->steps != NIL)
            ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("candidates with \"prepare\" are judged by one fit per fold, not by one query"),
                            errhint("fit_sql shows the query of a fit.")));
    initStringInfo(&sql);
    append_scan(&sql, contest, candidates, NULL, count, condition);
    appendStringInfo(&sql, "WHERE s.fold IS NULL\nORDER BY s.value%s NULLS LAST", contest->lower_is_better ? "" : " DESC");
    return sql.data;
}

/*
 * Returns in how many parts a scan may be split, of which each reads the source by itself: one for moments, which are summed once for all candidates;
 * otherwise as many as there are processes, because reading the rows usually takes less than fitting them.
 */
static int scan_parts(Candidate *const *candidates, int count)
{
    int from_rows = 0;

    if (max_parallel_workers_per_gather < 2) /* the planner does not count on the leader */
        return 1;
    for (int i = 0; i < count; i++)
        from_rows += candidates[i]->query->estimator->input == INPUT_ROWS;
    return Max(1, Min(from_rows, max_parallel_workers_per_gather + (parallel_leader_participation ? 1 : 0)));
}

/* Returns the query that judges candidates in parts, which can run side by side. Its rows have the positions of the candidates. */
static char *scan_sql(const Contest *contest, Candidate *const *candidates, int count, const char *condition, int parts)
{
    Candidate **chosen = palloc(sizeof(Candidate *) * count);
    int *numbers = palloc(sizeof(int) * count);
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT * FROM (");
    for (int part = 0; part < parts; part++) {
        int size = 0;

        for (int i = part; i < count; i += parts) { /* neighbors of a grid take about as long, so they are dealt out in turn */
            chosen[size] = candidates[i];
            numbers[size++] = i;
        }
        appendStringInfoString(&sql, part > 0 ? "UNION ALL\n" : "");
        append_scan(&sql, contest, chosen, numbers, size, condition);
    }
    appendStringInfoString(&sql, ") AS scores ORDER BY candidate, fold");
    return sql.data;
}

/* ---- judging ---- */

/* A scan: candidates judged by one query. */
typedef struct ScanWork {
    const Contest *contest;
    Candidate *const *candidates;
    int count;
    const char *condition;
} ScanWork;

/* Adds a row of a scan to its candidate: the value of a fold, or the mean where there is no fold. */
static void read_row(const ScanWork *scan, uint64 row)
{
    HeapTuple tuple = SPI_tuptable->vals[row];
    TupleDesc description = SPI_tuptable->tupdesc;
    bool isnull;
    Candidate *candidate = scan->candidates[DatumGetInt32(SPI_getbinval(tuple, description, 1, &isnull))];

    (void)SPI_getbinval(tuple, description, 2, &isnull);
    if (!isnull) {
        candidate->folds[candidate->fold_count++] = result_number(row, 3);
        return;
    }
    candidate->value = result_number(row, 3);
    candidate->std_error = result_number(row, 4);
    candidate->rows = DatumGetInt64(SPI_getbinval(tuple, description, 5, &isnull));
    candidate->error = NULL;
}

/* Returns the plan of a scan in so many parts; NULL: there are several, and they would run one after another. */
static SPIPlanPtr plan_scan(const ScanWork *scan, int parts)
{
    SPIPlanPtr plan = SPI_prepare_cursor(scan_sql(scan->contest, scan->candidates, scan->count, scan->condition, parts), 0, NULL, CURSOR_OPT_PARALLEL_OK);
    CachedPlan *cached;
    bool parallel;

    if (plan == NULL)
        elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
    if (parts == 1)
        return plan;
    cached = SPI_plan_get_cached_plan(plan);
    parallel = cached != NULL && linitial_node(PlannedStmt, cached->stmt_list)->parallelModeNeeded;
    if (cached != NULL)
        ReleaseCachedPlan(cached, NULL);
    if (parallel)
        return plan;
    SPI_freeplan(plan);
    return NULL;
}

static void set_std_dev(Candidate *candidate)
{
    double std_error;

    (void)path_fold_mean(candidate->folds, (uint32_t)candidate->fold_count, &std_error);
    candidate->std_dev = std_error * sqrt(candidate->fold_count);
}

/* Judges one candidate whose fit has several steps. */
static void run_steps(void *argument)
{
    ScanWork *scan = argument;
    Candidate *candidate = scan->candidates[0];
    EvaluationMetrics choice = evaluation_metrics(candidate->query, scan->contest->metric, true);
    Evaluation evaluation = evaluate_by_folds(&choice, scan->contest->folds, NULL, scan->condition, scan->contest->common);

    candidate->value = evaluation.values[choice.decides];
    candidate->std_error = evaluation.errors[choice.decides];
    candidate->folds = evaluation.folds[choice.decides];
    candidate->fold_count = evaluation.fold_count;
    candidate->rows = evaluation.rows;
    candidate->error = NULL;
    set_std_dev(candidate);
}

static void run_scan(void *argument)
{
    ScanWork *scan = argument;
    SPIPlanPtr plan = plan_scan(scan, scan_parts(scan->candidates, scan->count));

    if (plan == NULL)
        plan = plan_scan(scan, 1);
    SPI_execute_plan(plan, NULL, NULL, true, 0);
    SPI_freeplan(plan);
    for (int i = 0; i < scan->count; i++) {
        Candidate *candidate = scan->candidates[i];

        candidate->folds = palloc(sizeof(double) * (SPI_processed + 1));
        candidate->fold_count = 0;
        candidate->value = candidate->std_error = NAN;
        candidate->error = "no row of the source can be used";
        candidate->sqlstate = ERRCODE_DATA_EXCEPTION;
    }
    for (uint64 row = 0; row < SPI_processed; row++)
        read_row(scan, row);
    for (int i = 0; i < scan->count; i++)
        set_std_dev(scan->candidates[i]);
    SPI_freetuptable(SPI_tuptable);
}

static void set_error(Candidate *candidate, const ErrorData *error)
{
    candidate->error = error->message;
    candidate->sqlstate = error->sqlerrcode;
    candidate->value = candidate->std_error = candidate->std_dev = NAN;
    candidate->fold_count = 0;
    candidate->rows = 0;
}

/* Judges candidates in one scan; if that fails, one by one. */
static void judge_scan(const Contest *contest, Candidate *const *candidates, int count, const char *condition)
{
    ScanWork scan = {.contest = contest, .candidates = candidates, .count = count, .condition = condition};
    instr_time begin, end;
    ErrorData *error;

    CHECK_FOR_INTERRUPTS();
    INSTR_TIME_SET_CURRENT(begin);
    error = run_guarded(candidates[0]->query->steps != NIL ? run_steps : run_scan, &scan);
    INSTR_TIME_SET_CURRENT(end);
    INSTR_TIME_SUBTRACT(end, begin);
    if (error != NULL && count > 1) {
        for (int i = 0; i < count; i++)
            judge_scan(contest, candidates + i, 1, condition);
        return;
    }
    if (error != NULL)
        set_error(candidates[0], error);
    for (int i = 0; i < count; i++)
        candidates[i]->seconds += INSTR_TIME_GET_DOUBLE(end) / count;
}

typedef struct QueryWork {
    const Contest *contest;
    Candidate *candidate;
} QueryWork;

static void make_query(void *argument)
{
    QueryWork *work = argument;

    work->candidate->query = contest_query(work->contest, work->candidate);
}

/*
 * Returns how many of these candidates share a scan: those of at most per_scan calls, each of which keeps its rows, and of at most per_scan candidates that are
 * fitted from rows, since one that fails lets all of the scan be judged again.
 */
static int scan_size(const Contest *contest, Candidate *const *candidates, int count)
{
    Calls *calls = calls_new(count);
    int from_rows = 0;

    for (int i = 0; i < count; i++) {
        calls_add(calls, i, candidates[i]);
        from_rows += candidates[i]->query->estimator->input == INPUT_ROWS;
        if (calls->count > contest->per_scan || from_rows > contest->per_scan || (i > 0 && (candidates[i]->query->steps != NIL || candidates[0]->query->steps != NIL)))
            return i;
    }
    return count;
}

/* Makes the query of a candidate if it has none; one that is refused has its error. */
static void ensure_query(const Contest *contest, Candidate *candidate)
{
    QueryWork work = {.contest = contest, .candidate = candidate};
    ErrorData *error = candidate->query != NULL ? NULL : run_guarded(make_query, &work);

    if (error != NULL)
        set_error(candidate, error);
}

void contest_find_common(Contest *contest, Candidate *const *candidates, int count)
{
    FitQuery **queries = palloc(sizeof(FitQuery *) * (count + 1));
    int64 *scorable = palloc(sizeof(int64) * (count + 1));

    for (int i = 0; i < count; i++) {
        ensure_query(contest, candidates[i]);
        queries[i] = candidates[i]->query;
    }
    contest->common = common_rows(queries, count, scorable);
    for (int i = 0; i < count; i++)
        candidates[i]->scorable = scorable[i];
}

void contest_judge(const Contest *contest, Candidate *const *candidates, int count, const char *condition)
{
    /* the planner does not know that a fit takes longer than reading its rows */
    static const char *const settings[][2] = {{"parallel_setup_cost", "100"}};
    Candidate **sound = palloc(sizeof(Candidate *) * count);
    int sounds = 0, level;

    for (int i = 0; i < count; i++) {
        ensure_query(contest, candidates[i]);
        if (candidates[i]->query != NULL)
            sound[sounds++] = candidates[i];
    }
    for (int i = 0; i < count; i++)
        candidates[i]->condition = condition;
    level = local_settings_begin(settings, lengthof(settings));
    for (int i = 0, size; i < sounds; i += size) {
        size = scan_size(contest, sound + i, sounds - i);
        progress_operation("candidate", (uint64)i + 1, (uint64)sounds, NAN);
        judge_scan(contest, sound + i, size, condition);
    }
    local_settings_end(level);
}

/* ---- ranking ---- */

/* Tells whether candidate a belongs before b. */
static bool before(const Contest *contest, const Candidate *a, const Candidate *b)
{
    bool a_judged = a->error == NULL && !isnan(a->value), b_judged = b->error == NULL && !isnan(b->value);

    if (!a_judged || !b_judged)
        return a_judged && !b_judged;
    if (a->fraction != b->fraction)
        return a->fraction > b->fraction;
    if (a->value == b->value)
        return a->scorable > b->scorable;
    return contest->lower_is_better ? a->value < b->value : a->value > b->value;
}

void contest_sort(const Contest *contest, Candidate **candidates, int count)
{
    /* by insertion, which keeps equal ones in order: there are at most 1,000 */
    for (int i = 1; i < count; i++) {
        Candidate *moved = candidates[i];
        int place = i;

        while (place > 0 && before(contest, moved, candidates[place - 1])) {
            candidates[place] = candidates[place - 1];
            place--;
        }
        candidates[place] = moved;
    }
}

void contest_require_one(Candidate *const *candidates, int count)
{
    for (int i = 0; i < count; i++)
        if (candidates[i]->error == NULL || candidates[i]->sqlstate != candidates[0]->sqlstate ||
            strcmp(candidates[i]->error, candidates[0]->error) != 0)
            return;
    ereport(ERROR, (errcode(candidates[0]->sqlstate), errmsg("no candidate can be judged: %s", candidates[0]->error)));
}

/* ---- the best ---- */

/* Returns what train takes to judge the best candidate in the same way, and to store it. */
static Jsonb *train_options(const Contest *contest, const Candidate *candidate)
{
    StringInfoData json;
    Jsonb *folds = contest->folds;
    bool judged;

    if (!json_options_has(folds, "folds"))
        folds = json_options_join(json_options_parse("{\"folds\": 5}"), folds);
    judged = !json_options_has(folds, "fold_column");
    initStringInfo(&json);
    appendStringInfo(&json, "{\"holdout\": %s, \"options\": %s", judged ? json_options_text(folds) : "false",
                     json_options_text(fit_options(contest, candidate)));
    if (judged)
        json_options_quote(&json, ", \"metrics\": ", contest->metric);
    appendStringInfoChar(&json, '}');
    return json_options_parse(json.data);
}

void contest_note_fewer(Candidate *const *candidates, int count, bool stored)
{
    Candidate *best = candidates[0];
    int64 most = best->scorable;
    char *note;

    for (int i = 1; i < count; i++)
        if (candidates[i]->error == NULL && candidates[i]->scorable > most)
            most = candidates[i]->scorable;
    if (best->error != NULL || best->scorable == most)
        return;
    note = psprintf("scores " INT64_FORMAT " of the " INT64_FORMAT " rows that another candidate scores", best->scorable, most);
    ereport(stored ? WARNING : NOTICE, (errcode(stored ? ERRCODE_WARNING : ERRCODE_SUCCESSFUL_COMPLETION), errmsg("the best candidate, of %s, %s", best->estimator, note),
                      errhint("Its score of other rows is NULL. Use option \"nulls\": \"impute\", or leave out features with many NULLs.")));
    best->message = best->message != NULL ? psprintf("%s; %s", best->message, note) : note;
}

void contest_store(const Contest *contest, Candidate *candidate, const char *name)
{
    Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, JSONBOID};
    Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(candidate->estimator), CStringGetTextDatum(contest->source->from),
                      contest->formula != NULL ? CStringGetTextDatum(contest->formula) : (Datum)0,
                      JsonbPGetDatum(train_options(contest, candidate))};
    bool isnull;

    SPI_execute_with_args("SELECT version FROM pgfit.train($1, $2, $3, $4, $5)", 5, types, values, contest->formula != NULL ? NULL : "   n ", false, 0);
    candidate->message = psprintf("stored as version %d of model \"%s\"",
                                  DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)), name);
    SPI_freetuptable(SPI_tuptable);
}

/* ---- rows ---- */

static Datum text_or_null(const char *text, bool *null)
{
    *null = text == NULL;
    return text == NULL ? (Datum)0 : CStringGetTextDatum(text);
}

static Datum duration(double seconds)
{
    Interval *interval = palloc0(sizeof(Interval));

    interval->time = (TimeOffset)(seconds * USECS_PER_SEC);
    return IntervalPGetDatum(interval);
}

/* Returns the query that reproduces a candidate; of a pipeline, the query that fits it. */
static char *candidate_sql(const Contest *contest, Candidate *const *candidate)
{
    const FitQuery *query = (*candidate)->query;

    if (query == NULL || (*candidate)->options == NULL)
        return NULL;
    return query->steps != NIL ? fit_query_text(query, (*candidate)->condition) : contest_sql(contest, candidate, 1, (*candidate)->condition);
}

void contest_rows(const Contest *contest, Candidate *const *candidates, int count, Tuplestorestate *store, TupleDesc description)
{
    int rank = 0;

    for (int i = 0; i < count; i++) {
        const Candidate *candidate = candidates[i];
        bool judged = candidate->error == NULL && !isnan(candidate->value), nulls[14] = {false};
        Datum values[14];

        if (description->natts != (int)lengthof(values))
            elog(ERROR, "a search has a wrong declaration");
        nulls[0] = !judged || candidate->options == NULL;
        values[0] = Int32GetDatum(nulls[0] ? 0 : ++rank);
        values[1] = CStringGetTextDatum(candidate->estimator);
        nulls[2] = candidate->options == NULL;
        values[2] = nulls[2] ? (Datum)0 : JsonbPGetDatum(candidate->options);
        values[3] = CStringGetTextDatum(contest->metric);
        values[4] = number_or_null(judged ? candidate->value : NAN, &nulls[4]);
        values[5] = number_or_null(judged ? candidate->std_error : NAN, &nulls[5]);
        values[6] = number_or_null(judged ? candidate->std_dev : NAN, &nulls[6]);
        values[7] = numbers_or_null(candidate->folds, candidate->fold_count, &nulls[7]);
        nulls[8] = candidate->error != NULL;
        values[8] = Int64GetDatum(candidate->rows);
        nulls[9] = nulls[8];
        values[9] = Int64GetDatum(candidate->scorable >= 0 ? candidate->scorable : candidate->rows);
        values[10] = Float8GetDatum(candidate->fraction);
        values[11] = duration(candidate->seconds);
        values[12] = text_or_null(candidate->error != NULL ? candidate->error : candidate->message, &nulls[12]);
        values[13] = text_or_null(candidate_sql(contest, &candidates[i]), &nulls[13]);
        tuplestore_putvalues(store, description, values, nulls);
    }
}
