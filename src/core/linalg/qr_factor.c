/*
 * qr_factor.c - triangular factors, updated with blocks of rows.
 *
 * Because a triangle is on top of the block, the reflection of column k touches only row k of the triangle and the block
 * (LAPACK's dtpqrt has the same structure). Golub & Van Loan, Matrix Computations, 5.2 and 4.2.
 */
#include "core/linalg/qr_factor.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_panel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/fused_sums.h"

/*
 * Makes the reflector of a column whose squares would overflow or vanish, scaled by its largest element.
 * Returns false if the column is zero, or if a number is not finite: *head is then not finite either.
 */
static bool reflector_scaled(double *b, uint32_t length, double *head, double *tau)
{
    double largest = fabs(*head), sum, norm, pivot;

    for (uint32_t i = 0; i < length; i++) {
        if (!(fabs(b[i]) <= DBL_MAX)) {
            *head = NAN;
            return false;
        }
        largest = fmax(largest, fabs(b[i]));
    }
    if (largest == 0 || !isfinite(largest))
        return false;
    pivot = *head / largest;
    sum = pivot * pivot;
    for (uint32_t i = 0; i < length; i++) {
        b[i] /= largest;
        sum += b[i] * b[i];
    }
    norm = pivot > 0 ? -sqrt(sum) : sqrt(sum);
    for (uint32_t i = 0; i < length; i++)
        b[i] /= pivot - norm;
    *tau = (norm - pivot) / norm;
    *head = norm * largest;
    return true;
}

/* Rows of a block, `stride` numbers apart: eight columns beside each other, and the next eight `panel` numbers on. */
typedef struct GramBlock {
    const double *numbers;
    size_t stride, panel;
} GramBlock;

#define SIMD_FILE "core/linalg/qr_factor_simd.h"
#include "core/base/cpu_dispatch.h"

/* Short blocks are faster in 256 bits than in 512, because sums across a vector are shorter. */
#define SHORT_ROWS 32
#define CALL(name, length, ...) SIMD_CALL_WITHIN((length) > SHORT_ROWS ? 512 : 256, name, __VA_ARGS__)

#define POLL_WORK 4e6 /* multiplications between two polls */

/* Reflections are applied by panels from this many columns and rows on; a staircase, whose first columns are short, needs more. */
#define PANELS_COLUMNS 64
#define PANELS_STAIRCASE 192
#define PANELS_ROWS 64
#define BLOCKED_COLUMNS 128 /* of a Cholesky factor by BLAS: of 1,000 columns, it takes a third of the time */
#define PART_ROWS 64      /* rows of a wide block or of a triangle at a time: a Gram matrix of 1,000 columns takes 0.87 of the time */
#define PANEL_COLUMNS 128 /* a block of this many columns is copied to panels for its Gram matrix: 1,000 columns take half the time */

/* Does what factor_update does, panel by panel. */
static void update_by_panels(Env *env, double *packed, uint32_t columns, double *block, size_t ld, uint32_t rows,
                             bool staircase)
{
    double taus[FACTOR_PANEL];
    uint32_t step = (uint32_t)fmax(FACTOR_PANEL, POLL_WORK / (2.0 * FACTOR_PANEL * rows)), last;
    void *memory;
    FactorPanel panel = factor_panel_new(env, factor_padded(rows), &memory);

    for (uint32_t first = 0;; first = last) {
        uint32_t length = rows;
        last = columns - first > FACTOR_PANEL ? first + FACTOR_PANEL : columns;
        CALL(reflect, rows, packed, last, first, last, block, ld, rows, staircase, taus);
        if (last == columns)
            break;
        if (staircase && last + 1 < rows)
            length = last + 1;
        length = (uint32_t)factor_padded(length);
        factor_panel_take(&panel, block + first * ld, ld, length, taus);
        for (uint32_t from = last, to; from < columns; from = to) {
            to = columns - from > step ? from + step : columns;
            factor_panel_apply(&panel, packed, first, from, to, block, ld, length);
            env->poll(env);
        }
    }
    env->release(env, memory);
}

