/*
 * evaluation.c - writes and runs the queries that judge a model.
 */
#include "pg/operations/evaluation.h"
#include "pg/operations/json_options.h"
#include "core/estimator/classifier_output.h"
#include "core/model/schema.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

/* ---- metrics ---- */

/*
 * What a metric is computed from: columns y (the target), p (the prediction), q (probabilities), k (classes) and s (a score); without a target p is the
 * logarithm of the density, or the distance from the nearest cluster, c the cluster, and f the features as the model has them.
 */
typedef enum Basis { OF_NUMBERS, OF_CLASSES, OF_TWO_CLASSES, OF_PROBABILITIES, OF_SCORES, OF_DENSITIES, OF_DISTANCES, OF_CLUSTERS } Basis;

typedef struct Metric {
    const char *name;
    Basis basis;
    bool usual, lower_is_better;
    const char *call;    /* the beginning of the call of the aggregate; of densities and distances the value of which it is the mean */
    const char *options; /* NULL: it takes none */
    bool by_rows;        /* cross_validate does not have it */
} Metric;

static const Metric metrics[] = {
    {"rmse", OF_NUMBERS, true, true, "rmse(y, p", NULL},
    {"mae", OF_NUMBERS, true, true, "mae(y, p", NULL},
    {"r_squared", OF_NUMBERS, true, false, "r_squared(y, p", NULL},
    {"mse", OF_NUMBERS, false, true, "mse(y, p", NULL},
    {"accuracy", OF_CLASSES, true, false, "accuracy(y, p", NULL},
    {"balanced_accuracy", OF_CLASSES, true, false, "balanced_accuracy(y, p", NULL},
    {"log_loss", OF_PROBABILITIES, true, true, "log_loss(y, q, k", "{}"},
    {"brier_score", OF_PROBABILITIES, false, true, "brier_score(y, q, k", NULL},
    {"f1_macro", OF_CLASSES, false, false, "f1_score(y, p", "{\"average\": \"macro\"}"},
    {"f1_weighted", OF_CLASSES, false, false, "f1_score(y, p", "{\"average\": \"weighted\"}"},
    {"matthews_correlation", OF_CLASSES, false, false, "matthews_correlation(y, p", NULL},
    {"cohen_kappa", OF_CLASSES, false, false, "cohen_kappa(y, p", NULL},
    {"f1_score", OF_TWO_CLASSES, false, false, "f1_score(y, p", "{}"},
    {"precision_score", OF_TWO_CLASSES, false, false, "precision_score(y, p", "{}"},
    {"recall_score", OF_TWO_CLASSES, false, false, "recall_score(y, p", "{}"},
    {"roc_auc", OF_SCORES, false, false, "roc_auc(y, s", "{}"},
    {"average_precision", OF_SCORES, false, false, "average_precision(y, s", "{}"},
    {"log_likelihood", OF_DENSITIES, true, false, "p", NULL},
    {"inertia", OF_DISTANCES, true, true, "p OPERATOR(pg_catalog.*) p", NULL},
    {"mean_distance", OF_DISTANCES, true, true, "p", NULL, true},
    {"silhouette", OF_CLUSTERS, false, false, "silhouette(c, f", NULL, true},
    {"calinski_harabasz", OF_CLUSTERS, false, false, "calinski_harabasz(c, f", NULL, true},
    {"davies_bouldin", OF_CLUSTERS, false, true, "davies_bouldin(c, f", NULL, true},
};

static bool is_classifier(const Estimator *estimator)
{
    return estimator->task == TASK_CLASSIFICATION || estimator->task == TASK_CALIBRATION;
}

/* Tells whether a metric without a target judges models of an estimator, which score rows that they were not fitted to. */
static bool applies_without_target(const Estimator *estimator, const Metric *metric)
{
    const Scoring *scoring = estimator->scoring;
    bool density = scoring->log_density != NULL;

    if (estimator->supervised || estimator->identified)
        return false;
    switch (metric->basis) {
    case OF_DENSITIES:
        return density;
    case OF_DISTANCES: /* squared ones are what kmeans makes small */
        return !density && estimator->task == TASK_CLUSTERING && scoring->distance != NULL &&
               (strcmp(estimator->name, "kmeans") == 0 || strcmp(metric->name, "inertia") != 0);
    default:
        return metric->basis == OF_CLUSTERS && scoring->cluster != NULL;
    }
}

