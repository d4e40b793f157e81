/*
 * test_reduction.c - principal components and the multivariate normal: properties, edges, forged models.
 */
#include "check.h"
#include "fit.h"

#include <stdlib.h>

static Model *rows_state(Env *env, const double *x, uint32_t rows, uint32_t d, const double *weights)
{
    Model *state = state_new(env, MODEL_FEATURE_MOMENTS, d, weights != NULL ? MODEL_WEIGHTED : 0);

    for (uint32_t i = 0; i < rows; i++)
        state = state_add(env, state, x + (size_t)i * d, NULL, 0, weights != NULL ? weights[i] : 1);
    return state;
}

/* rows x d numbers of unequal variance and some correlation. */
static double *make_rows(Env *env, uint32_t rows, uint32_t d, uint64_t seed)
{
    double *x = env_array(env, (size_t)rows * d, sizeof(double));

    for (uint32_t i = 0; i < rows; i++) {
        double common = random_normal(&seed);
        for (uint32_t j = 0; j < d; j++)
            x[(size_t)i * d + j] = (1 + 0.3 * j) * random_normal(&seed) + common * (j % 3) + 10 * j;
    }
    return x;
}

static double distance_of(const Model *model, const double *row)
{
    return estimator_of(model)->scoring->distance(model, NULL, row);
}

/* Scores of all rows have the variances that the model says, and are uncorrelated. */
static void check_scores(Env *env, const Model *model, const double *x, uint32_t rows, uint32_t d)
{
    uint32_t k = estimator_of(model)->scoring->width(model);
    double *scores = env_array(env, (size_t)rows * k, sizeof(double)), sum = 0;

    for (uint32_t i = 0; i < rows; i++) {
        double distance = distance_of(model, x + (size_t)i * d);
        estimator_of(model)->scoring->transform(model, NULL, x + (size_t)i * d, scores + (size_t)i * k);
        sum += distance * distance / rows;
    }
    for (uint32_t a = 0; a < k; a++)
        for (uint32_t b = 0; b <= a; b++) {
            double product = 0;
            for (uint32_t i = 0; i < rows; i++)
                product += scores[(size_t)i * k + a] * scores[(size_t)i * k + b] / rows;
            CHECK_NEAR(product / array_at(model, "variances", 0),
                       a == b ? array_at(model, "variances", a) / array_at(model, "variances", 0) : 0, 1e-11);
        }
    /* the mean squared reconstruction error is the sum of the dropped eigenvalues */
    CHECK_NEAR(sum, fact_of(env, model, "residual_variance"), 1e-10);
}

static void test_pca(Env *env)
{
    static const uint32_t widths[] = {1, 2, 7, 30, 45, 120};

    for (int w = 0; w < 6; w++) {
        uint32_t d = widths[w], rows = 3 * d + 20;
        double *x = make_rows(env, rows, d, d), back[120], scores[120];
        Model *state = rows_state(env, x, rows, d, NULL), *model;
        char options[64];
        snprintf(options, sizeof(options), "{\"k\": %u}", (d + 2) / 3);
        model = fit_model(env, "pca", state, options);
        check_scores(env, model, x, rows, d);
        CHECK(model_check(env, model, model->size) == NULL);
        model = fit_model(env, "pca", state, "{}");
        check_scores(env, model, x, rows, d);
        CHECK_INT(fact_of(env, model, "rank"), d);
        /* full rank: there and back */
        estimator_of(model)->scoring->transform(model, NULL, x, scores);
        estimator_of(model)->scoring->inverse(model, scores, back);
        for (uint32_t j = 0; j < d; j++)
            CHECK_NEAR(back[j], x[j], 1e-11);
        model = fit_model(env, "pca", state, "{\"whiten\": true, \"standardize\": true, \"ddof\": 1}");
        estimator_of(model)->scoring->transform(model, NULL, x + d, scores);
        estimator_of(model)->scoring->inverse(model, scores, back);
        for (uint32_t j = 0; j < d; j++)
            CHECK_NEAR(back[j], x[d + j], 1e-11);
        CHECK_NEAR(model_fact(model, "total_variance", NAN), d, 1e-12);
        env->release(env, state);
    }
}

