/*
 * test_kmeans.c - k-means against known answers, and against itself: orders of rows, weights,
 * memory and spilling must not matter.
 */
#include "check.h"

#include "core/distance/centroid_distance.h"
#include "core/kmeans/kmeans_init.h"
#include "core/estimator/estimator.h"
#include "fit.h"

#include <stdlib.h>

extern const Estimator estimator_kmeans;

#define KMEANS_BITS 1503568981342401665 /* hash of the result of test_bits */

static const Model *fit_these(Env *env, Rows *rows, const char *options)
{
    const Model *model = rows_model(env, &estimator_kmeans, rows, options);

    CHECK(model && model_check(env, model, model->size) == NULL);
    return model;
}

static const Model *fit(Env *env, const double *x, uint64_t n, uint32_t slots, const char *options)
{
    return fit_these(env, number_rows(env, x, NULL, NULL, n, slots), options);
}

/* Blobs that overlap. */
static double *blobs(uint64_t n, uint32_t dims, uint32_t count, double spread, uint64_t seed)
{
    double *x = malloc(n * dims * sizeof(double)), *centers = malloc(count * dims * sizeof(double));

    for (uint32_t i = 0; i < count * dims; i++)
        centers[i] = 10 * random_uniform(&seed);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < dims; j++)
            x[i * dims + j] = centers[i % count * dims + j] + spread * random_normal(&seed);
    free(centers);
    return x;
}

static bool same_array(const Model *a, const Model *b, const char *name)
{
    uint32_t na, nb;
    const double *x = model_f64(a, name, &na), *y = model_f64(b, name, &nb);

    return x && y && na == nb && memcmp(x, y, na * sizeof(double)) == 0;
}

/* Every instruction set gives the same bits, those of KMEANS_BITS. */
static void test_bits(Host *host)
{
    double x[2000];
    uint64_t seed = 77, hash;
    const Model *model;

    for (int i = 0; i < 2000; i++)
        x[i] = random_uniform(&seed);
    model = fit(&host->env, x, 400, 5, "{\"k\": 6, \"seed\": 1}");
    hash = rows_hash(1, model_data(model, model_find(model, "centroids")), 30);

    CHECK_INT(hash >> 1, KMEANS_BITS);
    host_reset(host);
}

static void test_known(Host *host)
{
    Env *env = &host->env;
    double x[] = {1, 1, 1.5, 2, 3, 3.75, 5, 7, 3.5, 5, 4.5, 5, 3.5, 4.5}, line[] = {8, 44, 50, 58, 84};
    double same[] = {1, 1, 1, 2}, far[] = {0, 1, 2, 100};
    const Model *model = fit(env, x, 7, 2, "{\"k\": 2, \"init\": [[1,1],[5,7]], \"history\": true}");

    CHECK_NEAR(array_at(model, "history", 0), 31.8125, 1e-12);
    CHECK_NEAR(array_at(model, "history", 1), 11.416666666666666, 1e-12);
    CHECK_NEAR(array_at(model, "centroids", 3), 5.375, 1e-12);
    model = fit(env, line, 5, 1, "{\"k\": 2, \"n_init\": 25}");
    CHECK_NEAR(fact_of(env, model, "inertia"), 932, 1e-12);
    CHECK_NEAR(fact_of(env, model, "total_scatter"), 3012.8, 1e-12);
    CHECK_INT(host->warnings, 0);
    model = fit(env, same, 4, 1, "{\"k\": 3}");
    CHECK_NEAR(fact_of(env, model, "inertia"), 0, 0);
    CHECK_INT(fact_of(env, model, "empty_clusters"), 1);
    CHECK_INT(host->warnings, 1);
    model = fit(env, far, 4, 1, "{\"k\": 3, \"init\": [[0.5],[1.5],[1000]]}");
    CHECK_NEAR(fact_of(env, model, "inertia"), 0.5, 1e-12);
    CHECK_INT(host->warnings, 1);
    model = fit(env, far, 4, 1, "{\"k\": 3, \"init\": [[0.5],[1.5],[1000]], \"max_iter\": 1}");
    CHECK_INT(host->warnings, 2);
    CHECK(strstr(host->warning, "1 pass,") != NULL);
    host_reset(host);
}

/*
 * Many rows at once have the bits of one row at a time, whether products or squares decide: rows far from the origin, where products
 * round away what squares see, rows that are centroids, and centroids of equal or nearly equal distance.
 */
