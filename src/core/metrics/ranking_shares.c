/*
 * ranking_shares.c - how scores separate two classes: part of the area under the ROC curve, its confidence limits, the Kolmogorov-Smirnov
 * statistic, gains and lifts of the highest scores, the calibration error.
 *
 * Partial area: McClish (1989). Limits: DeLong, DeLong & Clarke-Pearson (1988), from the shares of rows of the other class that each
 * row is ranked against correctly, in the order of the scores (Sun & Xu 2014).
 */
#include "core/metrics/ranking_metrics.h"

#include "core/estimator/shared_options.h"
#include "core/math/special_functions.h"
#include "core/metrics/loss.h"
#include "core/metrics/score_sort.h"

#include <math.h>

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

static ClassWeights class_weights(Env *env, Rows *rows, double positive)
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

    part.end = max_fpr * (class_weights(env, rows, positive).negative * part.scale);
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
    Distance distance = {.all = class_weights(env, rows, positive)};

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
    GainMaker maker = {.all = class_weights(env, rows, positive), .wanted = (uint32_t)options_integer(options, "bins")};

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
