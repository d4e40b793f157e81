/*
 * multivariate_regression.c - least squares for several targets at once (R's lm of a matrix): one factor of the terms, one right side per target.
 *
 * Arrays: the equations (linear_view.h), one per target, and
 *   coef_error        F64[E x (1 + W)]  standard errors, as linear classifiers have them; only with residual degrees of freedom
 *   residual_products F64[E x E]        sums of products of the residuals of two targets
 *   total_products    F64[E]            sums of squares of the targets, about their means if there is an intercept
 *   target_names      TEXT[E]           those of option "targets", if it is given
 */
#include "core/base/all_finite.h"
#include "core/estimator/shared_options.h"
#include "core/inspection/outputs.h"
#include "core/linalg/qr_factor.h"
#include "core/linear/linear_fit.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

static const OptionSpec multivariate_options[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equations have a constant; without one, r_squared compares with 0 instead of the mean."},
    {.name = "targets",
     .types = OPTION_STRING_LIST,
     .unset = "target[1], target[2], ...",
     .help = "The names of the targets, in their order in the array."},
    {.name = NULL}};

/* ---- the fit ---- */

typedef struct TargetFit {
    LinearFit *fit;       /* of the first target, with the factor of all */
    LinearEquations out;
    uint32_t targets, ld; /* ld: rows of the factor */
    double df;            /* residual degrees of freedom */
    double *products;     /* [targets x targets] of the residuals */
    double *totals;       /* [targets] */
} TargetFit;

/* Sets the equation of each target. */
static void set_equations(TargetFit *all)
{
    const Design *design = all->fit->design;
    double *coef = env_array(all->fit->env, (size_t)design->terms + 1, sizeof(double));

    for (uint32_t k = 0; k < all->targets; k++) {
        linear_solve_target(all->fit, k, coef);
        if (all->out.offset != NULL)
            all->out.offset[k] = design->means[design->terms + k];
        for (uint32_t t = 0; t < design->terms; t++)
            linear_equations_set(&all->out, k, t, coef[t]);
        all->fit->env->poll(all->fit->env);
    }
}

/* Computes the products of the residuals, which are what the factor has below the kept terms, and the sums of squares of the targets. */
static void sum_products(TargetFit *all)
{
    const LinearFit *fit = all->fit;
    uint32_t terms = fit->design->terms, first = fit->kept;

    for (uint32_t k = 0; k < all->targets; k++) {
        const double *own = fit->triangle + (size_t)(first + k) * all->ld, *whole = fit->design->factor + (size_t)(terms + k) * all->ld;

        for (uint32_t i = 0; i < all->ld; i++)
            all->totals[k] += whole[i] * whole[i];
        for (uint32_t j = 0; j <= k; j++) {
            const double *other = fit->triangle + (size_t)(first + j) * all->ld;
            double sum = 0;

            for (uint32_t i = first; i < all->ld; i++)
                sum += own[i] * other[i];
            all->products[(size_t)k * all->targets + j] = all->products[(size_t)j * all->targets + k] = sum;
            if (j % 256 == 255)
                fit->env->poll(fit->env);
        }
        fit->env->poll(fit->env);
    }
}

/* Sets the standard errors; none without degrees of freedom. */
static void set_errors(TargetFit *all)
{
    const LinearFit *fit = all->fit;
    uint32_t first = fit->with_intercept, columns = all->out.slots + all->out.levels;

    if (!(all->df > 0)) {
        env_warn(fit->env, ERROR_DATA, "Use more rows or fewer features.", "%.0f row%s for %.0f coefficient%s: standard errors and tests do not exist",
                 fit->rows, fit->rows == 1 ? "" : "s", fit->df_model + first, fit->df_model + first == 1 ? "" : "s");
        return;
    }
    all->out.errors = env_array(fit->env, (size_t)all->targets * (1 + columns), sizeof(double));
    for (uint32_t k = 0; k < all->targets; k++) {
        double *errors = all->out.errors + (size_t)k * (1 + columns);
        double variance = all->products[(size_t)k * all->targets + k] / all->df;

        if (first)
            errors[0] = sqrt(variance * fit->covariance[0]);
        for (uint32_t t = 0; t < fit->design->terms; t++)
            errors[1 + linear_column(all->out.slots, all->out.terms, t)] = sqrt(variance * fit->covariance[factor_packed(t + first) + t + first]);
    }
}

static void require_finite(const TargetFit *all)
{
    Env *env = all->fit->env;
    size_t columns = all->out.slots + all->out.levels, targets = all->targets;

    if (!all_finite(all->out.coef, targets * columns) || (all->out.offset != NULL && !all_finite(all->out.offset, targets)) ||
        !all_finite(all->products, targets * targets) || !all_finite(all->totals, targets) ||
        (all->out.errors != NULL && !all_finite(all->out.errors, targets * (1 + columns))))
        env_fail(env, ERROR_RANGE, "Divide large features or targets by a power of ten.",
                 "the coefficients or the sums of squares exceed the range of double precision");
}

