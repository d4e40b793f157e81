/*
 * test_preparation.c - quantiles of columns against their definition, pipelines whose stages were tampered with, and
 * models inside models inside models.
 */
#include "core/prepare/column_quantiles.h"
#include "core/prepare/pipeline.h"
#include "core/ensemble/ensemble.h"
#include "check.h"
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#define SHARES 6
static const double shares[SHARES] = {0, 0.1, 1.0 / 3, 0.5, 0.75, 1};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns a quantile of n numbers, which it sorts. */
static double plain(double *x, uint64_t n, double share)
{
    double place = share * (double)(n - 1);
    uint64_t at = (uint64_t)place;

    qsort(x, n, sizeof *x, compare);
    return at + 1 < n ? x[at] + (x[at + 1] - x[at]) * (place - (double)at) : x[n - 1];
}

/* Columns of rows of all sizes, in memory and spilled. */
static void test_plain(Env *env, size_t limit)
{
    uint64_t seed = 5;

    for (uint32_t n = 1; n < 5000; n = n * 3 + 1) {
        uint32_t slots = 1 + n % 7;
        size_t before = env->memory_limit;
        double *x = env_array(env, (size_t)n * slots, sizeof(double)), *column = env_array(env, n, sizeof(double)), *got;

        for (size_t i = 0; i < (size_t)n * slots; i++)
            x[i] = i % 5 == 0 ? 3 : random_normal(&seed) * 100;
        env->memory_limit = limit;
        got = column_quantiles(env, number_rows(env, x, NULL, NULL, n, slots), shares, SHARES, "a test");
        env->memory_limit = before;
        for (uint32_t s = 0; s < slots; s++)
            for (uint32_t q = 0; q < SHARES; q++) {
                for (uint32_t i = 0; i < n; i++)
                    column[i] = x[(size_t)i * slots + s];
                CHECK_NEAR(got[s * SHARES + q], plain(column, n, shares[q]), 1e-12);
            }
    }
}

/* Equal weights change nothing, and weights that count rows are repeated rows. */
static void test_weights(Env *env)
{
    enum { N = 57 };
    double x[N], w[N], equal[N], repeated[N * 4];
    uint64_t seed = 8;
    uint32_t total = 0;
    Rows *rows;
    double *got;

    for (uint32_t i = 0; i < N; i++) {
        x[i] = random_normal(&seed);
        equal[i] = 0.3;
        w[i] = 1 + i % 4;
        for (uint32_t k = 0; k < 1 + i % 4; k++)
            repeated[total++] = x[i];
    }
    got = column_quantiles(env, number_rows(env, x, equal, NULL, N, 1), shares, SHARES, "a test");
    for (uint32_t q = 0; q < SHARES; q++) {
        double copy[N];

        memcpy(copy, x, sizeof x);
        CHECK_NEAR(got[q], plain(copy, N, shares[q]), 1e-12);
    }
    rows = number_rows(env, x, w, NULL, N, 1);
    rows_schema(rows)->flags |= MODEL_FREQUENCY;
    got = column_quantiles(env, rows, shares, SHARES, "a test");
    for (uint32_t q = 0; q < SHARES; q++)
        CHECK_NEAR(got[q], plain(repeated, total, shares[q]), 1e-12);
}

/* Any byte of a pipeline may change: it is refused, or rows go through it. */
static void test_forged(Env *env, Host *host)
{
    const uint32_t n = 40;
    uint64_t seed = 3;
    double *x = env_array(env, n * 2, sizeof(double));
    const Model *stages[3];
    Model *pipeline;
    uint32_t accepted = 0;

    for (uint32_t i = 0; i < n * 2; i++)
        x[i] = random_normal(&seed);
    stages[0] = rows_model(env, estimator_find("robust_scaler"), number_rows(env, x, NULL, NULL, n, 2), "{}");
    stages[1] = rows_model(env, estimator_find("quantile_bins"), number_rows(env, x, NULL, NULL, n, 2), "{\"bins\":3}");
    stages[2] = rows_model(env, estimator_find("minmax_scaler"), number_rows(env, x, NULL, NULL, n, 2), "{}");
    pipeline = pipeline_build(env, stages, 3);
    for (int i = 0; i < 3000; i++) {
        Model *copy = env->alloc(env, pipeline->size);
        const char *volatile wrong = "not binary";
        uint64_t at = (uint64_t)(random_uniform(&seed) * pipeline->size);

        memcpy(copy, pipeline, pipeline->size);
        if (at >= sizeof(Model))
            ((uint8_t *)copy)[at] ^= (uint8_t)(1 + (uint8_t)(random_uniform(&seed) * 254));
        copy->fingerprint = 0;
        if (TRY(host))
            wrong = model_check(env, copy, copy->size);
        else
            CHECK(host->code == ERROR_BINARY);
        TRY_END(host);
        if (wrong == NULL && TRY(host)) {
            double row[2] = {0.5, -0.5}, out[2];

            accepted++;
            pipeline_run(env, pipeline_prepare(env, copy), row, out);
        }
        TRY_END(host);
    }
    CHECK(accepted > 0);
}

static bool is_no_member(const ModelEntry *entry)
{
    return strncmp(entry->name, "member", strlen("member")) != 0;
}

/* An ensemble keeps pipelines, but none that ends with an ensemble, also where a value from outside says so. */
static void test_nested(Env *env, Host *host)
{
    enum { ROWS = 60 };
    uint64_t seed = 5;
    double *x = env_array(env, ROWS * 2, sizeof(double)), *y = env_array(env, ROWS, sizeof(double)), out;
    const Model *stages[2], *members[1];
    Model *ensemble, *forged;
    ModelBuilder *builder;
    size_t bytes;

    for (int i = 0; i < ROWS * 2; i++)
        x[i] = random_normal(&seed);
    for (int i = 0; i < ROWS; i++)
        y[i] = x[2 * i] > 0;
    stages[0] = rows_model(env, estimator_find("minmax_scaler"), number_rows(env, x, NULL, NULL, ROWS, 2), "{}");
    stages[1] = rows_model(env, estimator_find("tree_regression"), target_rows(env, x, y, NULL, NULL, ROWS, 2, 0), "{}");
    members[0] = pipeline_build(env, stages, 2);
    ensemble = ensemble_build(env, members, 1, "", 0);
    CHECK(model_check(env, ensemble, ensemble->size) == NULL);
    out = estimator_of(ensemble)->scoring->predict(ensemble, estimator_of(ensemble)->scoring->prepare(env, ensemble, &bytes), x);
    CHECK(out == 0 || out == 1);
    stages[1] = ensemble;
    members[0] = pipeline_build(env, stages, 2);
    CHECK(model_check(env, members[0], members[0]->size) == NULL);
    if (TRY(host))
        ensemble_build(env, members, 1, "", 0);
    CHECK(host->code == ERROR_KIND);
    TRY_END(host);
    builder = builder_from(env, ensemble, is_no_member);
    nested_models_add(env, builder, &ensemble_nesting, members, 1);
    forged = model_build(builder);
    CHECK(model_check(env, forged, forged->size) != NULL);
}

int main(void)
{
    Host *host = host_new();
    Env *env = &host->env;

    test_plain(env, (size_t)64 << 20);
    test_plain(env, (size_t)256 << 10);
    test_weights(env);
    test_forged(env, host);
    test_nested(env, host);
    host_free(host);
    return check_report();
}
