/*
 * exemplars.h - rows that stand for many: the medoid and the geometric median, for methods that need one per class.
 */
#ifndef PGFIT_EXEMPLARS_H
#define PGFIT_EXEMPLARS_H

#include "core/distance/point_set.h"

/*
 * Returns the place of the point with the least sum of weighted distances to all points, the first of several. Adds the distances
 * that it computed to *evaluations. Needs room for two numbers per point.
 */
uint32_t medoid_of_points(Env *env, const PointSet *points, double *objective, int64_t *evaluations);

/* What a geometric median took. */
typedef struct MedianOutcome {
    bool converged;
    int64_t iterations;
    uint64_t evaluations; /* of distances */
    double objective, gradient; /* gradient: the norm of the mean unit vector toward the rows */
} MedianOutcome;
/* Writes the point with the least sum of weighted euclidean distances to the rows, numbers only, to center [slots]. */
MedianOutcome geometric_median_of(Env *env, Rows *rows, double tolerance, int64_t max_iter, double *center);

#endif
