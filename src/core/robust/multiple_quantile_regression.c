/*
 * multiple_quantile_regression.c - linear equations for several quantiles of the target (quantreg's rq of several tau): one reading of the rows, one solution
 * and its standard errors after the other.
 *
 * Arrays: the equations (linear_view.h), one per quantile, and
 *   coef_error      F64[E x (1 + W)]  standard errors; 0 where there are none
 *   duality_gap     F64[E]            as the fact of quantile_regression, and so the following two
 *   null_objective  F64[E]
 *   objective       F64[E]
 *   quantile        F64[E]            increasing
 */
#include "core/base/json.h"
#include "core/inspection/outputs.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/robust/quantile_fit.h"

#include <math.h>

#define QUANTILES_MOST 1000 /* a row's predictions are sorted in their place, by squares of this */

static const char *const error_kinds[] = {"kernel", "nid", "none", NULL};

static const OptionSpec multiple_options[] = {
    {.name = "errors",
     .types = OPTION_STRING,
     .fallback = "\"kernel\"",
     .choices = error_kinds,
     .help = "Standard errors from a kernel density of the residuals (kernel), from two more fits at quantiles nearby for each (nid), or none."},
    {.name = "quantile",
     .types = OPTION_NUMBER_LIST,
     .fallback = "[0.25,0.5,0.75]",
     .minimum = EXTREME_QUANTILE,
     .maximum = 1 - EXTREME_QUANTILE,
     .help = "The shares of rows below the equations, in increasing order."},
    {.name = "rearrange",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Sort the predictions of each row, so that those of a higher quantile are not lower (Chernozhukov, Fernandez-Val & Galichon 2010)."},
    {.name = NULL}};

/* ---- the fit ---- */

static void require_increasing(Env *env, const double *quantiles, uint32_t count)
{
    if (count == 0 || count > QUANTILES_MOST)
        env_fail(env, ERROR_PARAMETER, "List the quantiles, such as [0.1, 0.5, 0.9].", "option \"quantile\" needs 1 to %d quantiles, not %u", QUANTILES_MOST, count);
    for (uint32_t e = 1; e < count; e++)
        if (!(quantiles[e - 1] < quantiles[e]))
            env_fail(env, ERROR_PARAMETER, "List each quantile once, the lowest first.", "quantile %g comes after %g", quantiles[e], quantiles[e - 1]);
}

/* Sets the standard errors of an equation to the roots of the diagonal of a packed covariance. */
static void set_errors(LinearEquations *out, uint32_t equation, bool intercept, const double *packed)
{
    double *errors = out->errors + (size_t)equation * (1 + out->slots + out->levels);

    if (intercept)
        errors[0] = sqrt(packed[0]);
    for (uint32_t t = 0; t < out->terms.count; t++) {
        uint32_t place = t + intercept;

        errors[1 + linear_column(out->slots, out->terms, t)] = sqrt(packed[factor_packed(place) + place]);
    }
}

static Model *multiple_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    uint32_t count;
    const double *quantiles = options_numbers(options, "quantile", &count);
    double *gaps = env_array(env, 3 * (size_t)count + 1, sizeof(double)), *nulls = gaps + count, *objectives = nulls + count;
    bool converged = true;
    int64_t iterations = 0;
    QuantileFit fit;
    LinearEquations out;

    require_increasing(env, quantiles, count);
    fit = quantile_begin(env, self, input, options);
    out = linear_rows_equations(fit.rows, count);
    linear_equations_drop(&out, fit.rows->dropped, NULL, "Leave them out, or add rows.", builder);
    for (uint32_t e = 0; e < count; e++) {
        double *packed;

        quantile_fit_next(&fit, quantiles[e], &out, e);
        gaps[e] = fit.solution.gap;
        nulls[e] = quantile_null_objective(fit.solver, quantiles[e]);
        objectives[e] = fit.solution.objective;
        converged = converged && fit.solution.converged;
        iterations += fit.solution.iterations;
        packed = quantile_covariance(&fit, options_string(options, "errors"));
        if (packed != NULL && out.errors == NULL)
            out.errors = env_array(env, (size_t)count * (1 + out.slots + out.levels), sizeof(double));
        if (packed != NULL)
            set_errors(&out, e, fit.rows->intercept, packed);
        env->release(env, packed);
        env->progress(env, "quantiles", e + 1, count, NAN);
    }
    linear_equations_add(builder, &out);
    builder_f64(builder, SECTION_ARRAYS, "duality_gap", gaps, count);
    builder_f64(builder, SECTION_ARRAYS, "null_objective", nulls, count);
    builder_f64(builder, SECTION_ARRAYS, "objective", objectives, count);
    builder_f64(builder, SECTION_ARRAYS, "quantile", quantiles, count);
    builder_fact_bool(builder, "converged", converged);
    builder_fact(builder, "df_model", fit.rows->terms);
    builder_fact_i64(builder, "iterations", iterations);
    builder_fact_bool(builder, "rearranged", options_boolean(options, "rearrange"));
    return model_build(builder);
}

