/*
 * test_qr_factor.c - blocks of rows added to a triangular factor: its cross-products are those of all rows, at sizes around
 * those of panels and tiles, whatever the units of the columns.
 */
#include "check.h"
#include "fit.h"
#include "core/linalg/qr_factor.h"

#include <stdlib.h>

enum { ORDINARY, EMPTY, DEPENDENT, UNITS, KINDS };

static double *make_block(Env *env, uint32_t columns, uint32_t rows, bool staircase, int kind, uint64_t *seed, void **memory)
{
    size_t ld = factor_padded(rows);
    double *block = env_aligned(env, ld * columns + 1, memory);

    for (uint32_t j = 0; j < columns; j++) {
        double *column = block + j * ld, unit = kind == UNITS ? pow(10, (double)(j * 7 % 5) * 50 - 100) : 1;
        for (uint32_t i = 0; i < rows && (!staircase || i <= j + 1); i++)
            column[i] = random_normal(seed) * unit;
        if (kind == EMPTY && j % 5 == 2)
            memset(column, 0, rows * sizeof(double));
        if (kind == DEPENDENT && !staircase && j % 5 == 2)
            memcpy(column, block + (j - 1) * ld, rows * sizeof(double));
    }
    return block;
}

/* Updates by three blocks; R'R less their cross-products, relative to the norms of the columns. */
static void test_update(Host *host, uint32_t columns, uint32_t rows, bool staircase, int kind)
{
    Env *env = &host->env;
    size_t ld = factor_padded(rows);
    double *packed = env_array(env, factor_packed(columns), sizeof(double)), *blocks[3], worst = 0;
    uint64_t seed = columns + rows;
    void *memory;

    for (int b = 0; b < 3; b++) {
        blocks[b] = make_block(env, columns, rows, staircase, kind, &seed, &memory);
        double *spent = env_aligned(env, ld * columns + 1, &memory);
        memcpy(spent, blocks[b], ld * columns * sizeof(double));
        factor_update(env, packed, columns, spent, ld, rows, staircase);
    }
    for (uint32_t j = 0; j < columns; j++) {
        for (uint32_t i = 0; i <= j; i++) {
            double sum = 0, of_i = 0, of_j = 0, found = 0;
            for (int b = 0; b < 3; b++)
                for (uint32_t r = 0; r < rows; r++) {
                    double x = blocks[b][i * ld + r], y = blocks[b][j * ld + r];
                    sum += x * y;
                    of_i += x * x;
                    of_j += y * y;
                }
            for (uint32_t k = 0; k <= i; k++)
                found += packed[factor_packed(i) + k] * packed[factor_packed(j) + k];
            if (of_i == 0 || of_j == 0)
                CHECK(found == 0);
            else
                worst = fmax(worst, fabs(found - sum) / sqrt(of_i) / sqrt(of_j));
        }
    }
    CHECK(worst < 1e-13);
    host_reset(host);
}

/* Columns that are too large to be squared are added; a number that is not finite shows in its column. */
static void test_extremes(Host *host)
{
    static const double sizes[] = {1e-300, 1e300, 1e-160, 1e160};
    Env *env = &host->env;
    uint32_t columns = 70, rows = 128;
    size_t ld = factor_padded(rows);
    double *packed = env_array(env, factor_packed(columns), sizeof(double));
    uint64_t seed = 3;
    void *memory;
    double *block = make_block(env, columns, rows, false, ORDINARY, &seed, &memory);

    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < rows; i++)
            block[j * ld + i] *= sizes[j % 4];
    factor_update(env, packed, columns, block, ld, rows, false);
    for (uint32_t j = 0; j < columns; j++) {
        double sum = 0;
        for (uint32_t i = 0; i <= j; i++) {
            double value = packed[factor_packed(j) + i] / sizes[j % 4];
            CHECK(isfinite(value));
            sum += value * value;
        }
        CHECK(sum > 60 && sum < 240); /* 128 squares of mean 1 */
    }

    memset(packed, 0, factor_packed(columns) * sizeof(double));
    block = make_block(env, columns, rows, false, ORDINARY, &seed, &memory);
    block[40 * ld + 5] = INFINITY;
    factor_update(env, packed, columns, block, ld, rows, false);
    for (uint32_t j = 0; j < 40; j++)
        for (uint32_t i = 0; i <= j; i++)
            CHECK(isfinite(packed[factor_packed(j) + i]));
    CHECK(!isfinite(packed[factor_packed(41) - 1]));
    block = make_block(env, columns, rows, false, ORDINARY, &seed, &memory);
    packed[0] = INFINITY; /* of a damaged factor */
    factor_update(env, packed, columns, block, ld, rows, false);
    CHECK(!isfinite(packed[0]));
    host_reset(host);
}

