/*
 * linear_hypothesis.c - Wald tests of linear restrictions, and estimates of linear combinations.
 */
#include "core/linear_equations/linear_hypothesis.h"

#include "core/formula/formula_expression.h"
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/math/special_functions.h"

#define MANY 1e12       /* degrees of freedom: more change no digit of a tail probability, but take long */
#define DEPENDENT 1e-12 /* of the largest factor of a restriction: what rounding leaves of one that follows from others */
#define SHOWN 80        /* bytes of a restriction in a message */

const OptionSpec *const linear_combinations_options[] = {option_level, NULL};

/* ---- what is known of the coefficients ---- */

LinearInference linear_inference(Env *env, const Model *model, const char *function)
{
    const Estimator *estimator = model->kind == MODEL_FITTED ? estimator_of(model) : NULL;
    LinearInference inference = {.env = env, .model = model};
    const Table *const *table = estimator != NULL ? estimator->tables : NULL;
    Coefficient *list;
    LinearView view;
    uint32_t length;

    while (table != NULL && *table != NULL && *table != &variance_inflation_table)
        table++;
    if (table == NULL || *table == NULL)
        env_fail(env, ERROR_KIND, "Pass a model of one linear equation with standard errors, such as linear_regression, glm or mixed_regression.", "%s does not apply to a model of %.31s", function,
                 estimator != NULL ? estimator->name : "moments");
    linear_view(model, &view);
    if (view.equations != 1)
        env_fail(env, ERROR_KIND, "Fit a model of one class against the others.",
                 "%s needs the covariance of the coefficients, and a model of %u equations keeps none", function, view.equations);
    inference.packed = model_f64(model, "covariance" MODEL_PACKED, &length);
    if (inference.packed == NULL)
        env_fail(env, ERROR_KIND,
                 "Fit without a penalty, bounds or a minimum norm and with standard errors, to more rows than coefficients, and to classes that no "
                 "combination of features separates.",
                 "%s needs the covariance of the coefficients, and this model of %.31s keeps none", function, estimator->name);
    inference.count = linear_estimates(env, model, &list);
    inference.list = list;
    inference.own_df = robust_df(model);
    if (estimator->test_df != NULL)
        inference.df = estimator->test_df(env, model);
    else
        inference.df = estimator->task == TASK_REGRESSION ? linear_df_residual(model) : INFINITY;
    inference.level = estimator_level(env, estimator, model);
    return inference;
}

/* Sets the level to option "level" if it is given. */
static void linear_inference_level(LinearInference *inference, const Options *options)
{
    if (options_given(options, "level"))
        inference->level = options_number(options, "level");
}

double linear_combination_df(const LinearInference *inference, const double *weights)
{
    double df = INFINITY;

    if (inference->own_df == NULL)
        return inference->df;
    for (uint32_t i = 0; i < inference->count; i++)
        if (weights[i] != 0)
            df = fmin(df, inference->own_df[i]);
    return df;
}

/* Sets out [count] to the covariance times the weights. */
static void multiply_covariance(const LinearInference *inference, const double *weights, double *out)
{
    memset(out, 0, inference->count * sizeof(double));
    for (uint32_t j = 0; j < inference->count; j++) {
        const double *column = inference->packed + factor_packed(j);
        double sum = column[j] * weights[j];

        for (uint32_t i = 0; i < j; i++) {
            sum += column[i] * weights[i];
            out[i] += column[i] * weights[j];
        }
        out[j] += sum;
        if (j % 64 == 0)
            inference->env->poll(inference->env);
    }
}

void linear_combination_test(const LinearInference *inference, const double *weights, Coefficient *out)
{
    Env *env = inference->env;
    double *product = env_array(env, (size_t)inference->count + 1, sizeof(double)), variance = 0;
    double df = linear_combination_df(inference, weights);

    multiply_covariance(inference, weights, product);
    for (uint32_t i = 0; i < inference->count; i++)
        variance += weights[i] * product[i];
    env->release(env, product);
    if (!isfinite(variance))
        env_fail(env, ERROR_RANGE, "Divide by a number.", "the standard error of an estimate exceeds the range of double precision");
    if (df > 0)
        linear_set_tests(out, sqrt(variance), df, linear_critical(inference->level, df));
}

