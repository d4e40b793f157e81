/*
 * test_boosting_step.c - boosted trees by passes against the fit over rows: the same trees, whatever is merged in which order and sent as text;
 * forged states.
 */
#include "check.h"
#include "fit.h"

#include "core/estimators.h"
#include "core/model/model.h"
#include "core/tree/boosting_step.h"

#include <stdlib.h>

#define ROWS 3000
#define NUMBERS 3 /* and one category of three levels */

static double x[ROWS][NUMBERS + 1], weight[ROWS], y[ROWS];

/* classes 0: numbers. Few distinct values, so that each has a bin. */
static void make_rows(uint64_t seed, uint32_t classes, bool weighted)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        double best = -INFINITY;

        for (uint32_t j = 0; j < NUMBERS; j++)
            x[i][j] = floor(random_normal(&seed) * 30) / 7;
        if (random_uniform(&seed) < 0.1)
            x[i][1] = NAN;
        x[i][NUMBERS] = random_uniform(&seed) < 0.05 ? NAN : (uint32_t)(random_uniform(&seed) * 3);
        for (uint32_t c = 0; c < (classes > 0 ? classes : 1); c++) {
            double score = random_normal(&seed) + sin(c + x[i][0]) + cos(c * 2 + (x[i][1] == x[i][1] ? x[i][1] : 3)) + (x[i][NUMBERS] == 2 ? sin(c + 1) : 0);

            if (score > best) {
                best = score;
                y[i] = classes > 0 ? c : fabs(score) * 10;
            }
        }
        weight[i] = weighted ? 0.5 + random_uniform(&seed) : 1;
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

static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_CATEGORICAL};

static const char *const names[] = {"a", "b", "c", "d"};

static const Estimator *estimator_for(uint32_t classes)
{
    return classes > 0 ? &estimator_boosted_trees_classifier : &estimator_boosted_trees_regression;
}

static const ModelStep *step_for(uint32_t classes)
{
    return classes > 0 ? &boosting_classifier_step : &boosting_regression_step;
}

static Model *fit_these(Env *env, uint32_t classes, const char *json, bool weighted)
{
    const Estimator *estimator = estimator_for(classes);
    SchemaSpec spec = {.field_count = NUMBERS + 1, .names = names, .kinds = kinds, .class_type = classes > 0 ? "text" : NULL};
    FitInput input = {.kind = INPUT_ROWS};

    input.rows = rows_new(rows_pool(env), with_dictionaries(env, schema_model(env, &spec), classes), weighted ? ROWS_TARGET | ROWS_WEIGHT : ROWS_TARGET);
    for (uint32_t i = 0; i < ROWS; i++)
        rows_append(input.rows, x[i], y[i], weight[i], NULL, 0);
    return estimator_fit(env, estimator, &input, options_parse(env, estimator->name, estimator->options, json, strlen(json), NULL, NULL, 0), true);
}

/* A model as text and back, which has a fingerprint. */
static Model *sent(Env *env, Model *model)
{
    model_seal(env, model);
    CHECK(model_check(env, model, model->size) == NULL);
    return model_again(env, model);
}

/* One pass in parts that are merged from the last to the first, some of them as text. */
static Model *pass(Env *env, uint32_t classes, const Model *model, uint32_t parts)
{
    const ModelStep *step = step_for(classes);
    size_t bytes = 0;
    void *prepared = boosting_prepare(env, model, &bytes);
    Model *all = step->begin(env, model);

    for (uint32_t p = parts; p-- > 0;) {
        Model *part = step->begin(env, model);
        ModelStepHints hints = {0};

        for (uint32_t i = ROWS * p / parts; i < ROWS * (p + 1) / parts; i++)
            step->add_labeled(env, part, prepared, x[i], y[i], weight[i], &hints);
        step->merge(env, all, p % 2 == 0 ? sent(env, part) : part);
    }
    CHECK_INT(all->rows, ROWS);
    return step->finish(env, all);
}

static Model *pass_all(Env *env, uint32_t classes, const char *options, bool weighted, uint32_t parts)
{
    char *json = env_array(env, strlen(options) + 40, 1);
    Model *model;
    int passes = 0;

    sprintf(json, "%.*s, \"bins_only\": true}", (int)strlen(options) - 1, options);
    model = sent(env, fit_these(env, classes, json, weighted));
    for (; passes < 200 && model_find(model, "step_place") != NULL; passes++)
        model = sent(env, pass(env, classes, model, parts));
    CHECK(passes < 200);
    return model;
}

