/*
 * glm_solver.h - maximum likelihood of a generalized linear model by Fisher scoring (iteratively reweighted least squares: Nelder & Wedderburn
 * 1972), near the solution by Newton's method where that is another one, whose steps are halved while the deviance rises or a mean leaves its domain. Under a penalty a step minimizes the quadratic model with it
 * (Friedman, Hastie & Tibshirani 2010), and the sum of the deviance and twice the penalty falls.
 *
 * A pass reads the rows tile by tile and keeps nothing that grows with them.
 */
#ifndef PGFIT_GLM_SOLVER_H
#define PGFIT_GLM_SOLVER_H

#include "core/glm/glm_family.h"
#include "core/linear_equations/link_function.h"
#include "core/rows/standardized_rows.h"

#define GLM_RANGE_HINT "Multiply the features by a large number." /* where coefficients exceed the range of double precision */

/* Sums over the rows for the test of zeros (glm_zeros.h). */
typedef struct GlmZeroSums {
    double observed, expected, variance;
    double theta; /* the slope of the expectation by theta */
} GlmZeroSums;

/* Coefficients of the first columns, and what a pass over the rows found of them. */
typedef struct GlmPoint {
    uint32_t count;   /* columns */
    double *theta;    /* [count] */
    double *gradient; /* [count + padding] half that of the deviance, with the sign of a step */
    double *gram;     /* packed: X'WX */
    double deviance, pearson; /* pearson: sum of w (y - m)^2 / V */
    bool observed;    /* gram has the curvature of the likelihood, not its expectation */
    bool counted;     /* the sums of zeros are those of this point */
    GlmZeroSums zeros;
    double *zero_slope; /* [count + padding] of their expectation */
    bool valid;       /* all means are in their domain */
    bool extreme;     /* a mean is nearly 0 beside 1 and that of the targets, or nearly 1 where that is the end of the domain */
} GlmPoint;

#define GLM_ROOM 7 /* tiles of scratch */

typedef struct GlmProblem {
    Env *env;
    StandardizedRows *rows;
    Rows *offset_rows;    /* one number per row, which rows has beside its tiles; NULL: none */
    const GlmFamily *family;
    Link link;
    double parameter;     /* of the family */
    bool frequency;       /* weights count rows */
    const char *method;   /* its name for messages */
    double tolerance;
    int64_t max_iter;
    double *l1, *l2;      /* [count] penalties of the columns, added to half the deviance: l1 |theta| + l2 theta^2; NULL: none */
    const double *given;  /* [count] coefficients to begin with, if they fit better than the mean of the targets; NULL: none */
    bool observed;        /* passes compute the curvature of the likelihood, not its expectation */
    bool expected;        /* they shall not */
    bool count_zeros;     /* the pass that is foreseen to be the last sums what the test of zeros needs, */
    bool last;            /* as this one is */
    /* set by glm_begin */
    double weight, mean, offset; /* sum of weights, weighted means of targets and offsets */
    double constant;      /* GlmSums.constant */
    const double **null_columns; /* of the intercept alone */
    double *room;         /* [GLM_ROOM x DESIGN_TILE] */
} GlmProblem;

typedef struct GlmSolution {
    GlmPoint at;
    double *factor; /* [count x count] lower triangle of the Cholesky factor of X'WX; NULL: it is singular, or there is a penalty */
    int64_t iterations;
    bool converged, singular;
    double gain;    /* what the last step was to lower the deviance by, or its sum with the penalty */
} GlmSolution;

/* Checks the targets in one pass, and finds means. Fails with ERROR_DATA for a target that the family does not have. */
void glm_begin(GlmProblem *problem);
/* Returns the solution of the intercept alone, or without one the point without coefficients. */
GlmSolution glm_solve_null(GlmProblem *problem);
/*
 * Returns the solution of all columns. null: the solution of the intercept alone, which is where it starts under a penalty, or if the given and the
 * usual start have a mean outside its domain or fit worse, as for tiny targets. Fails with ERROR_DATA if there is nowhere to start.
 */
GlmSolution glm_solve(GlmProblem *problem, const GlmSolution *null);
/* Returns the point that it starts from, evaluated. */
GlmSolution glm_first_point(GlmProblem *problem, const GlmSolution *null);
/* Continues from coefficients that are changed in place, after a change of the parameter or the penalty. */
void glm_resolve(GlmProblem *problem, GlmSolution *solution);

/* ---- for other passes over the rows ---- */

#define GLM_START_SHARE 1e-8 /* gains are relative to the deviance plus this share of that at the start or of the mean, for fits that meet all targets */
#define GLM_ROUNDED 1e-12    /* a gain of this share that no longer shrinks is rounding */

/* Sets means and slopes of scores; NaN for a score without a mean. */
void glm_means(const Link *link, const double *score, uint32_t count, double *mean, double *slope);

/* The rows of a tile with their means, and what the columns are multiplied by for the sums. */
typedef struct GlmTile {
    uint32_t count;
    const double *targets, *weights;
    double *mean, *slope;          /* [count] */
    double *gradient, *curvature;  /* [DESIGN_TILE] */
} GlmTile;
/* Returns the deviance of a point, plus twice the penalty. */
double glm_objective(const GlmProblem *problem, const GlmPoint *point);
/* Reads the next tile at these coefficients of the first columns; false: rewound after the last. */
bool glm_next_tile(GlmProblem *problem, uint32_t count, const double *theta, GlmTile *tile);
/* Returns the means of given rows in the room of the problem. offsets: NULL: none. */
GlmTile glm_tile_at(const GlmProblem *problem, const double *const *columns, uint32_t count, const double *theta, const DesignTile *rows, const double *offsets);
/*
 * Adds the rows of a tile to the deviance and the other sums of a point, and sets gradient and curvature. Returns false if a mean is not in its
 * domain.
 */
bool glm_add_rows(const GlmProblem *problem, const GlmTile *tile, GlmPoint *point);
/* Adds at most DESIGN_TILE rows to the sums of the problem. Fails with ERROR_DATA for a target that the family does not have. offsets: NULL: none. */
void glm_count_rows(GlmProblem *problem, const double *targets, const double *weights, const double *offsets, uint32_t count);
/* Sets gradient and curvature of the working response of a row; both are 0 where its start has no score. */
void glm_start_row(const GlmProblem *problem, double target, double weight, double offset, double *gradient, double *curvature);
/* Sets the step from a point: factor [count x count] times its transpose times step is the gradient. Returns false if the curvature is singular. */
bool glm_solve_step(const GlmProblem *problem, const GlmPoint *point, double *factor, double *step);
/*
 * Takes back that a point is extreme if the step that ends the fit hardly changes its coefficients: means at the end of their domain are then those of rows far
 * from the others. Coefficients without bound grow with each step, because the score of a mean that vanishes is as large as its curvature.
 */
void glm_judge_extreme(const GlmProblem *problem, GlmPoint *at, const double *step);
/* Returns the inverse of the curvature times a dispersion, [count x count], from a factor that glm_solve_step made. */
double *glm_inverse(Env *env, const double *factor, uint32_t count, double dispersion);
/* Fails with ERROR_DATA: there are no coefficients to go on from. */
void glm_fail_start(const GlmProblem *problem) __attribute__((noreturn));
/* Fails with ERROR_DATA: the mean of the targets, or a constant score for it, is outside the domain. */
void glm_fail_mean(const GlmProblem *problem, double score) __attribute__((noreturn));

#endif
