/*
 * median_error.h - the median of absolute errors.
 */
#ifndef PGFIT_MEDIAN_ERROR_H
#define PGFIT_MEDIAN_ERROR_H

#include "core/estimator/estimator.h"

/* Holds the aggregate's name; it is not in the list of estimators. */
extern const Estimator median_absolute_error_rows;

/*
 * Returns the weighted median of |target - slot 0|: the middle of the two that have half of the weight on either side. Reads the rows
 * in passes. Fails with ERROR_RANGE if a difference overflows.
 */
double median_absolute_error(Env *env, Rows *rows);

#endif
