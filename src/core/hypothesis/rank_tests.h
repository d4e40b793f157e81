/*
 * rank_tests.h - tests of ranks, and the exact distributions of their statistics.
 */
#ifndef PGFIT_RANK_TESTS_H
#define PGFIT_RANK_TESTS_H

#include "core/hypothesis/hypothesis_tests.h"

extern const OptionSpec rank_options[]; /* exact, correct */

void kruskal_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
void mann_whitney_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
void signed_rank_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
/* Computes Pearson's or Spearman's correlation, as the options say. */
void correlation_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
extern const OptionSpec correlation_options[];

/* Tests whether two groups come from one distribution: the greatest distance of their distribution functions. */
void ks_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result);
extern const OptionSpec smirnov_options[];
/* Returns P(K >= x) of the limit of its distribution for many numbers (Kolmogorov 1933). */
double kolmogorov_upper(double x);

/*
 * Return the probabilities of each value of a rank statistic without ties: of the rank sum of the first of two groups of m and n
 * numbers minus its least, [m n + 1]; of the sum of the ranks of positive numbers, [n (n + 1) / 2 + 1].
 */
double *rank_sum_distribution(Env *env, uint32_t m, uint32_t n);
double *signed_rank_distribution(Env *env, uint32_t n);

#endif
