/*
 * leading_eigen.h - the largest eigenvalues of a large symmetric matrix and their vectors, much faster than eigen.h finds all.
 *
 * A block Krylov method: 24 vectors are multiplied by the matrix together, which reads it once, and the largest Ritz pairs of all
 * products so far are kept (Golub & Underwood 1977; thick restarts: Wu & Simon 2000). It finds an eigenvalue at most 24 times.
 */
#ifndef PGFIT_LEADING_EIGEN_H
#define PGFIT_LEADING_EIGEN_H

#include "core/base/env.h"

typedef struct LeadingEigen {
    double *values;    /* [count], descending */
    double *vectors;   /* [count x n], unit vectors */
    double least;      /* a bound from above of the smallest eigenvalue, near it if that is far below 0 */
    uint32_t products; /* of the matrix with 24 vectors */
    bool converged;    /* residuals are at most 1e-10 times their value, or rounding */
} LeadingEigen;

/* Tells whether this is faster than eigen.h for so many values. */
bool leading_eigen_pays(uint32_t n, uint32_t count);
/* Returns the bytes needed besides the matrix. */
size_t leading_eigen_memory(uint32_t n, uint32_t count);
/*
 * Finds the `count` largest values of a (n x n, symmetric, both triangles filled, finite, unchanged), count <= n / 8. Polls.
 */
LeadingEigen leading_eigen(Env *env, const double *a, uint32_t n, uint32_t count);

#endif
