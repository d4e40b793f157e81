/*
 * test_kernel_ridge.c - leave-one-out errors against fits without each row, by factors and by eigenvalues; models of kernel methods
 * whose arrays are not what they claim.
 */
#include "check.h"
#include "fit.h"
#include "core/estimator/table.h"
#include "core/kernel_methods/kernel_ridge_folds.h"
#include "core/kernel_methods/kernel_ridge_solve.h"

#include <stdlib.h>

enum { N = 14 };

/* A Gram matrix of N rows. */
static void make_gram(double *gram, uint64_t seed)
{
    double x[N];

    for (int i = 0; i < N; i++)
        x[i] = 2 * random_normal(&seed);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            gram[i * N + j] = exp(-0.3 * (x[i] - x[j]) * (x[i] - x[j]));
}

/* Returns the squared residuals, by weight, of fold k in the fit to the other rows, or to those of the folds before it. */
static double refit_fold(Env *env, const KernelRidge *all, const uint32_t *fold, uint32_t k, bool expanding, double lambda)
{
    double gram[N * N], targets[N], weights[N], sum = 0;
    int places[N], n = 0;
    KernelRidge some = *all;
    KernelRidgeFit fit;

    for (int i = 0; i < N; i++)
        if (expanding ? fold[i] < k : fold[i] != k)
            places[n++] = i;
    for (int i = 0; i < n; i++) {
        targets[i] = all->targets[places[i]];
        weights[i] = row_weight(all->weights, (uint64_t)places[i]);
        for (int j = 0; j < n; j++)
            gram[i * n + j] = all->gram[places[i] * N + places[j]];
    }
    some.n = (uint32_t)n;
    some.gram = gram;
    some.targets = targets;
    some.weights = weights;
    fit = kernel_ridge_fit(&some, lambda, false, false);
    for (int out = 0; out < N; out++) {
        double residual = all->targets[out] - fit.intercept;

        for (int i = 0; i < n; i++)
            residual -= fit.multipliers[i] * all->gram[out * N + places[i]];
        sum += fold[out] == k ? row_weight(all->weights, (uint64_t)out) * residual * residual : 0;
    }
    return sum;
}

/* Folds of one to several rows, in any order of arrival, against refits. */
static void test_folds(Env *env, bool intercept, bool weighted, bool expanding, uint64_t seed)
{
    double gram[N * N], targets[N], weights[N], lambdas[] = {3, 0.1, 1e-3}, errors[3];
    KernelRidge ridge = {.env = env, .n = N, .gram = gram, .targets = targets, .weights = weighted ? weights : NULL, .intercept = intercept};
    uint32_t fold[N], order[N], first[5] = {0}, at = 0;
    RidgeFolds folds = {.count = 4, .order = order, .first = first, .expanding = expanding};

    make_gram(gram, seed);
    for (uint32_t i = 0; i < N; i++) {
        targets[i] = 10 + random_normal(&seed);
        weights[i] = 0.5 + random_uniform(&seed);
        fold[i] = i < 4 ? i : (uint32_t)(4 * random_uniform(&seed));
    }
    for (uint32_t k = 0; k < 4; first[++k] = at)
        for (uint32_t i = 0; i < N; i++)
            if (fold[i] == k)
                order[at++] = i;
    kernel_ridge_fold_errors(&ridge, &folds, lambdas, 3, errors);
    for (int l = 0; l < 3; l++) {
        double sum = 0, weight = 0;

        for (uint32_t k = expanding; k < 4; k++)
            sum += refit_fold(env, &ridge, fold, k, expanding, lambdas[l]);
        for (uint32_t i = 0; i < N; i++)
            weight += expanding && fold[i] == 0 ? 0 : row_weight(ridge.weights, i);
        CHECK_NEAR(errors[l] / (sum / weight), 1, 1e-9);
    }
}

