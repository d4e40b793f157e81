/*
 * semidefinite_root.h - a triangular root of a covariance, which may be singular: for drawing from normal distributions.
 */
#ifndef PGFIT_SEMIDEFINITE_ROOT_H
#define PGFIT_SEMIDEFINITE_ROOT_H

#include "core/base/env.h"

/*
 * Writes L with L L' = the packed covariance (upper triangle by columns), a lower triangle packed by columns (triangle_at). A
 * column whose variance the columns before it explain, up to rounding, is 0. One fixed order of operations, without BLAS. Polls.
 */
void semidefinite_root(Env *env, double *triangle, const double *packed, uint32_t n);
/* Adds L z to out [n]. z: [n]. */
void semidefinite_root_add(const double *triangle, uint32_t n, const double *z, double *out);

#endif
