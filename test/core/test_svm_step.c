/*
 * test_svm_step.c - steps of support vector machines against the fit over rows: the same end, whatever is merged in which order and sent as text;
 * steps that are taken back; forged states.
 */
#include "check.h"
#include "fit.h"

#include "core/linear_equations/linear_classifier.h"
#include "core/estimators.h"
#include "core/model/model.h"
#include "core/svm/svm_step.h"

#include <stdlib.h>

#define ROWS 900
#define NUMBERS 4 /* and one category of three levels */

static double x[ROWS][NUMBERS + 1], weight[ROWS], y[ROWS];

/* classes 0: numbers */
static void make_rows(uint64_t seed, uint32_t classes)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double best = -INFINITY;

        for (uint32_t j = 0; j < NUMBERS; j++)
            x[i][j] = random_normal(&seed) * (j == 1 ? 1000 : 1) + (j == 2 ? 1e6 : 0);
        x[i][NUMBERS] = (uint32_t)(random_uniform(&seed) * 3);
        for (uint32_t c = 0; c < (classes > 0 ? classes : 1); c++) {
            double score = random_normal(&seed) + 3 * (x[i][0] * sin(c + 1) + x[i][1] / 1000 * cos(c * 2) + (x[i][2] - 1e6) * sin(c + 2)) + sin(c + x[i][NUMBERS]);

            if (score > best) {
                best = score;
                y[i] = classes > 0 ? c : score;
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

static SchemaSpec spec_of(uint32_t classes)
{
    return (SchemaSpec){.field_count = NUMBERS + 1, .kinds = kinds, .class_type = classes > 0 ? "text" : NULL};
}

static const Estimator *estimator_for(uint32_t classes)
{
    return classes > 0 ? &estimator_svm_classifier : &estimator_svm_regression;
}

static const ModelStep *step_for(uint32_t classes)
{
    return classes > 0 ? &svm_classifier_step : &svm_regression_step;
}

static Options *options_of(Env *env, uint32_t classes, const char *json)
{
    const Estimator *estimator = estimator_for(classes);

    return options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0);
}

static Model *start(Env *env, uint32_t classes, const char *options)
{
    SchemaSpec spec = spec_of(classes);
    MomentsPlan plan = {.kind = classes > 0 ? MODEL_CLASS_MOMENTS : MODEL_MOMENTS, .flags = MODEL_WEIGHTED};
    Model *state = with_dictionaries(env, moments_new(env, &spec, &plan), classes);

    for (uint32_t i = 0; i < ROWS; i++)
        state = moments_add(env, state, x[i], NULL, y[i], weight[i]);
    return svm_start(env, estimator_for(classes), moments_finish(env, state), options_of(env, classes, options));
}

static Model *fit_these(Env *env, uint32_t classes, const char *options)
{
    SchemaSpec spec = spec_of(classes);
    RowsPool *pool = rows_pool(env);
    FitInput input = {.kind = INPUT_ROWS};

    input.rows = rows_new(pool, with_dictionaries(env, schema_model(env, &spec), classes), ROWS_TARGET | ROWS_WEIGHT);
    for (uint32_t i = 0; i < ROWS; i++)
        rows_append(input.rows, x[i], y[i], weight[i], NULL, 0);
    return estimator_fit(env, estimator_for(classes), &input, options_of(env, classes, options), true);
}

static Model *add_rows(Env *env, uint32_t classes, Model *state, uint32_t first, uint32_t last)
{
    ModelStepHints hints = {0};

    for (uint32_t i = first; i < last; i++)
        step_for(classes)->add_labeled(env, state, NULL, x[i], y[i], weight[i], 0, &hints);
    return state;
}

/* One pass in parts that are merged, some of them as text. */
static Model *pass(Env *env, uint32_t classes, const Model *model, uint32_t parts)
{
    const ModelStep *step = step_for(classes);
    Model *all = step->begin(env, model);

    for (uint32_t p = 0; p < parts; p++) {
        Model *part = add_rows(env, classes, step->begin(env, model), ROWS * p / parts, ROWS * (p + 1) / parts);

        if (p % 2 == 0) {
            model_seal(env, part);
            CHECK(model_check(env, part, part->size) == NULL);
            part = model_again(env, part);
        }
        step->merge(env, all, part);
    }
    CHECK_INT(all->rows, ROWS);
    return step->finish(env, all);
}

static Model *pass_all(Env *env, uint32_t classes, const Model *model, uint32_t parts)
{
    for (int i = 0; i < 60 && model_fact(model, "converged", 0) == 0; i++) {
        model = pass(env, classes, model, parts);
        CHECK(model_check(env, model, model->size) == NULL);
    }
    return (Model *)model;
}

static void check_same(const Model *stepped, const Model *fitted)
{
    uint32_t count, other;
    const double *a = model_f64(stepped, "coef", &count), *b = model_f64(fitted, "coef", &other);
    const double *c = model_f64(stepped, "center", &count), *d = model_f64(fitted, "center", &other);

    CHECK_INT(count, other);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        CHECK_NEAR(a[i], b[i], 1e-5 * fabs(b[i]) + 1e-9);
        if (c != NULL)
            CHECK_NEAR(c[i], d[i], 1e-6);
    }
    CHECK_INT(model_fact(stepped, "converged", 0), 1);
    CHECK_NEAR(model_fact(stepped, "objective", 0) / model_fact(fitted, "objective", 0), 1, 1e-9);
    CHECK_NEAR(model_fact(stepped, "support_vectors", 0), model_fact(fitted, "support_vectors", 0), 0);
    CHECK_INT(isnan(model_fact(stepped, "margin", NAN)), isnan(model_fact(fitted, "margin", NAN)));
}

