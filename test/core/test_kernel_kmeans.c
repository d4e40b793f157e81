/*
 * test_kernel_kmeans.c - kernel k-means against k-means and itself: objective, shapes, orders, weights, refusals.
 */
#include "check.h"

#include "core/estimator/estimator.h"
#include "fit.h"

#include <stdlib.h>

extern const Estimator estimator_kernel_kmeans, estimator_kmeans;

static const Model *fit_by(Env *env, const Estimator *estimator, const double *x, const double *weights, const uint32_t *order, uint64_t n,
                           uint32_t slots, const char *options)
{
    const Model *model = rows_model(env, estimator, number_rows(env, x, weights, order, n, slots), options);

    CHECK(model && model_check(env, model, model->size) == NULL);
    return model;
}

static const Model *fit(Env *env, const double *x, uint64_t n, uint32_t slots, const char *options)
{
    return fit_by(env, &estimator_kernel_kmeans, x, NULL, NULL, n, slots, options);
}

static const void *prepare(Env *env, const Model *model)
{
    size_t bytes;

    return estimator_kernel_kmeans.scoring->prepare(env, model, &bytes);
}

static uint32_t cluster_of(const Model *model, const void *prepared, const double *row)
{
    return estimator_kernel_kmeans.scoring->cluster(model, prepared, row);
}

/* Returns options that start with row i in cluster i % k. */
static char *begun(uint64_t n, uint32_t k, const char *more)
{
    size_t length = 8 * n + 200;
    char *options = malloc(length);
    int at = snprintf(options, length, "{\"k\": %u, %s, \"init\": [", k, more);

    for (uint64_t i = 0; i < n; i++)
        at += snprintf(options + at, length - (size_t)at, "%s%u", i ? ", " : "", (unsigned)(i % k) + 1);
    snprintf(options + at, length - (size_t)at, "]}");
    return options;
}

/* With the linear kernel the clusters are those of k-means started at the means of the same partition. */
static void test_linear(Host *host)
{
    enum { N = 200, D = 2, K = 3 };
    Env *env = &host->env;
    double *x = three_clouds(N, D, 6), means[K * D] = {0}, counts[K] = {0};
    char *options = begun(N, K, "\"kernel\": \"linear\""), start[400];
    const Model *by_kernel, *by_means;
    const void *prepared, *other;
    size_t bytes;

    for (uint32_t i = 0; i < N; i++) {
        counts[i % K]++;
        for (uint32_t j = 0; j < D; j++)
            means[i % K * D + j] += x[i * D + j];
    }
    for (uint32_t c = 0; c < K; c++)
        for (uint32_t j = 0; j < D; j++)
            means[c * D + j] /= counts[c];
    snprintf(start, sizeof(start), "{\"k\": 3, \"init\": [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]}", means[0],
             means[1], means[2], means[3], means[4], means[5]);
    by_kernel = fit(env, x, N, D, options);
    by_means = fit_by(env, &estimator_kmeans, x, NULL, NULL, N, D, start);
    CHECK_NEAR(fact_of(env, by_kernel, "inertia"), fact_of(env, by_means, "inertia"), 1e-10);
    prepared = prepare(env, by_kernel);
    other = estimator_kmeans.scoring->prepare ? estimator_kmeans.scoring->prepare(env, by_means, &bytes) : NULL;
    for (uint32_t i = 0; i < N; i++) {
        double distances[K], expected[K];

        CHECK_INT(cluster_of(by_kernel, prepared, x + i * D), estimator_kmeans.scoring->cluster(by_means, other, x + i * D));
        CHECK_INT(cluster_of(by_kernel, prepared, x + i * D), model_i64(by_kernel, "clusters", &(uint32_t){0})[i]);
        estimator_kernel_kmeans.scoring->distances(by_kernel, prepared, x + i * D, distances);
        estimator_kmeans.scoring->distances(by_means, other, x + i * D, expected);
        for (uint32_t c = 0; c < K; c++)
            CHECK_NEAR(distances[c], expected[c], 1e-6);
    }
    free(x);
    free(options);
    host_reset(host);
}

