/*
 * report.c - report(model | name, source, options): asks the registry where a model comes from, evaluates it over the rows of a source if there is one, and has the core
 * write the page.
 */
#include "pg/diagnostics/kept_source.h"
#include "pg/operations/evaluation.h"
#include "pg/type/json_options.h"
#include "pg/score/registry_access.h"
#include "pg/score/scoring.h"
#include "core/picture/model_report.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"

#define FACTS_MOST 24
#define FEW_ROWS "10" /* of a class, of which a metric says little */
#define MINUS " OPERATOR(pg_catalog.-) "

/* What is put together for a page. */
typedef struct ReportParts {
    const Model *model;
    const Estimator *estimator; /* of the stage that scores */
    ReportFact origin[FACTS_MOST], metrics[FACTS_MOST];
    const char *pictures[3], *caveats[2];
    ReportInput input;
} ReportParts;

static void add_metric(ReportParts *parts, const char *name, const char *value)
{
    if (parts->input.metric_count < FACTS_MOST)
        parts->metrics[parts->input.metric_count++] = (ReportFact){name, value};
}

/* Returns a text of the first row of a result, copied; NULL: it is NULL. */
static char *result_text(int column)
{
    return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* ---- the registry ---- */

/* Takes the metrics with which a version was stored. */
static void take_metrics(ReportParts *parts, const char *metrics, const char *evaluation)
{
    Jsonb *json = json_options_parse(metrics), *how = json_options_parse(evaluation != NULL ? evaluation : "{}");
    JsonbIterator *iterator = JsonbIteratorInit(&json->root);
    JsonbIteratorToken token;
    JsonbValue value;
    const char *name = NULL;

    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        if (token == WJB_KEY)
            name = pnstrdup(value.val.string.val, value.val.string.len);
        else if (token == WJB_VALUE && name != NULL)
            add_metric(parts, name, value.type == jbvNumeric ? psprintf("%.5g", DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(value.val.numeric)))) : NULL);
    }
    if (parts->input.metric_count == 0)
        return;
    parts->input.evaluated = psprintf("Metrics from training, over %.0f rows that the evaluated model was not fitted to (hold-out: %s)%s.", json_options_number(how, "rows", NAN),
                                      json_options_string_or_null(how, "holdout") != NULL ? json_options_string_or_null(how, "holdout") : "folds",
                                      json_options_boolean(how, "refit", false) ? "; the model was then fitted to all rows" : "");
}

