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

/* How much a residual weighs: min(1, k / |u|), or the bisquare (1 - (u / k)^2)^2 up to k and 0 beyond, where u is residual / scale. */
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
    SCALE_S,         /* that of m_s_scale, with the k of the loss: the equation becomes one of least such scale nearby */
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
    double exact;         /* residuals up to it are 0, and a scale that falls to it goes on to 0: more than least beside rows that are far off */
    double scale, *theta; /* [width] of the standardized columns, the intercept first */
    double *residuals;    /* [count] */
    double *counts;       /* [count] weights that count rows; NULL: each row counts once */
    double *gram, *dense, *right; /* packed, [width x width], [width] */
    double *sample;       /* the tiles of a sample in memory, each [terms + 2][DESIGN_TILE]: columns, targets, weights; NULL: rows are read */
    uint64_t tile;        /* the next one of the sample */
    /* what m_solve did */
    int64_t iterations;
    double moved;         /* root mean square by which the last step moved the residuals, in units of the scale before it */
    bool converged, singular;
} MSolver;

/*
 * Prepares a fit with theta 0, in one pass. Fails with ERROR_DATA if there are fewer rows than coefficients, with ERROR_LIMIT if one or two
 * numbers per row exceed the budget. rows must not change afterwards.
 */
MSolver *m_solver(StandardizedRows *rows, const char *method);
/*
 * Returns a solver of `most` rows in memory, or of all rows if they are not more. Which rows, and their order, depends on what they hold and on
 * the seed, not on the order in which they came. Centers and scales the columns of all rows anew, at medians, so that outliers in them do not
 * matter: theta of `solver` must be set afterwards. Fails with ERROR_LIMIT beyond the budget, which includes 24 bytes per row of all rows.
 */
MSolver *m_sample(const MSolver *solver, uint32_t most, uint64_t seed);

/* Allocates what the steps need, and sets theta to 0, of a solver that has its rows. */
void m_begin(MSolver *solver);

/* Sets theta to least squares, and the scale to the median of the absolute residuals / 0.6745, or 0 without degrees of freedom. */
void m_least_squares(MSolver *solver);
/* Sets theta, which is copied, and the residuals. */
void m_set_theta(MSolver *solver, const double *theta);
/* Makes one step at this scale. Returns false, and moves nothing, if the rows that keep a weight do not determine theta. */
bool m_step(MSolver *solver, MLoss loss);
/*
 * Steps from this theta and scale until a step moves the residuals by at most `tolerance` times the scale, in the mean square, or the scale
 * is 0, or singular. Outliers would hide moves from a share of the residuals themselves, which is what R's rlm compares.
 */
void m_solve(MSolver *solver, MLoss loss, MScale scale, double tolerance, int64_t max_iter);

/* Returns the median of the absolute residuals / 0.6745. */
double m_mad(const MSolver *solver);
/* Returns how many rows have residuals that are not 0, divided by the residual degrees of freedom: up to 1/2, the S-scale is 0. */
double m_off_share(const MSolver *solver);
/* Returns a start for m_s_scale: m_mad, or the mean absolute residual if that is 0 although there is an S-scale; 0 if there is none. */
double m_start_scale(const MSolver *solver);
/* Returns the sum of the bisquare losses, each at most 1, of residuals / scale, divided by the residual degrees of freedom. */
double m_s_mean(const MSolver *solver, double k, double scale);
/* Returns the scale at which that mean is 1/2, from a start; 0 if so many residuals are 0 that there is none. */
double m_s_scale(const MSolver *solver, double k, double start);
/* Sets solver->dense to the weighted cross-products of the columns; loss NULL: without weights of residuals. */
void m_products(MSolver *solver, const MLoss *loss);

/* ---- models ---- */

/* The facts that m_model adds. */
#define M_FACTS                                                                                                                                \
    FACT("converged", ARRAY_BOOL), FACT("df_model", ARRAY_F64), FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("iterations", ARRAY_I64),          \
        FACT("scale", ARRAY_F64)
/*
 * Returns the model of what m_solve found: its equation, its covariance as summary.rlm of R's MASS has it (Huber 1981, section 7.6), its facts.
 * The covariance is that of X'X for Huber's loss, and of X'WX for the bisquare, because rows far off in their features, which have weight 0, would
 * make X'X large.
 * Warns if it has not converged; fails with ERROR_RANGE if it is singular.
 */
Model *m_model(MSolver *solver, MLoss loss, ModelBuilder *builder);
/* Estimator.statistics and .summary of these models. */
Model *m_statistics(Env *env, const Model *model);
char *m_summary(Env *env, const Model *model);

#endif
