/* test_cholesky.c - factors of symmetric matrices: both forms, sizes around the blocks, the rank test. */
#include "check.h"
#include "fit.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <stdlib.h>

/* A positive definite matrix of n columns in units far apart, dense and packed. */
static void make(Env *env, uint32_t n, uint32_t rank, double **dense, double **packed)
{
    double *x = env_array(env, (size_t)n * rank + 1, sizeof(double));
    uint64_t seed = n;

    for (size_t i = 0; i < (size_t)n * rank; i++)
        x[i] = random_normal(&seed);
    for (uint32_t j = 0; j < n && rank == n; j++)
        x[(size_t)j * rank + j] += 3 * sqrt((double)n);
    *dense = env_array(env, (size_t)n * n + 1, sizeof(double));
    *packed = env_array(env, factor_packed(n) + 1, sizeof(double));
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double sum = 0, scale = pow(10, (double)(i % 7) + (double)(j % 7) - 6);
            for (uint32_t k = 0; k < rank; k++)
                sum += x[(size_t)i * rank + k] * x[(size_t)j * rank + k];
            (*packed)[factor_packed(j) + i] = sum * scale;
            (*dense)[(size_t)i * n + j] = sum * scale;
        }
}

static void test_size(Host *host, uint32_t n)
{
    Env *env = &host->env;
    double *dense, *packed, *triangle = env_array(env, factor_packed(n) + 1, sizeof(double)), *b, *c;
    double worst = 0, difference = 0;

    make(env, n, n, &dense, &packed);
    triangle_from_packed(triangle, packed, n);
    CHECK_INT(cholesky_factor(env, dense, n, CHOLESKY_TOLERANCE(n)), n);
    CHECK_INT(cholesky_triangle(env, triangle, n, CHOLESKY_TOLERANCE(n)), n);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = j; i < n; i++) {
            double own = dense[(size_t)j * n + i], other = triangle[triangle_at(n, j) + i - j], sum = 0;
            double size = sqrt(packed[factor_packed(i) + i]);
            difference = fmax(difference, fabs(own - other) / size);
            for (uint32_t k = 0; k <= j; k++)
                sum += dense[(size_t)k * n + i] * dense[(size_t)k * n + j];
            worst = fmax(worst, fabs(sum - packed[factor_packed(i) + j]) /
                                    (size * sqrt(packed[factor_packed(j) + j])));
        }
    CHECK(difference < 1e-13);
    CHECK(worst < 1e-13);
    b = env_array(env, 2 * (size_t)n + 1, sizeof(double));
    c = env_array(env, (size_t)n + 1, sizeof(double));
    for (uint32_t j = 0; j < n; j++)
        b[j] = b[n + j] = c[j] = (double)j - 3;
    cholesky_solve(env, dense, n, b, 2);
    triangle_solve(triangle, n, c);
    for (uint32_t j = 0; j < n; j++) {
        CHECK_NEAR(b[j], c[j], 1e-9);
        CHECK(b[j] == b[n + j]);
    }
    /* L'^-1 L^-1 is the inverse */
    cholesky_solve_transposed(env, dense, n, b, 1);
    triangle_solve_transposed(triangle, n, c, c);
    for (uint32_t j = 0; j < n; j++)
        CHECK_NEAR(c[j], b[j], 1e-9);
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (uint32_t j = 0; j < n; j++) {
            double a = i < j ? packed[factor_packed(j) + i] : packed[factor_packed(i) + j];
            sum += a * b[j];
            size += fabs(a * b[j]);
        }
        CHECK(fabs(sum - ((double)i - 3)) <= 1e-11 * (size + 1));
    }
    host_reset(host);
}