/* ---- texts ---- */

/* Combinations of the coefficients. */
typedef struct Combinations {
    LinearInference inference;
    LinearTexts *texts;
    double *weights; /* [count] of the one that was read last */
} Combinations;

static Combinations *combinations(Env *env, const Model *model, const char *function, bool equations, const char *what, const char *text, size_t length)
{
    Combinations *out = env_array(env, 1, sizeof *out);
    const char **names;

    out->inference = linear_inference(env, model, function);
    names = env_array(env, (size_t)out->inference.count + 1, sizeof(char *));
    for (uint32_t i = 0; i < out->inference.count; i++)
        names[i] = out->inference.list[i].term;
    out->texts = formula_linear(env, text, length, what, equations, names, out->inference.count);
    out->weights = env_array(env, (size_t)out->inference.count + 1, sizeof(double));
    return out;
}

/* Sets the weights of combination i. Returns its value. Fails if it has a dropped term, or none. */
static double combination_set(const Combinations *all, uint32_t i, double *weights)
{
    const LinearInference *inference = &all->inference;
    const LinearText *text = &all->texts->list[i];
    Env *env = inference->env;
    double value = text->constant;
    bool any = false;

    memset(weights, 0, inference->count * sizeof(double));
    for (uint32_t k = 0; k < text->count; k++) {
        const LinearPart *part = &all->texts->parts[text->first + k];
        const Coefficient *own = &inference->list[part->name];

        if (isnan(own->estimate))
            env_fail(env, ERROR_PARAMETER, "Name terms that the fit kept, which depend on others.",
                     "the term \"%s\" in \"%.*s\" has no coefficient, because it was dropped from the fit", own->term,
                     (int)bytes_cut(text->text, text->length, SHOWN), text->text);
        weights[part->name] += part->factor;
        value += part->factor * own->estimate;
    }
    for (uint32_t k = 0; k < inference->count; k++)
        any = any || weights[k] != 0;
    if (!any)
        env_fail(env, ERROR_PARAMETER, "Name a term whose factors do not add up to 0.", "\"%.*s\" depends on no coefficient",
                 (int)bytes_cut(text->text, text->length, SHOWN), text->text);
    if (!isfinite(value))
        env_fail(env, ERROR_RANGE, NULL, "\"%.*s\" exceeds the range of double precision", (int)bytes_cut(text->text, text->length, SHOWN), text->text);
    env->poll(env);
    return value;
}

/* ---- wald_test ---- */

/*
 * Fails if restriction i of the reduced ones [width = coefficients + 1, the constant last] contradicts those before it or follows from them; else
 * subtracts them from it. pivots: the largest factor of each.
 */
static void require_independent(const Combinations *all, double *reduced, uint32_t *pivots, uint32_t i)
{
    uint32_t count = all->inference.count, width = count + 1;
    double *own = reduced + (size_t)i * width, largest = 0, left = 0, scale = fabs(own[count]);
    const LinearText *text = &all->texts->list[i];
    Env *env = all->inference.env;

    for (uint32_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(own[k]));
    for (uint32_t before = 0; before < i; before++) {
        const double *other = reduced + (size_t)before * width;
        double times = own[pivots[before]] / other[pivots[before]];

        for (uint32_t k = 0; times != 0 && k < width; k++)
            own[k] -= times * other[k];
        scale = fmax(scale, fabs(times * other[count]));
        own[pivots[before]] = 0;
        if (before % 64 == 0)
            env->poll(env);
    }
    for (uint32_t k = 0; k < count; k++)
        if (fabs(own[k]) > left) {
            left = fabs(own[k]);
            pivots[i] = k;
        }
    if (left > DEPENDENT * largest)
        return;
    if (fabs(own[count]) > DEPENDENT * scale)
        env_fail(env, ERROR_PARAMETER, "Leave one of them out.", "restriction %u, \"%.*s\", contradicts those before it", i + 1,
                 (int)bytes_cut(text->text, text->length, SHOWN), text->text);
    env_fail(env, ERROR_PARAMETER, "Leave it out.", "restriction %u, \"%.*s\", follows from those before it", i + 1,
             (int)bytes_cut(text->text, text->length, SHOWN), text->text);
}