/* More assignments never raise the inertia of a definite kernel. */
static void test_objective(Host *host)
{
    static const char *const kernels[] = {"\"kernel\": \"rbf\", \"gamma\": 0.1", "\"kernel\": \"linear\"",
                                          "\"kernel\": \"polynomial\", \"degree\": 2, \"coef0\": 1"};
    Env *env = &host->env;
    uint64_t n = 150;
    double *x = three_clouds(n, 3, 12);

    for (int kernel = 0; kernel < 3; kernel++) {
        double former = INFINITY;

        for (int rounds = 1; rounds < 20; rounds++) {
            char more[160], *options;
            double inertia;

            snprintf(more, sizeof(more), "%s, \"max_iter\": %d", kernels[kernel], rounds);
            options = begun(n, 5, more);
            inertia = fact_of(env, fit(env, x, n, 3, options), "inertia");
            CHECK(inertia <= former * (1 + 1e-12));
            former = inertia;
            free(options);
        }
    }
    free(x);
    host_reset(host);
}

/* A ring around a blob: rbf tells them apart, k-means cannot. */
static void test_rings(Host *host)
{
    static const char *const options[] = {"{\"k\": 2, \"gamma\": 0.1}", "{\"k\": 2, \"sigma\": 1}", "{\"k\": 2, \"kernel\": \"linear\", \"n_init\": 5}"};
    enum { N = 120 };
    Env *env = &host->env;
    double x[2 * N];
    uint64_t seed = 77;

    for (uint32_t i = 0; i < N; i++) {
        double radius = i % 2 ? 5 : 0.5, turn = 2 * acos(-1) * random_uniform(&seed);

        x[2 * i] = radius * cos(turn);
        x[2 * i + 1] = radius * sin(turn);
    }
    for (int o = 0; o < 3; o++) {
        const Model *model = fit(env, x, N, 2, options[o]);
        const void *prepared = prepare(env, model);
        uint32_t wrong = 0;

        for (uint32_t i = 0; i < N; i++)
            wrong += cluster_of(model, prepared, x + 2 * i) != cluster_of(model, prepared, x + 2 * (i % 2));
        CHECK(o == 2 ? wrong > N / 8 : wrong == 0);
    }
    host_reset(host);
}

/* The order of the rows does not matter, and a weight of 2 counts as two rows. */
static void test_order_and_weights(Host *host)
{
    static const char *const options[] = {"{\"k\": 4}", "{\"k\": 4, \"init\": \"random\"}", "{\"k\": 4, \"n_init\": 4, \"seed\": 3}",
                                          "{\"k\": 4, \"assignment\": \"average_distance\"}"};
    Env *env = &host->env;
    uint64_t n = 240, seed = 8, twice = 0;
    double *x = three_clouds(n, 3, 9), *weights = malloc(n * sizeof(double)), *repeated = malloc(2 * n * 3 * sizeof(double));
    uint32_t *order = malloc(n * sizeof(uint32_t));

    random_order(&seed, order, (uint32_t)n);
    for (uint64_t i = 0; i < n; i++) {
        weights[i] = i % 4 == 0 ? 2 : 1;
        for (int t = 0; t < weights[i]; t++)
            memcpy(repeated + 3 * twice++, x + 3 * i, 3 * sizeof(double));
    }
    for (int o = 0; o < 4; o++) {
        const Model *model = fit(env, x, n, 3, options[o]);
        const Model *shuffled = fit_by(env, &estimator_kernel_kmeans, x, NULL, order, n, 3, options[o]);
        const int64_t *clusters = model_i64(model, "clusters", &(uint32_t){0});
        const int64_t *others = model_i64(shuffled, "clusters", &(uint32_t){0});

        for (uint64_t i = 0; i < n; i++)
            CHECK_INT(others[i], clusters[order[i]]);
        CHECK_NEAR(fact_of(env, model, "inertia"), fact_of(env, shuffled, "inertia"), 1e-12);
    }
    for (int o = 0; o < 2; o++) { /* one restart each: the same */
        const char *given = o ? "{\"k\": 3, \"gamma\": 0.05, \"n_init\": 1, \"init\": \"random\"}"
                              : "{\"k\": 3, \"gamma\": 0.05, \"n_init\": 1, \"init\": \"random\", \"assignment\": \"average_distance\"}";
        const Model *weighted = fit_by(env, &estimator_kernel_kmeans, x, weights, NULL, n, 3, given);
        const Model *model = fit(env, repeated, twice, 3, given);
        const void *prepared = prepare(env, model), *other = prepare(env, weighted);

        CHECK_NEAR(fact_of(env, weighted, "inertia"), fact_of(env, model, "inertia"), 1e-12);
        for (uint64_t i = 0; i < n; i++) {
            double a[3], b[3];

            estimator_kernel_kmeans.scoring->distances(model, prepared, x + 3 * i, a);
            estimator_kernel_kmeans.scoring->distances(weighted, other, x + 3 * i, b);
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(a[c], b[c], 1e-10);
        }
    }
    free(x);
    free(weights);
    free(repeated);
    free(order);
    host_reset(host);
}

