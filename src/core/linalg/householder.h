/*
 * householder.h - applies the orthogonal matrix of a reduction to tridiagonal or bidiagonal form.
 */
#ifndef PGFIT_HOUSEHOLDER_H
#define PGFIT_HOUSEHOLDER_H

#include "core/base/env.h"

/*
 * Replaces z [n x count], column major, by H(0) H(1) ... H(n - 2) z, where H(k) = I - tau[k] v v'; v is 0 up to k, 1 at k + 1,
 * and stored below that in column k of a [n x n], column major. Calls LAPACK block by block, from the last; polls.
 */
void householder_apply(Env *env, const double *a, const double *tau, uint32_t n, double *z, uint32_t count);

#endif
