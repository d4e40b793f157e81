/*
 * compare.c - compare(a, b, source, options): which of two models predicts better, and whether the difference is more than chance.
 */
#include "pg/operations/candidates.h"
#include "pg/type/json_options.h"
#include "pg/operations/search_options.h"
#include "pg/operations/training.h"
#include "pg/score/registry_access.h"
#include "pg/type/result_rows.h"
#include "core/estimator/estimator.h"
#include "core/prepare/pipeline.h"
#include "core/validation/paired_test.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"

#define EQ " OPERATOR(pg_catalog.=) "
#define SIGNIFICANT 0.05
#define CLIP 1e-15

/* One of the two. */
typedef struct Side {
    const char *name; /* in sentences */
    const Model *model;
    const Estimator *estimator;
    const char *formula; /* of models of the registry */
    Jsonb *options;
} Side;

typedef struct Comparison {
    Source *source;
    Side a, b;
    Jsonb *options;
    int target;
    int folds; /* 0: the models are judged as they are */
    const char *metric;
    bool lower_is_better;
    double value_a, value_b, difference;
    int64 rows, rows_a, rows_b; /* that both score, and that each can score */
    uint64 only_a, only_b;
    bool classes, arrays; /* arrays: of several targets, whose losses are the means over them */
    PairedTest test;
} Comparison;

static void __attribute__((noreturn)) fail_parameter(const char *message, const char *hint)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message), hint != NULL ? errhint("%s", hint) : 0));
}

/* Returns the options by their current names. Fails for unknown ones, and those that do not go together. */
static Jsonb *known_options(Jsonb *options, bool named)
{
    static const char *const names[] = {"folds", "formula", "group_column", "metrics", "min_probability", "seed", "target"};

    options = json_options_known(options, "compare", names, lengthof(names), "");
    if (!named && json_options_has(options, "folds"))
        json_options_fail("folds", "needs models of the registry, of which the training is known", "Pass names instead of models.");
    if (!json_options_has(options, "folds") && (json_options_has(options, "group_column") || json_options_has(options, "seed")))
        json_options_fail(json_options_has(options, "seed") ? "seed" : "group_column", "goes with \"folds\" alone", NULL);
    return options;
}

/* ---- the two models ---- */

/* Reads the version of a name that serves, and how it was trained. */
static Side side_of_name(const char *name)
{
    Oid types[] = {TEXTOID};
    Datum values[] = {CStringGetTextDatum(name)};
    Side side = {.name = psprintf("\"%s\"", name)};
    bool isnull;

    SPI_execute_with_args("SELECT pgfit.get_model($1)", 1, types, values, NULL, true, 0);
    side.model = model_kept(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
    SPI_execute_with_args("SELECT r.formula, r.options FROM pgfit.model_names AS n JOIN pgfit.registry AS r ON r.name" EQ "n.name AND r.version" EQ
                          "n.active WHERE n.name" EQ "$1",
                          1, types, values, NULL, true, 0);
    if (SPI_processed != 1)
        registry_fail_name(name);
    side.formula = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    side.options = DatumGetJsonbPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
    return side;
}

/* Finds the estimator. Fails if its models predict no target. */
static void complete_side(Side *side)
{
    side->estimator = estimator_find(pipeline_last(host_env(), side->model)->estimator);
    if (side->estimator == NULL || !side->estimator->supervised || side->estimator->scoring == NULL ||
        (side->estimator->task == TASK_REGRESSION ? side->estimator->scoring->predict == NULL && !estimator_predicts_array(side->estimator)
                                                  : side->estimator->task != TASK_CLASSIFICATION || side->estimator->scoring->classify == NULL))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s is a model that predicts no target", side->name),
                        errhint("Compare regressions, or classifiers.")));
}

static int target_of(const Comparison *comparison, const Side *side)
{
    return fit_query(side->estimator->name, comparison->source, side->formula, json_options_parse("{}"))->target;
}

