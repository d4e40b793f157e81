/*
 * linear_path_model.h - what a model keeps of penalized linear fits over one or many lambdas.
 *
 * Arrays beside those of linear_model.h (L lambdas, the greatest first; W columns; K folds):
 *   path_lambda     F64[L]      if there was more than one lambda, or cross-validation
 *   path_nonzero    F64[L]      number of nonzero coefficients
 *   path_criterion  F64[L]      if lambda was chosen by aic, bic, gcv or loo
 *   path_facts      F64[L x 4]  if the path is kept: rss, penalty, df_model, duality_gap; with it
 *   path_coef       F64[L x W]
 *   path_intercept  F64[L]      only with an intercept
 *   cv_error        F64[L x K]  mean squared error of each fold under the fit of the others
 *   cv_fold         F64[K]      the folds, in rising order;  cv_weight F64[K] their sums of weights
 * Facts: lambda (the one chosen of several, or found for a penalty_budget), lambda_max (the first of an automatic path), lambda_min
 * and lambda_1se (of cross-validation), duality_gap, iterations and converged (of descent by coordinates).
 */
#ifndef PGFIT_LINEAR_PATH_MODEL_H
#define PGFIT_LINEAR_PATH_MODEL_H

#include "core/estimator/shared_options.h"
#include "core/estimator/table.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/linear_options.h"
#include "core/rows/special_columns.h"

Model *linear_path_statistics(Env *env, const Model *model);
#define PATH_FACTS 4   /* columns of path_facts */
#define PATH_PENALTY 1 /* the one of the penalty, here and in those of other methods */
extern const ArrayTable linear_path_array_tables[]; /* of methods with the option lambda */
/* Checks what the tables cannot say. Returns NULL, or what is wrong. */
const char *linear_path_check(Env *env, const Model *model);
/* Returns the lambda of a model; NaN: it has none. */
double linear_path_lambda(Env *env, const Model *model);
/* Writes what a summary says about lambda; nothing for models without one. */
void linear_path_report(TextBuffer *report, const Model *model);
/* Declares an array of one row per lambda, there as the presence and another array say. The rest: its columns, its values. */
#define PATH_ARRAY(own_name, own_presence, of, ...)                                                                    \
    {.name = own_name, .type = ARRAY_F64, .presence = own_presence, .other = of, .rows = {SIZE_LAMBDAS}, __VA_ARGS__}
extern const ArraySpec path_fold_arrays[4]; /* cv_error, cv_fold, cv_weight and path_nonzero, of any method with a path */
/* Checks that "path_nonzero" counts at most so many coefficients. Returns NULL, or what is wrong. */
const char *path_nonzero_check(Env *env, const Model *model, uint32_t coefficients);
/* Returns the mean error over the folds, and its standard error. */
double path_fold_mean(const double *errors, uint32_t folds, double *std_error);
/* The errors of the lambdas of a path in cross-validation. */
typedef struct PathFolds {
    uint32_t count;           /* 0: there was none */
    double *errors;           /* [lambdas x count] */
    double *labels, *weights; /* [count] */
    double minimum, one_se;   /* the lambda of least mean error, and the greatest whose mean error is at most one standard error above it */
} PathFolds;
/* Chooses both from the errors at falling lambdas. */
void path_folds_choose(PathFolds *folds, const double *lambdas, uint32_t count);
/* Adds the arrays and facts of cross-validation. */
void path_folds_add(ModelBuilder *builder, const PathFolds *folds, uint32_t lambdas);
/* One lambda of a path; what the fit did not compute is NaN. */
typedef struct LambdaLine {
    double lambda;
    bool chosen;
    int64_t nonzero;
    double mean_error, std_error, pooled_error; /* mean over the folds, its standard error, error over all rows */
    const double *fold_errors;                  /* [folds] */
    uint32_t folds;
    double criterion;
    double penalty; /* of the coefficients, without its factor lambda */
} LambdaLine;
extern const Table *const linear_path_tables[]; /* of methods with the option lambda; NULL-terminated */
/* For other methods with paths in arrays of the same names. The class is NULL for models of one equation. */
extern const Table lambda_path_table, coefficient_path_table;
uint32_t linear_path_count(const Model *model);
LambdaLine linear_path_line(Env *env, const Model *model, uint32_t line);
/*
 * Returns the model at a lambda of the path, in memory of env. Fails with ERROR_DATA if the model keeps no path, with
 * ERROR_PARAMETER if the path does not contain lambda.
 */
Model *linear_path_at(Env *env, const Model *model, double lambda);

#endif