/* Finds the first column that depends on those before it, in any units, but none that is only nearly dependent. */
static void test_rank(Host *host)
{
    static const uint32_t ranks[] = {1, 5, 63, 64, 65, 100};
    Env *env = &host->env;

    for (int i = 0; i < 6; i++) {
        double *dense, *packed, *triangle = env_array(env, factor_packed(130), sizeof(double));
        make(env, 130, ranks[i], &dense, &packed);
        triangle_from_packed(triangle, packed, 130);
        CHECK_INT(cholesky_factor(env, dense, 130, CHOLESKY_TOLERANCE(130)), ranks[i]);
        CHECK_INT(cholesky_triangle(env, triangle, 130, CHOLESKY_TOLERANCE(130)), ranks[i]);
    }
    for (int i = 0; i < 4; i++) {
        static const double cases[][3] = {{1, 1, 1}, {1, 0.999999, 1}, {0, 0, 1}, {1e-300, 0, 1e300}};
        static const uint32_t expected[] = {1, 2, 0, 2};
        double a[] = {cases[i][0], cases[i][1], 7, cases[i][2]};
        double t[] = {cases[i][0], cases[i][1], cases[i][2]};
        CHECK_INT(cholesky_factor(env, a, 2, CHOLESKY_TOLERANCE(2)), expected[i]);
        CHECK(packed_is_definite(env, t, 2) == (expected[i] == 2));
        CHECK_INT(cholesky_triangle(env, t, 2, CHOLESKY_TOLERANCE(2)), expected[i]);
        CHECK(a[2] == 7);
    }
    {
        double a[] = {NAN, 0, 0, 1}, b[] = {INFINITY, 0, 0, 1};
        CHECK_INT(cholesky_factor(env, a, 2, 0), 0);
        CHECK_INT(cholesky_factor(env, b, 2, 0), 0);
    }
    host_reset(host);
}

/* The inverse, its diagonal and the inverse of the first rows, and solutions with triangles that are halved. */
static void test_inverse(Host *host, uint32_t n)
{
    Env *env = &host->env;
    double *dense, *packed, *inverse = env_array(env, (size_t)n + 1, sizeof(double)), *b = env_array(env, (size_t)n * n + 1, sizeof(double));
    double worst = 0, *full = env_array(env, (size_t)n * n + 1, sizeof(double));
    uint32_t first = n / 2 + 1;

    make(env, n, n, &dense, &packed);
    cholesky_factor(env, dense, n, 0);
    cholesky_inverse_diagonal(env, dense, n, inverse);
    for (uint32_t j = 0; j < n; j++)
        b[(size_t)j * n + j] = 1;
    cholesky_solve(env, dense, n, b, n);
    cholesky_solve_transposed(env, dense, n, b, n);
    for (uint32_t j = 0; j < n; j++)
        worst = fmax(worst, fabs(inverse[j] / b[(size_t)j * n + j] - 1));
    check_that(worst < 1e-10, __FILE__, __LINE__, "n %u: the diagonal of the inverse is off by %g", n, worst);
    cholesky_inverse(env, dense, n, n, full);
    for (size_t i = 0; i < (size_t)n * n; i++)
        worst = fmax(worst, fabs(full[i] - b[i]) / sqrt(b[i / n * (n + 1)] * b[i % n * (n + 1)]));
    cholesky_inverse(env, dense, n, first, full); /* L is [first x first] in its corner */
    for (uint32_t j = 0; j < first; j++) {
        memset(b, 0, n * sizeof(double));
        memcpy(b, full + (size_t)j * first, first * sizeof(double));
        for (uint32_t i = 0; i < first; i++) { /* L' b */
            b[i] *= dense[(size_t)i * n + i];
            for (uint32_t k = i + 1; k < first; k++)
                b[i] += dense[(size_t)i * n + k] * b[k];
        }
        for (uint32_t i = first; i-- > 0;) { /* L L' b */
            b[i] *= dense[(size_t)i * n + i];
            for (uint32_t k = 0; k < i; k++)
                b[i] += dense[(size_t)k * n + i] * b[k];
            worst = fmax(worst, fabs(b[i] - (i == j)));
        }
    }
    check_that(worst < 1e-9, __FILE__, __LINE__, "n %u: the inverse is off by %g", n, worst);
    host_reset(host);
}

