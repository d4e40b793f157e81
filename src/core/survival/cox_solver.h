/*
 * cox_solver.h - maximizes the partial likelihood of proportional hazards by Newton's method.
 *
 * With r = weight exp(score) of a row, S0 and S1 the sums of r and r x over the rows at risk, and H the cumulative hazard, the curvature is
 *
 *     sum over rows of r (H(time) - H(entry)) x x'  -  sum over event times of weight (S1 / S0) (S1 / S0)'
 *
 * so that a step takes two passes over tiles of rows and one over the event times, of a Gram matrix each, and no sum of x x' per event time. S0 and S1
 * are suffix sums of what the rows add at their last event time and take away before their first one; rows may come in any order.
 */
#ifndef PGFIT_COX_SOLVER_H
#define PGFIT_COX_SOLVER_H

#include "core/rows/standardized_rows.h"
#include "core/survival/cox_times.h"

typedef struct CoxProblem {
    Env *env;
    StandardizedRows *rows; /* centered, offsets too, without the column of the intercept */
    const CoxTimes *times;
    bool efron; /* ties by Efron (1977), else by Breslow (1974) */
    double tolerance;
    int64_t max_iter;
} CoxProblem;

typedef struct CoxSolver CoxSolver;

typedef struct CoxSolution {
    CoxSolver *solver;
    double *theta;      /* [terms] of the standardized columns; 0 for dropped ones */
    double *hazard;     /* [event times] cumulative in its stratum, of a row whose centered columns and offset are 0 */
    double *spared;     /* [event times] how much less the hazard at a time is for the rows with events there (Efron) */
    double *covariance; /* [terms x terms], 0 for dropped ones; NULL: the curvature is singular */
    uint8_t *dropped;   /* [terms] columns that do not vary among rows at risk, or depend on others there */
    uint8_t *infinite;  /* [terms] columns whose coefficients grew without an end, if separated or beyond */
    uint32_t kept;      /* terms that are not dropped */
    double null_log_likelihood, log_likelihood, score_statistic, wald_statistic; /* of the weights that the times have */
    int64_t iterations;
    bool converged, separated;
    bool beyond;        /* the log-likelihood still rises where risks differ by more than numbers hold; converged and separated are false */
} CoxSolution;

CoxSolution cox_solve(const CoxProblem *problem);
/*
 * Returns what the means at risk of a solution with a covariance leave up to each event time, [event times x (1 + terms)] cumulative in its stratum: the variance
 * of the hazard, then hazard times the mean of x at risk. robust: also replaces the covariance, whatever the scale of the weights, by one that
 * holds if hazards are not proportional, or if rows of one cluster of the times depend on each other, and the Wald statistic by its own. Once per solution.
 */
const double *cox_means(CoxSolution *solution, bool robust);
/* Returns the scores of the rows. After cox_means, whose room they take. */
const double *cox_row_scores(CoxSolution *solution);

#endif