static void check_nearest(Env *env, double origin, uint32_t k, uint32_t dims, uint64_t seed)
{
    enum { N = 333 };
    double *x = blobs(N, dims, 7, 2, seed), *centroids = env_array(env, k, dims * sizeof(double)), squares[N], square;
    CentroidLanes *lanes = centroid_lanes_new(env, k, dims);
    uint32_t nearest[N], away = 0;

    for (uint32_t i = 0; i < N * dims; i++)
        x[i] = origin < 1e-100 ? x[i] * origin : x[i] + origin;
    for (uint32_t g = 0; g < k; g++)
        for (uint32_t j = 0; j < dims; j++)
            centroids[g * dims + j] = g % 5 == 4 ? nextafter(centroids[(g - 1) * dims + j], g % 2 ? INFINITY : 0)
                                      : g % 5 == 3 ? centroids[(g - 1) * dims + j]
                                                   : x[g * dims + j];
    centroid_lanes_set(lanes, centroids);
    centroid_nearest_rows(lanes, centroids, x, N, nearest, squares);
    for (uint32_t i = 0; i < N; i++) {
        away += nearest[i] != centroid_nearest(lanes, x + (size_t)i * dims, &square);
        away += memcmp(&square, &squares[i], sizeof(double)) != 0;
    }
    check_that(away == 0, __FILE__, __LINE__, "%u of the nearest of %u centroids of %u numbers from %g on differ", away, k, dims, origin);
    centroid_lanes_free(env, lanes);
    free(x);
}

/* What centroids take off the squares of many rows is the sum of what they take off each; the same bits for whole tiles and rows that are left. */
static void check_taken(Env *env, uint32_t k, uint32_t dims, uint32_t count, bool weighted)
{
    double *x = blobs(count, dims, 7, 2, 5), squares[100], weights[100], *taken = env_array(env, (size_t)k * CENTROID_LANES, sizeof(double));
    CentroidLanes *lanes = centroid_lanes_new(env, k, dims);

    for (uint32_t i = 0; i < count; i++) {
        squares[i] = i % 9 == 0 ? 0 : dims * (0.1 + i % 17);
        weights[i] = i % 4;
    }
    centroid_lanes_set(lanes, x);
    centroid_take_rows(lanes, x, count, squares, weighted ? weights : NULL, taken);
    for (uint32_t c = 0; c < k; c++) {
        double sum = 0, expected = 0;

        for (uint32_t i = 0; i < count; i++) {
            double square = centroid_square(x + (size_t)c * dims, x + (size_t)i * dims, dims);

            expected += square < squares[i] ? (weighted ? weights[i] : 1) * (squares[i] - square) : 0;
        }
        for (uint32_t lane = 0; lane < CENTROID_LANES; lane++)
            sum += taken[c * CENTROID_LANES + lane];
        CHECK_NEAR(sum, expected, 1e-13);
    }
    centroid_lanes_free(env, lanes);
    env->release(env, taken);
    free(x);
}

static void test_taken(Host *host)
{
    static const uint32_t counts[] = {1, 5, 6, 8, 9, 13}, dims[] = {1, 8, 1025}, rows[] = {13, 16, 99};

    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
        for (size_t d = 0; d < sizeof(dims) / sizeof(*dims); d++)
            for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
                check_taken(&host->env, counts[c], dims[d], rows[r], (c + r) % 2);
    host_reset(host);
}

static void test_nearest(Host *host)
{
    static const double origins[] = {0, 1e3, 1e8, 1e15, 1e155, 1e-160};
    static const uint32_t counts[] = {1, 2, 3, 9, 10, 11, 12, 29}, dims[] = {3, 8, 17, 24};

    for (size_t o = 0; o < sizeof(origins) / sizeof(*origins); o++)
        for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++)
            for (size_t d = 0; d < sizeof(dims) / sizeof(*dims); d++)
                check_nearest(&host->env, origins[o], counts[c], dims[d], 11 + o);
    host_reset(host);
}

/* Each row is in the cluster of its nearest centroid, the inertia is the sum of the squares, and it never rises. Wide rows are assigned one by one. */
static void test_iterations(Host *host)
{
    static const struct {
        uint64_t n;
        uint32_t dims, k;
        double spread;
    } cases[] = {{300, 1, 5, 0.5}, {1000, 2, 7, 2}, {2000, 8, 40, 4}, {1000, 20, 100, 1}, {500, 3, 9, 0}, {300, 1024, 5, 4}, {301, 1025, 5, 4}};
    Env *env = &host->env;

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        uint32_t dims = cases[c].dims, k = cases[c].k;
        double *x = blobs(cases[c].n, dims, k, cases[c].spread, 7 + c), sum = 0, sizes[100] = {0}, off = 0;
        char options[200];
        const Model *model;
        const double *centroids;

        snprintf(options, sizeof(options), "{\"k\": %u, \"seed\": 5, \"history\": true, \"max_iter\": 1000}", k);
        model = fit(env, x, cases[c].n, dims, options);
        centroids = model_data(model, model_find(model, "centroids"));
        for (uint64_t i = 0; i < cases[c].n; i++) {
            double least = INFINITY;
            uint32_t nearest = 0;

            for (uint32_t g = 0; g < k; g++) {
                double square = 0;

                for (uint32_t j = 0; j < dims; j++)
                    square = fma(x[i * dims + j] - centroids[(size_t)g * dims + j], x[i * dims + j] - centroids[(size_t)g * dims + j], square);
                if (square < least) {
                    least = square;
                    nearest = g;
                }
            }
            sum += least;
            sizes[nearest]++;
        }
        for (uint32_t g = 0; g < k; g++)
            off += fabs(sizes[g] - array_at(model, "sizes", g));
        CHECK(off == 0);
        CHECK_NEAR(fact_of(env, model, "inertia"), sum, 1e-9 * sum);
        CHECK(fact_of(env, model, "converged") == 1);
        for (uint32_t i = 1; i < fact_of(env, model, "iterations"); i++)
            CHECK(array_at(model, "history", i) <= array_at(model, "history", i - 1) * (1 + 1e-12));
        free(x);
        host_reset(host);
    }
}

