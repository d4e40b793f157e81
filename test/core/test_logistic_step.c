/*
 * test_logistic_step.c - steps of logistic models against the fit over rows: the same end, whatever is merged in
 * which order and sent as text; steps that are taken back; forged states.
 */
#include "check.h"
#include "fit.h"

#include "core/linear_equations/linear_classifier.h"
#include "core/logistic/logistic_model.h"
#include "core/logistic/logistic_step.h"
#include "core/estimators.h"

#include <stdlib.h>

#define ROWS 900
#define NUMBERS 4 /* and one category of three levels */

static double x[ROWS][NUMBERS + 1], weight[ROWS];
static uint32_t y[ROWS];

static void make_rows(uint64_t seed, uint32_t classes)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double best = -INFINITY;

        for (uint32_t j = 0; j < NUMBERS; j++)
            x[i][j] = random_normal(&seed) * (j == 1 ? 1000 : 1) + (j == 2 ? 1e6 : 0);
        x[i][NUMBERS] = (uint32_t)(random_uniform(&seed) * 3);
        for (uint32_t c = 0; c < classes; c++) {
            double score = 1.5 * random_normal(&seed) + x[i][0] * sin(c) + x[i][1] / 1000 * cos(c * 2) +
                           (x[i][2] - 1e6) * sin(c + 2) + sin(c + x[i][NUMBERS]);

            if (score > best) {
                best = score;
                y[i] = c;
            }
        }
        weight[i] = 0.5 + random_uniform(&seed);
    }
}

/* Levels and classes appear in their final order here. */
static Model *with_dictionaries(Env *env, Model *value, uint32_t classes)
{
    static const char *const levels[] = {"a", "b", "c"}, *const labels[] = {"k", "l", "m", "n"};
    uint32_t position;

    for (uint32_t l = 0; l < 3; l++)
        value = dictionary_add(env, value, DICTIONARY_LEVELS, NUMBERS, levels[l], 1, false, 0, &position);
    for (uint32_t c = 0; c < classes; c++)
        value = dictionary_add(env, value, DICTIONARY_CLASSES, 0, labels[c], 1, false, 0, &position);
    return value;
}

static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_CATEGORICAL};
static const SchemaSpec spec = {.field_count = NUMBERS + 1, .kinds = kinds, .class_type = "text"};

static Options *options_of(Env *env, const char *json)
{
    const OptionSpec *const *tables = estimator_logistic_regression.options;

    return options_parse(env, "logistic_regression", tables, json, strlen(json), NULL, NULL, 0);
}

static Model *start(Env *env, uint32_t classes, const char *options)
{
    Model *state = with_dictionaries(
        env, moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS, .flags = MODEL_WEIGHTED}), classes);

    for (uint32_t i = 0; i < ROWS; i++)
        state = moments_add(env, state, x[i], NULL, y[i], weight[i]);
    return logistic_start(env, &estimator_logistic_regression, moments_finish(env, state), options_of(env, options));
}

static Model *fit_these(Env *env, uint32_t classes, const char *options)
{
    RowsPool *pool = rows_pool(env);
    FitInput input = {.kind = INPUT_ROWS};

    input.rows = rows_new(pool, with_dictionaries(env, schema_model(env, &spec), classes), ROWS_TARGET | ROWS_WEIGHT);
    for (uint32_t i = 0; i < ROWS; i++)
        rows_append(input.rows, x[i], y[i], weight[i], NULL, 0);
    return estimator_fit(env, &estimator_logistic_regression, &input, options_of(env, options), true);
}

static Model *add_rows(Env *env, Model *state, uint32_t first, uint32_t last)
{
    ModelStepHints hints = {0};

    for (uint32_t i = first; i < last; i++)
        logistic_step.add_labeled(env, state, NULL, x[i], y[i], weight[i], 0, &hints);
    return state;
}

/* One pass in parts that are merged, some of them as text. */
static Model *pass(Env *env, const Model *model, uint32_t parts)
{
    Model *all = logistic_step.begin(env, model);

    for (uint32_t p = 0; p < parts; p++) {
        Model *part = add_rows(env, logistic_step.begin(env, model), ROWS * p / parts, ROWS * (p + 1) / parts);

        if (p % 2 == 0) {
            model_seal(env, part);
            CHECK(model_check(env, part, part->size) == NULL);
            part = model_again(env, part);
        }
        logistic_step.merge(env, all, part);
    }
    CHECK_INT(all->rows, ROWS);
    return logistic_step.finish(env, all);
}

