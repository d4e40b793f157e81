/*
 * test_perceptron.c - least squares classifiers, nearest centroids and perceptrons: identities, dropped terms at
 * scale, rows on disk, cancels, models whose arrays are not what they claim.
 */
#include "check.h"
#include "fit.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/classify/perceptron.h"

#include <stdlib.h>

/* A model of class moments. */
static Model *fit_classes(Env *env, const char *estimator, const Model *state, const char *json)
{
    const Estimator *method = estimator_find(estimator);
    const OptionSpec *const *tables = method->options;
    Options *options = options_parse(env, estimator, tables, json, strlen(json), NULL, NULL, 0);
    FitInput input = {.kind = INPUT_CLASS_MOMENTS, .moments = state};
    Model *model = estimator_fit(env, method, &input, options, true);

    if (model != NULL)
        CHECK(model_check(env, model, model->size) == NULL);
    return model;
}

static Model *class_state(Env *env, uint32_t features, uint32_t classes)
{
    SchemaSpec spec = {.field_count = features, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS});
    uint32_t position;

    for (uint32_t c = 0; c < classes; c++)
        state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, &"abcdefgh"[c], 1, false, 0, &position);
    return state;
}

/* ---- moments ---- */

/* Many dependent columns: the kept ones explain the rest, and scores are those of the fit without. */
static void check_dropped(Host *host)
{
    enum { ROWS = 300, BASE = 40, ALL = 200 };
    Env *env = &host->env;
    uint64_t seed = 3;
    Model *all = class_state(env, ALL, 2), *base = class_state(env, BASE, 2), *a, *b;
    double *x = env_array(env, (size_t)ROWS * ALL, sizeof(double));
    uint32_t dropped = 0;

    for (uint32_t r = 0; r < ROWS; r++) {
        double *row = x + (size_t)r * ALL, y;

        for (uint32_t j = 0; j < BASE; j++)
            row[j] = random_normal(&seed) + 100 * j;
        for (uint32_t j = BASE; j < ALL; j++)
            row[j] = j % 5 == 0 ? 7 : row[j % BASE] - 2 * row[(j * 7) % BASE];
        y = r < 2 ? r : row[0] + row[1] - 100 + random_normal(&seed) > 0;
        all = state_add(env, all, row, NULL, y, 1);
        base = state_add(env, base, row, NULL, y, 1);
    }
    a = fit_classes(env, "least_squares_classifier", all, "");
    b = fit_classes(env, "least_squares_classifier", base, "");
    CHECK_HOLDS(host->warning, "160 of 200 terms depend linearly");
    for (uint32_t j = 0; j < ALL; j++)
        dropped += ((const uint8_t *)model_data(a, model_find(a, "dropped")))[j];
    CHECK_INT(dropped, ALL - BASE);
    for (uint32_t r = 0; r < ROWS; r += 17) {
        double of_all, of_base;

        linear_classifier_decisions(a, NULL, x + (size_t)r * ALL, &of_all);
        linear_classifier_decisions(b, NULL, x + (size_t)r * ALL, &of_base);
        CHECK_NEAR(of_all, of_base, 1e-8);
    }
    host->polls = 0;
    fit_classes(env, "least_squares_classifier", all, "");
    CHECK(host->polls > ALL); /* while it dropped terms */
}

/* A class weight multiplies the weights of its rows; a balanced fit gives all classes the same total. */
static void check_weights(Env *env)
{
    uint64_t seed = 5;
    Model *plain = class_state(env, 3, 3), *weighted, *a, *b;
    SchemaSpec spec = {.field_count = 3, .class_type = "text"};
    uint32_t position;

    weighted = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS, .flags = MODEL_WEIGHTED});
    for (uint32_t c = 0; c < 3; c++)
        weighted = dictionary_add(env, weighted, DICTIONARY_CLASSES, 0, &"abc"[c], 1, false, 0, &position);
    for (uint32_t r = 0; r < 90; r++) {
        double x[3] = {random_normal(&seed), random_normal(&seed), random_normal(&seed)};
        uint32_t class = r % 9 < 5 ? 0 : r % 9 < 8 ? 1 : 2; /* 50, 30, 10 rows */

        x[class] += 1;
        plain = state_add(env, plain, x, NULL, class, 1);
        weighted = state_add(env, weighted, x, NULL, class, class == 0 ? 30.0 / 50 : class == 1 ? 1 : 3);
    }
    for (int ovo = 0; ovo < 2; ovo++) {
        const char *strategy = ovo ? "\"ovo\"" : "\"indicator\"";
        char balanced[100], unweighted[60];

        snprintf(unweighted, sizeof(unweighted), "{\"multiclass\": %s}", strategy);
        snprintf(balanced, sizeof(balanced), "{\"multiclass\": %s, \"class_weight\": \"balanced\"}", strategy);
        a = fit_classes(env, "least_squares_classifier", plain, balanced);
        b = fit_classes(env, "least_squares_classifier", weighted, unweighted);
        for (uint32_t i = 0; i < 9; i++)
            CHECK_NEAR(array_at(a, "coef", i), array_at(b, "coef", i), 1e-12);
    }
}