/* Divides a restriction by a power of 2 near its largest factor, which changes no test and keeps products in range. */
static void scale_restriction(Env *env, double *weights, uint32_t count, double *constant, double *difference)
{
    double largest = 0;
    int exponent;

    for (uint32_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(weights[k]));
    (void)frexp(largest, &exponent);
    for (uint32_t k = 0; k < count; k++)
        weights[k] = ldexp(weights[k], -exponent);
    *constant = ldexp(*constant, -exponent);
    *difference = ldexp(*difference, -exponent);
    if (!isfinite(*constant) || !isfinite(*difference))
        env_fail(env, ERROR_RANGE, NULL, "a restriction with factors of at most %g exceeds the range of double precision", largest);
}

/* Sets differences [count], and weights [count x coefficients], of independent restrictions. */
static void set_restrictions(const Combinations *all, double *weights, double *differences)
{
    Env *env = all->inference.env;
    uint32_t count = all->inference.count, restrictions = all->texts->count;
    double *reduced = env_array(env, (size_t)restrictions * (count + 1), sizeof(double));
    uint32_t *pivots = env_array(env, restrictions, sizeof(uint32_t));

    for (uint32_t i = 0; i < restrictions; i++) {
        double *own = reduced + (size_t)i * (count + 1);

        differences[i] = combination_set(all, i, weights + (size_t)i * count);
        own[count] = all->texts->list[i].constant;
        scale_restriction(env, weights + (size_t)i * count, count, &own[count], &differences[i]);
        memcpy(own, weights + (size_t)i * count, count * sizeof(double));
        require_independent(all, reduced, pivots, i);
    }
}

/* Sets the statistic, its degrees of freedom and its p-value. f: a statistic to be compared with F. */
static void set_statistic(HypothesisResult *result, double f, double count, double df, bool robust)
{
    result->df = count;
    if (isfinite(df)) {
        result->test = robust ? "Wald F" : "F";
        result->df_2 = df;
        result->statistic = f;
        result->p_value = isnan(f) || !(df > 0) ? NAN : f_upper(f, count, fmin(df, MANY));
    } else {
        result->test = "Wald";
        result->statistic = f * count;
        result->p_value = isnan(f) ? NAN : chi_square_upper(result->statistic, count);
    }
}

