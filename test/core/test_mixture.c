/*
 * test_mixture.c - gaussian mixtures against a plain pass, rising likelihoods, edges, spilled rows, forged models.
 */
#include "check.h"
#include "fit.h"
#include "core/mixture/mixture.h"

#include <stdlib.h>

extern const Estimator estimator_gaussian_mixture;

/* ---- a pass against sums written down ---- */

static double plain_density(const Mixture *m, uint32_t j, const double *x)
{
    uint32_t d = m->dims, numbers = mixture_numbers(m->form, d);
    const double *c = m->covariances + (m->form == MIXTURE_TIED ? 0 : j * numbers);
    double a[20][20], z[20], logs = 0, square = 0;

    for (uint32_t r = 0; r < d; r++)
        for (uint32_t s = 0; s <= r; s++)
            a[r][s] = m->form <= MIXTURE_TIED       ? c[r * (r + 1) / 2 + s]
                      : r != s                      ? 0
                      : m->form == MIXTURE_DIAGONAL ? c[r]
                                                    : c[0];
    for (uint32_t r = 0; r < d; r++) {
        z[r] = x[r] - m->means[j * d + r];
        for (uint32_t s = 0; s <= r; s++) {
            for (uint32_t t = 0; t < s; t++)
                a[r][s] -= a[r][t] * a[s][t];
            a[r][s] = r == s ? sqrt(a[r][r]) : a[r][s] / a[s][s];
            if (s < r)
                z[r] -= a[r][s] * z[s];
        }
        z[r] /= a[r][r];
        logs += log(a[r][r]);
        square += z[r] * z[r];
    }
    return m->weights[j] * exp(-0.5 * d * log(2 * M_PI) - logs - square / 2);
}

static void test_pass(Env *env)
{
    static const uint32_t dims[] = {1, 2, 3, 5, 8, 13};
    static double x[20 * MIXTURE_TILE] __attribute__((aligned(64)));
    static double w[MIXTURE_TILE] __attribute__((aligned(64)));
    uint64_t seed = 4;

    for (int form = 0; form < 4; form++)
        for (int t = 0; t < 6; t++) {
            uint32_t d = dims[t], k = 3, count = 1 + (uint32_t)(random_uniform(&seed) * MIXTURE_TILE), bad;
            Mixture *m = mixture_new(env, (MixtureForm)form, k, d);
            MixtureSums *sums = mixture_sums(env, m);
            uint32_t numbers = mixture_numbers(m->form, d), products = mixture_products(m->form, d);
            double likelihood = 0, *expected = env_array(env, 3 * (1 + 20 + 210), sizeof(double));
            MixturePlan *plan;

            for (uint32_t j = 0; j < k; j++) {
                m->weights[j] = (1.0 + j) / 6;
                for (uint32_t a = 0; a < d; a++)
                    m->means[j * d + a] = random_normal(&seed);
            }
            for (uint32_t j = 0; j < mixture_matrices(m->form, k) * numbers; j++)
                m->covariances[j] = m->form <= MIXTURE_TIED ? 0.1 : 0.5 + random_uniform(&seed);
            for (uint32_t j = 0; m->form <= MIXTURE_TIED && j < mixture_matrices(m->form, k); j++)
                for (uint32_t a = 0; a < d; a++)
                    m->covariances[j * numbers + a * (a + 1) / 2 + a] = 0.7 + random_uniform(&seed);
            memset(x, 0, sizeof(x));
            memset(w, 0, sizeof(w));
            for (uint32_t i = 0; i < count; i++) {
                w[i] = 0.5 + random_uniform(&seed);
                for (uint32_t a = 0; a < d; a++)
                    x[a * MIXTURE_TILE + i] = random_normal(&seed);
            }
            for (uint32_t i = 0; i < count; i++) {
                double row[20], p[3], total = 0;
                for (uint32_t a = 0; a < d; a++)
                    row[a] = x[a * MIXTURE_TILE + i];
                for (uint32_t j = 0; j < k; j++)
                    total += p[j] = plain_density(m, j, row);
                likelihood += w[i] * log(total);
                for (uint32_t j = 0; j < k; j++) {
                    double r = w[i] * p[j] / total, *e = expected + j * 231;
                    double *q = expected + (m->form == MIXTURE_TIED ? 0 : j * 231) + 21;
                    e[0] += r;
                    for (uint32_t a = 0; a < d; a++) {
                        double y = row[a] - m->means[j * d + a];
                        e[1 + a] += r * y;
                        for (uint32_t b = 0; b <= a && m->form <= MIXTURE_TIED; b++)
                            q[a * (a + 1) / 2 + b] += r * y * (row[b] - m->means[j * d + b]);
                        if (m->form > MIXTURE_TIED)
                            q[a] += r * y * y;
                    }
                }
            }
            plan = mixture_plan(env, m, &bad);
            if (!CHECK(plan != NULL))
                continue;
            mixture_tile(env, plan, x, w, count, false, sums);
            CHECK_NEAR(sums->log_likelihood / likelihood, 1, 1e-11);
            for (uint32_t j = 0; j < k; j++) {
                CHECK_NEAR(sums->weights[j], expected[j * 231], 1e-11);
                for (uint32_t a = 0; a < d; a++)
                    CHECK_NEAR(sums->moments[j * d + a], expected[j * 231 + 1 + a], 1e-11);
            }
            for (uint32_t j = 0; j < mixture_matrices(m->form, k); j++)
                for (uint32_t a = 0; a < products; a++)
                    CHECK_NEAR(sums->products[j * products + a], expected[j * 231 + 21 + a], 1e-11);
            mixture_plan_free(env, plan);
        }
}

