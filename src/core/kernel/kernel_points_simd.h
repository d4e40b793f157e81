/*
 * kernel_points_simd.h - values of the rbf kernel for fits, in single precision, compiled once per instruction set (cpu_dispatch.h).
 *
 * Distances are summed in double precision, because the points may lie far from 0; fused multiply-adds where the processor has them.
 */
#ifdef SIMD_FUSES
#define FLOATS_TARGET SIMD_TARGET FUSED
#else
#define FLOATS_TARGET SIMD_TARGET
#endif

typedef double SIMD(Doubles) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef float SIMD(Floats) __attribute__((vector_size(32), aligned(4), may_alias));
typedef float SIMD(Half) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t SIMD(Whole) __attribute__((vector_size(32), aligned(4), may_alias));
#define V SIMD(Doubles)
#define F SIMD(Floats)
#define I SIMD(Whole)
#define PARTS (KERNEL_PANEL / LANES) /* vectors of doubles in a panel */

/* Replaces x <= 0 by exp(x), 0 below -87, to 2 units in the last place of the result for x near 0. The steps are those of exponential_core. */
FLOATS_TARGET static inline void SIMD(float_exponentials)(F *x)
{
    F zero = {0}, limit = zero - 87.0f, shift = zero + 0x1.8p23f, least, shifted, n, r, p, scale;
    I inside = (I)(*x >= limit);

    least = (F)(((I)*x & inside) | ((I)limit & ~inside));
    shifted = least * 0x1.715476p0f + shift;
    n = shifted - shift;
    r = least - n * 0x1.62e4p-1f; /* log 2 in two parts */
    r = r - n * 0x1.7f7d1cp-20f;
    p = zero + 0x1.a01a02p-13f; /* 1/7!, 1/6!, ... */
    p = p * r + 0x1.6c16c2p-10f;
    p = p * r + 0x1.111112p-7f;
    p = p * r + 0x1.555556p-5f;
    p = p * r + 0x1.555556p-3f;
    p = p * r + 0.5f;
    p = p * (r * r) + r;
    scale = (F)(((I)shifted + 127) << 23);
    *x = (F)((I)(scale + scale * p) & inside);
}

/* Writes exp(factor |query - x|^2), factor < 0, for `panels` panels, at most 4, which are `stride` doubles apart. */
FLOATS_TARGET static inline __attribute__((always_inline)) void SIMD(rbf_few)(double factor, const double *query, const double *at, size_t stride, uint32_t panels,
                                                                               uint32_t dims, float *out)
{
    V sums[4][PARTS] = {{{0}}};

    for (uint32_t d = 0; d < dims; d++, at += KERNEL_PANEL) {
        V q = (V){0} + query[d];

#pragma GCC unroll 4
        for (uint32_t p = 0; p < panels; p++)
#pragma GCC unroll 4
            for (uint32_t k = 0; k < PARTS; k++) {
                V difference = q - *(const V *)(at + p * stride + k * LANES);

                sums[p][k] += difference * difference;
            }
    }
#pragma GCC unroll 4
    for (uint32_t p = 0; p < panels; p++) {
        F x;

#pragma GCC unroll 4
        for (uint32_t k = 0; k < PARTS; k++) {
            SIMD(Half) half = __builtin_convertvector(sums[p][k] * factor, SIMD(Half));

            memcpy((float *)&x + k * LANES, &half, sizeof half);
        }
        SIMD(float_exponentials)(&x);
        memcpy(out + p * KERNEL_PANEL, &x, sizeof x);
    }
}

FLOATS_TARGET static void SIMD(rbf_floats)(double factor, const double *query, const double *panels, uint32_t panel_count, uint32_t dims, float *out)
{
    size_t stride = (size_t)dims * KERNEL_PANEL;
    uint32_t i = 0;

    for (; i + 4 <= panel_count; i += 4)
        SIMD(rbf_few)(factor, query, panels + i * stride, stride, 4, dims, out + (size_t)i * KERNEL_PANEL);
    for (; i < panel_count; i++)
        SIMD(rbf_few)(factor, query, panels + i * stride, stride, 1, dims, out + (size_t)i * KERNEL_PANEL);
}

#undef FLOATS_TARGET
#undef V
#undef F
#undef I
#undef PARTS
