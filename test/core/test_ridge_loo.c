/*
 * test_ridge_loo.c - moments that keep their rows, and leave-one-out errors against fits without each row.
 */
#include "check.h"
#include "fit.h"
#include "core/linear_equations/linear_path_model.h"

#include <float.h>

static Model *keeping_new(Env *env, uint32_t features, uint8_t flags)
{
    SchemaSpec spec = {.field_count = features};

    return moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = flags, .keep_rows = true});
}

/* Rows [first, last) but one, and of that one `part` of its weight. */
static Model *rows_but(Env *env, bool keep, uint8_t flags, const double *x, const double *y, const double *w, uint32_t d,
                       uint32_t first, uint32_t last, uint32_t but, double part)
{
    Model *state = keep ? keeping_new(env, d, flags) : state_new(env, MODEL_MOMENTS, d, flags);

    for (uint32_t i = first; i < last; i++) {
        double weight = (w != NULL ? w[i] : 1) * (i == but ? part : 1);
        if (weight > 0)
            state = state_add(env, state, x + (size_t)i * d, NULL, y[i], weight);
    }
    return state;
}

static void make_rows(double *x, double *y, double *w, uint32_t n, uint32_t d, double offset, uint64_t seed)
{
    for (uint32_t i = 0; i < n; i++) {
        double common = random_normal(&seed);
        for (uint32_t j = 0; j < d; j++)
            x[(size_t)i * d + j] = offset + (1 + j % 3) * random_normal(&seed) + common;
        y[i] = 3 + 2 * (x[(size_t)i * d] - offset) - (d > 1 ? x[(size_t)i * d + 1] - offset : 0) + random_normal(&seed);
        w[i] = 1 + i % 4;
    }
}

static double error_at(const Model *model, double lambda)
{
    uint32_t count;
    const double *lambdas = model_f64(model, "path_lambda", &count);

    for (uint32_t l = 0; l < count; l++)
        if (fabs(lambdas[l] - lambda) <= 1e-12 * lambda)
            return array_at(model, "path_criterion", l);
    return NAN;
}

/* The weighted mean of squared errors of fits that each miss a row, or one of the rows that it counts for. */
static double brute(Env *env, uint8_t flags, const double *x, const double *y, const double *w, uint32_t n, uint32_t d,
                    const char *format, double lambda)
{
    double sum = 0, all = 0;
    char options[200];

    snprintf(options, sizeof(options), format, lambda);
    for (uint32_t i = 0; i < n; i++) {
        double weight = w != NULL ? w[i] : 1;
        Model *state = rows_but(env, false, flags, x, y, w, d, 0, n, i, flags & MODEL_FREQUENCY ? 1 - 1 / weight : 0);
        Model *model = fit_model(env, "ridge_regression", state, options);
        double error = y[i] - estimator_of(model)->scoring->predict(model, NULL, x + (size_t)i * d);
        sum += weight * error * error;
        all += weight;
        env->release(env, state);
    }
    return sum / all;
}

static void check_case(Env *env, uint32_t n, uint32_t d, double offset, uint8_t flags, const char *extra, double tolerance)
{
    static const double lambdas[] = {100, 1, 0.01};
    double *x = env_array(env, (size_t)n * d, sizeof(double)), *y = env_array(env, n, sizeof(double));
    double *w = env_array(env, n, sizeof(double)), *weights = flags & MODEL_WEIGHTED ? w : NULL;
    char options[200], one[200];
    Model *state, *model;

    make_rows(x, y, w, n, d, offset, n * 1000 + d);
    snprintf(options, sizeof(options), "{\"lambda\": [100, 1, 0.01], \"select\": \"loo\"%s}", extra);
    snprintf(one, sizeof(one), "{\"lambda\": %%g%s}", extra);
    state = rows_but(env, true, flags, x, y, weights, d, 0, n, n, 0);
    model = fit_model(env, "ridge_regression", state, options);
    for (int l = 0; l < 3; l++) {
        double expected = brute(env, flags, x, y, weights, n, d, one, lambdas[l]), found = error_at(model, lambdas[l]);
        check_that(fabs(found - expected) <= tolerance * expected, __FILE__, __LINE__, "n %u, d %u, flags %x%s: %.17g, not %.17g", n,
                   d, flags, extra, found, expected);
    }
    CHECK(model_check(env, model, model->size) == NULL);
    env->release(env, state);
    env->release(env, x);
    env->release(env, y);
    env->release(env, w);
}

