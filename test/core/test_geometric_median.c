/*
 * test_geometric_median.c - the estimator against known answers, its optimality condition, and itself
 * under scaling, shifting, weights and spilling.
 */
#include "check.h"

#include "core/estimator/estimator.h"
#include "core/base/random.h"
#include "fit.h"

#include <stdlib.h>

extern const Estimator estimator_geometric_median;

static uint64_t random_state = 1;
static double random_number(void)
{
    return random_unit(&random_state);
}
/* Returns a number with heavy tails. */
static double random_heavy(void)
{
    return tan(3.0 * (random_number() - 0.5));
}

static const Model *fit(Env *env, const double *x, const double *weights, uint64_t n,
                        uint32_t slots, const char *options)
{
    const Model *model = rows_model(env, &estimator_geometric_median, number_rows(env, x, weights, NULL, n, slots), options);

    CHECK(model && model_check(env, model, model->size) == NULL);
    return model;
}

static double center_of(const Model *model, uint32_t slot)
{
    uint32_t length;

    return model_f64(model, "center", &length)[slot];
}

/* Computes the norm of the mean unit vector at the result, and the objective. */
static double gradient_at(const Model *model, const double *x, const double *weights, uint64_t n,
                          double *objective)
{
    uint32_t slots;
    const double *center = model_f64(model, "center", &slots);
    double *sum = calloc(slots, sizeof(double)), total = 0, on = 0, norm = 0;

    *objective = 0;
    for (uint64_t i = 0; i < n; i++) {
        double w = weights ? weights[i] : 1, d = 0;

        for (uint32_t j = 0; j < slots; j++)
            d = hypot(d, x[i * slots + j] - center[j]);
        total += w;
        *objective += w * d;
        if (d == 0)
            on += w;
        else
            for (uint32_t j = 0; j < slots; j++)
                sum[j] += w * (x[i * slots + j] - center[j]) / d;
    }
    for (uint32_t j = 0; j < slots; j++)
        norm = hypot(norm, sum[j]);
    free(sum);
    return norm <= on ? 0 : (norm - on) / total;
}

static void check_optimal(Host *host, const double *x, const double *weights, uint64_t n,
                          uint32_t slots, double tolerance)
{
    const Model *model = fit(&host->env, x, weights, n, slots, "");
    double objective, gradient = gradient_at(model, x, weights, n, &objective);

    CHECK_NEAR(gradient, 0, tolerance);
    CHECK_NEAR(model_fact(model, "objective", -1) / objective, 1, 1e-12);
    CHECK_INT(model_fact(model, "converged", -1), 1);
    CHECK_INT(host->warnings, 0);
}

static void test_known(Host *host)
{
    static const double line[] = {1, 2, 3, 50, 100};
    static const double on_point[] = {0, 0, 0, 0, 1, 0, 0, 1, -1, -1};
    static const double collinear[] = {0, 0, 1, 1, 2, 2, 7, 7};
    static const double ten[] = {1.0, 1.0, 1.5, 2.2, 2.0, 1.4, 2.4, 2.9, 2.8, 2.1,
                                 3.1, 3.3, 1.2, 2.8, 2.2, 3.6, 3.4, 2.5, 9.0, -4.0};
    Env *env = &host->env;
    const Model *model;
    double far[2] = {3.0, 4.0}, here[2];

    host_reset(host);
    env->memory_limit = 1 << 20;
    model = fit(env, line, NULL, 5, 1, "");
    CHECK_NEAR(center_of(model, 0), 3.0, 0);
    CHECK_NEAR(model_fact(model, "objective", 0), 147, 1e-15);
    model = fit(env, line, NULL, 4, 1, ""); /* the middle of 2 and 3 */
    CHECK_NEAR(center_of(model, 0), 2.5, 0);
    model = fit(env, on_point, NULL, 5, 2, "");
    CHECK_NEAR(center_of(model, 0), 0.0, 0);
    CHECK_NEAR(center_of(model, 1), 0.0, 0);
    CHECK_NEAR(estimator_geometric_median.scoring->distance(model, NULL, far), 5, 1e-15);
    model = fit(env, collinear, NULL, 4, 2, "");
    CHECK_NEAR(model_fact(model, "objective", 0), 11.3137084989848, 1e-13);
    CHECK_NEAR(center_of(model, 0), 1.5, 0);
    model = fit(env, ten, NULL, 10, 2, "");
    CHECK_NEAR(center_of(model, 0), 2.39227339239694, 1e-10);
    CHECK_NEAR(center_of(model, 1), 2.4090075495908, 1e-10);
    CHECK_NEAR(model_fact(model, "objective", 0), 18.798637542777, 1e-12);
    CHECK(model_fact(model, "iterations", 0) < 30);
    CHECK(model_fact(model, "distance_evaluations", 0) >= 10 * model_fact(model, "iterations", 0));
    here[0] = center_of(model, 0);
    here[1] = center_of(model, 1);
    CHECK_NEAR(estimator_geometric_median.scoring->distance(model, NULL, here), 0, 0);
    model = fit(env, ten, NULL, 1, 2, "");
    CHECK_NEAR(center_of(model, 1), 1, 0);
    CHECK_NEAR(model_fact(model, "objective", -1), 0, 0);
    CHECK_INT(host->warnings, 0);
}

