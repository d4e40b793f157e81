/*
 * linear_classifier.c - building, scoring and checking of linear classifiers.
 */
#include "core/classify/linear_classifier.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"

#include <math.h>
#include <string.h>

/* ---- building ---- */

LinearClassifier linear_classifier(Env *env, const Model *schema, uint32_t equations)
{
    LinearClassifier classifier = {.schema = schema, .equations = equations, .slots = schema->slot_count};

    classifier.levels = dictionary_size(schema, DICTIONARY_LEVELS);
    classifier.coef =
        env_array(env, (size_t)classifier.slots + classifier.levels, equations * sizeof(double));
    if (classifier.levels > 0)
        classifier.reference = env_array(env, classifier.levels, 1);
    return classifier;
}

uint32_t linear_classifier_column(const LinearClassifier *classifier, FitTerms terms, uint32_t term)
{
    return terms.level[term] < 0 ? terms.slot[term] : classifier->slots + (uint32_t)terms.level[term];
}

void linear_classifier_references(LinearClassifier *classifier, FitTerms terms)
{
    if (classifier->levels > 0)
        memset(classifier->reference, 1, classifier->levels);
    for (uint32_t t = 0; t < terms.count; t++)
        if (terms.level[t] >= 0)
            classifier->reference[terms.level[t]] = 0;
}

void linear_classifier_center(Env *env, LinearClassifier *classifier, FitTerms terms, const double *means)
{
    classifier->offset = env_array(env, classifier->equations, sizeof(double));
    classifier->center = env_array(env, (size_t)classifier->slots + 1, sizeof(double));
    for (uint32_t t = 0; t < terms.count; t++)
        if (terms.level[t] < 0)
            classifier->center[terms.slot[t]] = means[t];
}

void linear_classifier_drop(Env *env, LinearClassifier *classifier, FitTerms terms, uint32_t term)
{
    if (classifier->dropped == NULL)
        classifier->dropped = env_array(env, (size_t)classifier->slots + classifier->levels, 1);
    classifier->dropped[linear_classifier_column(classifier, terms, term)] = 1;
}

/* Slots of categorical fields. */
static uint32_t categorical_slots(const Model *schema, int64_t *list)
{
    uint32_t slot = 0, count = 0;

    for (uint32_t f = 0; f < schema->field_count; f++) {
        if (schema_field_kind(schema, f) == FIELD_CATEGORICAL) {
            if (list != NULL)
                list[count] = slot;
            count++;
        }
        slot += schema_field_width(schema, f);
    }
    return count;
}

static double *intercepts(Env *env, const LinearClassifier *classifier)
{
    uint32_t columns = classifier->slots + classifier->levels;
    double *list = env_array(env, classifier->equations, sizeof(double));

    for (uint32_t e = 0; e < classifier->equations; e++)
        list[e] = linear_intercept(classifier->offset[e], classifier->center, classifier->coef + (size_t)e * columns,
                               classifier->slots);
    return list;
}

static void add_intercepts(Env *env, ModelBuilder *builder, const LinearClassifier *classifier)
{
    uint32_t equations = classifier->equations;

    if (classifier->offset == NULL)
        return;
    if (classifier->center == NULL) {
        builder_f64(builder, SECTION_ARRAYS, "intercept", classifier->offset, equations);
        return;
    }
    builder_f64(builder, SECTION_ARRAYS, "center", classifier->center, classifier->slots);
    builder_f64(builder, SECTION_ARRAYS, "intercept", intercepts(env, classifier), equations);
    builder_f64(builder, SECTION_ARRAYS, "offset", classifier->offset, equations);
}

static uint32_t term_count(const LinearClassifier *classifier)
{
    uint32_t count = classifier->slots + classifier->levels;

    for (uint32_t l = 0; l < classifier->levels; l++)
        count -= classifier->reference[l];
    return count - categorical_slots(classifier->schema, NULL);
}

