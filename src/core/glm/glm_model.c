/*
 * glm_model.c - scores, checks and reports of generalized linear models.
 */
#include "core/glm/glm_model.h"
#include "core/glm/glm_step.h"
#include "core/glm/glm_zeros.h"

#include "core/inference/robust_model.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_influence.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/penalty_path.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/model/report_text.h"

#include <math.h>
#include <string.h>

/* ---- scores ---- */

static double predict_offset(const Model *model, const void *prepared, const double *slots, double offset)
{
    Link link = link_of_model(model);
    double mean = link_mean(&link, linear_equation_score(model, prepared, slots) + offset);

    return isfinite(mean) ? mean : NAN;
}

static double predict(const Model *model, const void *prepared, const double *slots)
{
    return predict_offset(model, prepared, slots, 0);
}

/* ---- check ---- */

static const ArraySpec glm_arrays[] = {{.name = "glm_link", .type = ARRAY_I64, .rows = {SIZE_NUMBER, .plus = 1}}};

static const ArraySpec glm_facts[] = {
    FACT("converged", ARRAY_BOOL),        FACT("deviance", ARRAY_F64),       FACT("df_model", ARRAY_F64),   FACT_LIST("dropped_terms", ARRAY_TEXT),
    FACT("expected_zeros", ARRAY_F64),
    FACT("iterations", ARRAY_I64),        FACT("lambda", ARRAY_F64),         FACT("lambda_1se", ARRAY_F64), FACT("lambda_max", ARRAY_F64), FACT("lambda_min", ARRAY_F64), FACT("link_power", ARRAY_F64), FACT("log_likelihood", ARRAY_F64),
    FACT("nonzero", ARRAY_I64),           FACT("null_deviance", ARRAY_F64),  FACT("objective", ARRAY_F64),  FACT("pearson", ARRAY_F64),
    FACT("penalty", ARRAY_F64),           FACT("power", ARRAY_F64),          FACT("power_dispersion", ARRAY_F64), FACT("separated", ARRAY_BOOL),
    FACT("step_first", ARRAY_F64),        FACT("step_mean", ARRAY_F64), FACT("step_null", ARRAY_F64), FACT("step_null_deviance", ARRAY_F64), FACT("step_null_from", ARRAY_F64), FACT("step_objective", ARRAY_F64),
    FACT("step_of", ARRAY_I64),           FACT("step_promise", ARRAY_F64),   FACT("step_start", ARRAY_BOOL), FACT("step_theta", ARRAY_F64), FACT("theta", ARRAY_F64),
    FACT("theta_std_error", ARRAY_F64),   FACT("zeros", ARRAY_F64),        FACT("zeros_z", ARRAY_F64)};

const ArrayTable glm_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(glm_arrays), ARRAY_TABLE(glm_step_arrays), ARRAY_TABLE(path_fold_arrays),
                                                   ARRAY_TABLE(penalty_path_arrays), ARRAY_TABLE(robust_arrays), FACT_TABLE(glm_facts), FACT_TABLE(robust_facts));

const char *glm_check(Env *env, const Model *model)
{
    const char *wrong = penalty_path_check(env, model);

    if (wrong == NULL)
        wrong = link_check(env, model);
    if (wrong == NULL)
        wrong = linear_equation_check(env, model);
    return wrong != NULL ? wrong : glm_step_check(env, model);
}

/* ---- statistics ---- */

static const GlmFamily *family_of(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return glm_family_of(estimator, estimator_options(env, estimator, model));
}

/* Returns how many parameters R counts: the dispersion is one where it is estimated, and so are theta and the power. */
static double parameters_of(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options = estimator_options(env, estimator, model);
    const GlmFamily *family = glm_family_of(estimator, options);
    bool theta = strcmp(family->name, "negative_binomial") == 0 && !options_given(options, "theta");

    return model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL) + (!family->fixed || theta) + (model_find(model, "power") != NULL);
}

Model *glm_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double n = model_counted_rows(model), df = linear_df_residual(model), likelihood = model_fact(model, "log_likelihood", NAN);
    double deviance = model_fact(model, "deviance", NAN), null = model_fact(model, "null_deviance", NAN), parameters = parameters_of(env, model);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "df_residual", df);
    builder_fact_finite(builder, "df_null", n - (model_find(model, "intercept") != NULL));
    builder_fact_finite(builder, "dispersion", family_of(env, model)->fixed ? 1 : df > 0 ? model_fact(model, "pearson", NAN) / df : NAN);
    if (null > 0)
        builder_fact_finite(builder, "pseudo_r_squared", 1 - deviance / null);
    builder_fact_finite(builder, "aic", 2 * parameters - 2 * likelihood);
    builder_fact_finite(builder, "bic", log(n) * parameters - 2 * likelihood);
    return model_build(builder);
}

/* ---- influence ---- */

/* Returns the parameter of the family of a model; NaN: it has none. */
static double parameter_of_model(const Model *model, const GlmFamily *family, const Options *options)
{
    if (strcmp(family->name, "tweedie") == 0)
        return model_fact(model, "power", glm_power(options));
    return model_fact(model, "theta", NAN);
}