/* Reads the version of a name that serves, and what the registry knows of it. */
static void read_registry(ReportParts *parts, const char *name)
{
    static const char *const facts[] = {"Name", "Version", "Trained", "Source", "Options as given", "Query"};
    Oid types[] = {TEXTOID};
    Datum values[] = {CStringGetTextDatum(name)};
    const char *metrics, *evaluation;
    bool isnull;

    SPI_execute_with_args("SELECT pgfit.get_model($1)", 1, types, values, NULL, true, 0);
    parts->model = model_kept(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
    SPI_execute_with_args("SELECT r.name, r.version, pg_catalog.to_char(pg_catalog.timezone('UTC', r.trained_at), 'YYYY-MM-DD'), r.source, r.options, r.query, r.metrics, r.evaluation\n"
                          "FROM pgfit.model_names AS n JOIN pgfit.registry AS r ON r.name OPERATOR(pg_catalog.=) n.name AND r.version OPERATOR(pg_catalog.=) n.active\n"
                          "WHERE n.name OPERATOR(pg_catalog.=) $1",
                          1, types, values, NULL, true, 0);
    if (SPI_processed != 1)
        registry_fail_name(name);
    for (int i = 0; i < (int)lengthof(facts); i++)
        parts->origin[i] = (ReportFact){facts[i], result_text(i + 1)};
    parts->input.origin_count = lengthof(facts);
    metrics = result_text(7);
    evaluation = result_text(8);
    if (metrics != NULL)
        take_metrics(parts, metrics, evaluation);
}

/* ---- the rows of a source ---- */

/* Returns the names of the metrics that the report shows, as JSON; NULL: the usual ones. */
static Jsonb *metric_names(const ReportParts *parts, const char *positive)
{
    const Scoring *scoring = parts->estimator->scoring;
    StringInfoData names;

    if (!estimator_classifies(parts->estimator))
        return NULL;
    initStringInfo(&names);
    appendStringInfoString(&names, "[\"accuracy\", \"balanced_accuracy\", \"matthews_correlation\"");
    if (scoring->probabilities != NULL)
        appendStringInfoString(&names, ", \"log_loss\", \"brier_score\"");
    if (positive != NULL && (scoring->probabilities != NULL || scoring->decisions != NULL))
        appendStringInfoString(&names, ", \"roc_auc\", \"average_precision\"");
    appendStringInfoString(&names, positive != NULL ? ", \"precision_score\", \"recall_score\", \"f1_score\"]" : ", \"f1_macro\"]");
    return json_options_parse(names.data);
}

/* Returns the query of the pictures of a classifier, and of the classes with few rows. */
static char *class_pictures_sql(const ReportParts *parts, const FitQuery *query, const char *positive)
{
    const Source *source = query->source;
    const Scoring *scoring = parts->estimator->scoring;
    bool scored = positive != NULL && (scoring->probabilities != NULL || scoring->decisions != NULL);
    StringInfoData options, sql;

    initStringInfo(&options);
    initStringInfo(&sql);
    if (positive != NULL) {
        json_options_quote(&options, "{\"positive\": ", positive);
        appendStringInfoChar(&options, '}');
    }
    appendStringInfoString(&sql, "SELECT pgfit.plot(c), pgfit.plot(r), pgfit.plot(q),\n    (SELECT pg_catalog.string_agg(pg_catalog.format('%s (%s)', f.label, f.rows), ', ') FROM "
                                 "(SELECT u.label, pg_catalog.sum(u.rows) AS rows FROM pg_catalog.unnest(c) AS u GROUP BY u.label\n"
                                 "        HAVING pg_catalog.sum(u.rows) OPERATOR(pg_catalog.<) " FEW_ROWS " ORDER BY u.label) AS f)\n"
                                 "FROM (SELECT pgfit.confusion_matrix(y, p) AS c");
    appendStringInfo(&sql, scored ? ", pgfit.roc_curve(y, s, %s) AS r" : ", NULL::pgfit.roc_point[] AS r", quote_literal_cstr(options.data));
    appendStringInfo(&sql, scored && scoring->probabilities != NULL ? ", pgfit.calibration_curve(y, s, %s) AS q" : ", NULL::pgfit.calibration_bin[] AS q",
                     quote_literal_cstr(options.data));
    appendStringInfo(&sql, "\n    FROM (SELECT %s AS y, pgfit.classify($1, %s) AS p", source_column_sql(source, query->target), source->alias);
    if (scored)
        appendStringInfo(&sql, ", pgfit.%s($1, %s) AS s", scoring->probabilities != NULL ? "probability" : "decision", source->alias);
    appendStringInfo(&sql, "\n        FROM %s AS %s OFFSET 0) AS scored\n    WHERE y IS NOT NULL AND p IS NOT NULL) AS curves", source->from, source->alias);
    return sql.data;
}

static char *residual_picture_sql(const FitQuery *query)
{
    const Source *source = query->source;

    return psprintf("SELECT pgfit.plot(r, '{\"figure\": \"residuals\"}')\n"
                    "FROM (SELECT p AS fitted, y" MINUS "p AS residual, NULL::pg_catalog.float8 AS standardized, NULL::pg_catalog.float8 AS leverage\n"
                    "    FROM (SELECT %s AS y, pgfit.predict($1, %s) AS p\n        FROM %s AS %s OFFSET 0) AS scored) AS r",
                    source_number_sql(source, "target", query->target), source->alias, source->from, source->alias);
}

static void draw_rows(ReportParts *parts, const FitQuery *query, const char *positive)
{
    bool classes = estimator_classifies(parts->estimator);
    Oid types[] = {model_type_oid()};
    Datum values[] = {PointerGetDatum(parts->model)};

    if (!classes && (parts->estimator->task != TASK_REGRESSION || estimator_predicts_array(parts->estimator)))
        return;
    SPI_execute_with_args(classes ? class_pictures_sql(parts, query, positive) : residual_picture_sql(query), 1, types, values, NULL, true, 0);
    parts->input.picture_count = classes ? 3 : 1;
    for (uint32 i = 0; i < parts->input.picture_count; i++)
        parts->pictures[i] = result_text((int)i + 1);
    if (classes && result_text(4) != NULL)
        parts->caveats[parts->input.caveat_count++] = psprintf("Classes with fewer than " FEW_ROWS " of the evaluated rows: %s.", result_text(4));
}

/* Evaluates the model over the rows of a source. */
static void evaluate(ReportParts *parts, const char *source, const char *target)
{
    uint32_t length;
    const char *options = model_options(pipeline_last(host_env(), parts->model), &length), *positive = evaluation_positive(parts->model);
    FitQuery query = {.estimator = parts->estimator, .source = source_of_text(source), .target = -1, .id = -1, .weight = -1, .options = length > 0 ? pnstrdup(options, length) : "{}"};
    EvaluationMetrics choice;
    Evaluation evaluation;

    if (parts->estimator->supervised)
        query.target = source_target(query.source, parts->model, target);
    choice = parts->estimator->task == TASK_SURVIVAL ? (EvaluationMetrics){.count = 0} : evaluation_metrics(&query, NULL, false);
    if (choice.count == 0)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("models of %s have no metrics over rows", parts->estimator->name), errhint("Leave the source out.")));
    if (estimator_classifies(parts->estimator))
        choice = evaluation_metrics_named(&query, metric_names(parts, positive));
    evaluation = evaluate_model(&choice, &(Judged){.model = parts->model, .positive = positive});
    parts->input.metric_count = 0;
    for (int i = 0; i < choice.count; i++)
        add_metric(parts, evaluation_metric(&choice, i), isnan(evaluation.values[i]) ? "not defined" : psprintf("%.5g", evaluation.values[i]));
    parts->input.evaluated = psprintf("Over " INT64_FORMAT " rows of %s. If the model was fitted to them, it looks better here than it is.", evaluation.rows, source);
    if (evaluation.targets > evaluation.rows)
        parts->caveats[parts->input.caveat_count++] =
            psprintf(INT64_FORMAT " of " INT64_FORMAT " evaluated rows got no score.", evaluation.targets - evaluation.rows, evaluation.targets);
    if (evaluation.rows > 0)
        draw_rows(parts, &query, positive);
}

