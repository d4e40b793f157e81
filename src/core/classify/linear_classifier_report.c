/*
 * linear_classifier_report.c - linear classifiers for people: coefficients, SQL, a summary.
 */
#include "core/math/special_functions.h"
#include "core/estimator/explanation.h"
#include "core/linalg/qr_factor.h"
#include "core/classify/linear_classifier.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

LinearTerm *linear_classifier_terms(Env *env, const Model *model, uint32_t *count)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), slot = 0, level = 0;
    const ModelEntry *entry = model_find(model, "reference");
    const uint8_t *reference = entry != NULL ? model_data(model, entry) : NULL;
    LinearTerm *terms = env_array(env, (size_t)model->slot_count + levels + 1, sizeof(LinearTerm));

    *count = 0;
    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);

        if (schema_field_kind(model, f) != FIELD_CATEGORICAL) {
            for (uint32_t i = 0; i < width; i++)
                terms[(*count)++] = (LinearTerm){slot + i, -1, slot + i};
        } else {
            /* a fitted model has its levels in order of the fields; others cost a search */
            for (level = 0; level < levels; level++)
                if (dictionary_field(model, level) == f && !reference[level])
                    terms[(*count)++] = (LinearTerm){slot, level, model->slot_count + level};
        }
        slot += width;
    }
    return terms;
}

char *linear_classifier_equation_name(Env *env, const Model *model, uint32_t equation)
{
    LinearView view;
    char *name;

    linear_view(model, &view);
    if (view.equations == 1)
        return NULL;
    if (model_find(model, "multiclass") == NULL)
        return class_string(env, model, equation);
    name = env_array(env, 3 * SCHEMA_NAME_SIZE, 1);
    multiclass_problem_name(model, equation, name, 3 * SCHEMA_NAME_SIZE);
    return name;
}

/* ---- what made a score ---- */

uint32_t linear_classifier_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                   Explanation **out)
{
    ExplanationList list;
    LinearView view;

    (void)prepared;
    linear_view(model, &view);
    list = explanation_list(env, model, slots, view.equations);
    for (uint32_t e = 0; e < view.equations; e++) {
        explanation_base(&list, linear_classifier_equation_name(env, model, e),
                         view.offset != NULL ? view.offset[e] : 0);
        linear_view_explain(&view, e, slots, &list);
        env->poll(env);
    }
    *out = list.lines;
    return list.count;
}

/* ---- coefficients ---- */

static void set_tests(Coefficient *c, double error, double critical)
{
    if (!(error > 0))
        return;
    c->std_error = error;
    c->statistic = c->estimate / error;
    c->p_value = 2 * normal_cdf(-fabs(c->statistic));
    c->conf_low = c->estimate - critical * error;
    c->conf_high = c->estimate + critical * error;
}

/* Returns standard errors in the order of the terms, the intercept first if there is one; NULL: none. */
static double *standard_errors(Env *env, const Model *model, uint32_t equation, const LinearTerm *terms,
                               uint32_t count)
{
    bool intercept = model_find(model, "intercept") != NULL;
    const ModelEntry *entry = model_find(model, "covariance" MODEL_PACKED);
    double *errors = env_array(env, (size_t)count + 1, sizeof(double));

    if (entry != NULL) {
        const double *packed = model_data(model, entry);

        for (uint32_t i = 0; i < count + intercept; i++)
            errors[i] = sqrt(packed[factor_packed(i) + i]);
        return errors;
    }
    entry = model_find(model, "coef_error");
    if (entry != NULL) {
        const double *own = (const double *)model_data(model, entry) + (size_t)equation * entry->columns;

        if (intercept)
            errors[0] = own[0];
        for (uint32_t t = 0; t < count; t++)
            errors[t + intercept] = own[1 + terms[t].column];
        return errors;
    }
    env->release(env, errors);
    return NULL;
}

