/*
 * kernel_ridge_folds.h - errors of kernel ridge regression where whole folds of rows are left out, in closed form.
 */
#ifndef PGFIT_KERNEL_RIDGE_FOLDS_H
#define PGFIT_KERNEL_RIDGE_FOLDS_H

#include "core/kernel_methods/kernel_ridge_solve.h"
#include "core/options/options.h"
#include "core/rows/rows.h"

typedef struct RidgeFolds {
    uint32_t count;  /* 0: leave out single rows */
    uint32_t *order; /* [n] rows, fold after fold */
    uint32_t *first; /* [count + 1] where each fold begins in the order */
    bool expanding;  /* a fold is predicted from those before it alone, and the first is not predicted */
} RidgeFolds;

/* Table: expanding. For methods that have options_folds. */
extern const OptionSpec option_expanding[];

/*
 * Assigns the rows to the folds that the options ask for; there may be but one. Fails with ERROR_PARAMETER for options that contradict each other.
 */
RidgeFolds ridge_folds(Env *env, Rows *rows, const Options *options);
/* Returns the bytes that kernel_ridge_fold_errors needs besides the Gram matrix. */
size_t ridge_folds_memory(uint32_t n);
/*
 * Writes the mean squared error of each lambda over all rows that are left out: from fits without their fold, or, expanding, to the folds
 * before it. With an intercept, the mean is that of the rows that are fitted. INFINITY where the matrix is not positive definite. Polls.
 */
void kernel_ridge_fold_errors(const KernelRidge *ridge, const RidgeFolds *folds, const double *lambdas, uint32_t count, double *errors);

#endif
