/*
 * nested_test.c - tests of two nested models: F of least squares, the likelihood ratio of other methods, and Wald's where standard errors are robust.
 */
#include "core/inspection/nested_test.h"
#include "core/formula/formula.h"
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"
#include "core/math/special_functions.h"
#include "core/model/schema.h"

#include <math.h>
#include <string.h>

#define MOST_DF 1e12 /* more degrees of freedom change no digit of a tail probability, but take long */
#define PERFECT 1e-24 /* of the sum of squares: what rounding leaves of residuals */
#define SAME_SPREAD 1e-6 /* relative: sums of squares of one target differ by rounding alone */
#define ROUNDING 1e-9 /* of the deviance without features: what rounding and a last step leave of a fit */

/* The estimators whose models can be tested, and their facts. */
static const struct Tested {
    const char *estimator, *test;
    const char *deviance; /* of the model; NULL: its log-likelihood is compared */
    const char *null;     /* of one without features; NULL: unknown */
    bool exact;           /* the F test, rather than the limit for many rows */
} tested[] = {{"cox_regression", "likelihood ratio", NULL, "null_log_likelihood", false},   {"linear_regression", "F", "rss", "tss", true},
              {"logistic_regression", "likelihood ratio", "deviance", "null_deviance", false}, {"mixed_regression", "likelihood ratio", NULL, NULL, false},
              {"ordinal_regression", "likelihood ratio", NULL, "null_deviance", false}};

/* Of models with a test_df: by the deviance, which a dispersion that was estimated divides. */
static const struct Tested of_dispersion[] = {{NULL, "likelihood ratio", "deviance", "null_deviance", false}, {NULL, "F", "deviance", "null_deviance", true}};

static const struct Tested *tested_of(Env *env, const Model *model)
{
    for (size_t i = 0; i < sizeof(tested) / sizeof(tested[0]); i++)
        if (model->kind == MODEL_FITTED && strcmp(model->estimator, tested[i].estimator) == 0)
            return &tested[i];
    if (model->kind == MODEL_FITTED && estimator_of(model) != NULL && estimator_of(model)->test_df != NULL)
        return &of_dispersion[isfinite(estimator_of(model)->test_df(env, model))];
    env_fail(env, ERROR_KIND, "Pass models with a likelihood, such as those of linear_regression, glm or cox_regression. To compare how well other models predict, use pgfit.compare.",
             "anova does not apply to a model of %.31s", model->kind == MODEL_FITTED ? model->estimator : "moments");
}

static const Model *facts_of(Env *env, const Model *model, const char *deviance)
{
    const Model *facts = estimator_statistics(env, model);

    if (deviance == NULL && model_find(facts, "reml_criterion") != NULL)
        env_fail(env, ERROR_KIND, "Fit both models with \"reml\": false.", "anova compares likelihoods, and this model of %.31s was fitted by REML", model->estimator);
    if (deviance == NULL)
        return facts;
    if (!isfinite(model_fact(facts, "df_residual", NAN)) || !isfinite(model_fact(facts, deviance, NAN)))
        env_fail(env, ERROR_KIND, "Fit both models without a penalty and without bounds.", "anova does not apply to a model of %.31s with a penalty or bounds", model->estimator);
    return facts;
}

/* Fails unless both models come from the same rows and the same target, as far as the models know. */
static void require_same_rows(Env *env, const Model *a, const Model *b, double spread_a, double spread_b)
{
    if (a->rows == b->rows && fabs(a->weight - b->weight) > SAME_SPREAD * fabs(a->weight))
        env_fail(env, ERROR_PARAMETER, "Fit both models with the same weights.", "the models have different weights, of sums %.6g and %.6g", a->weight, b->weight);
    if (a->rows != b->rows)
        env_fail(env, ERROR_PARAMETER,
                 "Rows with a NULL in a column of the larger model are left out of its fit: leave them out of both, with WHERE ... IS NOT NULL.",
                 "the models are of different rows: %llu and %llu", (unsigned long long)a->rows, (unsigned long long)b->rows);
    if (fabs(spread_a - spread_b) > SAME_SPREAD * fmax(fabs(spread_a), fabs(spread_b)))
        env_fail(env, ERROR_PARAMETER, "Fit both models to the same target and rows.",
                 "the models have different targets: their deviances without features are %.6g and %.6g", spread_a, spread_b);
}

/* Tells whether a model reads a column, by its formula or as a feature. */
static bool reads_column(const Model *model, const Formula *formula, const char *name, uint32_t length)
{
    if (formula == NULL)
        return schema_find_field(model, name, length) >= 0;
    for (uint32_t i = 0; i < formula_variable_count(formula); i++) {
        uint32_t other_length;
        const char *other = formula_variable(formula, i, &other_length);

        if (other_length == length && memcmp(other, name, length) == 0)
            return true;
    }
    return false;
}

/*
 * Fails if the smaller model reads a column that the larger one does not: then it cannot be nested in it. Which terms they make of their columns
 * is not compared, because poly(a, 3) contains a under another name.
 */
