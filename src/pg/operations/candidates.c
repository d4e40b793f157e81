/*
 * candidates.c - writes and runs the queries that judge candidates, and ranks them.
 *
 * One SELECT calls cross_validate for all candidates, so that the source is read once. Candidates that differ only in numbers that a fit reads share a call,
 * which keeps the rows, and sums moments, once for all of them. If the query fails, its candidates are judged one by one, each in a subtransaction, and the
 * failure becomes the message of the one that caused it.
 */
#include "pg/operations/candidates.h"
#include "core/formula/formula.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/options/options.h"
#include "pg/progress/progress.h"
#include "pg/type/result_rows.h"
#include "pg/type/json_options.h"
#include "pg/operations/training.h"
#include "pg/values/sql_value.h"
#include "core/validation/cross_validation.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

void contest_metric(Contest *contest, const FitQuery *query, const char *name)
{
    EvaluationMetrics choice = evaluation_metrics(query, name, true);

    if (choice.decides < 0)
        evaluation_fail(query->estimator);
    contest->metric = evaluation_metric(&choice, choice.decides);
    contest->lower_is_better = evaluation_lower_is_better(&choice);
}

/* Returns the candidate's options joined to those of all, and sets the formula of its fit. folds: what it leaves out deals rows to them; NULL: nothing. */
static Jsonb *fit_options(const Contest *contest, const Candidate *candidate, Jsonb *folds, const char **formula)
{
    Jsonb *options = json_options_join(contest->fit, candidate->options);

    *formula = contest->formula;
    if (folds != NULL)
        fit_leave_out_folds(contest->source, folds, formula, &options);
    return options;
}

FitQuery *contest_query(const Contest *contest, const Candidate *candidate)
{
    const char *formula;
    Jsonb *options = fit_options(contest, candidate, contest->folds, &formula);

    return fit_query_with_features(fit_query(candidate->estimator, contest->source, formula, options));
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
    appendStringInfo(sql, "%s) AS v,\n     LATERAL (VALUES ", source_rows_sql(contest->source, "\n      ", condition));
    append_candidates(sql, candidates, numbers, count, calls);
    appendStringInfo(sql, ") AS c(%s, scores),\n     LATERAL pg_catalog.unnest(c.scores) AS s\n", numbers == NULL ? "options" : "candidate");
}

char *contest_sql(const Contest *contest, Candidate *const *candidates, int count, const char *condition)
{
    StringInfoData sql;

    for (int i = 0; i < count; i++)
        if (candidates[i]->query->steps != NIL)
            ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("candidates with \"prepare\" are evaluated by one fit per fold, not by one query"),
                            errhint("fit_sql shows the query of a fit.")));
    initStringInfo(&sql);
    append_scan(&sql, contest, candidates, NULL, count, condition);
    appendStringInfo(&sql, "WHERE s.fold IS NULL\nORDER BY s.value%s NULLS LAST", contest->lower_is_better ? "" : " DESC");
    return sql.data;
}

/* A scan: candidates judged by one query. */
typedef struct ScanWork {
    const Contest *contest;
    Candidate *const *candidates;
    int count;
    const char *condition;
} ScanWork;

/* Returns the query that judges candidates in one scan. Its rows have the positions of the candidates. */
static char *scan_sql(const ScanWork *scan)
{
    int *numbers = palloc(sizeof(int) * scan->count);
    StringInfoData sql;

    for (int i = 0; i < scan->count; i++)
        numbers[i] = i;
    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT * FROM (");
    append_scan(&sql, scan->contest, scan->candidates, numbers, scan->count, scan->condition);
    appendStringInfoString(&sql, ") AS scores ORDER BY candidate, fold");
    return sql.data;
}

/* ---- judging ---- */

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

    SPI_execute(scan_sql(scan), true, 0);
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
    candidate->hint = error->hint;
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

/* ---- the rows that all candidates can score, by which alone they can be compared ---- */

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

/*
 * Returns the condition of the rows that fits of all these queries, over one source, can score, or NULL where all can score the same rows: a fit that
 * skips NULLs scores rows whose columns have none. scorable: [count] gets how many rows each can score, -1 with NULL. queries may be NULL one by
 * one. Reads the source if some skip other columns than others.
 */
static char *common_rows(FitQuery *const *queries, int count, int64 *scorable)
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
        ereport(WARNING, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row can be scored by all candidates, so each is scored on rows of its own"),
                          errhint("Choose candidates that read the same columns, or option \"nulls\": \"impute\" for all.")));
        return NULL;
    }
    for (int i = 0; i < count; i++)
        if (own[i] >= 0)
            scorable[i] = rows[own[i]];
    return conditions[different];
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
    Candidate **sound = palloc(sizeof(Candidate *) * count);
    int sounds = 0;

    for (int i = 0; i < count; i++) {
        ensure_query(contest, candidates[i]);
        if (candidates[i]->query != NULL)
            sound[sounds++] = candidates[i];
    }
    for (int i = 0; i < count; i++)
        candidates[i]->condition = condition;
    for (int i = 0, size; i < sounds; i += size) {
        size = scan_size(contest, sound + i, sounds - i);
        progress_operation("candidate", (uint64)i + 1, (uint64)sounds, NAN);
        judge_scan(contest, sound + i, size, condition);
    }
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
    ereport(ERROR, (errcode(candidates[0]->sqlstate), errmsg("no candidate can be evaluated: %s", candidates[0]->error),
                    candidates[0]->hint != NULL ? errhint("%s", candidates[0]->hint) : 0));
}

