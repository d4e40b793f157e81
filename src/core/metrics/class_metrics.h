/*
 * class_metrics.h - how well predictions meet labels, and how alike two partitions are.
 *
 * All return false where the metric is not defined (NULL in SQL), and fail with ERROR_RANGE where weights leave
 * double precision.
 */
#ifndef PGFIT_CLASS_METRICS_H
#define PGFIT_CLASS_METRICS_H

#include "core/metrics/contingency_table.h"
#include "core/model/options.h"

/* Options "average" and "positive" of precision, recall and F1; "average" of mutual information. */
extern const OptionSpec class_score_options[], mutual_information_options[];

typedef enum ClassScore { SCORE_PRECISION, SCORE_RECALL, SCORE_F1 } ClassScore;

/*
 * Of the positive class (average binary: two labels, or option positive), or averaged over classes. Binary:
 * false where nothing is called positive (precision), or is (recall), or neither (F1). Averages over classes take
 * 0 there. Fails with ERROR_DATA where more than two labels have no average.
 */
bool class_score(const ConfusionTable *table, ClassScore score, const Options *options, double *result);
/* Mean recall of the classes that have rows. */
bool class_balanced_accuracy(const ConfusionTable *table, double *result);
/* Correlation of labels and predictions, -1 to 1; false where either is constant. */
bool class_matthews(const ConfusionTable *table, double *result);
/* Agreement beyond chance, at most 1; false where chance alone agrees. */
bool class_kappa(const ConfusionTable *table, double *result);
/* Pairs treated alike by both partitions, beyond chance: 1 the same, 0 as chance would. Weights are counts. */
bool class_adjusted_rand(const ConfusionTable *table, double *result);
/* What one partition tells of the other, 0 to 1. */
bool class_mutual_information(const ConfusionTable *table, const Options *options, double *result);

#endif
