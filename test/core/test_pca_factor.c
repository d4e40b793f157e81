/*
 * test_pca_factor.c - principal components by a factor where cross-products lose the small ones.
 */
#include "check.h"
#include "fit.h"

#define ROWS 400

static long double dot(const long double *a, const long double *b, uint32_t n)
{
    long double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Orthonormal vectors [count x n], and orthogonal to (1, 1, ...) where asked. */
static void make_orthonormal(long double *q, uint32_t count, uint32_t n, bool centered, uint64_t *seed)
{
    for (uint32_t k = 0; k < count; k++) {
        long double *v = q + (size_t)k * n, norm;
        for (uint32_t i = 0; i < n; i++)
            v[i] = random_normal(seed);
        for (int twice = 0; twice < 2; twice++) {
            long double mean = 0;
            for (uint32_t i = 0; i < n && centered; i++)
                mean += v[i] / n;
            for (uint32_t i = 0; i < n; i++)
                v[i] -= mean;
            for (uint32_t j = 0; j < k; j++) {
                long double along = dot(v, q + (size_t)j * n, n);
                for (uint32_t i = 0; i < n; i++)
                    v[i] -= along * q[(size_t)j * n + i];
            }
        }
        norm = sqrtl(dot(v, v, n));
        for (uint32_t i = 0; i < n; i++)
            v[i] /= norm;
    }
}

/* Rows with singular values from 1 to 1e-10, evenly in their logarithms, and right vectors v [d x d]. */
static double *make_rows(Env *env, uint32_t d, long double *v, double offset)
{
    long double *u = env_array(env, (size_t)d * ROWS, sizeof(long double));
    double *x = env_array(env, (size_t)d * ROWS, sizeof(double));
    uint64_t seed = d;

    make_orthonormal(u, d, ROWS, true, &seed);
    make_orthonormal(v, d, d, false, &seed);
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t t = 0; t < d; t++) {
            long double sum = 0;
            for (uint32_t j = 0; j < d; j++)
                sum += u[(size_t)j * ROWS + i] * powl(10, -10 * (long double)j / (d - 1)) * v[(size_t)j * d + t];
            x[(size_t)i * d + t] = (double)sum + offset;
        }
    env->release(env, u);
    return x;
}

static Model *state_of(Env *env, ModelKind kind, const double *x, uint32_t d, uint32_t first, uint32_t last)
{
    Model *state = state_new(env, kind, d, 0);

    for (uint32_t i = first; i < last; i++)
        state = state_add(env, state, x + (size_t)i * d, NULL, kind == MODEL_MOMENTS ? i % 7 : 0, 1);
    return state;
}

/* The largest error of a standard deviation relative to itself, and of a vector, over the first `count`. */
static void errors_of(const Model *model, const long double *v, uint32_t d, uint32_t count, double *value, double *vector)
{
    *value = *vector = 0;
    for (uint32_t j = 0; j < count; j++) {
        double expected = (double)(powl(10, -10 * (long double)j / (d - 1)) / sqrtl(ROWS)), away = 0, along = 0;
        *value = fmax(*value, fabs(sqrt(array_at(model, "variances", j)) / expected - 1));
        for (uint32_t t = 0; t < d; t++)
            along += array_at(model, "components", j * d + t) * (double)v[(size_t)j * d + t];
        for (uint32_t t = 0; t < d; t++)
            away = fmax(away, fabs(array_at(model, "components", j * d + t) - (along < 0 ? -1 : 1) * (double)v[(size_t)j * d + t]));
        *vector = fmax(*vector, away);
    }
}

static void test_small_components(Env *env)
{
    static const uint32_t widths[] = {6, 21, 64, 65, 90};

    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        uint32_t d = widths[w];
        long double *v = env_array(env, (size_t)d * d, sizeof(long double));
        double *x = make_rows(env, d, v, 0), value, vector, gap = pow(10, 10.0 / (d - 1)) - 1;
        Model *state = state_of(env, MODEL_MOMENTS, x, d, 0, ROWS), *merged = NULL, *model;
        model = fit_model(env, "pca", state, "{}");
        CHECK_INT(fact_of(env, model, "rank"), d);
        CHECK(model_check(env, model, model->size) == NULL);
        errors_of(model, v, d, d, &value, &vector);
        check_that(value < 1e-4, __FILE__, __LINE__, "d %u: deviations off by %g", d, value);
        check_that(vector < 1e-4 * (1 + 1 / gap), __FILE__, __LINE__, "d %u: vectors off by %g", d, vector);
        for (uint32_t part = 0; part < 8; part++) {
            Model *own = model_again(env, moments_finish(env, state_of(env, MODEL_MOMENTS, x, d, part * 50, part * 50 + 50)));
            merged = merged == NULL ? own : state_merge(env, merged, own);
        }
        model = fit_model(env, "pca", merged, "{}");
        errors_of(model, v, d, d, &value, &vector);
        check_that(value < 1e-4, __FILE__, __LINE__, "d %u, merged: deviations off by %g", d, value);
        /* cross-products do not resolve the second half */
        model = fit_model(env, "pca", state_of(env, MODEL_FEATURE_MOMENTS, x, d, 0, ROWS), "{}");
        CHECK(fact_of(env, model, "rank") < d);
        env->release(env, merged);
        env->release(env, state);
        env->release(env, x);
        env->release(env, v);
    }
}

/* The same rows plus 1024: results are as exact as the numbers themselves. */
static void test_offset(Env *env)
{
    enum { D = 6 };
    long double v[D * D];
    double *x = make_rows(env, D, v, 1024), value, vector;
    Model *state = state_of(env, MODEL_MOMENTS, x, D, 0, ROWS), *model = fit_model(env, "pca", state, "{\"k\": 5}");

    errors_of(model, v, D, 5, &value, &vector); /* to 1e-8, the numbers are good to 1e-13 */
    CHECK(value < 1e-4 && vector < 1e-3);
    env->release(env, state);
    env->release(env, x);
}

static void test_wide(Env *env)
{
    enum { D = 70, N = 9 };
    Model *state = state_new(env, MODEL_MOMENTS, D, 0), *plain = state_new(env, MODEL_FEATURE_MOMENTS, D, 0), *a, *b;
    uint64_t seed = 5;

    for (uint32_t i = 0; i < N; i++) {
        double row[D];
        for (uint32_t t = 0; t < D; t++)
            row[t] = random_normal(&seed) * (1 + t % 5);
        state = state_add(env, state, row, NULL, 0, 1);
        plain = state_add(env, plain, row, NULL, 0, 1);
    }
    a = fit_model(env, "pca", state, "{\"whiten\": true}");
    b = fit_model(env, "pca", plain, "{\"whiten\": true}");
    CHECK_INT(fact_of(env, a, "rank"), N - 1);
    CHECK_INT(fact_of(env, b, "rank"), N - 1);
    for (uint32_t i = 0; i < N - 1; i++)
        CHECK_NEAR(array_at(a, "variances", i), array_at(b, "variances", i), 1e-12);
    for (uint32_t i = 0; i < (N - 1) * D; i++)
        CHECK_NEAR(array_at(a, "components", i), array_at(b, "components", i), 1e-11);
    env->release(env, state);
    env->release(env, plain);
}

int main(void)
{
    Host *host = host_new();

    test_small_components(&host->env);
    test_offset(&host->env);
    test_wide(&host->env);
    host_free(host);
    return check_report();
}
