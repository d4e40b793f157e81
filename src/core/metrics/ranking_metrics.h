/*
 * ranking_metrics.h - how well scores rank positive rows before negative ones: areas, curves, operating points.
 *
 * From Rows of a label and one score (positive rows are thought to have the higher scores; a row is called
 * positive at a threshold where its score is at least that). Rows of equal scores go together.
 */
#ifndef PGFIT_RANKING_METRICS_H
#define PGFIT_RANKING_METRICS_H

#include "core/estimator/estimator.h"

/* Descriptors of the aggregates for their options; not in the list of estimators. */
extern const Estimator roc_auc_rows, average_precision_rows, roc_curve_rows,
    precision_recall_curve_rows, operating_point_rows, calibration_curve_rows;

extern const OptionSpec *const ranking_options[], *const roc_curve_options[], *const operating_point_options[],
    *const calibration_curve_options[];

/* Weights of rows; a threshold of infinity calls none positive. */
typedef struct RankingPoint {
    double threshold;
    double true_positives, false_positives;
    bool on_hull; /* a corner of the convex hull */
} RankingPoint;

typedef struct RankingCurve {
    double positives, negatives; /* weights of all rows */
    RankingPoint *points;        /* falling thresholds; the first is infinite */
    uint64_t count;
} RankingCurve;

typedef struct CalibrationBin {
    double lower, upper; /* of the probabilities in the bin; of uniform ones its limits */
    double rows, weight;
    double mean_predicted, positive_share;
} CalibrationBin;

/*
 * The place of the positive class in the dictionary of the rows: the last in order, or option "positive".
 * false: a class has no row, the metric is NULL. Fails with ERROR_DATA where there are more than two classes
 * and no option says which is positive (with it the others are negative).
 */
bool ranking_positive(Env *env, Rows *rows, const Options *options, double *place);

/* Share of the pairs of a positive and a negative row that the scores order right, ties half. */
double ranking_auc(Env *env, Rows *rows, double positive);
/* Sum of precision x growth of recall over falling thresholds. */
double ranking_average_precision(Env *env, Rows *rows, double positive);
/* hull_only: corners of the hull alone. Fails with ERROR_LIMIT where the points pass the budget. */
RankingCurve ranking_curve(Env *env, Rows *rows, double positive, bool hull_only);
/* The point of least cost, the highest threshold of equals; *cost is that cost. Option "cost". */
RankingPoint ranking_least_cost(Env *env, Rows *rows, double positive, const Options *options, double *cost,
                                     double *positives, double *negatives);
/* Bins that have rows, by rising probability; options "bins" and "strategy". */
CalibrationBin *ranking_calibration(Env *env, Rows *rows, double positive, const Options *options, uint32_t *count);

#endif
