/*
 * kernel_ridge_report.c - models of kernel_ridge for people; with a linear kernel as a linear equation.
 */
#include "core/kernel_methods/kernel_ridge.h"

#include "core/estimator/explanation.h"
#include "core/estimator/table.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/kernel_methods/support_vector_table.h"
#include "core/model/report_text.h"

#include <math.h>

/* ---- the equation of a linear kernel ---- */

typedef struct Equation {
    KernelView view;
    double *coef; /* [dims] of the features as they come */
    double intercept; /* with the center taken out: the score is intercept + coef . (x - center) */
} Equation;

static bool is_linear(const KernelView *view)
{
    return view->kernel.kind == KERNEL_LINEAR && view->phases == NULL;
}

bool kernel_ridge_has_explain(const Model *model)
{
    KernelView view;

    kernel_view(model, &view);
    return is_linear(&view);
}

/* Returns the equation. Fails unless the kernel is linear. */
static Equation equation_of(Env *env, const Model *model, const char *function)
{
    Equation out;
    const KernelView *view = &out.view;

    kernel_view(model, &out.view);
    if (!is_linear(view))
        env_fail(env, ERROR_KIND, "Fit with \"kernel\": \"linear\", or call predict.",
                 "%s does not apply to a model of %s with kernel %s, which is not a linear equation", function, model->estimator,
                 view->phases != NULL ? "rbf" : kernel_name(view->kernel.kind));
    out.coef = env_array(env, (size_t)view->dims + 1, sizeof(double));
    out.intercept = view->intercept != NULL ? view->intercept[0] : 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const double *row = view->rows + (size_t)i * view->dims;

        for (uint32_t d = 0; d < view->dims; d++)
            out.coef[d] += view->multipliers[i] * row[d];
        env_poll_every(env, i, 1024);
    }
    for (uint32_t d = 0; view->scale != NULL && d < view->dims; d++)
        out.coef[d] *= view->scale[d];
    return out;
}

static double center_of(const Equation *equation, uint32_t term)
{
    return equation->view.center != NULL ? equation->view.center[term] : 0;
}

uint32_t kernel_ridge_coefficients(Env *env, const Model *model, Coefficient **out)
{
    Equation equation = equation_of(env, model, "coefficients");
    uint32_t dims = equation.view.dims, first = equation.view.intercept != NULL || equation.view.center != NULL;
    const char *const *names = terms_names(env, model, &equation.view.terms);
    Coefficient *list = env_array(env, (size_t)dims + 1, sizeof(Coefficient));
    double intercept = equation.intercept;

    for (uint32_t d = 0; d < dims; d++) {
        intercept -= equation.coef[d] * center_of(&equation, d);
        list[first + d] = (Coefficient){NULL, names[d], equation.coef[d], NAN, NAN, NAN, NAN, NAN};
    }
    if (first)
        list[0] = (Coefficient){NULL, "(intercept)", intercept, NAN, NAN, NAN, NAN, NAN};
    *out = list;
    return first + dims;
}

char *kernel_ridge_to_sql(Env *env, const Model *model)
{
    Equation equation = equation_of(env, model, "to_sql");
    TextBuffer report = {.env = env};
    double *zero = env_array(env, (size_t)equation.view.dims + 1, sizeof(double));

    terms_sql(&report, model, &equation.view.terms, equation.intercept, equation.view.center != NULL ? equation.view.center : zero,
              equation.coef);
    return report.text;
}

uint32_t kernel_ridge_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    Equation equation = equation_of(env, model, "explain");
    ExplanationList list = explanation_list(env, model, slots, 1);
    double *shares = env_array(env, (size_t)model->slot_count + 1, sizeof(double));

    (void)prepared;
    for (uint32_t d = 0; d < equation.view.dims; d++) {
        const Terms *terms = &equation.view.terms;
        uint32_t slot = terms->slot != NULL ? (uint32_t)terms->slot[d] : d;

        shares[slot] += equation.coef[d] * (term_value(terms, d, slots) - center_of(&equation, d));
    }
    explanation_base(&list, NULL, equation.intercept);
    for (uint32_t slot = 0; slot < model->slot_count; slot++)
        explanation_slot(&list, slot, shares[slot]);
    *out = list.lines;
    return list.count;
}

/* ---- what was tried ---- */

static bool has_path(const Model *model)
{
    return model_find(model, "path_lambda") != NULL;
}

static void *open_path(Env *env, const Model *model, uint64_t *rows)
{
    *rows = has_path(model) ? model_find(model, "path_lambda")->rows : 0;
    return NULL;
}

static bool path_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    uint32_t length;
    const double *lambdas = model_f64(model, "path_lambda", &length), *gammas = model_f64(model, "path_gamma", &length);
    const double *errors = model_f64(model, "path_error", &length);
    double gamma = gammas != NULL ? gammas[i] : model_fact(model, "gamma", NAN);
    bool folded = !isnan(model_fact(model, "cv_mse", NAN));

    cell_number(&cells[0], gamma);
    cell_number(&cells[1], lambdas[i]);
    cell_number(&cells[2], isfinite(errors[i]) && !folded ? errors[i] : NAN);
    cell_number(&cells[3], isfinite(errors[i]) && folded ? errors[i] : NAN);
    cell_integer(&cells[4], lambdas[i] == model_fact(model, "lambda", NAN) &&
                                (gammas == NULL || gamma == model_fact(model, "gamma", NAN)));
    return true;
}

static const Table kernel_path = {.name = "kernel_path", .open = open_path, .row = path_row};

const Table *const kernel_ridge_tables[] = {&kernel_path, &support_vector_table, NULL};

/* ---- summary ---- */

char *kernel_ridge_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    double loo = model_fact(model, "loo_mse", NAN), df = model_fact(model, "df", NAN);

    text_print(&report, "kernel_ridge: ");
    report_formula(&report, model, true);
    text_print(&report, "\n");
    report_rows(&report, model);
    text_print(&report, "\n");
    kernel_model_report(&report, model);
    text_print(&report, ", lambda: %.6g\n", model_fact(model, "lambda", NAN));
    text_print(&report, "mean squared error: %.6g", model_fact(model, "mse", NAN));
    if (isfinite(loo))
        text_print(&report, ", leave-one-out: %.6g", loo);
    if (isfinite(df))
        text_print(&report, ", effective parameters: %.4g", df);
    text_print(&report, "\n");
    return report.text;
}