/* Spilled rows give the same bits as rows in memory; another order of rows nearly the same. */
static void test_memory_and_order(Host *host)
{
    static const char *const starts[] = {"k-means++", "k-means||", "random", "partition"};
    Env *env = &host->env;
    uint64_t n = 20000, seed = 3;
    double *x = blobs(n, 4, 8, 1, 11);
    uint32_t *order = malloc(n * sizeof(uint32_t));
    size_t limit = env->memory_limit;

    random_order(&seed, order, (uint32_t)n);
    for (int s = 0; s < 4; s++) {
        char options[100];
        const Model *memory, *spilled, *shuffled;

        snprintf(options, sizeof(options), "{\"k\": 8, \"init\": \"%s\", \"seed\": 2, \"n_init\": 2}", starts[s]);
        memory = fit(env, x, n, 4, options);
        env->memory_limit = 65536;
        spilled = fit(env, x, n, 4, options);
        env->memory_limit = limit;
        CHECK(same_array(memory, spilled, "centroids") && same_array(memory, spilled, "within"));
        shuffled = fit_these(env, number_rows(env, x, NULL, order, n, 4), options);
        CHECK_NEAR(fact_of(env, shuffled, "inertia"), fact_of(env, memory, "inertia"), 1e-10);
        for (uint32_t i = 0; i < 32; i++)
            CHECK_NEAR(array_at(shuffled, "centroids", i), array_at(memory, "centroids", i), 1e-9);
    }
    {
        const Model *memory = fit(env, x, n, 4, "{\"k\": 8, \"batch_size\": 1000}"), *spilled, *shuffled;
        const Model *full = fit(env, x, n, 4, "{\"k\": 8}");

        env->memory_limit = 262144;
        spilled = fit(env, x, n, 4, "{\"k\": 8, \"batch_size\": 1000}");
        env->memory_limit = limit;
        shuffled = fit_these(env, number_rows(env, x, NULL, order, n, 4), "{\"k\": 8, \"batch_size\": 1000}");
        CHECK(same_array(memory, spilled, "centroids"));
        CHECK_NEAR(fact_of(env, shuffled, "inertia"), fact_of(env, memory, "inertia"), 1e-9);
        CHECK(fact_of(env, memory, "inertia") < 1.1 * fact_of(env, full, "inertia"));
    }
    free(order);
    free(x);
    host_reset(host);
}

/* A weight of 2 counts as two rows. */
static void test_weights(Host *host)
{
    Env *env = &host->env;
    uint64_t n = 500;
    double *x = blobs(n, 2, 4, 1, 5), *twice = malloc(2 * n * 2 * sizeof(double)), *weights = malloc(n * sizeof(double));
    uint64_t rows = 0;
    const Model *weighted, *repeated;

    for (uint64_t i = 0; i < n; i++) {
        weights[i] = i % 3 == 0 ? 2 : 1;
        for (int t = 0; t < weights[i]; t++)
            memcpy(twice + 2 * rows++, x + 2 * i, 2 * sizeof(double));
    }
    weighted = fit_these(env, number_rows(env, x, weights, NULL, n, 2), "{\"k\": 4, \"seed\": 9}");
    repeated = fit(env, twice, rows, 2, "{\"k\": 4, \"seed\": 9}");
    CHECK_NEAR(fact_of(env, weighted, "inertia"), fact_of(env, repeated, "inertia"), 1e-10);
    for (uint32_t i = 0; i < 4; i++)
        CHECK_NEAR(array_at(weighted, "sizes", i), array_at(repeated, "sizes", i), 1e-12);
    free(x);
    free(twice);
    free(weights);
    host_reset(host);
}