static bool applies(const Estimator *estimator, const Metric *metric)
{
    const Scoring *scoring = estimator->scoring;

    if (scoring == NULL)
        return false;
    if (!estimator->supervised || metric->basis >= OF_DENSITIES)
        return applies_without_target(estimator, metric);
    switch (metric->basis) {
    case OF_NUMBERS:
        return estimator->task == TASK_REGRESSION && scoring->predict != NULL;
    case OF_CLASSES:
    case OF_TWO_CLASSES:
        return is_classifier(estimator) && scoring->classify != NULL;
    case OF_PROBABILITIES:
        return is_classifier(estimator) && scoring->probabilities != NULL;
    case OF_SCORES:
        return is_classifier(estimator) && (scoring->decisions != NULL || scoring->probabilities != NULL);
    default:
        return false;
    }
}

/* Tells whether a metric is computed without being asked for: of a calibration also that of its probabilities. */
static bool is_usual(const Estimator *estimator, const Metric *metric)
{
    return metric->usual || (estimator->task == TASK_CALIBRATION && metric->basis == OF_PROBABILITIES);
}

/* Tells whether a metric decides by default, if it is the first of the usual ones: of a calibration the first of its probabilities does. */
static bool may_decide(const Estimator *estimator, const Metric *metric)
{
    return estimator->task != TASK_CALIBRATION || metric->basis == OF_PROBABILITIES;
}

static void __attribute__((noreturn)) fail_metric(const Estimator *estimator, const char *name, bool folds)
{
    StringInfoData names;
    const char *applying[lengthof(metrics)], *nearest;
    uint32_t count = 0;

    initStringInfo(&names);
    for (size_t i = 0; i < lengthof(metrics); i++)
        if (applies(estimator, &metrics[i]) && !(folds && metrics[i].by_rows)) {
            appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", metrics[i].name);
            applying[count++] = metrics[i].name;
        }
    nearest = nearest_method(name, strlen(name), applying, count);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no metric \"%s\" of %s", name, estimator->name),
                    nearest != NULL ? errhint("Did you mean \"%s\"? Metrics of %s are %s.", nearest, estimator->name, names.data)
                    : names.len > 0 ? errhint("Metrics of %s are %s.", estimator->name, names.data)
                                  : errhint("Models of %s are not judged.", estimator->name)));
}

EvaluationMetrics evaluation_metrics(const FitQuery *query, const char *name, bool folds)
{
    EvaluationMetrics choice = {.query = query, .decides = -1};

    for (int i = 0; i < (int)lengthof(metrics); i++) {
        bool named = name != NULL && strcmp(metrics[i].name, name) == 0;

        if (!applies(query->estimator, &metrics[i]) || !(named || is_usual(query->estimator, &metrics[i])) || (folds && metrics[i].by_rows))
            continue;
        if (named || (name == NULL && choice.decides < 0 && may_decide(query->estimator, &metrics[i])))
            choice.decides = choice.count;
        choice.metrics[choice.count++] = i;
    }
    if (name != NULL && choice.decides < 0)
        fail_metric(query->estimator, name, folds);
    return choice;
}

const char *evaluation_metric(const EvaluationMetrics *choice, int which)
{
    return metrics[choice->metrics[which]].name;
}

bool evaluation_lower_is_better(const EvaluationMetrics *choice)
{
    return metrics[choice->metrics[choice->decides]].lower_is_better;
}

bool evaluation_better(const EvaluationMetrics *choice, const Evaluation *one, const Evaluation *other, double margin)
{
    double gain = one->values[choice->decides] - other->values[choice->decides];

    if (isnan(other->values[choice->decides]))
        return !isnan(one->values[choice->decides]);
    return (metrics[choice->metrics[choice->decides]].lower_is_better ? -gain : gain) > margin;
}

char *evaluation_json(const EvaluationMetrics *choice, const double *values)
{
    StringInfoData json;

    initStringInfo(&json);
    for (int i = 0; i < choice->count; i++) {
        json_options_quote(&json, i == 0 ? "{" : ", ", evaluation_metric(choice, i));
        appendStringInfo(&json, ": %s", json_options_double(values[i]));
    }
    appendStringInfoString(&json, choice->count == 0 ? "{}" : "}");
    return json.data;
}

/* ---- scores of held-out rows ---- */

