/*
 * gemm.h - the product A B' of two sets of rows, block by block: for distances and kernels between many rows. Only for fits:
 * sums use fused multiply-adds, and may differ in the last bits between machines.
 */
#ifndef PGFIT_GEMM_H
#define PGFIT_GEMM_H

#include "core/base/env.h"

#define PRODUCT_STRIP 24 /* columns that are packed together: a multiple of the width of all vectors */

/* Returns how many numbers `rows` packed rows take. */
static inline size_t product_packed(size_t rows, size_t width)
{
    return (rows + PRODUCT_STRIP - 1) / PRODUCT_STRIP * PRODUCT_STRIP * width;
}
/* Packs rows [rows x width], `stride` apart, minus center [width] (NULL: 0), into strips. */
void product_pack(const double *b, uint32_t rows, uint32_t width, size_t stride,
                  const double *center, double *packed);
/* Writes out[i x ld + j] = a_i . b_j; ld is at least `columns` rounded up to whole strips. a: [rows x width]. */
void product_block(const double *a, uint32_t rows, const double *packed, uint32_t columns,
                   uint32_t width, double *out, size_t ld);

/*
 * Writes out[i x count_b + j] = a_i . b_j, or with `squares` |a_i - b_j|^2, for the first `width` numbers of rows that are
 * `stride` apart. Squares come from products of centered rows, and from the differences themselves if the products cancel; equal
 * rows give 0. Polls; needs less than 1 MB if width is below 300.
 */
void product_distances(Env *env, bool squares, const double *a, uint32_t count_a, const double *b,
                       uint32_t count_b, uint32_t width, size_t stride, double *out);

#endif
