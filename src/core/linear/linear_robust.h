/*
 * linear_robust.h - robust standard errors of least squares, from the rows that moments keep.
 */
#ifndef PGFIT_LINEAR_ROBUST_H
#define PGFIT_LINEAR_ROBUST_H

#include "core/inference/vcov_options.h"
#include "core/linear/linear_rows.h"

/*
 * Replaces the covariance of a solved fit by that of the plan, in one pass over the rows, and adds to the model what says so. absorbed: coefficients
 * that were taken out of the rows. Does nothing for classical errors and without residual degrees of freedom. Fails with ERROR_PARAMETER if no rows
 * are kept.
 */
void linear_robust(LinearFit *fit, const VcovPlan *plan, const LinearRows *rows, double absorbed, ModelBuilder *builder);

#endif