/* Returns the residual of row `out` in the fit with `part` of its weight left out. */
static double refit(Env *env, const KernelRidge *all, double lambda, int out, double part)
{
    double gram[N * N], targets[N], weights[N], prediction;
    bool whole = part >= all->weights[out];
    int places[N], n = 0;
    KernelRidge some = *all;
    KernelRidgeFit fit;

    for (int i = 0; i < N; i++)
        if (!(whole && i == out))
            places[n++] = i;
    for (int i = 0; i < n; i++) {
        targets[i] = all->targets[places[i]];
        weights[i] = all->weights[places[i]] - (places[i] == out ? part : 0);
        for (int j = 0; j < n; j++)
            gram[i * n + j] = all->gram[places[i] * N + places[j]];
    }
    some.n = (uint32_t)n;
    some.gram = gram;
    some.targets = targets;
    some.weights = weights;
    fit = kernel_ridge_fit(&some, lambda, false, false);
    prediction = fit.intercept;
    for (int i = 0; i < n; i++)
        prediction += fit.multipliers[i] * all->gram[out * N + places[i]];
    return all->targets[out] - prediction;
}

static void test_left_out(Env *env, bool intercept, bool counts)
{
    double gram[N * N], targets[N], weights[N], lambdas[] = {3, 0.1, 1e-4}, errors[3];
    KernelRidge ridge = {.env = env, .n = N, .gram = gram, .targets = targets, .weights = weights, .intercept = intercept, .counts = counts};
    uint64_t seed = 7;

    make_gram(gram, 3);
    for (int i = 0; i < N; i++) {
        targets[i] = 100 + random_normal(&seed);
        weights[i] = counts ? 1 + i % 3 : 0.5 + random_uniform(&seed);
    }
    kernel_ridge_errors(&ridge, lambdas, 3, errors);
    for (int l = 0; l < 3; l++) {
        KernelRidgeFit fit = kernel_ridge_fit(&ridge, lambdas[l], true, false);

        CHECK(fit.solved);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(fit.residuals[i], refit(env, &ridge, lambdas[l], i, counts ? 1 : weights[i]), 1e-7);
        CHECK_NEAR(errors[l] / fit.loo_mse, 1, 1e-9);
        CHECK(fit.df > 0 && fit.df < N + 1e-9);
    }
}

/* More rows than one eigendecomposition is used for: factors of each lambda give the same as without weights. */
static void test_many_rows(Env *env)
{
    enum { MANY = 1100 };
    double *gram = env_array(env, (size_t)MANY * MANY, sizeof(double)), *targets = env_array(env, MANY, sizeof(double));
    double *ones = env_array(env, MANY, sizeof(double)), lambdas[] = {1, 0.01}, plain[2], weighted[2];
    KernelRidge ridge = {.env = env, .n = MANY, .gram = gram, .targets = targets};

    for (int i = 0; i < MANY; i++) {
        targets[i] = sin(i * 0.01);
        ones[i] = 1;
        for (int j = 0; j < MANY; j++)
            gram[(size_t)i * MANY + j] = exp(-1e-3 * (i - j) * (i - j));
    }
    kernel_ridge_errors(&ridge, lambdas, 2, plain);
    ridge.weights = ones;
    kernel_ridge_errors(&ridge, lambdas, 2, weighted);
    CHECK_NEAR(plain[0], weighted[0], 1e-12);
    CHECK_NEAR(plain[1], weighted[1], 1e-12);
    CHECK(plain[1] < plain[0]);
}

/* A matrix with a negative eigenvalue is refused where lambda does not make up for it. */
static void test_indefinite(Env *env)
{
    double gram[] = {0, 1, 1, 0}, targets[] = {1, 2}, lambdas[] = {2, 0.5}, errors[2];
    KernelRidge ridge = {.env = env, .n = 2, .gram = gram, .targets = targets};

    CHECK(kernel_ridge_fit(&ridge, 2, false, false).solved);
    CHECK(!kernel_ridge_fit(&ridge, 0.5, false, false).solved);
    kernel_ridge_errors(&ridge, lambdas, 2, errors);
    CHECK(isfinite(errors[0]) && isinf(errors[1]));
}

