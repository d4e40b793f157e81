/*
 * test_row_sampler.c - rows drawn from models: moments of a million rows, Kolmogorov-Smirnov and chi-square tests with fixed seeds,
 * singular covariances, streams of rows, refusals.
 */
#include "check.h"
#include "fit.h"
#include "core/linalg/qr_factor.h"
#include "core/linalg/cholesky.h"
#include "core/normal/normal_draw.h"
#include "core/math/normal_deviate.h"
#include "core/math/special_functions.h"
#include "core/prepare/row_sampler.h"

#include <stdlib.h>

#define MANY 1000000
#define RARE 1.95 /* sqrt(n) times the largest difference of distribution functions is above this once in 1,000 */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the Kolmogorov-Smirnov statistic of numbers, which are sorted, against a mixture of k normal distributions. */
static double kolmogorov(double *x, uint32_t n, uint32_t k, const double *weights, const double *means, const double *deviations)
{
    double most = 0;

    qsort(x, n, sizeof(double), by_number);
    for (uint32_t i = 0; i < n; i++) {
        double p = 0;

        for (uint32_t c = 0; c < k; c++)
            p += weights[c] * normal_cdf((x[i] - means[c]) / deviations[c]);
        most = fmax(most, fmax(fabs(p - (double)i / n), fabs(p - (i + 1.0) / n)));
    }
    return most * sqrt(n);
}

static void test_deviates(void)
{
    static const double one = 1, zero = 0;
    double *x = malloc(MANY * sizeof(double)), sums[4] = {0};
    uint64_t bits = 7;

    normal_deviates(&bits, x, MANY - 1);
    normal_deviates(&bits, x + MANY - 1, 1);
    for (uint32_t i = 0; i < MANY; i++)
        for (int p = 0; p < 4; p++)
            sums[p] += pow(x[i], p + 1) / MANY;
    CHECK(fabs(sums[0]) < 5 * sqrt(1.0 / MANY) && fabs(sums[1] - 1) < 5 * sqrt(2.0 / MANY));
    CHECK(fabs(sums[2]) < 5 * sqrt(15.0 / MANY) && fabs(sums[3] - 3) < 5 * sqrt(96.0 / MANY));
    CHECK(kolmogorov(x, MANY, 1, &one, &zero, &one) < RARE);
    for (double u = 1e-12; u < 1; u *= 1.7)
        CHECK_NEAR(log_of_unit(u), log(u), 1e-15);
    free(x);
}

/* A covariance of rank 2 in three dimensions, and one of all zeros. */
static void test_root(Env *env)
{
    double packed[] = {4, 2, 1, 6, 3, 9}, zeros[6] = {0}, triangle[6];
    double back[3][3] = {{0}};

    semidefinite_root(env, triangle, packed, 3);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int j = 0; j <= (a < b ? a : b); j++)
                back[a][b] += triangle[triangle_at(3, (uint32_t)j) + a - j] * triangle[triangle_at(3, (uint32_t)j) + b - j];
    for (int b = 0; b < 3; b++)
        for (int a = 0; a <= b; a++)
            CHECK_NEAR(back[a][b], packed[factor_packed((size_t)b) + (size_t)a], 1e-15);
    CHECK(triangle[3] == 0 && triangle[4] == 0 && triangle[5] == 0);
    semidefinite_root(env, triangle, zeros, 3);
    for (int i = 0; i < 6; i++)
        CHECK(triangle[i] == 0);
}

/* ---- classifiers ---- */