/* Adds the names of option "targets". Fails if they are not one of its own for each target. */
static void add_names(Env *env, const Options *options, uint32_t targets, ModelBuilder *builder)
{
    uint32_t count;
    const char *const *names = options_strings(options, "targets", &count);

    if (options_given(options, "targets") && count != targets)
        env_fail(env, ERROR_PARAMETER, "Name each element of the array once.", "option \"targets\" names %u of %u targets", count, targets);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                env_fail(env, ERROR_PARAMETER, "Give each target a name of its own.", "option \"targets\" names two targets \"%s\"", names[i]);
        env->poll(env);
    }
    if (count > 0)
        builder_text(builder, SECTION_ARRAYS, "target_names", names, NULL, count);
}

static Model *multivariate_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    Design *design = moments_targets_design(env, input->moments, intercept);
    TargetFit all = {.fit = linear_begin(env, design, intercept), .targets = design->targets, .ld = design->terms + design->targets};

    add_names(env, options, all.targets, builder);
    if (design->rows < design->terms + intercept && too_few_rows_are_null(input, options))
        return NULL;
    if (design->rows < design->terms + intercept)
        env_fail(env, ERROR_DATA, "Use more rows or fewer features.", "%s needs at least as many rows as coefficients: %.0f row%s, %u coefficients",
                 self->name, design->rows, design->rows == 1 ? "" : "s", design->terms + intercept);
    env_require_memory(env, (2.0 * input->moments->column_count + all.targets) * all.targets * sizeof(double), self->name);
    linear_least_squares(all.fit);
    all.df = all.fit->rows - all.fit->df_model - intercept;
    all.out = linear_equations(env, design->schema, FIT_TERMS(design), all.targets, intercept ? design->means : NULL);
    all.products = env_array(env, (size_t)all.targets * all.targets, sizeof(double));
    all.totals = env_array(env, all.targets, sizeof(double));
    set_equations(&all);
    sum_products(&all);
    set_errors(&all);
    require_finite(&all);
    linear_equations_drop(&all.out, all.fit->dropped, NULL, "Leave them out, or add rows.", builder);
    linear_equations_add(builder, &all.out);
    builder_f64_matrix(builder, SECTION_ARRAYS, "residual_products", all.products, all.targets, all.targets);
    builder_f64(builder, SECTION_ARRAYS, "total_products", all.totals, all.targets);
    builder_fact_finite(builder, "df_model", all.fit->df_model);
    builder_fact_finite(builder, "condition_number", all.fit->condition);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec multivariate_arrays[] = {
    {.name = "residual_products", .type = ARRAY_F64, .rows = {SIZE_EQUATIONS}, .columns = {SIZE_EQUATIONS}},
    {.name = "target_names", .type = ARRAY_TEXT, .presence = ARRAY_OPTIONAL, .rows = {SIZE_EQUATIONS}},
    {.name = "total_products", .type = ARRAY_F64, .values = VALUES_NONNEGATIVE, .rows = {SIZE_EQUATIONS}}};
static const ArraySpec multivariate_facts[] = {FACT("condition_number", ARRAY_F64), FACT("df_model", ARRAY_F64), FACT_LIST("dropped_terms", ARRAY_TEXT)};
static const ArrayTable multivariate_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_class_arrays),
                                                             ARRAY_TABLE(multivariate_arrays), FACT_TABLE(multivariate_facts));

static uint32_t target_count(const Model *model)
{
    return model_find(model, "total_products")->rows;
}

/* Returns the residual sum of squares of a target. */
static double target_rss(const Model *model, uint32_t target)
{
    uint32_t length;

    return model_f64(model, "residual_products", &length)[(size_t)target * target_count(model) + target];
}

static const char *multivariate_check(Env *env, const Model *model)
{
    for (uint32_t k = 0; k < target_count(model); k++)
        if (!(target_rss(model, k) >= 0))
            return "\"residual_products\" has a negative sum of squares";
    return linear_check(env, model);
}

/* Adds the name of a target: one of option "targets", or target[2]. */
static void target_name(TextBuffer *out, const Model *model, uint32_t target)
{
    uint32_t length = 0;
    const ModelEntry *names = model_find(model, "target_names"), *entry = model_find(model, "target_name");
    const char *formula = entry != NULL && entry->rows == 1 ? model_text(model, entry, 0, &length) : NULL;

    if (names != NULL) {
        const char *name = model_text(model, names, target, &length);

        text_bytes(out, name, length);
        return;
    }
    if (formula != NULL)
        text_bytes(out, formula, length);
    else
        text_add(out, "target");
    if (target_count(model) > 1)
        text_print(out, "[%u]", target + 1);
}

static char **target_names(Env *env, const Model *model)
{
    uint32_t targets = target_count(model);
    char **names = env_array(env, (size_t)targets + 1, sizeof(char *));

    for (uint32_t k = 0; k < targets; k++) {
        TextBuffer name = {.env = env};

        target_name(&name, model, k);
        names[k] = text_finish(&name, NULL);
    }
    return names;
}

/* ---- scores and reports ---- */

static uint32_t multivariate_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    LinearView view;

    (void)prepared;
    linear_view(model, &view);
    return linear_view_explain(env, model, &view, slots, target_names(env, model), out);
}

