/*
 * row_tile_simd.h - the inner loops of row_tile.c, compiled once per instruction set (cpu_dispatch.h).
 *
 * Columns are DESIGN_TILE numbers on 64-byte boundaries. SEE reads and AT also writes the vector at an aligned address;
 * SEE_LOOSE and LOOSE do so at any address.
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES)));
typedef double SIMD(Loose) __attribute__((vector_size(8 * LANES), aligned(8)));
#define V SIMD(Vector)
#define LOOSE(p) (*(SIMD(Loose) *)(p))
#define SEE_LOOSE(p) (*(const SIMD(Loose) *)(p))
#define AT(p) (*(V *)(p))
#define SEE(p) (*(const V *)(p))

#include "core/linalg/lane_sum_simd.h"

/* ---- rows as columns ---- */

typedef double SIMD(Two) __attribute__((vector_size(16)));
typedef double SIMD(LooseTwo) __attribute__((vector_size(16), aligned(8)));
typedef int64_t SIMD(PlacesTwo) __attribute__((vector_size(16)));
#define LOOSE_TWO(p) (*(SIMD(LooseTwo) *)(p))
#define SEE_TWO(p) (*(const SIMD(LooseTwo) *)(p))

/* Copies two rows of two numbers to two columns. */
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(transpose_two)(const double *x, uint32_t terms, double *tile)
{
    SIMD(Two) a = SEE_TWO(x), b = SEE_TWO(x + terms);

    LOOSE_TWO(tile) = SHUFFLE(SIMD(PlacesTwo), a, b, 0, 2);
    LOOSE_TWO(tile + DESIGN_TILE) = SHUFFLE(SIMD(PlacesTwo), a, b, 1, 3);
}

#if LANES >= 4
typedef double SIMD(Four) __attribute__((vector_size(32)));
typedef double SIMD(LooseFour) __attribute__((vector_size(32), aligned(8)));
typedef int64_t SIMD(PlacesFour) __attribute__((vector_size(32)));
#define LOOSE_FOUR(p) (*(SIMD(LooseFour) *)(p))
#define SEE_FOUR(p) (*(const SIMD(LooseFour) *)(p))

/* Copies four rows of four numbers to four columns. */
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(transpose_four)(const double *x, uint32_t terms, double *tile)
{
    SIMD(Four) a = SEE_FOUR(x), b = SEE_FOUR(x + terms), c = SEE_FOUR(x + 2 * (size_t)terms), d = SEE_FOUR(x + 3 * (size_t)terms);
    SIMD(Four) even = SHUFFLE(SIMD(PlacesFour), a, b, 0, 4, 2, 6), odd = SHUFFLE(SIMD(PlacesFour), a, b, 1, 5, 3, 7);
    SIMD(Four) next_even = SHUFFLE(SIMD(PlacesFour), c, d, 0, 4, 2, 6), next_odd = SHUFFLE(SIMD(PlacesFour), c, d, 1, 5, 3, 7);

    LOOSE_FOUR(tile) = SHUFFLE(SIMD(PlacesFour), even, next_even, 0, 1, 4, 5);
    LOOSE_FOUR(tile + DESIGN_TILE) = SHUFFLE(SIMD(PlacesFour), odd, next_odd, 0, 1, 4, 5);
    LOOSE_FOUR(tile + 2 * DESIGN_TILE) = SHUFFLE(SIMD(PlacesFour), even, next_even, 2, 3, 6, 7);
    LOOSE_FOUR(tile + 3 * DESIGN_TILE) = SHUFFLE(SIMD(PlacesFour), odd, next_odd, 2, 3, 6, 7);
}
#undef LOOSE_FOUR
#undef SEE_FOUR
#endif

/* Copies rows to the columns of a tile, four at a time. */
SIMD_TARGET static void SIMD(transpose)(const double *x, uint32_t terms, uint32_t count, double *tile)
{
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4, x += 4 * (size_t)terms) {
        double *to = tile + i;
        uint32_t t = 0;

#if LANES >= 4
        for (; t + 4 <= terms; t += 4)
            SIMD(transpose_four)(x + t, terms, to + (size_t)t * DESIGN_TILE);
#endif
        for (; t + 2 <= terms; t += 2) {
            SIMD(transpose_two)(x + t, terms, to + (size_t)t * DESIGN_TILE);
            SIMD(transpose_two)(x + 2 * (size_t)terms + t, terms, to + (size_t)t * DESIGN_TILE + 2);
        }
        for (uint32_t k = 0; t < terms && k < 4; k++)
            to[(size_t)t * DESIGN_TILE + k] = x[(size_t)k * terms + t];
    }
    for (; i < count; i++, x += terms)
        for (uint32_t t = 0; t < terms; t++)
            tile[(size_t)t * DESIGN_TILE + i] = x[t];
}

#undef LOOSE_TWO
#undef SEE_TWO

/* ---- columns ---- */

