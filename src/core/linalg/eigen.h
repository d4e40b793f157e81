/*
 * eigen.h - eigenvalues and eigenvectors of symmetric matrices, with polls for cancellation.
 *
 * Small matrices use Jacobi's method, which keeps the digits of small eigenvalues if rows and columns differ much in size
 * (Demmel & Veselic 1992). Larger ones are reduced to a tridiagonal matrix in panels, with polls in between, and LAPACK solves
 * that: by divide and conquer (Cuppen 1981) for many vectors, by relatively robust representations (Dhillon & Parlett 2004) for
 * few. The call for the tridiagonal matrix cannot be interrupted: it takes at most 60 ms for 1,000 columns, and about
 * n^3 / 3e10 s beyond.
 */
#ifndef PGFIT_EIGEN_H
#define PGFIT_EIGEN_H

#include "core/base/env.h"

typedef struct Eigen Eigen;

/* Returns how many bytes all values and `count` vectors take, including the matrix and the vectors. */
size_t eigen_memory(uint32_t n, uint32_t count);

/*
 * Finds all eigenvalues of a (n x n, symmetric, both triangles filled, n > 0; finite numbers of any size), which is destroyed
 * and must live as long as the result.
 */
Eigen *eigen_begin(Env *env, double *a, uint32_t n);
/* Returns the eigenvalues [n], descending. */
const double *eigen_values(const Eigen *eigen);
/* Writes the unit eigenvectors of the first `count` values, [count x n], one per row. Call it once. */
void eigen_vectors(Eigen *eigen, uint32_t count, double *vectors);
/* Frees all but the matrix. Optional: for fits that find the eigenvalues of many matrices. */
void eigen_free(Eigen *eigen);

#endif
