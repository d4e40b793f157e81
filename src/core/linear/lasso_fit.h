/*
 * lasso_fit.h - the path solver that lasso and elastic net share.
 */
#ifndef PGFIT_LASSO_FIT_H
#define PGFIT_LASSO_FIT_H

#include "core/linear/linear_path.h"

/* Returns a solver for the penalty lambda (alpha |b| + (1 - alpha) b^2), alpha in (0, 1]. Reads options max_iter and tolerance. */
PathSolver *lasso_path_open(LinearFit *fit, const Options *options, double alpha);

#endif