uint32_t linear_classifier_coefficients(Env *env, const Model *model, Coefficient **out)
{
    uint32_t count, length, size;
    LinearTerm *terms = linear_classifier_terms(env, model, &count);
    const double *intercept = model_f64(model, "intercept", &length);
    const ModelEntry *entry = model_find(model, "dropped");
    const uint8_t *dropped = entry != NULL ? model_data(model, entry) : NULL;
    double critical = -normal_quantile((1 - estimator_level(env, estimator_of(model), model)) / 2);
    const char **names = env_array(env, (size_t)count + 1, sizeof(char *));
    LinearView view;
    Coefficient *list;

    linear_view(model, &view);
    size = count + (intercept != NULL);
    for (uint32_t t = 0; t < count; t++) {
        char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);

        schema_term_name(model, terms[t].slot, terms[t].level, name, 2 * SCHEMA_NAME_SIZE);
        names[t] = name;
    }
    *out = list = env_array(env, (size_t)size * view.equations + 1, sizeof(Coefficient));
    for (uint32_t e = 0; e < view.equations; e++) {
        const char *class = linear_classifier_equation_name(env, model, e);
        double *errors = standard_errors(env, model, e, terms, count);

        env->poll(env);
        for (uint32_t i = 0; i < size; i++, list++) {
            uint32_t t = i - (intercept != NULL);

            *list = (Coefficient){class, NULL, NAN, NAN, NAN, NAN, NAN, NAN};
            if (i == 0 && intercept != NULL) {
                list->term = "(intercept)";
                list->estimate = intercept[e];
            } else {
                list->term = names[t];
                if (dropped != NULL && dropped[terms[t].column])
                    continue;
                list->estimate = view.coef[(size_t)e * view.columns + terms[t].column];
            }
            if (errors != NULL)
                set_tests(list, errors[i], critical);
        }
        if (errors != NULL)
            env->release(env, errors);
    }
    return size * view.equations;
}

/* ---- SQL ---- */

static void put_score(TextBuffer *out, const Model *model, const LinearView *view, uint32_t equation)
{
    const double *coef = view->coef + (size_t)equation * view->columns;

    sql_linear(out, model, view->offset != NULL ? view->offset[equation] : 0, view->center, coef,
               coef + view->slots);
}

/* exp is kept from overflow by bounds, and bounds would make a number of NULL. */
static void put_probability(TextBuffer *out, const Model *model, const LinearView *view, uint32_t equation)
{
    bool nulls = (model->flags & MODEL_IMPUTE) == 0;

    if (nulls) {
        text_print(out, "CASE WHEN ROW(");
        for (uint32_t s = 0; s < view->slots; s++) {
            text_print(out, s > 0 ? ", " : "");
            sql_column(out, model, s);
        }
        text_print(out, ") IS NOT NULL THEN ");
    }
    text_print(out, "1 / (1 + exp(least(700, greatest(-700, -(");
    put_score(out, model, view, equation);
    text_print(out, ")))))");
    if (nulls)
        text_print(out, " END");
}

/* Writes one binary score of a model with pairs or codes, as the scorer computes it. */
typedef struct BinarySql {
    const Model *model;
    LinearView view;
    bool probabilities;
} BinarySql;

static void put_binary(void *context, TextBuffer *out, uint32_t problem)
{
    const BinarySql *sql = context;

    if (sql->probabilities)
        put_probability(out, sql->model, &sql->view, problem);
    else
        put_score(out, sql->model, &sql->view, problem);
}

static void put_coded(TextBuffer *out, const Model *model, const LinearView *view)
{
    BinarySql sql = {.model = model, .view = *view};

    sql.probabilities = view->link != LINK_NONE && model_find(model, "code_book") != NULL;
    multiclass_sql(out, model, sql.probabilities, put_binary, &sql);
}

