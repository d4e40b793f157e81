/*
 * evaluation.c - writes and runs the queries that judge a model; evaluate(estimator, source, formula, options).
 */
#include "pg/operations/evaluation.h"
#include "core/linear_equations/linear_path_model.h"
#include "pg/type/json_options.h"
#include "pg/operations/search_options.h"
#include "pg/type/result_rows.h"
#include "core/estimator/classifier_output.h"
#include "core/model/schema.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "executor/spi.h"

/* ---- metrics ---- */

/*
 * What a metric is computed from: columns y (the target), p (the prediction), q (probabilities), k (classes), l (the label), known (it is one of the classes), s (a score), e, t and g (an event, an entry and a stratum); without a target p is the
 * logarithm of the density, or the distance from the nearest cluster, c the cluster, and f the features as the model has them.
 */
typedef enum Basis { OF_NUMBERS, OF_ARRAYS, OF_CLASSES, OF_TWO_CLASSES, OF_PROBABILITIES, OF_SCORES, OF_EVENTS, OF_DENSITIES, OF_DISTANCES, OF_CLUSTERS } Basis;

typedef struct Metric {
    const char *name;
    Basis basis;
    bool usual, lower_is_better;
    const char *call;    /* the beginning of the call of the aggregate; of densities and distances the value of which it is the mean */
    const char *options; /* NULL: it takes none */
    bool by_rows;        /* cross_validate does not have it */
} Metric;

/* Probabilities and classes, and 0 for a class that the model has not seen. */
#define OF_ALL_CLASSES \
    "CASE WHEN known OR q IS NULL THEN q ELSE q OPERATOR(pg_catalog.||) 0::pg_catalog.float8 END, CASE WHEN known THEN k ELSE k OPERATOR(pg_catalog.||) l END"

static const Metric metrics[] = {
    {"rmse", OF_NUMBERS, true, true, "rmse(y, p", NULL},
    {"mae", OF_NUMBERS, true, true, "mae(y, p", NULL},
    {"r_squared", OF_NUMBERS, true, false, "r_squared(y, p", NULL},
    {"mse", OF_NUMBERS, false, true, "mse(y, p", NULL},
    {"rmse", OF_ARRAYS, true, true, "rmse(y, p", NULL}, /* the means over several targets */
    {"mae", OF_ARRAYS, true, true, "mae(y, p", NULL},
    {"r_squared", OF_ARRAYS, true, false, "r_squared(y, p", NULL},
    {"mse", OF_ARRAYS, false, true, "mse(y, p", NULL},
    {"accuracy", OF_CLASSES, true, false, "accuracy(y, p", NULL},
    {"balanced_accuracy", OF_CLASSES, true, false, "balanced_accuracy(y, p", NULL},
    {"log_loss", OF_PROBABILITIES, true, true, "log_loss(y, " OF_ALL_CLASSES, "{}"},
    {"brier_score", OF_PROBABILITIES, false, true, "brier_score(y, " OF_ALL_CLASSES, NULL},
    {"f1_macro", OF_CLASSES, false, false, "f1_score(y, p", "{\"average\": \"macro\"}"},
    {"f1_weighted", OF_CLASSES, false, false, "f1_score(y, p", "{\"average\": \"weighted\"}"},
    {"matthews_correlation", OF_CLASSES, false, false, "matthews_correlation(y, p", NULL},
    {"cohen_kappa", OF_CLASSES, false, false, "cohen_kappa(y, p", NULL},
    {"f1_score", OF_TWO_CLASSES, false, false, "f1_score(y, p", "{}"},
    {"precision_score", OF_TWO_CLASSES, false, false, "precision_score(y, p", "{}"},
    {"recall_score", OF_TWO_CLASSES, false, false, "recall_score(y, p", "{}"},
    {"roc_auc", OF_SCORES, false, false, "roc_auc(y, s", "{}"},
    {"average_precision", OF_SCORES, false, false, "average_precision(y, s", "{}"},
    {"concordance", OF_EVENTS, true, false, "concordance(y, ROW(e, p, t, g)", "{\"max_levels\": 1000000}"},
    {"log_likelihood", OF_DENSITIES, true, false, "p", NULL},
    {"inertia", OF_DISTANCES, true, true, "p OPERATOR(pg_catalog.*) p", NULL},
    {"mean_distance", OF_DISTANCES, true, true, "p", NULL, true},
    {"silhouette", OF_CLUSTERS, false, false, "silhouette(c, f", NULL, true},
    {"calinski_harabasz", OF_CLUSTERS, false, false, "calinski_harabasz(c, f", NULL, true},
    {"davies_bouldin", OF_CLUSTERS, false, true, "davies_bouldin(c, f", NULL, true},
};

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
    case OF_ARRAYS:
        return estimator_predicts_array(estimator);
    case OF_CLASSES:
    case OF_TWO_CLASSES:
        return estimator_classifies(estimator) && scoring->classify != NULL;
    case OF_PROBABILITIES:
        return estimator_classifies(estimator) && scoring->probabilities != NULL;
    case OF_SCORES:
        return estimator_classifies(estimator) && (scoring->decisions != NULL || scoring->probabilities != NULL);
    case OF_EVENTS:
        return estimator->task == TASK_SURVIVAL && scoring->predict != NULL;
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
                                  : errhint("Models of %s are not evaluated.", estimator->name)));
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