/* ---- forged nearest centroids ---- */

typedef struct Forged {
    const char *name;
    bool integers;
    ModelSection section;
    double numbers[8];
    uint32_t rows, columns;
} Forged;

static const char *forge(Env *env, const Forged *arrays, uint32_t count)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "nearest_centroid");
    Model *state = class_state(env, 2, 2);
    static int64_t integers[8][8];

    schema_add_final(env, builder, state);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 8; k++)
            integers[i][k] = (int64_t)arrays[i].numbers[k];
        builder_numbers(builder, arrays[i].section, arrays[i].name, arrays[i].integers ? ARRAY_I64 : ARRAY_F64,
                        arrays[i].integers ? (const void *)integers[i] : arrays[i].numbers,
                        arrays[i].columns > 0 ? 2 : 1, arrays[i].rows, arrays[i].columns > 0 ? arrays[i].columns : 1);
    }
    state = model_build(builder);
    return model_check(env, state, state->size);
}

#define CENTROIDS {"centroids", false, SECTION_ARRAYS, {1, 2, 3, 4}, 2, 2}
#define STANDARD {"metric", true, SECTION_ARRAYS, {7}, 1, 0}

static void check_forged(Env *env)
{
    static const Forged sound[] = {CENTROIDS}, scaled[] = {CENTROIDS, STANDARD, {"scales", false, SECTION_ARRAYS, {1, 2}, 2, 0}};
    static const Forged wrong[][3] = {
        {{"centroids", false, SECTION_FACTS, {1, 2, 3, 4}, 2, 2}},
        {{"centroids", true, SECTION_ARRAYS, {1, 2, 3, 4}, 2, 2}},
        {{"centroids", false, SECTION_ARRAYS, {1, 2, 3, 4, 5, 6}, 2, 3}},
        {{"centroids", false, SECTION_ARRAYS, {1, 2, 3, (double)NAN}, 2, 2}},
        {CENTROIDS, STANDARD},
        {CENTROIDS, STANDARD, {"scales", false, SECTION_FACTS, {1, 2}, 2, 0}},
        {CENTROIDS, STANDARD, {"scales", false, SECTION_ARRAYS, {1, -2}, 2, 0}},
        {CENTROIDS, STANDARD, {"scales", false, SECTION_ARRAYS, {1, 2, 3}, 3, 0}},
        {CENTROIDS, {"metric", true, SECTION_FACTS, {7}, 1, 0}, {"scales", false, SECTION_ARRAYS, {1, 2}, 2, 0}},
        {CENTROIDS, {"metric", true, SECTION_ARRAYS, {9}, 1, 0}},
        {CENTROIDS, {"metric", true, SECTION_ARRAYS, {99}, 1, 0}},
        {CENTROIDS, {"metric", true, SECTION_ARRAYS, {9}, 1, 0}, {"covariance_packed", false, SECTION_FACTS, {1, 0, 1}, 3, 0}},
        {CENTROIDS, {"log_priors", false, SECTION_FACTS, {0, 0}, 2, 0}},
        {CENTROIDS, {"log_priors", false, SECTION_ARRAYS, {0}, 1, 0}},
        {CENTROIDS, {"column_slot", true, SECTION_ARRAYS, {0, 5}, 2, 0}, {"column_level", true, SECTION_ARRAYS, {-1, -1}, 2, 0}},
        {CENTROIDS, {"column_slot", true, SECTION_FACTS, {0, 1}, 2, 0}, {"column_level", true, SECTION_FACTS, {-1, -1}, 2, 0}},
        {CENTROIDS, {"class_rule", false, SECTION_FACTS, {0, 0, .5}, 3, 0}},
    };

    CHECK(forge(env, sound, 1) == NULL);
    CHECK(forge(env, scaled, 3) == NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint32_t count = 1;

        while (count < 3 && wrong[i][count].name != NULL)
            count++;
        if (forge(env, wrong[i], count) == NULL)
            check_that(false, __FILE__, __LINE__, "forged centroids %zu pass", i);
        else
            CHECK(true);
    }
}

/* ---- perceptrons ---- */

