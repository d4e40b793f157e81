/*
 * class_metrics.c - metrics of classes and partitions, computed from a contingency table.
 *
 * Matthews correlation of several classes: Gorodkin (2004); kappa: Cohen (1960, 1968); F score: van Rijsbergen (1979); adjusted Rand index: Hubert &
 * Arabie (1985); normalized mutual information: Strehl & Ghosh (2002).
 */
#include "core/metrics/class_metrics.h"
#include "core/base/bytes.h"
#include "core/estimator/class_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const score_averages[] = {"binary", "macro", "micro", "weighted", NULL};
static const char *const kappa_weightings[] = {"linear", "quadratic", NULL};
static const char *const information_averages[] = {"arithmetic", "geometric", "min", "max", NULL};

const OptionSpec class_score_options[] = {
    {.name = "average",
     .types = OPTION_STRING,
     .fallback = "\"binary\"",
     .choices = score_averages,
     .help = "The score of the positive class (binary), or the mean over all classes (macro), over all rows (micro), or over classes by the weight of their rows (weighted)."},
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the last of two labels in their order",
     .help = "The label of the positive class."},
    {.name = NULL}};

const OptionSpec f_beta_options[] = {
    {.name = "beta",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO,
     .help = "How much more recall counts than precision: 2 favors recall, 0.5 precision."},
    {.name = NULL}};

const OptionSpec weighted_kappa_options[] = {
    {.name = "weighting",
     .types = OPTION_STRING,
     .fallback = "\"linear\"",
     .choices = kappa_weightings,
     .help = "How much two labels disagree: by the number of places between them in their order (linear), or by its square (quadratic)."},
    {.name = NULL}};

const OptionSpec mutual_information_options[] = {
    {.name = "average_method",
     .formerly = "average",
     .types = OPTION_STRING,
     .fallback = "\"arithmetic\"",
     .choices = information_averages,
     .help = "The mean of the two entropies that the mutual information is divided by."},
    {.name = NULL}};

/* ---- precision, recall, F1 ---- */

/* Sets *result and returns true; fails if the value has overflowed. */
static bool give(const ConfusionTable *table, double value, double *result)
{
    if (!isfinite(value))
        env_fail(table->env, ERROR_RANGE, NULL, "value out of range: overflow");
    *result = value;
    return true;
}

/* A score and the share of recall in its denominator: 1/2 for F1, b^2 / (1 + b^2) for option "beta" b. */
typedef struct ScoreKind {
    ClassScore score;
    double recall_share;
} ScoreKind;

static ScoreKind score_kind(ClassScore score, const Options *options)
{
    double beta = score == SCORE_F_BETA ? options_number(options, "beta") : 1;

    return (ScoreKind){score, beta < 1 ? beta * beta / (1 + beta * beta) : 1 / (1 + 1 / beta / beta)};
}

/* Sets the numerator and the denominator of one class's score. */
static void class_fraction(const ConfusionTable *table, ScoreKind kind, uint32_t k, double *part, double *whole)
{
    *part = table->right[k];
    if (kind.score == SCORE_PRECISION)
        *whole = table->predicted[k];
    else if (kind.score == SCORE_RECALL)
        *whole = table->actual[k];
    else
        *whole = table->predicted[k] * (1 - kind.recall_share) + table->actual[k] * kind.recall_share;
}

/*
 * Returns the position of the label that option "positive" names. Without it -1 where there is one label, which may be the negative
 * one; fails where there are more.
 */
static int64_t named_positive(const ConfusionTable *table, const Options *options)
{
    const char *label = options_type(options, "positive") == OPTION_STRING
                            ? options_string(options, "positive")
                            : options_value_json(options, "positive");

    for (uint32_t k = 0; k < table->count; k++)
        if (bytes_compare(table->labels[k], table->lengths[k], label, strlen(label)) == 0)
            return k;
    if (table->count >= 2)
        label_fail_missing(table->env, "positive", label, label_list(table->env, table->labels, table->lengths, table->count));
    return -1;
}

