/*
 * svm_linear.h - linear support vector machines, for classes and for numbers: options, passes over problems, and results in the
 * storage of linear equations.
 *
 *     1/2 |w|^2 + C sum w_i loss_i        |w|_1, or (1 - alpha) / 2 |w|^2 + alpha |w|_1, in place of 1/2 |w|^2 by option
 *
 * The intercept is free. Arrays beside those of linear equations, with option keep_support:
 *   row_numbers   I64[m]      support vectors: rows with a multiplier in some equation, by order of arrival, from 1
 *   multipliers   F64[E x m]  signed: w = sum multiplier x
 *   at_bound      U8[E x m]   1: the multiplier is as large as it may be: C times the weight of the row
 */
#ifndef PGFIT_SVM_LINEAR_H
#define PGFIT_SVM_LINEAR_H

#include "core/linear_equations/linear_equations.h"
#include "core/svm/interior_point.h"

/* Options of both machines: C, alpha, keep_support, max_iter, penalty, standardize, tolerance. */
extern const OptionSpec options_svm[];

#define SVM_MAX_ITER 200 /* unless option max_iter says otherwise */

extern const ArraySpec svm_linear_arrays[3]; /* those above */
typedef struct SvmPlan {
    const char *method;
    double C;            /* infinite: hard */
    bool squared;        /* squared losses */
    double l1, l2;       /* penalty l1 |w|_1 + l2 / 2 |w|^2 */
    double epsilon;      /* of a regression */
    bool intercept, standardize, keep_support;
    double tolerance;
    int64_t max_iter;
} SvmPlan;
/* Reads the options; fails with ERROR_PARAMETER if they contradict each other. squared: the name of the squared loss. */
SvmPlan svm_plan(Env *env, const char *method, const Options *options, const char *squared);
/* The same without a check: of the options that a model stores, defaults included. */
SvmPlan svm_plan_read(const char *method, const Options *options, const char *squared);
/* Returns option C, infinite for "hard". */
double svm_c(const Options *options);
/* Fails with ERROR_PARAMETER if an option that only linear machines have is given with another kernel. */
void svm_require_kernel_options(Env *env, const char *method, const Options *options);

/*
 * Facts: bounded (support vectors whose multiplier is C), converged, gap, iterations, margin (1 / |w|, of one equation of a
 * classifier), nonzero (under an l1 penalty), objective, support_vectors.
 */
typedef struct LinearSvm LinearSvm;
/*
 * Prepares to fit `equations` equations to the rows. factors: of the classes, [classes], or NULL; must outlive it. Fails with
 * ERROR_LIMIT if the state exceeds the budget.
 */
LinearSvm *linear_svm(Env *env, Rows *rows, const SvmPlan *plan, uint32_t equations, const double *factors);
/* Fits one equation. signs: of the classes; NULL: a regression. */
void linear_svm_solve(LinearSvm *svm, uint32_t equation, const int8_t *signs);
/* Warns if a problem did not converge, and adds arrays and facts. */
void linear_svm_finish(LinearSvm *svm, ModelBuilder *builder);

#endif
