/*
 * householder.h - the orthogonal matrix of a reduction to tridiagonal or bidiagonal form, applied.
 */
#ifndef PGFIT_HOUSEHOLDER_H
#define PGFIT_HOUSEHOLDER_H

#include "core/base/env.h"

/*
 * z [n x count], column major, becomes H(0) H(1) ... H(n - 2) z. H(k) = I - tau[k] v v'; v is 0 up to k, 1 at
 * k + 1, and below that it stands in column k of a [n x n], column major. Block by block from the last, by LAPACK;
 * polls.
 */
void householder_apply(Env *env, const double *a, const double *tau, uint32_t n, double *z, uint32_t count);

#endif
