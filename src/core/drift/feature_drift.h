/*
 * feature_drift.h - how far the values of a feature have moved between two summaries.
 */
#ifndef PGFIT_FEATURE_DRIFT_H
#define PGFIT_FEATURE_DRIFT_H

#include "core/drift/feature_summary.h"

#define DRIFT_MODERATE 0.1 /* population stability index: from here on the feature has shifted */
#define DRIFT_LARGE 0.25   /* and from here on the model should be looked at */
#define DRIFT_BINS 10
#define DRIFT_SHARE 0.0001 /* an empty bin counts as this share: the index needs logarithms */
#define DRIFT_EXAMPLES 5

typedef struct FeatureDrift {
    const char *name;
    double psi;           /* population stability index; NaN: no values on one side */
    double ks, ks_error;  /* Kolmogorov-Smirnov statistic of numbers, and by how much it may be too small; NaN: none */
    double unseen_count, unseen_share; /* values whose level was not in training; NaN of numbers */
    const SummaryLevel *examples[DRIFT_EXAMPLES]; /* of these the most frequent */
    uint32_t example_count;
    double null_then, null_now; /* shares of the rows */
    double mean_then, mean_now; /* NaN of levels, and without values */
    const char *verdict;        /* "stable", "moderate", "large", "no values" */
} FeatureDrift;

/*
 * Compares feature i of two finished summaries of the same features, whose buckets may be widened.
 *
 * The index is the sum over bins of (now - then) ln(now / then) (Siddiqi 2006, "Credit Risk Scorecards"). Bins of numbers are those buckets
 * between the deciles of training, in fewer bins where values repeat; a value that is a tenth of training has a bin of its own.
 * Every level of training is a bin, and all unseen ones are one. The statistic is the largest difference of the two distribution
 * functions at the ends of buckets; between two ends it cannot be larger by more than the larger of the two shares of a bucket,
 * which is 0 while a bucket holds one value.
 */
FeatureDrift feature_drift(RowSummary *then, RowSummary *now, uint32_t i);
/* Fails with ERROR_DATA unless both summaries have rows and the same features in the same order. */
void drift_require_same(const RowSummary *then, const RowSummary *now);

#endif