/* n rows of two correlated numbers and a category of three levels, in three classes. */
static Model *labeled_state(Env *env, uint32_t n, bool category)
{
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = category ? 3 : 2, .kinds = kinds, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS});
    uint32_t position;
    uint64_t seed = 5;

    for (char c = 'a'; c < 'd'; c++)
        state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, &c, 1, false, 0, &position);
    for (char l = 'x'; l <= 'z' && category; l++)
        state = dictionary_add(env, state, DICTIONARY_LEVELS, 2, &l, 1, false, 0, &position);
    for (uint32_t i = 0; i < n; i++) {
        double class = i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2, shared = random_normal(&seed);
        double x[3] = {shared + 3 * class, 10 * shared * (1 + class) + random_normal(&seed), 0};

        x[2] = random_uniform(&seed) * (class + 1) > 0.7 ? 2 : random_uniform(&seed) > 0.5;
        state = state_add(env, state, x, NULL, class, 1);
    }
    return state;
}

/* Compares the marginal distributions, correlations and shares of classes of a sample with the model. */
static void check_classes(Env *env, const char *method, const char *options)
{
    const Model *model = fit_model(env, method, labeled_state(env, 600, false), options);
    RowSampler *sampler = row_sampler(env, model, 11, NULL, 0);
    uint32_t counts[3] = {0}, n = MANY / 5;
    double *x = malloc(2 * (size_t)n * sizeof(double)), chi = 0, products[3] = {0};
    bool qda = strcmp(method, "qda") == 0, bayes = strcmp(method, "naive_bayes") == 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t length;

        row_sampler_draw(sampler, env, i);
        counts[*row_sampler_label(sampler, &length) - 'a']++;
    }
    for (uint32_t c = 0; c < 3; c++) {
        double expected = n * array_at(model, "priors", c);

        chi += (counts[c] - expected) * (counts[c] - expected) / expected;
    }
    CHECK(chi_square_upper(chi, 2) > 0.001);
    for (uint32_t c = 0; c < 3; c++) {
        char label = (char)('a' + c);
        static const double one = 1;
        double mean[2], variance[2], covariance = 0;

        sampler = row_sampler(env, model, 12 + c, &label, 1);
        for (uint32_t j = 0; j < 2; j++) {
            uint32_t at = (qda ? 3 * c : 0) + 2 * j;
            mean[j] = array_at(model, "means", 2 * c + j);
            variance[j] = bayes ? array_at(model, "variances", 2 * c + j)
                                : array_at(model, qda ? "covariances" MODEL_PACKED : "covariance" MODEL_PACKED, at);
        }
        if (!bayes)
            covariance = array_at(model, qda ? "covariances" MODEL_PACKED : "covariance" MODEL_PACKED, (qda ? 3 * c : 0) + 1);
        products[c] = 0;
        for (uint32_t i = 0; i < n; i++) {
            const double *row = row_sampler_draw(sampler, env, i);
            x[i] = row[0];
            x[n + i] = row[1];
            products[c] += (row[0] - mean[0]) * (row[1] - mean[1]) / n;
        }
        /* the variance of a product of normal numbers: Isserlis */
        CHECK(fabs(products[c] - covariance) < 5 * sqrt((variance[0] * variance[1] + covariance * covariance) / n));
        for (uint32_t j = 0; j < 2; j++) {
            double deviation = sqrt(variance[j]);
            CHECK(kolmogorov(x + (size_t)j * n, n, 1, &one, &mean[j], &deviation) < RARE);
        }
    }
    free(x);
}

/* The levels of a category in each class, by a chi-square test. */
static void test_levels(Env *env)
{
    const Model *model = fit_model(env, "naive_bayes", labeled_state(env, 600, true), "{}");
    uint32_t n = 100000;

    for (uint32_t c = 0; c < 3; c++) {
        char label = (char)('a' + c);
        RowSampler *sampler = row_sampler(env, model, 3, &label, 1);
        double counts[3] = {0}, chi = 0;

        for (uint32_t i = 0; i < n; i++)
            counts[(uint32_t)row_sampler_draw(sampler, env, i)[2]]++;
        for (uint32_t l = 0; l < 3; l++) {
            double expected = n * array_at(model, "level_probabilities", 3 * c + l);
            chi += (counts[l] - expected) * (counts[l] - expected) / expected;
        }
        CHECK(chi_square_upper(chi, 2) > 0.001);
    }
}

