/*
 * kernel_ridge_solve.h - the linear algebra of kernel ridge regression: multipliers, and leave-one-out errors in closed form.
 *
 * The multipliers a = (K + lambda W^-1)^-1 y minimize sum of w_i (y_i - f(x_i))^2 + lambda |f|^2 (Saunders, Gammerman & Vovk 1998).
 * With M the inverse, the residual of row i is lambda a_i / w_i, and that of the fit without row i is a_i / M_ii (Allen 1974).
 */
#ifndef PGFIT_KERNEL_RIDGE_SOLVE_H
#define PGFIT_KERNEL_RIDGE_SOLVE_H

#include "core/base/env.h"

typedef struct KernelRidge {
    Env *env;
    uint32_t n;
    double *gram;          /* [n x n] */
    const double *targets; /* [n] */
    const double *weights; /* [n]; NULL: 1 */
    bool intercept;        /* subtract the weighted mean of the targets first; without row i, that of the others */
    bool counts;           /* weights are counts: leave one of them out */
} KernelRidge;

/* What a fit with one lambda gives. */
typedef struct KernelRidgeFit {
    bool solved;         /* the matrix is positive definite; else nothing below is set */
    double intercept;    /* 0 without */
    double *multipliers; /* [n] */
    double mse;          /* weighted mean of the squared residuals */
    double *residuals;   /* [n] of leaving out each row; NULL: not asked for */
    double loo_mse;      /* weighted mean of their squares; NaN: not asked for */
    double df;           /* effective parameters, the trace of the matrix from targets to predictions; NaN: not asked for */
    double rounding;  /* about how much of the targets rounding errors are in the predictions */
} KernelRidgeFit;

/* Returns the bytes needed besides the Gram matrix, for kernel_ridge_errors if many, else for kernel_ridge_fit. */
size_t kernel_ridge_memory(uint32_t n, bool many);
/*
 * Fits one lambda by a Cholesky factor. loo: with leave-one-out errors, for twice the work. spend: the factor may take the place of
 * the matrix, which is otherwise copied. Polls.
 */
KernelRidgeFit kernel_ridge_fit(const KernelRidge *ridge, double lambda, bool loo, bool spend);
/*
 * Writes the leave-one-out mean squared error of each lambda; INFINITY where the matrix is not positive definite. Up to 1,000 rows
 * one eigendecomposition serves all; a larger one could not be canceled for long, so that each lambda takes a Cholesky factor.
 */
void kernel_ridge_errors(const KernelRidge *ridge, const double *lambdas, uint32_t count, double *errors);

#endif
