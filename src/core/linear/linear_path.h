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

#endif
