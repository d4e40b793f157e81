/*
 * fold_metrics.c - metrics of held-out rows: which there are, which apply, and their sums over a fold.
 */
#include "core/validation/fold_metrics.h"

#include "core/base/json.h"
#include "core/base/text_buffer.h"
#include "core/estimator/class_options.h"
#include "core/estimator/classifier_output.h"
#include "core/metrics/class_metrics.h"
#include "core/metrics/loss.h"
#include "core/metrics/ranking_metrics.h"
#include "core/metrics/weighted_mean.h"
#include "core/metrics/regression_metrics.h"
#include "core/survival/concordance.h"

#include <math.h>
#include <string.h>

/* What a metric is computed from. */
typedef enum MetricBasis {
    FROM_NUMBERS,
    FROM_HITS,          /* the share of rows predicted correctly */
    FROM_TABLE,         /* the contingency table */
    FROM_CLASS_SCORE,   /* the same, by a score of classes */
    FROM_PROBABILITIES,
    FROM_RANKS,
    FROM_DENSITIES,
    FROM_DISTANCES,
    FROM_EVENTS
} MetricBasis;

typedef struct FoldMetric {
    const char *name;
    MetricBasis basis;
    bool usual;          /* computed if the user names none */
    bool lower_is_better;
    bool binary;         /* needs a positive class */
    ClassScore score;    /* of FROM_CLASS_SCORE, with its average */
    const char *average;
    RegressionMetric number; /* of several targets their mean */
    bool (*table)(const ConfusionTable *table, double *result);
    double (*area)(Env *env, Rows *rows, double positive);
    MeanLoss loss;
} FoldMetric;

static const FoldMetric metrics[] = {
    {.name = "rmse", .lower_is_better = true, .basis = FROM_NUMBERS, .usual = true, .number = metrics_rmse},
    {.name = "mae", .lower_is_better = true, .basis = FROM_NUMBERS, .usual = true, .number = metrics_mae},
    {.name = "r_squared", .basis = FROM_NUMBERS, .usual = true, .number = metrics_r_squared},
    {.name = "mse", .lower_is_better = true, .basis = FROM_NUMBERS, .number = metrics_mse},
    {.name = "accuracy", .basis = FROM_HITS, .usual = true},
    {.name = "balanced_accuracy", .basis = FROM_TABLE, .usual = true, .table = class_balanced_accuracy},
    {.name = "log_loss", .lower_is_better = true, .basis = FROM_PROBABILITIES, .usual = true, .loss = MEAN_LOG},
    {.name = "brier_score", .lower_is_better = true, .basis = FROM_PROBABILITIES, .loss = MEAN_BRIER},
    {.name = "roc_auc", .basis = FROM_RANKS, .binary = true, .area = ranking_auc},
    {.name = "average_precision", .basis = FROM_RANKS, .binary = true, .area = ranking_average_precision},
    {.name = "f1_score", .basis = FROM_CLASS_SCORE, .binary = true, .score = SCORE_F1, .average = "binary"},
    {.name = "f1_macro", .basis = FROM_CLASS_SCORE, .score = SCORE_F1, .average = "macro"},
    {.name = "f1_micro", .basis = FROM_CLASS_SCORE, .score = SCORE_F1, .average = "micro"},
    {.name = "f1_weighted", .basis = FROM_CLASS_SCORE, .score = SCORE_F1, .average = "weighted"},
    {.name = "precision_score", .basis = FROM_CLASS_SCORE, .binary = true, .score = SCORE_PRECISION, .average = "binary"},
    {.name = "precision_macro", .basis = FROM_CLASS_SCORE, .score = SCORE_PRECISION, .average = "macro"},
    {.name = "precision_micro", .basis = FROM_CLASS_SCORE, .score = SCORE_PRECISION, .average = "micro"},
    {.name = "precision_weighted", .basis = FROM_CLASS_SCORE, .score = SCORE_PRECISION, .average = "weighted"},
    {.name = "recall_score", .basis = FROM_CLASS_SCORE, .binary = true, .score = SCORE_RECALL, .average = "binary"},
    {.name = "recall_macro", .basis = FROM_CLASS_SCORE, .score = SCORE_RECALL, .average = "macro"},
    {.name = "recall_micro", .basis = FROM_CLASS_SCORE, .score = SCORE_RECALL, .average = "micro"},
    {.name = "recall_weighted", .basis = FROM_CLASS_SCORE, .score = SCORE_RECALL, .average = "weighted"},
    {.name = "matthews_correlation", .basis = FROM_TABLE, .table = class_matthews},
    {.name = "cohen_kappa", .basis = FROM_TABLE, .table = class_kappa},
    {.name = "log_likelihood", .basis = FROM_DENSITIES, .usual = true},
    {.name = "inertia", .lower_is_better = true, .basis = FROM_DISTANCES, .usual = true},
    {.name = "concordance", .basis = FROM_EVENTS, .usual = true}};