static void test_brute_force(Env *env)
{
    static const char *const extras[] = {"", ", \"intercept\": false", ", \"penalize_intercept\": true",
                                         ", \"reduction\": \"mean\"", ", \"reduction\": \"mean\", \"intercept\": false",
                                         ", \"reduction\": \"mean\", \"penalize_intercept\": true"};
    static const uint8_t flags[] = {0, MODEL_WEIGHTED, MODEL_WEIGHTED | MODEL_FREQUENCY};

    for (size_t e = 0; e < sizeof(extras) / sizeof(extras[0]); e++)
        for (size_t f = 0; f < sizeof(flags); f++) {
            check_case(env, 23, 4, 0, flags[f], extras[e], 1e-11);
            check_case(env, 14, 20, 5, flags[f], extras[e], 1e-9); /* fewer rows than terms */
            check_case(env, 40, 1, 3, flags[f], extras[e], 1e-11);
        }
    check_case(env, 150, 70, 2, 0, "", 1e-10); /* by a bidiagonal form */
    check_case(env, 50, 70, 0, MODEL_WEIGHTED, "", 1e-8);
    check_case(env, 90, 3, 1e6, 0, "", 1e-8);
    check_case(env, 2, 3, 0, 0, "", 1e-10);
}

/* Standard deviations stay those of all rows: the same as features divided by them beforehand. */
static void test_standardized(Env *env)
{
    enum { N = 30, D = 3 };
    double x[N * D], scaled[N * D], y[N], w[N];
    Model *a, *b;

    make_rows(x, y, w, N, D, 4, 7);
    for (uint32_t j = 0; j < D; j++) {
        double mean = 0, square = 0;
        for (uint32_t i = 0; i < N; i++)
            mean += x[i * D + j] / N;
        for (uint32_t i = 0; i < N; i++)
            square += (x[i * D + j] - mean) * (x[i * D + j] - mean) / N;
        for (uint32_t i = 0; i < N; i++)
            scaled[i * D + j] = x[i * D + j] / sqrt(square);
    }
    a = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0),
                  "{\"lambda\": \"loo\", \"path\": 7, \"standardize\": true}");
    b = fit_model(env, "ridge_regression", rows_but(env, true, 0, scaled, y, NULL, D, 0, N, N, 0),
                  "{\"lambda\": \"loo\", \"path\": 7}");
    for (uint32_t l = 0; l < 7; l++) {
        CHECK_NEAR(array_at(a, "path_criterion", l), array_at(b, "path_criterion", l), 1e-11);
        CHECK_NEAR(array_at(a, "path_lambda", l), array_at(b, "path_lambda", l), 1e-11);
    }
    CHECK_NEAR(model_fact(a, "lambda", NAN), model_fact(b, "lambda", NAN), 1e-11);
}

/*
 * Tiny lambdas: with more rows than terms as least squares; with fewer, the limit of smaller and smaller
 * penalties, to which 1 - h loses no digits.
 */
static void test_small_lambdas(Env *env)
{
    enum { N = 12, D = 30 };
    double x[N * D], y[N], w[N];
    Model *model;

    make_rows(x, y, w, N, 5, 0, 3);
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, 5, 0, N, N, 0),
                      "{\"lambda\": [1e-13, 0], \"select\": \"loo\"}");
    CHECK_NEAR(array_at(model, "path_criterion", 0), array_at(model, "path_criterion", 1), 1e-10);
    CHECK_NEAR(array_at(model, "path_criterion", 1), brute(env, 0, x, y, NULL, N, 5, "{\"lambda\": %g}", 0), 1e-10);

    make_rows(x, y, w, N, D, 0, 4);
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0),
                      "{\"lambda\": [1e-5, 1e-8, 1e-11, 1e-14, 0], \"select\": \"loo\"}");
    CHECK_NEAR(array_at(model, "path_criterion", 1), array_at(model, "path_criterion", 0), 1e-4);
    CHECK_NEAR(array_at(model, "path_criterion", 2), array_at(model, "path_criterion", 1), 1e-7);
    CHECK_NEAR(array_at(model, "path_criterion", 3), array_at(model, "path_criterion", 1), 1e-7);
    /* without a row least squares is another fit: no error at 0, and it is not chosen */
    CHECK(array_at(model, "path_criterion", 4) == DBL_MAX);
    CHECK(model_fact(model, "lambda", NAN) > 0);
}

