/*
 * linear_influence.h - residuals, leverage and distances of the rows of a fit, from the covariance that its model keeps: Scoring.influence.
 *
 * They agree with rstandard, rstudent, hatvalues, cooks.distance and dffits of R (Belsley, Kuh & Welsch 1980; of generalized linear models
 * Williams 1987). A row of counted weight stands for one of its copies.
 */
#ifndef PGFIT_LINEAR_INFLUENCE_H
#define PGFIT_LINEAR_INFLUENCE_H

#include "core/estimator/estimator.h"

/* Of least squares; without a covariance, as under a penalty, the fitted value and the residuals alone. */
void linear_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out);
/* Of logistic regression of two classes. Fails with ERROR_KIND for more. */
void logistic_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out);

#endif
