/*
 * glm_start.c - the first model for glm_step, from the moments of the rows, and the options that steps can follow.
 */
#include "core/glm/glm_choice.h"
#include "core/glm/glm_step.h"
#include "core/glm/glm_theta.h"

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

/* Returns the cross-products of the terms, packed: about their means if there is an intercept. */
static double *products_of(Env *env, const Design *design)
{
    size_t ld = (size_t)design->terms + 1;
    double *products = env_array(env, factor_packed(design->terms) + 1, sizeof(double)), *out = products;

    for (uint32_t t = 0; t < design->terms; t++) {
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

/* Adds what steps need of family negative_binomial: theta and, where it is estimated, the mean without coefficients, whose deviance depends on it. */
static void add_theta(Env *env, const Estimator *estimator, const Options *options, const Design *design, const Link *link, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept"), estimated = glm_estimates_theta(env, estimator, options);

    if (strcmp(glm_family_of(estimator, options)->name, "negative_binomial") != 0)
        return;
    builder_fact(builder, "theta", estimated ? theta_of(design, intercept) : glm_parameter_of(env, estimator, options));
    if (estimated)
        builder_fact_finite(builder, "step_mean", intercept ? design->target_mean : link_mean(link, 0));
}

Model *glm_start(Env *env, const Estimator *estimator, const Model *given, const Options *options)
{
    const Model *input = moments_for_fit(env, given);
    FitInput moments = {.kind = INPUT_MOMENTS, .moments = input};
    bool intercept = options_boolean(options, "intercept");
    Link link = glm_link_of(env, estimator, options);
    int64_t *position = env_array(env, 1, sizeof(int64_t));
    uint32_t kept;
    LinearEquations out;
    ModelBuilder *builder;
    Design *design;

    glm_step_require(env, estimator, options);
    if (input->rows == 0)
        return NULL;
    design = moments_design(env, input, intercept);
    out = linear_equations(env, input, FIT_TERMS(design), 1, intercept ? design->means : NULL);
    builder = fit_begin(env, estimator, &moments, options);
    linear_start_drop(&out, design->weight, design->means, products_of(env, design), "Leave them out, or add rows.", builder);
    kept = design->terms;
    for (uint32_t t = 0; out.dropped != NULL && t < design->terms; t++)
        kept -= out.dropped[linear_column(out.slots, out.terms, t)];
    if (intercept)
        out.offset[0] = link_score(&link, design->target_mean);
    if (intercept && !isfinite(out.offset[0]))
        env_fail(env, ERROR_DATA, "Use rows whose targets vary.", "the mean of the targets of %s is %.6g, of which the %s link has no score", estimator->name,
                 design->target_mean, link.function->name);
    builder_fact_bool(builder, "converged", false);
    builder_fact(builder, "df_model", kept);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact_bool(builder, "step_start", true);
    add_theta(env, estimator, options, design, &link, builder);
    link_add(builder, &link, position);
    linear_equations_add(builder, &out);
    return model_require_readable(env, model_build(builder));
}