/* Rotated and moved rows have the same variances, and scores up to sign. */
static void test_rotation(Env *env)
{
    enum { D = 4, N = 60 };
    double *x = make_rows(env, N, D, 9), y[N * D], a[D], b[D], c = cos(0.7), s = sin(0.7);
    Model *first, *second;

    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < D; j += 2) {
            y[i * D + j] = c * x[i * D + j] - s * x[i * D + j + 1] + 1e6;
            y[i * D + j + 1] = s * x[i * D + j] + c * x[i * D + j + 1] - 1e5;
        }
    first = fit_model(env, "pca", rows_state(env, x, N, D, NULL), "{}");
    second = fit_model(env, "pca", rows_state(env, y, N, D, NULL), "{}");
    for (uint32_t i = 0; i < D; i++)
        CHECK_NEAR(array_at(first, "variances", i), array_at(second, "variances", i), 1e-9);
    for (uint32_t i = 0; i < N; i++) {
        estimator_of(first)->scoring->transform(first, NULL, x + i * D, a);
        estimator_of(second)->scoring->transform(second, NULL, y + i * D, b);
        for (uint32_t j = 0; j < D; j++)
            CHECK_NEAR(fabs(a[j]), fabs(b[j]), 1e-8);
    }
}

/* An offset of 1e9, weights against repeated rows, 13 parts against the whole. */
static void test_moments(Env *env)
{
    enum { D = 6, N = 130 };
    double *x = make_rows(env, N, D, 3), *far = make_rows(env, N, D, 3), weights[N], *repeated;
    Model *whole = rows_state(env, x, N, D, NULL), *merged = NULL, *a, *b;
    uint32_t count = 0;

    for (uint32_t i = 0; i < N * D; i++)
        far[i] = x[i] + 1e9;
    a = fit_model(env, "pca", whole, "{}");
    b = fit_model(env, "pca", rows_state(env, far, N, D, NULL), "{}");
    for (uint32_t i = 0; i < D; i++)
        CHECK_NEAR(array_at(a, "variances", i), array_at(b, "variances", i), 1e-6);

    for (uint32_t part = 0; part < 13; part++) {
        Model *own = model_again(env, moments_finish(env, rows_state(env, x + part * 10 * D, 10, D, NULL)));
        merged = merged == NULL ? own : state_merge(env, merged, own);
    }
    b = fit_model(env, "pca", merged, "{}");
    for (uint32_t i = 0; i < D * D; i++)
        CHECK_NEAR(array_at(a, "components", i), array_at(b, "components", i), 1e-12);
    a = fit_model(env, "multivariate_normal", whole, "{}");
    b = fit_model(env, "multivariate_normal", merged, "{}");
    for (uint32_t i = 0; i < D * (D + 1) / 2; i++)
        CHECK_NEAR(array_at(a, "covariance_packed", i), array_at(b, "covariance_packed", i), 1e-12);

    repeated = env_array(env, 4 * N * D, sizeof(double));
    for (uint32_t i = 0; i < N; i++) {
        weights[i] = 1 + i % 4;
        for (uint32_t r = 0; r < 1 + i % 4; r++)
            memcpy(repeated + D * count++, x + i * D, D * sizeof(double));
    }
    a = fit_model(env, "pca", rows_state(env, x, N, D, weights), "{}");
    b = fit_model(env, "pca", rows_state(env, repeated, count, D, NULL), "{}");
    for (uint32_t i = 0; i < D * D; i++)
        CHECK_NEAR(array_at(a, "components", i), array_at(b, "components", i), 1e-11);
}

