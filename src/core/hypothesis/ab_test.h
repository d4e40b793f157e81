/*
 * ab_test.h - comparing two variants of an experiment: means, means adjusted for a covariate, ratios of sums; at one look or at any time.
 */
#ifndef PGFIT_AB_TEST_H
#define PGFIT_AB_TEST_H

#include "core/hypothesis/hypothesis_tests.h"

/* What a comparison returns beside statistic, p-value and difference. NaN: there is no such thing. */
typedef struct VariantComparison {
    const char *control, *treatment; /* labels */
    double control_rows, treatment_rows, control_mean, treatment_mean;
    double lift, lift_low, lift_high; /* difference / mean of the control */
    double theta, variance_reduction; /* with a covariate: its coefficient, and the share of the variance that it explains */
    double sample_ratio_p_value;      /* of the rows of both variants against the share that was planned */
} VariantComparison;

extern const OptionSpec ab_test_options[], sample_ratio_options[];

SampleTestRun ab_test;
SampleTestRun sample_ratio_test; /* by chi-square: whether the variants have the shares of the rows that were planned */

/*
 * Returns the logarithm of the likelihood ratio of an estimate z standard errors from 0: normal effects with variance `ratio`, in squared
 * standard errors, against none. Under no effect it passes -log(alpha) at any time with a probability of at most alpha.
 */
double mixture_log_ratio(double z, double ratio);
/* Returns the distance of always-valid limits from the estimate, in standard errors. */
double mixture_distance(double level, double ratio);

#endif