SIMD_TARGET static void SIMD(standardize)(double *column, double center, double scale)
{
    for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
        AT(column + i) = (SEE(column + i) - center) * scale;
}

SIMD_TARGET static void SIMD(scores)(const double *const *columns, uint32_t count,
                                     const double *theta, double *eta)
{
    uint32_t j = 0;

    memset(eta, 0, DESIGN_TILE * sizeof(double));
    for (; j + 4 <= count; j += 4) {
        const double *a = columns[j], *b = columns[j + 1], *c = columns[j + 2], *d = columns[j + 3];

        for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
            AT(eta + i) += (SEE(a + i) * theta[j] + SEE(b + i) * theta[j + 1]) +
                           (SEE(c + i) * theta[j + 2] + SEE(d + i) * theta[j + 3]);
    }
    for (; j < count; j++)
        for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
            AT(eta + i) += SEE(columns[j] + i) * theta[j];
}

SIMD_TARGET static void SIMD(products)(const double *const *columns, uint32_t count,
                                       const double *weights, double *sums)
{
    for (uint32_t j = 0; j < count; j++) {
        const double *x = columns[j];
        V a = {0}, b = {0};

        for (uint32_t i = 0; i < DESIGN_TILE; i += 2 * LANES) {
            a += SEE(x + i) * SEE(weights + i);
            b += SEE(x + i + LANES) * SEE(weights + i + LANES);
        }
        a += b;
        sums[j] += SIMD(lane_sum)(&a);
    }
}

SIMD_TARGET static void SIMD(squares)(const double *const *columns, uint32_t count,
                                      const double *weights, double *squares)
{
    for (uint32_t j = 0; j < count; j++) {
        const double *x = columns[j];
        V a = {0};

        for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
            a += SEE(x + i) * SEE(x + i) * SEE(weights + i);
        squares[j] += SIMD(lane_sum)(&a);
    }
}

/* As many columns are multiplied by TALL others at once as there are registers for the sums. */
#define TALL 4
#if LANES == 8
#define WIDE 4
#elif LANES == 4
#define WIDE 3
#else
#define WIDE 2
#endif
/* Adds the products of TALL weighted columns in scratch, of which `first` is the first, with columns j .. j + wide - 1. */
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(gram_block)(const double *const *columns, uint32_t count, uint32_t first, uint32_t j,
                                                                               const uint32_t wide, const double *scratch, double *packed)
{
    V sums[TALL][WIDE] = {{{0}}};

    for (uint32_t i = 0; i < DESIGN_TILE; i += LANES) {
        V x[WIDE];

#pragma GCC unroll 4
        for (uint32_t c = 0; c < wide; c++)
            x[c] = SEE(columns[j + c] + i);
#pragma GCC unroll 4
        for (uint32_t t = 0; t < TALL; t++) {
            V z = SEE(scratch + t * DESIGN_TILE + i);

#pragma GCC unroll 4
            for (uint32_t c = 0; c < wide; c++)
                sums[t][c] += z * x[c];
        }
    }
    for (uint32_t c = 0; c < wide && j + c < count; c++)
        for (uint32_t t = 0; t < TALL && first + t <= j + c; t++)
            packed[(size_t)(j + c) * (j + c + 1) / 2 + first + t] += SIMD(lane_sum)(&sums[t][c]);
}

/*
 * Adds the products of columns first .. first + TALL - 1 with all columns from `first` on to packed. Reads columns up to a
 * multiple of TALL; those behind `count` are zeros.
 */
SIMD_TARGET static void SIMD(gram)(const double *const *columns, uint32_t count, uint32_t first,
                                   const double *weights, double *scratch, double *packed)
{
    uint32_t j = first;

    for (uint32_t t = 0; t < TALL; t++)
        for (uint32_t i = 0; i < DESIGN_TILE; i += LANES)
            AT(scratch + t * DESIGN_TILE + i) = SEE(columns[first + t] + i) * SEE(weights + i);
    for (; WIDE != 3 ? j < count : j + 5 <= count || j + 3 == count; j += WIDE)
        SIMD(gram_block)(columns, count, first, j, WIDE, scratch, packed);
    for (; j < count; j += 2)
        SIMD(gram_block)(columns, count, first, j, 2, scratch, packed);
}

/* ---- rows in row order: no sum depends on the number of rows in a call ---- */

