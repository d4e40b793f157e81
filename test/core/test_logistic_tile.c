/*
 * test_logistic_tile.c - exp, log and the tiles of logistic fits against libm and loops.
 */
#include "check.h"
#include "fit.h"

#include "core/math/exp_log1p.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/logistic/logistic_tile.h"

#include <float.h>

static double apart(double a, double b)
{
    return fabs(a - b) / fabs(b);
}

static void test_functions(void)
{
    uint64_t seed = 9;
    double worst = 0, worst_log = 0, worst_logistic = 0;

    for (int i = 0; i < 200000; i++) {
        double x = (random_uniform(&seed) - 0.5) * 1410, e = random_uniform(&seed), z;

        worst = fmax(worst, apart(exponential_core(x), exp(x)));
        e = i % 2 ? e : e * e * e * 1e-8;
        worst_log = fmax(worst_log, apart(log1p_core(e), log1p(e)));
        z = x / 20;
        worst_logistic = fmax(worst_logistic, apart(logistic(z), z > 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z))));
    }
    CHECK(worst < 2 * DBL_EPSILON && worst_log < 4 * DBL_EPSILON && worst_logistic < 4 * DBL_EPSILON);
    CHECK(exponential_core(0) == 1 && log1p_core(0) == 0);
    CHECK(logistic(800) == 1 && logistic(-800) == 0 && logistic(0) == 0.5 && logistic(-740) > 0);
    CHECK_NEAR(logistic(-720) * 1e300 * 1e12, exp(-720 + 312 * log(10)), 1e-9);
    CHECK(logistic(INFINITY) == 1 && logistic(-INFINITY) == 0);
    double scores[3] = {1000, 999, -1000}, equal[2] = {-1e308, -1e308};
    softmax(scores, 3, scores);
    CHECK_NEAR(scores[0], 0.731058578630005, 1e-14);
    CHECK(scores[2] == 0);
    softmax(equal, 2, equal);
    CHECK(equal[0] == 0.5 && equal[1] == 0.5);
}

/* Compares a tile with loops. */
static void test_tiles(Host *host)
{
    Env *env = &host->env;
    enum { COUNT = 11, ROOM = COUNT + TILE_PADDING };
    double *memory = env_array(env, (ROOM + 14) * DESIGN_TILE + 8, sizeof(double));
    double *next = (double *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    const double *columns[ROOM];
    double *eta, *y, *w, *out, *scratch, *copy, packed[COUNT * (COUNT + 1) / 2] = {0}, sums[COUNT] = {0}, theta[COUNT];
    double expected = 0, loss;
    uint64_t seed = 4;

    for (uint32_t j = 0; j < ROOM; j++, next += DESIGN_TILE) {
        columns[j] = next;
        for (uint32_t i = 0; i < DESIGN_TILE && j < COUNT; i++)
            next[i] = random_normal(&seed);
    }
    eta = next, y = eta + 3 * DESIGN_TILE, w = y + DESIGN_TILE, out = w + DESIGN_TILE;
    scratch = out + 2 * DESIGN_TILE, copy = scratch + 4 * DESIGN_TILE;
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        y[i] = i % 2;
        w[i] = i < 250 ? 1 + i % 3 : 0;
    }
    for (uint32_t j = 0; j < COUNT; j++)
        theta[j] = random_normal(&seed) * (j == 0 ? 40 : 1);
    tile_scores(columns, COUNT, theta, eta);
    tile_products(columns, COUNT, w, sums);
    tile_gram(env, columns, COUNT, w, scratch, packed);
    for (uint32_t j = 0; j < COUNT; j++) {
        double sum = 0;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            sum += w[i] * columns[j][i];
        CHECK_NEAR(sums[j], sum, 1e-13);
        for (uint32_t k = 0; k <= j; k++) {
            double product = 0;

            for (uint32_t i = 0; i < DESIGN_TILE; i++)
                product += w[i] * columns[j][i] * columns[k][i];
            CHECK_NEAR(packed[j * (j + 1) / 2 + k], product, 1e-13);
        }
    }
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < COUNT; j++)
            sum += theta[j] * columns[j][i];
        CHECK_NEAR(eta[i], sum, 1e-13);
        expected += w[i] * (fmax(eta[i], 0) + log1p(exp(-fabs(eta[i]))) - y[i] * eta[i]);
    }
    loss = tile_binary(eta, y, w, out, out + DESIGN_TILE);
    CHECK_NEAR(loss, expected, 1e-13);
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        double p = logistic(eta[i]);

        CHECK_NEAR(out[i], w[i] * (p - y[i]), 1e-14);
        CHECK_NEAR(out[DESIGN_TILE + i], w[i] * p * logistic(-eta[i]), 1e-14);
    }
    memset(eta + DESIGN_TILE, 0, DESIGN_TILE * sizeof(double));
    memcpy(copy, eta, 2 * DESIGN_TILE * sizeof(double));
    loss = tile_softmax(eta, 2, y, w, out); /* the same two classes, with score 0 for the second */
    expected = 0;
    for (uint32_t i = 0; i < DESIGN_TILE; i++) {
        CHECK_NEAR(eta[i], logistic(copy[i]), 1e-14);
        expected += w[i] * (fmax(copy[i], 0) + log1p(exp(-fabs(copy[i]))) - (1 - y[i]) * copy[i]);
    }
    CHECK_NEAR(loss, expected, 1e-12);
    host_reset(host);
}

