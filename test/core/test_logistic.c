/*
 * test_logistic.c - logistic fits against the conditions of their optimum, computed here row by row; bits
 * that do not depend on the budget; separation, cancels, forged models.
 */
#include "check.h"
#include "fit.h"

#include "core/linear_equations/linear_classifier.h"

#include <stdlib.h>

/* ---- rows ---- */

typedef struct Data {
    uint32_t rows, numbers, classes;
    bool category; /* one more feature, of three levels */
    double *x;     /* [rows x slots] level as running position */
    double *w;     /* NULL: 1 */
    uint32_t *y;   /* running positions of the labels "c1", "c2" ... in a shuffled order */
} Data;

static uint32_t slots_of(const Data *data)
{
    return data->numbers + data->category;
}

/* The last class appears first, so that running and final order differ. */
static uint32_t final_class(const Data *data, uint32_t running)
{
    return data->classes - 1 - running;
}
/* Levels b, a, c as they appear. */
static const char *const level_names[] = {"b", "a", "c"};
static const uint32_t final_level[] = {1, 0, 2};

static Data data_new(uint64_t seed, uint32_t rows, uint32_t numbers, uint32_t classes, bool category, bool weights)
{
    Data data = {.rows = rows, .numbers = numbers, .classes = classes, .category = category};
    uint32_t slots = slots_of(&data);

    data.x = malloc((size_t)rows * slots * sizeof(double));
    data.w = weights ? malloc(rows * sizeof(double)) : NULL;
    data.y = malloc(rows * sizeof(uint32_t));
    for (uint32_t i = 0; i < rows; i++) {
        double *x = data.x + (size_t)i * slots, best = -INFINITY;

        for (uint32_t j = 0; j < numbers; j++)
            x[j] = random_normal(&seed) * (1 + j % 3);
        if (category)
            x[numbers] = (uint32_t)(random_uniform(&seed) * 3);
        for (uint32_t c = 0; c < classes; c++) {
            double score = 1.5 * random_normal(&seed);

            for (uint32_t j = 0; j < numbers; j++)
                score += x[j] * sin(1 + c * 7 + j) / (1 + j % 3);
            if (category)
                score += sin(x[numbers] * 3 + c);
            if (score > best) {
                best = score;
                data.y[i] = final_class(&data, c);
            }
        }
        if (weights)
            data.w[i] = 0.5 + random_uniform(&seed);
    }
    return data;
}

static void data_free(Data *data)
{
    free(data->x);
    free(data->w);
    free(data->y);
}

static Rows *rows_of(Env *env, RowsPool *pool, const Data *data)
{
    uint32_t slots = slots_of(data), position;
    FieldKind *kinds = env_array(env, slots, sizeof(FieldKind));
    SchemaSpec spec = {.field_count = slots, .kinds = kinds, .class_type = "text"};
    Model *schema;
    Rows *rows;

    for (uint32_t j = 0; j < slots; j++)
        kinds[j] = data->category && j == data->numbers ? FIELD_CATEGORICAL : FIELD_NUMERIC;
    schema = schema_model(env, &spec);
    for (uint32_t c = 0; c < data->classes; c++) {
        char label[8];

        snprintf(label, sizeof(label), "c%03u", final_class(data, c));
        schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, label, (uint32_t)strlen(label), false, 0,
                                &position);
    }
    for (uint32_t l = 0; data->category && l < 3; l++)
        schema = dictionary_add(env, schema, DICTIONARY_LEVELS, data->numbers, level_names[l], 1, false, 0,
                                &position);
    rows = rows_new(pool, schema, ROWS_TARGET | (data->w ? ROWS_WEIGHT : 0));
    for (uint32_t i = 0; i < data->rows; i++)
        rows_append(rows, data->x + (size_t)i * slots, data->y[i], data->w ? data->w[i] : 1, NULL, 0);
    return rows;
}