static void test_pca_edges(Host *host)
{
    Env *env = &host->env;
    static const double same[] = {1, 2, 1, 2, 1, 2}, few[] = {1, 2, 3, 4, 5, 7, 1, 1};
    static const double large[] = {1e200, 1, -1e200, 2};
    Model *state = rows_state(env, same, 3, 2, NULL), *model = fit_model(env, "pca", state, "{}");
    double row[] = {4, 6}, out[4];

    CHECK_INT(estimator_of(model)->scoring->width(model), 0);
    CHECK_HOLDS(host->warning, "all rows are equal");
    CHECK_NEAR(distance_of(model, row), 5, 1e-15);
    CHECK(model_check(env, model, model->size) == NULL);
    model = model_again(env, model);
    estimator_of(model)->scoring->inverse(model, NULL, out);
    CHECK(out[0] == 1 && out[1] == 2);
    model = fit_model(env, "pca", state, "{\"standardize\": true}"); /* constant features count as of scale 1 */
    CHECK_INT(estimator_of(model)->scoring->width(model), 0);
    CHECK_FAILS(host, ERROR_DATA, "k is 3, but the features have only 2", fit_model(env, "pca", state, "{\"k\": 3}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "both set",
                fit_model(env, "pca", state, "{\"k\": 1, \"explained\": 0.5}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "k", fit_model(env, "pca", state, "{\"k\": 0}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "explained", fit_model(env, "pca", state, "{\"explained\": 0}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "explained", fit_model(env, "pca", state, "{\"explained\": 1.5}"));
    CHECK(fit_model(env, "pca", state_new(env, MODEL_FEATURE_MOMENTS, 2, 0), "{}") == NULL);

    /* two rows of four features span one dimension */
    host->warnings = 0;
    model = fit_model(env, "pca", rows_state(env, few, 2, 4, NULL), "{\"k\": 3}");
    CHECK_INT(estimator_of(model)->scoring->width(model), 1);
    CHECK_HOLDS(host->warning, "1 component instead of 3");
    model = fit_model(env, "pca", rows_state(env, few, 2, 4, NULL), "{\"explained\": 1}");
    CHECK_INT(estimator_of(model)->scoring->width(model), 1);
    CHECK_INT(host->warnings, 1);
    model = fit_model(env, "pca", rows_state(env, few, 4, 2, NULL), "{\"explained\": 0.5}");
    CHECK_INT(estimator_of(model)->scoring->width(model), 1);
    CHECK_FAILS(host, ERROR_RANGE, "too large", fit_model(env, "pca", rows_state(env, large, 2, 2, NULL), "{}"));
}

static void test_normal(Host *host)
{
    Env *env = &host->env;
    /* mean +- sqrt(2) columns of the Cholesky factor of [[2, .6], [.6, 1]]: that covariance exactly */
    double l11 = sqrt(2), l21 = 0.6 / sqrt(2), l22 = sqrt(1 - 0.18), r = sqrt(2);
    double x[] = {1 + r * l11, -1 + r * l21, 1 - r * l11, -1 - r * l21, 1, -1 + r * l22, 1, -1 - r * l22};
    double at[] = {0, 0, 1, -1, 3, 2}, expected[] = {-3.36571299220545, -2.0852251873274, -6.59742030927862};
    double squares[] = {2.5609756097561, 0, 9.02439024390244};
    static const double same[] = {1, 2, 1, 2, 1, 2}, line[] = {1, 2, 2, 4, 3, 6, 5, 10};
    Model *state = rows_state(env, x, 4, 2, NULL), *model = fit_model(env, "multivariate_normal", state, "{}");
    const Scoring *scoring = estimator_of(model)->scoring;
    size_t bytes;
    void *prepared = scoring->prepare(env, model, &bytes);

    for (int i = 0; i < 3; i++) {
        double decision, distance = scoring->distance(model, prepared, at + 2 * i);
        scoring->decisions(model, prepared, at + 2 * i, &decision);
        CHECK_NEAR(decision, expected[i], 1e-12);
        CHECK_NEAR(distance * distance, squares[i], 1e-12);
        CHECK_NEAR(scoring->tail(model, prepared, at + 2 * i), exp(-squares[i] / 2), 1e-12);
    }
    CHECK_NEAR(fact_of(env, model, "log_determinant"), log(2 - 0.36), 1e-12);
    CHECK(model_check(env, model, model->size) == NULL);

    CHECK_FAILS(host, ERROR_DATA, "more rows than columns",
                fit_model(env, "multivariate_normal", rows_state(env, x, 2, 2, NULL), "{}"));
    CHECK(fit_model(env, "multivariate_normal", rows_state(env, x, 1, 2, NULL),
                    "{\"too_few_rows\": \"null\"}") == NULL);
    CHECK_FAILS(host, ERROR_DATA, "\"f1\" is constant",
                fit_model(env, "multivariate_normal", rows_state(env, same, 3, 2, NULL), "{}"));
    CHECK_FAILS(host, ERROR_DATA, "\"f2\" depends linearly",
                fit_model(env, "multivariate_normal", rows_state(env, line, 4, 2, NULL), "{}"));
    CHECK_FAILS(host, ERROR_DATA, "constant",
                fit_model(env, "multivariate_normal", rows_state(env, same, 3, 2, NULL), "{\"shrinkage\": 1}"));
    model = fit_model(env, "multivariate_normal", rows_state(env, same, 3, 2, NULL), "{\"regularization\": 4}");
    prepared = scoring->prepare(env, model, &bytes);
    CHECK_NEAR(scoring->distance(model, prepared, at), sqrt(5) / 2, 1e-14);
    model = fit_model(env, "multivariate_normal", rows_state(env, line, 1, 2, NULL), "{\"regularization\": 1}");
    CHECK_NEAR(array_at(model, "covariance_packed", 1), 0, 0);
    model = fit_model(env, "multivariate_normal", rows_state(env, line, 4, 2, NULL), "{\"shrinkage\": 0.5}");
    CHECK(model_check(env, model, model->size) == NULL);
    model = fit_model(env, "multivariate_normal", rows_state(env, line, 4, 2, NULL), "{\"shrinkage\": \"oas\"}");
    CHECK(model_fact(model, "shrinkage", NAN) > 0 && model_fact(model, "shrinkage", NAN) <= 1);
    CHECK_FAILS(host, ERROR_PARAMETER, "shrinkage",
                fit_model(env, "multivariate_normal", state, "{\"shrinkage\": 2}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "regularization",
                fit_model(env, "multivariate_normal", state, "{\"regularization\": -1}"));
}

/* Is this text refused, with these words? */
static void check_refused(Host *host, const char *text, const char *words)
{
    CHECK_FAILS(host, ERROR_TEXT, words, model_from_text(&host->env, text, strlen(text)));
}

#define HEAD(name)                                                                                 \
    "{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"" name "\",\"slots\":2,\"fields\":2," \
    "\"rows\":3,\"skipped\":0,\"weight\":3,\"arrays\":{"

static void test_forged(Host *host)
{
    static const char not_positive[] = HEAD("multivariate_normal") "\"means\":[0,0],\"covariance_packed\":[1,2,1]}}";

    check_refused(host, HEAD("pca") "\"means\":[0,0],\"variances\":[1]}}", "needs the array \"components\" of f64[any x 2]");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0,0],\"shape\":[1,3]},\"means\":[0,0,0],"
                                    "\"variances\":[1]}}", "\"components\" of pca is f64[1 x 3], not f64[1 x 2]");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0],"
                                    "\"variances\":[1]}}", "\"means\" of pca is f64[1], not f64[2]");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0,\"NaN\"],"
                                    "\"variances\":[1]}}", "");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0,0],"
                                    "\"variances\":[1],\"whitening\":[0]}}", "is 0, not a positive finite number");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0,0],"
                                    "\"variances\":[1],\"scale\":[1,-1]}}", "is -1, not a positive finite number");
    check_refused(host, HEAD("pca") "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0,0],"
                                    "\"variances\":[1],\"other\":[1,1]}}", "does not belong");
    check_refused(host, HEAD("pca") "\"column_slot\":{\"i64\":[0,9]},\"column_level\":{\"i64\":[-1,-1]},"
                                    "\"components\":{\"f64\":[1,0],\"shape\":[1,2]},\"means\":[0,0],"
                                    "\"variances\":[1]}}", "is 9, not the number of a slot");
    check_refused(host, HEAD("multivariate_normal") "\"means\":[0,0],\"covariance_packed\":[1,2]}}", "is f64[2], not f64[3]");
    check_refused(host, HEAD("multivariate_normal") "\"covariance_packed\":[1,2,1]}}", "needs the array \"means\"");
    check_refused(host, not_positive, "not positive definite");
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 30;
    test_pca(&host->env);
    test_rotation(&host->env);
    test_moments(&host->env);
    test_pca_edges(host);
    test_normal(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