void evaluation_fail(const Estimator *estimator)
{
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("models of %s are not evaluated by folds", estimator->name),
                    errhint("Choose an estimator that predicts a target, or kmeans and gaussian_mixture.")));
}

/* Finds the place of a metric in a choice; count: it is not there. */
static int place_of(const EvaluationMetrics *choice, const char *name)
{
    int place = 0;

    while (place < choice->count && strcmp(name, evaluation_metric(choice, place)) != 0)
        place++;
    return place;
}

EvaluationMetrics evaluation_metrics_named(const FitQuery *query, Jsonb *names)
{
    EvaluationMetrics choice = {.query = query};
    const char *wrong = psprintf("must be the name of a metric, or an array of at most %d names", METRICS_MAX);
    int count = names == NULL || !JB_ROOT_IS_ARRAY(names) ? 0 : JB_ROOT_COUNT(names);

    if (names == NULL)
        choice = evaluation_metrics(query, NULL, true);
    if (names == NULL && choice.count > 0)
        return choice;
    if (names == NULL)
        evaluation_fail(query->estimator);
    for (int i = 0; i < count; i++) {
        JsonbValue *name = getIthJsonbValueFromContainer(&names->root, (uint32)i);
        EvaluationMetrics one;

        if (name->type != jbvString || count > METRICS_MAX)
            json_options_fail("metrics", wrong, NULL);
        one = evaluation_metrics(query, pnstrdup(name->val.string.val, name->val.string.len), true);
        if (place_of(&choice, evaluation_metric(&one, one.decides)) == choice.count)
            choice.metrics[choice.count++] = one.metrics[one.decides];
    }
    if (choice.count == 0)
        json_options_fail("metrics", wrong, NULL);
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
    return estimator_classifies(estimator_of(model)) ? dictionary_size(model, DICTIONARY_CLASSES) : 0;
}

/* Returns the model that scores: the last stage of a pipeline. */
static const Model *last_stage(const Model *model)
{
    return pipeline_last(host_env(), model);
}

bool evaluation_decides(const EvaluationMetrics *choice, const Model *model)
{
    model = last_stage(model);
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
    if (a->field_count != b->field_count || last_stage(a) != a || last_stage(b) != b) /* steps of preparation have units of their own rows */
        return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!same_field(a, b, i))
            return false;
    for (size_t i = 0; i < lengthof(units); i++)
        if (strcmp(model_option(a, units[i]), model_option(b, units[i])) != 0)
            return false;
    return true;
}

bool evaluation_shares_classes(const Model *a, const Model *b)
{
    uint32 count = dictionary_size(a, DICTIONARY_CLASSES), length;

    for (uint32 i = 0; i < count; i++) {
        const char *label = dictionary_text(a, DICTIONARY_CLASSES, i, &length);

        if (dictionary_find(b, DICTIONARY_CLASSES, 0, label, length, isinf(dictionary_key(a, DICTIONARY_CLASSES, i))) >= 0)
            return true;
    }
    return count == 0 || dictionary_size(b, DICTIONARY_CLASSES) == 0;
}

/* Returns the label of a class. */
static char *label_of_class(const Model *model, uint32 class)
{
    uint32_t length;
    const char *label = dictionary_text(model, DICTIONARY_CLASSES, class, &length);

    return pnstrdup(label, length);
}

char *evaluation_positive(const Model *model)
{
    const Model *last = last_stage(model);

    return class_count(last) == 2 ? label_of_class(last, class_rule_of(last).positive) : NULL;
}