static Model *fit(Env *env, const Data *data, const char *options)
{
    const Estimator *method = estimator_find("logistic_regression");
    const OptionSpec *const *tables = method->options;
    Options *parsed = options_parse(env, method->name, tables, options, strlen(options), NULL, NULL, 0);
    RowsPool *pool = rows_pool(env);
    FitInput input = {.kind = INPUT_ROWS, .rows = rows_of(env, pool, data)};
    Model *model = estimator_fit(env, method, &input, parsed, true);

    rows_pool_free(pool);
    return model;
}

/* Encodes a row as scoring gets it. */
static void encode(const Data *data, uint32_t row, double *slots)
{
    memcpy(slots, data->x + (size_t)row * slots_of(data), slots_of(data) * sizeof(double));
    if (data->category)
        slots[data->numbers] = final_level[(uint32_t)slots[data->numbers]];
}

/* ---- the optimum ---- */

/*
 * Of every equation and column: the derivative of the loss from probabilities of the scorer, against what the
 * penalty asks for. factors: class weights in final order, or NULL.
 */
static void check_optimum(const Data *data, const Model *model, double l1, double l2, const double *factors,
                          double tolerance)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    uint32_t slots = slots_of(data), columns = slots + (data->category ? 3 : 0), equations, length;
    double *gradient, *p = malloc(data->classes * sizeof(double)), *x = malloc(slots * sizeof(double));
    const ModelEntry *reference = model_find(model, "reference");
    const uint8_t *references = reference ? model_data(model, reference) : NULL;
    bool intercept = model_f64(model, "intercept", &length) != NULL;
    double scale = 0, loss = 0;
    LinearView view;

    linear_view(model, &view);
    equations = view.equations;
    gradient = calloc((size_t)equations * (columns + 1), sizeof(double));
    for (uint32_t i = 0; i < data->rows; i++) {
        uint32_t y = final_class(data, data->y[i]);
        double w = (data->w ? data->w[i] : 1) * (factors ? factors[y] : 1);

        encode(data, i, x);
        scoring->probabilities(model, NULL, x, p);
        loss -= w * log(p[y]);
        for (uint32_t e = 0; e < equations; e++) {
            uint32_t class = equations == 1 ? 1 : e;
            double residual = w * (p[class] - (y == class)), *g = gradient + (size_t)e * (columns + 1);

            g[columns] += residual;
            for (uint32_t j = 0; j < data->numbers; j++)
                g[j] += residual * x[j];
            if (data->category)
                g[slots + (uint32_t)x[data->numbers]] += residual;
        }
        scale += w;
    }
    for (uint32_t e = 0; e < equations; e++)
        for (uint32_t j = 0; j <= columns; j++) {
            double g = gradient[(size_t)e * (columns + 1) + j] / scale;
            double b = j < columns ? view.coef[(size_t)e * view.columns + j] : 0;

            if (j == columns) {
                if (intercept)
                    CHECK_NEAR(g, 0, tolerance);
            } else if (data->category && (j == data->numbers || (j >= slots && references[j - slots]))) {
                CHECK(b == 0);
            } else if (b != 0) {
                CHECK_NEAR(g + (2 * l2 * b + l1 * (b > 0 ? 1 : -1)) / scale, 0, tolerance);
            } else if (l1 > 0) {
                CHECK(fabs(g) <= l1 / scale + tolerance);
            } else if (!(equations > 1 && l2 == 0 && e == 0)) { /* the reference class stays at 0 */
                CHECK_NEAR(g, 0, tolerance);
            }
        }
    CHECK_NEAR(-model_fact(model, "log_likelihood", NAN) / scale, loss / scale, 1e-9);
    free(gradient);
    free(p);
    free(x);
}

