/*
 * kernel_points.h - points laid out so that the kernel values of one query with all of them are computed eight at a time.
 *
 * Kernels of products and squared distances keep the points in panels of eight, coordinate by coordinate (vector_loops.h), and
 * take exp of whole panels (exp_log1p.h). Other kernels keep them row by row and call kernel_rows. Values are summed in one
 * order, so they have the same bits on every machine; those of an rbf may differ from kernel_value in the last two bits.
 */
#ifndef PGFIT_KERNEL_POINTS_H
#define PGFIT_KERNEL_POINTS_H

#include "core/distance/kernel.h"

#define KERNEL_PANEL 8

typedef struct KernelPoints {
    Kernel kernel;
    uint32_t count, dims;
    bool paneled;
    double *numbers; /* [panels][dims][8], the last panel filled up with its last point; or [count x dims] */
} KernelPoints;

/* Returns the bytes that a layout takes. */
size_t kernel_points_bytes(uint32_t count, uint32_t dims);
/* Lays out points [count x dims], which it copies. The kernel must be ready (kernel_scale). Polls. */
KernelPoints kernel_points(Env *env, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims);
/* Copies point i to out [dims]. */
void kernel_points_read(const KernelPoints *points, uint32_t i, double *out);
/* Exchanges two points. */
void kernel_points_swap(KernelPoints *points, uint32_t i, uint32_t j);
/*
 * Writes k(query, x_first), k(query, x_(first + 1)) .. to out. first is a multiple of KERNEL_PANEL, and count rounded up to
 * such a multiple is how many numbers are written; those behind the last point have no meaning.
 */
void kernel_points_values(const KernelPoints *points, const double *query, uint32_t first, uint32_t count, double *out);

#endif
