/*
 * penalty_path.h - what models with the options of penalty_plan.h keep of fits at many lambdas.
 *
 * Arrays (L lambdas, the greatest first; E equations; W columns; K folds):
 *   path_lambda   F64[L]
 *   path_nonzero  F64[L]           number of nonzero coefficients of all equations
 *   path_coef     F64[L x (E W)]
 *   path_offset   F64[L x E]       scores at the center; only with an intercept
 *   path_facts    F64[L x 3]       loss, penalty without its factor lambda, objective
 *   cv_error      F64[L x K]       mean loss of a row of each fold under the fit of the others
 *   cv_fold       F64[K]           the folds, in rising order;  cv_weight F64[K] their sums of weights
 * Facts: lambda, lambda_max (of an automatic path), lambda_min and lambda_1se (of cross-validation).
 */
#ifndef PGFIT_PENALTY_PATH_H
#define PGFIT_PENALTY_PATH_H

#include "core/linear_equations/linear_path_model.h"
#include "core/linear_equations/penalty_plan.h"

#define PENALTY_PATH_FACTS 3
extern const ArraySpec penalty_path_arrays[4]; /* beside path_fold_arrays */
/* Checks the sizes of a path, which follow from the equations. Returns NULL, or what is wrong. */
const char *penalty_path_check(Env *env, const Model *model);

/* The solutions at several lambdas, as they are found. */
typedef struct PenaltyPath {
    uint32_t count;   /* 0: there is one lambda */
    size_t width;     /* of a row of coefficients */
    double *lambdas, *coef, *offset, *nonzero, *facts;
    double greatest;  /* the first lambda of an automatic path; 0: the user listed them */
    double chosen;
    PathFolds folds;
} PenaltyPath;

/* Returns the path of a plan with several lambdas, the least of them chosen. Fails with ERROR_LIMIT if it exceeds the budget. */
PenaltyPath penalty_path_begin(const PenaltyPlan *plan, double greatest, const LinearEquations *out);
/* Copies the equations found at one lambda. penalty: without its factor lambda. */
void penalty_path_keep(PenaltyPath *path, uint32_t lambda, const LinearEquations *out, int64_t nonzero, double loss, double penalty, double objective);
/* Chooses a lambda by cross-validation. */
void penalty_path_choose(PenaltyPath *path, LambdaRule rule, PathFolds folds);
/* Warns of so many fits of a path that did not converge; not of 0. */
void penalty_path_warn(Env *env, uint32_t unconverged);
/* Adds the arrays and facts; nothing if there is one lambda. */
void penalty_path_add(const PenaltyPath *path, const LinearEquations *out, ModelBuilder *builder);

#endif