static void test_optimum(Host *host)
{
    static const struct {
        const char *options;
        double l1, l2;
    } cases[] = {
        {"{}", 0, 0},
        {"{\"lambda\":0.7}", 0, 0.7},
        {"{\"lambda\":300}", 0, 300},
        {"{\"lambda\":4,\"penalty\":\"l1\"}", 4, 0},
        {"{\"lambda\":40,\"penalty\":\"l1\"}", 40, 0},
        {"{\"lambda\":6,\"alpha\":0.25,\"penalty\":\"elastic_net\"}", 1.5, 4.5},
        {"{\"intercept\":false}", 0, 0},
        {"{\"intercept\":false,\"lambda\":2}", 0, 2},
    };
    Env *env = &host->env;

    for (uint32_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        for (uint32_t classes = 2; classes <= 4; classes++)
            for (int kind = 0; kind < 4; kind++) {
                Data data = data_new(c * 100 + classes * 10 + (uint32_t)kind, 700, 5, classes, kind & 1, kind & 2);
                Model *model = fit(env, &data, cases[c].options);

                CHECK(model_check(env, model, model->size) == NULL);
                CHECK_INT(model_fact(model, "converged", 0), 1);
                check_optimum(&data, model, cases[c].l1, cases[c].l2, NULL, 1e-7);
                data_free(&data);
                host_reset(host);
            }
}

/* Makes neighboring columns correlated. */
static void mix_columns(Data *data)
{
    uint32_t slots = slots_of(data);

    for (uint32_t i = 0; i < data->rows; i++)
        for (uint32_t j = 1; j < data->numbers; j++)
            data->x[(size_t)i * slots + j] = 0.2 * data->x[(size_t)i * slots + j] + data->x[(size_t)i * slots + j - 1];
}

/* Many columns and rows, fitted by gradients: independent columns, correlated ones, rare classes. */
static void test_gradients(Host *host)
{
    static const struct {
        const char *options;
        double l2;
    } cases[] = {
        {"{\"lambda\":0.5}", 0.5},
        {"{\"lambda\":1e-6}", 1e-6},
        {"{\"lambda\":400}", 400},
        {"{\"intercept\":false,\"lambda\":2}", 2},
    };
    Env *env = &host->env;

    for (uint32_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        for (uint32_t classes = 2; classes <= 4; classes += 2)
            for (int kind = 0; kind < 4; kind++) {
                Data data = data_new(c * 100 + classes * 10 + (uint32_t)kind, 2700, 33, classes, kind & 1, kind & 2);
                Model *model;

                if (kind >= 2)
                    mix_columns(&data);
                for (uint32_t i = 0; kind == 3 && i < data.rows; i++)
                    if (i % 50 != 0)
                        data.y[i] = 0;
                model = fit(env, &data, cases[c].options);
                CHECK_INT(model_fact(model, "converged", 0), 1);
                check_optimum(&data, model, 0, cases[c].l2, NULL, 1e-8);
                data_free(&data);
                host_reset(host);
            }
}

/* Tells whether a standard error or a variance is the same in nine digits, or missing in both. */
static bool same_or_near(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fabs(b);
}

/* Many columns without a penalty begin by gradients, from 50 steps on: estimates and standard errors are those of Newton's method alone. */
static void test_gradients_without_penalty(Host *host)
{
    static const char *const options[][2] = {{"{}", "{\"max_iter\":49,\"tolerance\":1e-18}"},
                                             {"{\"intercept\":false}", "{\"intercept\":false,\"max_iter\":49,\"tolerance\":1e-18}"},
                                             {"{\"class_weight\":\"balanced\"}", "{\"class_weight\":\"balanced\",\"max_iter\":49,\"tolerance\":1e-18}"}};
    Env *env = &host->env;
    int others = 0;

    for (uint32_t classes = 2; classes <= 3; classes++)
        for (int kind = 0; kind < 12; kind++) {
            Data data = data_new(classes * 100 + (uint32_t)kind, 1500, classes == 2 ? 33 : 60, classes, kind & 1, kind & 2);
            uint32_t slots = slots_of(&data);
            Model *first, *alone;

            for (uint32_t i = 0; kind % 4 == 1 && i < data.rows; i++) /* separated by one column */
                data.x[(size_t)i * slots + 5] = i % 100 == 0 && data.y[i] == 0;
            if (kind % 4 >= 2)
                mix_columns(&data);
            first = fit(env, &data, options[kind / 4][0]);
            alone = fit(env, &data, options[kind / 4][1]);
            CHECK_INT(model_fact(first, "separated", 0), kind % 4 == 1);
            CHECK_INT(model_fact(first, "separated", 0), model_fact(alone, "separated", 0));
            CHECK_INT(model_fact(first, "converged", 0), kind % 4 != 1);
            others += model_fact(first, "iterations", 0) != model_fact(alone, "iterations", 0);
            for (uint32_t j = 0; kind % 4 != 1 && j < slots; j++) {
                CHECK(fabs(array_at(first, "coef", j) - array_at(alone, "coef", j)) <= 1e-11 * (1 + fabs(array_at(alone, "coef", j))));
                CHECK(same_or_near(array_at(first, "covariance_packed", j * (j + 3) / 2), array_at(alone, "covariance_packed", j * (j + 3) / 2)));
                CHECK(same_or_near(array_at(first, "coef_error", slots + j), array_at(alone, "coef_error", slots + j)));
            }
            data_free(&data);
            host_reset(host);
        }
    CHECK(others > 5);
}

/*
 * Many columns separate rows whose weights differ by six orders of magnitude, and a penalty is small: full steps of the curvature fail, and
 * one that took such a step halved went without the curvature for good. 1,000 steps did not converge.
 */
static void test_halved_steps_keep_curvature(Host *host)
{
    Data data = data_new(5, 300, 200, 2, false, true);
    Model *model;

    for (uint32_t i = 0; i < data.rows; i++)
        data.w[i] = pow(10, 6 * (data.w[i] - 0.5) - 3);
    model = fit(&host->env, &data, "{\"lambda\":1e-4,\"max_iter\":200}");
    CHECK_INT(model_fact(model, "converged", 0), 1);
    check_optimum(&data, model, 0, 1e-4, NULL, 1e-8);
    data_free(&data);
    host_reset(host);
}

/* Any start leads to the same optimum, also with many numbers. */
static void test_starts(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(5, 900, 6, 3, true, false);
    Model *model = fit(env, &data, "{\"lambda\":1}"), *again;
    size_t length;
    char *text = model_to_text(env, model, &length);
    char *options = malloc(length + 100);

    snprintf(options, length + 100, "{\"lambda\":1,\"start\":%s}", text);
    again = fit(env, &data, options);
    CHECK(model_fact(again, "iterations", 99) <= 2);
    CHECK_NEAR(array_at(again, "coef", 4), array_at(model, "coef", 4), 1e-9);
    snprintf(options, length + 100, "{\"lambda\":3,\"start\":%s}", text);
    check_optimum(&data, fit(env, &data, options), 0, 3, NULL, 1e-8);
    snprintf(options, length + 100, "{\"start\":%s}", text);
    check_optimum(&data, fit(env, &data, options), 0, 0, NULL, 1e-8);
    snprintf(options, length + 100, "{\"multiclass\":\"ovo\",\"start\":%s}", text);
    CHECK_FAILS(host, ERROR_PARAMETER, "its strategy or positive class differs", fit(env, &data, options));
    data.classes = 2;
    for (uint32_t i = 0; i < data.rows; i++)
        data.y[i] %= 2;
    snprintf(options, length + 100, "{\"start\":%s}", text);
    CHECK_FAILS(host, ERROR_PARAMETER, "classes differ", fit(env, &data, options));
    free(options);
    data_free(&data);
    host_reset(host);
}

/* More numbers than Newton's method accepts. */
static void test_many(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(8, 600, 300, 3, true, false);
    Model *model = fit(env, &data, "{\"lambda\":20}");

    CHECK_INT(model_fact(model, "converged", 0), 1);
    check_optimum(&data, model, 0, 20, NULL, 1e-5);
    model = fit(env, &data, "{\"lambda\":12,\"penalty\":\"l1\"}");
    CHECK_INT(model_fact(model, "converged", 0), 1);
    check_optimum(&data, model, 12, 0, NULL, 1e-5);
    data_free(&data);
    data = data_new(9, 60, 900, 2, false, false); /* more features than rows: no maximum */
    model = fit(env, &data, "{}");
    CHECK_INT(model_fact(model, "separated", 0), 1);
    CHECK_INT(model_fact(model, "converged", 1), 0);
    CHECK_HOLDS(host->warning, "some or all rows for certain");
    data_free(&data);
    host_reset(host);
}

/* ---- invariances ---- */

/* Rows in memory and spilled rows give the same bits; another order of rows the same numbers. */
static void check_budget(Host *host, uint32_t features)
{
    Env *env = &host->env;
    size_t limit = env->memory_limit;
    Data data = data_new(11, 6000, features, 3, true, true);
    uint64_t fingerprint = 0, seed = 3;
    Model *model;
    double *numbers = malloc(1000 * sizeof(double));
    uint32_t *order = malloc(data.rows * sizeof(uint32_t)), slots = slots_of(&data);

    for (int i = 0; i < 3; i++) {
        env->memory_limit = i == 0 ? 64u << 20 : (i == 1 ? 256u : 120u) * (features < 10 ? 1 : 12) << 10;
        model = fit(env, &data, "{\"lambda\":2,\"standardize\":true}");
        if (i == 0)
            fingerprint = model->fingerprint;
        CHECK(model->fingerprint == fingerprint);
    }
    env->memory_limit = limit;
    for (uint32_t j = 0; j < 3 * (slots + 3); j++)
        numbers[j] = array_at(model, "coef", j);
    random_order(&seed, order, data.rows);
    for (uint32_t i = 0; i < data.rows; i++) { /* any permutation would do */
        uint32_t k = order[i], y = data.y[i];
        double w = data.w[i];

        for (uint32_t j = 0; j < slots; j++) {
            double x = data.x[(size_t)i * slots + j];

            data.x[(size_t)i * slots + j] = data.x[(size_t)k * slots + j];
            data.x[(size_t)k * slots + j] = x;
        }
        data.y[i] = data.y[k];
        data.y[k] = y;
        data.w[i] = data.w[k];
        data.w[k] = w;
    }
    model = fit(env, &data, "{\"lambda\":2,\"standardize\":true}");
    for (uint32_t j = 0; j < 3 * (slots + 3); j++)
        CHECK_NEAR(array_at(model, "coef", j), numbers[j], features < 10 ? 1e-9 : 1e-8);
    free(numbers);
    free(order);
    data_free(&data);
    host_reset(host);
}

/* By Newton's method and by gradients. */
static void test_budget(Host *host)
{
    check_budget(host, 7);
    check_budget(host, 33);
}

/* Whole weights count as repeated rows, class weights as weights. */
static void test_weights(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(21, 500, 4, 2, false, true), twice = data_new(21, 1000, 4, 2, false, false);
    Model *weighted, *repeated;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < data.rows; i++) {
        data.w[i] = 1 + i % 2;
        for (uint32_t k = 0; k < data.w[i]; k++, kept++) {
            memcpy(twice.x + kept * 4, data.x + i * 4, 4 * sizeof(double));
            twice.y[kept] = data.y[i];
        }
    }
    twice.rows = kept;
    weighted = fit(env, &data, "{}");
    repeated = fit(env, &twice, "{}");
    for (uint32_t j = 0; j < 4; j++)
        CHECK_NEAR(array_at(weighted, "coef", j), array_at(repeated, "coef", j), 1e-9);
    for (uint32_t j = 0; j < 15; j++)
        CHECK_NEAR(array_at(weighted, "covariance_packed", j), array_at(repeated, "covariance_packed", j), 1e-9);
    CHECK_NEAR(fact_of(env, weighted, "deviance"), fact_of(env, repeated, "deviance"), 1e-9);
    for (uint32_t i = 0; i < data.rows; i++)
        data.w[i] = final_class(&data, data.y[i]) == 1 ? 3 : 1;
    weighted = fit(env, &data, "{}");
    free(data.w);
    data.w = NULL;
    repeated = fit(env, &data, "{\"class_weight\":{\"c001\":3}}");
    for (uint32_t j = 0; j < 4; j++)
        CHECK_NEAR(array_at(weighted, "coef", j), array_at(repeated, "coef", j), 1e-9);
    CHECK(model_find(weighted, "covariance_packed") != NULL && model_find(repeated, "covariance_packed") == NULL);
    data_free(&data);
    data_free(&twice);
    host_reset(host);
}

/* Features far from 0 and in other units give the same scores, also with standardized penalties. */
static void test_units(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(31, 800, 3, 2, false, false), moved = data_new(31, 800, 3, 2, false, false);
    static const char *const options[] = {"{}", "{\"lambda\":3,\"standardize\":true}",
                                          "{\"lambda\":3,\"standardize\":true,\"penalty\":\"l1\"}"};

    for (uint32_t i = 0; i < data.rows; i++) {
        moved.x[i * 3] = data.x[i * 3] * 1e150;
        moved.x[i * 3 + 1] = data.x[i * 3 + 1] * 1e-150;
        moved.x[i * 3 + 2] = 1e9 + data.x[i * 3 + 2];
    }
    for (int k = 0; k < 3; k++) {
        Model *a = fit(env, &data, options[k]), *b = fit(env, &moved, options[k]);
        double p[2], q[2];

        for (uint32_t i = 0; i < 50; i++) {
            linear_classifier_probabilities(a, NULL, data.x + i * 3, p);
            linear_classifier_probabilities(b, NULL, moved.x + i * 3, q);
            CHECK_NEAR(p[1], q[1], 1e-6);
        }
        CHECK_NEAR(array_at(b, "coef", 0) * 1e150, array_at(a, "coef", 0), 1e-5);
    }
    data_free(&data);
    data_free(&moved);
    host_reset(host);
}

/* A fit of thousands of numbers without a penalty has no standard errors; computing them once crashed the server. */
static void test_many_unpenalized(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(14, 3000, 30, 40, false, false);
    Model *model = fit(env, &data, "{}");

    CHECK_INT(model_fact(model, "converged", 0), 1);
    CHECK(model_check(env, model, model->size) == NULL && model_find(model, "coef_error") == NULL);
    check_optimum(&data, model, 0, 0, NULL, 1e-5);
    data_free(&data);
    host_reset(host);
}

/* Variances of coefficients that overflow once made a model that could not be read. */
static void test_endless_variance(Host *host)
{
    Env *env = &host->env;

    for (uint32_t classes = 2; classes <= 3; classes++) {
        Data data = data_new(15, 400, 3, classes, false, true);
        Model *model;

        for (uint32_t i = 0; i < data.rows; i++) {
            data.w[i] = 3e-202;
            data.y[i] = i % 40 == 0 ? i / 40 % classes : 0;
            for (uint32_t j = 0; j < 3; j++)
                data.x[i * 3 + j] *= 1e-54;
        }
        model = fit(env, &data, "{}");
        CHECK_INT(model_fact(model, "converged", 0), 1);
        CHECK(model_check(env, model, model->size) == NULL);
        CHECK(model_find(model, "covariance_packed") == NULL && model_find(model, "coef_error") == NULL);
        data_free(&data);
        host_reset(host);
    }
}

/* A feature so small that its squares are 0 does not count as dependent. */
static void test_small_squares(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(16, 400, 3, 2, false, false);

    for (uint32_t i = 0; i < data.rows; i++)
        data.x[i * 3 + 1] *= 1e-200;
    CHECK_FAILS(host, ERROR_RANGE, "too small for a number", fit(env, &data, "{}"));
    CHECK_FAILS(host, ERROR_RANGE, "too small for a number", fit(env, &data, "{\"lambda\":1}"));
    data_free(&data);
    host_reset(host);
}

/* ---- separated classes ---- */

static void test_separated(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(41, 40, 2, 2, false, false);
    Model *model;

    for (uint32_t i = 0; i < data.rows; i++)
        data.y[i] = data.x[i * 2] > 0;
    model = fit(env, &data, "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "\"f1\" alone tells the class of some rows");
    CHECK_INT(model_fact(model, "converged", 1), 0);
    CHECK_INT(model_fact(model, "separated", 0), 1);
    CHECK(model_find(model, "covariance_packed") == NULL && model_check(env, model, model->size) == NULL);
    host_reset(host);
    /* except one point on the boundary, and three classes of which one is separated */
    for (uint32_t i = 0; i < data.rows; i++)
        data.y[i] = i < 6 ? i % 2 : data.x[i * 2] > 0;
    for (uint32_t i = 0; i < 6; i++)
        data.x[i * 2] = 0;
    model = fit(env, &data, "{}");
    CHECK_INT(model_fact(model, "separated", 0), 1);
    CHECK_HOLDS(host->warning, "\"f1\" alone tells the class of some rows");
    host_reset(host);
    data.classes = 3;
    for (uint32_t i = 0; i < data.rows; i++)
        data.y[i] = data.x[i * 2] > 0.7 ? 2 : i % 2;
    model = fit(env, &data, "{}");
    CHECK_INT(model_fact(model, "separated", 0), 1);
    host_reset(host);
    model = fit(env, &data, "{\"lambda\":0.001}");
    CHECK_INT(host->warnings, 0);
    CHECK_INT(model_fact(model, "converged", 0), 1);
    check_optimum(&data, model, 0, 0.001, NULL, 1e-8);
    data_free(&data);
    host_reset(host);
}

/* Classes that are nearly separated have a maximum, with large coefficients. */
static void test_near_separation(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(43, 200, 1, 2, false, false);
    Model *model;

    for (uint32_t i = 0; i < data.rows; i++) {
        data.x[i] = (double)i - 99.5;
        data.y[i] = i == 99 || (i >= 100 && i != 100);
    }
    model = fit(env, &data, "{}");
    CHECK_INT(host->warnings, 0);
    CHECK_INT(model_fact(model, "converged", 0), 1);
    check_optimum(&data, model, 0, 0, NULL, 1e-7);
    data_free(&data);
    host_reset(host);
}

static void test_dropped(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(51, 300, 4, 2, false, false);
    Model *model;
    Coefficient *list;

    for (uint32_t i = 0; i < data.rows; i++) {
        data.x[i * 4 + 1] = 7;
        data.x[i * 4 + 3] = 2 * data.x[i * 4] - data.x[i * 4 + 2] + 5;
    }
    model = fit(env, &data, "{}");
    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "2 of 4 terms depend linearly on the others and were dropped: f2, f4");
    CHECK_INT(estimator_of(model)->coefficients(env, model, &list), 5);
    CHECK(isnan(list[2].estimate) && isnan(list[4].estimate) && list[1].std_error > 0);
    check_optimum(&data, model, 0, 0, NULL, 1e-8);
    host_reset(host);
    model = fit(env, &data, "{\"lambda\":1}");
    CHECK_INT(host->warnings, 0);
    check_optimum(&data, model, 0, 1, NULL, 1e-8);
    data_free(&data);
    host_reset(host);
}

