/*
 * test_vector_loops.c - the loops of every instruction set that this machine has give the same bits; products
 * of matrices agree to rounding.
 */
#include "core/linalg/vector_loops.c"
#include "core/linalg/gemm.c"

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

int main(void)
{
    compare_sets("base", rows_base, panels_base);
    compare_products("base", block_base);
#ifdef LOOPS_DISPATCH
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        compare_sets("avx2", rows_avx2, panels_avx2);
        compare_products("avx2", block_avx2);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        compare_sets("avx512", rows_avx512, panels_avx512);
        compare_products("avx512", block_avx512);
    }
#endif
    return check_report();
}