/* Tells whether a metric can be computed for this model: of two classes, with probabilities. */
static bool applies_to_model(const Metric *metric, const Estimator *estimator, uint32 classes)
{
    return applies(estimator, metric) && (classes == 2 || (metric->basis != OF_TWO_CLASSES && metric->basis != OF_SCORES));
}

static uint32 class_count(const Model *model)
{
    return is_classifier(estimator_of(model)) ? dictionary_size(model, DICTIONARY_CLASSES) : 0;
}

bool evaluation_decides(const EvaluationMetrics *choice, const Model *model)
{
    return applies_to_model(&metrics[choice->metrics[choice->decides]], estimator_of(model), class_count(model));
}

/* Tells whether two fields of models are the same feature. */
static bool same_field(const Model *a, const Model *b, uint32_t field)
{
    char name[SCHEMA_NAME_SIZE], other[SCHEMA_NAME_SIZE];

    schema_field_name(a, field, name, sizeof name);
    schema_field_name(b, field, other, sizeof other);
    return strcmp(name, other) == 0;
}

/* Returns an option of a model as text; "" without it, or if it is false. */
static char *model_option(const Model *model, const char *name)
{
    uint32_t length;
    const char *text = model_options(model, &length);
    Jsonb *options = json_options_parse(length > 0 ? pnstrdup(text, length) : "{}");
    JsonbValue value;

    return json_options_value(options, name, &value) && !(value.type == jbvBool && !value.val.boolean) ? json_options_text(JsonbValueToJsonb(&value)) : "";
}

bool evaluation_comparable(const EvaluationMetrics *choice, const Model *a, const Model *b)
{
    static const char *const units[] = {"formula", "standardize", "metric", "kernel", "gamma", "sigma", "degree", "coef0"};

    if (metrics[choice->metrics[choice->decides]].basis < OF_DENSITIES)
        return true;
    if (a->field_count != b->field_count)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!same_field(a, b, i))
            return false;
    for (size_t i = 0; i < lengthof(units); i++)
        if (strcmp(model_option(a, units[i]), model_option(b, units[i])) != 0)
            return false;
    return true;
}

/* Returns the label of one of two classes. */
static char *label_of_two(const Model *model, uint32 class)
{
    uint32_t length;
    const char *label = dictionary_text(model, DICTIONARY_CLASSES, class, &length);

    return pnstrdup(label, length);
}

char *evaluation_positive(const Model *model)
{
    return class_count(model) == 2 ? label_of_two(model, class_rule_of(model).positive) : NULL;
}

/* Adds the call of an aggregate. A class that the model has not seen got probability 0, so the log loss is infinite. classes: 2, or any other number. */
static void add_metric(StringInfo sql, const Metric *metric, bool weighted, uint32 classes, const char *positive)
{
    bool binary = metric->basis == OF_TWO_CLASSES || metric->basis == OF_SCORES;
    /* of two classes it is the score of one of them, as cross_validate has it */
    bool halved = classes == 2 && strcmp(metric->name, "brier_score") == 0;
    StringInfoData call, options;

    initStringInfo(&call);
    initStringInfo(&options);
    appendStringInfo(&call, "pgfit.%s", metric->call);
    if (binary) {
        json_options_quote(&options, "{\"positive\": ", positive);
        appendStringInfoChar(&options, '}');
        appendStringInfo(&call, ", %s", quote_literal_cstr(options.data));
    } else if (metric->options != NULL && (weighted || strcmp(metric->options, "{}") != 0)) {
        appendStringInfo(&call, ", '%s'", metric->options);
    }
    appendStringInfo(&call, "%s)", weighted ? ", w" : "");
    if (metric->basis == OF_PROBABILITIES)
        appendStringInfo(sql, "CASE WHEN pg_catalog.bool_and(known) THEN %s FILTER (WHERE known)%s ELSE 'Infinity' END", call.data,
                         halved ? " OPERATOR(pg_catalog./) 2" : "");
    else
        appendStringInfoString(sql, call.data);
}

/* Adds the score of the positive class, which may be the negative one of this model, as column s. */
static void add_score(StringInfo sql, const Judged *judged, const Estimator *estimator, const char *alias)
{
    if (estimator->scoring->probabilities != NULL) {
        appendStringInfo(sql, ", (pgfit.probabilities($1, %s))[pg_catalog.array_position(pgfit.classes($1), %s)] AS s", alias,
                         quote_literal_cstr(judged->positive));
    } else {
        uint32 positive = class_rule_of(judged->model).positive;

        if (strcmp(judged->positive, label_of_two(judged->model, positive)) == 0)
            appendStringInfo(sql, ", pgfit.decision($1, %s) AS s", alias);
        else if (strcmp(judged->positive, label_of_two(judged->model, 1 - positive)) == 0)
            appendStringInfo(sql, ", OPERATOR(pg_catalog.-) pgfit.decision($1, %s) AS s", alias);
        else
            appendStringInfoString(sql, ", NULL::pg_catalog.float8 AS s");
    }
}

