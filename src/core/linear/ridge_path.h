/*
 * ridge_path.h - ridge regression over many lambdas.
 */
#ifndef PGFIT_RIDGE_PATH_H
#define PGFIT_RIDGE_PATH_H

#include "core/linear/linear_path.h"

/* Returns a solver for the penalty lambda b^2. Reads option penalize_intercept if the estimator has it. */
PathSolver *ridge_path_open(LinearFit *fit, const Options *options);

#endif