/* ---- fits ---- */

static const Model *fit_these(Env *env, Rows *rows, const char *options)
{
    const Model *model = rows_model(env, &estimator_gaussian_mixture, rows, options);

    CHECK(model == NULL || model_check(env, model, model->size) == NULL);
    return model;
}

static const Model *fit(Env *env, const double *x, uint64_t n, uint32_t slots, const char *options)
{
    return fit_these(env, number_rows(env, x, NULL, NULL, n, slots), options);
}

/* Three clouds, of different size and shape. */
static double *clouds(Env *env, uint32_t n, uint32_t d, double offset)
{
    double *x = env_array(env, (size_t)n * d, sizeof(double));
    uint64_t seed = 11;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t cloud = i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2;
        double common = random_normal(&seed);
        for (uint32_t a = 0; a < d; a++)
            x[(size_t)i * d + a] =
                offset + 8.0 * cloud * (a % 2 ? 1 : -0.6) + (0.5 + 0.4 * cloud) * random_normal(&seed) + 0.5 * common;
    }
    return x;
}

static void test_fits(Host *host)
{
    static const char *const forms[] = {"full", "tied", "diagonal", "spherical"};
    Env *env = &host->env;
    enum { N = 600, D = 3 };
    double *x = clouds(env, N, D, 0), *far = clouds(env, N, D, 1e6), *turned = env_array(env, N * D, sizeof(double));

    for (uint32_t i = 0; i < N; i++)
        memcpy(turned + i * D, x + (N - 1 - i) * D, D * sizeof(double));
    for (int f = 0; f < 4; f++) {
        char options[160];
        const Model *model, *other, *again;
        uint32_t length;
        const double *history;

        snprintf(options, sizeof(options),
                 "{\"k\":3,\"covariance_type\":\"%s\",\"history\":true,\"regularization\":0,\"tolerance\":1e-12}", forms[f]);
        model = fit(env, x, N, D, options);
        history = model_f64(model, "history", &length);
        CHECK_INT(length, (int)model_fact(model, "iterations", -1) + 1);
        for (uint32_t i = 1; i < length; i++) /* never falls, except by rounding */
            CHECK(history[i] >= history[i - 1] - 1e-9 * fabs(history[i]));
        CHECK(history[length - 1] == model_fact(model, "log_likelihood", NAN));
        /* the order of the rows and an offset do not matter */
        other = fit(env, turned, N, D, options);
        CHECK_NEAR(model_fact(other, "log_likelihood", NAN) / model_fact(model, "log_likelihood", NAN), 1, 1e-9);
        for (uint32_t j = 0; j < 3 * D; j++)
            CHECK_NEAR(array_at(other, "means", j), array_at(model, "means", j), 1e-5);
        other = fit(env, far, N, D, options);
        CHECK_NEAR(model_fact(other, "log_likelihood", NAN) / model_fact(model, "log_likelihood", NAN), 1, 1e-6);
        /* starting at the model itself changes nothing */
        {
            size_t size;
            char *text = model_to_text(env, model, &size), *with = env_array(env, size + 200, 1);
            snprintf(with, size + 200, "{\"start\":%s,\"covariance_type\":\"%s\",\"regularization\":0,\"max_iter\":0}", text,
                     forms[f]);
            again = fit(env, x, N, D, with);
            CHECK_NEAR(model_fact(again, "log_likelihood", NAN), model_fact(model, "log_likelihood", NAN), 1e-9);
            CHECK_INT(model_fact(again, "iterations", -1), 0);
        }
    }
    CHECK_INT(host->warnings, 0);
}