static Rows *make_rows(Env *env, uint32_t n, uint32_t slots, uint32_t classes, bool far)
{
    SchemaSpec spec = {.field_count = slots, .class_type = "text"};
    uint64_t seed = 11;
    uint32_t position;
    Model *schema;
    Rows *rows;

    schema = schema_model(env, &spec);
    for (uint32_t c = 0; c < classes; c++) /* running order is not the final one */
        schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, &"bca"[c], 1, false, 0, &position);
    rows = rows_new(rows_pool(env), schema, ROWS_TARGET);
    for (uint32_t r = 0; r < n; r++) {
        double x[64] = {0};
        uint32_t class = r % classes;

        for (uint32_t j = 0; j < slots; j++)
            x[j] = random_uniform(&seed) + (far && j == class ? 3 : 0);
        rows_append(rows, x, class, 1, NULL, 0);
    }
    return rows;
}

static Model *fit_these(Env *env, const char *estimator, Rows *rows, const char *json)
{
    const Estimator *method = estimator_find(estimator);
    const OptionSpec *const *tables = method->options;
    FitInput input = {.kind = INPUT_ROWS, .rows = rows};
    Model *model = estimator_fit(env, method, &input,
                               options_parse(env, estimator, tables, json, strlen(json), NULL, NULL, 0), true);

    CHECK(model != NULL && model_check(env, model, model->size) == NULL);
    return model;
}

/* On disk or in memory, in blocks of any size: the same bits. The schema of the rows does not change. */
static void check_spilled(Host *host)
{
    Env *env = &host->env;
    size_t limit = env->memory_limit;
    static const char *const options[] = {"{\"max_iter\": 3, \"averaged\": true}",
                                          "{\"max_iter\": 2, \"multiclass\": \"ovo\", \"mistakes\": true}",
                                          "{\"max_iter\": 2, \"multiclass\": \"ecoc\", \"init\": \"basic_linear\"}"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        Model *resident, *spilled;
        Rows *rows;

        env->memory_limit = (size_t)1 << 30;
        resident = fit_these(env, "perceptron", make_rows(env, 20000, 5, 3, false), options[i]);
        env->memory_limit = (size_t)1 << 20;
        rows = make_rows(env, 20000, 5, 3, false);
        CHECK(rows_pool_spilled(rows_pool_of(rows)) > 0);
        spilled = fit_these(env, "perceptron", rows, options[i]);
        CHECK_INT(model_compare(resident, spilled), 0);
        env->memory_limit = limit;
        host_reset(host);
    }
}

/* A fit of separable classes ends, its model separates them, and continuing from it changes nothing. */
static void check_separated(Host *host)
{
    Env *env = &host->env;
    Rows *rows = make_rows(env, 600, 4, 3, true);
    Model *schema = rows_schema(rows), *model, *again;
    char *json;
    size_t length;
    char *options;

    model = fit_these(env, "perceptron", rows, "");
    CHECK_INT(model_fact(model, "converged", 0), 1);
    CHECK_INT(host->warnings, 0);
    json = model_to_text(env, model, &length);
    options = env->alloc(env, length + 40);
    snprintf(options, length + 40, "{\"start\": %s}", json);
    again = fit_these(env, "perceptron", rows, options);
    CHECK_INT(model_fact(again, "updates", -1), 0);
    CHECK_INT(model_fact(again, "iterations", 0), 1);
    for (uint32_t i = 0; i < 12; i++)
        CHECK(array_at(model, "coef", i) == array_at(again, "coef", i));
    CHECK(rows_schema(rows) == schema);
}

/* By hand, in two passes: (1, 2) for a row, (0, 1) for three, (-1, 0) for two. */
static void check_votes(Host *host)
{
    static const double x[] = {2, 1, -1}, at[] = {1, -0.25, 0}, expected[] = {2.0 / 6, -4.0 / 6, -1.0 / 6};
    static const double vectors[][3] = {{1, 2, 1}, {0, 1, 3}, {-1, 0, 2}};
    Env *env = &host->env;
    Rows *rows = target_rows(env, x, (double[]){1, 0, 0}, NULL, NULL, 3, 1, 2); /* the first row is positive */
    Model *voted;
    const int64_t *survived;

    voted = fit_these(env, "perceptron", rows, "{\"averaged\": \"voted\", \"max_iter\": 2}");
    survived = model_data(voted, model_find(voted, "survived"));
    for (uint32_t e = 0; e < 3; e++) {
        double score;

        CHECK(array_at(voted, "intercept", e) == vectors[e][0] && array_at(voted, "coef", e) == vectors[e][1]);
        CHECK_INT(survived[e], vectors[e][2]);
        perceptron_scoring.decisions(voted, NULL, &at[e], &score);
        CHECK_NEAR(score, expected[e], 1e-15);
        CHECK_INT(perceptron_scoring.classify(voted, NULL, &at[e]), expected[e] > 0);
    }
    CHECK(isnan(perceptron_scoring.distance(voted, NULL, at)));
}

