/*
 * paired_test.h - tests of the difference between two models that were judged on the same rows or folds.
 */
#ifndef PGFIT_PAIRED_TEST_H
#define PGFIT_PAIRED_TEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a paired t test finds. All are NaN where the differences do not vary or are fewer than two, but std_error, which is then 0 or
 * NaN.
 */
typedef struct PairedTest {
    double std_error, t, df, p;
    double half_width; /* of the confidence interval at 95 % */
} PairedTest;

/*
 * Tests whether a mean difference is 0. n: number of differences; variance: their sample variance. test_share: rows that judge over
 * rows that were fitted, of differences of folds, which share their training rows (Nadeau and Bengio 2003, "Inference for the
 * generalization error"); 0 for rows.
 */
PairedTest paired_test(double n, double mean, double variance, double test_share);
/* Does the same for numbers: the differences of folds. */
PairedTest paired_test_of_numbers(const double *differences, uint32_t n, double test_share, double *mean);

/*
 * Returns the p-value of McNemar's test: whether rows that one classifier alone gets right are as many as those of the other. Fewer than 25
 * such rows: the exact binomial test; otherwise chi-square with the correction for continuity (Edwards 1948). NaN if there are none.
 */
double mcnemar_p(uint64_t only_a, uint64_t only_b);
/* Tells which of the two it is. */
bool mcnemar_is_exact(uint64_t only_a, uint64_t only_b);

#endif