static void refused(Host *host, const char *options, const char *message)
{
    static const double x[] = {1, 2, 3};

    CHECK_REFUSED(host, message, fit(&host->env, x, 3, 1, options));
}

static void test_edges(Host *host)
{
    static const double same[] = {0.1, 0.1, 0.1, 0.7}, line[] = {1, 2, 3}, far[] = {1e9, 1e9 + 1, 1e9 + 50, 1e9 + 51}, one[] = {4};
    static const double huge[] = {1e200, 2, 3};
    double *many;
    Env *env = &host->env;
    const Model *model = fit(env, same, 4, 1, "{\"k\": 3}");
    const int64_t *clusters;

    CHECK_NEAR(fact_of(env, model, "inertia"), 0, 1e-15);
    CHECK_INT(host->warnings, 1);
    clusters = model_i64(model, "clusters", &(uint32_t){0});
    CHECK(clusters[0] == clusters[1] && clusters[1] == clusters[2] && clusters[2] != clusters[3]);
    model = fit(env, line, 3, 1, "{\"k\": 3}");
    CHECK_NEAR(fact_of(env, model, "inertia"), 0, 1e-15);
    model = fit(env, one, 1, 1, "{\"k\": 1}");
    CHECK_INT(cluster_of(model, prepare(env, model), line), 0);
    model = fit(env, far, 4, 1, "{\"k\": 2, \"gamma\": 0.01}");
    clusters = model_i64(model, "clusters", &(uint32_t){0});
    CHECK(clusters[0] == clusters[1] && clusters[2] == clusters[3] && clusters[0] != clusters[2]);
    CHECK_NEAR(fact_of(env, model, "inertia"), 2 * (1 - exp(-0.01)), 1e-9);
    host_reset(host);
    refused(host, "{\"k\": 0}", "\"k\"");
    refused(host, "{\"k\": 4}", "4 clusters of 3 rows");
    refused(host, "{}", "needs the number of clusters");
    refused(host, "{\"k\": 2, \"init\": [1, 2]}", "\"init\" has 2 clusters for 3 rows");
    refused(host, "{\"k\": 2, \"init\": [1, 2, 3]}", "not an integer from 1 to 2");
    refused(host, "{\"k\": 2, \"init\": [1, 1.5, 2]}", "\"init\" has cluster 1.5");
    refused(host, "{\"k\": 2, \"gamma\": 1, \"sigma\": 1}", "both given");
    refused(host, "{\"k\": 2, \"kernel\": \"linear\", \"gamma\": 1}", "gamma");
    CHECK_FAILS(host, ERROR_RANGE, "out of range", fit(env, huge, 3, 1, "{\"k\": 2, \"kernel\": \"polynomial\", \"degree\": 2}"));
    many = three_clouds(1000, 1, 3);
    host->env.memory_limit = 20000;
    CHECK_FAILS(host, ERROR_LIMIT, "kernel_kmeans would need", fit(env, many, 1000, 1, "{\"k\": 2}"));
    host->env.memory_limit = (size_t)64 << 20;
    free(many);
    host_reset(host);
}

static void test_cancel(Host *host)
{
    double *x = three_clouds(1500, 4, 2);

    CHECK_CANCELS(host, 1500, 200, fit(&host->env, x, 1500, 4, "{\"k\": 4}"));
    free(x);
}

int main(void)
{
    Host *host = host_new();

    test_linear(host);
    test_objective(host);
    test_rings(host);
    test_order_and_weights(host);
    test_edges(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