/* Scores agree with each other; the sum of log densities is the log likelihood. */
static void test_scores(Env *env)
{
    enum { N = 300, D = 2 };
    double *x = clouds(env, N, D, 3), sum = 0;
    const Model *model = fit(env, x, N, D, "{\"k\":3}");
    const Scoring *scoring = estimator_of(model)->scoring;
    size_t bytes;
    void *prepared = scoring->prepare(env, model, &bytes);
    double far[] = {1e200, -1e200};

    for (uint32_t i = 0; i < N; i++) {
        double shares[3], joint[3], distances[3], total = 0, density = 0;
        uint32_t cluster = scoring->cluster(model, prepared, x + i * D);
        scoring->memberships(model, prepared, x + i * D, shares);
        scoring->decisions(model, prepared, x + i * D, joint);
        scoring->distances(model, prepared, x + i * D, distances);
        for (uint32_t j = 0; j < 3; j++) {
            total += shares[j];
            density += exp(joint[j]);
            CHECK(shares[j] <= shares[cluster]);
            CHECK(distances[j] >= scoring->distance(model, prepared, x + i * D));
        }
        CHECK_NEAR(total, 1, 1e-14);
        CHECK_NEAR(scoring->log_density(model, prepared, x + i * D), log(density), 1e-12);
        sum += scoring->log_density(model, prepared, x + i * D);
    }
    CHECK_NEAR(sum, model_fact(model, "log_likelihood", NAN), 1e-9);
    {
        double shares[3];
        scoring->memberships(model, prepared, far, shares);
        CHECK_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
        CHECK(scoring->cluster(model, prepared, far) < 3);
    }
    CHECK_NEAR(fact_of(env, model, "parameters"), 3 * (2 + 3) + 2, 0);
    CHECK_NEAR(fact_of(env, model, "bic"), 17 * log(N) - 2 * model_fact(model, "log_likelihood", NAN), 1e-12);
}

/* Weights count as repeated rows, and spilled rows give what rows in memory give. */
static void test_rows(Host *host)
{
    Env *env = &host->env;
    enum { N = 3000, D = 4 };
    double *x = clouds(env, N, D, 0), *repeated = env_array(env, 2 * N * D, sizeof(double)), weights[N];
    const Model *a, *b;
    uint32_t count = 0;
    size_t limit = env->memory_limit;

    for (uint32_t i = 0; i < N; i++) {
        weights[i] = 1 + i % 2;
        for (uint32_t r = 0; r <= i % 2; r++)
            memcpy(repeated + D * count++, x + i * D, D * sizeof(double));
    }
    a = fit_these(env, number_rows(env, x, weights, NULL, N, D), "{\"k\":3}");
    b = fit(env, repeated, count, D, "{\"k\":3}");
    for (uint32_t j = 0; j < 3 * D; j++)
        CHECK_NEAR(array_at(a, "means", j), array_at(b, "means", j), 1e-4);
    CHECK_NEAR(model_fact(a, "log_likelihood", NAN) / N, model_fact(b, "log_likelihood", NAN) / count, 1e-6);
    a = fit(env, x, N, D, "{\"k\":3}");
    env->memory_limit = 64 << 10;
    b = fit(env, x, N, D, "{\"k\":3}");
    CHECK(host->spilled > 0);
    env->memory_limit = limit;
    for (uint32_t j = 0; j < 3 * D; j++)
        CHECK_NEAR(array_at(a, "means", j), array_at(b, "means", j), 1e-12);
}

