/*
 * interior_point.h - linear equations with the largest margin: hinge and epsilon-insensitive losses, exactly.
 *
 *     minimize  1/2 sum_j p_j theta_j^2 + sum_i C_i excess_i
 *     subject to  sign_i (x_i theta) + excess_i - slack_i = bound_i,  excess_i, slack_i >= 0
 *
 * A classifier has one constraint per row: sign is the class, bound is 1. A regression has two: sign 1 with bound y - epsilon, and
 * sign -1 with bound -y - epsilon. The intercept is free: its p is 0. Mehrotra's predictor-corrector method over primal and dual
 * together needs a square matrix of the columns, and a few numbers per row (Ferris & Munson 2003, SIAM J. Optim. 13(3)). Rows are
 * read three times per iteration, block by block; of the order of 20 iterations reach full precision.
 */
#ifndef PGFIT_INTERIOR_POINT_H
#define PGFIT_INTERIOR_POINT_H

#include "core/rows/standardized_rows.h"

typedef struct MarginProblem {
    StandardizedRows *rows;
    const int8_t *signs;   /* [rows->classes] 1, -1, or 0 (not used); NULL: a regression */
    const double *penalty; /* [rows->count] p, of the standardized columns; 0 for the intercept */
    double C;              /* per row of weight 1; infinite: no excess is allowed */
    double epsilon;        /* of a regression */
    double tolerance;      /* stop when the duality gap is below this share of the objective */
    int64_t max_iter;
} MarginProblem;

typedef struct MarginSolution {
    double *theta;      /* [count] */
    double objective, gap;
    double norm;        /* sum p theta^2 */
    double spread;      /* of hinge losses: between the highest and the lowest score of a row */
    int64_t iterations;
    bool converged;
    bool inseparable;   /* C is infinite, and no theta satisfies the constraints */
    double nearest;     /* C is infinite: the least sign times score of a row, 1 at the solution */
} MarginSolution;

/* Solves problems over the same rows one after the other, in the same memory. */
typedef struct MarginSolver MarginSolver;
/* Allocates a solver. Fails with ERROR_LIMIT if its state of rows and columns exceeds the budget. problem must outlive it. */
MarginSolver *margin_solver(const MarginProblem *problem, const char *method);
/* Solves the problem as it now is. The arrays of the result are valid until the next call. */
MarginSolution margin_solve(MarginSolver *solver);
/*
 * Adds to support, [rows] in their order: 1 where the last solution has a multiplier above 0, 2 where it is C_i. multipliers: [rows] 0, to which the
 * signed ones are added; NULL: not wanted.
 */
void margin_support(const MarginSolver *solver, uint8_t *support, double *multipliers);

/* The state of one side's constraints for DESIGN_TILE rows; used by interior_point_simd.h. */
typedef struct MarginTile {
    bool hard;
    double *alpha, *slack, *room, *excess;    /* room: C_i - alpha */
    const double *sign, *used, *bound;        /* used: 1, or 0 for padding and unused rows */
    const double *predicted, *corrected;      /* x times the directions */
} MarginTile;

#endif
