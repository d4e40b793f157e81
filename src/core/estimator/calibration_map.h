/*
 * calibration_map.h - maps from a score to a probability, as calibrations fit them and outcomes apply them.
 *
 * A map is a run of doubles: method, count of the numbers that follow, numbers.
 *   CALIBRATION_LOGISTIC  gamma, d0, log of the class ratio r:  p = 1 / (1 + exp(-(gamma (s - d0) + log r)))
 *   CALIBRATION_STEP      low, high, p of each block, ascending: p of the last block whose low is at most s
 *   CALIBRATION_LINEAR    the same blocks: a line from the high of one to the low of the next
 * Outside of all blocks the nearest counts. p of the blocks goes one way: up or down.
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

/* The probability of a score, 0 to 1. The map has passed calibration_map_check. */
double calibration_map(const double *map, double score);
/* Numbers of the map at hand, head included. */
static inline size_t calibration_map_size(const double *map)
{
    return CALIBRATION_HEAD + (size_t)map[1];
}
/* Is there a sound map at the start of these numbers? NULL, or what is wrong. Polls. */
const char *calibration_map_check(Env *env, const double *map, size_t count);

#endif
