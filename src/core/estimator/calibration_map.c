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

double calibration_map(const double *map, double score)
{
    const double *numbers = map + CALIBRATION_HEAD, *block;
    size_t count, at;
    double exponent;

    if (map[0] == CALIBRATION_LOGISTIC) {
        exponent = numbers[0] * (score - numbers[1]) + numbers[2];
        /* gamma (s - d0) is out of range, so the class ratio does not matter */
        return logistic(isnan(exponent) ? numbers[0] * score : exponent);
    }
    if (isnan(score))
        return score;
    count = (size_t)map[1] / CALIBRATION_BLOCK_SIZE;
    at = find_block(numbers, count, score);
    block = numbers + at * CALIBRATION_BLOCK_SIZE;
    if (map[0] == CALIBRATION_STEP || score <= block[1] || at + 1 == count)
        return block[2];
    return interpolate(block, score);
}

static const char *check_blocks(Env *env, const double *blocks, size_t count)
{
    bool up = false, down = false;

    for (size_t i = 0; i < count; i++) {
        const double *block = blocks + i * CALIBRATION_BLOCK_SIZE;

        if (i % POLL_BLOCKS == 0)
            env->poll(env);
        if (!isfinite(block[0]) || !isfinite(block[1]) || block[0] > block[1])
            return "a block of a calibration ends before it begins";
        if (!(block[2] >= 0 && block[2] <= 1))
            return "a calibration gives a number outside 0 to 1";
        if (i == 0)
            continue;
        if (!(block[0] > block[1 - CALIBRATION_BLOCK_SIZE]))
            return "blocks of a calibration overlap";
        up = up || block[2] > block[2 - CALIBRATION_BLOCK_SIZE];
        down = down || block[2] < block[2 - CALIBRATION_BLOCK_SIZE];
    }
    return up && down ? "a calibration goes both up and down" : NULL;
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
    return check_blocks(env, map + CALIBRATION_HEAD, numbers / CALIBRATION_BLOCK_SIZE);
}
