/*
 * linear_path.h - penalized linear fits over one or many lambdas, whose models linear_path_model.h describes.
 */
#ifndef PGFIT_LINEAR_PATH_H
#define PGFIT_LINEAR_PATH_H

#include "core/linear/linear_fit.h"
#include "core/linear_equations/linear_path_model.h"

/* Solves a fit at one lambda after the other, each starting from the previous solution. */
typedef struct PathSolver PathSolver;
struct PathSolver {
    LinearFit *fit;
    double weight;   /* multiplies lambda into a penalty on the sum of squares */
    double greatest; /* first lambda of an automatic path */
    /* Sets the coefficients, intercept and rss of the fit, and the results below. */
    void (*solve)(PathSolver *solver, double lambda);
    /* The same for the lambda of the model; completes the fit. */
    void (*finish)(PathSolver *solver, double lambda);
    /* Makes solutions as exact as they can be from now on; NULL: they are. */
    void (*sharpen)(PathSolver *solver);
    /* Computes the leave-one-out mean squared error at each lambda; NULL: the method has no closed form. */
    void (*leave_out)(PathSolver *solver, const KeptRows *rows, const double *lambdas, uint32_t count,
                      double *errors);
    void (*free)(PathSolver *solver); /* frees the solver, not the fit */
    double penalty; /* the penalty without its factor lambda */
    double df;      /* degrees of freedom of the terms */
    bool iterative;
    double gap; /* duality gap, in units of the sum of squares */
    uint32_t iterations;
    bool converged;
};

typedef PathSolver *(*PathOpen)(LinearFit *fit, const Options *options);

/* Fits a method that has option lambda. Returns NULL if there are too few rows and the options ask for that. */
Model *linear_path_fit(Env *env, const FitInput *input, const Options *options, ModelBuilder *builder, PathOpen open);

/* Return a solver for the penalty lambda (alpha |b| + (1 - alpha) b^2), for alpha 0, which reads option penalize_intercept if the estimator has it; and for other alphas, which reads max_iter and tolerance. */
PathSolver *ridge_path_open(LinearFit *fit, const Options *options);
PathSolver *lasso_path_open(LinearFit *fit, const Options *options, double alpha);

/* Returns the weight of the penalty: 1, or the sum of weights if the loss is a mean. */
double path_loss_weight(const LinearFit *fit, const Options *options);
/* Returns the factors of the coefficients in the penalty, [terms]: 1, or standard deviations (1 for a constant). */
double *path_scales(const LinearFit *fit, const Options *options);

/* For solvers: path_reset clears the fit, path_least_squares solves it at lambda 0. */
void path_reset(LinearFit *fit);
void path_least_squares(PathSolver *solver);

/*
 * Returns the lambda whose solution has this penalty, to rounding; 0 if least squares has no more. Where only the solutions of
 * dependent terms that are nearest to least squares have less, the lambda is the least that numbers can tell from 0. Solves at
 * many lambdas: finish the solver afterwards.
 */
double lambda_of_budget(PathSolver *solver, double budget);

/* ---- leave-one-out errors of ridge regression ---- */

typedef struct LeaveOut {
    const LinearFit *fit;
    const KeptRows *rows;  /* of the fit; NULL: the moments keep none */
    const double *scales;  /* [terms] of the penalty */
    bool intercept_too;    /* penalized */
    bool mean_loss;        /* lambda is multiplied by the weight of the remaining rows */
} LeaveOut;

/*
 * Writes into errors[l] the weighted mean squared error at lambdas[l], each row predicted by the fit without it;
 * DBL_MAX if that is out of range, or if a row determines coefficients by itself (at lambda 0). A weighted row is left
 * out with its weight; a counted one is left out one at a time. Scales and imputed means stay those of all rows. Fails
 * with ERROR_PARAMETER if the moments keep no rows, with ERROR_DATA if no row would be left. Polls.
 */
void ridge_loo(const LeaveOut *problem, const double *lambdas, uint32_t count, double *errors);

#endif
