/*
 * calibration_map.c - maps from a score to a probability.
 */
#include "core/estimator/calibration_map.h"
#include "core/math/logistic_function.h"

#include <math.h>

#define POLL_BLOCKS 65536 /* between two polls */

/* Returns the last block whose low is at most the score, or the first if there is none. */
static size_t find_block(const double *blocks, size_t count, double score)
{
    size_t first = 0, last = count;

    while (last - first > 1) {
        size_t middle = first + (last - first) / 2;

        if (blocks[middle * CALIBRATION_BLOCK_SIZE] <= score)
            first = middle;
        else
            last = middle;
    }
    return first;
}

/* Interpolates between a block and the next. Halves keep the differences finite. */
static double interpolate(const double *block, double score)
{
    const double *next = block + CALIBRATION_BLOCK_SIZE;
    double share = (score / 2 - block[1] / 2) / (next[0] / 2 - block[1] / 2);

    return block[2] + share * (next[2] - block[2]);
}

double monotone_blocks_value(const double *blocks, size_t count, double x, bool linear)
{
    size_t at;
    const double *block;

    if (isnan(x))
        return x;
    at = find_block(blocks, count, x);
    block = blocks + at * CALIBRATION_BLOCK_SIZE;
    if (!linear || x <= block[1] || at + 1 == count)
        return block[2];
    return interpolate(block, x);
}

double calibration_map(const double *map, double score)
{
    const double *numbers = map + CALIBRATION_HEAD;
    double exponent;

    if (map[0] == CALIBRATION_LOGISTIC) {
        exponent = numbers[0] * (score - numbers[1]) + numbers[2];
        /* gamma (s - d0) is out of range, so the class ratio does not matter */
        return logistic(isnan(exponent) ? numbers[0] * score : exponent);
    }
    return monotone_blocks_value(numbers, (size_t)map[1] / CALIBRATION_BLOCK_SIZE, score, map[0] != CALIBRATION_STEP);
}

const char *monotone_blocks_check(Env *env, const double *blocks, size_t count)
{
    bool up = false, down = false;

    for (size_t i = 0; i < count; i++) {
        const double *block = blocks + i * CALIBRATION_BLOCK_SIZE;

        if (i % POLL_BLOCKS == 0)
            env->poll(env);
        if (!isfinite(block[0]) || !isfinite(block[1]) || block[0] > block[1])
            return "a block ends before it begins";
        if (!isfinite(block[2]))
            return "the value of a block is not finite";
        if (i == 0)
            continue;
        if (!(block[0] > block[1 - CALIBRATION_BLOCK_SIZE]))
            return "blocks overlap";
        up = up || block[2] > block[2 - CALIBRATION_BLOCK_SIZE];
        down = down || block[2] < block[2 - CALIBRATION_BLOCK_SIZE];
    }
    return up && down ? "values of blocks go both up and down" : NULL;
}

const char *calibration_map_check(Env *env, const double *map, size_t count)
{
    size_t numbers;

    if (count < CALIBRATION_HEAD)
        return "a calibration is cut short";
    if (!(map[1] >= 1 && map[1] <= (double)(count - CALIBRATION_HEAD)) || map[1] != floor(map[1]))
        return "a calibration is cut short";
    numbers = (size_t)map[1];
    if (map[0] == CALIBRATION_LOGISTIC) {
        if (numbers != CALIBRATION_LOGISTIC_SIZE || !isfinite(map[2]) || !isfinite(map[3]) || !isfinite(map[4]))
            return "a logistic calibration is not three finite numbers";
        return NULL;
    }
    if (map[0] != CALIBRATION_STEP && map[0] != CALIBRATION_LINEAR)
        return "the method of a calibration is unknown";
    if (numbers % CALIBRATION_BLOCK_SIZE != 0)
        return "the blocks of a calibration are not three numbers each";
    for (size_t i = 2; i < numbers; i += CALIBRATION_BLOCK_SIZE)
        if (!(map[CALIBRATION_HEAD + i] >= 0 && map[CALIBRATION_HEAD + i] <= 1))
            return "a calibration gives a number outside 0 to 1";
    return monotone_blocks_check(env, map + CALIBRATION_HEAD, numbers / CALIBRATION_BLOCK_SIZE);
}