/* Tells whether the only label is positive: true, or a number above 0. Of text this is unknown. */
static bool only_label_is_positive(const ConfusionTable *table)
{
    char text[64];

    if (table->count != 1 || table->lengths[0] == 0 || table->lengths[0] >= sizeof(text))
        return false;
    memcpy(text, table->labels[0], table->lengths[0]);
    text[table->lengths[0]] = 0;
    return strcmp(text, "true") == 0 || strtod(text, NULL) > 0;
}

static bool binary_score(const ConfusionTable *table, ScoreKind kind, const Options *options, double *result)
{
    int64_t positive;
    double part, whole;

    if (options_type(options, "positive") != 0) {
        positive = named_positive(table, options);
    } else {
        if (table->count > 2)
            env_fail(table->env, ERROR_DATA,
                     "Set '{\"average\": \"macro\"}', micro or weighted, or name the positive class: '{\"positive\": \"label\"}'.",
                     "a binary score needs two classes, but there are %u labels: %s", table->count,
                     label_list(table->env, table->labels, table->lengths, table->count));
        positive = table->count == 2 || only_label_is_positive(table) ? (int64_t)table->count - 1 : -1;
    }
    if (positive < 0)
        return false;
    class_fraction(table, kind, (uint32_t)positive, &part, &whole);
    return whole > 0 ? give(table, part / whole, result) : false;
}

static double micro_score(const ConfusionTable *table)
{
    double right = 0;

    for (uint32_t k = 0; k < table->count; k++)
        right += table->right[k];
    return right / table->total; /* every row is a prediction and a label: precision, recall and F1 agree */
}

bool class_score(const ConfusionTable *table, ClassScore score, const Options *options, double *result)
{
    bool weighted = options_is(options, "average", "weighted");
    ScoreKind kind = score_kind(score, options);
    double sum = 0;

    if (table->total == 0)
        return false;
    if (options_is(options, "average", "binary"))
        return binary_score(table, kind, options, result);
    if (options_is(options, "average", "micro"))
        return give(table, micro_score(table), result);
    for (uint32_t k = 0; k < table->count; k++) {
        double part, whole;

        class_fraction(table, kind, k, &part, &whole);
        if (whole > 0)
            sum += part / whole * (weighted ? table->actual[k] / table->total : 1);
    }
    return give(table, weighted ? sum : sum / table->count, result);
}

bool class_balanced_accuracy(const ConfusionTable *table, double *result)
{
    double sum = 0;
    uint32_t classes = 0;

    for (uint32_t k = 0; k < table->count; k++)
        if (table->actual[k] > 0) {
            sum += table->right[k] / table->actual[k];
            classes++;
        }
    return classes > 0 ? give(table, sum / classes, result) : false;
}

/* ---- agreement ---- */

/* Shares: on the diagonal, expected on it by chance, and the sums of squares of both sides. */
typedef struct Agreement {
    double observed, chance, actual_squares, predicted_squares;
} Agreement;

static Agreement agreement_of(const ConfusionTable *table)
{
    Agreement a = {0, 0, 0, 0};

    for (uint32_t k = 0; k < table->count; k++) {
        double actual = table->actual[k] / table->total, predicted = table->predicted[k] / table->total;

        a.observed += table->right[k] / table->total;
        a.chance += actual * predicted;
        a.actual_squares += actual * actual;
        a.predicted_squares += predicted * predicted;
    }
    return a;
}

/* Returns the number of labels with rows on one side. */
static uint32_t used(const double *weights, uint32_t count)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < count; k++)
        n += weights[k] > 0;
    return n;
}

bool class_matthews(const ConfusionTable *table, double *result)
{
    Agreement a;
    double spread;

    if (used(table->actual, table->count) < 2 || used(table->predicted, table->count) < 2)
        return false;
    a = agreement_of(table);
    spread = sqrt(fmax(0, 1 - a.actual_squares)) * sqrt(fmax(0, 1 - a.predicted_squares));
    return spread > 0 ? give(table, (a.observed - a.chance) / spread, result) : false;
}

bool class_kappa(const ConfusionTable *table, double *result)
{
    Agreement a;

    if (table->count < 2) /* one label on both sides, or no row */
        return false;
    a = agreement_of(table);
    return a.chance < 1 ? give(table, (a.observed - a.chance) / (1 - a.chance), result) : false;
}

