/*
 * test_kmedoids.c - medoids against exhaustive search and themselves: searches, metrics, weights, orders, refusals.
 */
#include "check.h"

#include "core/estimator/estimator.h"
#include "fit.h"

#include <stdlib.h>
#include <string.h>

extern const Estimator estimator_kmedoids;

static const Model *fit(Env *env, const double *x, const double *weights, const uint32_t *order, uint64_t n, uint32_t slots,
                        const char *options)
{
    const Model *model = rows_model(env, &estimator_kmedoids, number_rows(env, x, weights, order, n, slots), options);

    CHECK(model && model_check(env, model, model->size) == NULL);
    return model;
}

static double distance(const double *a, const double *b, uint32_t dims, int metric)
{
    double sum = 0;

    for (uint32_t j = 0; j < dims; j++)
        sum += metric == 1 ? fabs(a[j] - b[j]) : (a[j] - b[j]) * (a[j] - b[j]);
    return metric == 0 ? sqrt(sum) : sum;
}

static double cost_of(const double *x, uint64_t n, uint32_t dims, int metric, const uint32_t *medoids, uint32_t k)
{
    double cost = 0;

    for (uint64_t i = 0; i < n; i++) {
        double least = INFINITY;

        for (uint32_t m = 0; m < k; m++)
            least = fmin(least, distance(x + i * dims, x + medoids[m] * dims, dims, metric));
        cost += least;
    }
    return cost;
}

/*
 * After either search by swaps, no swap lowers the cost, which is the sum of the distances. width: of the rows, 0 but for two coordinates; distances of wide ones
 * are computed several points at a time.
 */
static void test_local_optimum(Host *host, uint32_t width)
{
    static const char *const metrics[] = {"euclidean", "manhattan", "squared_euclidean"};
    Env *env = &host->env;
    uint64_t n = 60;
    double *x = three_clouds(n, 2, 4), *rows = calloc(n * width, sizeof(double));

    for (uint64_t i = 0; i < n; i++)
        memcpy(rows + i * width, x + 2 * i, 2 * sizeof(double));
    for (int metric = 0; metric < 3; metric++)
        for (int eager = 0; eager < 2; eager++) {
            char options[160];
            const Model *model;
            uint32_t medoids[4];
            double cost;

            snprintf(options, sizeof(options), "{\"k\": 4, \"metric\": \"%s\", \"swap\": \"%s\"}", metrics[metric],
                     eager ? "eager" : "best");
            model = fit(env, rows, NULL, NULL, n, width, options);
            for (uint32_t m = 0; m < 4; m++)
                for (uint32_t i = 0; i < n; i++)
                    if (x[2 * i] == array_at(model, "medoids", width * m) && x[2 * i + 1] == array_at(model, "medoids", width * m + 1))
                        medoids[m] = i;
            cost = fact_of(env, model, "cost");
            CHECK_NEAR(cost, cost_of(x, n, 2, metric, medoids, 4), 1e-12);
            for (uint32_t m = 0; m < 4; m++) {
                uint32_t kept = medoids[m];

                for (uint32_t i = 0; i < n; i++) {
                    medoids[m] = i;
                    CHECK(cost_of(x, n, 2, metric, medoids, 4) >= cost * (1 - 1e-9));
                }
                medoids[m] = kept;
            }
        }
    free(rows);
    free(x);
    host_reset(host);
}

