/*
 * quantile_solver.h - coefficients that minimize the check loss of a quantile: weight times residual times (quantile - 1 if the
 * residual is negative, else quantile).
 */
#ifndef PGFIT_QUANTILE_SOLVER_H
#define PGFIT_QUANTILE_SOLVER_H

#include "core/rows/standardized_rows.h"

typedef struct QuantileSolver QuantileSolver;

typedef struct QuantileSolution {
    double *theta;     /* [rows->count] of the standardized columns, the intercept first */
    double objective;  /* sum of the check losses */
    double gap;        /* how far the objective may be above the least one: the duality gap */
    int64_t iterations;
    bool converged;
} QuantileSolution;

/*
 * Reads the rows into memory, column by column within tiles, with a dozen numbers of its own per row. rows must not change afterwards.
 * Fails with ERROR_LIMIT beyond the memory budget.
 */
QuantileSolver *quantile_solver(StandardizedRows *rows, double tolerance, int64_t max_iter);
/* Solves for one quantile. The solution lives as long as the solver. */
QuantileSolution quantile_solve(QuantileSolver *solver, double quantile);


Env *quantile_env(const QuantileSolver *solver);
uint32_t quantile_columns(const QuantileSolver *solver);
/* Rows: [rows] each, in their order. */
uint64_t quantile_rows(const QuantileSolver *solver);
double quantile_row_weight(const QuantileSolver *solver, uint64_t row);
/* Sets x [columns] to those of a row, times weight. */
void quantile_row(const QuantileSolver *solver, uint64_t row, double *x);
/* Sets sums [columns] to the sum of numbers [rows] times weight times the columns. */
void quantile_products(const QuantileSolver *solver, const double *numbers, double *sums);
/* Sets scores [rows] to those of theta [rows->count], times weight where `weighted`. */
void quantile_scores(const QuantileSolver *solver, const double *theta, bool weighted, double *scores);
/* Sets residuals [rows] to target minus score, times weight where `weighted`. */
void quantile_residuals(const QuantileSolver *solver, const double *theta, bool weighted, double *residuals);
/* Sets residuals [rows] of the last solution, times weight, to 0 where they are what rounding leaves of their targets, and the tolerance of the losses. */
void quantile_drop_rounding(const QuantileSolver *solver, double *residuals);
/* Sets gram [packed] to the sum of factor times the squared weight times the products of columns; factors [rows], NULL: 1. */
void quantile_gram(const QuantileSolver *solver, const double *factors, double *gram);
/* Returns the check losses of the best constant, or without an intercept of 0. */
double quantile_null_objective(const QuantileSolver *solver, double quantile);

#endif
