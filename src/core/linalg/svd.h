/*
 * svd.h - singular values and right singular vectors of a square matrix, such as a triangular factor.
 *
 * Up to 64 columns: one-sided rotations, which keep the digits of small values if columns differ much in size (Hestenes 1958;
 * Demmel & Veselic 1992). Above: a bidiagonal form and LAPACK's divide and conquer, with values accurate to about eps times the
 * largest. That call cannot be interrupted: it takes about 0.1 s for 1,000 columns.
 */
#ifndef PGFIT_SVD_H
#define PGFIT_SVD_H

#include "core/base/env.h"

typedef struct Singular {
    uint32_t n, rank;
    double *values;  /* [n], descending; 0 for those that count as rounding */
    double *vectors; /* [n x n], of norm 1, one vector per row */
    double *left;    /* [n] U'y, where U are the left singular vectors; NULL if y was NULL */
} Singular;

/* Returns the peak memory of singular_make in bytes, including the matrix. */
size_t singular_memory(uint32_t n);
/*
 * Decomposes a [n x n], column major, n > 0, finite numbers of any size; a is destroyed, and so is y [n], which may be NULL.
 * noise [n]: the norm of the rounding errors in each column (NULL: none); a value counts as 0 if it does not exceed those of its
 * own combination of columns. Polls.
 */
Singular singular_make(Env *env, double *a, uint32_t n, double *y, const double *noise);

#endif