char *linear_classifier_to_sql(Env *env, const Model *model)
{
    LinearView view;
    TextBuffer out = {.env = env};

    linear_view(model, &view);
    if (view.equations == 1) {
        if (view.link == LINK_NONE)
            put_score(&out, model, &view, 0);
        else
            put_probability(&out, model, &view, 0);
        return out.text;
    }
    if (multiclass_coded(model)) {
        put_coded(&out, model, &view);
        return out.text;
    }
    text_print(&out, "(SELECT label FROM (VALUES");
    for (uint32_t e = 0; e < view.equations; e++) {
        uint32_t length;
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, e, &length);

        env->poll(env);
        text_print(&out, "%s\n (%u, ", e > 0 ? "," : "", e);
        sql_literal(&out, label, length);
        text_print(&out, ", ");
        put_score(&out, model, &view, e);
        text_print(&out, ")");
    }
    text_print(&out, ") AS class (place, label, score)\n"
                     " WHERE score IS NOT NULL ORDER BY score DESC, place LIMIT 1)");
    return out.text;
}

/* ---- summary ---- */

static void put_table(TextBuffer *out, const Coefficient *list, uint32_t count, int width, bool tests)
{
    report_padded(out, "term", width);
    text_print(out, "%14s", "estimate");
    if (tests)
        text_print(out, "%14s%11s%10s", "std. error", "z", "P(>|z|)");
    text_print(out, "\n");
    for (uint32_t i = 0; i < count; i++) {
        const Coefficient *c = &list[i];

        report_padded(out, c->term, width);
        if (isnan(c->estimate))
            text_print(out, "%14s", "dropped");
        else
            report_cell(out, c->estimate, 14, 6);
        if (tests && !isnan(c->std_error)) {
            report_cell(out, c->std_error, 14, 4);
            report_cell(out, c->statistic, 11, 4);
            report_p(out, c->p_value, 10);
            if (report_stars(c->p_value)[0] != 0)
                text_print(out, " %s", report_stars(c->p_value));
        }
        text_print(out, "\n");
    }
}

/* classes: no 549, yes 342 (positive) */
static void put_classes(TextBuffer *out, const Model *model, bool positive)
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

/* multiclass: output codes, 15 binary models; classes differ in 7 at least */
static void put_strategy(TextBuffer *out, const Model *model, uint32_t equations)
{
    uint32_t distance = multiclass_code_distance(model);

    if (!multiclass_coded(model))
        return;
    text_print(out, "multiclass: %s, %u binary models", multiclass_name(model), equations);
    if (distance > 0)
        text_print(out, "; classes differ in %u at least", distance);
    text_print(out, "\n");
}

/* Facts that some of the methods have. */
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

/* The terms of each equation. Are there tests among them? */
static bool put_equations(Env *env, TextBuffer *out, const Model *model, const LinearView *view)
{
    Coefficient *list;
    uint32_t count = linear_classifier_coefficients(env, model, &list), each = count / view->equations;
    bool tests = false;
    int width = 4;

    for (uint32_t i = 0; i < count; i++) {
        int own = report_characters(list[i].term);

        width = own > width ? own : width;
        tests = tests || !isnan(list[i].std_error);
    }
    for (uint32_t e = 0; e < view->equations; e++) {
        text_print(out, "\n");
        if (list[(size_t)e * each].class_name != NULL) {
            const char *name = list[(size_t)e * each].class_name;

            text_bytes(out, name, strlen(name));
            text_print(out, "\n");
        }
        put_table(out, list + (size_t)e * each, each, width, tests);
    }
    return tests;
}

char *linear_classifier_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    bool votes = model_find(model, "survived") != NULL;
    LinearView view;

    linear_view(model, &view);
    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    if (dictionary_size(model, DICTIONARY_CLASSES) > 0)
        put_classes(&out, model, view.equations == 1 || votes);
    put_strategy(&out, model, view.equations);
    if (votes)
        text_print(&out, "vectors that vote: %u\n", view.equations);
    else if (put_equations(env, &out, model, &view))
        text_print(&out, "*** p < 0.001  ** p < 0.01  * p < 0.05  . p < 0.1\n");
    text_print(&out, "\n");
    report_rows(&out, model);
    put_facts(&out, estimator_statistics(env, model));
    if (out.length > 0) /* psql ends the line itself */
        out.text[out.length - 1] = 0;
    return out.text;
}