static void require_same_columns(Env *env, const Model *smaller, const Model *larger)
{
    const char *text = schema_formula_text(env, smaller), *other_text = schema_formula_text(env, larger);
    const Formula *formula = text != NULL ? formula_parse(env, text, strlen(text)) : NULL;
    const Formula *other = other_text != NULL ? formula_parse(env, other_text, strlen(other_text)) : NULL;
    uint32_t count = formula != NULL ? formula_variable_count(formula) : smaller->field_count;
    char field[SCHEMA_NAME_SIZE];

    if (!(smaller->flags & larger->flags & MODEL_NAMED))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = field;
        uint32_t length;

        if (formula != NULL) {
            name = formula_variable(formula, i, &length);
        } else {
            schema_field_name(smaller, i, field, sizeof(field));
            length = (uint32_t)strlen(field);
        }
        if (!(formula != NULL && formula_variable_is_constant(formula, i)) && !reads_column(larger, other, name, length))
            env_fail(env, ERROR_PARAMETER, "The terms of the first model must be among those of the second. To compare other models, use pgfit.compare.",
                     "the second model does not contain the first, which has column \"%.*s\" besides", (int)length, name);
    }
}

/* Fails if the smaller model absorbs a column that the larger one neither absorbs nor reads. */
static void require_same_effects(Env *env, const Model *smaller, const Model *larger)
{
    RowOptions own = state_row_options(env, smaller), others = state_row_options(env, larger);
    const char *text = schema_formula_text(env, larger);
    const Formula *formula = text != NULL ? formula_parse(env, text, strlen(text)) : NULL;

    for (uint32_t i = 0; i < own.special.absorbed; i++) {
        const char *name = own.special.columns[i];
        uint32_t k = 0;

        while (k < others.special.absorbed && strcmp(others.special.columns[k], name) != 0)
            k++;
        if (k == others.special.absorbed && !reads_column(larger, formula, name, (uint32_t)strlen(name)))
            env_fail(env, ERROR_PARAMETER, "Absorb the column in both models. To compare other models, use pgfit.compare.",
                     "the second model does not contain the first, which absorbs column \"%s\"", name);
    }
}

/* Fails if more coefficients fit the rows worse, by more than rounding: then the terms of the first are not among those of the second. */
static void require_no_worse(Env *env, double fewer, double more, double null)
{
    if (more - fewer > SAME_SPREAD * fewer + ROUNDING * null)
        env_fail(env, ERROR_PARAMETER, "The terms of the first model must be among those of the second. To compare other models, use pgfit.compare.",
                 "the second model does not contain the first: its deviance is %.6g, that of the first %.6g", more, fewer);
}

/* Tells whether the fit estimated a parameter of its family: deviances at two numbers of it do not compare. */
static bool estimates_parameter(Env *env, const Model *model)
{
    return model_find(model, "power") != NULL || (model_find(model, "theta") != NULL && !options_given(estimator_options(env, estimator_of(model), model), "theta"));
}

/* Returns the deviance of a model without features; 0 where it is unknown. */
static double null_deviance(const Model *facts, const char *fact)
{
    if (fact == NULL)
        return 0;
    return model_fact(facts, fact, NAN) * (strcmp(fact, "null_log_likelihood") == 0 ? -2 : 1);
}

/* Returns the number of parameters, up to a number that is the same for models of the same rows. */
static double parameter_count(const Model *facts, const char *deviance)
{
    return deviance != NULL ? -model_fact(facts, "df_residual", NAN) : round(model_fact(facts, "aic", NAN) / 2 + model_fact(facts, "log_likelihood", NAN));
}

/* Compares the likelihoods of models that estimated a parameter of their family, each its own, or that are known by their likelihood alone. */
static void set_likelihood_ratio(Env *env, const Model *smaller, const Model *larger, NestedTest *test)
{
    double fewer = model_fact(smaller, "log_likelihood", NAN), more = model_fact(larger, "log_likelihood", NAN);

    if (fewer - more > SAME_SPREAD * fabs(fewer))
        env_fail(env, ERROR_PARAMETER, "The terms of the first model must be among those of the second. To compare other models, use pgfit.compare.",
                 "the second model does not contain the first: its log-likelihood is %.6g, that of the first %.6g", more, fewer);
    test->test = "likelihood ratio";
    test->df_residual = NAN;
    test->statistic = isfinite(more - fewer) ? fmax(0, 2 * (more - fewer)) : NAN;
    test->p_value = isnan(test->statistic) ? NAN : chi_square_upper(test->statistic, test->df);
}

static bool has_intercept(const Model *model)
{
    return model_find(model, "intercept") != NULL;
}

/* Tells whether a model has a coefficient of this name. */
static bool has_term(const Coefficient *list, uint32_t count, const char *term)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(list[i].estimate) && strcmp(list[i].term, term) == 0)
            return true;
    return false;
}

