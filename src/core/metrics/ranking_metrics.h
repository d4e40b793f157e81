/*
 * ranking_metrics.h - how well scores rank positive rows before negative ones: areas, curves, operating points.
 *
 * The input is rows with a label and one score. Positive rows should have the higher scores; at a threshold, a row is predicted
 * positive if its score is at least that. Rows with equal scores stay together.
 */
#ifndef PGFIT_RANKING_METRICS_H
#define PGFIT_RANKING_METRICS_H

#include "core/estimator/estimator.h"

/* Descriptors that hold the aggregates' options; they are not in the list of estimators. */
extern const Estimator roc_auc_rows, average_precision_rows, roc_curve_rows,
    precision_recall_curve_rows, operating_point_rows, calibration_curve_rows, roc_auc_interval_rows, ks_statistic_rows,
    gain_curve_rows, expected_calibration_error_rows;

extern const OptionSpec *const ranking_options[], *const roc_auc_options[], *const roc_curve_options[],
    *const operating_point_options[], *const calibration_curve_options[], *const roc_auc_interval_options[],
    *const gain_curve_options[];

/* Defines such a descriptor. */
#define RANKING(sql_name, table)                                                                   \
    const Estimator sql_name##_rows = {.name = #sql_name,                                          \
                                       .task = TASK_CLASSIFICATION,                                \
                                       .input = INPUT_ROWS,                                        \
                                       .supervised = true,                                         \
                                       .options = table}

/* Weights of rows predicted positive at a threshold; at infinity there are none. */
typedef struct RankingPoint {
    double threshold; /* the lowest of their scores */
    double below;     /* the highest score of the other rows; minus infinity if there are none */
    double true_positives, false_positives;
    bool on_hull; /* a corner of the convex hull */
} RankingPoint;

typedef struct RankingCurve {
    double positives, negatives; /* weights of all rows */
    RankingPoint *points;        /* by descending threshold; the first is infinite */
    uint64_t count;
} RankingCurve;

/* Shares of rows at a point. precision: NaN if no row is predicted positive. */
typedef struct RankingRates {
    double false_positive_rate, true_positive_rate, precision;
} RankingRates;

/*
 * The point of least cost, with the weights of the rows predicted negative there. threshold lies between the scores of both kinds of
 * rows: roc_curve predicts positive from a score on, decision rules above it, and a threshold that is a score would be another
 * row there.
 */
typedef struct OperatingPoint {
    RankingPoint point;
    double threshold;
    RankingRates rates;
    double cost, false_negatives, true_negatives;
} OperatingPoint;

/* An area under the ROC curve with its standard error and confidence limits. */
typedef struct AreaInterval {
    double area, std_error, low, high; /* std_error, low, high: NaN if a class has fewer than two rows */
} AreaInterval;

/* What the rows with at least a threshold hold: the end of a bin of a gain curve. */
typedef struct GainPoint {
    uint32_t bin;            /* from 1, the bin of the highest scores */
    double threshold;        /* the lowest score in it */
    double rows, weight;     /* of the bin */
    double positive_share;   /* of the bin */
    double share, gain;      /* of all rows and of the positive rows, in this bin and those before */
    double lift;             /* gain / share */
} GainPoint;

typedef struct CalibrationBin {
    double lower, upper; /* range of the probabilities in the bin; limits of a uniform bin */
    double rows, weight;
    double mean_predicted, positive_share;
} CalibrationBin;

/*
 * Finds the position of the positive class in the dictionary of the rows: the last in order, or the one that option "positive"
 * names. Returns false if a class has no rows; the metric is then NULL. Fails with ERROR_DATA if there are more than two classes
 * and the option is missing; with it, all other classes are negative.
 */
bool ranking_positive(Env *env, Rows *rows, const Options *options, double *place);

/* Returns the share of pairs of a positive and a negative row that the scores order correctly; ties count half. */
double ranking_auc(Env *env, Rows *rows, double positive);
/* Returns the area up to a false positive rate below 1, scaled so that 0.5 is chance and 1 the best (McClish 1989). */
double ranking_partial_auc(Env *env, Rows *rows, double positive, double max_fpr);
/* Returns the area with limits at option "level" (DeLong, DeLong & Clarke-Pearson 1988). A weight counts as that many rows. */
AreaInterval ranking_auc_interval(Env *env, Rows *rows, double positive, const Options *options);
/* Returns the sum of precision x gain in recall over descending thresholds. */
double ranking_average_precision(Env *env, Rows *rows, double positive);
/* Returns the greatest difference of true and false positive rate over all thresholds (Kolmogorov & Smirnov). */
double ranking_ks(Env *env, Rows *rows, double positive);
/* Returns the ends of the bins that have rows, the highest scores first; option "bins". Equal scores stay together. */
GainPoint *ranking_gains(Env *env, Rows *rows, double positive, const Options *options, uint32_t *count);
/* Returns the mean |mean_predicted - positive_share| of the bins of ranking_calibration, by weight. */
double ranking_calibration_error(Env *env, Rows *rows, double positive, const Options *options);
/* Returns the curve, or only the corners of its convex hull. Fails with ERROR_LIMIT if the points exceed the memory budget. */
RankingCurve ranking_curve(Env *env, Rows *rows, double positive, bool hull_only);
/* Returns the rates at a point of the curve. */
RankingRates ranking_rates(const RankingCurve *curve, const RankingPoint *point);
/* Returns the point of least cost by option "cost", among ties the one with the highest threshold. */
OperatingPoint ranking_least_cost(Env *env, Rows *rows, double positive, const Options *options);
/* Returns the bins that have rows, by ascending probability; options "bins" and "strategy". */
CalibrationBin *ranking_calibration(Env *env, Rows *rows, double positive, const Options *options, uint32_t *count);

/* ---- median_error.c ---- */

/* Holds the aggregate's name; it is not in the list of estimators. */
extern const Estimator median_absolute_error_rows;

/*
 * Returns the weighted median of |target - slot 0|: the middle of the two that have half of the weight on either side. Reads the rows
 * in passes. Fails with ERROR_RANGE if a difference overflows.
 */
double median_absolute_error(Env *env, Rows *rows);

/* ---- score_histogram.c: how the scores of each class are distributed, over the same bins ---- */

/* Holds the aggregate's options; it is not in the list of estimators. */
extern const Estimator score_histogram_rows;
extern const OptionSpec *const score_histogram_options[];

typedef struct ScoreBin {
    uint32_t class; /* position in the dictionary of the rows */
    uint32_t bin;   /* from 1; 0 and the number of bins + 1: below and above the range */
    double low, high;
    uint64_t rows;
    double weight;
    double share;   /* of the weight of the class */
} ScoreBin;

/*
 * Returns the bins of all classes, in order of the classes, and their number. Every class has every bin; those below and above the
 * range are there if any row lies in them. Fails with ERROR_PARAMETER for a range whose ends are not in order, ERROR_LIMIT if there
 * is no memory for all bins.
 */
ScoreBin *score_histogram(Env *env, Rows *rows, const Options *options, uint64_t *count);

#endif
