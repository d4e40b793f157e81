/*
 * normal_draw.h - draws from normal distributions with given means and covariances.
 */
#ifndef PGFIT_NORMAL_DRAW_H
#define PGFIT_NORMAL_DRAW_H

#include "core/base/env.h"

typedef struct NormalDraw NormalDraw;

/*
 * Returns a source of draws from so many distributions. means: [parts x dims], which must outlive it; packed: upper triangles by
 * columns, one per distribution or one for all, which may be singular. Fails with ERROR_LIMIT if it exceeds the memory budget.
 */
NormalDraw *normal_draw_open(Env *env, uint32_t parts, uint32_t dims, const double *means, const double *packed, bool shared);
/* Draws from a distribution into out [dims]. state: a NormalDraw; bits: the state of random_bits. The draw of a Sampling. */
void normal_draw(void *state, uint32_t part, uint64_t *bits, double *out);

/*
 * Writes L with L L' = the packed covariance (upper triangle by columns), a lower triangle packed by columns (triangle_at). A
 * column whose variance the columns before it explain, up to rounding, is 0. One fixed order of operations, without BLAS. Polls.
 */
void semidefinite_root(Env *env, double *triangle, const double *packed, uint32_t n);

#endif