/* ---- the best ---- */

/* Returns what train takes to judge the best candidate in the same way, and to store it, and sets its formula. */
static Jsonb *train_options(const Contest *contest, const Candidate *candidate, const char **formula)
{
    StringInfoData json;
    Jsonb *folds = contest->folds;
    bool judged;

    if (!json_options_has(folds, "folds"))
        folds = json_options_join(json_options_parse("{\"folds\": 5}"), folds);
    judged = !json_options_has(folds, "fold_column");
    initStringInfo(&json);
    appendStringInfo(&json, "{\"holdout\": %s, \"options\": %s", judged ? json_options_text(folds) : "false",
                     json_options_text(fit_options(contest, candidate, judged ? NULL : folds, formula))); /* train leaves out what its hold-out names */
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
    const char *formula;
    Jsonb *options = train_options(contest, candidate, &formula);
    Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(candidate->estimator), CStringGetTextDatum(contest->source->from),
                      formula != NULL ? CStringGetTextDatum(formula) : (Datum)0, JsonbPGetDatum(options)};
    bool isnull;

    if (candidate->error != NULL || isnan(candidate->value))
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                        errmsg("no candidate can be stored: %s", candidate->error != NULL ? candidate->error : psprintf("metric \"%s\" is undefined for all of them", contest->metric)),
                        candidate->error != NULL ? 0 : errhint("Use fewer folds, \"stratified\": true, or another metric.")));
    SPI_execute_with_args("SELECT version FROM pgfit.train($1, $2, $3, $4, $5)", 5, types, values, formula != NULL ? NULL : "   n ", false, 0);
    candidate->message = psprintf("stored as version %d of model \"%s\"",
                                  DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)), name);
    SPI_freetuptable(SPI_tuptable);
}

/* ---- rows ---- */

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
        bool failed = candidate->error != NULL, judged = !failed && !isnan(candidate->value), own = candidate->options != NULL, null;
        Datum folds = numbers_or_null(candidate->folds, candidate->fold_count, &null);
        ResultRow row = {0};

        row_add(&row, Int32GetDatum(judged && own ? ++rank : 0), !judged || !own);
        row_add_text(&row, candidate->estimator);
        row_add(&row, own ? JsonbPGetDatum(candidate->options) : (Datum)0, !own);
        row_add_text(&row, contest->metric);
        row_add_number(&row, judged ? candidate->value : NAN);
        row_add_number(&row, judged ? candidate->std_error : NAN);
        row_add_number(&row, judged ? candidate->std_dev : NAN);
        row_add(&row, folds, null);
        row_add(&row, Int64GetDatum(candidate->rows), failed);
        row_add(&row, Int64GetDatum(candidate->scorable >= 0 ? candidate->scorable : candidate->rows), failed);
        row_add(&row, Float8GetDatum(candidate->fraction), false);
        row_add(&row, duration(candidate->seconds), false);
        row_add_text(&row, failed ? candidate->error : candidate->message);
        row_add_text(&row, candidate_sql(contest, &candidates[i]));
        if (description->natts != row.count)
            elog(ERROR, "a search has a wrong declaration");
        tuplestore_putvalues(store, description, row.values, row.nulls);
    }
}
