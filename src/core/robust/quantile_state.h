/*
 * quantile_state.h - the memory of a solver of quantile regression, and what solves all of its rows (quantile_solver.c), for quantile_reduced.c.
 */
#ifndef PGFIT_QUANTILE_STATE_H
#define PGFIT_QUANTILE_STATE_H

#include "core/robust/quantile_solver.h"

struct QuantileSolver {
    Env *env;
    StandardizedRows *rows;
    double tolerance;
    int64_t max_iter;
    double median, size;    /* of the targets; 0: quantile_improve finds them */
    uint64_t count, tiles;
    uint32_t width;         /* columns */
    void *memory;           /* of all of these but the small ones */
    double *x;              /* [tiles][width x DESIGN_TILE] */
    double *target, *weight; /* [tiles x DESIGN_TILE], as the following; padding has weight 0 */
    double *a, *slack;      /* the dual point, and 1 - a */
    double *lower, *upper;  /* multipliers of the box */
    double *step, *lower_step, *upper_step, *shift, *scale, *work;
    double *gram, *dense;   /* packed, and [width x width] */
    double *theta, *right, *move, *change; /* [width] */
    double *zeros;          /* [DESIGN_TILE] */
    const double **columns; /* [width + TILE_PADDING] */
    double *scratch;        /* [4 x DESIGN_TILE] */
};

/* Returns how many bytes a solver of so many rows takes. */
double quantile_memory(uint64_t count, uint32_t width);
/* Returns a solver of so many rows of 0; quantile_release releases it. */
QuantileSolver *quantile_room(StandardizedRows *rows, uint64_t count, double tolerance, int64_t max_iter);
void quantile_release(QuantileSolver *solver);
/* Adds the sum of numbers times weight times the columns to sums. numbers: [tiles x DESIGN_TILE], replaced. */
void quantile_add_products(const QuantileSolver *solver, double *numbers, double *sums);

/* Sets solver->theta to a solution, and the rest of it but the objective, from the theta of now. solution->theta: [width], for the work. */
void quantile_improve(QuantileSolver *solver, double quantile, QuantileSolution *solution);
/* The same from least squares. Returns false if the columns are dependent, or too small for a number. */
bool quantile_solve_rows(QuantileSolver *solver, double quantile, QuantileSolution *solution);
/* Returns the check losses of theta. Uses work. */
double quantile_check_loss(const QuantileSolver *solver, double quantile);

#endif