static void test_refused(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(61, 30, 2, 2, false, false);
    static const struct {
        const char *options, *words;
    } cases[] = {
        {"{\"lambda\":-1}", "lambda"},
        {"{\"alpha\":1.5,\"penalty\":\"elastic_net\",\"lambda\":1}", "alpha"},
        {"{\"alpha\":0.5,\"lambda\":1}", "alpha"},
        {"{\"penalty\":\"l1\"}", "needs option \"lambda\""},
        {"{\"penalty\":\"none\",\"lambda\":2}", "is \"none\", but \"lambda\" is 2"},
        {"{\"penalty\":\"l3\",\"lambda\":2}", "penalty"},
        {"{\"max_iter\":0}", "max_iter"},
        {"{\"tolerance\":0}", "tolerance"},
        {"{\"start\":5}", "start"},
    };

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_FAILS(host, ERROR_PARAMETER, cases[i].words, fit(env, &data, cases[i].options));
    CHECK_FAILS(host, ERROR_DATA, "zebra", fit(env, &data, "{\"positive\":\"zebra\"}"));
    CHECK_FAILS(host, ERROR_DATA, "zebra", fit(env, &data, "{\"class_weight\":{\"zebra\":2}}"));
    data.classes = 1;
    for (uint32_t i = 0; i < data.rows; i++)
        data.y[i] = 0;
    CHECK_FAILS(host, ERROR_DATA, "at least two classes", fit(env, &data, "{}"));
    data_free(&data);
    data = data_new(62, 400, 20, 2, false, false);
    env->memory_limit = 2000;
    CHECK_FAILS(host, ERROR_LIMIT, "pgfit.fit_mem", fit(env, &data, "{}"));
    data_free(&data);
    host_reset(host);
}