/* ---- mixtures ---- */

/* Returns the variance of a feature in a component, as each form stores it. */
static double variance_of(const Model *model, const char *form, uint32_t component, uint32_t feature)
{
    uint32_t at = form[0] == 'f' ? 3 * component + 2 * feature : form[0] == 't' ? 2 * feature
                : form[0] == 'd' ? 2 * component + feature : component;

    return array_at(model, "covariances", at);
}

static void test_mixtures(Host *host)
{
    static const char *const forms[] = {"full", "tied", "diagonal", "spherical"};
    double *cloud = three_clouds(900, 2, 4), *x = malloc(2 * MANY * sizeof(double));
    Env *env = &host->env;

    for (uint32_t f = 0; f < 4; f++) {
        const char *options = env_message(env, "{\"k\":3,\"n_init\":1,\"covariance_type\":\"%s\"}", forms[f]);
        const Model *model = fit_rows(host, "gaussian_mixture", cloud, NULL, 900, 2, options, NULL);
        RowSampler *sampler = row_sampler(env, model, 21, NULL, 0);

        for (uint32_t i = 0; i < MANY; i++) {
            const double *row = row_sampler_draw(sampler, env, i);
            x[i] = row[0];
            x[MANY + i] = row[1];
        }
        for (uint32_t j = 0; j < 2; j++) {
            double weights[3], means[3], deviations[3], mean = 0, square = 0, total = 0, second = 0;

            for (uint32_t c = 0; c < 3; c++) {
                weights[c] = array_at(model, "weights", c);
                means[c] = array_at(model, "means", 2 * c + j);
                deviations[c] = sqrt(variance_of(model, forms[f], c, j));
                total += weights[c] * means[c];
                second += weights[c] * (means[c] * means[c] + deviations[c] * deviations[c]);
            }
            for (uint32_t i = 0; i < MANY; i++) {
                mean += x[(size_t)j * MANY + i] / MANY;
                square += x[(size_t)j * MANY + i] * x[(size_t)j * MANY + i] / MANY;
            }
            CHECK(fabs(mean - total) < 5 * sqrt((second - total * total) / MANY));
            CHECK(fabs(square - second) < 5 * sqrt(3 * second * second / MANY));
            CHECK(kolmogorov(x + (size_t)j * MANY, MANY, 3, weights, means, deviations) < RARE);
        }
    }
    free(x);
    free(cloud);
}

/* ---- streams, refusals ---- */

static void test_streams(Host *host)
{
    Env *env = &host->env;
    const Model *model = fit_model(env, "qda", labeled_state(env, 60, false), "{}");
    RowSampler *one = row_sampler(env, model, 1, NULL, 0), *same = row_sampler(env, model, 1, NULL, 0);
    RowSampler *other = row_sampler(env, model, 2, NULL, 0);
    uint32_t equal = 0;

    for (uint64_t i = 0; i < 100; i++) {
        double first = row_sampler_draw(one, env, i)[0];

        CHECK(row_sampler_draw(same, env, 99 - i)[0] == row_sampler_draw(same, env, 99 - i)[0]);
        CHECK(row_sampler_draw(same, env, i)[0] == first);
        equal += row_sampler_draw(other, env, i)[0] == first;
    }
    CHECK_INT(equal, 0);
    CHECK_FAILS(host, ERROR_PARAMETER, "no class \"d\"", row_sampler(env, model, 1, "d", 1));
    CHECK_FAILS(host, ERROR_KIND, "does not apply to moments", row_sampler(env, labeled_state(env, 6, false), 1, NULL, 0));
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 28;
    test_deviates();
    test_root(&host->env);
    check_classes(&host->env, "naive_bayes", "{}");
    check_classes(&host->env, "lda", "{}");
    check_classes(&host->env, "qda", "{}");
    test_levels(&host->env);
    test_mixtures(host);
    test_streams(host);
    host_free(host);
    return check_report();
}