/* ---- the model ---- */

#define PER_QUANTILE(own, are) {.name = own, .type = ARRAY_F64, .values = are, .rows = {SIZE_EQUATIONS}}

static const ArraySpec multiple_arrays[] = {PER_QUANTILE("duality_gap", VALUES_FINITE), PER_QUANTILE("null_objective", VALUES_NONNEGATIVE),
                                            PER_QUANTILE("objective", VALUES_NONNEGATIVE), PER_QUANTILE("quantile", VALUES_PROBABILITY)};
static const ArraySpec multiple_facts[] = {FACT("converged", ARRAY_BOOL), FACT("df_model", ARRAY_F64), FACT_LIST("dropped_terms", ARRAY_TEXT),
                                           FACT("iterations", ARRAY_I64), FACT("rearranged", ARRAY_BOOL)};
static const ArrayTable multiple_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_class_arrays), ARRAY_TABLE(multiple_arrays),
                                                         FACT_TABLE(multiple_facts));

static const char *multiple_check(Env *env, const Model *model)
{
    uint32_t count;
    const double *quantiles = model_f64(model, "quantile", &count);

    if (count > QUANTILES_MOST)
        return "there are more than 1000 quantiles";
    for (uint32_t e = 1; e < count; e++)
        if (!(quantiles[e - 1] < quantiles[e]))
            return "the quantiles do not increase";
    return linear_check(env, model);
}

/* Adds the name of an output: its quantile. */
static void quantile_name(TextBuffer *out, const Model *model, uint32_t output)
{
    uint32_t count;

    json_double(out, model_f64(model, "quantile", &count)[output]);
}

/* Returns the names of the outputs. before: stands before each. */
static char **quantile_names(Env *env, const Model *model, const char *before)
{
    uint32_t count = linear_classifier_width(model);
    char **names = env_array(env, (size_t)count + 1, sizeof(char *));

    for (uint32_t e = 0; e < count; e++) {
        TextBuffer name = {.env = env};

        text_add(&name, before);
        quantile_name(&name, model, e);
        names[e] = text_finish(&name, NULL);
    }
    return names;
}

/* ---- scores ---- */

static bool is_rearranged(const Model *model)
{
    return model_fact(model, "rearranged", 0) != 0;
}

/* Writes the predictions: Scoring.transform. Few cross, so that sorting them in their place takes few steps. */
static void multiple_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    uint32_t count = linear_classifier_width(model);

    linear_classifier_decisions(model, prepared, slots, out);
    for (uint32_t e = 1; e < count && is_rearranged(model); e++) {
        double own = out[e];
        uint32_t place = e;

        for (; place > 0 && out[place - 1] > own; place--)
            out[place] = out[place - 1];
        out[place] = own;
    }
}

/* Explains each equation, under the name of the output that its prediction of the row is. */
static uint32_t multiple_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    uint32_t count = linear_classifier_width(model);
    char **names = quantile_names(env, model, ""), **own = env_array(env, (size_t)count + 1, sizeof(char *));
    double *scores = env_array(env, (size_t)count + 1, sizeof(double));
    LinearView view;

    linear_view(model, &view);
    linear_classifier_decisions(model, prepared, slots, scores);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t place = 0;

        for (uint32_t i = 0; i < count; i++)
            place += scores[i] < scores[e] || (scores[i] == scores[e] && i < e);
        own[e] = names[is_rearranged(model) ? place : e];
    }
    return linear_view_explain(env, model, &view, slots, own, out);
}

static void put_fitted_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    LinearView view;

    linear_view(model, &view);
    linear_put_score(out, model, &view, output);
}

/* Adds "FROM unnest(ARRAY[...]) AS u(v) ORDER BY v": the sorted predictions. */
static void put_sorted_sql(TextBuffer *out, const Model *model)
{
    uint32_t count = linear_classifier_width(model);

    text_add(out, "FROM unnest(ARRAY[");
    for (uint32_t e = 0; e < count; e++) {
        text_add(out, e > 0 ? ",\n" : "");
        put_fitted_sql(out, model, e);
        out->env->poll(out->env);
    }
    text_add(out, "]) AS u(v) ORDER BY v");
}