void linear_wald_test(Env *env, const Model *model, const char *text, size_t length, HypothesisResult *result)
{
    Combinations *all = combinations(env, model, "wald_test", true, "hypothesis", text, length);
    const LinearInference *inference = &all->inference;
    uint32_t count = inference->count, restrictions = all->texts->count;
    size_t size = (size_t)restrictions * restrictions;
    double *weights, *differences, *products, *covariance, *named, df;

    if (restrictions > count) /* then one follows from others: those after it need no memory */
        all->texts->count = restrictions = count + 1;
    size = (size_t)restrictions * restrictions;
    env_require_memory(env, (3 * (size_t)restrictions * (count + 1) + size) * sizeof(double), "the restrictions");
    weights = env_array(env, (size_t)restrictions * count + 1, sizeof(double));
    products = env_array(env, (size_t)restrictions * count + 1, sizeof(double));
    differences = env_array(env, restrictions, sizeof(double));
    covariance = env_array(env, size, sizeof(double));
    named = env_array(env, (size_t)count + 1, sizeof(double)); /* not 0 of the coefficients in any restriction */
    set_restrictions(all, weights, differences);
    for (uint32_t i = 0; i < restrictions; i++) {
        multiply_covariance(inference, weights + (size_t)i * count, products + (size_t)i * count);
        for (uint32_t k = 0; k < count; k++)
            named[k] += fabs(weights[(size_t)i * count + k]);
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;

            for (uint32_t k = 0; k < count; k++)
                sum += weights[(size_t)j * count + k] * products[(size_t)i * count + k];
            if (!isfinite(sum))
                env_fail(env, ERROR_RANGE, "Divide the restrictions by a number.", "the covariance of the restrictions exceeds the range of double precision");
            covariance[(size_t)i * restrictions + j] = covariance[(size_t)j * restrictions + i] = sum;
        }
        env->poll(env);
    }
    hypothesis_begin(result, NULL, NULL, model_counted_rows(model));
    df = restrictions > 1 && robust_is(model) ? robust_f_df(model, inference->df) : linear_combination_df(inference, named);
    set_statistic(result, inference->df > 0 ? wald_f(env, covariance, differences, restrictions) : NAN, restrictions, df, robust_is(model));
}

void linear_breusch_pagan_test(Env *env, const Model *squares, HypothesisResult *result)
{
    double n = model_counted_rows(squares), terms, rss, tss;

    if (squares->kind != MODEL_FITTED || strcmp(squares->estimator, "linear_regression") != 0 || model_find(squares, "intercept") == NULL ||
        (squares->flags & (MODEL_WEIGHTED | MODEL_FREQUENCY)) == MODEL_WEIGHTED || model_find(squares, "absorbed_levels") != NULL)
        env_fail(env, ERROR_KIND, "Pass linear_regression((target - predict(m, d)) ^ 2, d, formula), with an intercept and without weights.",
                 "breusch_pagan_test needs a linear_regression of squared residuals, not this model of %.31s",
                 squares->kind == MODEL_FITTED ? squares->estimator : "moments");
    hypothesis_begin(result, "studentized Breusch-Pagan test", NULL, n);
    terms = model_fact(squares, "df_model", NAN);
    rss = model_fact(squares, "rss", NAN);
    tss = model_fact(squares, "tss", NAN);
    if (!(terms > 0) || !(tss > 0))
        env_fail(env, ERROR_DATA, "Pass squared residuals that vary, and a formula with terms.",
                 "the regression of %.0f squared residual%s has %.0f term%s and a sum of squares of %g", n, n == 1 ? "" : "s", terms, terms == 1 ? "" : "s", tss);
    result->statistic = n * fmax(0, 1 - rss / tss);
    result->df = terms;
    result->p_value = chi_square_upper(result->statistic, terms);
}

/* ---- linear_combinations ---- */

void *linear_combinations_open(Env *env, const Model *model, const char *text, size_t length, const Options *options, uint64_t *rows)
{
    Combinations *all = combinations(env, model, "linear_combinations", false, "text", text, length);

    linear_inference_level(&all->inference, options);
    *rows = all->texts->count;
    return all;
}

static bool combinations_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Combinations *all = reader;
    const LinearText *text = &all->texts->list[i];
    Coefficient own = {NULL, NULL, combination_set(all, (uint32_t)i, all->weights), NAN, NAN, NAN, NAN, NAN};

    (void)env;
    (void)model;
    linear_combination_test(&all->inference, all->weights, &own);
    cell_text(&cells[0], text->text, text->length);
    cell_number(&cells[1], own.estimate);
    cell_number(&cells[2], own.std_error);
    cell_number(&cells[3], own.statistic);
    cell_number(&cells[4], own.p_value);
    cell_number(&cells[5], own.conf_low);
    cell_number(&cells[6], own.conf_high);
    return true;
}

const Table linear_combinations_table = {.name = "linear_combinations", .row = combinations_row};
