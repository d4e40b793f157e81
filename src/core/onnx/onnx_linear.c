/*
 * onnx_linear.c - linear regressions, generalized linear models and linear classifiers as ONNX operators.
 *
 * LinearRegressor and LinearClassifier keep their coefficients as floats, so scores are products of matrices in double precision.
 */
#include "core/onnx/onnx_parts.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/link_function.h"

#include <float.h>
#include <math.h>

/* ---- scores ---- */

/* Writes the terms that the equations add up: all slots that hold numbers, and the levels with a coefficient. Returns how many. */
static uint32_t list_terms(Env *env, const Model *model, const LinearView *view, OnnxTerm **terms, uint32_t **columns)
{
    uint64_t most = (uint64_t)view->slots + (uint64_t)view->levels * (view->categorical + 1);
    uint32_t count = 0, at = 0;

    env_require_memory(env, most * (sizeof(OnnxTerm) + sizeof(uint32_t)), "the terms of the graph");
    *terms = env_array(env, most + 1, sizeof(OnnxTerm));
    *columns = env_array(env, most + 1, sizeof(uint32_t));
    for (uint32_t s = 0; s < view->slots; s++) {
        if (at < view->categorical && view->level_slots[at] == s) {
            at++;
            continue;
        }
        (*terms)[count] = (OnnxTerm){s, -1};
        (*columns)[count++] = s;
    }
    for (uint32_t c = 0; c < view->categorical; c++) {
        uint32_t slot = (uint32_t)view->level_slots[c], field = schema_slot_field(model, slot);

        for (uint32_t l = 0; l < view->levels; l++) {
            if (dictionary_field(model, l) != field)
                continue;
            (*terms)[count] = (OnnxTerm){slot, l};
            (*columns)[count++] = view->slots + l;
        }
        env->poll(env);
    }
    return count;
}

/* Returns the scores of all equations, [N, equations]. */
static OnnxValue write_scores(OnnxWriter *writer, const Model *model, const LinearView *view, OnnxValue row)
{
    Env *env = writer->env;
    OnnxTerm *terms;
    uint32_t *columns, count = list_terms(env, model, view, &terms, &columns);
    double *coef = env_array(env, (size_t)count * view->equations + 1, sizeof(double));
    double *center = env_array(env, (size_t)count + 1, sizeof(double));
    OnnxValue value = onnx_terms(writer, row, view->slots, terms, count);
    bool centered = false;

    for (uint32_t t = 0; t < count; t++) {
        if (view->center != NULL && terms[t].level < 0)
            center[t] = view->center[terms[t].slot];
        centered = centered || center[t] != 0;
        for (uint32_t e = 0; e < view->equations; e++)
            coef[(size_t)t * view->equations + e] = view->coef[(size_t)e * view->columns + columns[t]];
    }
    if (centered)
        value = ONNX(writer, "Sub", value, onnx_vector(writer, center, count));
    value = ONNX(writer, "MatMul", value, onnx_matrix(writer, coef, count, view->equations));
    return view->offset != NULL ? ONNX(writer, "Add", value, onnx_vector(writer, view->offset, view->equations)) : value;
}

static OnnxValue linear_scores(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    LinearView view;

    linear_view(model, &view);
    return write_scores(writer, model, &view, row);
}

void onnx_linear_regression(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    onnx_prediction(writer, linear_scores(writer, model, row));
}

/* ---- generalized linear models ---- */

/*
 * Returns atan(x) in double precision, which runtimes have in floats alone: a, the float, is corrected by the angle that is left, whose sine is
 * (x cos a - sin a) / sqrt(1 + x^2).
 */
static OnnxValue arc_tangent(OnnxWriter *writer, OnnxValue x)
{
    OnnxValue near, rest;

    if (writer->python)
        return ONNX(writer, "Atan", x);
    near = onnx_cast(writer, ONNX(writer, "Atan", onnx_cast(writer, x, ONNX_FLOAT)), ONNX_DOUBLE);
    rest = ONNX(writer, "Sub", ONNX(writer, "Mul", x, ONNX(writer, "Cos", near)), ONNX(writer, "Sin", near));
    rest = ONNX(writer, "Div", rest, ONNX(writer, "Sqrt", onnx_plus(writer, ONNX(writer, "Mul", x, x), 1)));
    return ONNX(writer, "Add", near, rest);
}

