/*
 * core.c - nanoseconds per row of the core's own work, without a server: rows added to moments, merges, fits and scores, for
 * narrow and wide designs; and distances of all pairs of rows beside the linear algebra library's product of matrices.
 *
 *     make build/bench/core && build/bench/core [FEATURES]
 */
#include "core/linalg/lapack.h"
#include "core/linalg/gemm.h"
#include "../test/core/fit.h"

#include <math.h>
#include <string.h>

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double *make_rows(uint32_t rows, uint32_t d)
{
    double *x = malloc((size_t)rows * (d + 1) * sizeof(double));
    uint64_t seed = d;

    for (size_t i = 0; i < (size_t)rows * (d + 1); i++)
        x[i] = random_normal(&seed) + (double)(i % (d + 1));
    return x;
}

/* Adds the rows of one group to moments; x is [rows x (d + 1)], with the target last. Returns nanoseconds per row. */
static double add_rows(Env *env, ModelKind kind, const double *x, uint32_t rows, uint32_t d,
                       uint8_t flags, Model **out)
{
    double start = now();
    Model *state = state_new(env, kind, d, flags);

    for (uint32_t i = 0; i < rows; i++) {
        const double *row = x + (size_t)i * (d + 1);
        state = state_add(env, state, row, NULL, row[d], 1.5);
    }
    state = moments_flush(env, state);
    *out = state;
    return (now() - start) / rows;
}

static void bench(Env *env, uint32_t d)
{
    uint32_t rows = d <= 10 ? 200000 : d <= 50 ? 50000 : 5000, group = 7;
    double *x = make_rows(rows, d), best = 1e30, weighted = 1e30, groups = 1e30, features = 1e30;
    double fit = 1e30, merge = 1e30, score = 1e30, start, sum = 0;
    Model *state = NULL, *half, *model;

    for (int i = 0; i < 5; i++) {
        Model *other;
        best = fmin(best, add_rows(env, MODEL_MOMENTS, x, rows, d, 0, &state));
        weighted = fmin(weighted, add_rows(env, MODEL_MOMENTS, x, rows, d, MODEL_WEIGHTED, &other));
        env->release(env, other);
        features = fmin(features, add_rows(env, MODEL_FEATURE_MOMENTS, x, rows, d, 0, &other));
        env->release(env, other);

        /* small groups: their first blocks, without the time to make their states */
        start = now();
        Model *small = state_new(env, MODEL_MOMENTS, d, 0), *copy = moments_finish(env, small);
        uint32_t done = 0;
        start = now();
        for (uint32_t k = 0; k + 2 * group <= rows && done < 100000; k += 2 * group) {
            memcpy(copy = env->resize(env, copy, small->size), small, small->size);
            for (uint32_t r = k; r < k + 2 * group; r++, done++)
                copy = state_add(env, copy, x + (size_t)r * (d + 1), NULL, x[(size_t)r * (d + 1) + d], 1);
            copy = moments_flush(env, copy);
        }
        groups = fmin(groups, (now() - start) / done);
        if (i == 0)
            printf("d = %-4u state of a new group: %u bytes\n", d, small->size);

        start = now();
        half = moments_merge(env, state, state, true);
        merge = fmin(merge, now() - start);
        start = now();
        model = fit_model(env, "linear_regression", state, "{}");
        fit = fmin(fit, now() - start);
        start = now();
        for (uint32_t r = 0; r < rows; r++)
            sum += estimator_of(model)->scoring->predict(model, NULL, x + (size_t)r * (d + 1));
        score = fmin(score, (now() - start) / rows);
        env->release(env, half);
        env->release(env, state);
    }
    printf("d = %-4u add %7.1f  weighted %7.1f  groups of 14 %7.1f  cross-products %7.1f  score %6.1f ns per row;"
           "  merge %9.1f  fit %9.1f us%s\n",
           d, best, weighted, groups, features, score, merge / 1e3, fit / 1e3, sum == 1 ? "" : " ");
    free(x);
}

/* Measures squared distances of all pairs of rows beside the library's product of matrices. */
static void bench_pairs(Env *env, uint32_t d)
{
    enum { ROWS = 2000 };
    double *x = make_rows(ROWS, d), *out = malloc(sizeof(double) * ROWS * ROWS), best[2] = {1e30, 1e30};
    double flops = 2.0 * ROWS * ROWS * d;
    int n = ROWS, width = (int)d;

    for (int i = 0; i < 5; i++) {
        double start = now();

        product_distances(env, true, x, ROWS, x, ROWS, d, d, out);
        best[0] = fmin(best[0], now() - start);
        start = now();
        for (int first = 0; first < n; first += 500) { /* calls of at most 2e8 operations at d = 64 */
            const double one = 1, zero = 0;
            int columns = 500;

            dgemm_("T", "N", &n, &columns, &width, &one, x, &width, x + (size_t)first * d, &width, &zero,
                   out + (size_t)first * ROWS, &n, 1, 1);
        }
        best[1] = fmin(best[1], now() - start);
    }
    printf("d = %-4u distances of all pairs %7.2f, dgemm %7.2f Gflop per second: %.2f\n", d, flops / best[0],
           flops / best[1], best[1] / best[0]);
    free(x);
    free(out);
}

int main(int count, char **arguments)
{
    static const uint32_t pairs[] = {16, 64, 256};
    static const uint32_t widths[] = {3, 10, 18, 50, 200};
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 30;
    for (uint32_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        if (count < 2 || atoi(arguments[1]) == (int)widths[i]) {
            bench(&host->env, widths[i]);
            host_reset(host);
        }
    for (uint32_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (count < 2 || atoi(arguments[1]) == (int)pairs[i])
            bench_pairs(&host->env, pairs[i]);
    host_free(host);
    return 0;
}
