/*
 * class_metrics.h - how well predictions agree with labels, and how similar two partitions are.
 *
 * All functions return false if the metric is undefined (NULL in SQL), and fail with ERROR_RANGE if weights overflow.
 */
#ifndef PGFIT_CLASS_METRICS_H
#define PGFIT_CLASS_METRICS_H

#include "core/metrics/contingency_table.h"
#include "core/options/options.h"

/* Options "average" and "positive" of precision, recall and F1; "average_method" of mutual information. */
extern const OptionSpec class_score_options[], mutual_information_options[];
/* Option "beta" of the F score, "weighting" of the weighted kappa. */
extern const OptionSpec f_beta_options[], weighted_kappa_options[];

typedef enum ClassScore { SCORE_PRECISION, SCORE_RECALL, SCORE_F1, SCORE_F_BETA } ClassScore;

/*
 * Computes the score of the positive class (average "binary"; two labels, or option positive), or its average over classes. Binary scores
 * are undefined if no row is predicted positive (precision), is positive (recall), or either (F1); averages over classes take
 * them as 0. Fails with ERROR_DATA if there are more than two labels and no average is chosen.
 */
bool class_score(const ConfusionTable *table, ClassScore score, const Options *options, double *result);
/* Computes the mean recall of the classes that have rows. */
bool class_balanced_accuracy(const ConfusionTable *table, double *result);
/* Computes the correlation of labels and predictions, -1 to 1; undefined if either is constant. */
bool class_matthews(const ConfusionTable *table, double *result);
/* Computes the agreement beyond chance, at most 1; undefined if chance alone gives full agreement. */
bool class_kappa(const ConfusionTable *table, double *result);
/* Computes the same where labels that are further apart in their order disagree more (Cohen 1968). */
bool class_weighted_kappa(const ConfusionTable *table, const Options *options, double *result);
/* Computes the share of pairs of rows on which both partitions agree, beyond chance: 1 if they are equal, 0 as by chance. Weights
 * are counts. */
bool class_adjusted_rand(const ConfusionTable *table, double *result);
/* Computes how much one partition tells about the other, 0 to 1. */
bool class_mutual_information(const ConfusionTable *table, const Options *options, double *result);

#endif