void factor_update(Env *env, double *packed, uint32_t columns, double *block, size_t ld,
                   uint32_t rows, bool staircase)
{
    double work = 2.0 * columns * columns * rows;
    uint32_t step = columns;

    if (columns >= (staircase ? PANELS_STAIRCASE : PANELS_COLUMNS) && rows >= PANELS_ROWS) {
        update_by_panels(env, packed, columns, block, ld, rows, staircase);
        return;
    }
    if (work > POLL_WORK)
        step = (uint32_t)fmax(1, POLL_WORK / (2.0 * columns * rows));
    for (uint32_t k = 0; k < columns;) {
        uint32_t last = columns - k > step ? k + step : columns;
        CALL(reflect, rows, packed, columns, k, last, block, ld, rows, staircase, NULL);
        k = last;
        if (k < columns)
            env->poll(env);
    }
}

void factor_center(double *block, size_t ld, uint32_t rows, uint32_t columns, const double *weights,
                   const double *roots, double weight, double *means)
{
    CALL(center_columns, rows, block, ld, rows, columns, weights, roots, weight, means);
}

void factor_center_rows(double *block, size_t ld, uint32_t rows, const double *weights,
                        const double *roots, double weight, double *means, double *spare)
{
    CALL(center_rows, rows, block, ld, rows, weights, roots, weight, means, spare);
}

/* Copies rows to panels of eight columns, one panel after another, and returns the block that they are. */
static GramBlock take_panels(const double *rows, size_t ld, uint32_t count, double *panels)
{
    for (size_t j = 0; j < ld; j += FACTOR_LANES)
        for (uint32_t r = 0; r < count; r++)
            memcpy(panels + j * count + (size_t)r * FACTOR_LANES, rows + r * ld + j, FACTOR_LANES * sizeof(double));
    return (GramBlock){panels, FACTOR_LANES, (size_t)count * FACTOR_LANES};
}

/* Does what factor_gram does, PART_ROWS rows after the other. triangle: the block is zero below its diagonal, which leaves a third of the work. */
static void gram_of(Env *env, const double *block, size_t ld, uint32_t rows, bool triangle, double *gram)
{
    bool wide = ld >= PANEL_COLUMNS && rows > 1; /* panels of columns are read in order, from few pages */
    uint32_t count = (wide || triangle) && rows > PART_ROWS ? PART_ROWS : rows, first = 0, now;
    double row_work = fmax(1, (double)ld * count); /* of no rows, too */
    size_t step = row_work * 8 < POLL_WORK ? (size_t)(POLL_WORK / row_work) / 8 * 8 : 8, bottom;
    void *memory = NULL;
    double *panels = wide ? env_aligned_raw(env, ld * count, &memory) : NULL;

    do {
        GramBlock from = {block + first * ld, ld, FACTOR_LANES};

        now = rows - first < count ? rows - first : count;
        if (wide)
            from = take_panels(from.numbers, ld, now, panels);
        for (size_t i = triangle ? first : 0; i < ld; i = bottom) {
            bottom = ld - i > step ? i + step : ld;
            CALL(gram, now, &from, now, first > 0, gram, ld, i, bottom);
            env->poll(env);
        }
        first += count;
    } while (first < rows);
    if (memory != NULL)
        env->release(env, memory);
}

void factor_gram(Env *env, const double *block, size_t ld, uint32_t rows, double *gram)
{
    gram_of(env, block, ld, rows, false, gram);
}

/*
 * Tells whether the condition of an equilibrated triangle (row major) is below limit. The largest norm of a column is 1,
 * so the norm of the matrix is at most sqrt(columns); the inverse is estimated as LINPACK does it, by
 * solving R'x = e with signs chosen for growth, then R y = x (Cline, Moler, Stewart, Wilkinson 1979).
 */
