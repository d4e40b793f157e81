/*
 * test_eigen.c - eigenvalues and eigenvectors: exact cases, residuals, orthogonality, every path by size.
 */
#include "check.h"
#include "fit.h"
#include "core/linalg/eigen.h"
#include "core/linalg/householder.h"
#include "core/linalg/lapack.h"

#include <stdlib.h>

/* Largest |A v - lambda v| over the largest value, and largest |v'w - (v = w)|. */
static void check_pairs(Env *env, const double *a, uint32_t n, uint32_t count, double tolerance)
{
    double *copy = env_array(env, (size_t)n * n, sizeof(double)), residual = 0, skew = 0;
    double *v = env_array(env, (size_t)count * n + 1, sizeof(double)), scale;
    Eigen *eigen;
    const double *values;

    memcpy(copy, a, (size_t)n * n * sizeof(double));
    eigen = eigen_begin(env, copy, n);
    values = eigen_values(eigen);
    eigen_vectors(eigen, count, v);
    scale = fmax(fabs(values[0]), fabs(values[n - 1]));
    for (uint32_t i = 0; i + 1 < n; i++)
        CHECK(values[i] >= values[i + 1]);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < n; r++) {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++)
                sum += a[(size_t)r * n + c] / scale * v[(size_t)i * n + c];
            residual = fmax(residual, fabs(sum - values[i] / scale * v[(size_t)i * n + r]));
        }
        for (uint32_t k = 0; k <= i; k++) {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++)
                sum += v[(size_t)i * n + c] * v[(size_t)k * n + c];
            skew = fmax(skew, fabs(sum - (i == k)));
        }
    }
    check_that(residual < tolerance, __FILE__, __LINE__, "n %u: residual %g", n, residual);
    check_that(skew < 100 * tolerance, __FILE__, __LINE__, "n %u: not orthogonal by %g", n, skew);
    env->release(env, copy);
    env->release(env, v);
}

/* Returns cross-products of random numbers, times scale. */
static double *random_matrix(Env *env, uint32_t n, uint32_t rows, double scale, uint64_t seed)
{
    double *x = env_array(env, (size_t)rows * n, sizeof(double));
    double *a = env_array(env, (size_t)n * n, sizeof(double));

    for (size_t i = 0; i < (size_t)rows * n; i++)
        x[i] = random_normal(&seed);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t r = 0; r < rows; r++)
                sum += x[(size_t)r * n + i] * x[(size_t)r * n + j];
            a[(size_t)i * n + j] = a[(size_t)j * n + i] = sum * scale;
        }
    env->release(env, x);
    return a;
}

static void test_sizes(Env *env)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 17, 39, 40, 41, 42, 64, 96, 97, 129, 160, 203, 260};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t n = sizes[i];
        double *a = random_matrix(env, n, 2 * n, 1, n);
        check_pairs(env, a, n, n, 1e-13);
        check_pairs(env, a, n, n / 7 + (n == 1), 1e-13);
        check_pairs(env, a, n, 0, 1e-13);
        env->release(env, a);
    }
}

/* Many equal eigenvalues, huge and tiny ones, and the zero matrix. */
static void test_degenerate(Env *env)
{
    static const uint32_t sizes[] = {6, 60, 230};

    for (int i = 0; i < 3; i++) {
        uint32_t n = sizes[i];
        double *a = random_matrix(env, n, 3, 1, 5);
        double *b = random_matrix(env, n, n, 1e300 / n / 100, 6), *c = random_matrix(env, n, n, 1e-300, 7);
        double *zero = env_array(env, (size_t)n * n, sizeof(double));
        double *one = env_array(env, (size_t)n * n, sizeof(double));
        Eigen *eigen;
        for (uint32_t j = 0; j < n; j++)
            one[(size_t)j * n + j] = 3;
        check_pairs(env, a, n, n, 1e-13);
        check_pairs(env, b, n, n, 1e-13);
        check_pairs(env, c, n, n, 1e-13);
        check_pairs(env, one, n, n, 1e-15);
        eigen = eigen_begin(env, zero, n);
        CHECK(eigen_values(eigen)[0] == 0 && eigen_values(eigen)[n - 1] == 0);
        env->release(env, a);
        env->release(env, b);
        env->release(env, c);
        env->release(env, zero);
        env->release(env, one);
    }
}

/* Small values of columns of very different size keep their digits: D H D of a well-conditioned H. */
static void test_graded(Env *env)
{
    double a[4] = {1e20, 1e9, 1e9, 1}; /* [[1, .1], [.1, 1]] between 1e10 and 1 */
    double product = 1e20 * 1 - 1e18, sum = 1e20 + 1;
    Eigen *eigen = eigen_begin(env, a, 2);

    CHECK_NEAR(eigen_values(eigen)[0] / sum, 1, 1e-15);
    CHECK_NEAR(eigen_values(eigen)[1] / (product / eigen_values(eigen)[0]), 1, 1e-14);
}