#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

/* ---- which metrics ---- */

/* Tells whether the method gives what a metric is computed from. */
static bool applies(const Estimator *estimator, const FoldMetric *metric)
{
    const Scoring *scoring = estimator->scoring;

    switch (metric->basis) {
    case FROM_NUMBERS:
        return estimator->supervised && estimator->task == TASK_REGRESSION && (scoring->predict != NULL || estimator_predicts_array(estimator));
    case FROM_HITS:
    case FROM_TABLE:
    case FROM_CLASS_SCORE:
        return estimator_classifies(estimator) && scoring->classify != NULL;
    case FROM_PROBABILITIES:
        return estimator_classifies(estimator) && scoring->probabilities != NULL;
    case FROM_RANKS:
        return estimator_classifies(estimator) && (scoring->decisions != NULL || scoring->probabilities != NULL);
    case FROM_DENSITIES:
        return !estimator->supervised && !estimator->identified && scoring->log_density != NULL;
    case FROM_DISTANCES:
        return !estimator->supervised && !estimator->identified && strcmp(estimator->name, "kmeans") == 0;
    case FROM_EVENTS:
        return estimator->task == TASK_SURVIVAL && scoring->predict != NULL;
    }
    return false;
}

static char *applying_names(Env *env, const Estimator *estimator)
{
    TextBuffer names = {.env = env};

    for (size_t i = 0; i < METRICS; i++)
        if (applies(estimator, &metrics[i]))
            text_print(&names, "%s%s", names.length == 0 ? "" : ", ", metrics[i].name);
    return text_finish(&names, NULL);
}

static void __attribute__((noreturn)) fail_metric(Env *env, const Estimator *estimator, const char *name)
{
    const FoldMetric *known = NULL;
    const char *hint, *near, *names[METRICS];
    uint32_t count = 0;
    TextBuffer text = {.env = env};

    for (size_t i = 0; i < METRICS; i++) {
        if (strcmp(metrics[i].name, name) == 0)
            known = &metrics[i];
        if (applies(estimator, &metrics[i]))
            names[count++] = metrics[i].name;
    }
    near = known == NULL ? nearest_method(name, strlen(name), names, count) : NULL;
    if (near != NULL)
        text_print(&text, "Did you mean \"%s\"? ", near);
    text_print(&text, "Metrics of %s are %s.", estimator->name, applying_names(env, estimator));
    hint = text_finish(&text, NULL);
    if (known != NULL && known->basis == FROM_PROBABILITIES && estimator->task == TASK_CLASSIFICATION)
        env_fail(env, ERROR_PARAMETER, hint, "metric \"%s\" needs probabilities, and %s has none", name, estimator->name);
    env_fail(env, ERROR_PARAMETER, hint, known != NULL ? "metric \"%.60s\" does not apply to %s" : "there is no metric \"%.60s\" for %s",
             name, estimator->name);
}

