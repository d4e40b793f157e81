/*
 * linear_classifier_report.c - linear classifiers for people: coefficients, SQL, a summary.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/inference/robust_model.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/linear_equations/linear_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

/* Fails if the model is no linear equation: its kernel is not linear, or its vectors vote. */
static void require_equations(Env *env, const Model *model, const char *function)
{
    if (kernel_model_is(model))
        env_fail(env, ERROR_KIND, "Fit with \"kernel\": \"linear\".",
                 "%s does not apply to this %.31s: its kernel is not linear, so it has no coefficients", function, model->estimator);
    if (model_find(model, "survived") != NULL)
        env_fail(env, ERROR_KIND, "Call decision or classify, or fit with \"averaged\": true.",
                 "%s does not apply to a voted perceptron, whose vectors do not add up to one equation", function);
}

/* Returns the names of the equations: labels of classes, or binary problems; NULL: there is one equation. */
static char **equation_names(Env *env, const Model *model, uint32_t equations)
{
    bool coded = multiclass_coded(model);
    char **names;

    if (equations == 1)
        return NULL;
    names = env_array(env, equations, sizeof(char *));
    for (uint32_t e = 0; e < equations; e++) {
        if (!coded) {
            names[e] = class_string(env, model, e);
            continue;
        }
        names[e] = env_array(env, 3 * SCHEMA_NAME_SIZE, 1);
        multiclass_problem_name(model, e, names[e], 3 * SCHEMA_NAME_SIZE);
    }
    return names;
}

uint32_t linear_classifier_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                   Explanation **out)
{
    LinearView view;

    (void)prepared;
    require_equations(env, model, "explain");
    linear_view(model, &view);
    return linear_view_explain(env, model, &view, slots, equation_names(env, model, view.equations), out);
}

uint32_t linear_classifier_coefficients(Env *env, const Model *model, Coefficient **out)
{
    LinearView view;

    require_equations(env, model, "coefficients");
    linear_view(model, &view);
    return linear_list_coefficients(env, model, equation_names(env, model, view.equations), INFINITY, out);
}

/* ---- SQL ---- */

/* Writes a probability. Bounds keep exp from overflow; they would turn NULL into a number, so NULL is tested first. */
static void put_probability(TextBuffer *out, const Model *model, const LinearView *view, uint32_t equation)
{
    sql_if_complete(out, model);
    text_print(out, "1 / (1 + exp(least(700, greatest(-700, -(");
    linear_put_score(out, model, view, equation);
    text_print(out, ")))))");
    sql_end_complete(out, model);
}

typedef struct BinarySql {
    const Model *model;
    LinearView view;
    bool probabilities;
} BinarySql;

/* Writes one binary score of a model with pairs or codes, as the scorer computes it. */
static void put_binary(void *context, TextBuffer *out, uint32_t problem)
{
    const BinarySql *sql = context;

    if (sql->probabilities)
        put_probability(out, sql->model, &sql->view, problem);
    else
        linear_put_score(out, sql->model, &sql->view, problem);
}

static void put_coded(TextBuffer *out, const Model *model, const LinearView *view)
{
    BinarySql sql = {.model = model, .view = *view};

    sql.probabilities = view->link != LINK_NONE && model_find(model, "code_book") != NULL;
    multiclass_sql(out, model, sql.probabilities, put_binary, &sql);
}

static void put_score(TextBuffer *out, void *context, uint32_t equation)
{
    const BinarySql *sql = context;

    linear_put_score(out, sql->model, &sql->view, equation);
}

char *linear_classifier_to_sql(Env *env, const Model *model)
{
    LinearView view;
    TextBuffer out = {.env = env};

    require_equations(env, model, "to_sql");
    linear_view(model, &view);
    if (view.equations == 1) {
        if (view.link == LINK_NONE)
            linear_put_score(&out, model, &view, 0);
        else
            put_probability(&out, model, &view, 0);
        return out.text;
    }
    if (multiclass_coded(model)) {
        put_coded(&out, model, &view);
        return out.text;
    }
    sql_best_class(&out, model, put_score, &(BinarySql){.model = model, .view = view});
    return out.text;
}

/* ---- summary ---- */

void linear_classifier_put_classes(TextBuffer *out, const Model *model, bool positive)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    text_print(out, "classes: ");
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t length;
        const char *text = dictionary_text(model, DICTIONARY_CLASSES, c, &length);

        if (c == 20) {
            text_print(out, ", and %u more", classes - c);
            break;
        }
        if (c > 0)
            text_print(out, ", ");
        text_bytes(out, text, length);
        if (positive && c == class_rule_of(model).positive)
            text_print(out, " (positive)");
    }
    text_print(out, "\n");
}

void linear_classifier_put_strategy(TextBuffer *out, const Model *model, uint32_t equations)
{
    uint32_t distance = multiclass_code_distance(model);

    if (!multiclass_coded(model))
        return;
    text_print(out, "multiclass: %s, %u binary models", multiclass_name(model), equations);
    if (distance > 0)
        text_print(out, "; classes differ in at least %u", distance);
    text_print(out, "\n");
}

/* Writes the facts that the model has. */
static void put_facts(TextBuffer *out, const Model *facts)
{
    static const struct {
        const char *name, *label;
    } lines[] = {
        {"null_deviance", "null deviance"}, {"deviance", "residual deviance"}, {"aic", "AIC"},
        {"objective", "objective"},         {"iterations", "iterations"},      {"updates", "updates"},
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        double value = model_fact(facts, lines[i].name, NAN);

        if (!isnan(value))
            text_print(out, "%s: %.6g\n", lines[i].label, value);
    }
    if (model_fact(facts, "converged", 1) == 0)
        text_print(out, "note: the fit has not converged\n");
}

const char *linear_classifier_accept(Env *env, const Model *model)
{
    return kernel_model_is(model) ? NULL : linear_accept(env, model);
}

char *linear_classifier_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    bool votes = model_find(model, "survived") != NULL;
    Coefficient *list;
    uint32_t count = votes ? 0 : linear_classifier_coefficients(env, model, &list);
    LinearView view;

    linear_view(model, &view);
    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    if (dictionary_size(model, DICTIONARY_CLASSES) > 0)
        linear_classifier_put_classes(&out, model, view.equations == 1 || votes);
    linear_classifier_put_strategy(&out, model, view.equations);
    if (votes)
        text_print(&out, "vectors that vote: %u\n", view.equations);
    else
        linear_put_equations(&out, list, count, count / view.equations, robust_df(model) != NULL ? "t" : "z");
    robust_put(&out, model);
    text_print(&out, "\n");
    report_rows(&out, model);
    put_facts(&out, estimator_statistics(env, model));
    if (out.length > 0) /* psql ends the line itself */
        out.text[out.length - 1] = 0;
    return out.text;
}