static void multiple_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    if (!is_rearranged(model)) {
        put_fitted_sql(out, model, output);
        return;
    }
    text_add(out, "(SELECT v ");
    put_sorted_sql(out, model);
    text_print(out, " LIMIT 1 OFFSET %u)", output);
}

static char *multiple_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};

    if (!is_rearranged(model))
        return outputs_to_sql(env, model);
    sql_if_complete(&out, model);
    text_add(&out, "ARRAY(SELECT v ");
    put_sorted_sql(&out, model);
    text_add(&out, ")");
    sql_end_complete(&out, model);
    return text_finish(&out, NULL);
}

/* ---- reports ---- */

static uint32_t list_coefficients(Env *env, const Model *model, const char *before, Coefficient **out)
{
    uint32_t count = linear_list_coefficients(env, model, quantile_names(env, model, before), linear_df_residual(model), out);

    for (uint32_t i = 0; i < count; i++) {
        Coefficient *c = *out + i;

        if (c->std_error == 0) /* of a quantile without errors */
            c->std_error = c->conf_low = c->conf_high = NAN;
    }
    return count;
}

static uint32_t multiple_coefficients(Env *env, const Model *model, Coefficient **out)
{
    return list_coefficients(env, model, "", out);
}

/* Returns R1 of Koenker & Machado (1999) per quantile; NaN where the best constant has no loss. */
static double *r1_of(Env *env, const Model *model, uint32_t *count)
{
    const double *objectives = model_f64(model, "objective", count), *nulls = model_f64(model, "null_objective", count);
    double *r1 = env_array(env, (size_t)*count + 1, sizeof(double));

    for (uint32_t e = 0; e < *count; e++)
        r1[e] = nulls[e] > 0 ? 1 - objectives[e] / nulls[e] : NAN;
    return r1;
}

static Model *multiple_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    const char *const shown[] = {"duality_gap", "objective", "quantile"};
    uint32_t count;
    const double *r1 = r1_of(env, model, &count);
    bool defined = true;

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "df_residual", linear_df_residual(model));
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        builder_f64(builder, SECTION_FACTS, shown[i], model_f64(model, shown[i], &count), count);
    for (uint32_t e = 0; e < count; e++)
        defined = defined && isfinite(r1[e]);
    if (defined)
        builder_f64(builder, SECTION_FACTS, "r1", r1, count);
    return model_build(builder);
}

static char *multiple_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    Coefficient *list;
    uint32_t quantiles, count = list_coefficients(env, model, "quantile ", &list);
    const double *r1 = r1_of(env, model, &quantiles), *objectives = model_f64(model, "objective", &quantiles);
    char **names = quantile_names(env, model, "");
    int width = 8;

    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    linear_put_equations(&out, list, count, count / quantiles, "t");
    text_print(&out, "\n");
    report_rows(&out, model);
    for (uint32_t e = 0; e < quantiles; e++)
        width = report_characters(names[e]) > width ? report_characters(names[e]) : width;
    report_padded(&out, "quantile", width);
    text_print(&out, "  check losses            R1");
    for (uint32_t e = 0; e < quantiles; e++) {
        text_print(&out, "\n");
        report_padded(&out, names[e], width);
        report_cell(&out, objectives[e], 14, 6);
        report_cell(&out, r1[e], 14, 4);
        env->poll(env);
    }
    if (is_rearranged(model))
        text_print(&out, "\npredictions are sorted");
    if (model_fact(model, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return text_finish(&out, NULL);
}

static const Scoring multiple_scoring = {.transform = multiple_transform, .width = linear_classifier_width, .explain = multiple_explain};

const Estimator estimator_multiple_quantile_regression = {
    .name = "multiple_quantile_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, quantile_fit_options, multiple_options),
    .help = "Linear equations for several quantiles of the target, from one reading of the rows; predictions that do not cross by option.",
    .source = "Koenker & Bassett 1978, Econometrica 46(1); Chernozhukov, Fernandez-Val & Galichon 2010, Econometrica 78(3)",
    .fit = multiple_fit,
    .arrays = multiple_tables,
    .check = multiple_check,
    .accept = linear_accept,
    .scoring = &multiple_scoring,
    .coefficients = multiple_coefficients,
    .to_sql = multiple_to_sql,
    .output_name = quantile_name,
    .output_sql = multiple_output_sql,
    .summary = multiple_summary,
    .statistics = multiple_statistics,
};
