/*
 * cholesky.c - Cholesky factors by blocks of columns (Golub & Van Loan, Matrix Computations, 4.2).
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/qr_factor.h"
#include "core/linalg/lapack.h"

#include <math.h>
#include <string.h>

#define BLOCK 64       /* columns factored at a time */
#define LEAF 2048      /* columns of a triangle that one call solves with, at most */
#define LEAF_MANY 256  /* the same for many right sides: smaller products are faster */
#define CALL_FLOPS 1e8 /* of one call into BLAS, at most */
#define POLL_FLOPS 1e7 /* of our own loops between two polls */

/*
 * Replaces the pivot a_jj by its square root and divides the column below by it; returns false if the pivot is too small. floor: a share below 1 of
 * what a_jj was before squares were subtracted, so that a pivot above it is positive and finite.
 */
static inline bool scale_column(double *column, uint32_t length, double floor)
{
    double pivot = column[0], root, inverse;

    if (!(pivot > floor))
        return false;
    root = sqrt(pivot);
    inverse = 1 / root;
    column[0] = root;
    for (uint32_t i = 1; i < length; i++)
        column[i] *= inverse;
    return true;
}

/* Subtracts f times `from`; without fused multiply-adds, unlike column_subtract, because scoring uses it. */
static inline void subtract(double *restrict to, const double *restrict from, double f, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        to[i] -= f * from[i];
}

uint32_t cholesky_triangle(Env *env, double *triangle, uint32_t n, double tolerance)
{
    double *own = env_array_raw(env, (size_t)n + 1, sizeof(double));
    double *column = triangle;
    uint64_t flops = 0;
    uint32_t j;

    for (j = 0; j < n; j++)
        own[j] = triangle[triangle_at(n, j)];
    for (j = 0; j < n; j++) {
        double *next = column + (n - j);
        if (!scale_column(column, n - j, tolerance * own[j]))
            break;
        for (uint32_t k = j + 1; k < n; next += n - k, k++)
            subtract(next, column + (k - j), column[k - j], n - k);
        column += n - j;
        env_poll_after(env, &flops, (uint64_t)(n - j) * (n - j), POLL_FLOPS);
    }
    env->release(env, own);
    return j;
}

bool packed_is_definite(Env *env, const double *packed, uint32_t n)
{
    double *triangle = env_array_raw(env, factor_packed(n), sizeof(double));

    triangle_from_packed(triangle, packed, n);
    return cholesky_triangle(env, triangle, n, 0) == n;
}

void triangle_solve(const double *triangle, uint32_t n, double *b)
{
    const double *column = triangle;

    for (uint32_t j = 0; j < n; j++) {
        b[j] /= column[0];
        subtract(b + j + 1, column + 1, b[j], n - j - 1);
        column += n - j;
    }
}

void triangle_solve_transposed(const double *triangle, uint32_t n, const double *b, double *x)
{
    for (uint32_t j = n; j-- > 0;) {
        const double *column = triangle + triangle_at(n, j);
        double sum = b[j];
        for (uint32_t i = j + 1; i < n; i++)
            sum -= column[i - j] * x[i];
        x[j] = sum / column[0];
    }
}

/* Factors columns first .. last - 1 within the rows of the diagonal block; returns last, or the first dependent column. */
static uint32_t factor_diagonal(double *a, uint32_t n, uint32_t first, uint32_t last,
                                const double *own, double tolerance)
{
    for (uint32_t j = first; j < last; j++) {
        double *column = a + (size_t)j * n + j;
        if (!scale_column(column, last - j, tolerance * own[j]))
            return j;
        for (uint32_t k = j + 1; k < last; k++)
            subtract(a + (size_t)k * n + k, column + (k - j), column[k - j], last - k);
    }
    return last;
}

/* Finishes rows last .. n - 1 of a block of columns, after its diagonal block. */
static void factor_panel(Env *env, double *a, uint32_t n, uint32_t first, uint32_t last)
{
    const double one = 1;
    int width = (int)(last - first), ld = (int)n;
    uint32_t step = (uint32_t)fmax(1, CALL_FLOPS / ((double)width * width));

    for (uint32_t i = last; i < n; i += step) {
        int rows = (int)(n - i < step ? n - i : step);
        dtrsm_("R", "L", "T", "N", &rows, &width, &one, a + (size_t)first * n + first, &ld,
               a + (size_t)first * n + i, &ld, 1, 1, 1, 1);
        env->poll(env);
    }
}

