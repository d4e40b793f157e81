/*
 * linear_path.h - penalized linear fits over one or many lambdas, and what a model keeps of them.
 *
 * Arrays beside those of linear_model.h (L lambdas, the greatest first; t terms; K folds):
 *   path_lambda     F64[L]      where there was more than one lambda, or cross-validation
 *   path_nonzero    F64[L]      coefficients that are not 0
 *   path_criterion  F64[L]      where lambda was chosen by aic, bic, gcv or loo
 *   path_facts      F64[L x 4]  where the path is kept: rss, penalty, df_model, duality_gap; with it
 *   path_coef       F64[L x t]  where there are terms
 *   path_intercept  F64[L]      only with an intercept
 *   cv_error        F64[L x K]  mean squared error of each fold under the fit of the others
 *   cv_fold         F64[K]      the folds, in rising order;  cv_weight F64[K] their sums of weights
 * Facts: lambda (the one chosen of several), lambda_max (where an automatic path begins), lambda_min and lambda_1se
 * (of cross-validation), duality_gap, iterations and converged (of descent by coordinates).
 */
#ifndef PGFIT_LINEAR_PATH_H
#define PGFIT_LINEAR_PATH_H

#include "core/linear/linear_model.h"
#include "core/linear/linear_options.h"
#include "core/model/report_text.h"

/* A method over one fit, from lambda to lambda; each begins where the last one ended. */
typedef struct PathSolver PathSolver;
struct PathSolver {
    LinearFit *fit;
    double weight;   /* what lambda is multiplied by, to be a penalty on the sum of squares */
    double greatest; /* where an automatic path begins */
    /* Sets coefficients, intercept and rss of the fit, and what follows here. */
    void (*solve)(PathSolver *solver, double lambda);
    /* The same for the lambda of the model: the fit is complete. */
    void (*finish)(PathSolver *solver, double lambda);
    /* mean squared errors of the rows, each left out, at each lambda; NULL: no way to have them at once */
    void (*leave_out)(PathSolver *solver, const Model *input, const double *lambdas, uint32_t count,
                      double *errors);
    void (*free)(PathSolver *solver); /* without the fit */
    double penalty; /* that lambda multiplies */
    double df;      /* degrees of freedom of the terms */
    bool iterative;
    double gap; /* of the objective and a bound below it, in units of the sum of squares */
    uint32_t iterations;
    bool converged;
};
typedef PathSolver *(*PathOpen)(LinearFit *fit, const Options *options);

/* The model of a method with the option lambda; NULL: no rows. */
Model *linear_path_fit(Env *env, const Estimator *estimator, const FitInput *input,
                       const Options *options, PathOpen open);

/* Weight of the penalty: 1, or the sum of weights where the loss is a mean. */
double path_loss_weight(const LinearFit *fit, const Options *options);
/* What coefficients are multiplied by in a penalty, [terms]: 1, or standard deviations (a constant's is 1). */
double *path_scales(const LinearFit *fit, const Options *options);

/* For solvers: an empty fit again; and least squares with its degrees of freedom, for lambda 0. */
void path_reset(LinearFit *fit);
void path_least_squares(PathSolver *solver);

Model *linear_path_statistics(Env *env, const Model *model);
/* Are the arrays above sound, where they are there? */
const char *linear_path_check(const Model *model);
/* The lambda of a model; NaN where it has none. */
double linear_path_lambda(Env *env, const Model *model);
/* What a summary says of lambda, where there is one. */
void linear_path_report(TextBuffer *report, const Model *model);
/* Fails with ERROR_DATA where the model keeps no coefficients of other lambdas. */
void linear_path_require(Env *env, const Model *model);
/* Mean of the folds' errors, and its standard error. */
double path_fold_mean(const double *errors, uint32_t folds, double *std_error);
/* One lambda that a fit looked at; what was not asked for is NaN. */
typedef struct LambdaLine {
    double lambda;
    bool chosen;
    int64_t nonzero;
    double mean_error, std_error, pooled_error; /* over the folds; of their mean; of all rows */
    const double *fold_errors;                  /* [folds] */
    uint32_t folds;
    double criterion;
} LambdaLine;
extern const Table *const linear_path_tables[]; /* of methods with the option lambda; NULL-terminated */
uint32_t linear_path_count(const Model *model);
LambdaLine linear_path_line(Env *env, const Model *model, uint32_t line);
/*
 * The model of the path at this lambda, in env's memory; fails with ERROR_DATA where no path is kept, with
 * ERROR_PARAMETER where lambda is none of it.
 */
Model *linear_path_at(Env *env, const Model *model, double lambda);

#endif