/* Adds the call of an aggregate. A class that the model has not seen, of which there are rows, got probability 0. classes: those of the model. */
static void add_metric(StringInfo sql, const Metric *metric, bool weighted, uint32 classes, const char *positive)
{
    bool binary = metric->basis == OF_TWO_CLASSES || metric->basis == OF_SCORES;
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
    appendStringInfoString(sql, call.data);
    if (strcmp(metric->name, "brier_score") == 0) /* of two classes it is the score of one of them, as cross_validate has it */
        appendStringInfo(sql, " OPERATOR(pg_catalog./) CASE WHEN pg_catalog.count(DISTINCT l) FILTER (WHERE NOT known) OPERATOR(pg_catalog.+) %u OPERATOR(pg_catalog.=) 2 "
                         "THEN 2 ELSE 1 END", classes);
}

/* Adds the score of the positive class, which may be the negative one of this model, as column s. */
static void add_score(StringInfo sql, const Judged *judged, const Estimator *estimator, const char *alias)
{
    if (estimator->scoring->probabilities != NULL) {
        appendStringInfo(sql, ", (pgfit.probabilities($1, %s))[pg_catalog.array_position(pgfit.classes($1), %s)] AS s", alias,
                         quote_literal_cstr(judged->positive));
    } else {
        uint32 positive = class_rule_of(last_stage(judged->model)).positive;

        if (strcmp(judged->positive, label_of_class(last_stage(judged->model), positive)) == 0)
            appendStringInfo(sql, ", pgfit.decision($1, %s) AS s", alias);
        else if (strcmp(judged->positive, label_of_class(last_stage(judged->model), 1 - positive)) == 0)
            appendStringInfo(sql, ", OPERATOR(pg_catalog.-) pgfit.decision($1, %s) AS s", alias);
        else
            appendStringInfoString(sql, ", NULL::pg_catalog.float8 AS s");
    }
}

/* Adds what is known of a time beside the prediction, as options of the fit name it. */
static void add_event(StringInfo sql, const FitQuery *query)
{
    const Source *source = query->source;
    Jsonb *options = json_options_parse(query->options);
    char *event = json_options_string_or_null(options, "event"), *entry = json_options_string_or_null(options, "entry");
    char *stratum = json_options_string_or_null(options, "strata");

    if (event == NULL) /* the fit has failed already */
        return;
    appendStringInfo(sql, ", %s OPERATOR(pg_catalog.=) 1 AS e", source_number_sql(source, "event", source_column(source, "option \"event\"", event)));
    if (entry != NULL)
        appendStringInfo(sql, ", %s AS t", source_number_sql(source, "entry", source_column(source, "option \"entry\"", entry)));
    else
        appendStringInfoString(sql, ", (-1)::pg_catalog.float8 AS t"); /* no time is below 0 */
    if (stratum != NULL) {
        int column = source_column(source, "option \"strata\"", stratum);

        appendStringInfo(sql, ", %s AS g", source_text_sql(source_column_sql(source, column), TupleDescAttr(source->columns, column)->atttypid));
    } else {
        appendStringInfoString(sql, ", ''::pg_catalog.text AS g");
    }
}