void linear_classifier_add(Env *env, ModelBuilder *builder, const LinearClassifier *classifier)
{
    uint32_t equations = classifier->equations, columns = classifier->slots + classifier->levels;
    uint32_t categorical = categorical_slots(classifier->schema, NULL);

    if (equations > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", classifier->coef, equations, columns);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", classifier->coef, columns);
    add_intercepts(env, builder, classifier);
    if (categorical > 0) {
        int64_t *list = env_array(env, categorical, sizeof(int64_t));

        categorical_slots(classifier->schema, list);
        builder_i64(builder, SECTION_ARRAYS, "level_slots", list, categorical);
    }
    if (classifier->levels > 0)
        builder_bool(builder, SECTION_ARRAYS, "reference", classifier->reference, classifier->levels);
    if (classifier->dropped != NULL)
        builder_bool(builder, SECTION_ARRAYS, "dropped", classifier->dropped, columns);
    if (classifier->covariance != NULL)
        builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED, classifier->covariance,
                    (uint32_t)factor_packed((size_t)term_count(classifier) + (classifier->offset != NULL)));
    if (classifier->errors != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef_error", classifier->errors, equations, 1 + columns);
    if (classifier->link != LINK_NONE) {
        int64_t *link = env_array(env, 1, sizeof(int64_t));

        *link = classifier->link;
        builder_i64(builder, SECTION_ARRAYS, "link", link, 1);
    }
}

/* ---- scores ---- */

void *linear_classifier_prepare(Env *env, const Model *model, size_t *bytes)
{
    *bytes = 0;
    return multiclass_coded(model) ? multiclass_prepare(env, model, bytes) : NULL;
}

bool linear_classifier_prepares(const Model *model)
{
    return multiclass_coded(model);
}

uint32_t linear_classifier_width(const Model *model)
{
    LinearView view;

    if (multiclass_coded(model))
        return multiclass_width(model);
    linear_view(model, &view);
    return view.equations;
}

static void all_scores(const LinearView *view, const double *slots, double *out)
{
    for (uint32_t e = 0; e < view->equations; e++)
        out[e] = linear_view_score(view, e, slots);
}

/* Computes what is decoded: scores, or for output codes probabilities if there is a link. */
static void coded_scores(const LinearView *view, Multiclass *multiclass, const double *slots)
{
    all_scores(view, slots, multiclass->scores);
    multiclass->probabilities = multiclass->kind == MULTICLASS_ECOC && view->link != LINK_NONE;
    for (uint32_t e = 0; multiclass->probabilities && e < view->equations; e++)
        multiclass->scores[e] = logistic(multiclass->scores[e]);
}

void linear_classifier_decisions(const Model *model, const void *prepared, const double *slots,
                                 double *out)
{
    Multiclass *multiclass = (Multiclass *)(uintptr_t)prepared; /* its room is the call's own */
    LinearView view;

    linear_view(model, &view);
    if (multiclass == NULL) {
        all_scores(&view, slots, out);
        return;
    }
    coded_scores(&view, multiclass, slots);
    multiclass_decisions(multiclass, out);
}

static void pair_probabilities(const Multiclass *multiclass, double *out)
{
    uint32_t classes = multiclass->classes;
    const double *score = multiclass->scores;
    double share = 2.0 / ((double)classes * (classes - 1));

    memset(out, 0, classes * sizeof(double));
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, score++) {
            out[i] += logistic(-*score) * share;
            out[j] += logistic(*score) * share;
        }
}

static void code_probabilities(const Multiclass *multiclass, double *out)
{
    const int64_t *code = multiclass->codes;

    for (uint32_t c = 0; c < multiclass->classes; c++) {
        out[c] = 0;
        for (uint32_t p = 0; p < multiclass->problems; p++, code++)
            out[c] += log_logistic((double)*code * multiclass->scores[p]);
    }
    softmax(out, multiclass->classes, out);
}

