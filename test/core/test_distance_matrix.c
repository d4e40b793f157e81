/*
 * test_distance_matrix.c - matrices of given distances: what they refuse, how distances are found, and that methods fitted to them agree
 * with those fitted to rows.
 */
#include "check.h"
#include "fit.h"

#include "core/distance/distance_matrix.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST 60

static uint64_t seed = 11;

/* Returns options of distance_matrix. */
static const Options *matrix_options(Env *env, const char *json)
{
    return options_parse(env, "distance_matrix", estimator_find("distance_matrix")->options, json, strlen(json), NULL, NULL, 0);
}

/* Returns the matrix of these pairs, [count x 3], of objects "0", "1" ... */
static Model *matrix_of(Env *env, const double *pairs, uint32_t count, uint32_t objects, const char *json)
{
    static char texts[MOST][8];
    static const char *ids[MOST];
    static uint32_t lengths[MOST];
    static const char *const columns[] = {"a", "b", "distance"};
    SchemaSpec spec = {.field_count = 3, .names = columns};
    ObjectIds named = {objects, ids, lengths, "text"};
    Rows *rows = rows_new(rows_pool(env), schema_model(env, &spec), 0);

    for (uint32_t i = 0; i < objects; i++) {
        lengths[i] = (uint32_t)snprintf(texts[i], sizeof texts[i], "%u", i);
        ids[i] = texts[i];
    }
    for (uint32_t i = 0; i < count; i++)
        rows_append(rows, pairs + (size_t)3 * i, 0, 1, NULL, 0);
    return distance_matrix_build(env, rows, matrix_options(env, json), &named, 2);
}

