/*
 * kernel_points.c - points in panels, and kernel values of one query with many points.
 */
#include "core/distance/kernel_points.h"
#include "core/linalg/vector_loops.h"
#include "core/math/exp_log1p.h"

#include <string.h>

#define POLL_POINTS 512

/* Replaces squared distances by the values of an rbf. */
static inline __attribute__((always_inline)) void exponentials(double gamma, uint32_t count, double *x)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] = exponential_core(-gamma * x[i]);
}
#define SIMD_FILE "core/distance/kernel_points_simd.h"
#include "core/base/cpu_dispatch.h"

static uint32_t round_up(uint32_t count)
{
    return (count + KERNEL_PANEL - 1) / KERNEL_PANEL * KERNEL_PANEL;
}

/* Tells whether values follow from products or squared distances of coordinates. */
static bool of_products(const Kernel *kernel)
{
    switch (kernel->kind) {
    case KERNEL_LINEAR:
    case KERNEL_POLYNOMIAL:
    case KERNEL_RBF:
    case KERNEL_SIGMOID:
        return true;
    default:
        return false;
    }
}

/* Returns where the coordinates of a point begin in its panel; they are KERNEL_PANEL apart. */
static double *place(const KernelPoints *points, uint32_t i)
{
    return points->numbers + (size_t)(i / KERNEL_PANEL) * points->dims * KERNEL_PANEL + i % KERNEL_PANEL;
}

size_t kernel_points_bytes(uint32_t count, uint32_t dims)
{
    return ((size_t)round_up(count) * dims + 1) * sizeof(double);
}

KernelPoints kernel_points(Env *env, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims)
{
    KernelPoints out = {.kernel = *kernel, .count = count, .dims = dims, .paneled = of_products(kernel)};
    size_t numbers = (size_t)count * dims;

    out.numbers = env_array_raw(env, (size_t)round_up(count) * dims + 1, sizeof(double));
    if (!out.paneled) {
        env_copy(env, out.numbers, points, numbers * sizeof(double));
        return out;
    }
    for (uint32_t i = 0; i < round_up(count); i++) {
        const double *point = points + (size_t)(i < count ? i : count - 1) * dims;
        double *to = place(&out, i);

        for (uint32_t d = 0; d < dims; d++)
            to[(size_t)d * KERNEL_PANEL] = point[d];
        if (i % POLL_POINTS == 0)
            env->poll(env);
    }
    return out;
}

void kernel_points_read(const KernelPoints *points, uint32_t i, double *out)
{
    const double *from = points->paneled ? place(points, i) : points->numbers + (size_t)i * points->dims;
    size_t step = points->paneled ? KERNEL_PANEL : 1;

    for (uint32_t d = 0; d < points->dims; d++)
        out[d] = from[d * step];
}

void kernel_points_swap(KernelPoints *points, uint32_t i, uint32_t j)
{
    double *a = points->paneled ? place(points, i) : points->numbers + (size_t)i * points->dims;
    double *b = points->paneled ? place(points, j) : points->numbers + (size_t)j * points->dims;
    size_t step = points->paneled ? KERNEL_PANEL : 1;

    for (size_t d = 0; d < points->dims * step; d += step) {
        double kept = a[d];

        a[d] = b[d];
        b[d] = kept;
    }
}

void kernel_points_values(const KernelPoints *points, const double *query, uint32_t first, uint32_t count, double *out)
{
    const Kernel *kernel = &points->kernel;
    uint32_t panels = round_up(count) / KERNEL_PANEL;

    if (!points->paneled) {
        kernel_rows(kernel, query, points->numbers + (size_t)first * points->dims, count, points->dims, out);
        for (uint32_t i = count; i < round_up(count); i++)
            out[i] = 0;
        return;
    }
    loop_panels(kernel->kind == KERNEL_RBF ? LOOP_SQUARES : LOOP_PRODUCTS, 0, query, place(points, first), panels,
                points->dims, points->dims, out);
    if (kernel->kind == KERNEL_RBF)
        SIMD_CALL(exponential_rows, kernel->gamma, panels * KERNEL_PANEL, out);
    else if (kernel->kind != KERNEL_LINEAR)
        for (uint32_t i = 0; i < panels * KERNEL_PANEL; i++)
            out[i] = kernel_of_product(kernel, out[i]);
}
