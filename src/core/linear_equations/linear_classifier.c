/*
 * linear_classifier.c - scores and checks of linear classifiers.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"

#include <math.h>
#include <string.h>

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

const ArraySpec linear_class_arrays[1] = {
    {.name = "coef_error",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_NONNEGATIVE,
     .rows = {SIZE_EQUATIONS},
     .columns = {SIZE_SLOTS, .other = SIZE_LEVELS, .plus = 1}}};

static const ArraySpec linear_classifier_facts[] = {FACT_LIST("dropped_terms", ARRAY_TEXT)};
const ArrayTable linear_classifier_array_tables[] = ARRAY_TABLES(LINEAR_CLASSIFIER_TABLES, FACT_TABLE(linear_classifier_facts));

const char *linear_classifier_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    const ModelEntry *coef = model_find(model, "coef");
    uint64_t equations = coef->dimensions == 2 ? coef->rows : 1, problems = multiclass_problems(model);
    const char *wrong = linear_check(env, model);

    if (wrong == NULL && classes < 2)
        wrong = "a linear classifier of fewer than two classes";
    if (wrong == NULL)
        wrong = multiclass_check(env, model);
    if (wrong == NULL && equations != problems && !(problems == 1 && equations == 2))
        wrong = env_message(env, "%.31s of %u classes has %llu equations, not %llu", model->estimator, classes,
                            (unsigned long long)equations, (unsigned long long)problems);
    return wrong != NULL ? wrong : class_rule_check(model);
}
