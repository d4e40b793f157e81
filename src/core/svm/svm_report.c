/*
 * svm_report.c - support vector machines for people.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/model/report_text.h"
#include "core/svm/svm_model.h"

#include <math.h>

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
