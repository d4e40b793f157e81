/*
 * linear_report.c - linear models for people: coefficients, an SQL expression, a summary.
 */
#include "core/inference/robust_model.h"
#include "core/math/special_functions.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

/* ---- coefficients ---- */

double linear_critical(double level, double df)
{
    return isfinite(df) ? t_critical(level, df) : -normal_quantile((1 - level) / 2);
}

void linear_set_tests(Coefficient *c, double error, double df, double critical)
{
    if (!(error > 0 || (error == 0 && isfinite(df))))
        return;
    c->std_error = error;
    if (error > 0) {
        c->statistic = c->estimate / error;
        c->p_value = isfinite(df) ? t_two_sided(c->statistic, df) : 2 * normal_cdf(-fabs(c->statistic));
    }
    c->conf_low = c->estimate - critical * error;
    c->conf_high = c->estimate + critical * error;
}

/* Returns standard errors in the order of the terms, the intercept first if there is one; NULL: none. */
static double *standard_errors(Env *env, const Model *model, uint32_t equation, const LinearTerm *terms,
                               uint32_t count)
{
    bool intercept = model_find(model, "intercept") != NULL;
    const ModelEntry *covariance = model_find(model, "covariance" MODEL_PACKED);
    const ModelEntry *entry = model_find(model, "coef_error"); /* of several equations */
    double *errors;

    if (covariance == NULL && entry == NULL)
        return NULL;
    errors = env_array(env, (size_t)count + 1, sizeof(double));
    if (covariance != NULL) {
        const double *packed = model_data(model, covariance);

        for (uint32_t i = 0; i < count + intercept; i++)
            errors[i] = sqrt(packed[factor_packed(i) + i]);
    } else {
        const double *own = (const double *)model_data(model, entry) + (size_t)equation * entry->columns;

        if (intercept)
            errors[0] = own[0];
        for (uint32_t t = 0; t < count; t++)
            errors[t + intercept] = own[1 + terms[t].column];
    }
    return errors;
}

uint32_t linear_list_coefficients(Env *env, const Model *model, char *const *names, double df, Coefficient **out)
{
    uint32_t count, first, size;
    const LinearTerm *terms = linear_terms(env, model, &count);
    const char **term_names = linear_term_names(env, model, terms, count);
    const uint8_t *dropped = linear_dropped(model);
    const double *own_df = robust_df(model);
    double level = estimator_level(env, estimator_of(model), model), critical = NAN;
    LinearView view;
    Coefficient *list;

    linear_view(model, &view);
    first = view.intercept != NULL;
    size = count + first;
    if (df > 0)
        critical = linear_critical(level, df);
    *out = list = env_array(env, (size_t)size * view.equations + 1, sizeof(Coefficient));
    for (uint32_t e = 0; e < view.equations; e++) {
        const double *errors = df > 0 ? standard_errors(env, model, e, terms, count) : NULL;

        env->poll(env);
        for (uint32_t i = 0; i < size; i++, list++) {
            uint32_t t = i - first;

            *list = (Coefficient){names != NULL ? names[e] : NULL, "(intercept)", NAN, NAN, NAN, NAN, NAN, NAN};
            if (i < first) {
                list->estimate = view.intercept[e];
            } else {
                list->term = term_names[t];
                if (dropped != NULL && dropped[terms[t].column])
                    continue;
                list->estimate = view.coef[(size_t)e * view.columns + terms[t].column];
            }
            if (errors != NULL && own_df != NULL)
                linear_set_tests(list, errors[i], own_df[i], linear_critical(level, own_df[i]));
            else if (errors != NULL)
                linear_set_tests(list, errors[i], df, critical);
        }
    }
    return size * view.equations;
}

uint32_t linear_estimates(Env *env, const Model *model, Coefficient **out)
{
    Coefficient *shown;
    uint32_t all = linear_list_coefficients(env, model, NULL, NAN, out), count = estimator_of(model)->coefficients(env, model, &shown), k = 0;

    for (uint32_t i = 0; i < all; i++) {
        if (k < count && strcmp((*out)[i].term, shown[k].term) == 0)
            k++;
        else
            (*out)[i] = (Coefficient){NULL, "", 0, 0, NAN, NAN, NAN, NAN};
    }
    return all;
}

uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out)
{
    return linear_list_coefficients(env, model, NULL, linear_df_residual(model), out);
}

/* ---- SQL ---- */

void linear_put_score(TextBuffer *out, const Model *model, const LinearView *view, uint32_t equation)
{
    const double *coef = view->coef + (size_t)equation * view->columns;

    sql_linear(out, model, view->offset != NULL ? view->offset[equation] : 0, view->center, coef,
               coef + view->slots, NULL);
}

char *linear_to_sql(Env *env, const Model *model)
{
    TextBuffer buffer = {.env = env};
    LinearView view;

    linear_view(model, &view);
    linear_put_score(&buffer, model, &view, 0);
    return buffer.text;
}

/* ---- summary ---- */

