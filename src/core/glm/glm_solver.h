/*
 * glm_solver.h - maximum likelihood of a generalized linear model by Fisher scoring (iteratively reweighted least squares: Nelder & Wedderburn
 * 1972), whose steps are halved while the deviance rises or a mean leaves its domain.
 *
 * A pass reads the rows tile by tile and keeps nothing that grows with them.
 */
#ifndef PGFIT_GLM_SOLVER_H
#define PGFIT_GLM_SOLVER_H

#include "core/glm/glm_family.h"
#include "core/linear_equations/link_function.h"
#include "core/rows/standardized_rows.h"

/* Coefficients of the first columns, and what a pass over the rows found of them. */
typedef struct GlmPoint {
    uint32_t count;   /* columns */
    double *theta;    /* [count] */
    double *gradient; /* [count + padding] half that of the deviance, with the sign of a step */
    double *gram;     /* packed: X'WX */
    double deviance, pearson; /* pearson: sum of w (y - m)^2 / V */
    bool valid;       /* all means are in their domain */
    bool extreme;     /* a mean is nearly 0, or 1 where that is the end of the domain */
} GlmPoint;

typedef struct GlmProblem {
    Env *env;
    StandardizedRows *rows;
    TileReader *offsets;  /* one number per row, in the same tiles; NULL: none */
    const GlmFamily *family;
    const LinkFunction *link;
    double parameter;     /* of the family */
    bool frequency;       /* weights count rows */
    const char *method;   /* its name for messages */
    double tolerance;
    int64_t max_iter;
    /* set by glm_begin */
    double weight, mean, offset; /* sum of weights, weighted means of targets and offsets */
    double constant;      /* GlmSums.constant */
    const double **null_columns; /* of the intercept alone */
    double *start, *room; /* [count] coefficients to start from; [11 x DESIGN_TILE] */
} GlmProblem;

typedef struct GlmSolution {
    GlmPoint at;
    double *factor; /* [count x count] lower triangle of the Cholesky factor of X'WX; NULL: it is singular */
    int64_t iterations;
    bool converged, singular;
    double gain;    /* what the last step was to lower the deviance by */
} GlmSolution;

/* Checks the targets in one pass, and finds means and a start. Fails with ERROR_DATA for a target that the family does not have. */
void glm_begin(GlmProblem *problem);
/* Returns the solution of the intercept alone, or without one the point without coefficients. */
GlmSolution glm_solve_null(GlmProblem *problem);
/*
 * Returns the solution of all columns. null: the solution of the intercept alone, which is where it starts if the usual start has a mean outside
 * its domain or fits worse, as for tiny targets. Fails with ERROR_DATA if there is nowhere to start.
 */
GlmSolution glm_solve(GlmProblem *problem, const GlmSolution *null);
/* Continues from coefficients that are changed in place, after a change of the parameter. */
void glm_resolve(GlmProblem *problem, GlmSolution *solution);

/* ---- for other passes over the rows ---- */

/* The rows of a tile with their means. */
typedef struct GlmTile {
    uint32_t count;
    const double *targets, *weights;
    double *mean, *slope; /* [count] */
} GlmTile;
/* Reads the next tile at these coefficients of the first columns; false: rewound after the last. */
bool glm_next_tile(GlmProblem *problem, uint32_t count, const double *theta, GlmTile *tile);

#endif
