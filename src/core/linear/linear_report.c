/*
 * linear_report.c - linear models for people: coefficients, an SQL expression, a summary.
 */
#include "core/math/special_functions.h"
#include "core/linalg/qr_factor.h"
#include "core/linear/linear_path.h"
#include "core/model/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- terms ---- */

/* Writes the slot and level of a term; level -1: a numeric feature. */
static void term_place(const Model *model, uint32_t term, uint32_t *slot, int64_t *level)
{
    uint32_t length;
    const int64_t *slots = model_i64(model, "column_slot", &length);

    *slot = slots != NULL ? (uint32_t)slots[term] : term;
    *level = slots != NULL ? model_i64(model, "column_level", &length)[term] : -1;
}

void linear_term_name(const Model *model, uint32_t term, char *buffer, size_t size)
{
    uint32_t slot;
    int64_t level;

    term_place(model, term, &slot, &level);
    schema_term_name(model, slot, level, buffer, size);
}

/* ---- coefficients ---- */

static void set_tests(Coefficient *c, double variance, double df, double critical)
{
    if (!(variance >= 0) || !(df > 0))
        return;
    c->std_error = sqrt(variance);
    if (c->std_error > 0) {
        c->statistic = c->estimate / c->std_error;
        c->p_value = t_two_sided(c->statistic, df);
    }
    c->conf_low = c->estimate - critical * c->std_error;
    c->conf_high = c->estimate + critical * c->std_error;
}

static double confidence_level(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL ? options_number(estimator_options(env, estimator, model), "level") : 0.95;
}

uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out)
{
    uint32_t length, terms = linear_terms(model), first, size;
    const double *coef = model_f64(model, "coef", &length);
    const double *intercept = model_f64(model, "intercept", &length);
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    const ModelEntry *entry = model_find(model, "dropped");
    const uint8_t *dropped = entry != NULL ? model_data(model, entry) : NULL;
    double df = linear_df_residual(model), critical = NAN;
    Coefficient *list;

    first = intercept != NULL;
    size = terms + first;
    if (covariance != NULL && df > 0)
        critical = t_critical(confidence_level(env, model), df);
    *out = list = env_array(env, size + 1, sizeof(Coefficient));
    for (uint32_t i = 0; i < size; i++) {
        Coefficient *c = &list[i];
        uint32_t t = i - first;
        char *name;
        *c = (Coefficient){NULL, NULL, NAN, NAN, NAN, NAN, NAN, NAN};
        if (i == 0 && first) {
            c->term = "(intercept)";
            c->estimate = *intercept;
        } else {
            name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);
            linear_term_name(model, t, name, 2 * SCHEMA_NAME_SIZE);
            c->term = name;
            if (dropped != NULL && dropped[t])
                continue;
            c->estimate = coef[t];
        }
        if (covariance != NULL)
            set_tests(c, covariance[factor_packed(i) + i], df, critical);
    }
    return size;
}

/* ---- SQL ---- */

char *linear_to_sql(Env *env, const Model *model)
{
    LinearView view = linear_view_of_score(linear_score_array(model), model->slot_count);
    TextBuffer buffer = {.env = env};

    sql_linear(&buffer, model, *view.offset, view.center, view.coef, view.coef + view.slots);
    return buffer.text;
}

/* ---- summary ---- */

#define SUMMARY_DROPPED 10 /* names of dropped terms */

