/*
 * test_svd.c - singular values and right vectors: every path by size, small values, what counts as rounding.
 */
#include "check.h"
#include "fit.h"
#include "core/linalg/bidiagonal.h"
#include "core/linalg/svd.h"

static double *random_matrix(Env *env, uint32_t n, double scale, uint64_t seed)
{
    double *a = env_array(env, (size_t)n * n, sizeof(double));

    for (size_t i = 0; i < (size_t)n * n; i++)
        a[i] = random_normal(&seed) * scale;
    return a;
}

/* |A v| = s, A'A v = s^2 v, v orthonormal, and U'y as A v / s says; relative to the largest. */
static void check_values(Env *env, const double *a, uint32_t n, double tolerance)
{
    double *copy = env_array(env, (size_t)n * n, sizeof(double)), *y = env_array(env, n, sizeof(double));
    double *rotated = env_array(env, n, sizeof(double)), *u = env_array(env, n, sizeof(double));
    double residual = 0, skew = 0, sides = 0;
    uint64_t seed = 3;
    Singular s;

    memcpy(copy, a, (size_t)n * n * sizeof(double));
    for (uint32_t i = 0; i < n; i++)
        rotated[i] = y[i] = random_normal(&seed);
    s = singular_make(env, copy, n, rotated, NULL);
    for (uint32_t j = 0; j < n; j++) {
        const double *v = s.vectors + (size_t)j * n;
        double norm = 0, along = 0;
        CHECK(j == 0 || s.values[j - 1] >= s.values[j]);
        memset(u, 0, n * sizeof(double));
        for (uint32_t t = 0; t < n; t++)
            for (uint32_t i = 0; i < n; i++)
                u[i] += a[(size_t)t * n + i] / s.values[0] * v[t];
        for (uint32_t i = 0; i < n; i++) {
            norm = hypot(norm, u[i]);
            along += u[i] * y[i];
        }
        residual = fmax(residual, fabs(norm - s.values[j] / s.values[0]));
        if (s.values[j] > 1e-6 * s.values[0])
            sides = fmax(sides, fabs(along - s.left[j] * (s.values[j] / s.values[0])));
        for (uint32_t k = 0; k <= j; k++) {
            double sum = 0;
            for (uint32_t t = 0; t < n; t++)
                sum += v[t] * s.vectors[(size_t)k * n + t];
            skew = fmax(skew, fabs(sum - (j == k)));
        }
    }
    check_that(residual < tolerance, __FILE__, __LINE__, "n %u: residual %g", n, residual);
    check_that(skew < 10 * tolerance, __FILE__, __LINE__, "n %u: not orthogonal by %g", n, skew);
    check_that(sides < 100 * tolerance, __FILE__, __LINE__, "n %u: left side off by %g", n, sides);
    CHECK_INT(s.rank, n);
    env->release(env, copy);
    env->release(env, y);
    env->release(env, rotated);
    env->release(env, u);
}

static void test_sizes(Env *env)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 17, 40, 63, 64, 65, 66, 97, 130, 203};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        double *a = random_matrix(env, sizes[i], 1, sizes[i]), *large = random_matrix(env, sizes[i], 1e300, 5);
        double *small = random_matrix(env, sizes[i], 1e-300, 6);
        check_values(env, a, sizes[i], 1e-13);
        check_values(env, large, sizes[i], 1e-13);
        check_values(env, small, sizes[i], 1e-13);
        env->release(env, a);
        env->release(env, large);
        env->release(env, small);
    }
}

/* Columns of very different size: each value is right relative to itself. */
static void test_graded(Env *env)
{
    double a[9] = {1, 0, 0, 0.5e-12, 1e-12, 0, 0.25e-20, 0.5e-20, 1e-20}, product = 1;
    Singular s = singular_make(env, a, 3, NULL, NULL);

    for (int j = 0; j < 3; j++)
        product *= s.values[j];
    CHECK_NEAR(product / 1e-32, 1, 1e-14);
    /* columns orthogonal to what is before them are 1 times their size */
    CHECK_NEAR(s.values[0], 1, 1e-15);
    CHECK_NEAR(s.values[1] / 1e-12, 1, 1e-14);
    CHECK_NEAR(s.values[2] / 1e-20, 1, 1e-14);
    CHECK(s.left == NULL);
}