/* ---- forged models ---- */

/* Scores rows by a model in every way that it has. */
static void score(Env *env, const Estimator *estimator, const Model *model)
{
    const Scoring *scoring = estimator->scoring;
    bool prepares = scoring->prepare != NULL && (scoring->prepares == NULL || scoring->prepares(model));
    size_t bytes;
    void *prepared = prepares ? scoring->prepare(env, model, &bytes) : NULL;
    uint32_t width = scoring->width != NULL ? scoring->width(model) : 1;
    double *out = env_array(env, (size_t)width + 1, sizeof(double)), slots[] = {0.3, -2};

    if (scoring->predict != NULL)
        scoring->predict(model, prepared, slots);
    if (scoring->classify != NULL)
        scoring->classify(model, prepared, slots);
    if (scoring->decisions != NULL)
        scoring->decisions(model, prepared, slots, out);
    if (scoring->transform != NULL)
        scoring->transform(model, prepared, slots, out);
    if (scoring->distance != NULL && (scoring->has_distance == NULL || scoring->has_distance(model)))
        scoring->distance(model, prepared, slots);
    if (scoring->inverse != NULL && scoring->inverse_width(model) > 0)
        scoring->inverse(model, out, env_array(env, scoring->inverse_width(model), sizeof(double)));
    for (const Table *const *table = estimator->tables; table != NULL && *table != NULL; table++) {
        uint64_t rows;

        (*table)->open(env, model, &rows);
    }
}

static void test_forged(Host *host, const char *name, uint32_t classes, const char *options)
{
    Env *env = &host->env;
    const Estimator *estimator = estimator_find(name);
    double x[40], targets[20];
    uint64_t seed = 5;
    uint32_t readable = 0;
    const Model *model;

    for (int i = 0; i < 20; i++) {
        x[2 * i] = random_normal(&seed);
        x[2 * i + 1] = random_normal(&seed) + (i % 2);
        targets[i] = classes > 0 ? i % (int)classes : x[2 * i] * x[2 * i + 1];
    }
    model = rows_model(env, estimator, estimator->supervised ? target_rows(env, x, targets, NULL, NULL, 20, 2, classes)
                                                             : number_rows(env, x, NULL, NULL, 20, 2), options);
    score(env, estimator, model);
    for (int trial = 0; trial < 3000; trial++) {
        Model *forged = env->alloc(env, model->size);

        memcpy(forged, model, model->size);
        if (!forge_array(&seed, forged, 1 + trial % 5))
            continue;
        model_seal(env, forged);
        if (model_check(env, forged, forged->size) == NULL) {
            score(env, estimator, forged);
            readable++;
        }
        env->release(env, forged);
    }
    check_that(readable > 0, __FILE__, __LINE__, "no forged model of %s passed", name);
}

int main(void)
{
    Host *host = host_new();
    Env *env = &host->env;

    test_left_out(env, false, false);
    test_left_out(env, true, false);
    test_left_out(env, true, true);
    test_left_out(env, false, true);
    for (uint64_t seed = 1; seed <= 200; seed++)
        test_folds(env, seed & 1, seed & 2, seed & 4, seed);
    test_many_rows(env);
    test_indefinite(env);
    test_forged(host, "kernel_ridge", 0, "{\"lambda\": [0.1, 1], \"gamma\": [1, 2], \"loo\": true, \"intercept\": true}");
    test_forged(host, "kernel_pca", 0, "{\"k\": 3, \"preimages\": true, \"standardize\": true}");
    test_forged(host, "perceptron", 2, "{\"kernel\": \"rbf\", \"averaged\": \"voted\", \"max_iter\": 9}");
    test_forged(host, "perceptron", 3, "{\"kernel\": \"polynomial\", \"multiclass\": \"ecoc\", \"max_iter\": 1, \"mistakes\": true}");
    host_free(host);
    return check_report();
}