static void plan_add(MetricPlan *plan, const char **names, uint32_t i)
{
    const FoldMetric *metric = &metrics[i];

    for (uint32_t m = 0; m < plan->count; m++)
        if (plan->metrics[m] == i)
            return;
    plan->numbers = plan->numbers || (metric->basis == FROM_NUMBERS && !estimator_predicts_array(plan->estimator));
    plan->arrays = plan->arrays || (metric->basis == FROM_NUMBERS && estimator_predicts_array(plan->estimator));
    plan->labels = plan->labels || metric->basis == FROM_HITS || metric->basis == FROM_TABLE || metric->basis == FROM_CLASS_SCORE;
    plan->probabilities = plan->probabilities || metric->basis == FROM_PROBABILITIES;
    plan->ranks = plan->ranks || metric->basis == FROM_RANKS;
    plan->densities = plan->densities || metric->basis == FROM_DENSITIES;
    plan->distances = plan->distances || metric->basis == FROM_DISTANCES;
    plan->events = plan->events || metric->basis == FROM_EVENTS;
    names[plan->count] = metric->name;
    plan->metrics[plan->count++] = i;
}

/* Finds the positive class: the one that option positive names, or the last of two. */
static uint32_t find_positive(Env *env, const Options *options, const Model *schema)
{
    ClassSet classes;

    if (dictionary_size(schema, DICTIONARY_CLASSES) == 0)
        return CLASS_NONE;
    classes = class_set(env, schema);
    if (options_type(options, "positive") == 0)
        return classes.count == 2 ? classes.order[1] : CLASS_NONE;
    return classes.order[class_of_option(&classes, options, "positive")];
}

static void require_binary(Env *env, const MetricPlan *plan)
{
    for (uint32_t m = 0; m < plan->count; m++) {
        const FoldMetric *metric = &metrics[plan->metrics[m]];

        if (metric->binary && plan->positive == CLASS_NONE)
            env_fail(env, ERROR_PARAMETER,
                     metric->basis == FROM_RANKS ? "Name the positive class: \"positive\"; all others are then negative."
                                                 : "Name the positive class, \"positive\", or choose an average over classes, such as f1_macro.",
                     "metric \"%s\" needs two classes, but there are %u", metric->name, plan->classes);
    }
}

bool metric_any(const Estimator *estimator)
{
    for (uint32_t i = 0; i < METRICS && estimator->scoring != NULL; i++)
        if (applies(estimator, &metrics[i]))
            return true;
    return false;
}

MetricPlan metric_plan(Env *env, const Estimator *estimator, const Options *options, const Model *schema)
{
    MetricPlan plan = {.estimator = estimator, .schema = schema, .positive = CLASS_NONE, .clip = options_number(options, "min_probability")};
    const char **names = env_array(env, METRICS, sizeof *names);
    uint32_t count, found;
    const char *const *given = options_strings(options, "metrics", &count);

    plan.metrics = env_array(env, METRICS, sizeof *plan.metrics);
    plan.names = names;
    if (!metric_any(estimator))
        env_fail(env, ERROR_KIND, "Metrics compare predictions of rows that were held out: use a regression, a classifier, cox_regression, kmeans or gaussian_mixture.",
                 "cross_validate has no metric for %s", estimator->name);
    for (uint32_t i = 0; i < METRICS && count == 0; i++)
        if (metrics[i].usual && applies(estimator, &metrics[i]))
            plan_add(&plan, names, i);
    for (uint32_t g = 0; g < count; g++) {
        for (found = 0; found < METRICS && strcmp(metrics[found].name, given[g]) != 0; found++)
            ;
        if (found == METRICS || !applies(estimator, &metrics[found]))
            fail_metric(env, estimator, given[g]);
        plan_add(&plan, names, found);
    }
    if (schema != NULL) {
        plan.classes = dictionary_size(schema, DICTIONARY_CLASSES);
        plan.positive = find_positive(env, options, schema);
        require_binary(env, &plan);
    }
    return plan;
}

bool metric_lower_is_better(const MetricPlan *plan, uint32_t m)
{
    return metrics[plan->metrics[m]].lower_is_better;
}

/* ---- one row ---- */

