/*
 * svm_model.c - checks, scores and summaries of support vector machines with linear and other kernels.
 */
#include "core/svm/svm_model.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/kernel_methods/feature_map.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/model/report_text.h"
#include "core/svm/svm_linear.h"
#include "core/svm/svm_step.h"

#include <math.h>

/* ---- scores ---- */

static void *prepare(Env *env, const Model *model, size_t *bytes)
{
    return kernel_model_is(model) ? kernel_model_prepare(env, model, bytes) : linear_classifier_prepare(env, model, bytes);
}

static bool prepares(const Model *model)
{
    return kernel_model_is(model) || linear_classifier_prepares(model);
}

static uint32_t width(const Model *model)
{
    return kernel_model_is(model) ? kernel_model_width(model) : linear_classifier_width(model);
}

static void decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    if (kernel_model_is(model))
        kernel_model_decisions(model, prepared, slots, out);
    else
        linear_classifier_decisions(model, prepared, slots, out);
}

static uint32_t classify(const Model *model, const void *prepared, const double *slots)
{
    return kernel_model_is(model) ? kernel_model_classify(model, prepared, slots)
                                  : linear_classifier_classify(model, prepared, slots);
}

static bool has_distance(const Model *model)
{
    return !kernel_model_is(model);
}

static double distance(const Model *model, const void *prepared, const double *slots)
{
    return has_distance(model) ? linear_classifier_distance(model, prepared, slots) : NAN;
}

static double predict(const Model *model, const void *prepared, const double *slots)
{
    return kernel_model_is(model) ? kernel_model_predict(model, prepared, slots)
                                  : linear_equation_score(model, prepared, slots);
}

static void *prepare_regression(Env *env, const Model *model, size_t *bytes)
{
    return kernel_model_prepare(env, model, bytes);
}

const Scoring svm_classifier_scoring = {
    .partial = true, /* a distance without a boundary */
    .prepare = prepare,
    .prepares = prepares,
    .classify = classify,
    .decisions = decisions,
    .has_distance = has_distance,
    .distance = distance,
    .has_explain = has_distance,
    .explain = linear_classifier_explain,
    .width = width,
};

const Scoring svm_regression_scoring = {
    .prepare = prepare_regression,
    .prepares = kernel_model_is,
    .predict = predict,
    .has_explain = has_distance,
    .explain = linear_classifier_explain,
};

/* ---- checks ---- */

static const ArraySpec svm_facts[] = {
    FACT_APPROXIMATION,                   FACT("bounded", ARRAY_I64),    FACT("converged", ARRAY_BOOL),
    FACT("epsilon", ARRAY_F64),           FACT_FREQUENCIES,              FACT("gap", ARRAY_F64),
    FACT("iterations", ARRAY_I64),        FACT("kernel_evaluations", ARRAY_I64), FACT_LANDMARKS,
    FACT("margin", ARRAY_F64),            FACT("nonzero", ARRAY_I64),    FACT("objective", ARRAY_F64),
    FACT("step_of", ARRAY_I64),           FACT("support_vectors", ARRAY_I64)};

const ArrayTable svm_classifier_tables[] =
    ARRAY_TABLES(ARRAY_TABLE_LACKING(linear_arrays, "rows"), ARRAY_TABLE_LACKING(linear_class_arrays, "rows"),
                 ARRAY_TABLE_LACKING(svm_linear_arrays, "rows"), ARRAY_TABLE_LACKING(svm_step_arrays, "rows"), KERNEL_MODEL_TABLES,
                 KERNEL_CLASSIFIER_TABLES, FACT_TABLE(svm_facts));

const ArrayTable svm_regression_tables[] = ARRAY_TABLES(
    ARRAY_TABLE_LACKING(linear_arrays, "rows"), ARRAY_TABLE_LACKING(svm_linear_arrays, "rows"), ARRAY_TABLE_LACKING(svm_step_arrays, "rows"),
    KERNEL_MODEL_TABLES, FACT_TABLE(svm_facts));

const char *svm_classifier_check(Env *env, const Model *model)
{
    const char *wrong;

    if (kernel_model_is(model))
        return kernel_classifier_check(env, model);
    wrong = linear_classifier_check(env, model);
    return wrong != NULL ? wrong : svm_step_check(env, model);
}

const char *svm_regression_check(Env *env, const Model *model)
{
    const char *wrong = kernel_model_is(model) ? NULL : linear_equation_check(env, model);

    if (!kernel_model_is(model))
        return wrong != NULL ? wrong : svm_step_check(env, model);
    if (kernel_model_problems(model) != 1)
        return "\"multipliers\" of svm_regression belong to one problem";
    return kernel_model_check(env, model);
}

/* ---- summary ---- */

/* Adds "support vectors: 65, multipliers at the bound: 55"; approximations have none. */
static void put_vectors(TextBuffer *report, const Model *model)
{
    double vectors = model_fact(model, "support_vectors", NAN), bounded = model_fact(model, "bounded", NAN);
    double margin = model_fact(model, "margin", NAN);

    if (isfinite(vectors)) {
        text_print(report, "support vectors: %.0f", vectors);
        if (isfinite(bounded))
            text_print(report, ", multipliers at the bound: %.0f", bounded);
        text_print(report, "\n");
    }
    if (isfinite(margin))
        text_print(report, "margin: %.6g\n", margin);
}

static void put_solution(TextBuffer *report, const Model *model)
{
    double epsilon = model_fact(model, "epsilon", NAN), gap = model_fact(model, "gap", NAN);
    double iterations = model_fact(model, "iterations", NAN);

    if (isfinite(epsilon))
        text_print(report, "epsilon: %.6g\n", epsilon);
    text_print(report, "objective: %.6g", model_fact(model, "objective", NAN));
    if (isfinite(gap))
        text_print(report, ", gap: %.2g", gap);
    if (isfinite(iterations))
        text_print(report, "\niterations: %.0f", iterations);
    if (model_fact(model, "converged", 1) == 0)
        text_print(report, "\nnote: the fit has not converged");
}

static char *kernel_summary(Env *env, const Model *model)
{
    uint32_t problems = kernel_model_problems(model);
    TextBuffer report = {.env = env};

    text_print(&report, "%s: ", model->estimator);
    if (estimator_of(model)->supervised)
        report_formula(&report, model, true);
    else
        text_print(&report, "%u feature%s\n", model->field_count, model->field_count == 1 ? "" : "s");
    if (dictionary_size(model, DICTIONARY_CLASSES) > 0) {
        linear_classifier_put_classes(&report, model, problems == 1);
        linear_classifier_put_strategy(&report, model, problems);
    }
    text_print(&report, "\n");
    report_rows(&report, model);
    text_print(&report, "\n");
    kernel_model_report(&report, model);
    text_print(&report, "\n");
    put_vectors(&report, model);
    put_solution(&report, model);
    return report.text;
}

char *svm_summary(Env *env, const Model *model)
{
    return kernel_model_is(model) ? kernel_summary(env, model) : linear_classifier_summary(env, model);
}

/* ---- options ---- */

const OptionSpec options_svm_equation[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation of a linear kernel has a constant, which is not penalized; other kernels always have one."},
    {.name = "kernel",
     KERNEL_OPTION,
     .fallback = "\"linear\"",
     .help = "The kernel that replaces the product of two rows."},
    {.name = NULL}};
