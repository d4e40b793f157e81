/*
 * sandwich.h - covariances of estimated coefficients that hold when errors have unequal variances or are correlated.
 *
 * Between two factors (X'WX)^-1, the bread, is the meat, a sum over the rows' scores: White 1980 and MacKinnon & White 1985 (HC), Liang & Zeger
 * 1986 and Bell & McCaffrey 2002 (CR, with degrees of freedom as Pustejovsky & Tipton 2018 give them), Newey & West 1987 and 1994 (NW). It is
 * summed in coordinates q = R^-T x, R'R = X'WX, in which leverages are squared norms, and only the result is multiplied by R^-1:
 * nothing is inverted.
 *
 *     Sandwich *sandwich = sandwich_begin(env, &plan, &fit);
 *     for all rows: sandwich_add(sandwich, x, &row);
 *     SandwichResult result = sandwich_finish(sandwich);
 */
#ifndef PGFIT_SANDWICH_H
#define PGFIT_SANDWICH_H

#include "core/inference/vcov_options.h"
#include "core/rows/special_columns.h"

/* The fit whose coefficients are meant. Coefficient j is theta_j / scale_j; the intercept is theta_0 minus the sum of the coefficients times their center. */
typedef struct SandwichFit {
    uint32_t count;       /* columns of X, the intercept first if there is one */
    bool intercept;
    const double *factor; /* R: upper triangle, column major */
    uint32_t ld;          /* its leading dimension */
    const double *center; /* [count] */
    const double *scale;  /* [count] */
    double rows, weight;  /* rows as counted for degrees of freedom, and the sum of their weights */
    double absorbed;      /* coefficients that were taken out of the rows before */
    bool weighted;        /* rows have weights */
    bool frequency;       /* the weights count rows */
    bool varying;         /* the model says the variance of a row: of generalized linear models */
} SandwichFit;

typedef struct SandwichRow {
    double weight;
    double variance;    /* as the model has it, of a residual below; 1 where it is the same for all rows */
    double residual;    /* of the response, times the ratio: what the score multiplies by weight and row */
    const double *tags; /* two numbers per column of clusters, or the place in the order */
    double ratio;       /* varying: slope of the mean by variance of the response, in a unit in which variances are not far from 1; 1: a canonical link */
} SandwichRow;

typedef struct SandwichResult {
    double *covariance; /* [count x count] of the coefficients, the intercept first */
    double *df;         /* [count] degrees of freedom of t tests; NULL: those of the residuals, or the covariance is out of range */
    uint32_t clusterings, clusters[CLUSTER_COLUMNS_MAX]; /* the number of clusters of each column */
    int64_t lag;
} SandwichResult;

typedef struct Sandwich Sandwich;
/* Begins. Whatever grows with the rows is compared with env->memory_limit. */
Sandwich *sandwich_begin(Env *env, const VcovPlan *plan, const SandwichFit *fit);
/* Adds a row, x [count] in the coordinates of R. Polls. */
void sandwich_add(Sandwich *sandwich, const double *x, const SandwichRow *row);
/* Fails with ERROR_DATA where the rows do not determine the covariance: one cluster, leverages of 1, a lag of as many rows as there are. */
SandwichResult sandwich_finish(Sandwich *sandwich);

/*
 * Returns the Wald statistic e'(V)^-1 e / count of estimates whose covariance is V [count x count, symmetric], to be compared with F of count and
 * any other degrees of freedom; NaN where V is singular. Destroys both.
 */
double wald_f(Env *env, double *covariance, double *estimates, uint32_t count);

#endif
