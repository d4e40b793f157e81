/*
 * m_solver.h - M-estimates of a linear equation by iteratively reweighted least squares (Huber 1981; Maronna, Martin & Yohai 2006).
 *
 * Each step solves least squares with weights that fall as |residual| / scale grows. Residuals are those of targets in a unit that makes the
 * largest one about 1, times the root of the weight, unless weights count rows.
 */
#ifndef PGFIT_M_SOLVER_H
#define PGFIT_M_SOLVER_H

#include "core/linear_equations/linear_equations.h"

#include <math.h>

/* How much a residual weighs: min(1, k / |u|), or the bisquare (1 - (u / k)^2)^2 up to k, where u is residual / scale. */
typedef struct MLoss {
    bool bisquare;
    double k;
} MLoss;

/* Returns the weight of a residual divided by the scale. */
static inline double m_weight(MLoss loss, double u)
{
    double t = u / loss.k;

    if (loss.bisquare)
        return fabs(t) < 1 ? (1 - t * t) * (1 - t * t) : 0;
    return fabs(t) <= 1 ? 1 : 1 / fabs(t);
}

/* Returns the derivative of u times the weight. */
static inline double m_slope(MLoss loss, double u)
{
    double t = u / loss.k;

    if (loss.bisquare)
        return fabs(t) < 1 ? (1 - t * t) * (1 - 5 * t * t) : 0;
    return fabs(t) <= 1;
}

typedef enum MScale {
    SCALE_MAD,       /* the median of the absolute residuals / 0.6745, in each step */
    SCALE_PROPOSAL2, /* Huber's proposal 2, with the k of the loss */
    SCALE_FIXED,
} MScale;

typedef struct MSolver {
    Env *env;
    StandardizedRows *rows;
    const char *method;   /* its name for messages */
    uint32_t width;       /* columns: rows->count */
    uint64_t count;       /* rows */
    double weight;        /* rows, or what the weights count */
    double unit;          /* of targets, residuals, theta and scale: a power of 2 */
    double least;         /* a scale at or below it is rounding */
    double scale, *theta; /* [width] of the standardized columns, the intercept first */
    double *residuals;    /* [count] */
    double *counts;       /* [count] weights that count rows; NULL: each row counts once */
    double *gram, *dense, *right; /* packed, [width x width], [width] */
    int64_t iterations;
    bool converged;
} MSolver;

/*
 * Prepares a fit with theta 0, in one pass. Fails with ERROR_DATA if there are fewer rows than coefficients, with ERROR_LIMIT if one or two
 * numbers per row exceed the budget. rows must not change afterwards.
 */
MSolver *m_solver(StandardizedRows *rows, const char *method);
/*
 * Moves theta and, unless it is fixed, the scale, until a step moves the residuals by at most `tolerance` times the scale, in the mean
 * square, or the scale is 0. Outliers would hide moves from a share of the residuals themselves, as R's rlm has it. Starts at least squares unless the scale is fixed. Warns if it stops otherwise.
 */
void m_solve(MSolver *solver, MLoss loss, MScale scale, double tolerance, int64_t max_iter);
/* Sets solver->dense to the weighted cross-products of the columns, without weights of residuals. */
void m_products(MSolver *solver);

/* ---- models ---- */

/* The facts that m_model adds. */
#define M_FACTS                                                                                                                                \
    FACT("converged", ARRAY_BOOL), FACT("df_model", ARRAY_F64), FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("iterations", ARRAY_I64),          \
        FACT("scale", ARRAY_F64)
/* Returns the model of a solution: its equation, its covariance as summary.rlm of R's MASS has it (Huber 1981, section 7.6), its facts. */
Model *m_model(MSolver *solver, MLoss loss, ModelBuilder *builder);
/* Estimator.statistics and .summary of these models. */
Model *m_statistics(Env *env, const Model *model);
char *m_summary(Env *env, const Model *model);

#endif
