/*
 * calibration_map.h - maps from a score to a probability, fitted by calibrations and stored with calibrated classifiers.
 *
 * A map is an array of doubles: the method, how many numbers follow, and the numbers.
 *   CALIBRATION_LOGISTIC  gamma, d0, log of the class ratio r:  p = 1 / (1 + exp(-(gamma (s - d0) + log r)))
 *   CALIBRATION_STEP      low, high, p per block, ascending: p of the last block whose low is at most s
 *   CALIBRATION_LINEAR    the same blocks, with a line from the high of each to the low of the next
 * A score outside all blocks gets the p of the nearest one. The p of the blocks never change direction.
 */
#ifndef PGFIT_CALIBRATION_MAP_H
#define PGFIT_CALIBRATION_MAP_H

#include "core/base/env.h"
#include "core/model/model.h"

typedef enum CalibrationMethod {
    CALIBRATION_LOGISTIC = 1,
    CALIBRATION_STEP = 2,
    CALIBRATION_LINEAR = 3
} CalibrationMethod;

#define CALIBRATION_HEAD 2       /* numbers before those of a map */
#define CALIBRATION_LOGISTIC_SIZE 3
#define CALIBRATION_BLOCK_SIZE 3

/* Returns the probability of a score, 0 to 1. The map must have passed calibration_map_check. */
double calibration_map(const double *map, double score);
/* Returns the value at x of such blocks, low, high and value each: in steps, or with lines between blocks. NaN gives NaN. */
double monotone_blocks_value(const double *blocks, size_t count, double x, bool linear);
/* Checks blocks, at least one, whose values may be any finite numbers. Returns NULL, or what is wrong. Polls. */
const char *monotone_blocks_check(Env *env, const double *blocks, size_t count);
/* Returns how many numbers a map has, head included. */
static inline size_t calibration_map_size(const double *map)
{
    return CALIBRATION_HEAD + (size_t)map[1];
}
/* Checks that these numbers begin with a sound map. Returns NULL, or what is wrong. Polls. */
const char *calibration_map_check(Env *env, const double *map, size_t count);

#endif