RowJudge row_judge(Env *env, const MetricPlan *plan, const Model *model, const void *prepared)
{
    const Scoring *scoring = plan->estimator->scoring;
    RowJudge judge = {.plan = plan, .model = model, .prepared = prepared, .classes = dictionary_size(model, DICTIONARY_CLASSES), .positive = CLASS_NONE, .outputs = 1};
    uint32_t width = scoring->width != NULL && ((scoring->decisions != NULL && plan->ranks) || plan->arrays) ? scoring->width(model) : 0, length;

    judge.places = env_array(env, (size_t)judge.classes + 1, sizeof(uint32_t));
    judge.scores = env_array(env, (size_t)width + 1, sizeof(double));
    if (plan->arrays)
        judge.outputs = width;
    judge.probabilities = env_array(env, (size_t)judge.classes + 1, sizeof(double));
    for (uint32_t c = 0; c < judge.classes; c++) {
        const char *text = dictionary_text(model, DICTIONARY_CLASSES, c, &length);

        judge.places[c] = (uint32_t)dictionary_find(plan->schema, DICTIONARY_CLASSES, 0, text, length, false);
        if (judge.places[c] == plan->positive)
            judge.positive = c;
    }
    return judge;
}

/* Returns the score that ranks rows: larger for the positive class. */
static double rank_score(Env *env, const RowJudge *judge, const double *slots, double offset)
{
    const Scoring *scoring = judge->plan->estimator->scoring;
    uint32_t width = scoring->decisions != NULL && scoring->width != NULL ? scoring->width(judge->model) : 0;

    if (judge->positive == CLASS_NONE) /* the model knows no such class */
        return -INFINITY;
    if (judge->classes == 2 && (width == 1 || (width == 2 && scoring->decision != NULL))) { /* signed */
        scoring_write_scores(scoring, judge->model, judge->prepared, slots, judge->scores);
        return class_rule_of(judge->model).positive == judge->positive ? judge->scores[0] : -judge->scores[0];
    }
    if (scoring->probabilities != NULL) {
        classifier_output_probabilities(scoring, judge->model, judge->prepared, slots, offset, judge->probabilities);
        return judge->probabilities[judge->positive];
    }
    if (width != judge->classes)
        env_fail(env, ERROR_PARAMETER, "Choose metrics of predicted classes, such as f1_macro.",
                 "%s has no score for each of its %u classes, so its rows cannot be ranked", judge->plan->estimator->name, judge->classes);
    scoring->decisions(judge->model, judge->prepared, slots, judge->scores);
    return judge->scores[judge->positive];
}

bool row_judge_score(Env *env, const RowJudge *judge, const double *slots, double offset, RowVerdict *verdict)
{
    const MetricPlan *plan = judge->plan;
    const Scoring *scoring = plan->estimator->scoring;
    const Model *model = judge->model;

    *verdict = (RowVerdict){.class = CLASS_NONE, .probabilities = judge->probabilities, .array = judge->scores};
    if (plan->numbers || plan->events)
        verdict->number = scoring_predict(scoring, model, judge->prepared, slots, offset);
    if (plan->arrays)
        scoring->transform(model, judge->prepared, slots, judge->scores);
    if (plan->densities)
        verdict->number = scoring->log_density(model, judge->prepared, slots);
    if (plan->distances)
        verdict->number = scoring->distance(model, judge->prepared, slots);
    if (isnan(verdict->number) && scoring->partial)
        return false;
    if (plan->ranks)
        verdict->score = rank_score(env, judge, slots, offset);
    if (plan->labels)
        verdict->class = classifier_output_classify(scoring, model, judge->prepared, slots, offset, judge->probabilities);
    if (plan->probabilities) {
        classifier_output_probabilities(scoring, model, judge->prepared, slots, offset, judge->probabilities);
        if (scoring->partial && isnan(judge->probabilities[0]))
            return false;
    }
    if (scoring->partial && plan->labels && verdict->class == CLASS_NONE && !plan->probabilities && !plan->ranks)
        return false;
    return !(isnan(verdict->score) && scoring->partial);
}

/* ---- one fold ---- */