/* Zeros on the diagonal, beside which numbers vanish next to others; a number that is not one. */
static void test_edges(Host *host)
{
    double a[9] = {1, 0, 0, 0, 0, 1e-300, 0, 1e-300, 0}, *wrong = random_matrix(&host->env, 50, 60, 1, 1);
    Eigen *eigen = eigen_begin(&host->env, a, 3);

    CHECK(eigen_values(eigen)[0] == 1 && eigen_values(eigen)[1] == 0 && eigen_values(eigen)[2] == 0);
    wrong[7] = wrong[7 * 50] = NAN;
    CHECK_FAILS(host, ERROR_RANGE, "did not find the eigenvalues of 50 columns", eigen_begin(&host->env, wrong, 50));
}

/* Rotations of a matrix with a number that is not one end, and say so in the values. */
static void test_not_a_number_ends(Host *host)
{
    double a[9] = {1, NAN, 2, NAN, 3, 4, 2, 4, 5};
    Eigen *eigen = eigen_begin(&host->env, a, 3);

    CHECK(isnan(eigen_values(eigen)[0]) && isnan(eigen_values(eigen)[2]));
    eigen_free(eigen);
}

/* An illegal argument is an error of the call, where LAPACK would end the process. */
static void test_illegal_argument(void)
{
    int order = -1, info = 0;
    double number = 0;

    dsterf_(&order, &number, &number, &info);
    CHECK_INT(info, -1);
}

/* A matrix so large that its progress is reported and its columns are updated in strips. */
static void test_large(Env *env)
{
    enum { LARGE = 1000 };
    double *a = env_array(env, (size_t)LARGE * LARGE, sizeof(double));

    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++)
            a[(size_t)i * LARGE + j] = (i == j ? i : 0) + 1.0 / (1 + abs(i - j));
    check_pairs(env, a, LARGE, 3, 1e-12);
}

/* Reflections of more columns than one call takes keep the length of each. */
static void test_reflections_of_many_columns(Env *env)
{
    enum { N = 200, COUNT = 4000 };
    double *a = env_array(env, N * N, sizeof(double)), *tau = env_array(env, N, sizeof(double));
    double *z = env_array(env, (size_t)N * COUNT, sizeof(double)), worst = 0;
    uint64_t seed = 1;

    for (int k = 0; k + 1 < N; k++) { /* I - tau v v', v = (1, the column below the subdiagonal) */
        double square = 1;

        for (int i = k + 2; i < N; i++) {
            a[k * N + i] = random_normal(&seed);
            square += a[k * N + i] * a[k * N + i];
        }
        tau[k] = 2 / square;
    }
    for (size_t j = 0; j < COUNT; j++)
        z[j * N + 1] = (double)j;
    householder_apply(env, a, tau, N, z, COUNT);
    for (size_t j = 0; j < COUNT; j++) {
        double square = 0;

        for (int i = 0; i < N; i++)
            square += z[j * N + i] * z[j * N + i];
        worst = fmax(worst, fabs(sqrt(square) - (double)j));
    }
    CHECK(worst < 1e-9 && z[N] == 0);
}

/* What OpenBLAS needs of Fortran's library: `//` cuts or pads with blanks. */
void _gfortran_concat_string(size_t length, char *out, size_t length1, const char *s1, size_t length2, const char *s2);

static void test_fortran_strings(void)
{
    static const char *const expected[] = {"", "a", "ab", "abc", "abcd", "abcd "};

    for (size_t length = 0; length < sizeof expected / sizeof *expected; length++) {
        char out[8] = "";

        _gfortran_concat_string(length, out, 2, "ab", 2, "cd");
        CHECK_TEXT(out, expected[length]);
    }
}

/* A large matrix polls often, so that it can be canceled. */
static void test_cancel(Host *host)
{
    Env *env = &host->env;
    double *a = random_matrix(env, 300, 4, 1, 1);
    uint64_t before = host->polls;
    Eigen *eigen = eigen_begin(env, a, 300);
    double *v = env_array(env, 300 * 300, sizeof(double));

    eigen_vectors(eigen, 300, v);
    CHECK(host->polls - before >= 20);
}

/* The eigenvectors of one matrix after the other, as of the classes of a qda, each left behind twice its size. */
static void test_memory_of_many_matrices(Host *host)
{
    static const uint32_t sizes[] = {150, 260};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t n = sizes[i];
        double *a = random_matrix(env, n, 4, 1, 1), *v = env_array(env, (size_t)n * n, sizeof(double));
        size_t before = host->bytes;

        eigen_vectors(eigen_begin(env, a, n), n, v);
        check_that(host->bytes - before < (size_t)n * 130 * sizeof(double), __FILE__, __LINE__, "n %u: %zu bytes are left", n,
                   host->bytes - before);
    }
}

int main(void)
{
    Host *host = host_new();

    test_sizes(&host->env);
    test_degenerate(&host->env);
    test_graded(&host->env);
    test_edges(host);
    test_not_a_number_ends(host);
    test_illegal_argument();
    test_large(&host->env);
    test_reflections_of_many_columns(&host->env);
    test_fortran_strings();
    test_cancel(host);
    test_memory_of_many_matrices(host);
    host_free(host);
    return check_report();
}
