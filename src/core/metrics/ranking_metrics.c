/*
 * ranking_metrics.c - ROC and precision-recall curves, the areas under them and their confidence limits, operating points, gains and lifts,
 * the Kolmogorov-Smirnov statistic, calibration curves and their error.
 *
 * The area under the ROC curve is the statistic of Mann & Whitney (1947) over the number of pairs (Hanley &
 * McNeil 1982); the hull is that of Provost & Fawcett (2001), and lines of equal cost touch it at the
 * operating point.
 *
 * Partial area: McClish (1989). Limits: DeLong, DeLong & Clarke-Pearson (1988), from the shares of rows of the other class that each
 * row is ranked against correctly, in the order of the scores (Sun & Xu 2014).
 */
#include "core/metrics/ranking_metrics.h"
#include "core/estimator/class_options.h"
#include "core/metrics/loss.h"
#include "core/metrics/score_sort.h"
#include "core/estimator/shared_options.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

#define POINTS_FIRST 64

static const char *const points_choices[] = {"all", "hull", NULL};
static const char *const strategy_choices[] = {"uniform", "quantile", NULL};

static const OptionSpec own_roc_curve_options[] = {
    {.name = "points",
     .types = OPTION_STRING,
     .fallback = "\"all\"",
     .choices = points_choices,
     .help = "One point per distinct score, or only the corners of the convex hull."},
    {.name = NULL}};

static const OptionSpec own_operating_point_options[] = {
    {.name = "cost",
     .types = OPTION_OBJECT,
     .minimum = 0,
     .maximum = 1e100,
     .unset = "1 each",
     .help = "What a row of each kind of mistake costs, 1 if not named: {\"false_positive\": c, \"false_negative\": c}."},
    {.name = NULL}};

static const OptionSpec own_calibration_curve_options[] = {
    {.name = "bins",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = 100000,
     .help = "The number of bins; those without rows are left out."},
    {.name = "strategy",
     .types = OPTION_STRING,
     .fallback = "\"uniform\"",
     .choices = strategy_choices,
     .help = "Bins of equal width, or of about equal weight (equal probabilities stay together)."},
    {.name = NULL}};

const OptionSpec *const ranking_options[] = {options_common, positive_options, NULL};
const OptionSpec *const roc_curve_options[] = {options_common, positive_options, own_roc_curve_options, NULL};
const OptionSpec *const operating_point_options[] = {options_common, positive_options, own_operating_point_options, NULL};
const OptionSpec *const calibration_curve_options[] = {options_common, positive_options, own_calibration_curve_options, NULL};

RANKING(average_precision, ranking_options);
RANKING(roc_curve, roc_curve_options);
RANKING(precision_recall_curve, ranking_options);
RANKING(operating_point, operating_point_options);
RANKING(calibration_curve, calibration_curve_options);

/* ---- the positive class ---- */

bool ranking_positive(Env *env, Rows *rows, const Options *options, double *place)
{
    ClassSet classes = class_set(env, rows_schema(rows));

    if (options_type(options, "positive") == 0) {
        if (classes.count > 2)
            env_fail(env, ERROR_DATA, "Name the positive class: '{\"positive\": \"label\"}'; all others are then negative.",
                     "scores rank two classes, but the rows have %u: %s", classes.count, class_list(&classes));
        *place = classes.order[classes.count - 1];
        return classes.count == 2;
    }
    if (classes.count < 2)
        return false;
    *place = classes.order[class_of_option(&classes, options, "positive")];
    return true;
}

/* ---- areas ---- */