struct FoldTally {
    Env *env;
    const MetricPlan *plan;
    const uint32_t *places; /* of the model's classes among all */
    uint32_t classes;       /* of the model */
    bool keyed;             /* labels sort by their keys */
    uint32_t outputs;
    RegressionMetrics *numbers; /* [outputs] */
    WeightedMean hits;
    Contingency *table;
    MeanLossState means[MEAN_BRIER + 1]; /* by MeanLoss */
    MeanLossState plain;                 /* of densities or squared distances */
    Rows *ranks;
    Rows *events; /* concordance_rows */
    bool ranked[2];                      /* rows of the negative, of the positive class */
    uint64_t rows;
};

static Rows *rank_rows(Env *env, RowsPool *pool)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "roc_auc");
    SchemaSpec spec = {.field_count = 1};

    schema_add(env, builder, &spec);
    return rows_new(pool, model_build(builder), ROWS_TARGET | ROWS_WEIGHT);
}

FoldTally *fold_tally(Env *env, const RowJudge *judge, RowsPool *pool)
{
    FoldTally *tally = env_array(env, 1, sizeof *tally);
    const MetricPlan *plan = judge->plan;

    tally->env = env;
    tally->plan = plan;
    tally->places = judge->places;
    tally->classes = judge->classes;
    tally->outputs = judge->outputs;
    tally->numbers = env_array(env, (size_t)judge->outputs + 1, sizeof *tally->numbers);
    tally->keyed = plan->classes > 0 && class_keys_are_values(plan->schema);
    if (plan->labels)
        tally->table = contingency_new(env);
    for (int loss = MEAN_LOG; loss <= MEAN_BRIER; loss++)
        mean_loss_begin(env, &tally->means[loss], (MeanLoss)loss, true, NULL);
    mean_loss_begin(env, &tally->plain, MEAN_BRIER, true, NULL);
    if (plan->ranks)
        tally->ranks = rank_rows(env, pool);
    if (plan->events)
        tally->events = concordance_rows(env, pool);
    return tally;
}

static ContingencyLabel label_of(const FoldTally *tally, uint32_t place)
{
    ContingencyLabel label = {.has_key = tally->keyed};

    label.bytes = dictionary_text(tally->plan->schema, DICTIONARY_CLASSES, place, &label.length);
    label.key = dictionary_key(tally->plan->schema, DICTIONARY_CLASSES, place);
    return label;
}

/* Adds the losses of a row's probabilities; a class that the model has never seen has probability 0. */
static void add_losses(FoldTally *tally, uint32_t actual, const double *probabilities, double weight)
{
    double own = 0, squares = 0, brier;
    bool known = false;

    for (uint32_t c = 0; c < tally->classes; c++) {
        bool is_own = tally->places[c] == actual;
        double miss = probabilities[c] - is_own;

        if (is_own)
            own = probabilities[c];
        known = known || is_own;
        squares += miss * miss;
    }
    squares += !known;
    brier = tally->plan->classes == 2 ? (1 - own) * (1 - own) : squares;
    mean_loss_add_value(tally->env, &tally->means[MEAN_LOG], cross_entropy(fmax(own, tally->plan->clip)), weight);
    mean_loss_add_value(tally->env, &tally->means[MEAN_BRIER], brier, weight);
}

static void add_label(FoldTally *tally, uint32_t actual, uint32_t class, double weight)
{
    uint32_t predicted;

    if (class == CLASS_NONE)
        return;
    predicted = tally->places[class];
    weighted_mean_add(&tally->hits, predicted == actual, weight);
    contingency_add(tally->env, tally->table, label_of(tally, actual), label_of(tally, predicted), weight);
}

/* Adds the errors of several targets: the first is given, the others follow in the bytes of the row. */
static void add_array(FoldTally *tally, double actual, const RowVerdict *verdict, double weight)
{
    if (verdict->event_length != (tally->outputs - 1) * sizeof actual)
        env_fail(tally->env, ERROR_INTERNAL, NULL, "a row has %u bytes of further targets, and the model predicts %u", verdict->event_length, tally->outputs);
    for (uint32_t k = 0; k < tally->outputs; k++) {
        if (k > 0)
            memcpy(&actual, verdict->event + (k - 1) * sizeof actual, sizeof actual);
        metrics_add(tally->env, &tally->numbers[k], actual, verdict->array[k], weight);
    }
}