/* On random data of several shapes, the result satisfies the condition of optimality. */
static void test_optimal(Host *host)
{
    static const uint32_t sizes[][2] = {{3, 2}, {4, 2}, {5, 3}, {7, 2}, {50, 2}, {200, 5},
                                        {1000, 3}, {30, 40}, {300, 10}, {20, 200}};
    double x[30000], weights[1000];

    for (int repeat = 0; repeat < 60; repeat++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            uint32_t n = sizes[s][0], slots = sizes[s][1];
            int shape = repeat % 6;

            host_reset(host);
            host->env.memory_limit = 1 << 20;
            for (uint32_t i = 0; i < n * slots; i++) {
                x[i] = random_heavy();
                if (shape == 1) /* a grid: many equal rows */
                    x[i] = round(x[i]);
                if (shape == 2) /* stretched */
                    x[i] *= i % slots == 0 ? 1 : 1e-3;
                if (shape == 3) /* far from the origin */
                    x[i] += 1e9;
                if (shape == 4 && i >= slots) /* all but one of half of the rows on one point */
                    x[i] = i / slots % 2 ? 0.25 : x[i];
                if (shape == 5) /* one far outlier */
                    x[i] = i < slots ? 1e300 : x[i];
            }
            for (uint32_t i = 0; i < n; i++)
                weights[i] = 0.1 + random_number();
            check_optimal(host, x, repeat % 2 ? weights : NULL, n, slots, shape == 3 ? 1e-4 : 2e-10);
        }
}

static void test_line(Host *host)
{
    enum { N = 20001 };
    double *x = malloc(3 * N * sizeof(double)), *weights = malloc(N * sizeof(double));
    const Model *model;
    double below = 0, above = 0, on = 0;

    host_reset(host);
    host->env.memory_limit = 65536; /* spilled */
    for (int i = 0; i < N; i++) {
        x[i] = random_heavy() * 1e6;
        weights[i] = random_number();
    }
    model = fit(&host->env, x, weights, N, 1, "");
    for (int i = 0; i < N; i++)
        *(x[i] < center_of(model, 0) ? &below : x[i] > center_of(model, 0) ? &above : &on) +=
            weights[i];
    CHECK(fabs(below - above) <= on);
    CHECK(on > 0);
    for (int i = 0; i < N; i++) { /* a line in space: the middle row is known */
        double t = (i * 7919 % N - N / 2) * 0.1;

        x[3 * i] = 5 + t;
        x[3 * i + 1] = -3 * t;
        x[3 * i + 2] = 7;
    }
    model = fit(&host->env, x, NULL, N, 3, "");
    CHECK_NEAR(center_of(model, 0), 5, 1e-12);
    CHECK_NEAR(center_of(model, 1), 0, 1e-12);
    CHECK_NEAR(center_of(model, 2), 7, 1e-12);
    CHECK_INT(model_fact(model, "converged", 0), 1);
    free(x);
    free(weights);
}