/* A vector with most of the votes decides alone. */
static void check_dominant(Host *host)
{
    Env *env = &host->env;
    Model *plain = fit_these(env, "perceptron", make_rows(env, 600, 4, 2, true), "");
    Model *voted = fit_these(env, "perceptron", make_rows(env, 600, 4, 2, true), "{\"averaged\": \"voted\"}");
    const ModelEntry *entry = model_find(voted, "survived");
    const int64_t *survived = model_data(voted, entry);
    int64_t all = 0;
    uint64_t seed = 5;

    for (uint32_t e = 0; e < entry->rows; e++)
        all += survived[e];
    CHECK_INT(all, 600 * (int64_t)model_fact(voted, "iterations", 0));
    CHECK(2 * survived[entry->rows - 1] > all);
    for (uint32_t i = 0; i < 500; i++) {
        double row[4];

        for (uint32_t j = 0; j < 4; j++)
            row[j] = 6 * random_uniform(&seed) - 2;
        CHECK_INT(perceptron_scoring.classify(voted, NULL, row), perceptron_scoring.classify(plain, NULL, row));
    }
}

static void check_votes_refused(Host *host)
{
    Env *env = &host->env;
    size_t limit = env->memory_limit;
    Rows *rows = make_rows(env, 4000, 60, 2, false);

    env->memory_limit = (size_t)1 << 20;
    CHECK_FAILS(host, ERROR_LIMIT, "more than 2114 vectors that vote, of 496 bytes each",
                fit_these(env, "perceptron", rows, "{\"averaged\": \"voted\"}"));
    env->memory_limit = limit;
    rows = make_rows(env, 30, 2, 3, false);
    CHECK_FAILS(host, ERROR_DATA, "for two classes, not for 3",
                fit_these(env, "perceptron", rows, "{\"averaged\": \"voted\"}"));
}

/* Votes that are not what they claim. */
static void check_forged_votes(Env *env)
{
    static double coef[] = {1, 2, 3, 4, 5, 6}, numbers[] = {1, 2, 3};
    static int64_t sound[] = {1, 2, 3}, zero[] = {1, 0, 3}, many[] = {1, INT64_MAX, INT64_MAX}, one[] = {1};
    static const struct {
        uint32_t classes, rows;
        int64_t *survived; /* NULL: numbers */
        const char *other;
    } cases[] = {{2, 3, sound, NULL}, {2, 3, zero, NULL}, {2, 3, many, NULL}, {2, 2, sound, NULL},
                 {2, 3, NULL, NULL},  {3, 3, sound, NULL}, {2, 3, sound, "link"}, {2, 3, sound, "multiclass"},
                 {2, 3, sound, "code_book"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "perceptron");
        Model *model = class_state(env, 2, cases[i].classes);

        schema_add_final(env, builder, model);
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", coef, 3, 2);
        if (cases[i].survived != NULL)
            builder_i64(builder, SECTION_ARRAYS, "survived", cases[i].survived, cases[i].rows);
        else
            builder_f64(builder, SECTION_ARRAYS, "survived", numbers, cases[i].rows);
        if (cases[i].other != NULL)
            builder_i64(builder, SECTION_ARRAYS, cases[i].other, one, 1);
        model = model_build(builder);
        check_that((model_check(env, model, model->size) == NULL) == (i == 0), __FILE__, __LINE__, "forged votes %zu", i);
    }
}

static void check_cancel(Host *host)
{
    Env *env = &host->env;
    Rows *rows = make_rows(env, 20000, 8, 3, false);

    host->polls = 0;
    host->cancel_at = 50;
    if (TRY(host)) {
        fit_these(env, "perceptron", rows, "{\"max_iter\": 100000}");
        check_that(false, __FILE__, __LINE__, "a canceled fit went on");
    }
    TRY_END(host);
    host->cancel_at = 0;
    CHECK(host->polls >= 50);
}

int main(void)
{
    Host *host = host_new();

    check_dropped(host);
    host_reset(host);
    check_weights(&host->env);
    check_forged(&host->env);
    host_reset(host);
    check_spilled(host);
    check_separated(host);
    host_reset(host);
    check_votes(host);
    check_dominant(host);
    check_forged_votes(&host->env);
    host_reset(host);
    check_votes_refused(host);
    host_reset(host);
    check_cancel(host);
    host_free(host);
    return check_report();
}