/* A triangle of more columns than one call solves with: 2 on the diagonal, -1 below it. Many right sides have solutions of their own. */
static void test_halves(Host *host)
{
    enum { LARGE = 2500, SIDES = 200 };
    Env *env = &host->env;
    double *l = env_array(env, (size_t)LARGE * LARGE, sizeof(double)), *b = env_array(env, LARGE, sizeof(double)), worst = 0;
    double *many = env_array(env, (size_t)SIDES * LARGE, sizeof(double)), apart = 0;

    for (size_t j = 0; j < LARGE; j++) {
        l[j * LARGE + j] = 2;
        for (size_t i = j + 1; i < LARGE; i++)
            l[j * LARGE + i] = i - j < 3 ? -0.5 : 0;
        b[j] = 1 + (double)(j % 7);
        for (size_t s = 0; s < SIDES; s++)
            many[s * LARGE + j] = b[j] * (double)(s + 1);
    }
    cholesky_solve(env, l, LARGE, many, SIDES);
    cholesky_solve(env, l, LARGE, b, 1);
    for (size_t s = 0; s < SIDES; s++)
        for (size_t j = 0; j < LARGE; j++)
            apart = fmax(apart, fabs(many[s * LARGE + j] / (double)(s + 1) - b[j]));
    CHECK(apart < 1e-11);
    cholesky_solve_transposed(env, l, LARGE, b, 1);
    for (size_t i = 0; i < LARGE; i++) { /* L L' b is what it was */
        double sum = 0;
        for (size_t j = i >= 2 ? i - 2 : 0; j <= i; j++) {
            double inner = 0;
            for (size_t r = j; r < LARGE && r < j + 3; r++)
                inner += l[j * LARGE + r] * b[r];
            sum += l[j * LARGE + i] * inner;
        }
        worst = fmax(worst, fabs(sum - (1 + (double)(i % 7))));
    }
    CHECK(worst < 1e-11);
    host_reset(host);
}

/* Steps of two coordinates from 0: the minimum where there is one, down the gradient or not at all where nothing curves up. */
static void test_quadratic_steps(Host *host)
{
    static const double none[2], l1[] = {0.5, 0.5};
    static const struct {
        double matrix[4], gradient[2], step[2];
        const double *l1;
    } cases[] = {
        {{2, 0, 0, 4}, {2, 4}, {-1, -1}, NULL},
        {{-1, 0, 0, -1}, {1, 2}, {0, 0}, NULL},
        {{4, NAN, NAN, 4}, {1, 2}, {-0.25, -0.5}, NULL},
        {{2, 0, 0, 4}, {2, 0.25}, {-0.75, 0}, l1},
        {{0, 0, 0, 4}, {2, -4}, {0, 0.875}, l1},
        {{0, 0, 0, 4}, {2, -4}, {0, 1}, none},
    };
    double room[QUADRATIC_ROOM(2)], step[2];

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double promise = quadratic_step(&host->env, 2, cases[c].matrix, cases[c].gradient, none, cases[c].l1, 0, room, step), expected = 0;

        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(step[i], cases[c].step[i], 1e-9);
            expected -= cases[c].gradient[i] * step[i] + (cases[c].l1 != NULL ? cases[c].l1[i] * fabs(step[i]) : 0);
        }
        CHECK_NEAR(promise, expected, 1e-12);
    }
    { /* nearly dependent coordinates, beside one without curvature: the exact minimum, not where coordinate descent gives up */
        double matrix[9] = {1, 1 - 1e-9, 0, 1 - 1e-9, 1, 0, 0, 0, 0}, gradient[3] = {-1, -1 - 1e-8, 1}, zero[3] = {0};
        double large[QUADRATIC_ROOM(3)], to[3];

        quadratic_step(&host->env, 3, matrix, gradient, zero, zero, 0, large, to);
        CHECK_NEAR(to[0] + to[1], 1, 1e-6);
        CHECK_NEAR(to[1] - to[0], 10, 1e-3);
        CHECK(to[2] == 0);
    }
}

int main(void)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 10, 63, 64, 65, 128, 200};
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 28;
    for (int i = 0; i < 10; i++)
        test_size(host, sizes[i]);
    test_rank(host);
    for (int i = 1; i < 10; i++)
        test_inverse(host, sizes[i]);
    test_inverse(host, 300);
    test_inverse(host, 601);
    test_halves(host);
    test_quadratic_steps(host);
    host_free(host);
    return check_report();
}
