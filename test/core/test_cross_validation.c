/* test_cross_validation.c - folds and scores of cross-validation over rows in memory, and hashes of keys. */
#include "check.h"
#include "fit.h"
#include "core/validation/cross_validation.h"
#include "core/validation/key_fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 200

/* Returns the mean of a metric over the folds. */
static double mean_of(Env *env, Rows *rows, const char *estimator, const char *json, uint32_t *folds)
{
    const Estimator *judged = validation_estimator(env, estimator, strlen(estimator));
    ValidationOptions options = validation_options(env, judged, json, strlen(json));
    CrossValidation *validation = cross_validation_open(env, rows, judged, &options);
    FoldScore *scores;
    uint32_t count;

    for (uint32_t step = 0; step < cross_validation_steps(validation); step++)
        cross_validation_run(env, validation, step);
    scores = cross_validation_scores(env, validation, &count);
    for (*folds = 0; !isnan(scores[*folds].fold); ++*folds)
        ;
    CHECK(count % (*folds + 1) == 0);
    CHECK(isnan(scores[*folds].fold) && scores[*folds].rows == ROWS);
    return scores[*folds].value;
}

/* Candidates have the scores that they have alone, however many of them the memory allows at a time. */
static void test_candidates(Env *env)
{
    static const char *const methods[] = {"ridge_regression", "tree_regression"};
    static const char *const together[] = {"{\"metrics\":\"rmse\",\"candidates\":[{\"lambda\":0.5},{\"lambda\":4},{\"lambda\":60}]}",
                                           "{\"metrics\":\"rmse\",\"candidates\":[{\"max_depth\":1},{\"max_depth\":2},{\"max_depth\":4}]}"};
    static const char *const alone[][3] = {
        {"{\"metrics\":\"rmse\",\"options\":{\"lambda\":0.5}}", "{\"metrics\":\"rmse\",\"options\":{\"lambda\":4}}", "{\"metrics\":\"rmse\",\"options\":{\"lambda\":60}}"},
        {"{\"metrics\":\"rmse\",\"options\":{\"max_depth\":1}}", "{\"metrics\":\"rmse\",\"options\":{\"max_depth\":2}}", "{\"metrics\":\"rmse\",\"options\":{\"max_depth\":4}}"}};
    size_t memory = env->memory_limit;
    uint64_t seed = 11;
    double *x = malloc(ROWS * 2 * sizeof(double)), *y = malloc(ROWS * sizeof(double));

    for (uint32_t i = 0; i < ROWS; i++) {
        x[2 * i] = random_normal(&seed);
        x[2 * i + 1] = random_normal(&seed);
        y[i] = x[2 * i] + random_normal(&seed);
    }
    for (uint32_t m = 0; m < 2; m++)
        for (int little = 0; little < (m == 0 ? 2 : 1); little++) {
            Rows *rows = target_rows(env, x, y, NULL, NULL, ROWS, 2, 0);
            const Estimator *judged = validation_estimator(env, methods[m], strlen(methods[m]));
            ValidationOptions options = validation_options(env, judged, together[m], strlen(together[m]));
            CrossValidation *validation;
            FoldScore *scores;
            uint32_t count, folds;

            env->memory_limit = little ? 20000 : memory;
            validation = cross_validation_open(env, rows, judged, &options);
            CHECK(cross_validation_steps(validation) == (m == 1 || little ? 15 : 5));
            for (uint32_t step = 0; step < cross_validation_steps(validation); step++)
                cross_validation_run(env, validation, step);
            scores = cross_validation_scores(env, validation, &count);
            env->memory_limit = memory;
            CHECK(count == 18);
            for (uint32_t c = 0; c < 3; c++)
                CHECK(scores[6 * c + 5].value == mean_of(env, rows, methods[m], alone[m][c], &folds));
        }
    free(x);
    free(y);
}

static void test_methods(Env *env)
{
    static const char *const regressions[] = {"linear_regression", "ridge_regression", "tree_regression", "knn_regression"};
    static const char *const classifiers[] = {"lda", "logistic_regression", "knn_classifier", "naive_bayes"};
    uint64_t seed = 7;
    double *x = malloc(ROWS * 2 * sizeof(double)), *y = malloc(ROWS * sizeof(double)), *classes = malloc(ROWS * sizeof(double));
    uint32_t folds;

    for (uint32_t i = 0; i < ROWS; i++) {
        x[2 * i] = random_normal(&seed);
        x[2 * i + 1] = random_normal(&seed);
        y[i] = x[2 * i] - x[2 * i + 1] + 0.1 * random_normal(&seed);
        classes[i] = y[i] > 0.2;
    }
    for (int m = 0; m < 4; m++) {
        CHECK(mean_of(env, target_rows(env, x, y, NULL, NULL, ROWS, 2, 0), regressions[m], "{\"metrics\": \"rmse\"}", &folds) < 1);
        CHECK(folds == 5);
        CHECK(mean_of(env, target_rows(env, x, classes, NULL, NULL, ROWS, 2, 2), classifiers[m],
                      "{\"metrics\": [\"accuracy\", \"roc_auc\", \"f1_score\", \"log_loss\"], \"stratified\": true, \"folds\": 7, \"min_probability\": 1e-9}",
                      &folds) > 0.8);
        CHECK(folds == 7);
    }
    CHECK(mean_of(env, target_rows(env, x, classes, NULL, NULL, ROWS, 2, 2), "logistic_regression",
                  "{\"metrics\": \"accuracy\", \"options\": {\"lambda\": \"cv\", \"path\": 5, \"folds\": 3}}", &folds) > 0.8);
    CHECK(mean_of(env, number_rows(env, x, NULL, NULL, ROWS, 2), "kmeans", "{\"options\": {\"k\": 2}}", &folds) > 0);
    free(x);
    free(y);
    free(classes);
}

static void test_keys(void)
{
    uint32_t counts[10] = {0};
    char key[16];

    for (int i = 0; i < 100000; i++) {
        int length = snprintf(key, sizeof key, "%d", i);

        counts[key_fold(key_hash(KEY_FOLD, 0, key, (size_t)length), 10) - 1]++;
    }
    for (int k = 0; k < 10; k++)
        CHECK(abs((int)counts[k] - 10000) < 400);
    CHECK(key_fold(UINT64_MAX, 7) == 7 && key_fold(0, 7) == 1);
    CHECK(key_unit(UINT64_MAX) < 1 && key_unit(0) == 0);
    CHECK(key_hash(KEY_FOLD, 0, "a", 1) != key_hash(KEY_SPLIT, 0, "a", 1) && key_hash(KEY_FOLD, 0, "a", 1) != key_hash(KEY_FOLD, 1, "a", 1));
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = 1 << 28;
    test_methods(&host->env);
    test_candidates(&host->env);
    test_keys();
    host_free(host);
    return check_report();
}
