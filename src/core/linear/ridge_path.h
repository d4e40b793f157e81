/*
 * ridge_path.h - ridge regression over many lambdas.
 */
#ifndef PGFIT_RIDGE_PATH_H
#define PGFIT_RIDGE_PATH_H

#include "core/linear/linear_path.h"

/* lambda b^2; option penalize_intercept where the estimator has it. */
PathSolver *ridge_path_open(LinearFit *fit, const Options *options);

#endif