static void test_same_end(Host *host)
{
    static const char *const classifier[] = {
        "{\"loss\":\"squared_hinge\"}",
        "{\"loss\":\"squared_hinge\",\"C\":1000,\"multiclass\":\"ovo\"}",
        "{\"loss\":\"squared_hinge\",\"C\":0.01,\"standardize\":true}",
        "{\"loss\":\"squared_hinge\",\"penalty\":\"l1\",\"C\":0.01,\"standardize\":true,\"tolerance\":1e-13}",
        "{\"loss\":\"squared_hinge\",\"penalty\":\"elastic_net\",\"alpha\":0.3,\"tolerance\":1e-13}",
        "{\"loss\":\"squared_hinge\",\"class_weight\":\"balanced\"}",
        "{\"loss\":\"squared_hinge\",\"multiclass\":\"ecoc\"}"};
    static const char *const regression[] = {
        "{\"loss\":\"squared_epsilon_insensitive\"}",
        "{\"loss\":\"squared_epsilon_insensitive\",\"epsilon\":2,\"C\":100}",
        "{\"loss\":\"squared_epsilon_insensitive\",\"epsilon\":0,\"standardize\":true}",
        "{\"loss\":\"squared_epsilon_insensitive\",\"penalty\":\"l1\",\"standardize\":true,\"C\":0.01,\"tolerance\":1e-13}"};
    Env *env = &host->env;

    for (uint32_t classes = 0; classes <= 4; classes++)
        for (uint32_t o = 0; classes != 1 && o < (classes == 0 ? 4 : 7); o++) {
            const char *options = classes == 0 ? regression[o] : classifier[o];

            make_rows(o * 10 + classes, classes);
            check_same(pass_all(env, classes, start(env, classes, options), 1 + o), fit_these(env, classes, options));
            CHECK_INT(host->warnings, 0);
            host_reset(host);
        }
}