void fold_tally_add(FoldTally *tally, double actual, const RowVerdict *verdict, double weight)
{
    const MetricPlan *plan = tally->plan;
    Env *env = tally->env;

    tally->rows++;
    if (plan->numbers)
        metrics_add(env, tally->numbers, actual, verdict->number, weight);
    if (plan->arrays)
        add_array(tally, actual, verdict, weight);
    if (plan->densities)
        mean_loss_add_value(env, &tally->plain, verdict->number, weight);
    if (plan->distances)
        mean_loss_add_value(env, &tally->plain, verdict->number * verdict->number, weight);
    if (plan->labels)
        add_label(tally, (uint32_t)actual, verdict->class, weight);
    if (plan->probabilities)
        add_losses(tally, (uint32_t)actual, verdict->probabilities, weight);
    if (plan->ranks) {
        bool positive = (uint32_t)actual == plan->positive;

        tally->ranked[positive] = true;
        rows_append(tally->ranks, &verdict->score, positive, weight, NULL, 0);
    }
    if (plan->events)
        rows_append(tally->events, &verdict->number, actual, weight, verdict->event, verdict->event_length);
}

static bool score_classes(const FoldTally *tally, const FoldMetric *metric, const ConfusionTable *table, double *value)
{
    Env *env = tally->env;
    TextBuffer json = {.env = env};
    const Options *options;
    size_t length;
    char *text;

    text_print(&json, "{\"average\":\"%s\"", metric->average);
    if (metric->binary) {
        ContingencyLabel label = label_of(tally, tally->plan->positive);

        text_add(&json, ",\"positive\":");
        json_quote(&json, label.bytes, label.length);
    }
    text_character(&json, '}');
    text = text_finish(&json, &length);
    options = options_parse(env, metric->name, OPTION_TABLES(class_score_options), text, length, NULL, NULL, 0);
    return class_score(table, metric->score, options, value);
}

static bool metric_value(const FoldTally *tally, const FoldMetric *metric, const ConfusionTable *table, double *value)
{
    Env *env = tally->env;

    switch (metric->basis) {
    case FROM_NUMBERS:
        return metrics_average(env, metric->number, tally->numbers, tally->outputs, value);
    case FROM_HITS:
        return weighted_mean_result(env, &tally->hits, value);
    case FROM_TABLE:
        return metric->table(table, value);
    case FROM_CLASS_SCORE:
        return score_classes(tally, metric, table, value);
    case FROM_PROBABILITIES:
        return mean_loss_result(env, &tally->means[metric->loss], value);
    case FROM_RANKS:
        if (!tally->ranked[0] || !tally->ranked[1])
            return false;
        *value = metric->area(env, tally->ranks, 1);
        return true;
    case FROM_DENSITIES:
    case FROM_DISTANCES:
        return mean_loss_result(env, &tally->plain, value);
    case FROM_EVENTS:
        *value = concordance_of_rows(env, tally->events, &tally->plan->special);
        return !isnan(*value);
    }
    return false;
}

uint64_t fold_tally_end(FoldTally *tally, double *values)
{
    const MetricPlan *plan = tally->plan;
    const ConfusionTable *table = tally->table != NULL ? contingency_table(tally->env, tally->table) : NULL;

    for (uint32_t m = 0; m < plan->count; m++) {
        values[m] = NAN;
        if (tally->rows == 0 || !metric_value(tally, &metrics[plan->metrics[m]], table, &values[m]))
            values[m] = NAN;
    }
    fold_tally_free(tally);
    return tally->rows;
}

void fold_tally_free(FoldTally *tally)
{
    if (tally->ranks != NULL)
        rows_free(tally->ranks);
    if (tally->events != NULL)
        rows_free(tally->events);
    tally->ranks = tally->events = NULL;
}
