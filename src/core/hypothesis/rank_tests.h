/*
 * rank_tests.h - tests of ranks, and the exact distributions of their statistics.
 */
#ifndef PGFIT_RANK_TESTS_H
#define PGFIT_RANK_TESTS_H

#include "core/hypothesis/hypothesis_tests.h"

extern const OptionSpec rank_options[]; /* exact, correct */

SampleTestRun kruskal_test, mann_whitney_test, signed_rank_test;
/*
 * Return the probabilities of each value of a rank statistic without ties: of the rank sum of the first of two groups of m and n
 * numbers minus its least, [m n + 1]; of the sum of the ranks of positive numbers, [n (n + 1) / 2 + 1].
 */
double *rank_sum_distribution(Env *env, uint32_t m, uint32_t n);
double *signed_rank_distribution(Env *env, uint32_t n);

/* Returns the ranks of numbers, equal ones sharing the mean of theirs. *ties: the sum of t^3 - t over groups of equal numbers. */
double *ranks_of(Env *env, const double *x, uint64_t count, double *ties);
/* Returns the p-value of a statistic with a symmetric distribution on 0 .. most. */
double exact_p_value(const double *distribution, double most, double statistic, Alternative alternative);

/* ---- smirnov_test.c ---- */

SampleTestRun ks_test;
extern const OptionSpec smirnov_options[];
/* Returns P(K >= x) of the limit of its statistic's distribution for many numbers (Kolmogorov 1933). */
double kolmogorov_upper(double x);

/* ---- rank_correlation.c ---- */

SampleTestRun correlation_test; /* Pearson's, Spearman's or Kendall's, as the options say */
extern const OptionSpec correlation_options[];
/* Returns the probabilities of each number of exchanges that sort an order of n numbers, [n (n - 1) / 2 + 1]. */
double *kendall_distribution(Env *env, uint32_t n);
/*
 * Returns the probability that the sum of squared differences between two orders of n numbers is at least this even number: from all orders
 * up to 9 numbers, else by a series, which may leave the range of probabilities far in a tail.
 */
double rank_distance_upper(Env *env, uint32_t n, double least);

#endif
