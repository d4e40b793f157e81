/*
 * logistic_robust.h - robust standard errors of a fit of two classes, from one more pass over its rows.
 */
#ifndef PGFIT_LOGISTIC_ROBUST_H
#define PGFIT_LOGISTIC_ROBUST_H

#include "core/inference/sandwich.h"
#include "core/linear_equations/linear_equations.h"
#include "core/logistic/logistic_fit.h"

/* What a pass reads: the problem that was solved, and its solution with the curvature. */
typedef struct LogisticRobust {
    const VcovPlan *plan;
    const LogisticProblem *problem;
    const LogisticSolution *solution;
} LogisticRobust;

/*
 * Returns the covariance of the intercept and the terms of the design, packed, 0 for dropped terms, and adds to the model what says so. NULL: the
 * curvature is singular.
 */
double *logistic_robust(const LogisticRobust *robust, ModelBuilder *builder);

#endif
