/*
 * qr_factor_simd.h - the inner loops of qr_factor.c, compiled once per instruction set (cpu_dispatch.h).
 *
 * All lengths are multiples of 8, all blocks on 64-byte boundaries.
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES)));
#define V SIMD(Vector)
#define AT(p) (*(V *)(p))
#define SEE(p) (*(const V *)(p))

#include "core/linalg/lane_sum_simd.h"

/* Applies the reflection of column b, whose row of the factor is k, to the columns after it, up to `columns`. */
SIMD_TARGET static inline void SIMD(apply_reflection)(double *packed, uint32_t columns, uint32_t k, double tau,
                                                      double *b, size_t ld, uint32_t length)
{
    uint32_t j = k + 1;
    double *beside = packed + factor_packed(j) + k; /* R[k][j] */
    double *c = b + ld;

    for (; j + 4 <= columns; j += 4, c += 4 * ld) {
        V d0 = {0}, d1 = {0}, d2 = {0}, d3 = {0};
        double *r1 = beside + j + 1, *r2 = r1 + j + 2, *r3 = r2 + j + 3;
        double w0, w1, w2, w3;

        for (uint32_t i = 0; i < length; i += LANES) {
            V v = SEE(b + i);
            d0 += v * SEE(c + i);
            d1 += v * SEE(c + ld + i);
            d2 += v * SEE(c + 2 * ld + i);
            d3 += v * SEE(c + 3 * ld + i);
        }
        w0 = tau * (*beside + SIMD(lane_sum)(&d0));
        w1 = tau * (*r1 + SIMD(lane_sum)(&d1));
        w2 = tau * (*r2 + SIMD(lane_sum)(&d2));
        w3 = tau * (*r3 + SIMD(lane_sum)(&d3));
        *beside -= w0;
        *r1 -= w1;
        *r2 -= w2;
        *r3 -= w3;
        for (uint32_t i = 0; i < length; i += LANES) {
            V v = SEE(b + i);
            AT(c + i) -= w0 * v;
            AT(c + ld + i) -= w1 * v;
            AT(c + 2 * ld + i) -= w2 * v;
            AT(c + 3 * ld + i) -= w3 * v;
        }
        beside = r3 + j + 4;
    }
    for (; j < columns; beside += j + 1, j++, c += ld) {
        V d = {0};
        double w;

        for (uint32_t i = 0; i < length; i += LANES)
            d += SEE(b + i) * SEE(c + i);
        w = tau * (*beside + SIMD(lane_sum)(&d));
        *beside -= w;
        for (uint32_t i = 0; i < length; i += LANES)
            AT(c + i) -= w * SEE(b + i);
    }
}

/*
 * Makes the reflections of columns first .. last - 1 and applies each to the columns after it, up to `columns`. taus: NULL, or
 * [last - first].
 */
SIMD_TARGET static void SIMD(reflect)(double *packed, uint32_t columns, uint32_t first,
                                      uint32_t last, double *block, size_t ld, uint32_t rows,
                                      bool staircase, double *taus)
{
    for (uint32_t k = first; k < last; k++) {
        uint32_t length = staircase && k + 2 < rows ? k + 2 : rows;
        double *head = packed + factor_packed(k) + k;
        double *b = block + (size_t)k * ld;
        V square = {0};
        double total, norm, inverse, tau;

        length = (length + 7) & ~7u;
        for (uint32_t i = 0; i < length; i += LANES)
            square += SEE(b + i) * SEE(b + i);
        total = SIMD(lane_sum)(&square) + *head * *head;
        if (total > 1e-270 && total < 1e270) {
            norm = sqrt(total);
            norm = *head > 0 ? -norm : norm;
            inverse = 1 / (*head - norm);
            tau = (norm - *head) / norm;
            *head = norm;
            for (uint32_t i = 0; i < length; i += LANES)
                AT(b + i) *= inverse;
        } else if (!reflector_scaled(b, length, head, &tau)) {
            if (taus != NULL) {
                taus[k - first] = 0;
                memset(b, 0, length * sizeof(double));
            }
            continue;
        }
        if (taus != NULL)
            taus[k - first] = tau;
        SIMD(apply_reflection)(packed, columns, k, tau, b, ld, length);
    }
}

/* Centers a column at its mean; returns the mean, corrected by that of the centered column. share: 1 / weight. */
SIMD_TARGET static double SIMD(center)(double *column, uint32_t rows, const double *weights,
                                       const double *roots, double share)
{
    uint32_t length = (rows + 7) & ~7u;
    V total = {0}, rest = {0};
    double mean;

    if (weights != NULL)
        for (uint32_t i = 0; i < length; i += LANES)
            total += SEE(weights + i) * SEE(column + i);
    else
        for (uint32_t i = 0; i < length; i += LANES)
            total += SEE(column + i);
    mean = SIMD(lane_sum)(&total) * share;
    if (roots != NULL) {
        for (uint32_t i = 0; i < length; i += LANES) {
            AT(column + i) = (SEE(column + i) - mean) * SEE(roots + i);
            rest += SEE(roots + i) * SEE(column + i);
        }
    } else {
        for (uint32_t i = 0; i < length; i += LANES)
            AT(column + i) -= mean;
        for (uint32_t i = rows; i < length; i++)
            column[i] = 0;
        for (uint32_t i = 0; i < length; i += LANES)
            rest += SEE(column + i);
    }
    return mean + SIMD(lane_sum)(&rest) * share;
}