/* Returns a power of two that brings weights to a sum near 1, so that products of two neither overflow nor vanish. */
static double ranking_scale(Rows *rows)
{
    int exponent;

    frexp(rows_schema(rows)->weight, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

typedef struct Area {
    double scale;
    double positive, negative; /* so far, scaled */
    double area;
} Area;

static void auc_visit(void *context, const ScoreGroup *group)
{
    Area *area = context;
    double positive = group->positive * area->scale, negative = group->negative * area->scale;

    area->area += positive * (area->negative + negative / 2);
    area->positive += positive;
    area->negative += negative;
}

double ranking_auc(Env *env, Rows *rows, double positive)
{
    Area area = {.scale = ranking_scale(rows)};

    score_order(env, rows, positive, false, auc_visit, &area);
    return area.area / (area.positive * area.negative); /* one division, so that 21 of 25 pairs are 0.84 */
}

static void precision_visit(void *context, const ScoreGroup *group)
{
    Area *area = context;

    area->positive += group->positive * area->scale;
    area->negative += group->negative * area->scale;
    area->area += group->positive * area->scale * (area->positive / (area->positive + area->negative));
}

double ranking_average_precision(Env *env, Rows *rows, double positive)
{
    Area area = {.scale = ranking_scale(rows)};

    score_order(env, rows, positive, true, precision_visit, &area);
    return area.area / area.positive;
}

/* ---- curves ---- */

typedef struct CurveMaker {
    Env *env;
    RankingCurve *curve;
    uint64_t capacity;
    bool hull_only;
} CurveMaker;

/* Returns whether b lies on or below the line from a to c. */
static bool is_below(const RankingPoint *a, const RankingPoint *b, const RankingPoint *c)
{
    return (b->true_positives - a->true_positives) * (c->false_positives - b->false_positives) <=
           (c->true_positives - b->true_positives) * (b->false_positives - a->false_positives);
}

static void curve_add(CurveMaker *maker, RankingPoint point)
{
    RankingCurve *curve = maker->curve;
    RankingPoint *points = curve->points;

    while (maker->hull_only && curve->count >= 2 &&
           is_below(&points[curve->count - 2], &points[curve->count - 1], &point))
        curve->count--;
    if (curve->count == maker->capacity) {
        maker->capacity = maker->capacity > 0 ? maker->capacity * 2 : POINTS_FIRST;
        env_require_memory(maker->env, maker->capacity * sizeof(RankingPoint), "the curve");
        curve->points = maker->env->resize(maker->env, points, maker->capacity * sizeof(RankingPoint));
    }
    point.on_hull = maker->hull_only;
    curve->points[curve->count++] = point;
}

static void curve_visit(void *context, const ScoreGroup *group)
{
    CurveMaker *maker = context;
    RankingCurve *curve = maker->curve;

    curve->positives += group->positive;
    curve->negatives += group->negative;
    curve->points[curve->count - 1].below = group->score;
    curve_add(maker, (RankingPoint){.threshold = group->score,
                                    .below = -INFINITY,
                                    .true_positives = curve->positives,
                                    .false_positives = curve->negatives});
}

/* Marks the corners of the convex hull: scans from left to right and drops a corner once a later point puts it below the hull. */
static void mark_hull(Env *env, RankingCurve *curve)
{
    uint64_t *corners = env_array_raw(env, curve->count, sizeof(uint64_t)), count = 0;

    for (uint64_t i = 0; i < curve->count; i++) {
        env_poll_every(env, i, 65536);
        while (count >= 2 && is_below(&curve->points[corners[count - 2]], &curve->points[corners[count - 1]],
                                      &curve->points[i]))
            count--;
        corners[count++] = i;
    }
    for (uint64_t i = 0; i < count; i++)
        curve->points[corners[i]].on_hull = true;
}

RankingCurve ranking_curve(Env *env, Rows *rows, double positive, bool hull_only)
{
    RankingCurve curve = {0, 0, NULL, 0};
    CurveMaker maker = {.env = env, .curve = &curve, .hull_only = hull_only};

    curve_add(&maker, (RankingPoint){.threshold = INFINITY});
    score_order(env, rows, positive, true, curve_visit, &maker);
    if (!hull_only)
        mark_hull(env, &curve);
    return curve;
}

RankingRates ranking_rates(const RankingCurve *curve, const RankingPoint *point)
{
    double predicted = point->true_positives + point->false_positives;

    return (RankingRates){.false_positive_rate = point->false_positives / curve->negatives,
                          .true_positive_rate = point->true_positives / curve->positives,
                          .precision = predicted > 0 ? point->true_positives / predicted : NAN};
}

/*
 * Returns a number that "above" and "at least" agree on: halfway from the lowest score that is predicted positive to the next one, or
 * just below it if no row is negative. Between neighboring doubles there is none, and the score itself is returned.
 */
static double separating_threshold(const RankingPoint *point)
{
    double middle;

    if (isinf(point->threshold))
        return point->threshold;
    if (isinf(point->below))
        return nextafter(point->threshold, -INFINITY);
    middle = point->below / 2 + point->threshold / 2;
    return middle > point->below && middle < point->threshold ? middle : point->threshold;
}

OperatingPoint ranking_least_cost(Env *env, Rows *rows, double positive, const Options *options)
{
    double false_positive = options_object_number(options, "cost", "false_positive", 1);
    double false_negative = options_object_number(options, "cost", "false_negative", 1);
    RankingCurve curve = ranking_curve(env, rows, positive, true);
    const RankingPoint *best = NULL;
    double cost = 0;
    uint32_t keys;
    const char *const *names = options_keys(options, "cost", &keys);

    for (uint32_t i = 0; i < keys; i++)
        if (strcmp(names[i], "false_positive") != 0 && strcmp(names[i], "false_negative") != 0)
            env_fail(env, ERROR_PARAMETER, "Use the names false_positive and false_negative.",
                     "option \"cost\" has no \"%s\"", names[i]);
    for (uint64_t i = 0; i < curve.count; i++) {
        double here = false_positive * curve.points[i].false_positives +
                      false_negative * (curve.positives - curve.points[i].true_positives);

        if (best == NULL || here < cost) {
            cost = here;
            best = &curve.points[i];
        }
    }
    return (OperatingPoint){.point = *best,
                            .threshold = separating_threshold(best),
                            .rates = ranking_rates(&curve, best),
                            .cost = cost,
                            .false_negatives = curve.positives - best->true_positives,
                            .true_negatives = curve.negatives - best->false_positives};
}

/* ---- calibration ---- */

typedef struct BinMaker {
    Env *env;
    CalibrationBin *bins;
    uint32_t wanted, count;
    bool quantile;
    double total;        /* weight of all rows */
    double seen;         /* weight of the rows before */
    double predicted;    /* weighted sums of the current bin */
    double positive;
    uint32_t place;      /* number of the current bin */
} BinMaker;

/* Completes the current bin, if it has rows. */
static void bin_close(BinMaker *maker)
{
    CalibrationBin *bin = &maker->bins[maker->count];

    if (bin->weight == 0)
        return;
    bin->mean_predicted = maker->predicted / bin->weight;
    bin->positive_share = maker->positive / bin->weight;
    maker->count++;
    maker->predicted = maker->positive = 0;
}

static void bin_visit(void *context, const ScoreGroup *group)
{
    BinMaker *maker = context;
    double p = group->score, weight = group->positive + group->negative, share;
    CalibrationBin *bin;
    uint32_t place;

    if (!(p >= 0 && p <= 1))
        env_fail(maker->env, ERROR_DATA, "Give a number between 0 and 1; calibrate the classifier to turn scores into probabilities.",
                 "a probability is %g, not between 0 and 1", p);
    share = maker->quantile ? (maker->seen + weight / 2) / maker->total : p;
    place = share >= 1 ? maker->wanted - 1 : (uint32_t)(share * maker->wanted);
    if (!maker->quantile) /* the edges that are returned decide, not the rounding of the product */
        place = place + 1 < maker->wanted && p >= (double)(place + 1) / maker->wanted ? place + 1 : p < (double)place / maker->wanted ? place - 1 : place;
    if (place != maker->place) {
        bin_close(maker);
        maker->place = place;
    }
    bin = &maker->bins[maker->count];
    if (bin->weight == 0)
        bin->lower = maker->quantile ? p : (double)place / maker->wanted;
    bin->upper = maker->quantile ? p : (double)(place + 1) / maker->wanted;
    bin->rows += group->positive_rows + group->negative_rows;
    bin->weight += weight;
    maker->predicted += weight * p;
    maker->positive += group->positive;
    maker->seen += weight;
}

CalibrationBin *ranking_calibration(Env *env, Rows *rows, double positive, const Options *options, uint32_t *count)
{
    BinMaker maker = {.env = env, .wanted = (uint32_t)options_integer(options, "bins"),
                      .quantile = options_is(options, "strategy", "quantile"),
                      .total = rows_schema(rows)->weight};

    maker.bins = env_array(env, (size_t)maker.wanted + 1, sizeof(CalibrationBin));
    score_order(env, rows, positive, false, bin_visit, &maker);
    bin_close(&maker);
    *count = maker.count;
    return maker.bins;
}

static const OptionSpec own_roc_auc_options[] = {
    {.name = "max_fpr",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO_TO_ONE,
     .help = "Only the curve up to this false positive rate counts; the area is scaled so that 0.5 is chance and 1 the best."},
    {.name = NULL}};

static const OptionSpec own_gain_curve_options[] = {
    {.name = "bins",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = 100000,
     .help = "The number of bins of about equal weight; equal scores stay together, and bins without rows are left out."},
    {.name = NULL}};

const OptionSpec *const roc_auc_options[] = {options_common, positive_options, own_roc_auc_options, NULL};
const OptionSpec *const roc_auc_interval_options[] = {options_common, positive_options, option_level, NULL};
const OptionSpec *const gain_curve_options[] = {options_common, positive_options, own_gain_curve_options, NULL};

RANKING(roc_auc, roc_auc_options);
RANKING(roc_auc_interval, roc_auc_interval_options);
RANKING(ks_statistic, ranking_options);
RANKING(gain_curve, gain_curve_options);
RANKING(expected_calibration_error, calibration_curve_options);

/* The weights of both classes: all of them, or those that were visited. */
typedef struct ClassWeights {
    double positive, negative;
} ClassWeights;

static void weights_visit(void *context, const ScoreGroup *group)
{
    ClassWeights *weights = context;

    weights->positive += group->positive;
    weights->negative += group->negative;
}

static ClassWeights weights_of_classes(Env *env, Rows *rows, double positive)
{
    ClassWeights all = {0, 0};

    score_order(env, rows, positive, true, weights_visit, &all);
    return all;
}

/* ---- part of the area ---- */

/* Of scaled weights. */
typedef struct PartialArea {
    double scale;
    ClassWeights seen;
    double end;  /* weight of negative rows up to max_fpr */
    double area; /* up to there, in pairs */
} PartialArea;

static void partial_visit(void *context, const ScoreGroup *group)
{
    PartialArea *part = context;
    double positive = group->positive * part->scale, negative = group->negative * part->scale;
    double room = part->end - part->seen.negative;

    if (room > 0 && negative > 0) { /* a line to the next point of the curve, cut where it passes the end */
        double share = fmin(1, room / negative);

        part->area += negative * share * (part->seen.positive + positive * share / 2);
    }
    part->seen.positive += positive;
    part->seen.negative += negative;
}

double ranking_partial_auc(Env *env, Rows *rows, double positive, double max_fpr)
{
    PartialArea part = {.scale = ranking_scale(rows)};
    double chance = max_fpr * max_fpr / 2, area;

    part.end = max_fpr * (weights_of_classes(env, rows, positive).negative * part.scale);
    score_order(env, rows, positive, true, partial_visit, &part);
    area = part.area / part.seen.positive / part.seen.negative;
    return (1 + (area - chance) / (max_fpr - chance)) / 2;
}

/* ---- limits of the area ---- */

/* Mean and sum of squared deviations of weighted numbers (West 1979). */
typedef struct Spread {
    double weight, mean, squares;
} Spread;

static void spread_add(Spread *spread, double value, double weight)
{
    double delta = value - spread->mean, share;

    if (weight == 0)
        return;
    share = weight / (spread->weight + weight);
    spread->squares += spread->weight * share * delta * delta;
    spread->mean += delta * share;
    spread->weight += weight;
}

/* Returns the variance of the mean; NaN without a degree of freedom. */
static double variance_of_mean(const Spread *spread)
{
    return spread->weight > 1 ? spread->squares / (spread->weight - 1) / spread->weight : NAN;
}

/* Of each row the scaled weight of the rows of the other class with lower scores; equal scores count half. */
typedef struct Placements {
    double scale;
    ClassWeights seen; /* scaled */
    Spread positive, negative;
} Placements;

static void placement_visit(void *context, const ScoreGroup *group)
{
    Placements *placements = context;
    double positive = group->positive * placements->scale, negative = group->negative * placements->scale;

    spread_add(&placements->positive, placements->seen.negative + negative / 2, group->positive);
    spread_add(&placements->negative, placements->seen.positive + positive / 2, group->negative);
    placements->seen.positive += positive;
    placements->seen.negative += negative;
}

AreaInterval ranking_auc_interval(Env *env, Rows *rows, double positive, const Options *options)
{
    double level = options_number(options, "level"), width;
    Placements placements = {.scale = ranking_scale(rows)};
    AreaInterval out;

    score_order(env, rows, positive, false, placement_visit, &placements);
    out.area = placements.positive.mean / placements.seen.negative;
    out.std_error = sqrt(variance_of_mean(&placements.positive) / placements.seen.negative / placements.seen.negative +
                         variance_of_mean(&placements.negative) / placements.seen.positive / placements.seen.positive);
    width = -normal_quantile((1 - level) / 2) * out.std_error;
    out.low = isnan(width) ? NAN : fmax(0, out.area - width);
    out.high = isnan(width) ? NAN : fmin(1, out.area + width);
    return out;
}

/* ---- the greatest distance of the classes ---- */

typedef struct Distance {
    ClassWeights seen, all;
    double greatest;
} Distance;

static void distance_visit(void *context, const ScoreGroup *group)
{
    Distance *distance = context;

    weights_visit(&distance->seen, group);
    distance->greatest = fmax(distance->greatest, fabs(distance->seen.positive / distance->all.positive -
                                                       distance->seen.negative / distance->all.negative));
}

double ranking_ks(Env *env, Rows *rows, double positive)
{
    Distance distance = {.all = weights_of_classes(env, rows, positive)};

    score_order(env, rows, positive, true, distance_visit, &distance);
    return distance.greatest;
}

/* ---- gains ---- */

typedef struct GainMaker {
    ClassWeights seen, all;
    ClassWeights before; /* seen before the current bin */
    GainPoint *points;
    uint32_t wanted, count;
} GainMaker;

/* Adds a group to the bin that its middle lies in. */
static void gain_visit(void *context, const ScoreGroup *group)
{
    GainMaker *maker = context;
    double weight = group->positive + group->negative, total = maker->all.positive + maker->all.negative;
    double share = (maker->seen.positive + maker->seen.negative + weight / 2) / total;
    uint32_t bin = 1 + (share >= 1 ? maker->wanted - 1 : (uint32_t)(share * maker->wanted));
    GainPoint *point;

    if (maker->count == 0 || maker->points[maker->count - 1].bin != bin) {
        maker->before = maker->seen;
        maker->points[maker->count++].bin = bin;
    }
    point = &maker->points[maker->count - 1];
    weights_visit(&maker->seen, group);
    point->threshold = group->score;
    point->rows += group->positive_rows + group->negative_rows;
    point->weight += weight;
    point->positive_share = (maker->seen.positive - maker->before.positive) / point->weight;
    point->share = (maker->seen.positive + maker->seen.negative) / total;
    point->gain = maker->seen.positive / maker->all.positive;
    point->lift = point->gain / point->share;
}

GainPoint *ranking_gains(Env *env, Rows *rows, double positive, const Options *options, uint32_t *count)
{
    GainMaker maker = {.all = weights_of_classes(env, rows, positive), .wanted = (uint32_t)options_integer(options, "bins")};

    maker.points = env_array(env, maker.wanted, sizeof(GainPoint));
    score_order(env, rows, positive, true, gain_visit, &maker);
    *count = maker.count;
    return maker.points;
}

/* ---- calibration ---- */

double ranking_calibration_error(Env *env, Rows *rows, double positive, const Options *options)
{
    uint32_t count;
    const CalibrationBin *bins = ranking_calibration(env, rows, positive, options, &count);
    double sum = 0, weight = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += bins[i].weight * fabs(bins[i].mean_predicted - bins[i].positive_share);
        weight += bins[i].weight;
    }
    return sum / weight;
}