/* Returns the query of the metrics of model $1; their columns are in the order of the choice. */
static char *supervised_sql(const EvaluationMetrics *choice, const Judged *judged)
{
    const FitQuery *query = choice->query;
    const Estimator *estimator = estimator_of(last_stage(judged->model));
    bool weighted = query->weight >= 0, events = query->estimator->task == TASK_SURVIVAL, numbers = events || query->estimator->task == TASK_REGRESSION;
    const char *alias = query->source->alias;
    bool arrays = estimator_predicts_array(query->estimator);
    const char *score = arrays ? "transform" : numbers ? "predict" : "classify";
    const char *target = arrays    ? source_numbers_sql(query->source, "target", query->target)
                         : numbers ? source_number_sql(query->source, "target", query->target)
                                   : source_column_sql(query->source, query->target);
    const char *label = numbers ? NULL : source_label_sql(target, TupleDescAttr(query->source->columns, query->target)->atttypid);
    uint32 classes = class_count(last_stage(judged->model));
    bool binary = judged->positive != NULL && classes == 2;
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT pg_catalog.count(*) FILTER (WHERE p IS NOT NULL AND y IS NOT NULL), pg_catalog.count(y)");
    for (int i = 0; i < choice->count; i++) {
        appendStringInfoString(&sql, ",\n    ");
        if (applies_to_model(&metrics[choice->metrics[i]], estimator, binary ? 2 : 0))
            add_metric(&sql, &metrics[choice->metrics[i]], weighted, classes, judged->positive);
        else
            appendStringInfoString(&sql, "NULL::pg_catalog.float8");
    }
    appendStringInfo(&sql, "\nFROM (SELECT %s AS y, pgfit.%s($1, %s) AS p", target, score, alias);
    if (!numbers && estimator->scoring->probabilities != NULL)
        appendStringInfo(&sql, ", pgfit.probabilities($1, %s) AS q, pgfit.classes($1) AS k, %s AS l,\n        %s OPERATOR(pg_catalog.=) ANY (pgfit.classes($1)) AS known",
                         alias, label, label);
    if (events)
        add_event(&sql, query);
    if (!numbers && binary)
        add_score(&sql, judged, estimator, alias);
    if (judged->also != NULL)
        appendStringInfo(&sql, ", pgfit.%s($2, %s) IS NOT NULL AS also", score, alias);
    if (weighted)
        appendStringInfo(&sql, ", %s AS w", source_column_sql(query->source, query->weight));
    /* OFFSET 0: each row is scored once, not once per metric */
    appendStringInfo(&sql, "%s\n    OFFSET 0) AS scored%s", source_rows_sql(query->source, "\n    ", judged->condition), judged->also != NULL ? "\nWHERE also" : "");
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
    const Estimator *estimator = estimator_of(last_stage(judged->model));
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
        appendStringInfo(&sql, ", pgfit.%s($2, %s) IS NOT NULL AS also", score_without_target(estimator_of(last_stage(judged->also))), alias);
    if (weighted)
        appendStringInfo(&sql, ", %s AS w", source_number_sql(query->source, "weight", query->weight));
    appendStringInfo(&sql, "%s\n    OFFSET 0) AS scored%s", source_rows_sql(query->source, "\n    ", judged->condition), judged->also != NULL ? "\nWHERE also" : "");
    return sql.data;
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

char *cross_validate_call(const FitQuery *query, const char *options, const char *condition)
{
    StringInfoData sql;

    initStringInfo(&sql);
    appendStringInfo(&sql, "pgfit.cross_validate(%s, %s, '%s', %s", query->target >= 0 ? source_column_sql(query->source, query->target) : "NULL",
                     query->source->alias, query->estimator->name, quote_literal_cstr(options));
    if (query->weight >= 0 || condition != NULL)
        appendStringInfo(&sql, ", %s", query->weight >= 0 ? source_column_sql(query->source, query->weight) : "1");
    if (condition != NULL)
        appendStringInfo(&sql, ", %s", condition);
    appendStringInfoChar(&sql, ')');
    return sql.data;
}

static void begin_folds(const EvaluationMetrics *choice, Evaluation *evaluation, uint64 most)
{
    for (int i = 0; i < choice->count; i++) {
        evaluation->values[i] = evaluation->errors[i] = NAN;
        evaluation->folds[i] = palloc(sizeof(double) * (most + 1));
        for (uint64 fold = 0; fold < most; fold++)
            evaluation->folds[i][fold] = NAN;
    }
}

static bool has_class(const Model *model, const char *label)
{
    const Model *last = last_stage(model);

    for (uint32 i = 0; i < class_count(last); i++)
        if (strcmp(label_of_class(last, i), label) == 0)
            return true;
    return class_count(last) == 0; /* no classifier */
}

/* Returns the positive class that the options of an evaluation name, or else this one. */
static const char *read_positive(Jsonb *options, const char *positive)
{
    static const char *const known[] = {"fold_column", "folds", "group_column", "positive", "seed", "stratified", "test_folds", "time_column"};

    (void)json_options_known(options, "an evaluation of fits with \"prepare\"", known, lengthof(known), "");
    return json_options_has(options, "positive") ? json_options_string(options, "positive") : positive;
}

/* Returns the condition of the rows that are fitted while a fold is held out, or of those in it. */
static char *fold_condition(const FoldPlaces *folds, int i, bool held_out, const char *condition)
{
    const char *operator = held_out ? "=" : folds->expanding ? "<" : "<>";

    return both_conditions(psprintf("%s OPERATOR(pg_catalog.%s) %.0f", folds->place, operator, folds->held_out != NULL ? folds->held_out[i] : i + 1), condition);
}

/* Evaluates a pipeline: every step is refitted without each fold, so that none has seen the rows that judge it. */
static Evaluation evaluate_by_fits(const EvaluationMetrics *choice, Jsonb *options, const char *positive, const char *condition, const char *judged)
{
    bool found = !json_options_has(options, "positive");
    FoldPlaces folds;
    Evaluation evaluation = {.rows = 0};

    positive = read_positive(options, positive);
    folds = fold_places(choice->query, options, condition);
    begin_folds(choice, &evaluation, (uint64)folds.count);
    for (int fold = 0; fold < folds.count; fold++) {
        Model *model = fit_query_run(choice->query, fold_condition(&folds, fold, false, condition));
        Evaluation one;

        if (model == NULL) {
            evaluation.fold_count++;
            continue;
        }
        found = found || has_class(model, positive);
        one = evaluate_model(choice, &(Judged){.model = model, .positive = positive != NULL ? positive : evaluation_positive(model),
                                               .condition = fold_condition(&folds, fold, true, both_conditions(condition, judged))});
        if (one.rows == 0)
            continue; /* as in cross_validate */
        for (int i = 0; i < choice->count; i++)
            evaluation.folds[i][evaluation.fold_count] = one.values[i];
        evaluation.fold_count++;
        evaluation.rows += one.rows;
    }
    if (!found && evaluation.rows > 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("option \"positive\" names \"%s\", which is not a class of the rows", positive)));
    for (int i = 0; i < choice->count; i++)
        evaluation.values[i] = path_fold_mean(evaluation.folds[i], (uint32_t)evaluation.fold_count, &evaluation.errors[i]);
    return evaluation;
}

