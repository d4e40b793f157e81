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

/* What the likelihood of a row says of its influence on a fit of one equation. */
typedef struct ScoreResidual {
    double deviance, pearson; /* residuals, of the weight of the row */
    double curvature;         /* what the row adds to that of the score: weight times slope^2 / variance */
    double dispersion, rank;
    double squares, df;       /* the deviance of the fit, and its degrees of freedom */
    bool by_sigma;            /* studentized residuals are divided by the standard error without the row */
} ScoreResidual;
/* Returns the weight that a row has in the equations: rows of counted weights are copies of weight 1. */
double influence_weight(const Model *model, const InfluenceRow *row);
/* Sets what follows from the residuals and the covariance of the coefficients, if the model keeps one. Fails with ERROR_KIND where it is robust. */
void score_influence(Env *env, const Model *model, const double *slots, const ScoreResidual *row, Influence *out);

#endif