static bool condition_below(const double *r, size_t ld, uint32_t columns, double limit, double *x)
{
    double top = 0, norm = 0, largest = 0;

    memset(x, 0, columns * sizeof(double));
    for (uint32_t k = 0; k < columns; k++) {
        const double *row = r + (size_t)k * ld;
        double value;
        if (row[k] == 0) {
            x[k] = 0;
            continue;
        }
        value = (x[k] > 0 ? -1 - x[k] : 1 - x[k]) / row[k];
        for (uint32_t j = k + 1; j < columns; j++)
            x[j] += value * row[j];
        x[k] = value;
        norm += value * value;
        if (!(norm < 1e100))
            return false;
    }
    for (uint32_t k = columns; k-- > 0;) {
        const double *row = r + (size_t)k * ld;
        double sum = x[k];
        if (row[k] == 0) {
            x[k] = 0;
            continue;
        }
        for (uint32_t j = k + 1; j < columns; j++)
            sum -= row[j] * x[j];
        x[k] = sum / row[k];
        top += x[k] * x[k];
    }
    /* the norm of R is at least that of its largest row, and at most the square root of the columns */
    for (uint32_t k = 0; k < columns; k++) {
        double sum = 0;
        for (uint32_t j = k; j < columns; j++)
            sum += r[(size_t)k * ld + j] * r[(size_t)k * ld + j];
        largest = fmax(largest, sum);
    }
    return norm == 0 || sqrt(top / norm) * sqrt(largest) < limit;
}

/* Does the steps of factor_cholesky one by one; returns false if a pivot is too small. */
static bool cholesky_by_steps(Env *env, double *gram, size_t ld, uint32_t columns, const uint8_t *dependent, const double *scales, double floor)
{
    uint32_t step = (uint32_t)fmax(1, POLL_WORK / ((double)columns * columns)), last;

    for (uint32_t k = 0; k < columns; k = last) {
        last = columns - k > step ? k + step : columns;
        if (!CALL(cholesky, columns, gram, ld, columns, k, last, dependent, scales, floor))
            return false;
        env->poll(env);
    }
    return true;
}

/* Does the same by BLAS, for many columns of which none is zero or marked. */
static bool cholesky_by_blocks(Env *env, double *gram, size_t ld, uint32_t columns, double floor)
{
    double *a = env_array_raw(env, (size_t)columns * columns, sizeof(double));
    bool sound;

    for (uint32_t i = 0; i < columns; i++)
        memcpy(a + (size_t)i * columns + i, gram + i * ld + i, (columns - i) * sizeof(double));
    sound = cholesky_factor(env, a, columns, floor) == columns;
    for (uint32_t i = 0; i < columns; i++)
        memcpy(gram + i * ld + i, a + (size_t)i * columns + i, (columns - i) * sizeof(double));
    env->release(env, a);
    return sound;
}

bool factor_cholesky(Env *env, double *gram, size_t ld, uint32_t columns, const uint8_t *dependent,
                     double limit, double *scales)
{
    bool by_blocks = columns >= BLOCKED_COLUMNS && dependent == NULL;
    double floor = 1 / (limit * limit);

    for (uint32_t j = 0; j < columns; j++) {
        double square = gram[j * ld + j];
        if (square == 0) {
            scales[j] = 0;
            by_blocks = false;
            continue;
        }
        if (!(square > 1e-250 && square < 1e250))
            return false;
        scales[j] = 1 / sqrt(square);
    }
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = i; j < columns; j++)
            gram[i * ld + j] *= scales[i] * scales[j];
    if (!(by_blocks ? cholesky_by_blocks(env, gram, ld, columns, floor)
                    : cholesky_by_steps(env, gram, ld, columns, dependent, scales, floor)))
        return false;
    if (!condition_below(gram, ld, columns, limit, scales + columns))
        return false;
    for (uint32_t j = 0; j < columns; j++)
        scales[j] = scales[j] == 0 ? 0 : 1 / scales[j];
    return true;
}

/* Copies a packed triangle to rows of ld numbers, with zeros below the diagonal. */
static void unpack_rows(const double *packed, uint32_t columns, double *rows, size_t ld)
{
    memset(rows, 0, (size_t)columns * ld * sizeof(double));
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i <= j; i++)
            rows[i * ld + j] = *packed++;
}

/* Returns the sum of squares of column j of a packed triangle. */
static double column_square(const double *packed, uint32_t j)
{
    const double *column = packed + factor_packed(j);
    double sum = 0;

    for (uint32_t i = 0; i <= j; i++)
        sum += column[i] * column[i];
    return sum;
}