/* All arrays of both; tolerance: of the numbers that the order of the rows may touch. */
static void check_same(const Model *stepped, const Model *fitted, double tolerance)
{
    static const char *const arrays[] = {"tree_nodes", "split", "threshold", "leaf_value", "leaf_cover", "baseline", "importance", "priors", "link", NULL};

    for (const char *const *name = arrays; *name != NULL; name++) {
        const ModelEntry *a = model_find(stepped, *name), *b = model_find(fitted, *name);

        CHECK((a == NULL) == (b == NULL));
        if (a == NULL || b == NULL)
            continue;
        CHECK_INT(a->rows, b->rows);
        for (uint32_t i = 0; i < a->rows && i < b->rows; i++)
            CHECK_NEAR(model_number(stepped, a, i), model_number(fitted, b, i), tolerance * (1 + fabs(model_number(fitted, b, i))));
    }
    CHECK_INT(model_find(stepped, "category_sets") != NULL, model_find(fitted, "category_sets") != NULL);
    CHECK_NEAR(model_fact(stepped, "training_loss", 0), model_fact(fitted, "training_loss", 1), 1e-12);
    CHECK_NEAR(model_fact(stepped, "iterations", 0), model_fact(fitted, "iterations", 1), 0);
    CHECK_NEAR(model_fact(stepped, "trees", 0), model_fact(fitted, "trees", 1), 0);
    CHECK(model_find(stepped, "step_bins") == NULL && model_find(stepped, "sum_values") == NULL);
}

static void check_case(Host *host, uint32_t classes, bool weighted, const char *options)
{
    Env *env = &host->env;
    Model *fitted, *one, *five;

    make_rows(7 + classes, classes, weighted);
    fitted = fit_these(env, classes, options, weighted);
    one = pass_all(env, classes, options, weighted, 1);
    five = pass_all(env, classes, options, weighted, 5);
    check_same(one, fitted, 1e-12);
    check_same(five, one, 0);
}

/* Replaces a number of an array; returns whether the check finds it. */
static bool forged(Env *env, const Model *model, const char *name, uint32_t at, double number)
{
    Model *copy = env_array(env, model->size, 1);
    const ModelEntry *entry;

    memcpy(copy, model, model->size);
    entry = model_find(copy, name);
    CHECK(entry != NULL && at < entry->rows);
    if (entry->type == ARRAY_I64)
        ((int64_t *)model_data_mutable(copy, (ModelEntry *)entry))[at] = (int64_t)number;
    else
        ((double *)model_data_mutable(copy, (ModelEntry *)entry))[at] = number;
    model_seal(env, copy);
    return estimator_check(env, estimator_of(copy), copy) != NULL;
}

static void test_forged(Host *host)
{
    Env *env = &host->env;
    Model *model;

    make_rows(3, 0, false);
    model = sent(env, fit_these(env, 0, "{\"n_trees\": 2, \"max_depth\": 3, \"bins_only\": true}", false));
    for (int i = 0; i < 4; i++) /* in the middle of the first tree */
        model = sent(env, pass(env, 0, model, 2));
    CHECK(model_find(model, "step_leaves") != NULL);
    CHECK(!forged(env, model, "step_thresholds", 0, -1e9));
    CHECK(forged(env, model, "step_bins", 0, 256));
    CHECK(forged(env, model, "step_bins", 0, 0));
    CHECK(forged(env, model, "step_bins", 1, 2));
    CHECK(forged(env, model, "step_level_bins", 1, 200));
    CHECK(forged(env, model, "step_level_bins", 1, -2));
    CHECK(forged(env, model, "step_place", 0, 1));
    CHECK(forged(env, model, "step_place", 0, -1));
    CHECK(forged(env, model, "step_place", 1, 7));
    CHECK(forged(env, model, "step_numbers", 2, 64));
    CHECK(forged(env, model, "step_numbers", 0, 0));
    CHECK(forged(env, model, "step_leaves", 0, 2));
    CHECK(forged(env, model, "step_leaves", 1, INFINITY));
    CHECK(forged(env, model, "step_leaves", 2, NAN));
}

int main(void)
{
    Host *host = host_new();

    check_case(host, 0, false, "{\"n_trees\": 6, \"max_depth\": 3}");
    check_case(host, 0, true, "{\"n_trees\": 6, \"max_depth\": 5, \"lambda\": 2, \"min_samples_leaf\": 3}");
    check_case(host, 0, true, "{\"n_trees\": 5, \"max_depth\": 4, \"loss\": \"poisson\", \"learning_rate\": 0.3}");
    check_case(host, 0, false, "{\"n_trees\": 5, \"max_depth\": 4, \"min_impurity_decrease\": 0.5, \"monotone\": {\"b\": 1}}");
    check_case(host, 0, false, "{\"n_trees\": 2, \"max_depth\": 0}");
    check_case(host, 2, false, "{\"n_trees\": 6, \"max_depth\": 4}");
    check_case(host, 2, true, "{\"n_trees\": 4, \"max_depth\": 4, \"class_weight\": \"balanced\", \"positive\": \"k\"}");
    check_case(host, 4, true, "{\"n_trees\": 4, \"max_depth\": 3, \"min_samples_leaf\": 1, \"category_smoothing\": 5}");
    check_case(host, 4, false, "{\"n_trees\": 3, \"max_depth\": 8, \"min_samples_leaf\": 1}");
    test_forged(host);
    host_free(host);
    return check_report();
}
