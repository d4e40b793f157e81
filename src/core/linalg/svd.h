/*
 * svd.h - singular values and right singular vectors of a square matrix, a triangular factor for instance.
 *
 * Up to 64 columns by one-sided rotations, which keep the digits of small values where columns are of very
 * different size (Hestenes 1958; Demmel & Veselic 1992); above by a bidiagonal form and LAPACK's division of it,
 * where all values are known to about eps times the largest. That call is in one piece: about 0.1 s for 1,000
 * columns.
 */
#ifndef PGFIT_SVD_H
#define PGFIT_SVD_H

#include "core/base/env.h"

typedef struct Singular {
    uint32_t n, rank;
    double *values;  /* [n], those of the rank first, falling; what counts as rounding is 0 */
    double *vectors; /* [n x n], of norm 1, a vector a row */
    double *left;    /* [n] U'y for the left vectors U that go with them; NULL where y was */
} Singular;

/* Bytes that it takes at once, the matrix included. */
size_t singular_memory(uint32_t n);
/*
 * a [n x n], column major, n > 0, is destroyed; finite numbers of any size. y [n] is destroyed too; NULL: none.
 * noise [n]: norm of the rounding errors in each column (NULL: none): a value counts as 0 where it is not above
 * those of its own combination of columns. Polls.
 */
Singular singular_make(Env *env, double *a, uint32_t n, double *y, const double *noise);
void singular_free(Env *env, Singular *singular);

#endif