/* Subtracts the product of a block of columns with itself from the columns to its right, in strips. */
static void update_rest(Env *env, double *a, uint32_t n, uint32_t first, uint32_t last)
{
    const double minus = -1, one = 1;
    int width = (int)(last - first), ld = (int)n;
    uint32_t step;

    for (uint32_t j = last; j < n; j += step) {
        int columns, rows;
        step = (uint32_t)fmax(1, CALL_FLOPS / (2.0 * width * (n - j)));
        columns = (int)(n - j < step ? n - j : step);
        rows = (int)(n - j) - columns;
        dsyrk_("L", "N", &columns, &width, &minus, a + (size_t)first * n + j, &ld, &one,
               a + (size_t)j * n + j, &ld, 1, 1);
        if (rows > 0)
            dgemm_("N", "T", &rows, &columns, &width, &minus, a + (size_t)first * n + j + columns,
                   &ld, a + (size_t)first * n + j, &ld, &one, a + (size_t)j * n + j + columns, &ld,
                   1, 1);
        env->poll(env);
    }
}

uint32_t cholesky_factor(Env *env, double *a, uint32_t n, double tolerance)
{
    double *own = env_array_raw(env, (size_t)n + 1, sizeof(double));
    uint32_t first = 0;

    for (uint32_t j = 0; j < n; j++)
        own[j] = a[(size_t)j * n + j];
    while (first < n) {
        uint32_t last = n - first > BLOCK ? first + BLOCK : n;
        uint32_t done = factor_diagonal(a, n, first, last, own, tolerance);
        if (n >= REPORT_COLUMNS)
            env->progress(env, "factor", first, n, NAN);
        if (done < last) {
            first = done;
            break;
        }
        if (last < n) {
            factor_panel(env, a, n, first, last);
            update_rest(env, a, n, first, last);
        }
        first = last;
    }
    env->release(env, own);
    return first;
}

/* Solves with a triangle of up to LEAF columns, or with its transpose ("T"), in pieces with polls in between. */
static void solve_leaf(Env *env, const double *l, uint32_t ld, uint32_t n, double *b, uint32_t ldb, uint32_t columns,
                       const char *transpose)
{
    const double one = 1;
    int order = (int)n, stride = (int)ld, right = (int)ldb;
    uint32_t step = (uint32_t)fmax(1, CALL_FLOPS / ((double)n * n + 1));

    for (uint32_t j = 0; n > 0 && j < columns; j += step) {
        int count = (int)(columns - j < step ? columns - j : step);
        dtrsm_("L", "L", transpose, "N", &order, &count, &one, l, &stride, b + (size_t)j * ldb, &right, 1, 1, 1, 1);
        env->poll(env);
    }
}

/* Subtracts l x (or l'x) from b, for a block l [rows x inside] below the diagonal, in strips of `leaf` rows. */
static void subtract_block(Env *env, const double *l, uint32_t ld, uint32_t rows, uint32_t inside, const double *from, double *to,
                           uint32_t ldb, uint32_t columns, uint32_t leaf, bool transposed)
{
    const double minus = -1, one = 1;
    int stride = (int)ld, right = (int)ldb, across = (int)inside;
    uint32_t pieces = (uint32_t)fmax(1, CALL_FLOPS / (2.0 * inside * leaf)); /* columns of b in a call */

    for (uint32_t first = 0; first < rows; first += leaf)
        for (uint32_t j = 0; j < columns; j += pieces) {
            int now = (int)(rows - first < leaf ? rows - first : leaf), count = (int)(columns - j < pieces ? columns - j : pieces);

            if (transposed)
                dgemm_("T", "N", &across, &count, &now, &minus, l + first, &stride, from + (size_t)j * ldb + first, &right, &one,
                       to + (size_t)j * ldb, &right, 1, 1);
            else
                dgemm_("N", "N", &now, &count, &across, &minus, l + first, &stride, from + (size_t)j * ldb, &right, &one,
                       to + (size_t)j * ldb + first, &right, 1, 1);
            env->poll(env);
        }
}

