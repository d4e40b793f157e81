/*
 * kernel_cache.h - rows of a Gram matrix, computed when they are asked for and kept within a budget.
 *
 * Solvers that visit rows of the matrix again and again (SMO, the kernel perceptron) ask for the first `length` values of a row. The
 * least recently used rows make room for new ones. Points can change places, so that a solver keeps those that it still works
 * on together at the front: the cached rows follow.
 *
 * Values are kept as floats, as LIBSVM keeps them, so that twice as many rows fit.
 */
#ifndef PGFIT_KERNEL_CACHE_H
#define PGFIT_KERNEL_CACHE_H

#include "core/kernel/kernel_points.h"

typedef struct KernelCache KernelCache;

/* Returns the bytes that a cache needs at least: the points, its lists, and two rows. Saturates at SIZE_MAX. */
size_t kernel_cache_least(uint32_t count, uint32_t dims);
/*
 * Makes a cache over the points [count x dims], which it copies. bytes: its budget for rows, besides the points; two whole
 * rows are kept in any case. The kernel must be ready (kernel_scale).
 */
KernelCache *kernel_cache(Env *env, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims, size_t bytes);
/* Gives the memory back before the fit ends. */
void kernel_cache_free(KernelCache *cache);
/*
 * Returns k(x_i, x_0 .. x_(length-1)), followed by KERNEL_CACHE_SPARE floats without meaning, for solvers that read whole
 * vectors; valid until the second call after this one.
 */
#define KERNEL_CACHE_SPARE 64
const float *kernel_cache_row(KernelCache *cache, uint32_t i, uint32_t length);
/* Returns k(x_i, x_i), [count], in the order of the points now. */
const double *kernel_cache_diagonal(const KernelCache *cache);
/* Exchanges points, pair after pair; first < second in each. */
typedef struct PointPair {
    uint32_t first, second;
} PointPair;
void kernel_cache_swap(KernelCache *cache, const PointPair *pairs, uint32_t count);
/*
 * Writes k(x_i, x_first .. x_(first+count-1)) in double precision, uncached, to out, with room for count rounded up to a
 * multiple of KERNEL_PANEL. first is such a multiple.
 */
void kernel_cache_values(KernelCache *cache, uint32_t i, uint32_t first, uint32_t count, double *out);
/* The same with the values that rows have. */
void kernel_cache_floats(KernelCache *cache, uint32_t i, uint32_t first, uint32_t count, float *out);
/* Returns how many kernel values were computed. */
uint64_t kernel_cache_evaluations(const KernelCache *cache);

#endif
