/*
 * quantile_fit.h - what fits of one quantile and of several share: options, rows and standard errors.
 */
#ifndef PGFIT_QUANTILE_FIT_H
#define PGFIT_QUANTILE_FIT_H

#include "core/linear_equations/linear_equations.h"
#include "core/robust/quantile_solver.h"

/* Nearer to 0 or 1, the losses of one side are lost in the rounding of the others. */
#define EXTREME_QUANTILE 1e-9

extern const OptionSpec quantile_fit_options[]; /* intercept, level, max_iter, tolerance */

typedef struct QuantileFit {
    Env *env;
    const Estimator *self;
    const Options *options;
    const StandardizedRows *rows;
    QuantileSolver *solver;
    double count; /* of rows */
    double quantile;
    QuantileSolution solution;
} QuantileFit;

/* Reads the rows. Fails if they are fewer than coefficients, or have weights that count rows. */
QuantileFit quantile_begin(Env *env, const Estimator *self, const FitInput *input, const Options *options);
/* Sets quantile and solution, and an equation from them. Warns if the solution has not converged. */
void quantile_fit_next(QuantileFit *fit, double quantile, LinearEquations *out, uint32_t equation);
/*
 * Returns the packed covariance of intercept and terms of the solution; NULL if it does not exist, with a warning. kind: "kernel", "nid" or "none". A
 * sandwich with the density of the residuals at 0: from a kernel over the residuals (Powell 1991), or from the equations of two quantiles nearby
 * (Hendricks & Koenker 1992), both with the bandwidth of Hall & Sheather (1988).
 */
double *quantile_covariance(const QuantileFit *fit, const char *kind);

#endif