static void find_target(Comparison *comparison, bool named)
{
    char *name = json_options_string(comparison->options, "target"), *formula = json_options_string(comparison->options, "formula");

    if (name != NULL && formula != NULL)
        json_options_fail("target", "is given beside a formula", "Leave one of them out.");
    if (name != NULL) {
        comparison->target = source_column(comparison->source, "target", name);
        return;
    }
    if (formula != NULL) {
        comparison->target = fit_query(comparison->a.estimator->name, comparison->source, formula, json_options_parse("{}"))->target;
        return;
    }
    if (!named)
        fail_parameter("compare needs to know the target", "Name its column in the options: {\"target\": \"column\"}.");
    comparison->target = target_of(comparison, &comparison->a);
    if (comparison->target != target_of(comparison, &comparison->b))
        fail_parameter("the models were trained on different targets", "Name the column to evaluate them by: {\"target\": \"column\"}.");
}

/* ---- losses of rows ---- */

static void choose_loss(Comparison *comparison)
{
    static const char *const losses[] = {"squared_error", "absolute_error", "zero_one", "log_loss"};
    char *name = json_options_string(comparison->options, "metrics");
    int first = comparison->classes ? 2 : 0;

    comparison->metric = losses[first];
    comparison->lower_is_better = true;
    if (name == NULL || strcmp(name, losses[first]) == 0)
        return;
    if (strcmp(name, losses[first + 1]) != 0)
        json_options_fail("metrics", psprintf("cannot be \"%s\" for these models", name),
                           comparison->classes ? "It is \"zero_one\" or \"log_loss\"; other metrics go with \"folds\"."
                                               : "It is \"squared_error\" or \"absolute_error\"; other metrics go with \"folds\".");
    comparison->metric = losses[first + 1];
    if (comparison->classes && (comparison->a.estimator->scoring->probabilities == NULL || comparison->b.estimator->scoring->probabilities == NULL))
        json_options_fail("metrics", "cannot be \"log_loss\" for models without probabilities", "Compare them by \"zero_one\".");
}