#define SUMMARY_DROPPED 10 /* names of dropped terms */

/* statistic: of the tests; NULL: none. limits: there are limits without tests. */
static void put_table(TextBuffer *out, const Coefficient *list, uint32_t count, int width, const char *statistic, bool limits)
{
    report_padded(out, "term", width);
    text_print(out, "%14s", "estimate");
    if (statistic != NULL)
        text_print(out, "%14s%11s   P(>|%s|)", "std. error", statistic, statistic);
    else if (limits)
        text_print(out, "%14s%14s", "lower limit", "upper limit");
    text_print(out, "\n");
    for (uint32_t i = 0; i < count; i++) {
        const Coefficient *c = &list[i];

        report_padded(out, c->term, width);
        if (isnan(c->estimate))
            text_print(out, "%14s", "dropped");
        else
            report_cell(out, c->estimate, 14, 6);
        if (statistic != NULL && !isnan(c->std_error)) {
            report_cell(out, c->std_error, 14, 4);
            report_cell(out, c->statistic, 11, 4);
            report_p(out, c->p_value, 10);
            if (report_stars(c->p_value)[0] != 0)
                text_print(out, " %s", report_stars(c->p_value));
        } else if (statistic == NULL && limits && !isnan(c->estimate)) {
            report_cell(out, c->conf_low, 14, 6);
            report_cell(out, c->conf_high, 14, 6);
        }
        text_print(out, "\n");
    }
}

void linear_put_equations(TextBuffer *out, const Coefficient *list, uint32_t count, uint32_t each, const char *statistic)
{
    bool tests = false, limits = false;
    int width = 4;

    for (uint32_t i = 0; i < count; i++) {
        int own = report_characters(list[i].term);

        width = own > width ? own : width;
        tests = tests || !isnan(list[i].std_error);
        limits = limits || !isnan(list[i].conf_low);
    }
    for (uint32_t first = 0; first < count; first += each) {
        const char *name = list[first].class_name;

        text_print(out, "\n");
        if (name != NULL) {
            text_bytes(out, name, strlen(name));
            text_print(out, "\n");
        }
        put_table(out, list + first, each, width, tests ? statistic : NULL, limits);
    }
    if (tests)
        text_print(out, "*** p < 0.001  ** p < 0.01  * p < 0.05  . p < 0.1\n");
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
        if (!isnan(model_fact(facts, "within_r_squared", NAN)))
            text_print(buffer, ", within the levels: %.4f", model_fact(facts, "within_r_squared", NAN));
        text_print(buffer, "\n");
    }
    if (!isnan(f)) {
        text_print(buffer, "%sF-statistic: %.5g on %.6g and %.6g degrees of freedom, p-value: ", robust_is(model) ? "Wald " : "", f,
            model_fact(facts, "df_model", NAN) - model_fact(model, "absorbed_df", 0), robust_f_df(model, df));
        report_p(buffer, p, 0);
        text_print(buffer, "\n");
    }
    if (!isnan(model_fact(facts, "aic", NAN)))
        text_print(buffer, "AIC: %.6g, BIC: %.6g, counting the error variance as a parameter, as R does\n", model_fact(facts, "aic", NAN),
            model_fact(facts, "bic", NAN));
}

/* Writes the line "absorbed: 10 levels of firm and 20 levels of year". */
static void put_absorbed(TextBuffer *out, const Model *model)
{
    uint32_t length = 0;
    const int64_t *levels = model_i64(model, "absorbed_levels", &length);
    RowOptions options;

    if (length == 0)
        return;
    options = state_row_options(out->env, model);
    for (uint32_t i = 0; i < length; i++) {
        text_print(out, "%s%lld level%s", i == 0 ? "absorbed: " : " and ", (long long)levels[i], levels[i] == 1 ? "" : "s");
        if (i < options.special.absorbed) {
            text_print(out, " of ");
            text_bytes(out, options.special.columns[i], strlen(options.special.columns[i]));
        }
    }
    text_print(out, "\n");
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
    linear_put_equations(&buffer, list, count, count, "t");
    put_absorbed(&buffer, model);
    robust_put(&buffer, model);
    text_print(&buffer, "\n");
    put_facts(&buffer, model, facts);
    if (!isnan(model_fact(facts, "effective_df", NAN)))
        text_print(&buffer, "effective degrees of freedom: %.5g\n", model_fact(facts, "effective_df", NAN));
    linear_path_report(&buffer, model);
    if (!isnan(condition))
        text_print(&buffer, "condition number of the %sterms, scaled to one length: %.4g%s\n", model_find(model, "intercept") != NULL ? "centered " : "", condition,
                   condition > 1e6 ? ", so they are nearly dependent" : "");
    for (uint32_t i = 0; dropped != NULL && i < dropped->rows && i < SUMMARY_DROPPED; i++) {
        const char *text = model_text(model, dropped, i, &length);
        text_print(&buffer, "%s", i > 0 ? ", " : "dropped because they depend linearly on others: ");
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