static Model *pass_all(Env *env, const Model *model, uint32_t parts)
{
    for (int i = 0; i < 60 && model_fact(model, "converged", 0) == 0; i++) {
        model = pass(env, model, parts);
        CHECK(model_check(env, model, model->size) == NULL);
        if (model_fact(model, "separated", 0) == 1)
            break;
    }
    return (Model *)model;
}

static void check_same(Host *host, const Model *stepped, const Model *fitted, double tolerance)
{
    Env *env = &host->env;
    Coefficient *a, *b;
    uint32_t count = linear_classifier_coefficients(env, stepped, &a);

    CHECK_INT(model_fact(stepped, "converged", 0), 1);
    CHECK_INT(count, linear_classifier_coefficients(env, fitted, &b));
    for (uint32_t i = 0; i < count; i++) {
        double size = isnan(b[i].std_error) ? fabs(b[i].estimate) + 1e-6 : b[i].std_error;

        CHECK_TEXT(a[i].term, b[i].term);
        CHECK_NEAR(a[i].estimate / size, b[i].estimate / size, tolerance);
        CHECK(isnan(a[i].std_error) == isnan(b[i].std_error));
        if (!isnan(b[i].std_error))
            CHECK_NEAR(a[i].std_error / size, 1, 1e-4);
    }
    CHECK_NEAR(model_fact(stepped, "log_likelihood", 0), model_fact(fitted, "log_likelihood", 0), 1e-9);
    CHECK_NEAR(model_fact(stepped, "null_deviance", 0), model_fact(fitted, "null_deviance", 0), 1e-9);
    CHECK_NEAR(fact_of(env, stepped, "aic"), fact_of(env, fitted, "aic"), 1e-9);
}

static void test_same_end(Host *host)
{
    static const char *const options[] = {
        "{}",
        "{\"lambda\":0.5}",
        "{\"lambda\":3,\"standardize\":true}",
        "{\"lambda\":5,\"penalty\":\"l1\",\"standardize\":true}",
        "{\"lambda\":4,\"penalty\":\"elastic_net\",\"alpha\":0.3}",
        "{\"class_weight\":\"balanced\"}",
        "{\"positive\":\"k\",\"lambda\":1}",
    };
    Env *env = &host->env;

    for (uint32_t classes = 2; classes <= 3; classes++)
        for (size_t o = 0; o < sizeof(options) / sizeof(options[0]) - (classes > 2); o++) {
            make_rows(o * 10 + classes, classes);
            Model *stepped = pass_all(env, start(env, classes, options[o]), 1 + (uint32_t)o);

            Model *fitted = fit_these(env, classes, options[o]);
            if (isnan(fact_of(env, fitted, "aic"))) /* of plain fits alone */
                CHECK(isnan(fact_of(env, stepped, "aic")));
            else
                check_same(host, stepped, fitted, 1e-4);
            CHECK_NEAR(model_fact(stepped, "log_likelihood", 0), model_fact(fitted, "log_likelihood", 0), 1e-8);
            CHECK_INT(model_fact(stepped, "converged", 0), 1);
            if (model_find(fitted, "objective") != NULL)
                CHECK_NEAR(model_fact(stepped, "objective", 0), model_fact(fitted, "objective", 0), 1e-9);
            for (uint32_t i = 0; i < ROWS; i += 50) {
                double a[4], b[4];

                linear_classifier_probabilities(stepped, NULL, x[i], a);
                linear_classifier_probabilities(fitted, NULL, x[i], b);
                for (uint32_t c = 0; c < classes; c++)
                    CHECK_NEAR(a[c], b[c], 1e-5);
            }
            CHECK_INT(host->warnings, 0);
            host_reset(host);
        }
}

/* From a model far away steps overshoot, and are taken back by half until they do not. */
static void test_taken_back(Host *host)
{
    Env *env = &host->env;
    Model *model, *fitted, *next;
    double *coef, *intercept;
    uint32_t length;
    unsigned back = 0;

    make_rows(5, 2);
    fitted = fit_these(env, 2, "{}");
    model = start(env, 2, "{}");
    coef = model_data_mutable(model, model_entry_mutable(model, "coef"));
    coef[0] = 3;
    coef[3] = -4;
    intercept = model_data_mutable(model, model_entry_mutable(model, "intercept"));
    *intercept = *model_f64(model, "offset", &length); /* what follows from the coefficients, for models sent as text */
    for (uint32_t s = 0; s < model->slot_count; s++)
        *intercept -= model_f64(model, "center", &length)[s] * coef[s];
    model_seal(env, model);
    for (int i = 0; i < 80 && model_fact(model, "converged", 0) == 0; i++, model = next) {
        double before = model_fact(model, "step_promise", 0);

        next = pass(env, model, 1);
        back += model_fact(next, "step_promise", 0) == before / 2;
    }
    CHECK(back > 0);
    check_same(host, model, fitted, 1e-4);
    host_reset(host);
}

