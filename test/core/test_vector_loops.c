/*
 * test_vector_loops.c - the loops of every instruction set that this machine has give the same bits; products
 * of matrices agree to rounding.
 */
#include "core/linalg/vector_loops.c"
#include "core/linalg/gemm.c"
#include "core/linalg/column_loops.c"

#include "check.h"

static double number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed * 0x1p-63 * (*seed % 7 == 0 ? 1e8 : 1);
}

typedef void (*Rows)(Loop loop, uint32_t power, const double *q, const double *rows, uint32_t count,
                     uint32_t width, size_t stride, double *out);
typedef void (*Panels)(Loop loop, uint32_t power, const double *q, const double *panels,
                       uint32_t panel_count, uint32_t count, size_t stride, double *out);

/* Compares one instruction set with the base. */
static void compare_sets(const char *name, Rows some_rows, Panels some_panels)
{
    enum { COUNT = 24, WIDEST = 70 };
    static double rows[COUNT * WIDEST], panels[COUNT * WIDEST], q[WIDEST];
    uint64_t seed = 11;

    for (uint32_t width = 1; width <= WIDEST; width++) {
        bool same = true;

        for (uint32_t i = 0; i < COUNT * width; i++)
            rows[i] = number(&seed);
        for (uint32_t i = 0; i < width; i++)
            q[i] = i % 5 == 0 ? rows[i] : number(&seed);
        for (uint32_t r = 0; r < COUNT; r++)
            for (uint32_t j = 0; j < width; j++)
                panels[r / 8 * 8 * width + j * 8 + r % 8] = rows[r * width + j];
        for (Loop loop = LOOP_SQUARES; loop <= LOOP_PRODUCTS; loop++) {
            double base[COUNT], others[COUNT], paneled[COUNT];

            rows_base(loop, 5, q, rows, COUNT, width, width, base);
            some_rows(loop, 5, q, rows, COUNT, width, width, others);
            some_panels(loop, 5, q, panels, COUNT / 8, width, width, paneled);
            same = same && memcmp(base, others, sizeof base) == 0 && memcmp(base, paneled, sizeof base) == 0;
            for (uint32_t r = 0; r < COUNT; r += 5)
                same = same && loop_pair(loop, 5, q, rows + r * width, width) == base[r];
        }
        check_that(same, __FILE__, __LINE__, "%s of %u numbers: other bits than the base's", name, width);
    }
}

typedef double (*Box)(bool squares, const double *q, const double *low, const double *high, uint32_t count);

/* Compares the sum of the gaps to a box with that of the differences to its nearest point; a NaN has no gap. */
static void compare_boxes(const char *name, Box some_box)
{
    enum { WIDEST = 70 };
    uint64_t seed = 23;

    for (uint32_t width = 1; width <= WIDEST; width++) {
        double q[WIDEST], low[WIDEST], high[WIDEST], nearest[WIDEST], squares, sum;

        for (uint32_t j = 0; j < width; j++) {
            double a = number(&seed), b = number(&seed);

            q[j] = number(&seed);
            low[j] = fmin(a, b);
            high[j] = fmax(a, b);
            nearest[j] = fmin(fmax(q[j], low[j]), high[j]);
        }
        rows_base(LOOP_SQUARES, 0, q, nearest, 1, width, width, &squares);
        rows_base(LOOP_ABSOLUTE, 0, q, nearest, 1, width, width, &sum);
        check_that(some_box(true, q, low, high, width) == squares && some_box(false, q, low, high, width) == sum, __FILE__, __LINE__,
                   "box, %s, of %u numbers", name, width);
        for (uint32_t j = 0; j < width; j++)
            q[j] = NAN;
        check_that(some_box(true, q, low, high, width) == 0, __FILE__, __LINE__, "box, %s, of %u NaN", name, width);
    }
}

typedef void (*Block)(const double *a, uint32_t rows, const double *packed, uint32_t columns,
                      uint32_t width, double *out, size_t ld);

static void compare_products(const char *name, Block block)
{
    enum { ROWS = 19, COLUMNS = 50, LD = 72 };

    for (uint32_t width = 1; width < 40; width += 3) {
        static double a[ROWS * 40], b[COLUMNS * 40], packed[LD * 40], out[ROWS * LD];
        uint64_t seed = width;
        bool close = true;

        for (uint32_t i = 0; i < ROWS * width; i++)
            a[i] = number(&seed);
        for (uint32_t i = 0; i < COLUMNS * width; i++)
            b[i] = number(&seed);
        product_pack(b, COLUMNS, width, width, NULL, packed);
        block(a, ROWS, packed, COLUMNS, width, out, LD);
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t j = 0; j < COLUMNS; j++) {
                double sum = 0, size = 0;

                for (uint32_t k = 0; k < width; k++) {
                    sum += a[i * width + k] * b[j * width + k];
                    size += fabs(a[i * width + k] * b[j * width + k]);
                }
                close = close && fabs(out[i * LD + j] - sum) <= 1e-14 * size;
            }
        check_that(close, __FILE__, __LINE__, "products, %s, of %u numbers", name, width);
    }
}

typedef void (*Subtract)(double *restrict to, const double *restrict from, double times, size_t count);
typedef double (*Dot)(const double *x, const double *y, size_t count);

/* Compares both loops over columns with plain ones, of every length, and sees that they leave the next number alone. */
static void compare_columns(const char *name, Subtract some_subtract, Dot some_dot)
{
    enum { MOST = 70 };

    for (uint32_t count = 0; count < MOST; count++) {
        double x[MOST + 1], y[MOST + 1], expected[MOST + 1], sum = 0, size = 0;
        uint64_t seed = count + 5;
        bool close = true;

        for (uint32_t i = 0; i <= count; i++) {
            x[i] = number(&seed);
            y[i] = number(&seed);
            expected[i] = i < count ? x[i] - 0.75 * y[i] : x[i];
            sum += i < count ? x[i] * y[i] : 0;
            size += i < count ? fabs(x[i] * y[i]) : 0;
        }
        check_that(fabs(some_dot(x, y, count) - sum) <= 1e-14 * size, __FILE__, __LINE__, "product of columns, %s, of %u numbers", name, count);
        some_subtract(x, y, 0.75, count);
        for (uint32_t i = 0; i <= count; i++)
            close = close && fabs(x[i] - expected[i]) <= 1e-15 * (fabs(expected[i]) + fabs(y[i])) * (i < count);
        check_that(close, __FILE__, __LINE__, "subtracted column, %s, of %u numbers", name, count);
    }
}

int main(void)
{
    compare_columns("dispatched", column_subtract, column_dot);
    compare_columns("base", subtract_base, dot_base);
    compare_sets("base", rows_base, panels_base);
    compare_boxes("base", box_base);
    compare_products("base", block_base);
#ifdef CPU_AVX2
    if (CPU_AVX2) {
        compare_sets("avx2", rows_avx2, panels_avx2);
        compare_boxes("avx2", box_avx2);
        compare_products("avx2", block_avx2);
        compare_columns("avx2", subtract_avx2, dot_avx2);
    }
    if (CPU_AVX512) {
        compare_sets("avx512", rows_avx512, panels_avx512);
        compare_boxes("avx512", box_avx512);
        compare_products("avx512", block_avx512);
        compare_columns("avx512", subtract_avx512, dot_avx512);
    }
#endif
    return check_report();
}
