/*
 * linear_fit.h - a linear fit under construction: solving from a design, and the model of it (linear_model.h).
 */
#ifndef PGFIT_LINEAR_FIT_H
#define PGFIT_LINEAR_FIT_H

#include "core/linear_equations/linear_model.h"

typedef struct LinearFit {
    Env *env;
    Design *design;
    bool with_intercept;
    double rows;         /* as counted for degrees of freedom */
    double *coef;        /* [terms] */
    uint8_t *dropped;    /* [terms] */
    uint32_t kept;       /* terms that are not dropped */
    double intercept;    /* 0 without */
    double rss, tss;
    double df_model;     /* degrees of freedom of the terms, without the intercept */
    double *triangle;    /* of linear_least_squares: factor of the kept terms, then the targets, in [terms + targets] squared; or NULL */
    uint32_t *kept_terms; /* [kept] */
    bool scaled;         /* the covariance is not (X'X)^-1 but that of the coefficients */
    double *covariance;  /* packed, of intercept and terms, unless scaled without sigma^2 until linear_finish; or NULL */
    double condition;    /* of the equilibrated factor; NaN: not known */
} LinearFit;

/* Begins a fit of a design and takes ownership of it. */
LinearFit *linear_begin(Env *env, Design *design, bool intercept);
void linear_free(LinearFit *fit);
/* Sets the intercept that follows from the coefficients and the means, if the fit has one. */
void linear_set_intercept(LinearFit *fit);
/* Returns the norm of a column of the design (column `terms`: the target); 0 if only rounding errors are left of it. */
double linear_norm(const LinearFit *fit, uint32_t column);
/* Solves least squares for the first target. Terms that depend linearly on earlier ones are dropped, with a WARNING. */
void linear_least_squares(LinearFit *fit);
/* Writes the coefficients of another target of the same design, [terms], 0 before, from the triangle that linear_least_squares left. */
void linear_solve_target(const LinearFit *fit, uint32_t target, double *coef);
/* Solves with the penalty lambda sum (scale_j b_j)^2 (scales NULL: 1), on the intercept too if intercept_too. */
void linear_ridge(LinearFit *fit, double lambda, const double *scales, bool intercept_too);
/*
 * Drops terms that depend linearly on earlier ones and returns the number of those kept. r: a copy of the design's
 * factor, which becomes the triangle of the kept terms followed by the target. kept: [terms] receives the kept terms in
 * order.
 */
uint32_t linear_drop_dependent(LinearFit *fit, double *r, uint32_t *kept);
/* Fits one slope per term, each by itself. */
void linear_decompose(LinearFit *fit);
/* Returns the standard deviation (divisor n) of a term in the training rows. */
double linear_deviation(const LinearFit *fit, uint32_t term);
/* Returns the residual sum of squares of the current coefficients. */
double linear_residual(const LinearFit *fit);
/* Adds facts and arrays to those of the method, and builds the model. */
Model *linear_finish(LinearFit *fit, ModelBuilder *builder);

/* Returns the condition number of a dense triangle whose columns are scaled to norm 1; infinite if it is singular. */
double linear_condition(Env *env, const double *factor, size_t ld, uint32_t count);

#endif
