/*
 * qr_panel_simd.h - the two products of qr_panel.c, compiled once per instruction set (cpu_dispatch.h).
 *
 * Sums of a tile, PIECE numbers of SIDE columns, stay in registers.
 */

typedef double SIMD(PanelVector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define V SIMD(PanelVector)
#define AT(p) (*(V *)(p))
#define SEE(p) (*(const V *)(p))

#if LANES == 8
#define VECTORS 4
#elif LANES == 4
#define VECTORS 2
#else
#define VECTORS 1
#endif

/*
 * Adds the sum over k < length of a[k x FACTOR_PANEL + i] b[j x b_ld + k] to to[j x to_ld + i], or subtracts it, for
 * i < vectors x LANES and j < columns.
 */
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(tile)(
    double *to, size_t to_ld, const double *a, const double *b, size_t b_ld, size_t length, int vectors,
    int columns, bool subtract)
{
    V sums[VECTORS][PANEL_SIDE];

#pragma GCC unroll 8
    for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
        for (int i = 0; i < vectors; i++)
            sums[i][j] = SEE(to + j * to_ld + i * LANES);
    for (size_t k = 0; k < length; k++, a += FACTOR_PANEL) {
#pragma GCC unroll 8
        for (int j = 0; j < columns; j++) {
            double times = subtract ? -b[j * b_ld + k] : b[j * b_ld + k];
#pragma GCC unroll 8
            for (int i = 0; i < vectors; i++)
                sums[i][j] += SEE(a + i * LANES) * times;
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
        for (int i = 0; i < vectors; i++)
            AT(to + j * to_ld + i * LANES) = sums[i][j];
}

/* The same for i < size, a multiple of 8 and at most FACTOR_PANEL. */
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(piece)(
    double *to, size_t to_ld, const double *a, const double *b, size_t b_ld, size_t length, size_t size,
    int columns, bool subtract)
{
    size_t i = 0;

    for (; i + VECTORS * LANES <= size; i += VECTORS * LANES)
        SIMD(tile)(to + i, to_ld, a + i, b, b_ld, length, VECTORS, columns, subtract);
    for (; i < size; i += LANES)
        SIMD(tile)(to + i, to_ld, a + i, b, b_ld, length, 1, columns, subtract);
}

/* Adds V' c to w [PANEL_SIDE x FACTOR_PANEL]. */
SIMD_TARGET static void SIMD(project)(double *w, const double *across, const double *c, size_t ld, size_t rows,
                                      uint32_t columns)
{
    if (columns == PANEL_SIDE)
        SIMD(piece)(w, FACTOR_PANEL, across, c, ld, rows, FACTOR_PANEL, PANEL_SIDE, false);
    else
        for (uint32_t j = 0; j < columns; j++)
            SIMD(piece)(w + j * FACTOR_PANEL, FACTOR_PANEL, across, c + j * ld, ld, rows, FACTOR_PANEL, 1, false);
}

/* Subtracts V w from c. */
SIMD_TARGET static void SIMD(remove)(double *c, size_t ld, const double *strips, const double *w, size_t rows,
                                     uint32_t columns)
{
    for (size_t r = 0; r < rows; r += FACTOR_PANEL, strips += FACTOR_PANEL * FACTOR_PANEL) {
        size_t size = rows - r < FACTOR_PANEL ? rows - r : FACTOR_PANEL;
        if (columns == PANEL_SIDE)
            SIMD(piece)(c + r, ld, strips, w, FACTOR_PANEL, FACTOR_PANEL, size, PANEL_SIDE, true);
        else
            for (uint32_t j = 0; j < columns; j++)
                SIMD(piece)(c + j * ld + r, ld, strips, w + j * FACTOR_PANEL, FACTOR_PANEL, FACTOR_PANEL, size, 1, true);
    }
}

#undef V
#undef AT
#undef SEE
#undef VECTORS
