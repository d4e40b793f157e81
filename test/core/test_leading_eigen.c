/*
 * test_leading_eigen.c - the largest eigenvalues of large matrices against all of them: decaying, equal and negative ones.
 */
#include "check.h"
#include "fit.h"
#include "core/linalg/leading_eigen.h"

/* Returns H D H for the reflection H of a random vector, so that the eigenvalues are those of D. */
static double *matrix_of(Env *env, const double *values, uint32_t n, uint64_t seed)
{
    double *a = env_array(env, (size_t)n * n, sizeof(double)), *u = env_array(env, n, sizeof(double));
    double *w = env_array(env, n, sizeof(double)), norm = 0, inner = 0;

    for (uint32_t i = 0; i < n; i++) {
        u[i] = random_normal(&seed);
        norm += u[i] * u[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        u[i] /= sqrt(norm);
        w[i] = values[i] * u[i];
        inner += u[i] * w[i];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            a[(size_t)i * n + j] =
                (i == j ? values[i] : 0) - 2 * (u[i] * w[j] + w[i] * u[j]) + 4 * inner * u[i] * u[j];
    return a;
}

/* Checks values, residuals and orthogonality of the leading pairs. */
static void check_leading(Env *env, const double *values, uint32_t n, uint32_t count, const char *what)
{
    double *a = matrix_of(env, values, n, 5), residual = 0, skew = 0, error = 0, largest = fabs(values[0]);
    LeadingEigen leading = leading_eigen(env, a, n, count);

    for (uint32_t i = 0; i < count; i++) {
        const double *v = leading.vectors + (size_t)i * n;

        error = fmax(error, fabs(leading.values[i] - values[i]));
        for (uint32_t r = 0; r < n; r++) {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++)
                sum += a[(size_t)r * n + c] * v[c];
            residual = fmax(residual, fabs(sum - leading.values[i] * v[r]));
        }
        for (uint32_t k = 0; k <= i; k++) {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++)
                sum += v[c] * leading.vectors[(size_t)k * n + c];
            skew = fmax(skew, fabs(sum - (i == k)));
        }
    }
    check_that(leading.converged, __FILE__, __LINE__, "%s: not converged", what);
    check_that(error <= 1e-12 * largest, __FILE__, __LINE__, "%s: values are off by %g", what, error);
    check_that(residual <= 1e-9 * largest, __FILE__, __LINE__, "%s: residual %g", what, residual);
    check_that(skew < 1e-12, __FILE__, __LINE__, "%s: not orthogonal by %g", what, skew);
    env->release(env, a);
}

static void test_spectra(Env *env)
{
    enum { N = 420 };
    double values[N];

    for (int i = 0; i < N; i++)
        values[i] = pow(0.8, i);
    check_leading(env, values, N, 1, "decaying, one");
    check_leading(env, values, N, 20, "decaying");
    check_leading(env, values, N, 50, "decaying, many");
    for (int i = 0; i < N; i++)
        values[i] = 1 + 1.0 / (i + 1);
    check_leading(env, values, N, 10, "slowly decaying");
    for (int i = 0; i < N; i++)
        values[i] = i < 12 ? 3 : i < 200 ? 1 : -1;
    check_leading(env, values, N, 15, "equal values");
    for (int i = 0; i < N; i++)
        values[i] = i < 3 ? 3 - i : 0;
    check_leading(env, values, N, 5, "of rank 3");
    for (int i = 0; i < N; i++)
        values[i] = 1e-200 * (N - i);
    check_leading(env, values, N, 5, "tiny");
    for (int i = 0; i < N; i++)
        values[i] = i < 5 ? 1 - 0.1 * i : -5;
    check_leading(env, values, N, 5, "large negative values");
}

/* Zero and identity: any vectors will do. */
static void test_plain(Env *env)
{
    enum { N = 400 };
    double *a = env_array(env, N * N, sizeof(double));
    LeadingEigen leading = leading_eigen(env, a, N, 4);

    CHECK(leading.values[0] == 0 && leading.values[3] == 0 && leading.converged);
    leading = leading_eigen(env, a, N, 50); /* more than a block: products of zeros are replaced */
    CHECK(leading.values[0] == 0 && leading.values[49] == 0 && leading.converged);
    CHECK_NEAR(leading.vectors[0] == leading.vectors[49 * N], 0, 0);
    for (int i = 0; i < N; i++)
        a[(size_t)i * N + i] = 1;
    leading = leading_eigen(env, a, N, 4);
    CHECK_NEAR(leading.values[0], 1, 1e-14);
    CHECK_NEAR(leading.values[3], 1, 1e-14);
    CHECK(leading.converged);
    for (int i = 0; i < N; i++)
        a[(size_t)i * N + i] = (i < 4 ? 4 - i : 0.1) * 1e-310;
    leading = leading_eigen(env, a, N, 4);
    CHECK_NEAR(leading.values[0] / 1e-310, 4, 1e-9);
    CHECK_NEAR(leading.values[3] / 1e-310, 1, 1e-9);
}

/* A negative value far from 0 is seen. */
static void test_least(Env *env)
{
    enum { N = 400 };
    double values[N], *a;

    for (int i = 0; i < N; i++)
        values[i] = i < N - 1 ? pow(0.9, i) : -0.5;
    a = matrix_of(env, values, N, 3);
    CHECK_NEAR(leading_eigen(env, a, N, 3).least, -0.5, 1e-6);
    CHECK(leading_eigen_pays(N, 3) && !leading_eigen_pays(N, N / 2) && !leading_eigen_pays(100, 3));
}

/* Products in a space of fewer dimensions than a block has vectors: what cancels must not spoil the basis. */
static void test_low_rank(Env *env)
{
    enum { N = 420 };
    double values[N], *a;

    for (int rank = 4; rank <= 30; rank++) {
        LeadingEigen leading;

        for (int i = 0; i < N; i++)
            values[i] = i < rank ? 130 * pow(i % 2 == 1 ? 0.3 : 0.6, i) : 0;
        a = matrix_of(env, values, N, 7);
        leading = leading_eigen(env, a, N, 2);
        check_that(leading.converged && leading.products <= 6, __FILE__, __LINE__, "rank %d: %u products", rank, leading.products);
        env->release(env, a);
    }
}

static void test_cancel(Host *host)
{
    enum { N = 800 };
    Env *env = &host->env;
    double *a = env_array(env, (size_t)N * N, sizeof(double));
    uint64_t before = host->polls;

    for (int i = 0; i < N; i++)
        a[(size_t)i * N + i] = i;
    leading_eigen(env, a, N, 3);
    CHECK(host->polls - before >= 50);
}

int main(void)
{
    Host *host = host_new();

    test_spectra(&host->env);
    test_plain(&host->env);
    test_low_rank(&host->env);
    test_least(&host->env);
    test_cancel(host);
    host_free(host);
    return check_report();
}