static void test_cancel(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(63, 4000, 6, 3, false, false);

    env->memory_limit = 64u << 10;
    for (uint64_t at = 1; at < 400; at += 37) {
        host->cancel_at = host->polls + at;
        if (TRY(host))
            fit(env, &data, "{}");
        TRY_END(host);
        host_reset(host);
    }
    host->cancel_at = 0;
    data_free(&data);
}

/* max_iter is respected and reported. */
static void test_unfinished(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(64, 400, 3, 2, false, false);
    Model *model = fit(env, &data, "{\"max_iter\":1}");

    CHECK_INT(host->warnings, 1);
    CHECK_HOLDS(host->warning, "stopped after 1 step");
    CHECK_INT(model_fact(model, "converged", 1), 0);
    CHECK_INT(model_fact(model, "iterations", 0), 1);
    data_free(&data);
    host_reset(host);
}

/* ---- forged models ---- */

/* With every byte of every array changed, the scorer works or the check refuses. */
static void test_forged(Host *host)
{
    Env *env = &host->env;
    Data data = data_new(71, 200, 2, 3, true, false);
    static const char *const options[] = {"{}", "{\"multiclass\":\"ovo\"}", "{\"multiclass\":\"ecoc\"}"};
    uint64_t seed = 2;

    for (int k = 0; k < 3; k++) {
        Model *model = fit(env, &data, options[k]), *forged = env->alloc(env, model->size);
        const Scoring *scoring = estimator_of(model)->scoring;
        unsigned sound = 0;

        for (int trial = 0; trial < 3000; trial++) {
            double slots[3] = {1, 2, trial % 4}, out[8];
            size_t ignored;
            void *prepared;

            memcpy(forged, model, model->size);
            if (!forge_array(&seed, forged, 1 + (int)(trial % 8)))
                continue;
            model_seal(env, forged);
            if (model_check(env, forged, forged->size) != NULL)
                continue;
            sound++;
            prepared = scoring->prepares(forged) ? scoring->prepare(env, forged, &ignored) : NULL;
            CHECK(scoring->classify(forged, prepared, slots) < 3);
            scoring->probabilities(forged, prepared, slots, out);
            scoring->decisions(forged, prepared, slots, out);
            scoring->distance(forged, prepared, slots);
            if (trial % 50 == 0) {
                Coefficient *list;

                estimator_of(forged)->coefficients(env, forged, &list);
                estimator_of(forged)->to_sql(env, forged);
                estimator_of(forged)->summary(env, forged);
            }
        }
        CHECK(sound > 100);
        host_reset(host);
    }
    data_free(&data);
}

int main(void)
{
    Host *host = host_new();
    size_t limit = host->env.memory_limit;
    void (*const tests[])(Host *) = {test_optimum, test_gradients, test_gradients_without_penalty, test_halved_steps_keep_curvature, test_starts, test_many, test_budget, test_weights,
                                     test_many_unpenalized, test_endless_variance, test_small_squares, test_units,
                                     test_separated, test_near_separation, test_dropped, test_refused, test_cancel,
                                     test_unfinished, test_forged};

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tests[i](host);
        host->env.memory_limit = limit;
    }
    host_free(host);
    return check_report();
}