/* Tells whether numbers are 0, not only so small that their squares are. */
static bool is_zero(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != 0)
            return false;
    return true;
}

bool factor_condition_below(Env *env, const double *packed, uint32_t columns, double limit)
{
    size_t ld = factor_padded(columns);
    void *memory;
    double *rows = env_aligned(env, ld * columns + columns, &memory), *scales = rows + ld * columns;
    bool below = true;

    unpack_rows(packed, columns, rows, ld);
    for (uint32_t j = 0; j < columns && below; j++) {
        double square = column_square(packed, j);

        below = square == 0 ? is_zero(packed + factor_packed(j), j + 1) : square > 1e-250 && square < 1e250;
        scales[j] = square == 0 ? 0 : 1 / sqrt(square);
    }
    for (uint32_t i = 0; i < columns && below; i++)
        for (uint32_t j = i; j < columns; j++)
            rows[i * ld + j] *= scales[j];
    below = below && condition_below(rows, ld, columns, limit, scales);
    env->release(env, memory);
    return below;
}

bool factor_products_add(const double *packed, double *products, uint32_t columns, const double *gram, size_t ld,
                         const double *differences)
{
    const double *square = products;

    for (uint32_t j = 0; j < columns; square += columns - j++) {
        double own = column_square(packed, j), all = own + *square + gram[j * ld + j] + differences[j] * differences[j];
        if (!(all <= PRODUCTS_GROWTH * own) || (own == 0 && differences[j] != 0)) /* whose square vanishes */
            return false;
    }
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = i; j < columns; j++)
            *products++ += gram[i * ld + j] + differences[i] * differences[j];
    return true;
}

bool factor_products_zero(const double *products, uint32_t columns)
{
    for (uint32_t j = 0; j < columns; products += columns - j++)
        if (*products != 0)
            return false;
    return true;
}

bool factor_products_fold(Env *env, double *packed, double *products, uint32_t columns)
{
    size_t ld = factor_padded(columns);
    void *memory;
    double *rows, *gram, *norms;
    const double *product = products;
    bool folded;

    if (factor_products_zero(products, columns))
        return true;
    rows = env_aligned(env, (columns + ld + 1) * ld, &memory);
    gram = rows + columns * ld;
    norms = gram + ld * ld;
    unpack_rows(packed, columns, rows, ld);
    gram_of(env, rows, ld, columns, true, gram);
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = i; j < columns; j++)
            gram[i * ld + j] += *product++;
    for (uint32_t j = 0; j < columns; j++)
        norms[j] = sqrt(gram[j * ld + j]);
    for (uint32_t i = 0; i < columns; i++) /* of columns of zeros, those of the identity matrix */
        for (uint32_t j = i; j < columns; j++)
            rows[(size_t)i * columns + j] = norms[i] == 0 || norms[j] == 0 ? i == j : gram[i * ld + j] / (norms[i] * norms[j]);
    folded = cholesky_factor(env, rows, columns, 1 / (PRODUCTS_CONDITION * PRODUCTS_CONDITION)) == columns;
    for (uint32_t j = 0; j < columns && folded; j++)
        for (uint32_t i = 0; i <= j; i++)
            *packed++ = rows[(size_t)i * columns + j] * norms[j];
    memset(products, 0, factor_packed(columns) * sizeof(double));
    env->release(env, memory);
    return folded;
}

bool factor_penalize(Env *env, double *packed, uint32_t columns, const double *squares, double limit)
{
    double *products, *product;
    bool done = factor_condition_below(env, packed, columns, limit);

    for (uint32_t j = 0; j < columns && done; j++)
        done = squares[j] <= (PRODUCTS_GROWTH - 1) * column_square(packed, j);
    if (!done)
        return false;
    product = products = env_array(env, factor_packed(columns), sizeof(double));
    for (uint32_t j = 0; j < columns; product += columns - j++)
        *product = squares[j];
    done = factor_products_fold(env, packed, products, columns);
    env->release(env, products);
    return done;
}
