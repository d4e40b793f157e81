/*
 * geometric_median_internal.h - what the files of the geometric median share.
 */
#ifndef PGFIT_GEOMETRIC_MEDIAN_INTERNAL_H
#define PGFIT_GEOMETRIC_MEDIAN_INTERNAL_H

#include "core/rows/rows.h"

#include <math.h>

#define MEMORY_PAIRS 10 /* most steps that L-BFGS remembers */

/* The objective and its derivatives at one point. */
typedef struct Evaluation {
    double *high, *low;  /* the point, scaled: high + low */
    double *gradient;    /* of the other rows */
    double norm;         /* of the gradient */
    double objective;    /* scaled */
    double inverse;      /* sum of w / distance */
    double on;           /* weight of the rows that coincide with the point */
    double nearest;      /* distance of the nearest other row; infinite: there is none */
    double nearest_weight;
    double *nearest_row; /* scaled */
    double farthest;     /* distance of the farthest row */
} Evaluation;

typedef struct Median {
    Env *env;
    Rows *rows;
    RowsReader *reader;
    uint32_t slots;
    double scale;        /* power of two by which coordinates are multiplied */
    double weight_scale; /* the same for weights */
    double weight;       /* sum of the scaled weights */
    uint64_t passes;     /* evaluations so far */
    Evaluation current, trial;
    double *difference, *block_gradient, *direction, *rejected, *farthest_row;
    bool has_rejected;   /* rejected: the row tried last as the answer */
    double tolerance;
    uint32_t pairs, pair_count, pair_next; /* of L-BFGS: most, remembered, place of the next */
    double *steps, *changes;               /* [pairs x slots] */
    double rho[MEMORY_PAIRS], alpha[MEMORY_PAIRS]; /* 1 / (step' change), and the first loop's coefficients */
} Median;

/* Fills an evaluation at its point (high + low), in one pass over the rows. */
void median_evaluate(Median *median, Evaluation *at);
/*
 * Tells whether all rows are within rounding of the line through `origin`, the nearest row of the first pass, and the farthest one.
 * Writes the unit vector of the line to direction.
 */
bool median_on_line(Median *median, const double *origin, double *direction);
/* Moves the current point to the middle between the lower and the upper median row along the line, which is optimal. */
void median_of_line(Median *median, const double *origin, const double *direction);

static inline double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double block_weight(const Median *median, const RowsBlock *block, uint32_t i)
{
    return row_weight(block->weights, i) * median->weight_scale;
}

static inline void copy_scaled(double *to, const double *from, double scale, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i] * scale;
}

#endif