/* Sets the Wald test that the coefficients that the smaller model lacks are 0, from the robust covariance of the larger one. */
static void set_wald(Env *env, const Model *smaller, const Model *larger, NestedTest *test)
{
    Coefficient *few, *many;
    uint32_t few_count = estimator_of(smaller)->coefficients(env, smaller, &few), many_count = estimator_of(larger)->coefficients(env, larger, &many);
    uint32_t *places = env_array(env, (size_t)many_count + 1, sizeof(uint32_t)), count = 0, length;
    const double *packed = model_f64(larger, "covariance" MODEL_PACKED, &length);
    double *estimates = env_array(env, (size_t)many_count + 1, sizeof(double)), *covariance, df;

    for (uint32_t i = 0; i < many_count; i++) {
        if (isnan(many[i].estimate) || has_term(few, few_count, many[i].term))
            continue;
        estimates[count] = many[i].estimate;
        places[count++] = i;
        env->poll(env);
    }
    if (model_fact(larger, "absorbed_df", 0) != model_fact(smaller, "absorbed_df", 0))
        env_fail(env, ERROR_PARAMETER, "Absorb the same columns in both models, or leave out \"vcov\".",
                 "robust standard errors test the terms, but not the effects of columns that one of the two models absorbs");
    if (count != test->df)
        env_fail(env, ERROR_PARAMETER, "Write the terms that both models have in the same way.",
                 "the second model has %u terms that the first has not by name, but %.15g coefficients more", count, test->df);
    covariance = env_array(env, (size_t)count * count + 1, sizeof(double));
    for (uint32_t j = 0; packed != NULL && j < count; j++)
        for (uint32_t i = 0; i <= j; i++)
            covariance[(size_t)j * count + i] = covariance[(size_t)i * count + j] = packed[factor_packed(places[j]) + places[i]];
    df = robust_f_df(larger, strcmp(test->test, "F") == 0 ? test->df_residual : INFINITY);
    test->statistic = packed != NULL ? wald_f(env, covariance, estimates, count) : NAN;
    if (isfinite(df)) {
        test->test = "Wald F";
        test->df_residual = df;
        test->p_value = isnan(test->statistic) ? NAN : f_upper(test->statistic, fmin(test->df, MOST_DF), fmin(df, MOST_DF));
        return;
    }
    test->test = "Wald";
    test->statistic *= count;
    test->p_value = isnan(test->statistic) ? NAN : chi_square_upper(test->statistic, test->df);
}

NestedTest nested_test(Env *env, const Model *smaller, const Model *larger)
{
    const struct Tested *kind = tested_of(env, smaller);
    NestedTest test = {.test = kind->test, .df_residual = NAN};
    const Model *few, *many;
    double left, rest, gain, null, dispersion;
    bool estimated;

    if (tested_of(env, larger) != kind || strcmp(smaller->estimator, larger->estimator) != 0)
        env_fail(env, ERROR_PARAMETER, "Fit both with the same estimator.", "the models are of %.31s and %.31s", smaller->estimator, larger->estimator);
    few = facts_of(env, smaller, kind->deviance);
    many = facts_of(env, larger, kind->deviance);
    null = null_deviance(many, kind->null);
    estimated = estimates_parameter(env, larger);
    if (estimated != estimates_parameter(env, smaller))
        env_fail(env, ERROR_PARAMETER, "Fit both with the same options.", "one of the two models of %.31s has estimated the parameter of its family, the other has not", smaller->estimator);
    require_same_rows(env, smaller, larger, !estimated && has_intercept(smaller) == has_intercept(larger) ? null_deviance(few, kind->null) : null, null);
    left = model_fact(many, "df_residual", NAN);
    test.df = parameter_count(many, kind->deviance) - parameter_count(few, kind->deviance);
    if (!(test.df > 0))
        env_fail(env, ERROR_PARAMETER, "Pass the model with fewer terms first.", "the second model needs more coefficients than the first, but they have %.15g and %.15g",
                 parameter_count(many, kind->deviance), parameter_count(few, kind->deviance));
    require_same_columns(env, smaller, larger);
    require_same_effects(env, smaller, larger);
    estimated = estimated || kind->deviance == NULL;
    rest = estimated ? NAN : model_fact(many, kind->deviance, NAN);
    if (!estimated)
        require_no_worse(env, model_fact(few, kind->deviance, NAN), rest, null);
    test.df_residual = kind->exact ? left : NAN;
    if (robust_is(larger)) {
        set_wald(env, smaller, larger, &test);
        return test;
    }
    if (estimated) {
        set_likelihood_ratio(env, few, many, &test);
        return test;
    }
    gain = fmax(0, model_fact(few, kind->deviance, NAN) - rest);
    if (!kind->exact) {
        test.statistic = gain;
        test.p_value = chi_square_upper(gain, test.df);
        return test;
    }
    dispersion = kind->estimator == NULL ? model_fact(many, "dispersion", NAN) : rest / left;
    test.statistic = left > 0 && rest > PERFECT * null ? gain / test.df / dispersion : NAN;
    test.p_value = isnan(test.statistic) ? NAN : f_upper(test.statistic, fmin(test.df, MOST_DF), fmin(left, MOST_DF));
    return test;
}