static void test_edges(Host *host)
{
    Env *env = &host->env;
    static const double same[] = {1, 1, 1, 1}, two[] = {1, 2}, pairs[] = {0, 0, 0, 5, 6, 7};
    double *x = clouds(env, 60, 2, 0);
    const Model *model;

    CHECK(fit(env, x, 0, 2, "{\"k\":1}") == NULL);
    CHECK_FAILS(host, ERROR_PARAMETER, "needs k", fit(env, x, 60, 2, "{}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "k", fit(env, x, 60, 2, "{\"k\":0}"));
    CHECK_FAILS(host, ERROR_DATA, "only 2 rows", fit(env, two, 2, 1, "{\"k\":3}"));
    CHECK_FAILS(host, ERROR_DATA, "only 1 distinct value", fit(env, same, 4, 1, "{\"k\":2}"));
    CHECK_FAILS(host, ERROR_DATA, "only 1 distinct value", fit(env, same, 4, 1, "{\"k\":2,\"init\":\"random\"}"));
    CHECK_FAILS(host, ERROR_DATA, "component 1 of gaussian_mixture collapsed",
                fit(env, same, 4, 1, "{\"k\":1,\"regularization\":0}"));
    model = fit(env, same, 4, 1, "{\"k\":1}");
    CHECK_NEAR(array_at(model, "covariances", 0), 1e-6, 1e-18);
    model = fit(env, two, 1, 1, "{\"k\":1}");
    CHECK_NEAR(array_at(model, "means", 0), 1, 0);
    /* a component on three equal rows: with a floor it stays, without one it collapses */
    model = fit(env, pairs, 6, 1, "{\"init\":[[0],[6]],\"init_covariances\":[[1],[1]]}");
    CHECK_NEAR(array_at(model, "covariances", 0), 1e-6, 1e-12);
    CHECK_FAILS(host, ERROR_DATA, "collapsed",
                fit(env, pairs, 6, 1, "{\"init\":[[0],[6]],\"init_covariances\":[[1],[1]],\"regularization\":0}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "1 x 1 numbers, not 2 means of 1",
                fit(env, pairs, 6, 1, "{\"k\":2,\"init\":[[0]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "sum of 1",
                fit(env, pairs, 6, 1, "{\"init\":[[0],[6]],\"init_weights\":[0.5,0.4]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"init_covariances\" of gaussian_mixture has 1 x 1",
                fit(env, pairs, 6, 1, "{\"init\":[[0],[6]],\"init_covariances\":[[1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "not a symmetric matrix",
                fit(env, x, 60, 2, "{\"init\":[[0,0],[1,1]],\"init_covariances\":[[1,0,0.5,1],[1,0,0,1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "not 3 with a sum of 1", fit(env, x, 60, 2, "{\"k\":3,\"init_weights\":[0.5,0.5]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "covariance", fit(env, x, 60, 2, "{\"k\":2,\"covariance_type\":\"round\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "regularization", fit(env, x, 60, 2, "{\"k\":2,\"regularization\":-1}"));
    {
        double *wide = env_array(env, 2 * 100000, sizeof(double));
        wide[0] = 1;
        CHECK_FAILS(host, ERROR_LIMIT, "at most 10000 features", fit(env, wide, 2, 100000, "{\"k\":1}"));
    }
    host->warnings = 0;
    fit(env, x, 60, 2, "{\"k\":3,\"max_iter\":1,\"tolerance\":0}");
    CHECK_HOLDS(host->warning, "stopped after 1 iteration");
    CHECK_INT(host->warnings, 1);
    fit(env, x, 60, 2, "{\"k\":3,\"init\":\"random\",\"covariance_type\":\"diagonal\"}");
    fit(env, x, 60, 2, "{\"k\":3,\"init\":\"k-means++\",\"n_init\":3,\"covariance_type\":\"tied\"}");
}

static void check_refused(Host *host, const char *text, const char *words)
{
    CHECK_FAILS(host, ERROR_TEXT, words, model_from_text(&host->env, text, strlen(text)));
}

#define HEAD                                                                                       \
    "{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"gaussian_mixture\",\"slots\":2,\"fields\":2," \
    "\"rows\":3,\"skipped\":0,\"weight\":3,\"arrays\":{"

static void test_forged(Host *host)
{
    static const char collapsed[] = HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[1],"
                                         "\"covariances\":{\"f64\":[1,2,1],\"shape\":[1,3]}}}";
    static const char no_weight[] = HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[0],"
                                         "\"covariances\":{\"f64\":[1,1],\"shape\":[1,2]}}}";
    Model *model;
    const Scoring *scoring = estimator_gaussian_mixture.scoring;
    double row[] = {1, 2}, out[1];
    void *prepared;
    size_t bytes;

    check_refused(host, HEAD "\"weights\":[1],\"covariances\":{\"f64\":[1,0,1],\"shape\":[1,3]}}}", "needs the array \"means\"");
    check_refused(host, HEAD "\"means\":{\"f64\":[0,0,0],\"shape\":[1,3]},\"weights\":[1],"
                             "\"covariances\":{\"f64\":[1,0,1],\"shape\":[1,3]}}}", "\"means\" of gaussian_mixture is f64[1 x 3], not f64[1 x 2]");
    check_refused(host, HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[1],"
                             "\"covariances\":{\"f64\":[1,0,1,1],\"shape\":[1,4]}}}", "no form of 1 components of 2 features");
    check_refused(host, HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[2],"
                             "\"covariances\":{\"f64\":[1,0,1],\"shape\":[1,3]}}}", "between 0 and 1");
    check_refused(host, HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[1,0],"
                             "\"covariances\":{\"f64\":[1,0,1],\"shape\":[1,3]}}}", "is f64[2], not f64[1]");
    check_refused(host, HEAD "\"means\":{\"f64\":[0,0],\"shape\":[1,2]},\"weights\":[1],\"more\":[1],"
                             "\"covariances\":{\"f64\":[1,0,1],\"shape\":[1,3]}}}", "does not belong");
    check_refused(host, collapsed, "not positive definite");
    model = model_from_text(&host->env, no_weight, strlen(no_weight));
    prepared = scoring->prepare(&host->env, model, &bytes);
    CHECK_INT(scoring->cluster(model, prepared, row), 0);
    scoring->memberships(model, prepared, row, out);
    CHECK(out[0] == 0 && isinf(scoring->log_density(model, prepared, row)));
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 28;
    test_pass(&host->env);
    test_fits(host);
    test_scores(&host->env);
    test_rows(host);
    test_edges(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