SIMD_TARGET static void SIMD(center_columns)(double *block, size_t ld, uint32_t rows,
                                             uint32_t columns, const double *weights,
                                             const double *roots, double weight, double *means)
{
    for (uint32_t j = 0; j < columns; j++)
        means[j] = SIMD(center)(block + (size_t)j * ld, rows, weights, roots, 1 / weight);
}

/* Centers the rows of a row-major block; means and spare are ld numbers long. */
SIMD_TARGET static void SIMD(center_rows)(double *block, size_t ld, uint32_t rows,
                                          const double *weights, const double *roots,
                                          double weight, double *means, double *spare)
{
    for (size_t j = 0; j < ld; j++)
        means[j] = spare[j] = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const double *x = block + i * ld;
        double w = weights != NULL ? weights[i] : 1;
        for (size_t j = 0; j < ld; j += LANES)
            AT(means + j) += w * SEE(x + j);
    }
    for (size_t j = 0; j < ld; j++)
        means[j] /= weight;
    for (uint32_t i = 0; i < rows; i++) {
        double *x = block + i * ld;
        double r = roots != NULL ? roots[i] : 1;
        for (size_t j = 0; j < ld; j += LANES) {
            V y = (SEE(x + j) - SEE(means + j)) * r;
            AT(x + j) = y;
            AT(spare + j) += r * y;
        }
    }
    for (size_t j = 0; j < ld; j++)
        means[j] += spare[j] / weight;
}

/* A tile of TALL rows and WIDE vectors of columns has as many sums as stay in registers. */
#if LANES == 8
#define TALL 8
#define WIDE 2
#elif LANES == 4
#define TALL 4
#define WIDE 3
#else
#define TALL 4
#define WIDE 2
#endif
SIMD_TARGET static inline __attribute__((always_inline)) void SIMD(gram_tile)(const GramBlock *block, uint32_t rows, bool add, double *gram, size_t ld,
                                                                              size_t i, size_t j, int wide)
{
    const double *x = block->numbers + i / FACTOR_LANES * block->panel + i % FACTOR_LANES, *y[WIDE];
    size_t stride = block->stride;
    V sums[TALL][WIDE];

    for (int w = 0; w < wide; w++) {
        size_t column = j + (size_t)w * LANES;
        y[w] = block->numbers + column / FACTOR_LANES * block->panel + column % FACTOR_LANES;
        for (int t = 0; t < TALL; t++)
            sums[t][w] = add ? SEE(gram + (i + t) * ld + column) : (V){0};
    }
    for (size_t at = 0; at < rows * stride; at += stride) {
        V z[WIDE];

        for (int w = 0; w < wide; w++)
            z[w] = SEE(y[w] + at);
#pragma GCC unroll 8
        for (int t = 0; t < TALL; t++)
            for (int w = 0; w < wide; w++)
                sums[t][w] += x[at + t] * z[w];
    }
    for (int t = 0; t < TALL; t++)
        for (int w = 0; w < wide; w++)
            AT(gram + (i + t) * ld + j + w * LANES) = sums[t][w];
}

/* Computes rows top .. bottom - 1 of the Gram matrix, or adds to them. */
SIMD_TARGET static void SIMD(gram)(const GramBlock *block, uint32_t rows, bool add, double *gram, size_t ld,
                                   size_t top, size_t bottom)
{
    for (size_t i = top; i < bottom; i += TALL) {
        size_t j = i / LANES * LANES;

        for (; j + WIDE * LANES <= ld; j += WIDE * LANES)
            SIMD(gram_tile)(block, rows, add, gram, ld, i, j, WIDE);
        for (; j < ld; j += LANES)
            SIMD(gram_tile)(block, rows, add, gram, ld, i, j, 1);
    }
}

/*
 * Does steps first .. last - 1 of a right-looking Cholesky factorization; false: a pivot is not above floor. scales: 0 of columns of zeros; a pivot of
 * others may cancel to 0, too.
 */
SIMD_TARGET static bool SIMD(cholesky)(double *gram, size_t ld, uint32_t columns,
                                       uint32_t first, uint32_t last, const uint8_t *dependent, const double *scales,
                                       double floor)
{
    for (uint32_t k = first; k < last; k++) {
        double *row = gram + (size_t)k * ld;
        double pivot = row[k], inverse;

        if (scales[k] == 0 || (dependent != NULL && dependent[k])) {
            for (uint32_t j = k; j < columns; j++)
                row[j] = 0;
            continue;
        }
        if (!(pivot > floor))
            return false;
        inverse = 1 / sqrt(pivot);
        for (uint32_t j = k; j < columns; j++)
            row[j] *= inverse;
        for (uint32_t i = k + 1; i < columns; i++) {
            double *below = gram + (size_t)i * ld;
            double f = row[i];
            size_t j = i / LANES * LANES;
            if (f == 0)
                continue;
            for (; j < ld; j += LANES)
                AT(below + j) -= f * SEE(row + j);
        }
    }
    return true;
}

#undef V
#undef AT
#undef SEE
#undef TALL
#undef WIDE