void linear_classifier_probabilities(const Model *model, const void *prepared, const double *slots,
                                     double *out)
{
    const Multiclass *multiclass = prepared;
    LinearView view;
    double sum = 0;

    linear_view(model, &view);
    if (multiclass != NULL) {
        all_scores(&view, slots, multiclass->scores);
        if (multiclass->kind == MULTICLASS_OVO)
            pair_probabilities(multiclass, out);
        else
            code_probabilities(multiclass, out);
        return;
    }
    if (view.equations == 1) {
        uint32_t positive = class_rule_view(view.class_rule).positive;
        double score = linear_view_score(&view, 0, slots);

        out[positive] = logistic(score);
        out[1 - positive] = logistic(-score);
        return;
    }
    all_scores(&view, slots, out);
    if (view.link == LINK_SOFTMAX) {
        softmax(out, view.equations, out);
        return;
    }
    for (uint32_t e = 0; e < view.equations; e++)
        sum += out[e] = logistic(out[e]);
    for (uint32_t e = 0; e < view.equations; e++) /* every probability is 0: all classes get the same */
        out[e] = sum > 0 ? out[e] / sum : 1.0 / view.equations;
}

/* Picks one of two classes by the class rule, from one equation or the difference of two. */
static uint32_t classify_two(const LinearView *view, const double *slots)
{
    ClassRule rule = class_rule_view(view->class_rule);
    double score;

    if (view->equations == 1)
        score = linear_view_score(view, 0, slots);
    else
        score = linear_view_score(view, rule.positive, slots) -
                linear_view_score(view, 1 - rule.positive, slots);
    if (view->link != LINK_NONE && rule.threshold != 0.5)
        score = logistic(score) - rule.threshold;
    return class_rule_pick(&rule, score);
}

uint32_t linear_classifier_classify(const Model *model, const void *prepared, const double *slots)
{
    Multiclass *multiclass = (Multiclass *)(uintptr_t)prepared;
    LinearView view;
    uint32_t best = 0;
    double largest;

    linear_view(model, &view);
    if (multiclass != NULL) {
        coded_scores(&view, multiclass, slots);
        return multiclass_pick(multiclass, NULL);
    }
    if (view.equations <= 2)
        return classify_two(&view, slots);
    largest = linear_view_score(&view, 0, slots);
    for (uint32_t e = 1; e < view.equations; e++) {
        double score = linear_view_score(&view, e, slots);

        if (score > largest) {
            largest = score;
            best = e;
        }
    }
    return best;
}

/* Returns the norm of the difference of two equations' coefficients; b UINT32_MAX: of one equation. */
static double norm_between(const LinearView *view, uint32_t a, uint32_t b)
{
    const double *from = view->coef + (size_t)a * view->columns, *to = NULL;
    double squares = 0;

    if (b != UINT32_MAX)
        to = view->coef + (size_t)b * view->columns;
    for (uint32_t c = 0; c < view->columns; c++) {
        double difference = from[c] - (to != NULL ? to[c] : 0);

        squares += difference * difference;
    }
    return sqrt(squares);
}

double linear_classifier_distance(const Model *model, const void *prepared, const double *slots)
{
    LinearView view;
    uint32_t winner = 0;
    double largest = -INFINITY, nearest = INFINITY;

    if (prepared != NULL)
        return NAN;
    linear_view(model, &view);
    if (view.equations == 1) {
        double norm = norm_between(&view, 0, UINT32_MAX);

        return norm > 0 ? linear_view_score(&view, 0, slots) / norm : NAN;
    }
    for (uint32_t e = 0; e < view.equations; e++) {
        double score = linear_view_score(&view, e, slots);

        if (score > largest) {
            largest = score;
            winner = e;
        }
    }
    for (uint32_t e = 0; e < view.equations; e++) {
        double norm = e == winner ? 0 : norm_between(&view, winner, e);

        if (norm > 0)
            nearest = fmin(nearest, (largest - linear_view_score(&view, e, slots)) / norm);
    }
    return nearest == INFINITY ? NAN : nearest;
}

