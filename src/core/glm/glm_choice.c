/*
 * glm_choice.c - the families of estimators, and the options of families.
 */
#include "core/glm/glm_choice.h"

#include <math.h>
#include <string.h>

#define TWEEDIE_POWER 1.5

/* The families that are estimators of their own. */
static const struct {
    const char *estimator, *family;
} named[] = {{"gamma_regression", "gamma"}, {"negative_binomial_regression", "negative_binomial"}, {"poisson_regression", "poisson"}, {"tweedie_regression", "tweedie"}};

const GlmFamily *glm_family_of(const Estimator *estimator, const Options *options)
{
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
        if (strcmp(estimator->name, named[i].estimator) == 0)
            return glm_family_find(named[i].family);
    return glm_family_find(options_string(options, "family"));
}

Link glm_link_of(Env *env, const Estimator *estimator, const Options *options)
{
    const char *given = options_string(options, "link"), *name = given != NULL ? given : glm_family_of(estimator, options)->link;
    double power = options_number(options, "link_power");
    bool powered = strcmp(name, "power") == 0;

    if (powered && isnan(power))
        env_fail(env, ERROR_PARAMETER, "Set \"link_power\" to the power of the mean that is linear in the features.", "link power of %s has no power", estimator->name);
    if (powered && power == 0)
        env_fail(env, ERROR_PARAMETER, "Set \"link\" to \"log\", the limit of powers near 0.", "option \"link_power\" is 0, which makes all scores 1");
    if (!powered && !isnan(power))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or choose that link.", "option \"link_power\" is of link power, not of %s", name);
    return link_find(name, power);
}

/* Fails for options that belong to another family. */
static void require_family(Env *env, const Options *options, const char *option, const GlmFamily *family, const char *own)
{
    if (options_given(options, option) && strcmp(family->name, own) != 0)
        env_fail(env, ERROR_PARAMETER, "Leave it out, or choose that family.", "option \"%s\" is of family %s, not of %s", option, own, family->name);
}

double glm_power(const Options *options)
{
    return options_type(options, "power") == OPTION_NUMBER ? options_number(options, "power") : TWEEDIE_POWER;
}

double glm_parameter_of(Env *env, const Estimator *estimator, const Options *options)
{
    const GlmFamily *family = glm_family_of(estimator, options);

    require_family(env, options, "power", family, "tweedie");
    require_family(env, options, "theta", family, "negative_binomial");
    if (strcmp(family->name, "tweedie") == 0)
        return glm_power(options);
    return strcmp(family->name, "negative_binomial") == 0 ? options_number(options, "theta") : NAN;
}

bool glm_estimates_theta(Env *env, const Estimator *estimator, const Options *options)
{
    return strcmp(glm_family_of(estimator, options)->name, "negative_binomial") == 0 && isnan(glm_parameter_of(env, estimator, options));
}