/* Returns the mean disagreement of the rows. */
static double observed_disagreement(const ConfusionTable *table, bool squared)
{
    double sum = 0;

    for (uint64_t i = 0; i < table->cell_count; i++) {
        double distance = fabs((double)table->cells[i].actual - table->cells[i].predicted);

        sum += table->cells[i].weight / table->total * (squared ? distance * distance : distance);
    }
    return sum;
}

/*
 * Returns the mean disagreement if predictions were drawn by chance: by sums over the labels, not over pairs. Of the distance, a pair has
 * one for each step in the order that it is on both sides of; of its square, E (i - j)^2 = E i^2 + E j^2 - 2 E i E j.
 */
static double chance_disagreement(const ConfusionTable *table, bool squared)
{
    double distance = 0, below = 0, predicted_below = 0, squares = 0, mean = 0, predicted_mean = 0;

    for (uint32_t k = 0; k < table->count; k++) {
        double actual = table->actual[k] / table->total, predicted = table->predicted[k] / table->total;
        double place = k - table->count / 2.0;

        distance += below * (1 - predicted_below) + predicted_below * (1 - below);
        below += actual;
        predicted_below += predicted;
        squares += (actual + predicted) * place * place;
        mean += actual * place;
        predicted_mean += predicted * place;
    }
    return squared ? squares - 2 * mean * predicted_mean : distance;
}

bool class_weighted_kappa(const ConfusionTable *table, const Options *options, double *result)
{
    bool squared = options_is(options, "weighting", "quadratic");
    double chance;

    if (table->count < 2)
        return false;
    chance = chance_disagreement(table, squared);
    return chance > 0 ? give(table, 1 - observed_disagreement(table, squared) / chance, result) : false;
}

/* ---- partitions ---- */

static double pairs(double n)
{
    return n * (n - 1) / 2;
}

bool class_adjusted_rand(const ConfusionTable *table, double *result)
{
    double together = 0, actual = 0, predicted = 0, all = pairs(table->total), expected, most;

    if (table->total == 0)
        return false;
    for (uint64_t i = 0; i < table->cell_count; i++)
        together += pairs(table->cells[i].weight);
    for (uint32_t k = 0; k < table->count; k++) {
        actual += table->actual[k] > 0 ? pairs(table->actual[k]) : 0;
        predicted += table->predicted[k] > 0 ? pairs(table->predicted[k]) : 0;
    }
    if (together == actual && together == predicted) /* equal partitions, even into one block or single rows */
        return give(table, 1, result);
    expected = actual / all * predicted;
    most = actual / 2 + predicted / 2;
    return give(table, (together - expected) / (most - expected), result);
}

static double entropy(const double *weights, uint32_t count, double total)
{
    double sum = 0;

    for (uint32_t k = 0; k < count; k++)
        if (weights[k] > 0)
            sum -= weights[k] / total * log(weights[k] / total);
    return sum;
}

bool class_mutual_information(const ConfusionTable *table, const Options *options, double *result)
{
    double actual, predicted, information = 0, mean;

    if (table->total == 0)
        return false;
    if (used(table->actual, table->count) == 1 && used(table->predicted, table->count) == 1)
        return give(table, 1, result); /* both partitions have one block, so they are equal */
    actual = entropy(table->actual, table->count, table->total);
    predicted = entropy(table->predicted, table->count, table->total);
    for (uint64_t i = 0; i < table->cell_count; i++) {
        const ContingencyCell *cell = &table->cells[i];

        information += cell->weight / table->total *
                       (log(cell->weight / table->actual[cell->actual]) -
                        log(table->predicted[cell->predicted] / table->total));
    }
    if (options_is(options, "average_method", "geometric"))
        mean = sqrt(actual) * sqrt(predicted);
    else if (options_is(options, "average_method", "min"))
        mean = fmin(actual, predicted);
    else if (options_is(options, "average_method", "max"))
        mean = fmax(actual, predicted);
    else
        mean = actual / 2 + predicted / 2;
    if (mean == 0)
        return give(table, 0, result); /* a partition into one block carries no information */
    return give(table, fmin(1, fmax(0, information) / mean), result);
}