/* Solves with a triangle of any size, half by half, so that no call takes long. */
static void solve(Env *env, const double *l, uint32_t ld, uint32_t n, double *b, uint32_t ldb, uint32_t columns, uint32_t leaf,
                  bool transposed)
{
    uint32_t half = (n / 2 + BLOCK - 1) / BLOCK * BLOCK, rest = n - half;
    const double *below = l + half, *last = l + (size_t)half * ld + half;

    if (n <= leaf) {
        solve_leaf(env, l, ld, n, b, ldb, columns, transposed ? "T" : "N");
        return;
    }
    if (transposed) {
        solve(env, last, ld, rest, b + half, ldb, columns, leaf, true);
        subtract_block(env, below, ld, rest, half, b + half, b, ldb, columns, leaf, true);
        solve(env, l, ld, half, b, ldb, columns, leaf, true);
    } else {
        solve(env, l, ld, half, b, ldb, columns, leaf, false);
        subtract_block(env, below, ld, rest, half, b, b + half, ldb, columns, leaf, false);
        solve(env, last, ld, rest, b + half, ldb, columns, leaf, false);
    }
}

/* Sets x [n - first x columns] to the columns of L^-1 that begin at `first`, without the zeros above. Returns how many columns there are. */
static uint32_t inverse_block(Env *env, const double *l, uint32_t ld, uint32_t n, uint32_t first, double *x)
{
    uint32_t columns = n - first < BLOCK ? n - first : BLOCK, order = n - first;

    memset(x, 0, (size_t)order * columns * sizeof(double));
    for (uint32_t j = 0; j < columns; j++)
        x[(size_t)j * order + j] = 1;
    solve(env, l + (size_t)first * ld + first, ld, order, x, order, columns, LEAF_MANY, false);
    return columns;
}

/* The columns of L^-1 come block by block; a diagonal element is the sum of squares of a column. */
void cholesky_inverse_diagonal(Env *env, const double *l, uint32_t n, double *out)
{
    double *x = env_array_raw(env, (size_t)n * BLOCK + 1, sizeof(double));

    for (uint32_t first = 0; first < n; first += BLOCK) {
        uint32_t columns = inverse_block(env, l, n, n, first, x), order = n - first;

        for (uint32_t j = 0; j < columns; j++)
            out[first + j] = column_dot(x + (size_t)j * order + j, x + (size_t)j * order + j, order - j);
    }
    env->release(env, x);
}

/* What is below the diagonal of a block of columns needs no rows of L above it. */
void cholesky_inverse(Env *env, const double *l, uint32_t ld, uint32_t n, double *out)
{
    double *x = env_array_raw(env, (size_t)n * BLOCK + 1, sizeof(double));

    for (uint32_t first = 0; first < n; first += BLOCK) {
        uint32_t columns = inverse_block(env, l, ld, n, first, x), order = n - first;

        solve(env, l + (size_t)first * ld + first, ld, order, x, order, columns, LEAF_MANY, true);
        for (uint32_t j = 0; j < columns; j++)
            for (uint32_t i = j; i < order; i++)
                out[(size_t)(first + j) * n + first + i] = out[(size_t)(first + i) * n + first + j] = x[(size_t)j * order + i];
    }
    env->release(env, x);
}

void cholesky_solve(Env *env, const double *l, uint32_t n, double *b, uint32_t columns)
{
    solve(env, l, n, n, b, n, columns, LEAF, false);
}

void cholesky_solve_transposed(Env *env, const double *l, uint32_t n, double *b, uint32_t columns)
{
    solve(env, l, n, n, b, n, columns, LEAF, true);
}

void triangle_from_packed(double *triangle, const double *packed, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++)
            triangle[triangle_at(n, i) + (j - i)] = *packed++;
}

void dense_from_packed(double *dense, const double *packed, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++)
            dense[(size_t)i * n + j] = *packed++;
}