/* A row is read once for one equation or for two, whose scores and weights are DESIGN_TILE numbers apart. */
#define TOGETHER 8 /* sums of scores at once */
/* Computes the scores of `rows` rows. */
SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(row_scores)(const double *x, uint32_t terms, const uint32_t rows, const uint32_t equations, const double *center, const double *slope,
                 const double *constants, double *eta)
{
    V sums[TOGETHER] = {{0}};
    double rest[TOGETHER] = {0};
    uint32_t j = 0;

    for (; j + LANES <= terms; j += LANES) {
        V c = SEE_LOOSE(center + j), s[2] = {SEE_LOOSE(slope + j), SEE_LOOSE(slope + (equations - 1) * (size_t)terms + j)};

#pragma GCC unroll 8
        for (uint32_t i = 0; i < rows; i++) {
            V d;

            __builtin_prefetch(x + (size_t)(i + rows) * terms + j); /* the rows after these: without it a fit of 200 columns takes 1.1 times as long */
            d = SEE_LOOSE(x + (size_t)i * terms + j) - c;
            sums[i] += d * s[0];
            if (equations == 2)
                sums[rows + i] += d * s[1];
        }
    }
    for (; j < terms; j++)
#pragma GCC unroll 8
        for (uint32_t i = 0; i < rows; i++)
#pragma GCC unroll 2
            for (uint32_t e = 0; e < equations; e++)
                rest[e * rows + i] += (x[(size_t)i * terms + j] - center[j]) * slope[e * (size_t)terms + j];
#pragma GCC unroll 2
    for (uint32_t e = 0; e < equations; e++)
#pragma GCC unroll 8
        for (uint32_t i = 0; i < rows; i++)
            eta[e * DESIGN_TILE + i] = constants[e] + (SIMD(lane_sum)(&sums[e * rows + i]) + rest[e * rows + i]);
}

SIMD_TARGET static void SIMD(line_scores)(const double *x, uint32_t terms, uint32_t count, const double *center,
                                          const double *slope, double constant, double *eta)
{
    uint32_t i = 0;

    for (; i + TOGETHER <= count; i += TOGETHER)
        SIMD(row_scores)(x + (size_t)i * terms, terms, TOGETHER, 1, center, slope, &constant, eta + i);
    for (; i < count; i++)
        SIMD(row_scores)(x + (size_t)i * terms, terms, 1, 1, center, slope, &constant, eta + i);
}

SIMD_TARGET static void SIMD(line_scores_two)(const double *x, uint32_t terms, uint32_t count, const double *center,
                                              const double *slope, const double *constants, double *eta)
{
    uint32_t i = 0;

    for (; i + TOGETHER / 2 <= count; i += TOGETHER / 2)
        SIMD(row_scores)(x + (size_t)i * terms, terms, TOGETHER / 2, 2, center, slope, constants, eta + i);
    for (; i < count; i++)
        SIMD(row_scores)(x + (size_t)i * terms, terms, 1, 2, center, slope, constants, eta + i);
}

/* Adds weights times (x - center) of `rows` rows, 4 or 1, row by row. */
SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(row_products)(const double *x, uint32_t terms, const uint32_t rows, const uint32_t equations, const double *center,
                   const double *weights, double *sums, size_t stride)
{
    uint32_t j = 0;

    for (; j + LANES <= terms; j += LANES) {
        V c = SEE_LOOSE(center + j), sum[2] = {SEE_LOOSE(sums + j), SEE_LOOSE(sums + (equations - 1) * stride + j)};

#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++) {
            V d = SEE_LOOSE(x + (size_t)i * terms + j) - c;

#pragma GCC unroll 2
            for (uint32_t e = 0; e < equations; e++)
                sum[e] += d * weights[e * DESIGN_TILE + i];
        }
#pragma GCC unroll 2
        for (uint32_t e = 0; e < equations; e++)
            LOOSE(sums + e * stride + j) = sum[e];
    }
    for (; j < terms; j++)
#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++)
#pragma GCC unroll 2
            for (uint32_t e = 0; e < equations; e++)
                sums[e * stride + j] += (x[(size_t)i * terms + j] - center[j]) * weights[e * DESIGN_TILE + i];
}

SIMD_TARGET static void SIMD(line_products)(const double *x, uint32_t terms, uint32_t count,
                                            const double *center, const double *weights, double *sums)
{
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        SIMD(row_products)(x + (size_t)i * terms, terms, 4, 1, center, weights + i, sums, 0);
    for (; i < count; i++)
        SIMD(row_products)(x + (size_t)i * terms, terms, 1, 1, center, weights + i, sums, 0);
}

SIMD_TARGET static void SIMD(line_products_two)(const double *x, uint32_t terms, uint32_t count,
                                                const double *center, const double *weights, double *sums, size_t stride)
{
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        SIMD(row_products)(x + (size_t)i * terms, terms, 4, 2, center, weights + i, sums, stride);
    for (; i < count; i++)
        SIMD(row_products)(x + (size_t)i * terms, terms, 1, 2, center, weights + i, sums, stride);
}

SIMD_TARGET static void SIMD(line_moments)(const double *x, uint32_t terms, const double *shift, double w,
                                           double *restrict sums, double *restrict squares)
{
    for (uint32_t j = 0; j < terms; j++) {
        double d = x[j] - shift[j], wd = w * d;

        sums[j] += wd;
        squares[j] += wd * d;
    }
}

#undef TOGETHER
#undef LOOSE
#undef SEE_LOOSE
#undef V
#undef AT
#undef SEE
#undef TALL
#undef WIDE
