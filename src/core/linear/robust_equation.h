/*
 * robust_equation.h - robust standard errors of an equation whose model says the variance of each row, from two more passes over its rows.
 */
#ifndef PGFIT_ROBUST_EQUATION_H
#define PGFIT_ROBUST_EQUATION_H

#include "core/inference/sandwich.h"
#include "core/linear_equations/linear_equations.h"
#include "core/rows/standardized_rows.h"

typedef struct RobustEquation {
    const VcovPlan *plan;
    const StandardizedRows *rows;
    RowDesign *offsets;  /* one number per row that its score has besides; NULL: none */
    const double *theta; /* [rows->count] the solution */
    bool bounded;        /* variances have a scale of their own, that of shares; else they grow with the target */
    /* Sets variance, residual and ratio of row i of a block; score: of its equation. */
    void (*model)(const void *of, const DesignBlock *block, uint32_t i, double score, SandwichRow *row);
    const void *of;
} RobustEquation;

/*
 * Returns the covariance of the intercept and the terms of the design, packed, 0 for dropped terms, and adds to the model what says so. NULL: the
 * curvature is singular, or a number is out of range.
 */
double *robust_equation(const RobustEquation *equation, ModelBuilder *builder);

#endif