Evaluation evaluate_by_folds(const EvaluationMetrics *choice, Jsonb *folds, const char *positive, const char *condition, const char *judged)
{
    const FitQuery *query = choice->query;
    Evaluation evaluation = {.rows = 0};
    int counts[METRICS_MAX] = {0};

    if (query->steps != NIL)
        return evaluate_by_fits(choice, folds, positive, condition, judged);
    SPI_execute(psprintf("SELECT metric, value, std_error, rows, fold IS NULL\nFROM (SELECT (pg_catalog.unnest(%s)).*%s) AS folds",
                         cross_validate_call(query, folds_options(choice, folds, positive), judged), source_rows_sql(query->source, "\n      ", condition)),
                true, 0);
    begin_folds(choice, &evaluation, SPI_processed);
    for (uint64 row = 0; row < SPI_processed; row++) {
        int place = place_of(choice, SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1));

        if (place == choice->count)
            continue;
        if (SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 5)[0] == 'f') {
            evaluation.folds[place][counts[place]++] = result_number(row, 2);
            evaluation.fold_count = Max(evaluation.fold_count, counts[place]);
            continue;
        }
        evaluation.values[place] = result_number(row, 2);
        evaluation.errors[place] = result_number(row, 3);
        evaluation.rows = result_count(row, 4);
    }
    SPI_freetuptable(SPI_tuptable);
    return evaluation;
}

/* evaluate(estimator, source, formula, options) */
PG_FUNCTION_INFO_V1(pgfit_evaluate);
PGDLLEXPORT Datum pgfit_evaluate(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"estimator", "source", NULL, "options"};
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    SearchOptions options;
    EvaluationMetrics choice;
    Evaluation evaluation;
    const char *formula;
    Source *source;
    Jsonb *given;

    require_arguments(fcinfo, "evaluate", names, lengthof(names));
    formula = fit_formula_argument(fcinfo, 2, &given);
    options = evaluate_options(given);
    SPI_connect();
    source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    fit_leave_out_folds(source, options.folds, &formula, &options.fit);
    choice = evaluation_metrics_named(fit_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), source, formula, options.fit), options.metrics);
    evaluation = evaluate_by_folds(&choice, options.folds, NULL, NULL, NULL);
    for (int i = 0; i < choice.count; i++) {
        bool nulls[5] = {false};
        Datum values[] = {CStringGetTextDatum(evaluation_metric(&choice, i)), number_or_null(evaluation.values[i], &nulls[1]),
                          number_or_null(evaluation.errors[i], &nulls[2]), numbers_or_null(evaluation.folds[i], evaluation.fold_count, &nulls[3]),
                          Int64GetDatum(evaluation.rows)};

        tuplestore_putvalues(store, description, values, nulls);
    }
    SPI_finish();
    return (Datum)0;
}