/* From a model far away steps overshoot, and are taken back by half until they do not. */
static void test_far(Host *host)
{
    static const char options[] = "{\"loss\":\"squared_hinge\",\"C\":1000}";
    Env *env = &host->env;
    Model *model;
    double *coef, *intercept;
    uint32_t length;

    make_rows(5, 2);
    model = pass(env, 2, start(env, 2, options), 1);
    coef = model_data_mutable(model, model_entry_mutable(model, "coef"));
    coef[0] = 3000;
    coef[3] = -4000;
    intercept = model_data_mutable(model, model_entry_mutable(model, "intercept"));
    *intercept = *model_f64(model, "offset", &length); /* what follows from the coefficients, for models sent as text */
    for (uint32_t s = 0; s < model->slot_count; s++)
        *intercept -= model_f64(model, "center", &length)[s] * coef[s];
    model_seal(env, model);
    CHECK(pass(env, 2, model, 1) != NULL);
    CHECK_NEAR(model_f64(pass(env, 2, model, 1), "step_promise", &length)[0], model_f64(model, "step_promise", &length)[0] / 2, 0); /* taken back */
    check_same(pass_all(env, 2, model, 1), fit_these(env, 2, options));
    host_reset(host);
}

static void test_edges(Host *host)
{
    static const char options[] = "{\"loss\":\"squared_hinge\"}";
    Env *env = &host->env;
    Model *model, *state;
    ModelStepHints hints = {0};

    make_rows(6, 2);
    model = start(env, 2, options);
    state = svm_classifier_step.begin(env, model);
    CHECK(svm_classifier_step.finish(env, state) == NULL); /* no rows */
    model_step_require(env, &svm_classifier_step, state, model, &hints);
    CHECK_FAILS(host, ERROR_KIND, "not a state of svm_step", model_step_require(env, &svm_classifier_step, model, NULL, &hints));
    CHECK_FAILS(host, ERROR_KIND, "not a state of svm_step", model_step_require(env, &svm_regression_step, state, NULL, &hints));
    model = pass(env, 2, model, 2);
    CHECK_FAILS(host, ERROR_PARAMETER, "a different model", model_step_require(env, &svm_classifier_step, state, model, &hints));
    CHECK_FAILS(host, ERROR_PARAMETER, "a different model", svm_classifier_step.merge(env, state, svm_classifier_step.begin(env, model)));
    CHECK_FAILS(host, ERROR_PARAMETER, "not \"hinge\"", svm_classifier_step.begin(env, fit_these(env, 2, "{}")));
    CHECK_FAILS(host, ERROR_PARAMETER, "not \"hinge\"", start(env, 2, "{}"));
    CHECK_FAILS(host, ERROR_KIND, "standardized", svm_classifier_step.begin(env, fit_these(env, 2, "{\"loss\":\"squared_hinge\",\"standardize\":true}")));
    CHECK_FAILS(host, ERROR_KIND, "weights of its classes", svm_classifier_step.begin(env, fit_these(env, 2, "{\"loss\":\"squared_hinge\",\"class_weight\":\"balanced\"}")));
    for (uint32_t i = 0; i < ROWS; i++)
        y[i] = 0;
    CHECK_FAILS(host, ERROR_DATA, "two classes", start(env, 1, options));
    host_reset(host);
}

/* Bytes of the sums changed: refused, or the functions answer or fail as functions do. */
static void test_forged(Host *host, uint32_t classes, const char *options)
{
    Env *env = &host->env;
    Model *state, *forged;
    uint64_t seed = 3;
    unsigned sound = 0;

    make_rows(9, classes);
    state = add_rows(env, classes, step_for(classes)->begin(env, pass(env, classes, start(env, classes, options), 1)), 0, 700);
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
            add_rows(env, classes, forged, 0, 400);
            step_for(classes)->merge(env, forged, state);
            step_for(classes)->finish(env, forged);
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
    test_far(host);
    test_edges(host);
    test_forged(host, 3, "{\"loss\":\"squared_hinge\"}");
    test_forged(host, 2, "{\"loss\":\"squared_hinge\"}");
    test_forged(host, 0, "{\"loss\":\"squared_epsilon_insensitive\"}");
    host_free(host);
    return check_report();
}