/* The only row with a feature: its error is undefined at lambda 0, and tends to a limit as lambda decreases. */
static void test_leverage_one(Env *env)
{
    enum { N = 10 };
    double x[N * 2], y[N], w[N];
    Model *model;

    make_rows(x, y, w, N, 2, 0, 8);
    for (uint32_t i = 0; i < N; i++)
        x[2 * i + 1] = i == 4 ? 3 : 0;
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, 2, 0, N, N, 0),
                      "{\"lambda\": [1, 1e-12, 0], \"select\": \"loo\"}");
    CHECK_NEAR(array_at(model, "path_criterion", 0), brute(env, 0, x, y, NULL, N, 2, "{\"lambda\": %g}", 1), 1e-11);
    CHECK_NEAR(array_at(model, "path_criterion", 1), brute(env, 0, x, y, NULL, N, 2, "{\"lambda\": %g}", 1e-12), 1e-8);
    CHECK(array_at(model, "path_criterion", 2) == DBL_MAX);
}

/* Equal features, a constant one, a constant target, and a target that features explain in full. */
static void test_degenerate(Env *env)
{
    enum { N = 15, D = 4 };
    double x[N * D], y[N], w[N];
    Model *model;

    make_rows(x, y, w, N, D, 1, 9);
    for (uint32_t i = 0; i < N; i++) {
        x[i * D + 1] = x[i * D];
        x[i * D + 2] = 0.1;
    }
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0),
                      "{\"lambda\": [10, 0.1], \"select\": \"loo\"}");
    CHECK_NEAR(array_at(model, "path_criterion", 0), brute(env, 0, x, y, NULL, N, D, "{\"lambda\": %g}", 10), 1e-11);
    CHECK_NEAR(array_at(model, "path_criterion", 1), brute(env, 0, x, y, NULL, N, D, "{\"lambda\": %g}", 0.1), 1e-11);
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0),
                      "{\"lambda\": [10, 0.1], \"select\": \"loo\", \"penalize_intercept\": true}");
    CHECK_NEAR(array_at(model, "path_criterion", 1),
               brute(env, 0, x, y, NULL, N, D, "{\"lambda\": %g, \"penalize_intercept\": true}", 0.1), 1e-11);
    for (uint32_t i = 0; i < N; i++)
        y[i] = 7;
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0), "{\"lambda\": \"loo\"}");
    for (uint32_t l = 0; l < 100; l++)
        CHECK(fabs(array_at(model, "path_criterion", l)) < 1e-25);
    /* equal rows share what they determine */
    for (uint32_t i = 0; i < N; i++) {
        x[i * D] = x[i * D + 1] = i / 5;
        y[i] = i;
    }
    model = fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, D, 0, N, N, 0),
                      "{\"lambda\": [1], \"select\": \"loo\"}");
    CHECK_NEAR(array_at(model, "path_criterion", 0), brute(env, 0, x, y, NULL, N, D, "{\"lambda\": %g}", 1), 1e-11);
}

/* Parts that went through text and merged, against the whole; any size of a part. */
static void test_merged(Env *env)
{
    enum { N = 400, D = 3 };
    double *x = env_array(env, N * D, sizeof(double)), *y = env_array(env, N, sizeof(double)), w[N];
    static const uint32_t ends[] = {1, 4, 20, 21, 150, 400};
    Model *whole, *merged = NULL, *a, *b;
    KeptRows rows;
    uint32_t first = 0;

    make_rows(x, y, w, N, D, 2, 31);
    whole = rows_but(env, true, MODEL_WEIGHTED, x, y, w, D, 0, N, N, 0);
    a = fit_model(env, "ridge_regression", whole, "{\"lambda\": \"loo\", \"path\": 9}");
    for (int p = 0; p < 6; first = ends[p++]) {
        Model *part = rows_but(env, true, MODEL_WEIGHTED, x, y, w, D, first, ends[p], N, 0);
        Model *stored = model_again(env, moments_finish(env, part));
        CHECK(model_check(env, stored, stored->size) == NULL);
        merged = merged == NULL ? stored : state_merge(env, merged, stored);
        env->release(env, part);
    }
    CHECK(moments_keeps_rows(merged) && moments_kept_rows(env, merged, &rows));
    CHECK_INT(rows.counts[0] + rows.counts[1], N);
    b = fit_model(env, "ridge_regression", merged, "{\"lambda\": \"loo\", \"path\": 9}");
    for (uint32_t l = 0; l < 9; l++)
        CHECK_NEAR(array_at(a, "path_criterion", l), array_at(b, "path_criterion", l), 1e-12);
    CHECK(!moments_keeps_rows(a) && !moments_keeps_rows(state_new(env, MODEL_MOMENTS, 2, 0)));
    /* the state itself does not change, and other fits accept it */
    CHECK_NEAR(array_at(fit_model(env, "linear_regression", merged, "{}"), "coef", 0),
               array_at(fit_model(env, "linear_regression", whole, "{}"), "coef", 0), 1e-12);
    CHECK_NEAR(array_at(fit_model(env, "pca", merged, "{}"), "variances", 0),
               array_at(fit_model(env, "pca", whole, "{}"), "variances", 0), 1e-12);
    CHECK(moments_kept_rows(env, merged, &rows) && rows.counts[0] + rows.counts[1] == N);
}