/* Compares the frequencies of pairs of plain k-means++ with their exact probabilities. */
static void test_plus_plus(Host *host)
{
    static const double x[] = {8, 44, 50, 58, 84};
    double found[5][5] = {{0}}, squares[5] = {0};
    int runs = 20000;
    Env *env = &host->env;
    Rows *rows = number_rows(env, x, NULL, NULL, 5, 1);

    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            squares[i] += (x[i] - x[j]) * (x[i] - x[j]);
    for (int r = 0; r < runs; r++) {
        CentroidStart start = {.env = env, .rows = rows, .k = 2, .seed = (uint64_t)r * 7919, .trials = 1};
        double centroids[2];
        int a = 0, b = 0;

        CHECK_INT(centroid_start_plus_plus(&start, centroids), 2);
        while (x[a] != centroids[0])
            a++;
        while (x[b] != centroids[1])
            b++;
        found[a][b]++;
    }
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) {
            double p = (x[a] - x[b]) * (x[a] - x[b]) / squares[a] / 5;

            CHECK(fabs(found[a][b] - p * runs) < 5 * sqrt(p * runs) + 1);
        }
    host_reset(host);
}

static void test_choice(Host *host)
{
    Env *env = &host->env;
    uint64_t n = 600;
    double *x = blobs(n, 2, 4, 0.3, 21);
    static const char *const criteria[] = {"silhouette", "calinski_harabasz", "gap"};

    for (int c = 0; c < 3; c++) {
        char options[120];
        const Model *model;

        snprintf(options, sizeof(options), "{\"k\": [2, 8], \"select\": \"%s\", \"n_init\": 5}", criteria[c]);
        model = fit(env, x, n, 2, options);
        CHECK_INT(fact_of(env, model, "k"), 4);
        CHECK_NEAR(array_at(model, "k_tried", 6), 8, 0);
    }
    free(x);
    host_reset(host);
}

static void refused(Host *host, uint64_t n, uint32_t dims, const double *x, const char *options, const char *message)
{
    CHECK_REFUSED(host, message, fit(&host->env, x, n, dims, options));
}

static void test_refusals(Host *host)
{
    static const double x[] = {1, 2, 3}, huge[] = {1e200, -1e200, 0}, tiny[] = {1e-160, 2e-160, 3e-160};

    refused(host, 3, 1, x, "{\"k\": 0}", "\"k\"");
    refused(host, 3, 1, x, "{\"k\": 4}", "4 clusters of 3 rows");
    refused(host, 3, 1, x, "{}", "needs the number of clusters");
    refused(host, 3, 1, x, "{\"k\": [3, 2]}", "range of k");
    refused(host, 3, 1, x, "{\"k\": \"auto\", \"max_k\": 4}", "4 clusters of 3 rows");
    refused(host, 3, 1, x, "{\"k\": 2, \"init\": [[1, 2], [2, 3]]}", "centroids of 2 numbers");
    refused(host, 3, 1, x, "{\"k\": 2, \"init\": [[1], [2], [3]]}", "3 centroids, but k is 2");
    refused(host, 3, 1, huge, "{\"k\": 2}", "out of range");
    refused(host, 3, 1, tiny, "{\"k\": 2}", "vary too little");
}

/* A cancel ends the fit soon at any point. */
static void test_cancel(Host *host)
{
    double *x = blobs(5000, 8, 50, 4, 2);

    CHECK_CANCELS(host, 60, 7, fit(&host->env, x, 5000, 8, "{\"k\": 50}"));
    free(x);
}

/* A search for new places of clusters without rows was as long as a pass, and could not be canceled within a block of rows. */
static void test_search_polls(Host *host)
{
    enum { N = 1000, DIMS = 200, K = 500 };
    double *x = malloc((size_t)N * DIMS * sizeof(double));
    uint64_t seed = 3, polls[2][2];

    for (int equal = 0; equal < 2; equal++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < DIMS; j++)
                x[i * DIMS + j] = equal ? i % 20 + j : random_normal(&seed);
        for (int moves = 0; moves < 2; moves++) { /* one more is one more pass, and a search if clusters are empty */
            uint64_t before = host->polls;
            char options[100];

            snprintf(options, sizeof(options), "{\"k\": %d, \"init\": \"random\", \"n_init\": 1, \"max_iter\": %d}", K, moves);
            fit(&host->env, x, N, DIMS, options);
            polls[equal][moves] = host->polls - before;
        }
    }
    CHECK(polls[1][1] - polls[1][0] >= polls[0][1] - polls[0][0] + (uint64_t)N * K * DIMS / 4000000);
    free(x);
}

int main(void)
{
    Host *host = host_new();

    test_bits(host);
    test_known(host);
    test_nearest(host);
    test_taken(host);
    test_iterations(host);
    test_memory_and_order(host);
    test_weights(host);
    test_plus_plus(host);
    test_choice(host);
    test_refusals(host);
    test_cancel(host);
    test_search_polls(host);
    host_free(host);
    return check_report();
}