/* BUILD without swaps: each medoid is the row that lowers the cost most of all. */
static void test_build(Host *host)
{
    Env *env = &host->env;
    uint64_t n = 80;
    double *x = three_clouds(n, 2, 21);
    uint32_t chosen[12];

    for (uint32_t k = 1; k <= 12; k++) {
        double least = INFINITY;
        uint32_t best = 0;
        char options[80];

        for (uint32_t i = 0; i < n; i++) {
            double cost;

            chosen[k - 1] = i;
            cost = cost_of(x, n, 2, 0, chosen, k);
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        chosen[k - 1] = best;
        snprintf(options, sizeof(options), "{\"k\": %u, \"max_iter\": 0}", k);
        CHECK_NEAR(fact_of(env, fit(env, x, NULL, NULL, n, 2, options), "cost"), least, 1e-12);
    }
    free(x);
    host_reset(host);
}

/* The order of the rows does not matter, and a weight of 2 counts as two rows. */
static void test_order_and_weights(Host *host)
{
    static const char *const options[] = {"{\"k\": 5}", "{\"k\": 5, \"init\": \"lab\"}",
                                          "{\"k\": 5, \"init\": \"random\", \"algorithm\": \"alternate\"}",
                                          "{\"k\": 5, \"algorithm\": \"clara\", \"sample_size\": 40}"};
    Env *env = &host->env;
    uint64_t n = 300, seed = 8, twice = 0;
    double *x = three_clouds(n, 3, 9), *weights = malloc(n * sizeof(double)), *repeated = malloc(2 * n * 3 * sizeof(double));
    uint32_t *order = malloc(n * sizeof(uint32_t));
    const Model *weighted;

    random_order(&seed, order, (uint32_t)n);
    for (int o = 0; o < 4; o++) {
        const Model *model = fit(env, x, NULL, NULL, n, 3, options[o]), *shuffled = fit(env, x, NULL, order, n, 3, options[o]);

        for (uint32_t i = 0; i < 15; i++)
            CHECK(array_at(model, "medoids", i) == array_at(shuffled, "medoids", i));
        CHECK_NEAR(fact_of(env, model, "cost"), fact_of(env, shuffled, "cost"), 1e-12);
        CHECK(fact_of(env, model, "cost") < 1.3 * fact_of(env, fit(env, x, NULL, NULL, n, 3, options[0]), "cost"));
    }
    for (uint64_t i = 0; i < n; i++) {
        weights[i] = i % 4 == 0 ? 2 : 1;
        for (int t = 0; t < weights[i]; t++)
            memcpy(repeated + 3 * twice++, x + 3 * i, 3 * sizeof(double));
    }
    weighted = fit(env, x, weights, NULL, n, 3, "{\"k\": 3}");
    CHECK_NEAR(fact_of(env, weighted, "cost"), fact_of(env, fit(env, repeated, NULL, NULL, twice, 3, "{\"k\": 3}"), "cost"), 1e-12);
    free(x);
    free(weights);
    free(repeated);
    free(order);
    host_reset(host);
}

static void refused(Host *host, const char *options, const char *message)
{
    static const double x[] = {1, 2, 3};

    CHECK_REFUSED(host, message, fit(&host->env, x, NULL, NULL, 3, 1, options));
}

static void test_edges(Host *host)
{
    static const double same[] = {1, 1, 1, 2}, line[] = {1, 2, 3};
    Env *env = &host->env;
    const Model *model = fit(env, same, NULL, NULL, 4, 1, "{\"k\": 3}");

    CHECK_NEAR(fact_of(env, model, "cost"), 0, 0);
    CHECK_INT(host->warnings, 1);
    model = fit(env, line, NULL, NULL, 3, 1, "{\"k\": 1}");
    CHECK_NEAR(array_at(model, "medoids", 0), 2, 0);
    model = fit(env, line, NULL, NULL, 3, 1, "{\"k\": 3, \"algorithm\": \"clara\"}");
    CHECK_NEAR(fact_of(env, model, "cost"), 0, 0);
    host_reset(host);
    refused(host, "{\"k\": 0}", "\"k\"");
    refused(host, "{\"k\": 4}", "4 clusters of 3 rows");
    refused(host, "{}", "needs the number of clusters");
    refused(host, "{\"k\": 2, \"init\": [[1, 2], [3, 4]]}", "rows of 2 numbers");
    refused(host, "{\"k\": 2, \"init\": [[1]]}", "1 row, but k is 2");
    refused(host, "{\"k\": 2, \"init\": [[1], [2]], \"algorithm\": \"clara\"}", "algorithm clara starts from samples");
    refused(host, "{\"k\": 2, \"algorithm\": \"clara\", \"sample_size\": 1}", "less than the number of clusters, 2");
    refused(host, "{\"k\": 2, \"metric\": \"euclid\"}", "metric");
}

/* Random starts go on from a point that equals a medoid to the next one, and from the last point to the first: the medoids differ. */
static void test_random_starts(Host *host)
{
    double x[64];

    for (uint32_t i = 0; i < 64; i++)
        x[i] = i % 3;
    for (int seed = 0; seed < 20; seed++) {
        char options[80];
        const Model *model;
        double a, b, c;

        snprintf(options, sizeof options, "{\"k\": 3, \"init\": \"random\", \"n_init\": 1, \"max_iter\": 0, \"seed\": %d}", seed);
        model = fit(&host->env, x, NULL, NULL, 64, 1, options);
        a = array_at(model, "medoids", 0);
        b = array_at(model, "medoids", 1);
        c = array_at(model, "medoids", 2);
        CHECK(a != b && b != c && a != c);
        CHECK_NEAR(a + b + c, 3, 0);
    }
    host_reset(host);
}

static void test_cancel(Host *host)
{
    double *x = three_clouds(3000, 4, 2);

    CHECK_CANCELS(host, 3000, 400, fit(&host->env, x, NULL, NULL, 3000, 4, "{\"k\": 4}"));
    free(x);
}

int main(void)
{
    Host *host = host_new();

    test_local_optimum(host, 2);
    test_local_optimum(host, 40);
    test_build(host);
    test_order_and_weights(host);
    test_edges(host);
    test_random_starts(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