static void test_refused(Host *host)
{
    Env *env = &host->env;
    double x[40 * 2], y[40], w[40];
    size_t limit = env->memory_limit;

    make_rows(x, y, w, 40, 2, 0, 5);
    CHECK_FAILS(host, ERROR_PARAMETER, "these moments keep none",
                fit_model(env, "ridge_regression", rows_but(env, false, 0, x, y, NULL, 2, 0, 40, 40, 0), "{\"lambda\": \"loo\"}"));
    CHECK_FAILS(host, ERROR_DATA, "leaving out the only row",
                fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, 2, 0, 1, 40, 0), "{\"lambda\": \"loo\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "chooses by itself",
                fit_model(env, "ridge_regression", rows_but(env, true, 0, x, y, NULL, 2, 0, 9, 40, 0),
                          "{\"lambda\": \"loo\", \"select\": \"gcv\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "keep their rows",
                moments_merge(env, rows_but(env, true, 0, x, y, NULL, 2, 0, 9, 40, 0),
                              rows_but(env, false, 0, x, y, NULL, 2, 0, 9, 40, 0), true));
    env->memory_limit = 500;
    CHECK_FAILS(host, ERROR_LIMIT, "keeping 30 rows of 3 numbers exceeds the 1 kB",
                rows_but(env, true, 0, x, y, NULL, 2, 0, 40, 40, 0));
    CHECK_HOLDS(host->hint, "gcv");
    env->memory_limit = limit;
}

/* What a forged value says of its rows is checked, or harmless. */
static void test_forged(Host *host)
{
    static const double numbers[] = {INFINITY, NAN, -1, 1e300, 3, 0};
    Env *env = &host->env;
    unsigned passed = 0;

    for (uint64_t round = 0; round < 3000; round++) {
        double x[40 * 2], y[40], w[40];
        uint64_t seed = round;
        Model *value;
        uint32_t size;
        char *bytes;
        make_rows(x, y, w, 40, 2, 0, round);
        value = moments_finish(env, rows_but(env, true, round % 2 ? MODEL_WEIGHTED : 0, x, y, w, 2, 0, 40, 40, 0));
        size = value->size;
        bytes = (char *)value;
        for (int hit = 0; hit < 1 + (int)(round % 3); hit++) {
            size_t at = (size_t)(random_uniform(&seed) * size / 8) * 8;
            if (round % 5 < 2)
                memcpy(bytes + at, &numbers[(int)(random_uniform(&seed) * 6)], 8);
            else
                bytes[(size_t)(random_uniform(&seed) * size)] ^= 1 << (int)(random_uniform(&seed) * 8);
        }
        value->fingerprint = 0;
        if (TRY(host)) {
            if (model_check_layout(env, value, size) == NULL)
                model_seal(env, value);
            if (model_check(env, value, size) == NULL && value->kind == MODEL_MOMENTS) {
                Model *merged = moments_merge(env, value, value, true);
                passed++;
                fit_model(env, "ridge_regression", merged, "{\"lambda\": \"loo\", \"path\": 3}");
                fit_model(env, "ridge_regression", value, "{\"lambda\": [1, 0], \"select\": \"loo\", \"reduction\": \"mean\"}");
                model_again(env, moments_finish(env, merged));
            }
            TRY_END(host);
        }
        host_reset(host);
    }
    printf("forged values that passed the check: %u\n", passed);
    CHECK(passed > 100);
}

int main(void)
{
    Host *host = host_new();

    test_brute_force(&host->env);
    test_standardized(&host->env);
    test_small_lambdas(&host->env);
    test_leverage_one(&host->env);
    test_degenerate(&host->env);
    test_merged(&host->env);
    host_reset(host);
    test_refused(host);
    host_reset(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
