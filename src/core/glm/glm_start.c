/*
 * glm_start.c - the first model for glm_step, from the moments of the rows, and the options that steps can follow.
 */
#include "core/glm/glm_choice.h"
#include "core/glm/glm_step.h"
#include "core/glm/glm_theta.h"

#include "core/estimator/formula_fit.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_step.h"

#include <math.h>
#include <string.h>

/* Tells whether an option has another value than its default. */
static bool is_set(const Options *options, const OptionSpec *spec)
{
    return options_given(options, spec->name) && !(spec->fallback != NULL && strcmp(options_value_json(options, spec->name), spec->fallback) == 0);
}

void glm_step_require(Env *env, const Estimator *estimator, const Options *options)
{
    static const char *const followed[] = {"family", "intercept", "level", "link", "link_power", "max_iter", "power", "theta", "tolerance", NULL};
    uint32_t count;
    const OptionSpec **list = option_list(env, estimator->options, &count);

    for (uint32_t i = 0; i < count; i++) {
        const char *const *name = followed;

        while (*name != NULL && strcmp(*name, list[i]->name) != 0)
            name++;
        if (*name == NULL && !option_is_common(list[i]) && is_set(options, list[i]))
            env_fail(env, ERROR_PARAMETER, "Leave it out, or fit the rows at once.", "glm_step does not support option \"%s\"", list[i]->name);
    }
    (void)glm_parameter_of(env, estimator, options); /* fails for options of another family */
    if (options_has(options, "power") && options_is(options, "power", "profile"))
        env_fail(env, ERROR_PARAMETER, "Give a number, as estimated from a sample of the rows, or fit the rows at once.", "glm_step does not estimate the power of family tweedie");
}

/* Returns the cross-products of the first terms, packed: about their means if there is an intercept. */
static double *products_of(Env *env, const Design *design, uint32_t terms)
{
    size_t ld = (size_t)design->terms + 1;
    double *products = env_array(env, factor_packed(terms) + 1, sizeof(double)), *out = products;

    for (uint32_t t = 0; t < terms; t++) {
        env->poll(env);
        for (uint32_t u = 0; u <= t; u++, out++)
            for (uint32_t i = 0; i <= u; i++)
                *out += design->factor[t * ld + i] * design->factor[u * ld + i];
    }
    return products;
}

/* Returns the theta by which targets have the variance that they have about their mean. */
static double theta_of(const Design *design, bool intercept)
{
    size_t terms = design->terms;
    double mean = design->target_mean, squares = 0, beyond;

    for (size_t i = 0; i <= terms; i++)
        squares += design->factor[terms * (terms + 1) + i] * design->factor[terms * (terms + 1) + i];
    beyond = squares / design->weight - (intercept ? 0 : mean * mean) - mean;
    return beyond > 0 && mean > 0 ? fmin(mean / beyond * mean, GLM_THETA_MOST) : GLM_THETA_MOST;
}

/* What a start reads of the moments. */
typedef struct Start {
    Env *env;
    Design *design;      /* with the offsets as the last terms */
    const Model *schema; /* of the terms without them */
    uint32_t offsets;
    bool intercept, estimated; /* estimated: theta is */
    Link link;
    LinearEquations out;
} Start;

/* Sets the score at the center: that of the mean of the targets, less the mean of the offsets. */
static void set_intercept(Start *start, const GlmFamily *family, const char *method)
{
    double mean = start->design->target_mean, *score = &start->out.offset[0];

    *score = link_score(&start->link, mean);
    if (!isfinite(*score))
        env_fail(start->env, ERROR_DATA, "Use rows whose targets vary.", "the mean of the targets of %s is %.6g, of which the %s link has no score", method, mean,
                 start->link.function->name);
    if (start->offsets == 0 && !(mean > family->lowest && mean < family->highest))
        glm_fail_mean(&(GlmProblem){.env = start->env, .family = family, .method = method, .mean = mean}, *score);
    for (uint32_t t = start->out.terms.count; t < start->design->terms; t++)
        *score -= start->design->means[t];
}

/* Adds theta and, where the deviance without coefficients is not that of a constant mean, the score that it is computed at. */
static void add_facts(const Start *start, const Estimator *estimator, const Options *options, ModelBuilder *builder)
{
    if (strcmp(glm_family_of(estimator, options)->name, "negative_binomial") == 0)
        builder_fact(builder, "theta", start->estimated ? theta_of(start->design, start->intercept) : glm_parameter_of(start->env, estimator, options));
    if (start->estimated || start->offsets > 0)
        builder_fact(builder, "step_null", start->intercept ? start->out.offset[0] : 0);
    builder_fact_bool(builder, "converged", false);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact(builder, "step_mean", start->design->target_mean);
    builder_fact_bool(builder, "step_start", true);
}

Model *glm_start(Env *env, const Estimator *estimator, const Model *given, const Options *options)
{
    const Model *input = moments_for_fit(env, given);
    Start start = {.env = env, .intercept = options_boolean(options, "intercept"), .link = glm_link_of(env, estimator, options)};
    int64_t *position = env_array(env, 1, sizeof(int64_t));
    uint32_t kept;
    FitTerms terms;
    ModelBuilder *builder;

    glm_step_require(env, estimator, options);
    if (input->rows == 0)
        return NULL;
    start.estimated = glm_estimates_theta(env, estimator, options);
    start.design = moments_design(env, input, start.intercept);
    start.schema = formula_fit_terms(env, input, start.intercept);
    start.offsets = input->slot_count - start.schema->slot_count;
    terms = FIT_TERMS(start.design);
    terms.count -= start.offsets;
    start.out = linear_equations(env, start.schema, terms, 1, start.intercept ? start.design->means : NULL);
    builder = fit_begin(env, estimator, &(FitInput){.kind = INPUT_MOMENTS, .moments = start.schema}, options);
    linear_start_drop(&start.out, start.design->weight, start.design->means, products_of(env, start.design, terms.count), "Leave them out, or add rows.", builder);
    kept = terms.count;
    for (uint32_t t = 0; start.out.dropped != NULL && t < terms.count; t++)
        kept -= start.out.dropped[linear_column(start.out.slots, start.out.terms, t)];
    if (start.intercept)
        set_intercept(&start, glm_family_of(estimator, options), estimator->name);
    builder_fact(builder, "df_model", kept);
    add_facts(&start, estimator, options, builder);
    link_add(builder, &start.link, position);
    linear_equations_add(builder, &start.out);
    return model_require_readable(env, model_build(builder));
}