/* Returns the query of the metrics of model $1; their columns are in the order of the choice. */
static char *supervised_sql(const EvaluationMetrics *choice, const Judged *judged)
{
    const FitQuery *query = choice->query;
    const Estimator *estimator = estimator_of(judged->model);
    bool weighted = query->weight >= 0, numbers = query->estimator->task == TASK_REGRESSION;
    const char *alias = query->source->alias;
    const char *target = numbers ? source_number_sql(query->source, "target", query->target) : source_column_sql(query->source, query->target);
    uint32 classes = judged->positive == NULL ? 0 : class_count(judged->model);
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT pg_catalog.count(*) FILTER (WHERE p IS NOT NULL AND y IS NOT NULL), pg_catalog.count(y)");
    for (int i = 0; i < choice->count; i++) {
        appendStringInfoString(&sql, ",\n    ");
        if (applies_to_model(&metrics[choice->metrics[i]], estimator, classes))
            add_metric(&sql, &metrics[choice->metrics[i]], weighted, classes, judged->positive);
        else
            appendStringInfoString(&sql, "NULL::pg_catalog.float8");
    }
    appendStringInfo(&sql, "\nFROM (SELECT %s AS y, pgfit.%s($1, %s) AS p", target, numbers ? "predict" : "classify", alias);
    if (!numbers && estimator->scoring->probabilities != NULL)
        appendStringInfo(&sql, ", pgfit.probabilities($1, %s) AS q, pgfit.classes($1) AS k,\n        %s OPERATOR(pg_catalog.=) ANY (pgfit.classes($1)) AS known",
                         alias, source_text_sql(target, TupleDescAttr(query->source->columns, query->target)->atttypid));
    if (!numbers && classes == 2)
        add_score(&sql, judged, estimator, alias);
    if (judged->also != NULL)
        appendStringInfo(&sql, ", pgfit.%s($2, %s) IS NOT NULL AS also", numbers ? "predict" : "classify", alias);
    if (weighted)
        appendStringInfo(&sql, ", %s AS w", source_column_sql(query->source, query->weight));
    /* OFFSET 0: each row is scored once, not once per metric */
    appendStringInfo(&sql, "\n    FROM %s AS %s%s%s\n    OFFSET 0) AS scored%s", query->source->from, alias,
                     judged->condition != NULL ? "\n    WHERE " : "", judged->condition != NULL ? judged->condition : "",
                     judged->also != NULL ? "\nWHERE also" : "");
    return sql.data;
}

/* Returns the function that gives p of models without a target, as SQL calls it. */
static const char *score_without_target(const Estimator *estimator)
{
    return estimator->scoring->log_density != NULL ? "decision" : "distance";
}

/* Returns the same query for models without a target. */
static char *unsupervised_sql(const EvaluationMetrics *choice, const Judged *judged)
{
    const FitQuery *query = choice->query;
    const Estimator *estimator = estimator_of(judged->model);
    const char *alias = query->source->alias;
    bool weighted = query->weight >= 0, clusters = false;
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT pg_catalog.count(p), pg_catalog.count(*)");
    for (int i = 0; i < choice->count; i++) {
        const Metric *metric = &metrics[choice->metrics[i]];

        appendStringInfoString(&sql, ",\n    ");
        clusters = clusters || metric->basis == OF_CLUSTERS;
        if (!applies(estimator, metric))
            appendStringInfoString(&sql, "NULL::pg_catalog.float8");
        else if (metric->basis == OF_CLUSTERS)
            appendStringInfo(&sql, "pgfit.%s%s)", metric->call, weighted ? ", w" : "");
        else if (weighted)
            appendStringInfo(&sql, "pg_catalog.sum(%s OPERATOR(pg_catalog.*) w) OPERATOR(pg_catalog./) "
                                   "pg_catalog.sum(CASE WHEN p IS NOT NULL THEN w END)", metric->call);
        else
            appendStringInfo(&sql, "pg_catalog.avg(%s)", metric->call);
    }
    appendStringInfo(&sql, "\nFROM (SELECT pgfit.%s($1, %s) AS p", score_without_target(estimator), alias);
    if (clusters && estimator->scoring->cluster != NULL)
        appendStringInfo(&sql, ", pgfit.cluster($1, %s) AS c, pgfit.design($1, %s) AS f", alias, alias);
    if (judged->also != NULL)
        appendStringInfo(&sql, ", pgfit.%s($2, %s) IS NOT NULL AS also", score_without_target(estimator_of(judged->also)), alias);
    if (weighted)
        appendStringInfo(&sql, ", %s AS w", source_number_sql(query->source, "weight", query->weight));
    appendStringInfo(&sql, "\n    FROM %s AS %s%s%s\n    OFFSET 0) AS scored%s", query->source->from, alias, judged->condition != NULL ? "\n    WHERE " : "",
                     judged->condition != NULL ? judged->condition : "", judged->also != NULL ? "\nWHERE also" : "");
    return sql.data;
}