/* Equal columns have one dimension; a column that is as small as the rounding of others counts. */
static void test_rounding(Env *env)
{
    double a[9] = {5, 0, 0, 5, 1e-15, 0, 1e-20, 0, 1e-20}, noise[3] = {1e-14, 1e-14, 1e-34};
    Singular s = singular_make(env, a, 3, NULL, noise);

    CHECK_INT(s.rank, 2);
    CHECK_NEAR(s.values[0], sqrt(50), 1e-14);
    CHECK(s.values[1] > 1e-21 && s.values[1] < 2e-20);
    CHECK(s.values[2] == 0);
    for (uint32_t n = 4; n <= 80; n += 76) {
        double *zero = env_array(env, (size_t)n * n, sizeof(double)), *double_columns = random_matrix(env, n, 1, 9);
        double *errors = env_array(env, n, sizeof(double)), *y = env_array(env, n, sizeof(double));
        for (uint32_t i = 0; i < n; i++) {
            errors[i] = 1e-14;
            y[i] = 1;
        }
        memcpy(double_columns, double_columns + n, n * sizeof(double));
        s = singular_make(env, double_columns, n, NULL, errors);
        CHECK_INT(s.rank, n - 1);
        s = singular_make(env, zero, n, y, errors);
        CHECK_INT(s.rank, 0);
        CHECK(s.vectors[0] * s.vectors[0] <= 1);
        env->release(env, zero);
        env->release(env, double_columns);
        env->release(env, errors);
        env->release(env, y);
    }
}

/* A number that is not one ends in values that are none, or in an error; neither takes forever. */
static void test_not_a_number_ends(Host *host)
{
    Env *env = &host->env;
    double *small = random_matrix(env, 5, 1, 1), *large = random_matrix(env, 70, 1, 1);

    small[7] = large[7] = NAN;
    CHECK(isnan(singular_make(env, small, 5, NULL, NULL).values[0]));
    if (TRY(host)) {
        CHECK(isnan(singular_make(env, large, 70, NULL, NULL).values[0]));
        TRY_END(host);
    } else {
        CHECK_HOLDS(host->message, "did not find the singular values of 70 columns");
    }
}

static unsigned reports;

static void count_report(Env *env, const char *phase, uint64_t done, uint64_t total, double loss)
{
    (void)env;
    (void)loss;
    CHECK_TEXT(phase, "singular values");
    CHECK(done < total);
    reports++;
}

/* The form of a large matrix reports its progress, and has its norm; one of no columns is nothing. */
static void test_bidiagonal_forms(Host *host)
{
    enum { LARGE = 1000 };
    Env *env = &host->env;
    double *a = random_matrix(env, LARGE, 1, 1), before = 0, after = 0, none;
    Bidiagonal b = bidiagonal_make(env, &none, 0, NULL);

    CHECK_INT(b.n, 0);
    for (size_t i = 0; i < (size_t)LARGE * LARGE; i++)
        before += a[i] * a[i];
    host->env.progress = count_report;
    b = bidiagonal_make(env, a, LARGE, NULL);
    for (uint32_t i = 0; i < LARGE; i++)
        after += b.diagonal[i] * b.diagonal[i] + (i + 1 < LARGE ? b.above[i] * b.above[i] : 0);
    CHECK_NEAR(after / before, 1, 1e-12);
    CHECK(reports > 100);
    bidiagonal_free(env, &b);
}

static void test_cancel(Host *host)
{
    Env *env = &host->env;
    double *a = random_matrix(env, 300, 1, 1);
    uint64_t before = host->polls;

    singular_make(env, a, 300, NULL, NULL);
    CHECK(host->polls - before >= 10);
    env->release(env, a);
}

int main(void)
{
    Host *host = host_new();

    test_sizes(&host->env);
    test_graded(&host->env);
    test_rounding(&host->env);
    test_not_a_number_ends(host);
    test_cancel(host);
    test_bidiagonal_forms(host);
    host_free(host);
    return check_report();
}
