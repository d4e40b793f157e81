/*
 * eigen.h - eigenvalues and eigenvectors of symmetric matrices, answering to a cancel.
 *
 * Small matrices go by Jacobi's method, which keeps the digits of small eigenvalues where rows and columns
 * are of very different size (Demmel & Veselic 1992); larger ones are reduced to a tridiagonal matrix in
 * panels, with polls in between, and that is solved by LAPACK: by dividing (Cuppen 1981) where many vectors
 * are wanted, by relatively robust representations (Dhillon & Parlett 2004) where few are. The call for
 * the tridiagonal matrix is in one piece: at most 60 ms of one processor for 1,000 columns, and about
 * n^3 / 3e10 s beyond.
 */
#ifndef PGFIT_EIGEN_H
#define PGFIT_EIGEN_H

#include "core/base/env.h"

typedef struct Eigen Eigen;

/* Bytes that all values and `count` vectors take, the matrix and the vectors included. */
size_t eigen_memory(uint32_t n, uint32_t count);

/*
 * All eigenvalues of a (n x n, symmetric; both triangles filled; n > 0), which is destroyed and must live
 * until eigen_free. Finite numbers of any size.
 */
Eigen *eigen_begin(Env *env, double *a, uint32_t n);
/* [n], falling. */
const double *eigen_values(const Eigen *eigen);
/* The unit vectors of the first `count` values, [count x n], a vector a row. Once only. */
void eigen_vectors(Eigen *eigen, uint32_t count, double *vectors);
void eigen_free(Eigen *eigen);

#endif
