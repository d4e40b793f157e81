/*
 * qr_panel.c - applies the reflections of several columns at once (Schreiber & Van Loan 1989).
 */
#include "core/linalg/qr_panel.h"
#include "core/linalg/packed.h"

#include <string.h>

#include "core/base/fused_sums.h"

#define PANEL_SIDE 6 /* columns to which reflections are applied at a time */

#define SIMD_FILE "core/linalg/qr_panel_simd.h"
#include "core/base/cpu_dispatch.h"

FactorPanel factor_panel_new(Env *env, size_t rows, void **memory)
{
    size_t strips = (rows + FACTOR_PANEL - 1) / FACTOR_PANEL * FACTOR_PANEL;
    FactorPanel panel;

    panel.across = env_aligned(env, (rows + strips + FACTOR_PANEL) * FACTOR_PANEL, memory);
    panel.strips = panel.across + rows * FACTOR_PANEL;
    panel.triangle = panel.strips + strips * FACTOR_PANEL;
    return panel;
}

/* Computes the triangle T of the product of the reflections from V'V. */
static void form_triangle(double *t, const double *products, const double *taus)
{
    memset(t, 0, FACTOR_PANEL * FACTOR_PANEL * sizeof(double));
    for (int k = 0; k < FACTOR_PANEL; k++) {
        const double *with = products + k * FACTOR_PANEL;
        for (int i = 0; i < k; i++) {
            double sum = 0;
            for (int j = i; j < k; j++)
                sum += t[i * FACTOR_PANEL + j] * with[j];
            t[i * FACTOR_PANEL + k] = -taus[k] * sum;
        }
        t[k * FACTOR_PANEL + k] = taus[k];
    }
}

void factor_panel_take(FactorPanel *panel, const double *v, size_t ld, size_t rows, const double *taus)
{
    size_t padded = (rows + FACTOR_PANEL - 1) / FACTOR_PANEL * FACTOR_PANEL;
    double products[FACTOR_PANEL * FACTOR_PANEL] = {0};

    for (size_t r = 0; r < padded; r += FACTOR_PANEL) {
        size_t size = rows - r < FACTOR_PANEL ? rows - r : FACTOR_PANEL;
        double *strip = panel->strips + r * FACTOR_PANEL;
        for (int k = 0; k < FACTOR_PANEL; k++) {
            const double *from = v + k * ld + r;
            double *across = panel->across + r * FACTOR_PANEL + k;
            memcpy(strip + k * FACTOR_PANEL, from, size * sizeof(double));
            memset(strip + k * FACTOR_PANEL + size, 0, (FACTOR_PANEL - size) * sizeof(double));
            for (size_t i = 0; i < size; i++)
                across[i * FACTOR_PANEL] = from[i];
        }
    }
    for (uint32_t k = 0; k < FACTOR_PANEL; k += PANEL_SIDE)
        SIMD_CALL(project, products + k * FACTOR_PANEL, panel->across, v + k * ld, ld, rows,
                  FACTOR_PANEL - k < PANEL_SIDE ? FACTOR_PANEL - k : PANEL_SIDE);
    form_triangle(panel->triangle, products, taus);
}

/* Prefetches the triangle's rows of the next columns, which lie apart in a packed triangle. */
static inline void prefetch_columns(const double *packed, uint32_t first, uint32_t from, uint32_t to)
{
    for (uint32_t j = from; j < to && j < from + PANEL_SIDE; j++)
        for (int k = 0; k < FACTOR_PANEL + FACTOR_LANES; k += FACTOR_LANES)
            __builtin_prefetch(packed + factor_packed(j) + first + k, 1);
}

void factor_panel_apply(const FactorPanel *panel, double *packed, uint32_t first, uint32_t from, uint32_t to,
                        double *block, size_t ld, size_t rows)
{
    double along[PANEL_SIDE * FACTOR_PANEL], w[PANEL_SIDE * FACTOR_PANEL];

    for (uint32_t j = from; j < to; j += PANEL_SIDE) {
        uint32_t columns = to - j < PANEL_SIDE ? to - j : PANEL_SIDE;
        double *c = block + j * ld;

        for (uint32_t i = 0; i < columns; i++)
            memcpy(along + i * FACTOR_PANEL, packed + factor_packed(j + i) + first, FACTOR_PANEL * sizeof(double));
        SIMD_CALL(project, along, panel->across, c, ld, rows, columns);
        prefetch_columns(packed, first, j + PANEL_SIDE, to);
        memset(w, 0, sizeof(w));
        SIMD_CALL(project, w, panel->triangle, along, FACTOR_PANEL, FACTOR_PANEL, columns);
        for (uint32_t i = 0; i < columns; i++) {
            double *r = packed + factor_packed(j + i) + first;
            for (int k = 0; k < FACTOR_PANEL; k++)
                r[k] -= w[i * FACTOR_PANEL + k];
        }
        SIMD_CALL(remove, c, ld, panel->strips, w, rows, columns);
    }
}
