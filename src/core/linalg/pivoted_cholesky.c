/*
 * pivoted_cholesky.c - blocks of columns are factored with pivots, and what is right of them updated by products of matrices
 * (Lucas 2004; Hammarling, Higham & Lucas 2007).
 */
#include "core/linalg/pivoted_cholesky.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/lapack.h"

#include <math.h>

#define BLOCK 64       /* columns factored at a time */
#define CALL_FLOPS 1e8 /* of one call into BLAS, at most */
#define POLL_FLOPS 1e7 /* of our own loops between two polls */

static void swap(double *a, double *b)
{
    double kept = *a;

    *a = *b;
    *b = kept;
}

/* Exchanges rows and columns j < p of the lower triangle, with the rows of the columns before j. */
static void exchange(double *a, size_t n, size_t j, size_t p)
{
    swap(&a[j * n + j], &a[p * n + p]);
    for (size_t k = 0; k < j; k++)
        swap(&a[k * n + j], &a[k * n + p]);
    for (size_t k = j + 1; k < p; k++)
        swap(&a[j * n + k], &a[k * n + p]);
    for (size_t k = p + 1; k < n; k++)
        swap(&a[j * n + k], &a[p * n + k]);
}

/* Returns the row with the largest rest of its diagonal element; adds column j - 1 of the block to the sums of squares first. */
static uint32_t next_pivot(const double *a, uint32_t n, uint32_t first, uint32_t j, double *squares, double *rest)
{
    uint32_t best = j;

    *rest = -1;
    for (uint32_t i = j; i < n; i++) {
        double left;

        if (j > first)
            squares[i] += a[(size_t)(j - 1) * n + i] * a[(size_t)(j - 1) * n + i];
        left = a[(size_t)i * n + i] - squares[i];
        if (left > *rest) {
            *rest = left;
            best = i;
        }
    }
    return best;
}

/* Factors columns first .. last - 1; returns last, or where the rest is at most `floor`. */
static uint32_t factor_block(Env *env, double *a, uint32_t n, uint32_t first, uint32_t last, double floor, double *squares,
                             uint32_t *order)
{
    uint64_t flops = 0;

    for (uint32_t i = first; i < n; i++)
        squares[i] = 0;
    for (uint32_t j = first; j < last; j++) {
        double rest, *column = a + (size_t)j * n;
        uint32_t pivot = next_pivot(a, n, first, j, squares, &rest);

        if (!(rest > floor))
            return j;
        if (pivot != j) {
            uint32_t kept = order[j];

            order[j] = order[pivot];
            order[pivot] = kept;
            exchange(a, n, j, pivot);
            swap(&squares[j], &squares[pivot]);
        }
        column[j] = sqrt(rest);
        for (uint32_t k = first; k < j; k++)
            column_subtract(column + j + 1, a + (size_t)k * n + j + 1, a[(size_t)k * n + j], n - j - 1);
        for (uint32_t i = j + 1; i < n; i++)
            column[i] /= column[j];
        env_poll_after(env, &flops, (uint64_t)(j - first + 4) * (n - j), POLL_FLOPS);
    }
    return last;
}

/* Subtracts the product of a block of columns with itself from the columns to its right, in strips. */
static void update_rest(Env *env, double *a, uint32_t n, uint32_t first, uint32_t last)
{
    const double minus = -1, one = 1;
    int width = (int)(last - first), ld = (int)n;
    uint32_t step;

    for (uint32_t j = last; j < n; j += step) {
        int rows = (int)(n - j), columns;

        step = (uint32_t)fmin(BLOCK, fmax(1, CALL_FLOPS / (2.0 * width * rows)));
        columns = (int)(n - j < step ? n - j : step);
        dgemm_("N", "T", &rows, &columns, &width, &minus, a + (size_t)first * n + j, &ld, a + (size_t)first * n + j, &ld,
               &one, a + (size_t)j * n + j, &ld, 1, 1);
        env->poll(env);
    }
}

uint32_t pivoted_cholesky(Env *env, double *a, uint32_t n, double tolerance, uint32_t *order)
{
    double *squares = env_array(env, (size_t)n + 1, sizeof(double)), largest = 0;
    uint32_t first = 0;

    for (uint32_t j = 0; j < n; j++) {
        order[j] = j;
        largest = fmax(largest, a[(size_t)j * n + j]);
    }
    while (first < n) {
        uint32_t last = n - first > BLOCK ? first + BLOCK : n;
        uint32_t done = factor_block(env, a, n, first, last, tolerance * largest, squares, order);

        first = done;
        if (done < last)
            break;
        if (last < n)
            update_rest(env, a, n, last - BLOCK, last);
    }
    env->release(env, squares);
    return first;
}