/* Returns the mean of a score by the link of a model. */
static OnnxValue link_operators(OnnxWriter *writer, const Model *model, OnnxValue score)
{
    Link link = link_of_model(model);
    const char *name = link.function->name;

    if (strcmp(name, "identity") == 0)
        return score;
    if (strcmp(name, "log") == 0)
        return ONNX(writer, "Exp", score);
    if (strcmp(name, "logit") == 0)
        return ONNX(writer, "Sigmoid", score);
    if (strcmp(name, "cloglog") == 0)
        return ONNX(writer, "Sub", onnx_number(writer, 1), ONNX(writer, "Exp", ONNX(writer, "Neg", ONNX(writer, "Exp", score))));
    if (strcmp(name, "cauchit") == 0)
        return onnx_plus(writer, onnx_times(writer, arc_tangent(writer, score), 1 / M_PI), 0.5);
    if (strcmp(name, "inverse") == 0)
        return ONNX(writer, "Reciprocal", score);
    if (strcmp(name, "inverse_squared") == 0)
        return ONNX(writer, "Reciprocal", ONNX(writer, "Sqrt", score));
    if (strcmp(name, "sqrt") == 0)
        return ONNX(writer, "Mul", score, score);
    if (strcmp(name, "power") == 0)
        return ONNX(writer, "Pow", score, onnx_number(writer, 1 / link.power));
    if (strcmp(name, "probit") == 0 && writer->python)
        return ONNX(writer, "Probit", score);
    onnx_refuse(writer, model, env_message(writer->env, "link %s needs a function that runtimes compute in floats alone", name));
}

static void generalized_model(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    onnx_prediction(writer, link_operators(writer, model, linear_scores(writer, model, row)));
}

/* ---- classifiers ---- */

/* Returns what adds up the scores of pairs per class: 1 for the later class of each, and `first` for the other. */
static OnnxValue pair_matrix(OnnxWriter *writer, uint32_t classes, double first, double later)
{
    uint32_t pairs = classes * (classes - 1) / 2, p = 0;
    double *matrix = env_array(writer->env, (size_t)pairs * classes, sizeof(double));

    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, p++) {
            matrix[(size_t)p * classes + i] = first;
            matrix[(size_t)p * classes + j] = later;
        }
    return onnx_matrix(writer, matrix, pairs, classes);
}

/*
 * Returns one score per class from those of pairs, as multiclass.h has them, and in *order what is largest for the class: votes, then sums. Sums are
 * shares of their row there, because the scores of huge sums round to the same number.
 */
static OnnxValue pair_scores(OnnxWriter *writer, OnnxValue scores, uint32_t classes, OnnxValue *order)
{
    double *votes = env_array(writer->env, classes, sizeof(double));
    OnnxValue later = onnx_cast(writer, ONNX(writer, "Greater", scores, onnx_number(writer, 0)), ONNX_DOUBLE);
    OnnxValue won = pair_matrix(writer, classes, -1, 1), sums = ONNX(writer, "MatMul", scores, won), size;

    for (uint32_t c = 0; c < classes; c++) /* the votes where all scores are negative */
        votes[c] = classes - 1 - c;
    later = ONNX(writer, "Add", ONNX(writer, "MatMul", later, won), onnx_vector(writer, votes, classes));
    size = ONNX(writer, "Abs", sums);
    *order = onnx_times(writer, onnx_plus(writer, onnx_reduce(writer, "ReduceSum", size), DBL_MIN), 3);
    *order = ONNX(writer, "Add", later, ONNX(writer, "Div", sums, *order));
    return ONNX(writer, "Add", later, ONNX(writer, "Div", sums, onnx_times(writer, onnx_plus(writer, size, 1), 3)));
}

/* Returns the mean probability of each class against each other class. */
static OnnxValue pair_probabilities(OnnxWriter *writer, OnnxValue scores, uint32_t classes)
{
    double share = 2.0 / ((double)classes * (classes - 1));
    OnnxValue later = ONNX(writer, "MatMul", ONNX(writer, "Sigmoid", scores), pair_matrix(writer, classes, 0, share));
    OnnxValue first = ONNX(writer, "MatMul", ONNX(writer, "Sigmoid", ONNX(writer, "Neg", scores)), pair_matrix(writer, classes, share, 0));

    return ONNX(writer, "Add", later, first);
}

/* Returns the logistic probabilities of all classes divided by their sum; the same for all where it is 0. */
static OnnxValue shares_of(OnnxWriter *writer, OnnxValue scores, uint32_t classes)
{
    OnnxValue each = ONNX(writer, "Sigmoid", scores), sum = onnx_reduce(writer, "ReduceSum", each);

    return ONNX(writer, "Where", ONNX(writer, "Equal", sum, onnx_number(writer, 0)), onnx_number(writer, 1.0 / classes), ONNX(writer, "Div", each, sum));
}

void onnx_two_classes(OnnxWriter *writer, const Model *model, OnnxValue score, bool probabilities)
{
    double threshold = class_rule_of(model).threshold;
    OnnxValue negative = ONNX(writer, "Neg", score), positive = score, numbers;

    onnx_decision(writer, score, 1);
    if (probabilities) {
        positive = ONNX(writer, "Sigmoid", score);
        negative = ONNX(writer, "Sigmoid", negative);
        if (threshold != 0.5)
            score = onnx_plus(writer, positive, -threshold);
    }
    numbers = onnx_pair(writer, model, positive, negative); /* before the label, whatever order a compiler takes arguments in */
    onnx_label(writer, model, onnx_by_sign(writer, model, score), probabilities ? "probabilities" : "scores", numbers);
}

