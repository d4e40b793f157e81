/*
 * kernel_points.h - points laid out so that the kernel values of one query with all of them are computed eight at a time.
 *
 * Points are in panels of eight, coordinate by coordinate (kernel_panels); values have the bits of kernel_value.
 */
#ifndef PGFIT_KERNEL_POINTS_H
#define PGFIT_KERNEL_POINTS_H

#include "core/kernel/kernel.h"

typedef struct KernelPoints {
    Kernel kernel;
    uint32_t count, dims;
    double *numbers; /* [panels][dims][8], the last panel filled up with its last point */
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
/*
 * The same in single precision, for fits. Values of rbf have errors below 2e-7, and take a third of the time: 4.1 instead of 11.7 ns at 10 numbers
 * a point, 9.2 instead of 21.5 at 64, on a machine that was busy.
 */
void kernel_points_floats(const KernelPoints *points, const double *query, uint32_t first, uint32_t count, float *out);

#endif