/* Returns the query of the losses: per row those of both models, and whether each is right. */
static char *losses_sql(const Comparison *comparison)
{
    const Source *source = comparison->source;
    const char *alias = source->alias, *loss;
    char *target = source_column_sql(source, comparison->target);
    char *known = source_label_sql(target, TupleDescAttr(source->columns, comparison->target)->atttypid);
    double clip = json_options_number(comparison->options, "min_probability", CLIP);
    StringInfoData sql;

    if (!(clip >= 0 && clip < 0.5))
        json_options_fail("min_probability", psprintf("must be from 0 to below 0.5, not %s", json_options_double(clip)), NULL);
    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT pg_catalog.count(a OPERATOR(pg_catalog.-) b), pg_catalog.avg(a) FILTER (WHERE b IS NOT NULL),\n"
                                 "    pg_catalog.avg(b) FILTER (WHERE a IS NOT NULL), pg_catalog.avg(a OPERATOR(pg_catalog.-) b),\n"
                                 "    pg_catalog.var_samp(a OPERATOR(pg_catalog.-) b), pg_catalog.count(*) FILTER (WHERE right_a AND NOT right_b),\n"
                                 "    pg_catalog.count(*) FILTER (WHERE right_b AND NOT right_a), pg_catalog.count(a), pg_catalog.count(b)\nFROM (SELECT ");
    if (comparison->arrays)
        loss = strcmp(comparison->metric, "squared_error") == 0
                   ? "(SELECT pgfit.mse(u.y, u.p) FROM (VALUES (y, p_%c)) AS u(y, p)) AS %c, NULL::pg_catalog.bool AS right_%c"
                   : "(SELECT pgfit.mae(u.y, u.p) FROM (VALUES (y, p_%c)) AS u(y, p)) AS %c, NULL::pg_catalog.bool AS right_%c";
    else if (!comparison->classes)
        loss = strcmp(comparison->metric, "squared_error") == 0
                   ? "(p_%c OPERATOR(pg_catalog.-) y) OPERATOR(pg_catalog.*) (p_%c OPERATOR(pg_catalog.-) y) AS %c, NULL::pg_catalog.bool AS right_%c"
                   : "pg_catalog.abs(p_%c OPERATOR(pg_catalog.-) y) AS %c, NULL::pg_catalog.bool AS right_%c";
    else
        loss = strcmp(comparison->metric, "zero_one") == 0
                   ? "(p_%c OPERATOR(pg_catalog.<>) y)::pg_catalog.int4::pg_catalog.float8 AS %c, p_%c OPERATOR(pg_catalog.=) y AS right_%c"
                   : "CASE WHEN p_%c IS NOT NULL THEN CASE WHEN q_%c OPERATOR(pg_catalog.>) 0 THEN OPERATOR(pg_catalog.-) pg_catalog.ln(q_%c) "
                     "ELSE 'Infinity' END END AS %c, p_%c OPERATOR(pg_catalog.=) y AS right_%c";
    for (int side = 0; side < 2; side++) {
        appendStringInfoString(&sql, side > 0 ? ",\n        " : "");
        for (const char *c = loss; *c != '\0'; c++)
            if (c[0] == '%' && c[1] == 'c') {
                appendStringInfoChar(&sql, (char)('a' + side));
                c++;
            } else {
                appendStringInfoChar(&sql, *c);
            }
    }
    appendStringInfo(&sql, "\n    FROM (SELECT %s AS y", comparison->arrays    ? source_numbers_sql(source, "target", comparison->target)
                                                         : comparison->classes ? known
                                                                               : source_number_sql(source, "target", comparison->target));
    for (int side = 0; side < 2; side++) {
        appendStringInfo(&sql, ", pgfit.%s($%d, %s) AS p_%c", comparison->arrays ? "transform" : comparison->classes ? "classify" : "predict", side + 1, alias, 'a' + side);
        if (strcmp(comparison->metric, "log_loss") == 0)
            appendStringInfo(&sql,
                             ",\n            greatest(CASE WHEN %s OPERATOR(pg_catalog.=) ANY (pgfit.classes($%d))"
                             " THEN pgfit.probability($%d, %s, %s) ELSE 0 END, %s::pg_catalog.float8) AS q_%c",
                             known, side + 1, side + 1, alias, target, json_options_double(clip), 'a' + side);
    }
    appendStringInfo(&sql, "\n        FROM %s AS %s OFFSET 0) AS scored OFFSET 0) AS losses", source->from, alias);
    return sql.data;
}

static void compare_rows(Comparison *comparison)
{
    Oid type = model_type_oid(), types[] = {type, type};
    Datum values[] = {PointerGetDatum(comparison->a.model), PointerGetDatum(comparison->b.model)};

    choose_loss(comparison);
    SPI_execute_with_args(losses_sql(comparison), 2, types, values, NULL, true, 0);
    comparison->rows = result_count(0, 1);
    if (comparison->rows == 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row of the source can be scored by both models"),
                        errhint("Each has a NULL in the target or a feature, or there are none.")));
    comparison->value_a = result_number(0, 2);
    comparison->value_b = result_number(0, 3);
    comparison->difference = result_number(0, 4);
    comparison->test = paired_test((double)comparison->rows, comparison->difference, result_number(0, 5), 0);
    comparison->only_a = (uint64)result_count(0, 6);
    comparison->only_b = (uint64)result_count(0, 7);
    comparison->rows_a = result_count(0, 8);
    comparison->rows_b = result_count(0, 9);
}

/* ---- folds ---- */

/* Returns the source with the folds as a column, so that both models have the same. */
static Source *source_with_folds(const Comparison *comparison)
{
    const Source *source = comparison->source;
    char *group = json_options_string(comparison->options, "group_column");
    double seed = json_options_number(comparison->options, "seed", 0);

    if (!(fabs(seed) < 1e15) || seed != floor(seed))
        json_options_fail("seed", "must be a whole number", NULL);
    return source_of_text(psprintf("SELECT %s.*, pgfit.fold(%s, %d, %.0f) AS pgfit_fold FROM %s AS %s", source->alias,
                                   group == NULL ? source->alias : source_column_sql(source, source_column(source, "option \"group_column\"", group)),
                                   comparison->folds, seed, source->from, source->alias));
}