/* Scaled rows, scaled weights, rows repeated instead of weights, memory or file: the same result. */
static void test_invariances(Host *host)
{
    enum { N = 500, D = 4 };
    static double x[N * D], scaled[N * D], repeated[3 * N * D], weights[N];
    static const double factors[] = {1e-300, 1e-9, 1e150, 1e300, 4.9e-324 * 0x1p60};
    Env *env = &host->env;
    double base[D], spread;
    uint64_t n = 0;
    const Model *model;

    host_reset(host);
    env->memory_limit = 1 << 20;
    for (int i = 0; i < N; i++) {
        weights[i] = 1 + i % 3;
        for (int j = 0; j < D; j++)
            x[i * D + j] = random_number() + random_number() * j;
        for (int k = 0; k < 1 + i % 3; k++, n++)
            memcpy(repeated + n * D, x + i * D, sizeof(double) * D);
    }
    model = fit(env, x, weights, N, D, "{\"tolerance\": 1e-12}");
    for (int j = 0; j < D; j++)
        base[j] = center_of(model, j);
    model = fit(env, repeated, NULL, n, D, "{\"tolerance\": 1e-12}");
    for (int j = 0; j < D; j++)
        CHECK_NEAR(center_of(model, j), base[j], 1e-10);
    for (size_t f = 0; f < sizeof(factors) / sizeof(factors[0]); f++) {
        for (int i = 0; i < N * D; i++)
            scaled[i] = x[i] * factors[f];
        for (int i = 0; i < N; i++)
            weights[i] = (1 + i % 3) * (f % 2 ? 1e300 : 1e-300);
        model = fit(env, scaled, weights, N, D, "{\"tolerance\": 1e-12}");
        spread = factors[f] < 1e-305 ? 1e-2 : 1e-10; /* such numbers have only a few bits */
        for (int j = 0; j < D; j++)
            CHECK_NEAR(center_of(model, j) / factors[f], base[j], spread);
    }
    env->memory_limit = 8192;
    for (int i = 0; i < N; i++)
        weights[i] = 1 + i % 3;
    model = fit(env, x, weights, N, D, "{\"tolerance\": 1e-12}");
    for (int j = 0; j < D; j++)
        CHECK_NEAR(center_of(model, j), base[j], 1e-10);
    CHECK(host->spilled > 0);
}

static void test_extremes(Host *host)
{
    Env *env = &host->env;
    double huge[] = {1.7e308, 0, -1.7e308, 0, 0, 1.7e308, 0, -1.6e308, 0, 0};
    double same[] = {0.1, 0.2, 0.1, 0.2, 0.1, 0.2};
    double tiny[] = {5e-324, 0, -5e-324, 0, 0, 5e-324};
    double far[2] = {-1.7e308, 1.7e308};
    double *wide = malloc(5 * 10000 * sizeof(double));
    const Model *model;

    host_reset(host);
    env->memory_limit = 1 << 20;
    model = fit(env, huge, NULL, 5, 2, "");
    CHECK_NEAR(center_of(model, 0), 0, 0);
    CHECK_INT(host->warnings, 1); /* the sum of distances */
    CHECK_HOLDS(host->warning, "sum of distances");
    CHECK(isfinite(estimator_geometric_median.scoring->distance(model, NULL, huge)));
    CHECK(!isnan(estimator_geometric_median.scoring->distance(model, NULL, far)));
    host_reset(host);
    model = fit(env, same, NULL, 3, 2, "");
    CHECK_NEAR(center_of(model, 0), 0.1, 0);
    CHECK_NEAR(model_fact(model, "objective", -1), 0, 0);
    model = fit(env, tiny, NULL, 3, 2, "");
    CHECK(isfinite(center_of(model, 0)));
    for (int i = 0; i < 50000; i++)
        wide[i] = random_number();
    env->memory_limit = 4 << 20;
    model = fit(env, wide, NULL, 5, 10000, "");
    CHECK_INT(model_fact(model, "converged", 0), 1);
    free(wide);
}