static void put_table(TextBuffer *buffer, const Coefficient *list, uint32_t count)
{
    int width = 4;
    bool tests = false;

    for (uint32_t i = 0; i < count; i++) {
        int own = report_characters(list[i].term);
        width = own > width ? own : width;
        tests = tests || !isnan(list[i].std_error);
    }
    report_padded(buffer, "term", width);
    text_print(buffer, "%14s", "estimate");
    if (tests)
        text_print(buffer, "%14s%11s%10s", "std. error", "t", "P(>|t|)");
    text_print(buffer, "\n");
    for (uint32_t i = 0; i < count; i++) {
        const Coefficient *c = &list[i];
        report_padded(buffer, c->term, width);
        if (isnan(c->estimate))
            text_print(buffer, "%14s", "dropped");
        else
            report_cell(buffer, c->estimate, 14, 6);
        if (tests && !isnan(c->std_error)) {
            report_cell(buffer, c->std_error, 14, 4);
            report_cell(buffer, c->statistic, 11, 4);
            report_p(buffer, c->p_value, 10);
            if (report_stars(c->p_value)[0] != 0)
                text_print(buffer, " %s", report_stars(c->p_value));
        }
        text_print(buffer, "\n");
    }
    if (tests)
        text_print(buffer, "*** p < 0.001  ** p < 0.01  * p < 0.05  . p < 0.1\n");
}

static void put_facts(TextBuffer *buffer, const Model *model, const Model *facts)
{
    double sigma = model_fact(facts, "sigma", NAN), df = model_fact(facts, "df_residual", NAN);
    double r2 = model_fact(facts, "r_squared", NAN), f = model_fact(facts, "f_statistic", NAN);
    double p = model_fact(facts, "f_p_value", NAN);

    report_rows(buffer, model);
    if (!isnan(sigma))
        text_print(buffer, "residual standard error: %.5g on %.6g degrees of freedom\n", sigma, df);
    if (!isnan(r2)) {
        text_print(buffer, "R-squared: %.4f", r2);
        if (!isnan(model_fact(facts, "adjusted_r_squared", NAN)))
            text_print(buffer, ", adjusted: %.4f", model_fact(facts, "adjusted_r_squared", NAN));
        text_print(buffer, "\n");
    }
    if (!isnan(f)) {
        text_print(buffer, "F-statistic: %.5g on %.6g and %.6g degrees of freedom, p-value: ", f,
            model_fact(facts, "df_model", NAN), df);
        report_p(buffer, p, 0);
        text_print(buffer, "\n");
    }
    if (!isnan(model_fact(facts, "aic", NAN)))
        text_print(buffer, "AIC: %.6g, BIC: %.6g\n", model_fact(facts, "aic", NAN),
            model_fact(facts, "bic", NAN));
}

char *linear_summary(Env *env, const Model *model)
{
    TextBuffer buffer = {.env = env};
    Coefficient *list;
    uint32_t count = linear_coefficients(env, model, &list), length;
    const ModelEntry *dropped = model_find(model, "dropped_terms");
    const Model *facts = estimator_statistics(env, model);
    double condition = model_fact(facts, "condition_number", NAN);

    text_print(&buffer, "%s: ", model->estimator);
    report_formula(&buffer, model, model_find(model, "intercept") != NULL);
    text_print(&buffer, "\n");
    put_table(&buffer, list, count);
    text_print(&buffer, "\n");
    put_facts(&buffer, model, facts);
    if (!isnan(model_fact(facts, "effective_df", NAN)))
        text_print(&buffer, "effective degrees of freedom: %.5g\n", model_fact(facts, "effective_df", NAN));
    linear_path_report(&buffer, model);
    if (condition > 1e6)
        text_print(&buffer, "note: the terms are nearly dependent (condition number %.2g)\n", condition);
    for (uint32_t i = 0; dropped != NULL && i < dropped->rows && i < SUMMARY_DROPPED; i++) {
        const char *text = model_text(model, dropped, i, &length);
        text_print(&buffer, "%s", i > 0 ? ", " : "dropped, for they depend linearly on the others: ");
        text_bytes(&buffer, text, length);
    }
    if (dropped != NULL && dropped->rows > SUMMARY_DROPPED)
        text_print(&buffer, " and %u more", dropped->rows - SUMMARY_DROPPED);
    if (dropped != NULL)
        text_print(&buffer, "\n");
    if (buffer.length > 0) /* psql ends the line itself */
        buffer.text[buffer.length - 1] = 0;
    return buffer.text;
}
