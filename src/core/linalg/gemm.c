/*
 * gemm.c - the product A B', in tiles whose sums stay in registers (Goto & van de Geijn 2008).
 *
 * dgemm is not used because OpenBLAS may fall back to its oldest code on a processor that it does not know. Speed of
 * 1,024 x 1,024 products of 128 numbers on one AVX-512 machine: 35 to 40 GFLOPS here; dgemm 39 with its code for this machine,
 * 42 with that for Haswell, 16 with that for Prescott. Packed strips serve many blocks, and polls fit in between.
 */
#include "core/linalg/gemm.h"
#include "core/linalg/vector_loops.h"

#include <string.h>

#include "core/base/fused_sums.h"

#define SIMD_FILE "core/linalg/gemm_simd.h"
#include "core/base/cpu_dispatch.h"

void product_pack(const double *b, uint32_t rows, uint32_t width, size_t stride,
                  const double *center, double *packed)
{
    for (uint32_t first = 0; first < rows;
         first += PRODUCT_STRIP, packed += (size_t)PRODUCT_STRIP * width) {
        uint32_t inside = rows - first < PRODUCT_STRIP ? rows - first : PRODUCT_STRIP;

        for (uint32_t j = 0; j < inside; j++) {
            const double *row = b + (size_t)(first + j) * stride;

            for (uint32_t k = 0; k < width; k++)
                packed[(size_t)k * PRODUCT_STRIP + j] =
                    center != NULL ? row[k] - center[k] : row[k];
        }
        for (uint32_t j = inside; j < PRODUCT_STRIP; j++)
            for (uint32_t k = 0; k < width; k++)
                packed[(size_t)k * PRODUCT_STRIP + j] = 0;
    }
}

void product_block(const double *a, uint32_t rows, const double *packed, uint32_t columns,
                   uint32_t width, double *out, size_t ld)
{
    SIMD_CALL(block, a, rows, packed, columns, width, out, ld);
}

/* ---- whole matrices ---- */

#define BLOCK_ROWS 64
#define BLOCK_COLUMNS (8 * PRODUCT_STRIP)
#define CANCELED 1e-3      /* share of |a|^2 + |b|^2 below which a distance is computed from the differences */
#define POLL_NUMBERS 65536 /* numbers read between two polls */

/* Scratch of product_distances, in one allocation that starts at a. */
typedef struct Blocks {
    uint32_t width;
    size_t stride;
    double *a, *packed, *tile; /* centered rows of a, packed rows of b, their products */
    double *center;            /* NULL: products are wanted */
    double squares_a[BLOCK_ROWS], squares_b[BLOCK_COLUMNS]; /* of the centered rows */
} Blocks;

/* Sets center to the mean of the rows. */
static void center_of(Env *env, const double *b, uint32_t count, uint32_t width, size_t stride,
                      double *center)
{
    uint32_t step = 1 + POLL_NUMBERS / (width + 1);

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < width; k++)
            center[k] += b[i * stride + k] / count;
        env_poll_every(env, i, step);
    }
}

/* Returns |row - center|^2, summed in the order of the products. */
static double square_of(const double *row, const double *center, uint32_t width)
{
    double sum = 0;

    for (uint32_t k = 0; k < width; k++)
        sum += (row[k] - center[k]) * (row[k] - center[k]);
    return sum;
}

/* Copies rows of a; centers them if squares are wanted. */
static void take_rows(Blocks *blocks, const double *a, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const double *row = a + i * blocks->stride;
        double *to = blocks->a + (size_t)i * blocks->width;

        for (uint32_t k = 0; k < blocks->width; k++)
            to[k] = blocks->center != NULL ? row[k] - blocks->center[k] : row[k];
        if (blocks->center != NULL)
            blocks->squares_a[i] = square_of(row, blocks->center, blocks->width);
    }
}

/* Converts one row of a tile from products to squared distances. */
static void finish_squares(const Blocks *blocks, const double *row, double square, const double *b,
                           uint32_t columns, const double *products, double *out)
{
    int canceled = 0;

    for (uint32_t j = 0; j < columns; j++) {
        double sum = square + blocks->squares_b[j], squared = sum - 2 * products[j];

        canceled |= !(squared > CANCELED * sum);
        out[j] = squared;
    }
    if (!canceled)
        return;
    for (uint32_t j = 0; j < columns; j++)
        if (!(out[j] > CANCELED * (square + blocks->squares_b[j])))
            out[j] = loop_pair(LOOP_SQUARES, 0, row, b + j * blocks->stride, blocks->width);
}

void product_distances(Env *env, bool squares, const double *a, uint32_t count_a, const double *b,
                       uint32_t count_b, uint32_t width, size_t stride, double *out)
{
    Blocks blocks = {.width = width, .stride = stride};

    blocks.a = env_array(env, ((size_t)BLOCK_ROWS + BLOCK_COLUMNS + 1) * width + BLOCK_ROWS * BLOCK_COLUMNS,
                         sizeof(double));
    blocks.packed = blocks.a + (size_t)BLOCK_ROWS * width;
    blocks.tile = blocks.packed + (size_t)BLOCK_COLUMNS * width;
    if (squares) {
        blocks.center = blocks.tile + BLOCK_ROWS * BLOCK_COLUMNS;
        center_of(env, b, count_b, width, stride, blocks.center);
    }
    for (uint32_t first = 0; first < count_b; first += BLOCK_COLUMNS) {
        uint32_t columns = count_b - first < BLOCK_COLUMNS ? count_b - first : BLOCK_COLUMNS;
        const double *block_b = b + first * stride;

        product_pack(block_b, columns, width, stride, blocks.center, blocks.packed);
        for (uint32_t j = 0; squares && j < columns; j++)
            blocks.squares_b[j] = square_of(block_b + j * stride, blocks.center, width);
        for (uint32_t top = 0; top < count_a; top += BLOCK_ROWS) {
            uint32_t rows = count_a - top < BLOCK_ROWS ? count_a - top : BLOCK_ROWS;

            take_rows(&blocks, a + top * stride, rows);
            product_block(blocks.a, rows, blocks.packed, columns, width, blocks.tile,
                          BLOCK_COLUMNS);
            for (uint32_t i = 0; i < rows; i++) {
                double *to = out + (size_t)(top + i) * count_b + first;
                const double *from = blocks.tile + (size_t)i * BLOCK_COLUMNS;

                if (squares)
                    finish_squares(&blocks, a + (top + i) * stride, blocks.squares_a[i], block_b,
                                   columns, from, to);
                else
                    memcpy(to, from, columns * sizeof(double));
            }
            env->poll(env);
        }
    }
    env->release(env, blocks.a);
}