static void test_limits(Host *host)
{
    double x[2000];
    Env *env = &host->env;
    const Model *model;
    Rows *rows;
    FitInput input;
    const OptionSpec *const *tables = estimator_geometric_median.options;
    const char *names[] = {"carat", "cut"};
    FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds, .named = true};
    ModelBuilder *builder;
    Options *options;

    host_reset(host);
    env->memory_limit = 1 << 20;
    for (int i = 0; i < 2000; i++)
        x[i] = random_heavy();
    model = fit(env, x, NULL, 1000, 2, "{\"max_iter\": 1}");
    CHECK_INT(model_fact(model, "converged", 1), 0);
    CHECK_INT(model_fact(model, "iterations", 0), 1);
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "geometric_median stopped after 1 step");

    host->cancel_at = host->polls + 40;
    CHECK_FAILS(host, ERROR_INTERNAL, "cancel", fit(env, x, NULL, 1000, 2, ""));
    host->cancel_at = 0;

    options = options_parse(env, "geometric_median", tables, "", 0, NULL, NULL, 0);
    builder = model_builder(env, MODEL_FITTED, "geometric_median");
    schema_add(env, builder, &spec);
    rows = rows_new(rows_pool(env), model_build(builder), 0);
    input = (FitInput){.kind = INPUT_ROWS, .rows = rows};
    CHECK(estimator_fit(env, &estimator_geometric_median, &input, options, true) == NULL);
    rows_append(rows, x, 0, 1, NULL, 0);
    CHECK_FAILS(host, ERROR_DATA, "\"cut\"", estimator_fit(env, &estimator_geometric_median, &input, options, true));
    CHECK_HOLDS(host->hint, "numbers");
}

/* Iterates only Weiszfeld's steps until the gradient is as small. */
static int plain_steps(const double *x, uint32_t n, uint32_t slots, double tolerance, double *y)
{
    for (int steps = 0;; steps++) {
        double sum[8] = {0}, pull = 0, norm = 0;

        for (uint32_t i = 0; i < n; i++) {
            double d = 0;

            for (uint32_t j = 0; j < slots; j++)
                d = hypot(d, x[i * slots + j] - y[j]);
            pull += 1 / d;
            for (uint32_t j = 0; j < slots; j++)
                sum[j] += (x[i * slots + j] - y[j]) / d;
        }
        for (uint32_t j = 0; j < slots; j++)
            norm = hypot(norm, sum[j]);
        if (norm <= tolerance * n || steps == 100000)
            return steps;
        for (uint32_t j = 0; j < slots; j++)
            y[j] += sum[j] / pull;
    }
}

/* Takes less than a fifth of the distances that only Weiszfeld's steps take for the same result. */
static void test_passes(Host *host)
{
    enum { N = 1000, D = 3 };
    static double x[N * D];
    double y[D] = {0.1, 0.1, 0.1};
    const Model *model;
    int plain;

    host_reset(host);
    host->env.memory_limit = 1 << 20;
    for (int i = 0; i < N * D; i++) /* stretched along one feature, which is slow for Weiszfeld's steps */
        x[i] = random_heavy() * (i % D == 0 ? 1 : 0.02);
    plain = plain_steps(x, N, D, 1e-10, y);
    model = fit(&host->env, x, NULL, N, D, "");
    for (int j = 0; j < D; j++)
        CHECK_NEAR(center_of(model, j), y[j], 1e-8);
    CHECK(model_fact(model, "distance_evaluations", INFINITY) < 0.2 * plain * N);
}

/* A value with arrays of the wrong shape is refused. */
static void test_check(Host *host)
{
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 2};
    static const double bad[2] = {1, INFINITY};

    for (int wrong = 0; wrong < 3; wrong++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "geometric_median");

        schema_add(env, builder, &spec);
        if (wrong > 0)
            builder_f64(builder, SECTION_ARRAYS, "center", bad, wrong);
        CHECK(estimator_check(env, &estimator_geometric_median, model_build(builder)) != NULL);
    }
}

int main(void)
{
    Host *host = host_new();

    test_known(host);
    test_optimal(host);
    test_line(host);
    test_invariances(host);
    test_extremes(host);
    test_limits(host);
    test_passes(host);
    test_check(host);
    host_free(host);
    return check_report();
}