const Scoring linear_classifier_scoring = {
    .partial = true, /* a distance without a boundary */
    .prepare = linear_classifier_prepare,
    .prepares = linear_classifier_prepares,
    .classify = linear_classifier_classify,
    .decisions = linear_classifier_decisions,
    .distance = linear_classifier_distance,
    .explain = linear_classifier_explain,
    .width = linear_classifier_width,
};

/* ---- check ---- */

/* NULL where the entry is missing or an array of one dimension of so many finite numbers. */
static const char *check_numbers(const Model *model, const char *name, size_t count, const char *wrong)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry == NULL)
        return NULL;
    if (entry->section != SECTION_ARRAYS || entry->type != ARRAY_F64 || entry->dimensions != 1 ||
        entry->rows != count || !all_finite(model_data(model, entry), count))
        return wrong;
    return NULL;
}

static const char *check_flags(const Model *model, const char *name, uint32_t count, const char *wrong)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry != NULL && (entry->section != SECTION_ARRAYS || entry->type != ARRAY_BOOL ||
                          entry->rows != count))
        return wrong;
    return NULL;
}

/* The categorical slots, and flags for the levels, where there are any. */
static const char *check_levels(Env *env, const Model *model, uint32_t levels)
{
    const ModelEntry *slots = model_find(model, "level_slots");
    const ModelEntry *reference = model_find(model, "reference");
    uint32_t categorical = categorical_slots(model, NULL);
    const char *wrong =
        check_flags(model, "reference", levels, "\"reference\" is not a flag for every level");
    int64_t *expected;
    bool equal;

    if (wrong != NULL)
        return wrong;
    if ((reference != NULL) != (levels > 0))
        return "\"reference\" is missing, or there are no levels";
    if ((slots != NULL) != (categorical > 0))
        return "\"level_slots\" is missing, or no feature is categorical";
    if (slots == NULL)
        return NULL;
    if (slots->section != SECTION_ARRAYS || slots->type != ARRAY_I64 || slots->dimensions != 1 ||
        slots->rows != categorical)
        return "\"level_slots\" is not one number for each categorical feature";
    expected = env_array(env, categorical, sizeof(int64_t));
    categorical_slots(model, expected);
    equal = memcmp(expected, model_data(model, slots), categorical * sizeof(int64_t)) == 0;
    env->release(env, expected);
    return equal ? NULL : "\"level_slots\" names features that are not categorical";
}

/* Terms of a model whose levels are checked. */
static uint32_t terms_of(const Model *model, uint32_t levels)
{
    LinearClassifier classifier = {.schema = model, .slots = model->slot_count, .levels = levels};

    if (levels > 0)
        classifier.reference = (uint8_t *)model_data(model, model_find(model, "reference"));
    return term_count(&classifier);
}

static const char *check_errors(const Model *model, uint32_t equations, uint32_t columns,
                                uint32_t levels, bool intercept)
{
    const ModelEntry *errors = model_find(model, "coef_error");
    const ModelEntry *covariance = model_find(model, "covariance" MODEL_PACKED);
    const double *numbers;

    if (covariance != NULL) {
        if (equations != 1)
            return "\"covariance_packed\" belongs to a model of one equation";
        return check_numbers(model, "covariance" MODEL_PACKED,
                             factor_packed((size_t)terms_of(model, levels) + intercept),
                             "\"covariance_packed\" does not fit the terms");
    }
    if (errors == NULL)
        return NULL;
    if (errors->section != SECTION_ARRAYS || errors->type != ARRAY_F64 || errors->dimensions != 2 ||
        errors->rows != equations || errors->columns != columns + 1)
        return "\"coef_error\" does not fit the equations";
    numbers = model_data(model, errors);
    for (size_t i = 0; i < (size_t)equations * (columns + 1); i++)
        if (!(numbers[i] >= 0 && isfinite(numbers[i])))
            return "\"coef_error\" has a number below 0 or none";
    return NULL;
}