/* Adds the outputs of several classes. pairs: each score is of a pair. */
static void several_classes(OnnxWriter *writer, const Model *model, OnnxValue scores, LinearLink link, bool pairs)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    OnnxValue order = scores, decisions = pairs ? pair_scores(writer, scores, classes, &order) : scores, numbers = decisions;

    if (link == LINK_SOFTMAX)
        numbers = onnx_softmax(writer, scores);
    else if (link == LINK_LOGISTIC)
        numbers = pairs ? pair_probabilities(writer, scores, classes) : shares_of(writer, scores, classes);
    onnx_decision(writer, decisions, classes);
    onnx_label(writer, model, onnx_largest(writer, order), link != LINK_NONE ? "probabilities" : "scores", numbers);
}

/* Adds the outputs of two equations for two classes, whose difference decides. */
static void two_equations(OnnxWriter *writer, const Model *model, OnnxValue scores, LinearLink link)
{
    ClassRule rule = class_rule_of(model);
    uint32_t positive = rule.positive, negative = 1 - positive;
    OnnxValue difference = ONNX(writer, "Sub", onnx_columns(writer, scores, &positive, 1), onnx_columns(writer, scores, &negative, 1));
    OnnxValue numbers = link == LINK_SOFTMAX ? onnx_softmax(writer, scores) : link == LINK_LOGISTIC ? shares_of(writer, scores, 2) : scores;

    onnx_decision(writer, difference, 1);
    if (link != LINK_NONE && rule.threshold != 0.5)
        difference = onnx_plus(writer, ONNX(writer, "Sigmoid", difference), -rule.threshold);
    onnx_label(writer, model, onnx_by_sign(writer, model, difference), link != LINK_NONE ? "probabilities" : "scores", numbers);
}

bool onnx_has_pairs(OnnxWriter *writer, const Model *model)
{
    size_t bytes;

    if (!multiclass_coded(model))
        return false;
    if (multiclass_prepare(writer->env, model, &bytes)->kind != MULTICLASS_OVO)
        onnx_refuse(writer, model, "it decodes output codes");
    return true;
}

void onnx_linear_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    LinearView view;
    OnnxValue scores;

    if (model_find(model, "survived") != NULL)
        onnx_refuse(writer, model, "its vectors vote");
    if (model_find(model, "coef") == NULL)
        onnx_refuse(writer, model, "it is an expansion over a kernel");
    linear_view(model, &view);
    scores = write_scores(writer, model, &view, row);
    if (view.equations == 1)
        onnx_two_classes(writer, model, scores, view.link != LINK_NONE);
    else if (view.equations == 2 && !multiclass_coded(model))
        two_equations(writer, model, scores, view.link);
    else
        several_classes(writer, model, scores, view.link, onnx_has_pairs(writer, model));
}

void onnx_scores_of_classes(OnnxWriter *writer, const Model *model, OnnxValue scores, bool pairs)
{
    several_classes(writer, model, scores, LINK_NONE, pairs);
}

const OnnxMethod onnx_linear_methods[] = {{"bayesian_regression", onnx_linear_regression, NULL, true},
                                          {"elastic_net", onnx_linear_regression, NULL, true},
                                          {"huber_regression", onnx_linear_regression, NULL, true},
                                          {"lasso_regression", onnx_linear_regression, NULL, true},
                                          {"linear_regression", onnx_linear_regression, NULL, true},
                                          {"mm_regression", onnx_linear_regression, NULL, true},
                                          {"perceptron_regression", onnx_linear_regression, NULL, true},
                                          {"quantile_regression", onnx_linear_regression, NULL, true},
                                          {"ridge_regression", onnx_linear_regression, NULL, true},
                                          {"theil_sen", onnx_linear_regression, NULL, true},
                                          {"total_least_squares", onnx_linear_regression, NULL, true},
                                          {"multiple_quantile_regression", NULL, linear_scores, true},
                                          {"multivariate_regression", NULL, linear_scores, true},
                                          {"gamma_regression", generalized_model, NULL, true},
                                          {"glm", generalized_model, NULL, true},
                                          {"negative_binomial_regression", generalized_model, NULL, true},
                                          {"poisson_regression", generalized_model, NULL, true},
                                          {"tweedie_regression", generalized_model, NULL, true},
                                          {"least_squares_classifier", onnx_linear_classifier, NULL, true},
                                          {"logistic_regression", onnx_linear_classifier, NULL, true},
                                          {"perceptron", onnx_linear_classifier, NULL, true},
                                          {NULL, NULL, NULL, false}};
