/*
 * test_neighbors.c - every index against looking at all rows, for all metrics and awkward data; models that do
 * not depend on the order of the rows; leave-one-out against leaving out; forged models.
 */
#include "check.h"
#include "fit.h"

#include "core/neighbors/neighbors_model.h"

#include <stdlib.h>

/* Rows of numbers, or with the last `categories` slots categorical (positions 0 .. 3). */
typedef struct Data {
    uint32_t count, slots, categories;
    double *x;
    double *targets;  /* labels where the estimator takes labels */
    double *weights;  /* or NULL */
} Data;

static const char *const shapes[] = {"uniform", "clustered", "grid",  "equal",
                                     "tiny",    "huge",      "mixed sizes", "line"};
#define SHAPES (sizeof shapes / sizeof *shapes)

static double number_of(const char *shape, uint64_t *seed, uint32_t row, uint32_t slot)
{
    double u = random_uniform(seed);

    if (strcmp(shape, "clustered") == 0)
        return (row % 5) * 1000.0 + slot + u;
    if (strcmp(shape, "grid") == 0)
        return floor(u * 4) - 1;
    if (strcmp(shape, "equal") == 0)
        return 3.25;
    if (strcmp(shape, "tiny") == 0)
        return (u - 0.5) * 1e-310;
    if (strcmp(shape, "huge") == 0)
        return (u - 0.5) * 1.5e300;
    if (strcmp(shape, "mixed sizes") == 0)
        return ldexp(u - 0.5, (int)(random_uniform(seed) * 80) - 40);
    if (strcmp(shape, "line") == 0)
        return row * 0.125 * (slot + 1);
    return u + 0.5;
}

static Data data_of(Env *env, const char *shape, uint32_t count, uint32_t slots, uint32_t categories,
                    uint64_t seed)
{
    Data data = {.count = count, .slots = slots, .categories = categories};

    data.x = env_array(env, (size_t)count * slots, sizeof(double));
    data.targets = env_array(env, count, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < slots; j++)
            data.x[(size_t)i * slots + j] = j >= slots - categories
                                                ? floor(random_uniform(&seed) * 4)
                                                : number_of(shape, &seed, i, j);
        data.targets[i] = floor(random_uniform(&seed) * 3);
    }
    return data;
}

/* order: NULL: as they come */
static Rows *rows_of(Env *env, const Estimator *estimator, const Data *data, const uint32_t *order,
                     uint8_t flags)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, estimator->name);
    FieldKind *kinds = env_array(env, data->slots, sizeof *kinds);
    bool labels = estimator->task == TASK_CLASSIFICATION;
    SchemaSpec spec = {.field_count = data->slots,
                       .kinds = kinds,
                       .class_type = labels ? "integer" : NULL,
                       .id_type = estimator->identified ? "integer" : NULL};
    static const char *const names[] = {"a", "b", "c", "d"};
    uint32_t position;
    Model *schema;
    Rows *rows;
    char id[16];

    for (uint32_t j = 0; j < data->slots; j++)
        kinds[j] = j >= data->slots - data->categories ? FIELD_CATEGORICAL : FIELD_NUMERIC;
    schema_add(env, builder, &spec);
    schema = model_build(builder);
    schema->flags |= flags;
    for (uint32_t j = data->slots - data->categories; j < data->slots; j++)
        for (uint32_t l = 0; l < 4; l++)
            schema = dictionary_add(env, schema, DICTIONARY_LEVELS, j, names[l], 1, false, 0, &position);
    for (int l = 0; labels && l < 3; l++)
        schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, names[l] , 1, false, l, &position);
    rows = rows_new(rows_pool(env), schema,
                    (estimator->supervised ? ROWS_TARGET : 0) | (data->weights ? ROWS_WEIGHT : 0) |
                        (estimator->identified ? ROWS_ID : 0));
    for (uint32_t i = 0; i < data->count; i++) {
        uint32_t row = order ? order[i] : i;
        double slots[64];

        /* levels are numbered in the order of first use of the schema's field: four a field */
        for (uint32_t j = 0; j < data->slots; j++)
            slots[j] = data->x[(size_t)row * data->slots + j] +
                       (kinds[j] == FIELD_CATEGORICAL ? 4.0 * (j - (data->slots - data->categories)) : 0);
        snprintf(id, sizeof id, "%u", row);
        rows_append(rows, slots, data->targets[row], data->weights ? data->weights[row] : 1, id,
                    (uint32_t)strlen(id));
    }
    return rows;
}

