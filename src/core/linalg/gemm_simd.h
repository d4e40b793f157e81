/*
 * gemm_simd.h - the inner loop of gemm.c, compiled once per instruction set (cpu_dispatch.h).
 *
 * A tile of TALL rows and WIDE vectors has as many sums as stay in registers; WIDE x LANES divides PRODUCT_STRIP.
 */

#if LANES == 8
#define TALL 8
#define WIDE 3
#elif LANES == 4
#define TALL 4
#define WIDE 3
#else
#define TALL 4
#define WIDE 2
#endif

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define V SIMD(Vector)
#define SEE(p) (*(const V *)(p))

SIMD_TARGET static inline void SIMD(tile)(const double *a, uint32_t rows,
                                          const double *strip, uint32_t width, double *out,
                                          size_t ld)
{
    V sums[TALL][WIDE] = {{{0}}};
    const double *row[TALL];

    for (uint32_t t = 0; t < TALL; t++)
        row[t] = a + (size_t)(t < rows ? t : 0) * width;
    for (uint32_t k = 0; k < width; k++, strip += PRODUCT_STRIP) {
        V b[WIDE];

        for (int w = 0; w < WIDE; w++)
            b[w] = SEE(strip + w * LANES);
#pragma GCC unroll 8
        for (int t = 0; t < TALL; t++)
            for (int w = 0; w < WIDE; w++)
                sums[t][w] += row[t][k] * b[w];
    }
    for (uint32_t t = 0; t < rows; t++)
        for (int w = 0; w < WIDE; w++)
            memcpy(out + t * ld + w * LANES, &sums[t][w], sizeof(V));
}

SIMD_TARGET static void SIMD(block)(const double *a, uint32_t rows, const double *packed,
                                    uint32_t columns, uint32_t width, double *out, size_t ld)
{
    for (uint32_t j = 0; j < columns; j += PRODUCT_STRIP) {
        const double *strip = packed + (size_t)j * width;

        for (int part = 0; part < PRODUCT_STRIP; part += WIDE * LANES) {
            uint32_t i = 0;

            for (; i + TALL <= rows; i += TALL)
                SIMD(tile)(a + (size_t)i * width, TALL, strip + part, width, out + i * ld + j + part, ld);
            if (i < rows)
                SIMD(tile)(a + (size_t)i * width, rows - i, strip + part, width, out + i * ld + j + part, ld);
        }
    }
}

#undef V
#undef SEE
#undef TALL
#undef WIDE