/* Makes the candidate that is the method of one model. */
static Candidate *side_candidate(Comparison *comparison, const Side *side, Source *source, Contest *made)
{
    Contest contest = {.source = source, .formula = side->formula, .per_scan = 1};
    Candidate *candidate = palloc0(sizeof(Candidate));

    contest.fit = training_options(side->options).fit;
    contest.folds = json_options_parse("{\"fold_column\": \"pgfit_fold\"}");
    if (json_options_has(comparison->options, "min_probability"))
        contest.folds = json_options_join(
            contest.folds,
            json_options_parse(psprintf("{\"min_probability\": %s}", json_options_double(json_options_number(comparison->options, "min_probability", 0)))));
    candidate->estimator = side->estimator->name;
    candidate->options = json_options_parse("{}");
    candidate->query = contest_query(&contest, candidate);
    if (candidate->query->steps != NIL)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s has steps of preparation, and compare evaluates one fit per fold", side->name),
                        errhint("Leave \"folds\" out, or pass each method to evaluate.")));
    contest_metric(&contest, candidate->query, json_options_string(comparison->options, "metrics"));
    comparison->metric = contest.metric;
    comparison->lower_is_better = contest.lower_is_better;
    *made = contest;
    return candidate;
}

/* Fits and judges it in each fold. */
static void judge_side(const Side *side, const Contest *contest, Candidate *candidate)
{
    contest_judge(contest, &candidate, 1, NULL);
    if (candidate->error != NULL)
        ereport(ERROR, (errcode(candidate->sqlstate), errmsg("%s cannot be evaluated by folds: %s", side->name, candidate->error)));
}

static void compare_folds(Comparison *comparison)
{
    Source *source = source_with_folds(comparison);
    Contest contests[2];
    Candidate *sides[] = {side_candidate(comparison, &comparison->a, source, &contests[0]), side_candidate(comparison, &comparison->b, source, &contests[1])};
    Candidate *a = sides[0], *b = sides[1];
    double *differences;

    contest_find_common(&contests[0], sides, 2);
    contests[1].common = contests[0].common;
    judge_side(&comparison->a, &contests[0], a);
    judge_side(&comparison->b, &contests[1], b);
    differences = palloc(sizeof(double) * (a->fold_count + 1));
    if (a->fold_count != b->fold_count)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the models were evaluated in %d and %d folds", a->fold_count, b->fold_count)));
    for (int i = 0; i < a->fold_count; i++)
        differences[i] = a->folds[i] - b->folds[i];
    comparison->value_a = a->value;
    comparison->value_b = b->value;
    comparison->rows = Min(a->rows, b->rows);
    comparison->rows_a = a->scorable >= 0 ? a->scorable : a->rows;
    comparison->rows_b = b->scorable >= 0 ? b->scorable : b->rows;
    comparison->test = paired_test_of_numbers(differences, (uint32)a->fold_count, 1.0 / Max(1, a->fold_count - 1), &comparison->difference);
}

/* ---- the result ---- */

static char *verdict(const Comparison *comparison)
{
    bool first = comparison->lower_is_better ? comparison->difference < 0 : comparison->difference > 0;
    int64 own = first ? comparison->rows_a : comparison->rows_b, other = first ? comparison->rows_b : comparison->rows_a;

    if (comparison->difference == 0 && !(comparison->test.std_error > 0))
        return psprintf("no difference: both have the same %s %s", comparison->metric, comparison->folds > 0 ? "in every fold" : "on every row");
    if (isnan(comparison->test.p))
        return pstrdup("not known: the differences do not vary, or are not finite");
    if (!(comparison->test.p < SIGNIFICANT))
        return psprintf("no difference shown: a difference of %s as large as this has probability %.3g by chance", comparison->metric, comparison->test.p);
    return psprintf("%s predicts better: its %s is %s by %.4g (p = %.3g)%s", first ? comparison->a.name : comparison->b.name, comparison->metric,
                    comparison->lower_is_better ? "lower" : "higher", fabs(comparison->difference), comparison->test.p,
                    own >= other ? "" : psprintf("; but it scores " INT64_FORMAT " rows, the other " INT64_FORMAT, own, other));
}

