/*
 * test_weighted_median.c - weighted medians against sorting: repeated numbers, signed zeros, ties at half the weight,
 * weights of 0, and numbers of every size.
 */
#include "check.h"

#include "core/math/weighted_median.h"

#include <stdlib.h>

#define MOST 1500

typedef struct Memory {
    Env *env;
    const double *numbers, *weights;
    size_t count, at;
} Memory;

static uint32_t next_of_memory(void *source, double *numbers, double *weights)
{
    Memory *memory = source;
    size_t left = memory->count - memory->at;
    uint32_t count = left < WEIGHTED_BLOCK ? (uint32_t)left : WEIGHTED_BLOCK;

    memory->env->poll(memory->env);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = memory->numbers[memory->at + i];
        weights[i] = memory->weights != NULL ? memory->weights[memory->at + i] : 1;
    }
    memory->at = count > 0 ? memory->at + count : 0;
    return count;
}

/* Finds the median of numbers in memory; weights NULL: 1 each. */
static WeightedMedian median_of(Env *env, const double *numbers, const double *weights, size_t count)
{
    Memory memory = {env, numbers, weights, count, 0};
    WeightedNumbers all = {&memory, next_of_memory};
    double weight = 0;

    for (size_t i = 0; i < count; i++)
        weight += weights != NULL ? weights[i] : 1;
    return weighted_median(&all, weight, weights != NULL ? 1e-14 * weight : 0);
}

typedef struct Pair {
    double number, weight;
} Pair;

static int by_number(const void *a, const void *b)
{
    double x = ((const Pair *)a)->number, y = ((const Pair *)b)->number;

    return (x > y) - (x < y);
}

/* Weights are whole numbers, so sums are exact. */
static WeightedMedian by_sorting(const double *numbers, const double *weights, size_t count)
{
    static Pair pairs[MOST];
    double all = 0, sum = 0;
    WeightedMedian ends = {NAN, NAN};
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        double weight = weights != NULL ? weights[i] : 1;

        if (weight > 0)
            pairs[used++] = (Pair){numbers[i], weight};
        all += weight;
    }
    qsort(pairs, used, sizeof(Pair), by_number);
    for (size_t i = 0; i < used; i++) {
        sum += pairs[i].weight;
        if (isnan(ends.lower) && sum >= all / 2)
            ends.lower = pairs[i].number;
    }
    sum = 0;
    for (size_t i = 0; i < used && pairs[i].number <= ends.lower; i++)
        sum += pairs[i].weight;
    ends.upper = ends.lower;
    for (size_t i = 0; i < used && sum == all / 2; i++)
        if (pairs[i].number > ends.lower) {
            ends.upper = pairs[i].number;
            break;
        }
    return ends;
}

static void check_one(Env *env, const double *numbers, const double *weights, size_t count)
{
    WeightedMedian found = median_of(env, numbers, weights, count);
    WeightedMedian expected = by_sorting(numbers, weights, count);

    CHECK(found.lower == expected.lower);
    CHECK(found.upper == expected.upper);
}

int main(void)
{
    static double numbers[MOST], weights[MOST];
    Host *host = host_new();
    Env *env = &host->env;
    uint64_t random = 12345;
    WeightedMedian ends;

    for (int round = 0; round < 300; round++) {
        size_t count;

        random = random * 6364136223846793005u + 1442695040888963407u;
        count = 1 + (random >> 33) % (round % 3 == 0 ? MOST : 7);
        for (size_t i = 0; i < count; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            numbers[i] = (double)(int64_t)(random >> 33) - 1073741824.0;
            if (round % 2 == 0)
                numbers[i] = fmod(numbers[i], 5); /* ties and both zeros */
            else
                numbers[i] = ldexp(numbers[i], (int)(random >> 40 & 1023) - 600);
            weights[i] = (double)(random >> 50 & 3) + (i == 0);
        }
        check_one(env, numbers, NULL, count);
        check_one(env, numbers, weights, count);
    }
    ends = median_of(env, (double[]){3, 1, 2, 4}, NULL, 4);
    CHECK(ends.lower == 2 && ends.upper == 3);
    ends = median_of(env, (double[]){3, 1, 2, 4}, (double[]){0, 1, 1, 2}, 4);
    CHECK(ends.lower == 2 && ends.upper == 4);
    ends = median_of(env, (double[]){-0.0, 0.0, 7}, NULL, 3);
    CHECK(ends.lower == 0 && ends.upper == 0);
    ends = median_of(env, (double[]){-1.7e308, 1.7e308}, (double[]){0.1, 0.1}, 2);
    CHECK(ends.lower == -1.7e308 && ends.upper == 1.7e308);
    host_free(host);
    return check_report();
}
