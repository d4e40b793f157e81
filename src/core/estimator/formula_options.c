/*
 * formula_options.c - what a formula says that options say too.
 */
#include "core/estimator/formula_options.h"

#include "core/formula/formula.h"

#include <string.h>

bool formula_drops_intercept(Env *env, const Options *options)
{
    const char *text = options_has(options, "formula") ? options_string(options, "formula") : NULL;
    Formula *formula;

    if (text == NULL || !options_has(options, "intercept"))
        return false;
    formula = formula_parse(env, text, strlen(text));
    if (!formula_says_intercept(formula))
        return false;
    if (!options_given(options, "intercept"))
        return !formula_intercept(formula);
    if (options_boolean(options, "intercept") != (formula_intercept(formula) == 1))
        env_fail(env, ERROR_PARAMETER, "Say it once, in the formula or by the option.",
                 "option \"intercept\" is %s, but the formula %s", options_boolean(options, "intercept") ? "true" : "false",
                 formula_intercept(formula) ? "has an intercept" : "has none");
    return false;
}