static Model *fit_these(Env *env, const char *name, Rows *rows, const char *options)
{
    const Estimator *estimator = estimator_find(name);
    const OptionSpec *const *tables = estimator->options;
    FitInput input = {.kind = INPUT_ROWS, .rows = rows};
    Options *parsed =
        options_parse(env, name, tables, options, strlen(options), NULL, NULL, 0);
    Model *model = estimator_fit(env, estimator, &input, parsed, true);

    CHECK(model != NULL && model_check(env, model, model->size) == NULL);
    return model;
}

static Model *fit(Env *env, const char *name, const Data *data, const char *options)
{
    return fit_these(env, name, rows_of(env, estimator_find(name), data, NULL, 0), options);
}

static Neighbors *ready(Env *env, const Model *model)
{
    size_t bytes;

    return neighbors_prepare(env, model, &bytes);
}

/* ---- what all indexes must find ---- */

static int compare_found(const void *a, const void *b)
{
    const Neighbor *x = a, *y = b;

    if (x->reduced != y->reduced)
        return x->reduced < y->reduced ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Finds all rows in order, pair by pair, from the exemplars as stored. */
static Neighbor *all_in_order(Neighbors *neighbors, const double *slots)
{
    const Metric *metric = neighbors->metric;
    Env *env = neighbors->env;
    Neighbor *all = env_array(env, neighbors->count, sizeof(Neighbor));
    double *a = env_array(env, metric->width, sizeof(double));
    double *b = env_array(env, metric->width, sizeof(double));

    metric_place(metric, slots, a);
    for (uint32_t i = 0; i < neighbors->count; i++) {
        metric_place(metric, neighbors->exemplars + (size_t)i * neighbors->slots, b);
        all[i] = (Neighbor){metric_reduced(metric, a, b), i};
    }
    qsort(all, neighbors->count, sizeof(Neighbor), compare_found);
    return all;
}

static bool same_found(const NeighborSearch *search, const Neighbor *all, uint32_t count)
{
    if (search->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (search->found[i].position != all[i].position ||
            memcmp(&search->found[i].reduced, &all[i].reduced, sizeof(double)) != 0)
            return false;
    return true;
}

static void check_query(Neighbors *neighbors, const double *slots, const char *what)
{
    Neighbor *all = all_in_order(neighbors, slots);
    uint32_t n = neighbors->count, ks[] = {1, 10, 33, n};
    NeighborSearch *search = neighbors->search;

    for (size_t i = 0; i < 4; i++) {
        uint32_t k = ks[i] < n ? ks[i] : n;

        CHECK(neighbors_find(neighbors, slots, k));
        check_that(same_found(search, all, k), __FILE__, __LINE__, "%s: not the %u nearest of %u", what, k, n);
    }
    /* all up to the distance of one of them */
    neighbor_within(search, all[n / 3].reduced);
    for (ks[0] = n / 3; ks[0] + 1 < n && all[ks[0] + 1].reduced == all[n / 3].reduced;)
        ks[0]++;
    check_that(same_found(search, all, ks[0] + 1), __FILE__, __LINE__, "%s: not those within", what);
    /* one left out */
    neighbor_nearest(search, 5 < n ? 5 : n, all[0].position);
    check_that(n == 1 ? search->count == 0 : same_found(search, all + 1, n > 5 ? 5 : n - 1), __FILE__, __LINE__,
               "%s: not those without the nearest", what);
    neighbors->env->release(neighbors->env, all);
}

/* Searching a block of queries gives what single searches give. */
static void check_batch(Neighbors *neighbors, const double *slots, uint32_t count, const char *what)
{
    uint32_t k = neighbors->count < 7 ? neighbors->count : 7;

    neighbors_ahead_k(neighbors, slots, count, k);
    CHECK(neighbors->index->kind != INDEX_BRUTE || neighbors->ahead == slots);
    for (uint32_t i = 0; i < count; i++) {
        const double *row = slots + (size_t)i * neighbors->slots;
        Neighbor *all = all_in_order(neighbors, row);

        CHECK(neighbors_find(neighbors, row, k));
        check_that(same_found(neighbors->search, all, k), __FILE__, __LINE__, "%s: row %u of a block", what, i);
        neighbors->env->release(neighbors->env, all);
    }
    neighbors->ahead = NULL;
}

static const char *const metrics[] = {
    "{\"metric\":\"euclidean\"}",
    "{\"metric\":\"squared_euclidean\"}",
    "{\"metric\":\"manhattan\"}",
    "{\"metric\":\"chebyshev\"}",
    "{\"metric\":\"minkowski\",\"p\":3}",
    "{\"metric\":\"minkowski\",\"p\":1.5}",
    "{\"metric\":\"minkowski\",\"p\":40}",
    "{\"metric\":\"minkowski\",\"p\":0.5}",
    "{\"metric\":\"hamming\"}",
    "{\"metric\":\"cosine\"}",
    "{\"metric\":\"angular\"}",
    "{\"metric\":\"standardized_euclidean\"}",
    "{\"metric\":\"mahalanobis\"}",
    "{\"metric\":\"mixed\"}",
    "{\"metric\":\"canberra\"}",
    "{\"metric\":\"jaccard\"}",
    "{\"metric\":\"dice\"}",
    "{\"metric\":\"gower\"}",
    "{\"metric\":\"haversine\"}",
    "{\"metric\":\"kernel\"}", /* rbf */
    "{\"metric\":\"kernel\",\"kernel\":\"linear\"}",
    "{\"metric\":\"kernel\",\"kernel\":\"polynomial\",\"degree\":2,\"coef0\":1}",
    "{\"metric\":\"kernel\",\"kernel\":\"sigmoid\",\"coef0\":-1}",
};
#define METRICS (sizeof metrics / sizeof *metrics)

/* Kernels that trees cannot search by. */
static bool by_kernel(const char *metric)
{
    return strstr(metric, "polynomial") || strstr(metric, "sigmoid");
}

static bool takes(const char *metric, const char *shape, uint32_t categories)
{
    bool learns = strstr(metric, "standardized") || strstr(metric, "mahalanobis") || strstr(metric, "mixed");

    if (by_kernel(metric) && strcmp(shape, "huge") == 0) /* its values overflow */
        return false;
    if (strstr(metric, "haversine") && strcmp(shape, "grid") != 0 && strcmp(shape, "tiny") != 0 &&
        strcmp(shape, "equal") != 0 && strcmp(shape, "uniform") != 0)
        return false; /* no places */
    if (strstr(metric, "gower") && (strcmp(shape, "tiny") == 0 || strcmp(shape, "huge") == 0))
        return false;
    if (categories > 0 && (strstr(metric, "jaccard") || strstr(metric, "dice") || strstr(metric, "haversine")))
        return false;
    if (categories > 0 && (strstr(metric, "kernel") || strstr(metric, "cosine") || strstr(metric, "angular") ||
                           strstr(metric, "standardized") || strstr(metric, "mahalanobis")))
        return false;
    /* nothing varies, or nothing that arithmetic can tell */
    return !(learns && (strcmp(shape, "equal") == 0 || strcmp(shape, "tiny") == 0 ||
                        strcmp(shape, "huge") == 0 || strcmp(shape, "mixed sizes") == 0)) &&
           !(strstr(metric, "mahalanobis") && strcmp(shape, "line") == 0) &&
           !(strcmp(shape, "tiny") == 0 && (strstr(metric, "cosine") || strstr(metric, "angular"))) &&
           !(strcmp(shape, "line") == 0 && (strstr(metric, "cosine") || strstr(metric, "angular")));
}

static void check_indexes(Host *host, const char *shape, const char *metric, uint32_t count,
                          uint32_t slots, uint32_t categories)
{
    static const char *const kinds[] = {"brute", "kd_tree", "ball_tree"};
    Env *env = &host->env;
    char options[256], what[320];

    if (!takes(metric, shape, categories))
        return;
    slots = strstr(metric, "haversine") ? 2 : slots;
    for (size_t i = 0; i < 3; i++) {
        Neighbors *neighbors;
        Data data, queries;
        Model *model;

        host_reset(host);
        if (i > 0 && (strstr(metric, "0.5") || by_kernel(metric)))
            return;
        data = data_of(env, shape, count, slots, categories, 5);
        queries = data_of(env, shape, 12, slots, categories, 99);
        memcpy(queries.x, data.x, (count < 3 ? count : 3) * slots * sizeof(double)); /* rows of the model itself */
        for (uint32_t q = 3; q < 5; q++)                       /* far from all, and between */
            for (uint32_t j = 0; j < slots - categories; j++)
                queries.x[(size_t)q * slots + j] *= q == 3 ? 7 : 0.5;
        snprintf(options, sizeof options, "%.*s,\"k\":1,\"index\":\"%s\"%s", (int)strlen(metric) - 1,
                 metric, kinds[i], "}");
        if (strcmp(shape, "grid") == 0 && (strstr(metric, "cosine") || strstr(metric, "angular")))
            for (size_t j = 0; j < (size_t)count * slots; j += slots)
                data.x[j] = queries.x[j % (12 * slots)] = 2; /* no row of zeros */
        snprintf(what, sizeof what, "%s, %s, %u x %u (%u)", shape, options, count, slots, categories);
        model = fit(env, "knn_regression", &data, options);
        neighbors = ready(env, model);
        CHECK_INT(neighbors->index->kind, i);
        /* levels as the model numbers them */
        for (uint32_t q = 0; q < 12; q++)
            for (uint32_t j = slots - categories; j < slots; j++)
                queries.x[(size_t)q * slots + j] += 4.0 * (j - (slots - categories));
        for (uint32_t q = 0; q < 12; q++)
            check_query(neighbors, queries.x + (size_t)q * slots, what);
        check_batch(neighbors, queries.x, 12, what);
    }
}

static void test_indexes(Host *host)
{
    for (size_t shape = 0; shape < SHAPES; shape++)
        for (size_t metric = 0; metric < METRICS; metric++) {
            check_indexes(host, shapes[shape], metrics[metric], 700, 3, 0);
            check_indexes(host, shapes[shape], metrics[metric], 300, 14, 0);
            check_indexes(host, shapes[shape], metrics[metric], 400, 4, 2);
        }
    check_indexes(host, "uniform", metrics[0], 1, 2, 0);
    check_indexes(host, "uniform", metrics[0], 31, 2, 0);
    check_indexes(host, "uniform", metrics[0], 32, 2, 0);
    check_indexes(host, "uniform", metrics[0], 33, 2, 0);
    check_indexes(host, "uniform", metrics[0], 97, 1, 0);
    check_indexes(host, "uniform", metrics[0], 1500, 40, 0);
}

/* More rows and queries than a block has, far from the origin, where squares cancel. */
static void test_blocks(Host *host)
{
    static const double offsets[] = {0, 1e9, -1e154};
    Env *env = &host->env;

    for (int i = 0; i < 3; i++) {
        Neighbors *neighbors;
        Data data, queries;

        host_reset(host);
        data = data_of(env, "uniform", 1500, 40, 0, 5);
        queries = data_of(env, "uniform", 150, 40, 0, 77);
        for (size_t j = 0; j < 1500 * 40; j++)
            data.x[j] += offsets[i];
        for (size_t j = 0; j < 150 * 40; j++)
            queries.x[j] += offsets[i];
        check_batch(ready(env, fit(env, "neighbors", &data, "")), queries.x, 150, "blocks");
        /* a tree that skips nothing is replaced by products; another one stays */
        check_batch(ready(env, fit(env, "neighbors", &data, "{\"index\":\"ball_tree\"}")), queries.x, 150, "blocks, ball tree");
        neighbors = ready(env, fit(env, "neighbors", &data, "{\"index\":\"kd_tree\"}"));
        check_batch(neighbors, queries.x, 150, "blocks, k-d tree");
        neighbors_ahead_k(neighbors, queries.x, 150, 3);
        CHECK(i == 2 || neighbors->ahead == queries.x); /* at 1e154 all rows are equal */
        neighbors_ahead_k(neighbors, queries.x, 10, 3);
        CHECK(neighbors->ahead == NULL);
    }
}

/* The order of the rows does not change a bit of the model. */
static void test_order(Host *host)
{
    static const char *const names[] = {"knn_regression", "knn_classifier", "neighbors"};
    Env *env = &host->env;

    for (size_t shape = 0; shape < SHAPES; shape++)
        for (size_t e = 0; e < 3; e++) {
            const Estimator *estimator = estimator_find(names[e]);
            uint32_t order[600];
            uint64_t seed = 3;
            Data data;
            Model *first;

            host_reset(host);
            data = data_of(env, shapes[shape], 600, 3, 0, 17);
            first = fit(env, names[e], &data, "");
            for (int turn = 0; turn < 3; turn++) {
                random_order(&seed, order, 600);
                CHECK_INT(model_compare(first, fit_these(env, names[e],
                                                        rows_of(env, estimator, &data, order, 0), "")),
                          0);
            }
        }
}

/* Searches poll often, and a tree skips most distances. */
static void test_work(Host *host)
{
    Env *env = &host->env;
    Neighbors *neighbors;
    uint64_t evaluated = 0;
    Data data;

    host_reset(host);
    data = data_of(env, "uniform", 20000, 3, 0, 8);
    neighbors = ready(env, fit(env, "neighbors", &data, "{\"index\":\"kd_tree\"}"));
    for (uint32_t i = 0; i < 100; i++) {
        neighbors->search->evaluated = 0;
        CHECK(neighbors_find(neighbors, data.x + (size_t)i * 3, 10));
        evaluated += neighbors->search->evaluated;
    }
    CHECK(evaluated < 100 * 20000 / 50);
    host->cancel_at = host->polls + 3;
    CHECK(!TRY(host) || (fit(env, "neighbors", &data, ""), false));
    TRY_END(host);
    host->cancel_at = 0;
}

/* ---- votes and means ---- */

static double predicted(Neighbors *neighbors, double at)
{
    return estimator_find("knn_regression")->scoring->predict(neighbors->model, neighbors, &at);
}

static void test_weights(Host *host)
{
    static double x[] = {0, 1, 2, 4, 4}, targets[] = {10, 20, 30, 40, 60};
    Env *env = &host->env;
    Data data = {.count = 5, .slots = 1, .x = x, .targets = targets};
    Neighbors *neighbors;

    host_reset(host);
    neighbors = ready(env, fit(env, "knn_regression", &data, "{\"k\":2}"));
    CHECK_NEAR(predicted(neighbors, 0.4), 15, 0);
    neighbors = ready(env, fit(env, "knn_regression", &data, "{\"k\":2,\"weights\":\"distance\"}"));
    CHECK_NEAR(predicted(neighbors, 0.25), (10 / 0.25 + 20 / 0.75) / (1 / 0.25 + 1 / 0.75), 1e-15);
    CHECK_NEAR(predicted(neighbors, 1), 20, 0);
    CHECK_NEAR(predicted(neighbors, 4), 50, 0);
    neighbors = ready(env, fit(env, "knn_regression", &data, "{\"k\":3,\"weights\":\"gaussian\"}"));
    CHECK_NEAR(predicted(neighbors, 1), (20 + exp(-1) * 40) / (1 + 2 * exp(-1)), 1e-14);
    neighbors =
        ready(env, fit(env, "knn_regression", &data, "{\"k\":3,\"weights\":\"gaussian\",\"sigma\":2}"));
    CHECK_NEAR(predicted(neighbors, 1), (20 + exp(-0.125) * 40) / (1 + 2 * exp(-0.125)), 1e-14);
    CHECK_NEAR(predicted(neighbors, 1e200), 20, 0); /* all alike from there: the first ones */
    neighbors = ready(env, fit(env, "knn_regression", &data, "{\"radius\":1}"));
    CHECK_NEAR(predicted(neighbors, 1.5), 25, 0);
    CHECK(isnan(predicted(neighbors, 3))); /* strictly nearer */
    neighbors = ready(env, fit(env, "knn_regression", &data, "{\"radius\":1,\"radius_inclusive\":true}"));
    CHECK_NEAR(predicted(neighbors, 3), 130.0 / 3, 1e-15);
    CHECK(isnan(predicted(neighbors, 100)));
}

/* All rows within a distance by a kernel, also at the largest distance of rbf, sqrt(2). */
static void test_kernel_radius(Host *host)
{
    static const char *const kernels[] = {"\"rbf\",\"gamma\":1", "\"rbf\",\"gamma\":1,\"index\":\"kd_tree\"",
                                          "\"polynomial\""};
    static double x[160], targets[160];
    Env *env = &host->env;
    Data data = {.count = 160, .slots = 1, .x = x, .targets = targets};
    double from = 0.01;

    for (int i = 0; i < 160; i++)
        x[i] = 0.01 + 0.05 * i;
    for (int kernel = 0; kernel < 3; kernel++) {
        Neighbors *neighbors;
        char options[160];

        host_reset(host);
        snprintf(options, sizeof options, "{\"metric\":\"kernel\",\"kernel\":%s,\"radius\":1,\"radius_inclusive\":true}",
                 kernels[kernel]);
        neighbors = ready(env, fit(env, "knn_regression", &data, options));
        for (uint32_t i = 0; i < 160; i++) {
            uint32_t within = 0;

            CHECK(neighbors_find(neighbors, &from, 160));
            neighbors->rule.radius = neighbors_distance(neighbors, i);
            for (uint32_t j = 0; j < 160; j++)
                within += neighbors_distance(neighbors, j) <= neighbors->rule.radius;
            CHECK(neighbors_find(neighbors, &from, 0));
            CHECK_INT(neighbors->search->count, within);
        }
    }
}

/* Frequencies count as repeated rows; weights scale votes, whatever their size. */
static void test_row_weights(Host *host)
{
    static double counts[400], repeated_x[2400], repeated_targets[1200];
    Env *env = &host->env;
    uint32_t at = 0;
    uint64_t seed = 4;
    Data data, repeated = {.slots = 2, .x = repeated_x, .targets = repeated_targets};
    Neighbors *a, *b;

    host_reset(host);
    data = data_of(env, "uniform", 400, 2, 0, 21);
    for (uint32_t i = 0; i < 400; i++) {
        counts[i] = 1 + floor(random_uniform(&seed) * 3);
        for (uint32_t j = 0; j < counts[i]; j++, at++) {
            memcpy(repeated_x + 2 * at, data.x + 2 * i, 2 * sizeof(double));
            repeated_targets[at] = data.targets[i];
        }
    }
    repeated.count = at;
    data.weights = counts;
    a = ready(env, fit_these(env, "knn_regression",
                            rows_of(env, estimator_find("knn_regression"), &data, NULL,
                                    MODEL_WEIGHTED | MODEL_FREQUENCY),
                            "{\"k\":9,\"weights\":\"distance\",\"weight_kind\":\"frequency\"}"));
    b = ready(env, fit(env, "knn_regression", &repeated, "{\"k\":9,\"weights\":\"distance\"}"));
    for (int i = 0; i < 100; i++) {
        double row[2] = {random_uniform(&seed) + 0.5, random_uniform(&seed) + 0.5};

        CHECK_NEAR(estimator_find("knn_regression")->scoring->predict(a->model, a, row),
                   estimator_find("knn_regression")->scoring->predict(b->model, b, row), 1e-12);
    }
    for (uint32_t i = 0; i < 400; i++)
        counts[i] *= 1e304;
    b = ready(env, fit(env, "knn_regression", &data, "{\"k\":9}"));
    CHECK(isfinite(estimator_find("knn_regression")->scoring->predict(b->model, b, data.x)));
}

static void test_ties(Host *host)
{
    static double x[] = {0, 2, 4}, labels[] = {1, 0, 0}, three[3];
    const Scoring *scoring = estimator_find("knn_classifier")->scoring;
    Env *env = &host->env;
    Data data = {.count = 3, .slots = 1, .x = x, .targets = labels};
    double near_one = 0.9, far = 1e6;
    Neighbors *neighbors;

    host_reset(host);
    neighbors = ready(env, fit(env, "knn_classifier", &data, "{\"k\":2}"));
    CHECK_INT(scoring->classify(neighbors->model, neighbors, &near_one), 0);
    scoring->probabilities(neighbors->model, neighbors, &near_one, three);
    CHECK(three[0] == 0.5 && three[1] == 0.5 && three[2] == 0);
    neighbors = ready(env, fit(env, "knn_classifier", &data, "{\"k\":2,\"tie\":\"nearest\"}"));
    CHECK_INT(scoring->classify(neighbors->model, neighbors, &near_one), 1);
    neighbors = ready(env, fit(env, "knn_classifier", &data, "{\"radius\":2}"));
    CHECK_INT(scoring->classify(neighbors->model, neighbors, &far), CLASS_NONE);
    scoring->probabilities(neighbors->model, neighbors, &far, three);
    CHECK(isnan(three[0]));
    CHECK_NEAR(scoring->distance(neighbors->model, neighbors, &far), 1e6 - 4, 0);
}

/* ---- leave-one-out ---- */

/* Each row is scored by a model of the others. */
static double left_out(Env *env, const char *name, const Data *data, const char *options, uint32_t k)
{
    Data others = *data;
    const Scoring *scoring = estimator_find(name)->scoring;
    double error = 0;
    char with_k[160];

    others.count--;
    others.x = env_array(env, (size_t)data->count * data->slots, sizeof(double));
    others.targets = env_array(env, data->count, sizeof(double));
    snprintf(with_k, sizeof with_k, "{\"k\":%u%s}", k, options);
    for (uint32_t i = 0; i < data->count; i++) {
        Neighbors *neighbors;
        const double *row = data->x + (size_t)i * data->slots;

        for (uint32_t j = 0, at = 0; j < data->count; j++) {
            if (j == i)
                continue;
            memcpy(others.x + (size_t)at * data->slots, data->x + (size_t)j * data->slots,
                   data->slots * sizeof(double));
            others.targets[at++] = data->targets[j];
        }
        neighbors = ready(env, fit(env, name, &others, with_k));
        if (scoring->classify)
            error += scoring->classify(neighbors->model, neighbors, row) != data->targets[i];
        else
            error += pow(scoring->predict(neighbors->model, neighbors, row) - data->targets[i], 2);
    }
    return error / data->count;
}

static void check_loo(Host *host, const char *name, const char *options)
{
    Env *env = &host->env;
    const double *errors;
    uint32_t length, best = 0;
    char with_loo[160];
    Data data;
    Model *model;

    host_reset(host);
    data = data_of(env, "uniform", 45, 2, 0, 31);
    snprintf(with_loo, sizeof with_loo, "{\"k\":\"loo\",\"max_k\":6%s}", options);
    model = fit(env, name, &data, with_loo);
    errors = model_f64(model, "loo_errors", &length);
    CHECK_INT(length, 6);
    for (uint32_t k = 1; errors && k <= length; k++) {
        CHECK_NEAR(errors[k - 1], left_out(env, name, &data, options, k), 1e-12);
        best = errors[k - 1] < errors[best] ? k - 1 : best;
    }
    CHECK_INT(model_fact(model, "k", 0), best + 1);
    CHECK_NEAR(model_fact(model, "loo_error", -1), errors[best], 0);
    CHECK_INT(ready(env, model)->rule.k, best + 1);
}

static void test_loo(Host *host)
{
    check_loo(host, "knn_classifier", "");
    check_loo(host, "knn_classifier", ",\"tie\":\"nearest\"");
    check_loo(host, "knn_classifier", ",\"weights\":\"distance\"");
    check_loo(host, "knn_regression", "");
    check_loo(host, "knn_classifier", ",\"metric\":\"kernel\",\"sigma\":0.3,\"weights\":\"distance\"");
    check_loo(host, "knn_regression", ",\"metric\":\"kernel\",\"kernel\":\"polynomial\",\"coef0\":1,\"weights\":\"gaussian\"");
    check_loo(host, "knn_regression", ",\"weights\":\"gaussian\",\"gamma\":3,\"metric\":\"manhattan\"");
}

/* ---- refusals, sizes, forged models ---- */

static void test_refusals(Host *host)
{
    Env *env = &host->env;
    Data data;

    host_reset(host);
    data = data_of(env, "uniform", 20, 2, 0, 1);
    CHECK_FAILS(host, ERROR_PARAMETER, "\"k\"", fit(env, "neighbors", &data, "{\"k\":0}"));
    CHECK_FAILS(host, ERROR_DATA, "k of knn_regression is 21, but there are only 20 rows",
                fit(env, "knn_regression", &data, "{\"k\":21}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"radius\"", fit(env, "neighbors", &data, "{\"radius\":-1}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "not both", fit(env, "neighbors", &data, "{\"k\":2,\"radius\":1}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "radius_inclusive",
                fit(env, "neighbors", &data, "{\"radius_inclusive\":true}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "weights",
                fit(env, "knn_regression", &data, "{\"weights\":\"heavy\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "gaussian", fit(env, "knn_regression", &data, "{\"sigma\":2}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "not both",
                fit(env, "knn_regression", &data, "{\"weights\":\"gaussian\",\"sigma\":2,\"gamma\":1}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "leave-one-out", fit(env, "knn_regression", &data, "{\"max_k\":2}"));
    CHECK_FAILS(host, ERROR_DATA, "max_k of knn_regression is 20, but only 19 rows remain",
                fit(env, "knn_regression", &data, "{\"k\":\"loo\",\"max_k\":20}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "kd_tree needs the triangle inequality",
                fit(env, "neighbors", &data, "{\"metric\":\"minkowski\",\"p\":0.5,\"index\":\"kd_tree\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "ball_tree needs the triangle inequality",
                fit(env, "neighbors", &data, "{\"metric\":\"minkowski\",\"p\":0.5,\"index\":\"ball_tree\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "which kernel polynomial does not use",
                fit(env, "neighbors", &data, "{\"metric\":\"kernel\",\"kernel\":\"polynomial\",\"index\":\"ball_tree\"}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"gamma\" is for metric kernel", fit(env, "neighbors", &data, "{\"gamma\":2}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"degree\" is for metric kernel", fit(env, "knn_regression", &data, "{\"degree\":2}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "is ambiguous",
                fit(env, "knn_regression", &data, "{\"metric\":\"kernel\",\"gamma\":2,\"weights\":\"gaussian\"}"));
    data.count = 1;
    CHECK_FAILS(host, ERROR_DATA, "at least 2 rows", fit(env, "knn_regression", &data, "{\"k\":\"loo\"}"));
    CHECK_FAILS(host, ERROR_LIMIT, "would take 1067 MB as text, but at most 1000 are allowed",
                neighbors_require_size(env, "neighbors", 10000000, 10, 0));
    CHECK_FAILS(host, ERROR_LIMIT, "would take", neighbors_require_size(env, "neighbors", 1000, 1, 1000000000));
    CHECK_FAILS(host, ERROR_LIMIT, "would take", neighbors_require_size(env, "neighbors", UINT64_MAX, 1000, 0));
    CHECK_WORKS(host, neighbors_require_size(env, "neighbors", 1000000, 64, 0));
    env->memory_limit = 1000;
    data.count = 20;
    CHECK_FAILS(host, ERROR_LIMIT, "fit_mem", fit(env, "neighbors", &data, ""));
    env->memory_limit = (size_t)1 << 30;
}

/* Scores a copy with another number at the start of an array, which must be harmless. */
static void forge(Host *host, const Model *model, const char *array, uint32_t place, const void *bytes,
                  const char *words)
{
    Env *env = &host->env;
    Model *copy = env->alloc(env, model->size);
    ModelEntry *entry;
    const char *wrong;

    memcpy(copy, model, model->size);
    entry = model_entry_mutable(copy, array);
    memcpy((char *)model_data_mutable(copy, entry) + 8 * place, bytes, 8);
    model_seal(env, copy);
    wrong = model_check(env, copy, copy->size);
    if (words) {
        CHECK_HOLDS(wrong, words);
    } else {
        double slots[2] = {1, 2};

        CHECK(wrong == NULL);
        neighbors_find(ready(env, copy), slots, 0);
    }
}

static void test_forged(Host *host)
{
    static const double bad[] = {-1, 0.5, 1e12}, nan = NAN, zero = 0, half = 0.5, two = 2, huge = 4e9, far = 1e308;
    static const int64_t class = 3, negative = -1;
    Env *env = &host->env;
    Data data;
    Model *model;

    host_reset(host);
    data = data_of(env, "uniform", 200, 2, 0, 1);
    model = fit(env, "knn_classifier", &data, "{\"weights\":\"gaussian\"}");
    forge(host, model, "exemplars", 5, &nan, "not finite");
    forge(host, model, "labels", 0, &class, "not the number of a class");
    forge(host, model, "labels", 199, &negative, "not the number of a class");
    for (int i = 0; i < 3; i++)
        for (uint32_t place = 0; place < NEIGHBOR_RULE; place++)
            if (place != 1 && !(place == 0 && i == 2) && !(place == 4 && i > 0))
                forge(host, model, "search", place, &bad[i], "search");
    forge(host, model, "search", 0, &huge, NULL); /* more than there are: all */
    forge(host, model, "search", 0, &zero, NULL); /* none within radius 0 */
    forge(host, model, "search", 5, &two, NULL);  /* another tree over the same rows */
    forge(host, model, "exemplars", 0, &far, NULL);
    model = fit(env, "knn_regression", &data, "");
    forge(host, model, "targets", 3, &nan, "not finite");
    model = fit(env, "knn_regression", &data, "{\"metric\":\"kernel\",\"index\":\"kd_tree\"}");
    forge(host, model, "kernel", 0, &half, "not the number of a kernel");
    forge(host, model, "kernel", 1, &zero, "coef0 in \"kernel\" is out of range");
    forge(host, model, "kernel", 2, &nan, "coef0 in \"kernel\" is out of range");
    forge(host, model, "kernel", 3, &half, "degree in \"kernel\" is out of range");
    forge(host, model, "kernel", 0, &two, NULL); /* polynomial: without a tree, all rows are compared */
    forge(host, model, "kernel", 1, &far, NULL);
    model = fit(env, "knn_regression", &data, "{\"metric\":\"kernel\",\"kernel\":\"polynomial\"}");
    forge(host, model, "kernel", 2, &far, NULL); /* no row has a distance */
    forge(host, model, "exemplars", 0, &far, NULL);
    model = fit(env, "knn_regression", &data, "{\"metric\":\"cosine\"}");
    model = model_again(env, model);
    memset(model_data_mutable(model, model_entry_mutable(model, "exemplars")), 0, 16 * 100);
    model_seal(env, model);
    CHECK(model_check(env, model, model->size) == NULL); /* rows without a direction are nobody's neighbors */
    CHECK(neighbors_find(ready(env, model), data.x, 150));
}

int main(void)
{
    Host *host = host_new();

    host->env.memory_limit = (size_t)1 << 30;
    test_weights(host);
    test_ties(host);
    test_row_weights(host);
    test_kernel_radius(host);
    test_order(host);
    test_blocks(host);
    test_work(host);
    test_loo(host);
    test_refusals(host);
    test_forged(host);
    test_indexes(host);
    host_free(host);
    return check_report();
}
