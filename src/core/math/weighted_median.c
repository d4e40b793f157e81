/*
 * weighted_median.c - the weighted median by radix selection: each pass sums the weights of the numbers that begin with
 * the bits known so far, by their next 11 bits, so six passes determine all 64. One more pass finds the upper end.
 */
#include "core/math/weighted_median.h"

#include <math.h>
#include "core/base/number_order.h"

#include <string.h>

#define RADIX_BITS 11

/* Returns the ordered bits of the smallest number with at least so much of the weight, minus slack, at or below it. */
static uint64_t select_lower(const WeightedNumbers *numbers, double weight, double slack)
{
    double bins[1 << RADIX_BITS], x[WEIGHTED_BLOCK], weights[WEIGHTED_BLOCK], below = 0;
    uint64_t prefix = 0;
    unsigned known = 0;
    uint32_t count;

    while (known < 64) {
        unsigned bits = 64 - known < RADIX_BITS ? 64 - known : RADIX_BITS;
        unsigned shift = 64 - known - bits;
        uint64_t bin, last = 0, mask = ((uint64_t)1 << bits) - 1;

        memset(bins, 0, sizeof(bins));
        while ((count = numbers->next(numbers->source, x, weights)) > 0)
            for (uint32_t i = 0; i < count; i++) {
                uint64_t key = number_key(x[i]);

                if (known == 0 || key >> (64 - known) == prefix)
                    bins[key >> shift & mask] += weights[i];
            }
        for (bin = 0; bin <= mask; bin++) {
            if (bins[bin] == 0)
                continue;
            last = bin;
            if (below + bins[bin] >= weight - slack)
                break;
            below += bins[bin];
        }
        prefix = prefix << bits | last;
        known += bits;
    }
    return prefix;
}

WeightedMedian weighted_median(const WeightedNumbers *numbers, double weight, double slack)
{
    uint64_t lower = select_lower(numbers, weight / 2, slack), upper = UINT64_MAX;
    double x[WEIGHTED_BLOCK], weights[WEIGHTED_BLOCK], up_to = 0;
    uint32_t count;

    while ((count = numbers->next(numbers->source, x, weights)) > 0)
        for (uint32_t i = 0; i < count; i++) {
            uint64_t key = number_key(x[i]);

            if (key <= lower)
                up_to += weights[i];
            else if (key < upper && weights[i] > 0)
                upper = key;
        }
    if (upper == UINT64_MAX || up_to > weight / 2 + slack)
        upper = lower;
    return (WeightedMedian){number_of_key(lower), number_of_key(upper)};
}

double weighted_quantile(const WeightedNumbers *numbers, double weight)
{
    return number_of_key(select_lower(numbers, weight, 0));
}

/* Reads the sizes of numbers in memory. */
typedef struct Sizes {
    Env *env;
    const double *numbers, *counts;
    uint64_t count, at;
} Sizes;

static uint32_t next_sizes(void *source, double *numbers, double *weights)
{
    Sizes *sizes = source;
    uint32_t count = 0;

    sizes->env->poll(sizes->env);
    for (; count < WEIGHTED_BLOCK && sizes->at < sizes->count; count++, sizes->at++) {
        numbers[count] = fabs(sizes->numbers[sizes->at]);
        weights[count] = sizes->counts != NULL ? sizes->counts[sizes->at] : 1;
    }
    if (count == 0)
        sizes->at = 0;
    return count;
}

WeightedMedian median_of_sizes(Env *env, const double *numbers, const double *counts, uint64_t count, double total)
{
    Sizes sizes = {env, numbers, counts, count, 0};

    return weighted_median(&(WeightedNumbers){&sizes, next_sizes}, total, 0);
}