static Datum result_row(FunctionCallInfo fcinfo, const Comparison *comparison)
{
    const PairedTest *test = &comparison->test;
    bool mcnemar = comparison->classes && comparison->folds == 0;
    double p = mcnemar ? mcnemar_p(comparison->only_a, comparison->only_b) : NAN;
    double numbers[] = {comparison->value_a, comparison->value_b, comparison->difference, test->std_error,
                        comparison->difference - test->half_width, comparison->difference + test->half_width, test->t, test->df, test->p};
    TupleDesc description;
    ResultRow row = {0};

    row_add_text(&row, comparison->metric);
    row_add(&row, Int64GetDatum(comparison->rows), false);
    row_add(&row, Int64GetDatum(comparison->rows_a), false);
    row_add(&row, Int64GetDatum(comparison->rows_b), false);
    for (size_t i = 0; i < lengthof(numbers); i++)
        row_add_number(&row, numbers[i]);
    row_add(&row, Int64GetDatum((int64)comparison->only_a), !mcnemar);
    row_add(&row, Int64GetDatum((int64)comparison->only_b), !mcnemar);
    row_add_number(&row, p);
    row_add_text(&row, verdict(comparison));
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE || description->natts != row.count)
        elog(ERROR, "compare has a wrong declaration");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), row.values, row.nulls));
}

static Datum compare(FunctionCallInfo fcinfo, bool named)
{
    static const char *const names[] = {"of the first model", "of the second model", "source", "options"};
    Comparison comparison = {NULL};
    Datum result;

    require_arguments(fcinfo, "compare", names, lengthof(names));
    comparison.options = known_options(PG_GETARG_JSONB_P(3), named);
    SPI_connect();
    comparison.source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(2)));
    if (named) {
        comparison.a = side_of_name(text_to_cstring(PG_GETARG_TEXT_PP(0)));
        comparison.b = side_of_name(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    } else {
        comparison.a = (Side){.name = "the first model", .model = PG_GETARG_SOUND_MODEL(0)};
        comparison.b = (Side){.name = "the second model", .model = PG_GETARG_SOUND_MODEL(1)};
    }
    complete_side(&comparison.a);
    complete_side(&comparison.b);
    comparison.classes = comparison.a.estimator->task == TASK_CLASSIFICATION;
    if (comparison.classes != (comparison.b.estimator->task == TASK_CLASSIFICATION))
        fail_parameter("a regression and a classifier cannot be compared", NULL);
    comparison.arrays = estimator_predicts_array(comparison.a.estimator);
    if (comparison.arrays != estimator_predicts_array(comparison.b.estimator))
        fail_parameter("a model of several targets and a model of one cannot be compared", NULL);
    find_target(&comparison, named);
    if (json_options_has(comparison.options, "folds")) {
        double folds = json_options_number(comparison.options, "folds", 5);

        if (!(folds >= 2 && folds <= 1000) || folds != floor(folds))
            json_options_fail("folds", psprintf("must be a whole number from 2 to 1000, not %s", json_options_double(folds)), NULL);
        comparison.folds = (int)folds;
        compare_folds(&comparison);
    } else {
        compare_rows(&comparison);
    }
    result = SPI_datumTransfer(result_row(fcinfo, &comparison), false, -1);
    SPI_finish();
    return result;
}

/* compare(name_a, name_b, source, options) */
PG_FUNCTION_INFO_V1(pgfit_compare);
PGDLLEXPORT Datum pgfit_compare(PG_FUNCTION_ARGS)
{
    return compare(fcinfo, true);
}

/* compare(model_a, model_b, source, options) */
PG_FUNCTION_INFO_V1(pgfit_compare_models);
PGDLLEXPORT Datum pgfit_compare_models(PG_FUNCTION_ARGS)
{
    return compare(fcinfo, false);
}