static void influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options = estimator_options(env, estimator, model);
    const GlmFamily *family = glm_family_of(estimator, options);
    Link link = link_of_model(model);
    double score = linear_equation_score(model, NULL, slots) + row->offset, mean = link_mean(&link, score), slope = link_slope(&link, score);
    double weight = influence_weight(model, row), df = linear_df_residual(model), variance, deviance;
    ScoreResidual own = {.squares = model_fact(model, "deviance", NAN), .df = df};

    if (!isfinite(mean))
        return;
    out->fitted = mean;
    out->residual = row->target - mean;
    if (!(weight > 0) || !glm_family_has(family, row->target))
        return;
    family->tile(&row->target, &mean, 1, parameter_of_model(model, family, options), &variance, &deviance);
    out->deviance_residual = own.deviance = isnan(deviance) ? NAN : copysign(sqrt(weight * fmax(0, deviance)), out->residual);
    own.pearson = sqrt(weight / variance) * out->residual;
    own.curvature = weight * slope * slope / variance;
    own.dispersion = family->fixed ? 1 : model_fact(model, "pearson", NAN) / df;
    own.rank = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL);
    own.by_sigma = strcmp(family->name, "binomial") != 0 && strcmp(family->name, "poisson") != 0; /* as rstudent of R has it */
    score_influence(env, model, slots, &own, out);
}

const Scoring glm_scoring = {
    .partial = true, /* scores that are no mean's */
    .predict = predict,
    .predict_offset = predict_offset,
    .explain = linear_classifier_explain,
    .influence = influence,
};

/* ---- reports ---- */

double glm_test_df(Env *env, const Model *model)
{
    return family_of(env, model)->fixed ? INFINITY : linear_df_residual(model);
}

uint32_t glm_coefficients(Env *env, const Model *model, Coefficient **out)
{
    return linear_list_coefficients(env, model, NULL, glm_test_df(env, model), out);
}

char *glm_to_sql(Env *env, const Model *model)
{
    Link of_model = link_of_model(model);
    const LinkFunction *link = of_model.function;
    TextBuffer out = {.env = env}, after = {.env = env};
    LinearView view;

    if (link->before == NULL && link->mean != NULL)
        env_fail(env, ERROR_KIND, "Use predict, or link logit.", "a model of %.31s with link %s cannot be written as an SQL expression", model->estimator, link->name);
    linear_view(model, &view);
    if (link->bounds)
        sql_if_complete(&out, model);
    if (link->mean == NULL)
        link_power_sql(&of_model, &out, &after);
    else
        text_print(&out, "%s", link->before);
    if (link->after != NULL)
        text_print(&after, "%s", link->after);
    if (after.length > 0)
        text_print(&out, "(");
    linear_put_score(&out, model, &view, 0);
    if (env->sql_offset != NULL) {
        text_print(&out, " + ");
        text_add(&out, env->sql_offset);
    }
    if (after.length > 0)
        text_print(&out, ")%s", after.text);
    if (link->bounds)
        sql_end_complete(&out, model);
    return out.text;
}

/* Says where there are more zeros than the fit expects. */
static void put_zeros(TextBuffer *out, const Model *facts)
{
    GlmZeros zeros = {model_fact(facts, "zeros", NAN), model_fact(facts, "expected_zeros", NAN), model_fact(facts, "zeros_z", NAN)};

    if (glm_zeros_many(&zeros))
        text_print(out, "\nnote: %.15g targets are 0, and the fit expects %.6g (z = %.4g)", zeros.observed, zeros.expected, zeros.z);
}

char *glm_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    const GlmFamily *family = family_of(env, model);
    Link link = link_of_model(model);
    Coefficient *list;
    uint32_t count = glm_coefficients(env, model, &list);

    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    text_print(&out, "family: %s, link: %s", family->name, link.function->name);
    if (link.function->mean == NULL)
        text_print(&out, " %.6g", link.power);
    text_print(&out, "\n");
    linear_put_equations(&out, list, count, count, family->fixed && robust_df(model) == NULL ? "z" : "t");
    robust_put(&out, model);
    text_print(&out, "\n");
    report_rows(&out, model);
    if (!isnan(model_fact(facts, "dispersion", NAN)))
        text_print(&out, "dispersion: %.6g%s\n", model_fact(facts, "dispersion", NAN), family->fixed ? ", by the family" : "");
    if (!isnan(model_fact(facts, "theta_std_error", NAN)))
        text_print(&out, "theta: %.6g, std. error: %.4g\n", model_fact(facts, "theta", NAN), model_fact(facts, "theta_std_error", NAN));
    if (!isnan(model_fact(facts, "power", NAN)))
        text_print(&out, "power: %.6g, with a dispersion of %.6g by likelihood\n", model_fact(facts, "power", NAN), model_fact(facts, "power_dispersion", NAN));
    if (!isnan(model_fact(facts, "null_deviance", NAN)))
        text_print(&out, "null deviance: %.6g on %.6g degrees of freedom\n", model_fact(facts, "null_deviance", NAN), model_fact(facts, "df_null", NAN));
    if (!isnan(model_fact(facts, "deviance", NAN))) /* before the first pass of steps there is none */
        text_print(&out, "residual deviance: %.6g", model_fact(facts, "deviance", NAN));
    if (!isnan(model_fact(facts, "deviance", NAN)) && !isnan(model_fact(facts, "df_residual", NAN)))
        text_print(&out, " on %.6g degrees of freedom", model_fact(facts, "df_residual", NAN));
    if (!isnan(model_fact(facts, "aic", NAN)))
        text_print(&out, "\nAIC: %.6g, BIC: %.6g", model_fact(facts, "aic", NAN), model_fact(facts, "bic", NAN));
    if (model_find(model, "penalty") != NULL) {
        text_print(&out, "\n");
        linear_path_report(&out, model);
    } else if (model_fact(facts, "converged", 1) == 0) {
        text_print(&out, "\nnote: the fit has not converged");
    }
    put_zeros(&out, facts);
    return out.text;
}

const Table *const glm_tables[] = {&variance_inflation_table, &lambda_path_table, &coefficient_path_table, NULL};