/* Compares row-major rows with loops; one block and many give the same bits. */
static void test_lines(void)
{
    enum { ROWS = 43, TERMS = 21 };
    double x[ROWS * TERMS], center[TERMS], slope[TERMS], w[ROWS + 8], y[ROWS + 8], out[ROWS + 8];
    double eta[2 * DESIGN_TILE] __attribute__((aligned(64))), room[2 * DESIGN_TILE] __attribute__((aligned(64)));
    double sums[TERMS] = {0}, squares[TERMS] = {0}, again[TERMS] = {0}, pieces = 0, whole, expected = 0;
    uint64_t seed = 8;

    for (uint32_t i = 0; i < ROWS * TERMS; i++)
        x[i] = random_normal(&seed);
    for (uint32_t j = 0; j < TERMS; j++) {
        center[j] = random_normal(&seed);
        slope[j] = random_normal(&seed);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        y[i] = i % 2;
        w[i] = 1 + i % 3;
    }
    lines_scores(x, TERMS, ROWS, center, slope, 0.25, eta);
    for (uint32_t i = 0; i < ROWS; i++) {
        double sum = 0.25, one;

        for (uint32_t j = 0; j < TERMS; j++)
            sum += (x[i * TERMS + j] - center[j]) * slope[j];
        CHECK_NEAR(eta[i], sum, 1e-13);
        lines_scores(x + i * TERMS, TERMS, 1, center, slope, 0.25, &one);
        CHECK(one == eta[i]);
        expected += w[i] * (fmax(eta[i], 0) + log1p(exp(-fabs(eta[i]))) - y[i] * eta[i]);
    }
    whole = lines_binary(eta, y, w, ROWS, out, room, 0);
    CHECK_NEAR(whole, expected, 1e-13);
    lines_products(x, TERMS, ROWS, center, out, sums);
    for (uint32_t i = 0, count; i < ROWS; i += count) {
        double piece_y[16], piece_w[16], piece[16], scores[16];

        count = 1 + i % 7 < ROWS - i ? 1 + i % 7 : ROWS - i;
        memcpy(piece_y, y + i, count * sizeof(double));
        memcpy(piece_w, w + i, count * sizeof(double));
        memcpy(scores, eta + i, count * sizeof(double));
        pieces = lines_binary(scores, piece_y, piece_w, count, piece, room, pieces);
        CHECK(memcmp(piece, out + i, count * sizeof(double)) == 0);
        lines_products(x + i * TERMS, TERMS, count, center, piece, again);
    }
    CHECK(pieces == whole && memcmp(sums, again, sizeof(sums)) == 0);
    memset(eta + DESIGN_TILE, 0, ROWS * sizeof(double));
    for (uint32_t i = 0; i < ROWS; i++)
        y[i] = 1 - y[i]; /* the second class has score 0 */
    CHECK_NEAR(lines_softmax(eta, 2, y, w, ROWS, room, 0), expected, 1e-13);
    memset(again, 0, sizeof(again));
    for (uint32_t i = 0; i < ROWS; i++)
        line_moments(x + i * TERMS, TERMS, center, w[i], again, squares);
    for (uint32_t j = 0; j < TERMS; j++) {
        double sum = 0, moment = 0, square = 0;

        for (uint32_t i = 0; i < ROWS; i++) {
            double d = x[i * TERMS + j] - center[j];

            sum += out[i] * d;
            moment += w[i] * d;
            square += w[i] * d * d;
        }
        CHECK_NEAR(sums[j], sum, 1e-12);
        CHECK_NEAR(again[j], moment, 1e-12);
        CHECK_NEAR(squares[j], square, 1e-12);
    }
}

/* Two equations at once have the bits of one after the other. */
static void test_two_equations(void)
{
    enum { MOST = 21, LINES = 19 };
    double x[LINES * MOST], center[MOST], slopes[2 * MOST], constants[2] = {0.5, -3}, eta[2 * DESIGN_TILE], one[DESIGN_TILE];
    uint64_t seed = 9;

    for (uint32_t i = 0; i < LINES * MOST; i++)
        x[i] = random_normal(&seed);
    for (uint32_t j = 0; j < 2 * MOST; j++)
        slopes[j] = center[j % MOST] = random_normal(&seed);
    for (uint32_t terms = 1; terms <= MOST; terms++)
        for (uint32_t count = 1; count <= LINES; count++) {
            double sums[2 * MOST] = {0}, own[MOST];

            lines_scores_two(x, terms, count, center, slopes, constants, eta);
            lines_products_two(x, terms, count, center, eta, sums, MOST);
            for (uint32_t e = 0; e < 2; e++) {
                lines_scores(x, terms, count, center, slopes + (size_t)e * terms, constants[e], one);
                CHECK(memcmp(one, eta + (size_t)e * DESIGN_TILE, count * sizeof(double)) == 0);
                memset(own, 0, sizeof(own));
                lines_products(x, terms, count, center, one, own);
                CHECK(memcmp(own, sums + (size_t)e * MOST, terms * sizeof(double)) == 0);
            }
        }
}

int main(void)
{
    Host *host = host_new();

    test_functions();
    test_tiles(host);
    test_lines();
    test_two_equations();
    host_free(host);
    return check_report();
}
