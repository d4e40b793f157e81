/*
 * instructions.c - hot paths of the core, small enough to be counted instruction by instruction: bench/instructions runs one at a time under
 * valgrind and counts what happens within measured(). Without an argument it lists the names.
 */
#include "core/model/schema.h"
#include "../test/core/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Input { MOMENTS, NUMBERS, TARGETS, CLASSES } Input;

typedef struct Path {
    const char *name, *estimator, *options;
    Input input;
    uint32_t rows, features;
    bool scores; /* the fit is preparation: what is measured are the scores of the rows */
} Path;

static const Path paths[] = {
    {"moments", "linear_regression", "{}", MOMENTS, 20000, 10, false},
    {"linear_score", "linear_regression", "{}", MOMENTS, 20000, 10, true},
    {"lasso_path", "lasso_regression", "{\"lambda\": \"path\"}", MOMENTS, 1000, 50, false},
    {"logistic", "logistic_regression", "{\"lambda\": 0.5}", CLASSES, 10000, 10, false},
    {"svm_rbf", "svm_classifier", "{\"kernel\": \"rbf\", \"gamma\": 0.1}", CLASSES, 1000, 10, false},
    {"kmeans", "kmeans", "{\"k\": 10, \"n_init\": 1}", NUMBERS, 5000, 8, false},
    {"gaussian_mixture", "gaussian_mixture", "{\"k\": 5, \"n_init\": 1, \"max_iter\": 5, \"tolerance\": 0}", NUMBERS, 2000, 5, false},
    {"hierarchical", "hierarchical", "{\"linkage\": \"average\"}", NUMBERS, 1000, 10, false},
    {"dbscan", "dbscan", "{\"radius\": 2, \"min_samples\": 10}", NUMBERS, 3000, 8, false},
    {"forest", "forest_classifier", "{\"n_trees\": 10, \"oob\": false}", CLASSES, 2000, 10, false},
    {"boosted_trees", "boosted_trees_regression", "{\"n_trees\": 20}", TARGETS, 5000, 10, false},
    {"boosted_trees_score", "boosted_trees_regression", "{\"n_trees\": 100}", TARGETS, 2000, 10, true},
};

typedef struct Work {
    const Path *path;
    Host *host;
    double *x, *y; /* [rows x features], [rows] */
    const Model *model;
    double sum;
} Work;

static void make_rows(Work *work)
{
    uint32_t n = work->path->rows, d = work->path->features;
    uint64_t seed = 1;

    work->x = three_clouds(n, d, 2);
    work->y = malloc(n * sizeof(double));
    for (uint32_t i = 0; i < n; i++) {
        const double *row = work->x + (size_t)i * d;
        double value = row[0] - 2 * row[1] + row[2] * row[3] / 5 + 3 * random_normal(&seed);

        work->y[i] = work->path->input == CLASSES ? value > 0 : value;
    }
}

static const Model *fit(Work *work)
{
    const Path *path = work->path;
    Env *env = &work->host->env;
    Rows *rows;

    if (path->input == MOMENTS)
        return fit_model(env, path->estimator, state_rows(env, work->x, work->y, NULL, path->features, NULL, 0, path->rows), path->options);
    if (path->input == NUMBERS)
        return fit_rows(work->host, path->estimator, work->x, NULL, path->rows, path->features, path->options, NULL);
    rows = target_rows(env, work->x, work->y, NULL, NULL, path->rows, path->features, path->input == CLASSES ? 2 : 0);
    return rows_model(env, estimator_find(path->estimator), rows, path->options);
}

/* Does the work of a path. valgrind finds it by its name. */
__attribute__((noinline)) void measured(Work *work)
{
    const Scoring *scoring;
    const void *prepared = NULL;
    size_t bytes;

    if (!work->path->scores) {
        work->model = fit(work);
        return;
    }
    scoring = estimator_of(work->model)->scoring;
    if (scoring->prepare != NULL)
        prepared = scoring->prepare(&work->host->env, work->model, &bytes);
    for (uint32_t i = 0; i < work->path->rows; i++)
        work->sum += scoring_predict(scoring, work->model, prepared, work->x + (size_t)i * work->path->features, 0);
}

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        Work work = {.path = &paths[i]};

        if (count < 2)
            puts(paths[i].name);
        if (count < 2 || strcmp(arguments[1], paths[i].name) != 0)
            continue;
        work.host = host_new();
        work.host->env.memory_limit = (size_t)1 << 30;
        make_rows(&work);
        if (work.path->scores)
            work.model = fit(&work);
        measured(&work);
        if (work.model == NULL || isnan(work.sum))
            return 1;
        host_free(work.host);
        free(work.x);
        free(work.y);
        return 0;
    }
    return count < 2 ? 0 : 2;
}
