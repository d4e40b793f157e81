/*
 * weighted_median.h - weighted medians of numbers that are read in passes, without sorting and in constant memory.
 */
#ifndef PGFIT_WEIGHTED_MEDIAN_H
#define PGFIT_WEIGHTED_MEDIAN_H

#include "core/base/env.h"

#define WEIGHTED_BLOCK 256

/* Numbers with weights, which are read several times. */
typedef struct WeightedNumbers {
    void *source;
    /*
     * Writes the next finite numbers and their weights (0 or above), at most WEIGHTED_BLOCK of each, and returns how
     * many; 0 at the end, and the next call starts over. Polls if reading takes long.
     */
    uint32_t (*next)(void *source, double *numbers, double *weights);
} WeightedNumbers;

/* Every number from lower to upper is a median: it minimizes the sum of weight x |number - median|. */
typedef struct WeightedMedian {
    double lower, upper;
} WeightedMedian;

/*
 * Finds the smallest number with at least half of the weight at or below it, and the next greater one if that weight is exactly
 * half (else the same number). weight: of all numbers, above 0. slack: how much a sum of weights may be off by rounding; 0 if
 * weights are counts. -0 counts as 0. Makes seven passes.
 */
WeightedMedian weighted_median(const WeightedNumbers *numbers, double weight, double slack);
/* Returns the smallest number with at least so much of the weight, above 0, at or below it, or else the greatest. Makes six passes. */
double weighted_quantile(const WeightedNumbers *numbers, double weight);
/* Returns the median of |numbers| [count]. counts: how often each counts, [count]; NULL: once. total: their sum. Polls. */
WeightedMedian median_of_sizes(Env *env, const double *numbers, const double *counts, uint64_t count, double total);

#endif