/* Counts that add up to more than there may be, and iterations that are no count. */
static void test_counts(Host *host, const Model *model)
{
    static const double iterations[] = {-1, 1e300, NAN, 0.5, 41};
    Env *env = &host->env;
    Model *state = logistic_step.begin(env, model), *other = logistic_step.begin(env, model);

    state->rows = state->skipped = MODEL_MAX_ROWS;
    logistic_step.merge(env, state, other);
    other->rows = 1;
    CHECK_FAILS(host, ERROR_RANGE, "more rows than can be counted", logistic_step.merge(env, state, other));
    other->rows = 0;
    other->skipped = 1;
    CHECK_FAILS(host, ERROR_RANGE, "more rows than can be counted", logistic_step.merge(env, state, other));
    for (size_t i = 0; i < sizeof(iterations) / sizeof(iterations[0]); i++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "logistic_regression");

        builder_fact(builder, "iterations", iterations[i]);
        CHECK_INT(model_step_iterations(model_build(builder)), iterations[i] == 41 ? 41 : 0);
    }
}

static void test_edges(Host *host)
{
    Env *env = &host->env;
    Model *model, *state;
    ModelStepHints hints = {0};

    make_rows(6, 2);
    model = start(env, 2, "{}");
    state = logistic_step.begin(env, model);
    CHECK(logistic_step.finish(env, state) == NULL); /* no rows */
    model_step_require(env, &logistic_step, state, model, &hints);
    CHECK_FAILS(host, ERROR_KIND, "not a state of logistic_step", model_step_require(env, &logistic_step, model, NULL, &hints));
    model = pass(env, model, 2);
    CHECK_FAILS(host, ERROR_PARAMETER, "a different model", model_step_require(env, &logistic_step, state, model, &hints));
    CHECK_FAILS(host, ERROR_PARAMETER, "a different model",
                logistic_step.merge(env, state, logistic_step.begin(env, model)));
    test_counts(host, model);
    make_rows(7, 3);
    CHECK_FAILS(host, ERROR_PARAMETER, "does not support", start(env, 3, "{\"multiclass\":\"ovr\"}"));
    CHECK_FAILS(host, ERROR_KIND, "binary problems",
                logistic_step.begin(env, fit_these(env, 3, "{\"multiclass\":\"ovo\"}")));
    CHECK_FAILS(host, ERROR_KIND, "binary problems",
                logistic_step.begin(env, fit_these(env, 3, "{\"multiclass\":\"ovr\"}")));
    CHECK_FAILS(host, ERROR_PARAMETER, "does not support option", start(env, 3, "{\"start\":{}}"));
    for (uint32_t i = 0; i < ROWS; i++)
        y[i] = 0;
    CHECK_FAILS(host, ERROR_DATA, "two classes", start(env, 1, "{}"));
    host_reset(host);

    /* separated, and dependent */
    make_rows(8, 2);
    for (uint32_t i = 0; i < ROWS; i++) {
        y[i] = x[i][0] > 0;
        x[i][3] = 2 * x[i][0] + 1;
    }
    model = start(env, 2, "{}");
    CHECK_HOLDS(host->warning, "1 of 6 terms depends linearly on the others and was dropped: f4");
    model = pass_all(env, model, 1);
    CHECK_INT(model_fact(model, "converged", 1), 0);
    CHECK_INT(model_fact(model, "separated", 0), 1);
    host_reset(host);
}

/* Bytes of the sums changed: refused, or the functions answer or fail as functions do. */
static void test_forged(Host *host)
{
    Env *env = &host->env;
    Model *state, *forged;
    uint64_t seed = 3;
    unsigned sound = 0;

    make_rows(9, 3);
    state = add_rows(env, logistic_step.begin(env, pass(env, start(env, 3, "{\"lambda\":1}"), 1)), 0, 700);
    model_seal(env, state);
    CHECK(model_check(env, state, state->size) == NULL);
    forged = env->alloc(env, state->size);
    for (int trial = 0; trial < 2000; trial++) {
        memcpy(forged, state, state->size);
        if (!forge_array(&seed, forged, 1 + trial % 4))
            continue;
        model_seal(env, forged);
        if (model_check(env, forged, forged->size) != NULL)
            continue;
        sound++;
        if (TRY(host)) {
            add_rows(env, forged, 0, 400);
            logistic_step.merge(env, forged, state);
            logistic_step.finish(env, forged);
        }
        TRY_END(host);
    }
    CHECK(sound > 100);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_same_end(host);
    test_taken_back(host);
    test_edges(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