static void test_refused(Host *host)
{
    static const double twice[] = {0, 1, 2, 0, 1, 2}, other[] = {0, 1, 2, 1, 0, 3}, both[] = {0, 1, 2, 1, 0, 2 + 1e-15, 1, 1, 0};
    static const double itself[] = {0, 1, 2, 1, 1, 1}, alone[] = {0, 1, 2, 2, 2, 0}, gap[] = {0, 1, 2, 1, 2, 2}, zeros[] = {0, 0, 0, 0, 0, 0};
    const char *infinity = "{\"missing_pairs\": \"infinity\"}";
    Env *env = &host->env;

    CHECK_FAILS(host, ERROR_DATA, "the pair (\"0\", \"1\") is given twice", matrix_of(env, twice, 2, 2, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "the distance from \"0\" to \"1\" is 2, but the other way round it is 3", matrix_of(env, other, 2, 2, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "the distance of \"1\" from itself is 1", matrix_of(env, itself, 2, 2, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "the pair of \"0\" and itself is given twice", matrix_of(env, zeros, 2, 1, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "\"2\" has no distance from any other", matrix_of(env, alone, 2, 3, infinity));
    CHECK_FAILS(host, ERROR_DATA, "1 of 3 pairs have no distance, the first of them \"0\" and \"2\"", matrix_of(env, gap, 2, 3, "{}"));
    CHECK(fact_of(env, matrix_of(env, gap, 2, 3, infinity), "infinite_pairs") == 1);
    CHECK(array_at(matrix_of(env, both, 3, 2, "{}"), "distances", 0) == 2);
    CHECK_FAILS(host, ERROR_DATA, "the distance of \"a\" and \"b\" is -1", distance_require(env, matrix_options(env, "{}"), -1, "a", 1, "b", 1));
    CHECK_FAILS(host, ERROR_DATA, "is nan", distance_require(env, matrix_options(env, infinity), NAN, "a", 1, "b", 1));
    CHECK_FAILS(host, ERROR_DATA, "is inf", distance_require(env, matrix_options(env, "{}"), INFINITY, "a", 1, "b", 1));
    distance_require(env, matrix_options(env, infinity), INFINITY, "a", 1, "b", 1);
}

/* Fills pairs with the distances of random points x [n x 2], each pair once, in a random order and direction. Returns how many. */
static uint32_t random_pairs(double *x, uint32_t n, double *pairs)
{
    uint32_t count = 0, *order = malloc(n * n * sizeof(uint32_t));
    double *sorted = malloc((size_t)n * n * 3 * sizeof(double));

    for (uint32_t i = 0; i < 2 * n; i++)
        x[i] = random_normal(&seed);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            bool swap = random_uniform(&seed) < 0.5;
            double *pair = sorted + (size_t)3 * count++;

            pair[0] = swap ? j : i;
            pair[1] = swap ? i : j;
            pair[2] = hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
        }
    random_order(&seed, order, count);
    for (uint32_t p = 0; p < count; p++)
        memcpy(pairs + (size_t)3 * p, sorted + (size_t)3 * order[p], 3 * sizeof(double));
    free(order);
    free(sorted);
    return count;
}

static void test_lookup(Host *host)
{
    Env *env = &host->env;
    double x[2 * MOST], *pairs = malloc((size_t)MOST * MOST * 3 * sizeof(double)), others[MOST + 1], found[MOST + 1];
    uint32_t count = random_pairs(x, MOST, pairs);
    Model *model = matrix_of(env, pairs, count, MOST, "{}");
    DistanceMatrix matrix;

    distance_matrix_open(env, model, "test", &matrix);
    CHECK(matrix.count == MOST && matrix.infinite == 0);
    CHECK(model_text_find(model, matrix.ids, "60", 2) == UINT32_MAX && model_text_find(model, matrix.ids, "", 0) == UINT32_MAX);
    for (uint32_t p = 0; p < count; p++) {
        char a[8], b[8];
        double from, to, distance;

        snprintf(a, sizeof a, "%u", (uint32_t)pairs[3 * p]);
        snprintf(b, sizeof b, "%u", (uint32_t)pairs[3 * p + 1]);
        from = model_text_find(model, matrix.ids, a, (uint32_t)strlen(a));
        to = model_text_find(model, matrix.ids, b, (uint32_t)strlen(b));
        matrix.objects.distances(&matrix.objects, from, &to, 1, &distance);
        CHECK(distance == pairs[3 * p + 2]);
        matrix.objects.distances(&matrix.objects, to, &from, 1, &distance);
        CHECK(distance == pairs[3 * p + 2]);
    }
    for (uint32_t i = 0; i <= MOST; i++)
        others[i] = i;
    matrix.objects.distances(&matrix.objects, 3, others, MOST + 1, found);
    CHECK(found[3] == 0 && isnan(found[MOST]));
    CHECK_FAILS(host, ERROR_KIND, "test needs a matrix of distances", distance_matrix_open(env, numeric_schema(env, 1), "test", &matrix));
    free(pairs);
}

/* Fits to given distances have the heights and costs of fits to the points. */
static void test_fits(Host *host)
{
    static const char *const linkages[] = {"average", "complete", "mcquitty", "single", "ward", "ward.D"};
    Env *env = &host->env;
    double x[2 * MOST], *pairs = malloc((size_t)MOST * MOST * 3 * sizeof(double));

    for (uint32_t n = 2; n <= MOST; n += 29) {
        Model *matrix = matrix_of(env, pairs, random_pairs(x, n, pairs), n, "{}");

        for (size_t l = 0; l < sizeof linkages / sizeof linkages[0]; l++) {
            const Estimator *estimator = estimator_find("hierarchical");
            char json[64];
            Model *of_rows, *given;

            snprintf(json, sizeof json, "{\"linkage\": \"%s\"}", linkages[l]);
            of_rows = fit_rows(host, "hierarchical", x, NULL, n, 2, json, NULL);
            given = distance_matrix_fit(env, matrix, estimator, options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0));
            for (uint32_t s = 0; s + 1 < n; s++)
                CHECK_NEAR(array_at(given, "heights", s), array_at(of_rows, "heights", s), 1e-12);
        }
    }
    free(pairs);
}

/* Parts that no given pair connects merge last, at an infinite height, and each once: one merge less than there are objects. */
static void test_parts(Host *host)
{
    static const double pairs[] = {0, 1, 1, 1, 2, 2.5, 3, 4, 0.5, 5, 6, 1.25}, heights[] = {0.5, 1, 1.25, 2.5, INFINITY, INFINITY};
    Env *env = &host->env;
    const Estimator *estimator = estimator_find("hierarchical");
    const char *json = "{\"connectivity\": \"given\"}";
    Model *matrix = matrix_of(env, pairs, 4, 7, "{\"missing_pairs\": \"infinity\"}");
    Model *given = distance_matrix_fit(env, matrix, estimator, options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0));

    CHECK_INT(model_find(given, "heights")->rows, 6);
    for (uint32_t s = 0; s < 6; s++)
        CHECK(array_at(given, "heights", s) == heights[s]);
}

int main(void)
{
    Host *host = host_new();

    test_refused(host);
    test_lookup(host);
    test_fits(host);
    test_parts(host);
    host_free(host);
    return check_report();
}
