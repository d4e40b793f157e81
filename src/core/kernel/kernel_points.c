/*
 * kernel_points.c - points in panels, and kernel values of one query with many points.
 */
#include "core/kernel/kernel_points.h"

#include <string.h>

#define POLL_NUMBERS 1000000u /* copied between two polls */
#define SOME 256 /* values that become floats at a time; a multiple of KERNEL_PANEL */

/* Everything else is compiled with -ffp-contract=off. */
#ifdef __clang__
#pragma clang fp contract(fast)
#define FUSED
#else
#define FUSED __attribute__((optimize("fp-contract=fast")))
#endif

#define SIMD_FILE "core/kernel/kernel_points_simd.h"
#include "core/base/cpu_dispatch.h"

static uint32_t round_up(uint32_t count)
{
    return (count + KERNEL_PANEL - 1) / KERNEL_PANEL * KERNEL_PANEL;
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
    KernelPoints out = {.kernel = *kernel, .count = count, .dims = dims};
    uint64_t done = 0;

    out.numbers = env_array_raw(env, (size_t)round_up(count) * dims + 1, sizeof(double));
    for (uint32_t i = 0; i < round_up(count); i++) {
        const double *point = points + (size_t)(i < count ? i : count - 1) * dims;
        double *to = place(&out, i);

        for (uint32_t d = 0; d < dims; d++)
            to[(size_t)d * KERNEL_PANEL] = point[d];
        env_poll_after(env, &done, dims, POLL_NUMBERS);
    }
    return out;
}

void kernel_points_read(const KernelPoints *points, uint32_t i, double *out)
{
    const double *from = place(points, i);

    for (uint32_t d = 0; d < points->dims; d++)
        out[d] = from[(size_t)d * KERNEL_PANEL];
}

void kernel_points_swap(KernelPoints *points, uint32_t i, uint32_t j)
{
    double *a = place(points, i), *b = place(points, j);

    for (size_t d = 0; d < (size_t)points->dims * KERNEL_PANEL; d += KERNEL_PANEL) {
        double kept = a[d];

        a[d] = b[d];
        b[d] = kept;
    }
}

void kernel_points_values(const KernelPoints *points, const double *query, uint32_t first, uint32_t count, double *out)
{
    kernel_panels(&points->kernel, query, place(points, first), round_up(count) / KERNEL_PANEL, points->dims, out);
}

void kernel_points_floats(const KernelPoints *points, const double *query, uint32_t first, uint32_t count, float *out)
{
    const Kernel *kernel = &points->kernel;
    double values[SOME];

    if (kernel->kind == KERNEL_RBF && !kernel->c_library && kernel->text_at == 0) {
        SIMD_CALL(rbf_floats, -kernel->gamma, query, place(points, first), round_up(count) / KERNEL_PANEL, points->dims, out);
        return;
    }
    for (uint32_t from = 0; from < count; from += SOME) {
        uint32_t some = count - from < SOME ? count - from : SOME;

        kernel_points_values(points, query, first + from, some, values);
        for (uint32_t i = 0; i < round_up(some); i++)
            out[from + i] = (float)values[i];
    }
}
