/*
 * linear_bounded.h - linear fits whose coefficients have bounds: options lower and upper.
 */
#ifndef PGFIT_LINEAR_BOUNDED_H
#define PGFIT_LINEAR_BOUNDED_H

#include "core/linear/linear_path.h"

extern const OptionSpec options_bounds[]; /* lower, upper */

/* Tells whether there are bounds. */
bool bounds_given(const Options *options);
/*
 * Solves least squares under the bounds of the options. Constant terms are dropped, with a WARNING, and so are those that depend on others and have no
 * bounds. There are no degrees of freedom and no covariance. Fails with ERROR_PARAMETER if a bound names no term, or if a lower bound is above the upper one.
 */
void linear_bounded(LinearFit *fit, const Options *options);
/* Returns a solver for the penalty of linear_path.h under the bounds. Fails in the same way, and if options ask for what has no bounds. */
PathSolver *bounded_path_open(LinearFit *fit, const Options *options, double alpha);

#endif