/* Cross-products of so many rows that the loop over columns polls, and triangles of cross-products that are zero or out of range. */
static void test_cross_products(Host *host)
{
    enum { COLUMNS = 16, ROWS = 40000 };
    static const struct {
        double square;
        bool sound;
    } cases[] = {{0, true}, {4, true}, {1e-260, false}, {1e260, false}, {NAN, false}};
    Env *env = &host->env;
    uint64_t seed = 7;
    void *memory;
    double *block = env_aligned(env, (size_t)COLUMNS * ROWS, &memory), *gram = env_aligned(env, COLUMNS * COLUMNS, &memory), worst = 0;

    for (size_t i = 0; i < (size_t)COLUMNS * ROWS; i++)
        block[i] = random_normal(&seed);
    factor_gram(env, block, COLUMNS, ROWS, gram);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = i; j < COLUMNS; j++) {
            double sum = 0;

            for (size_t r = 0; r < ROWS; r++)
                sum += block[r * COLUMNS + i] * block[r * COLUMNS + j];
            worst = fmax(worst, fabs(gram[i * COLUMNS + j] - sum));
        }
    CHECK(worst < 1e-9 && host->polls > 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double *small = env_aligned(env, 8 * 8, &memory), scales[16];

        for (int j = 0; j < 2; j++)
            small[j * 8 + j] = cases[c].square;
        CHECK(factor_cholesky(env, small, 8, 2, NULL, 100, scales) == cases[c].sound);
        CHECK(!cases[c].sound || scales[0] == sqrt(cases[c].square));
    }
    host_reset(host);
}

/* A triangle so large that its steps poll is that of the sum of products, row by row, of one row as of many. */
static void test_large_triangle(Host *host)
{
    enum { COLUMNS = 320 };
    Env *env = &host->env;
    uint64_t seed = 5;
    void *memory;
    double *gram = env_aligned(env, COLUMNS * COLUMNS, &memory), *scales = env_array(env, 2 * COLUMNS, sizeof(double)), worst = 0;
    double *x = env_aligned(env, COLUMNS * 2 * COLUMNS, &memory), *whole = env_aligned(env, COLUMNS * COLUMNS, &memory);

    for (size_t i = 0; i < COLUMNS * 2 * COLUMNS; i++)
        x[i] = random_normal(&seed);
    factor_gram(env, x, COLUMNS, 1, gram);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = i; j < COLUMNS; j++)
            worst = fmax(worst, fabs(gram[i * COLUMNS + j] - x[i] * x[j]));
    CHECK(worst == 0);
    factor_gram(env, x, COLUMNS, 2 * COLUMNS, gram);
    memcpy(whole, gram, COLUMNS * COLUMNS * sizeof(double));
    host->polls = 0;
    CHECK(factor_cholesky(env, gram, COLUMNS, COLUMNS, NULL, 1e6, scales) && host->polls > 0);
    for (size_t i = 0; i < COLUMNS; i += 7)
        for (size_t j = i; j < COLUMNS; j++) {
            double sum = 0;

            for (size_t k = 0; k <= i; k++)
                sum += gram[k * COLUMNS + i] * gram[k * COLUMNS + j];
            worst = fmax(worst, fabs(sum * scales[i] * scales[j] - whole[i * COLUMNS + j]));
        }
    CHECK(worst < 1e-10);
    host_reset(host);
}

/*
 * A triangle without products stays what it is, also where it is so large that its products are computed in short steps; the condition of one
 * whose inverse would overflow is not below anything.
 */
static void test_folds(Host *host)
{
    Env *env = &host->env;
    uint32_t columns = 1024;
    double *packed = env_array(env, factor_packed(columns), sizeof(double)), *products = env_array(env, factor_packed(columns), sizeof(double));
    double singular[3] = {1, 1, 1e-80}, worst = 0;

    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i <= j; i++)
            packed[factor_packed(j) + i] = i == j ? 1 + j % 7 : i == 0 ? 1.0 / (1 + j) : 0;
    CHECK(factor_products_fold(env, packed, products, columns));
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i <= j; i++)
            worst = fmax(worst, fabs(packed[factor_packed(j) + i] - (i == j ? 1 + j % 7 : i == 0 ? 1.0 / (1 + j) : 0)));
    CHECK(worst < 1e-14);
    CHECK(!factor_condition_below(env, singular, 2, 1e300));
    host_reset(host);
}

/* The cross-products of no rows are 0. */
static void test_no_rows(Host *host)
{
    void *memory;
    double *block = env_aligned(&host->env, 8 + 64, &memory), *gram = block + 8; /* loops store whole vectors */

    for (int i = 0; i < 64; i++)
        gram[i] = NAN;
    factor_gram(&host->env, block, 8, 0, gram);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i <= j; i++)
            CHECK(gram[i * 8 + j] == 0);
    host_reset(host);
}

int main(void)
{
    static const uint32_t columns[] = {1, 3, 63, 64, 65, 96, 101, 131}, rows[] = {1, 15, 63, 64, 65, 100, 256};
    static const uint32_t stairs[] = {2, 64, 191, 192, 193, 230};
    Host *host = host_new();

    for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        for (unsigned j = 0; j < sizeof(rows) / sizeof(rows[0]); j++)
            for (int kind = 0; kind < KINDS; kind++)
                test_update(host, columns[i], rows[j], false, kind);
    for (unsigned i = 0; i < sizeof(stairs) / sizeof(stairs[0]); i++)
        for (int kind = 0; kind < KINDS; kind++)
            test_update(host, stairs[i], stairs[i] + 1, true, kind);
    test_extremes(host);
    test_no_rows(host);
    test_cross_products(host);
    test_large_triangle(host);
    test_folds(host);
    host_free(host);
    return check_report();
}