static uint32_t multivariate_coefficients(Env *env, const Model *model, Coefficient **out)
{
    return linear_list_coefficients(env, model, target_names(env, model), linear_df_residual(model), out);
}

static void multivariate_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    LinearView view;

    linear_view(model, &view);
    linear_put_score(out, model, &view, output);
}

/* What follows from the sums of squares of a target; NaN: undefined. */
typedef struct TargetStatistics {
    double sigma, r_squared, adjusted, f, p;
} TargetStatistics;

static TargetStatistics target_statistics(const Model *model, uint32_t target)
{
    bool intercept = model_find(model, "intercept") != NULL;
    uint32_t length;
    double rss = target_rss(model, target), tss = model_f64(model, "total_products", &length)[target];
    double df = linear_df_residual(model), k = model_fact(model, "df_model", NAN);
    TargetStatistics out = {df > 0 ? sqrt(rss / df) : NAN, tss > 0 ? 1 - rss / tss : NAN, NAN, NAN, NAN};

    if (tss > 0 && df > 0)
        out.adjusted = 1 - rss / tss * ((model_counted_rows(model) - intercept) / df);
    if (df > 0 && k > 0 && rss > 0)
        out.f = fmax(0, tss - rss) / k / (rss / df);
    if (isfinite(out.f))
        out.p = f_upper(out.f, k, df);
    return out;
}

static Model *multivariate_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    uint32_t targets = target_count(model);
    double *sigma = env_array(env, 3 * (size_t)targets, sizeof(double)), *r_squared = sigma + targets, *rmse = r_squared + targets;
    bool defined = true;

    for (uint32_t k = 0; k < targets; k++) {
        TargetStatistics own = target_statistics(model, k);

        sigma[k] = own.sigma;
        r_squared[k] = own.r_squared;
        rmse[k] = sqrt(target_rss(model, k) / model->weight);
        defined = defined && isfinite(own.r_squared);
    }
    builder_facts_from(builder, model);
    builder_fact_finite(builder, "n", model_counted_rows(model));
    builder_fact_finite(builder, "df_residual", linear_df_residual(model));
    if (all_finite(rmse, targets))
        builder_f64(builder, SECTION_FACTS, "rmse", rmse, targets);
    if (all_finite(sigma, targets))
        builder_f64(builder, SECTION_FACTS, "sigma", sigma, targets);
    if (defined)
        builder_f64(builder, SECTION_FACTS, "r_squared", r_squared, targets);
    return model_build(builder);
}

/* Writes a table of the statistics of each target. */
static void put_statistics(TextBuffer *out, const Model *model, char *const *names)
{
    uint32_t targets = target_count(model);
    int width = 6;

    for (uint32_t i = 0; i < targets; i++)
        width = report_characters(names[i]) > width ? report_characters(names[i]) : width;
    report_padded(out, "target", width);
    text_print(out, "%14s%14s%14s%14s     P(>F)\n", "sigma", "R-squared", "adjusted", "F");
    for (uint32_t i = 0; i < targets; i++) {
        TargetStatistics own = target_statistics(model, i);
        double cells[] = {own.sigma, own.r_squared, own.adjusted, own.f};

        report_padded(out, names[i], width);
        for (uint32_t c = 0; c < sizeof(cells) / sizeof(cells[0]); c++)
            report_cell(out, cells[c], 14, 4);
        report_p(out, own.p, 10);
        text_print(out, "\n");
        out->env->poll(out->env);
    }
    text_print(out, "degrees of freedom: %.6g and %.6g", model_fact(model, "df_model", NAN), linear_df_residual(model));
}

static char *multivariate_summary(Env *env, const Model *model)
{
    TextBuffer buffer = {.env = env};
    char **names = target_names(env, model);
    Coefficient *list;
    uint32_t count = multivariate_coefficients(env, model, &list);

    text_print(&buffer, "%s: ", model->estimator);
    report_formula(&buffer, model, model_find(model, "intercept") != NULL);
    linear_put_equations(&buffer, list, count, count / target_count(model), "t");
    text_print(&buffer, "\n");
    report_rows(&buffer, model);
    put_statistics(&buffer, model, names);
    return text_finish(&buffer, NULL);
}

static const Scoring multivariate_scoring = {
    .transform = linear_classifier_decisions, .width = linear_classifier_width, .explain = multivariate_explain};

const Estimator estimator_multivariate_regression = {
    .name = "multivariate_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .several_targets = "multivariate_regression",
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_too_few_rows, option_level, multivariate_options),
    .help = "Least squares for an array of targets: one equation per target, all from one factor of the features.",
    .source = "Johnson & Wichern, Applied Multivariate Statistical Analysis, chapter 7; Golub & Van Loan, Matrix Computations (QR)",
    .fit = multivariate_fit,
    .arrays = multivariate_tables,
    .check = multivariate_check,
    .accept = linear_accept,
    .scoring = &multivariate_scoring,
    .coefficients = multivariate_coefficients,
    .to_sql = outputs_to_sql,
    .output_name = target_name,
    .output_sql = multivariate_output_sql,
    .summary = multivariate_summary,
    .statistics = multivariate_statistics,
};