/* ---- the page ---- */

static Datum report(FunctionCallInfo fcinfo, bool named)
{
    static const char *const arguments[] = {"model", NULL, "options"}, *const names[] = {"target", "title"};
    ReportParts parts = {NULL};
    Scorer scorer;
    Jsonb *options;
    char *source, *title;
    Datum page;

    require_arguments(fcinfo, "report", arguments, lengthof(arguments));
    options = json_options_known(PG_GETARG_JSONB_P(2), "report", names, lengthof(names), "");
    source = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
    title = json_options_string(options, "title");
    if (source == NULL && json_options_has(options, "target"))
        json_options_fail("target", "goes with a source alone", NULL);
    SPI_connect();
    if (named)
        read_registry(&parts, text_to_cstring(PG_GETARG_TEXT_PP(0)));
    else
        parts.model = PG_GETARG_SOUND_MODEL(0);
    scorer = (Scorer){.model = parts.model, .estimator = estimator_of(parts.model)};
    if (parts.model->kind != MODEL_FITTED || scorer.estimator == NULL)
        fail_unsupported(&scorer, "report");
    parts.estimator = estimator_of(pipeline_last(host_env(), parts.model));
    parts.input.title = title != NULL ? title : named ? parts.origin[0].value : NULL;
    parts.input.version = PGFIT_VERSION;
    parts.input.origin = parts.origin;
    parts.input.metrics = parts.metrics;
    parts.input.pictures = parts.pictures;
    parts.input.caveats = parts.caveats;
    if (source != NULL)
        evaluate(&parts, source, json_options_string(options, "target"));
    page = SPI_datumTransfer(CStringGetTextDatum(report_of_model(host_env(), parts.model, &parts.input)), false, -1);
    SPI_finish();
    return page;
}

/* report(model, source, options) */
PG_FUNCTION_INFO_V1(pgfit_report_model);
PGDLLEXPORT Datum pgfit_report_model(PG_FUNCTION_ARGS)
{
    return report(fcinfo, false);
}

/* report(name, source, options) */
PG_FUNCTION_INFO_V1(pgfit_report);
PGDLLEXPORT Datum pgfit_report(PG_FUNCTION_ARGS)
{
    return report(fcinfo, true);
}