static double result_number(int row, int column)
{
    bool isnull;
    Datum value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

    return isnull ? NAN : DatumGetFloat8(value);
}

static int64 result_count(int row, int column)
{
    bool isnull;
    Datum value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

    return isnull ? 0 : DatumGetInt64(value);
}

Evaluation evaluate_model(const EvaluationMetrics *choice, const Judged *judged)
{
    Datum values[] = {PointerGetDatum(judged->model), PointerGetDatum(judged->also)};
    Oid types[] = {model_type_oid(), model_type_oid()};
    Evaluation evaluation = {.rows = 0};

    SPI_execute_with_args(choice->query->estimator->supervised ? supervised_sql(choice, judged) : unsupervised_sql(choice, judged), judged->also != NULL ? 2 : 1, types, values, NULL, true, 0);
    evaluation.rows = result_count(0, 1);
    evaluation.targets = result_count(0, 2);
    for (int i = 0; i < choice->count; i++) {
        evaluation.values[i] = result_number(0, i + 3);
        evaluation.errors[i] = NAN;
    }
    SPI_freetuptable(SPI_tuptable);
    return evaluation;
}

/* ---- folds ---- */

/* Returns the options of cross_validate: how the folds are made, the metrics, their positive class, and the options of the estimator. */
static char *folds_options(const EvaluationMetrics *choice, Jsonb *folds, const char *positive)
{
    StringInfoData json;

    initStringInfo(&json);
    appendStringInfo(&json, "{\"options\": %s, \"metrics\": [", choice->query->options);
    for (int i = 0; i < choice->count; i++)
        json_options_quote(&json, i == 0 ? "" : ", ", evaluation_metric(choice, i));
    appendStringInfoChar(&json, ']');
    if (positive != NULL && !json_options_has(folds, "positive"))
        json_options_quote(&json, ", \"positive\": ", positive);
    appendStringInfoChar(&json, '}');
    return json_options_text(json_options_join(folds, json_options_parse(json.data)));
}

Evaluation evaluate_by_folds(const EvaluationMetrics *choice, Jsonb *folds, const char *positive)
{
    const FitQuery *query = choice->query;
    const char *weight = query->weight < 0 ? "" : psprintf(", %s", source_column_sql(query->source, query->weight));
    Evaluation evaluation = {.rows = 0};

    SPI_execute(psprintf("SELECT metric, value, std_error, rows\n"
                         "FROM (SELECT (pg_catalog.unnest(pgfit.cross_validate(%s, %s, '%s', %s%s))).*\n"
                         "      FROM %s AS %s) AS folds\nWHERE fold IS NULL",
                         query->target >= 0 ? source_column_sql(query->source, query->target) : "NULL", query->source->alias, query->estimator->name,
                         quote_literal_cstr(folds_options(choice, folds, positive)), weight, query->source->from, query->source->alias),
                true, 0);
    for (int i = 0; i < choice->count; i++) {
        evaluation.values[i] = evaluation.errors[i] = NAN;
        for (uint64 row = 0; row < SPI_processed; row++) {
            const char *name = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);

            if (strcmp(name, evaluation_metric(choice, i)) != 0)
                continue;
            evaluation.values[i] = result_number((int)row, 2);
            evaluation.errors[i] = result_number((int)row, 3);
            evaluation.rows = result_count((int)row, 4);
        }
    }
    SPI_freetuptable(SPI_tuptable);
    return evaluation;
}