static const char *check_equations(const Model *model, uint32_t equations, uint32_t classes)
{
    const ModelEntry *entry = model_find(model, "multiclass");
    const char *wrong = multiclass_check(model, &classes);

    if (wrong != NULL)
        return wrong;
    if (entry != NULL && entry->section != SECTION_ARRAYS)
        return "\"multiclass\" is in the wrong section";
    return equations == classes || (classes == 1 && equations == 2) ? NULL
                                                                    : "the equations do not fit the classes";
}

static const char *check_link(const Model *model, uint32_t equations)
{
    const ModelEntry *link = model_find(model, "link");
    int64_t number;

    if (link == NULL)
        return NULL;
    if (link->section != SECTION_ARRAYS || link->type != ARRAY_I64 || link->dimensions != 1 ||
        link->rows != 1)
        return "\"link\" is not one number";
    number = *(const int64_t *)model_data(model, link);
    if (number < LINK_NONE || number > LINK_SOFTMAX || (number == LINK_SOFTMAX && equations == 1))
        return "\"link\" names no link";
    return NULL;
}

const char *linear_arrays_check(Env *env, const Model *model, uint32_t *equations)
{
    const ModelEntry *coef = model_find(model, "coef");
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), columns = model->slot_count + levels;
    bool intercept = model_find(model, "intercept") != NULL, center = model_find(model, "center") != NULL;
    const char *wrong;

    *equations = 1;
    if (coef == NULL || coef->section != SECTION_ARRAYS || coef->type != ARRAY_F64)
        return "a linear model without coefficients";
    if (coef->dimensions == 2)
        *equations = coef->rows;
    if ((coef->dimensions == 2 && *equations < 2) ||
        (coef->dimensions == 2 ? coef->columns : coef->rows) != columns)
        return "\"coef\" does not fit the features";
    if (!all_finite(model_data(model, coef), (size_t)*equations * columns))
        return "a coefficient is not finite";
    if (center != (model_find(model, "offset") != NULL) || (center && !intercept))
        return "\"center\", \"offset\" and \"intercept\" belong together";
    if ((wrong = check_numbers(model, "intercept", *equations, "\"intercept\" does not fit")) != NULL ||
        (wrong = check_numbers(model, "offset", *equations, "\"offset\" does not fit")) != NULL ||
        (wrong = check_numbers(model, "center", model->slot_count, "\"center\" does not fit")) != NULL ||
        (wrong = check_flags(model, "dropped", columns, "\"dropped\" does not fit the terms")) != NULL ||
        (wrong = check_levels(env, model, levels)) != NULL ||
        (wrong = check_errors(model, *equations, columns, levels, intercept)) != NULL)
        return wrong;
    return check_link(model, *equations);
}

const char *linear_classifier_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), equations;
    const char *wrong;

    if (classes < 2)
        return "a linear classifier of fewer than two classes";
    if ((wrong = linear_arrays_check(env, model, &equations)) != NULL ||
        (wrong = check_equations(model, equations, classes)) != NULL)
        return wrong;
    return class_rule_check(model);
}

const char *linear_equation_check(Env *env, const Model *model)
{
    uint32_t equations;
    const char *wrong = linear_arrays_check(env, model, &equations);

    if (wrong != NULL)
        return wrong;
    if (equations != 1 || model_find(model, "link") != NULL || multiclass_coded(model))
        return "a linear equation with arrays of a classifier";
    return NULL;
}

const char *linear_classifier_accept(Env *env, const Model *model)
{
    uint32_t length, equations, slots = model->slot_count, columns = slots + dictionary_size(model, DICTIONARY_LEVELS);
    const double *coef = model_data(model, model_find(model, "coef"));
    const double *center = model_f64(model, "center", &length), *offset = model_f64(model, "offset", &equations);
    const double *intercept = model_f64(model, "intercept", &equations);

    (void)env;
    for (uint32_t e = 0; center != NULL && e < equations; e++)
        if (intercept[e] != linear_intercept(offset[e], center, coef + (size_t)e * columns, slots))
            return "arrays \"coef\", \"intercept\" and \"offset\" of a linear classifier contradict each other";
    return NULL;
}
