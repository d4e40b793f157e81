/*
 * formula_options.c - what a formula says that options say too.
 */
#include "core/estimator/formula_options.h"

#include "core/base/json.h"
#include "core/base/text_buffer.h"
#include "core/formula/formula.h"

#include <string.h>

/* Tells whether a formula that speaks of the intercept has one, which is known once it is resolved, whatever the columns are. */
static bool formula_has_intercept(Env *env, const Formula *parsed)
{
    static const char *const others[] = {"."}; /* a column that no formula can name without quotes */
    uint32_t count = formula_variable_count(parsed);
    FormulaVariable *columns = env_array(env, (size_t)count + 1, sizeof *columns);

    for (uint32_t i = 0; i < count; i++) {
        columns[i] = (FormulaVariable){.kind = FIELD_NUMERIC, .width = 1};
        columns[i].name = formula_variable(parsed, i, &columns[i].length);
    }
    columns[count] = (FormulaVariable){.name = others[0], .length = 1, .kind = FIELD_NUMERIC, .width = 1};
    return formula_intercept(formula_resolve(env, parsed, columns, count + 1, others, 1)) != 0;
}

/* Tells whether a formula leaves the intercept out where the options do not say so. Fails if they contradict each other. */
static bool drops_intercept(Env *env, const Options *options, const char *text)
{
    Formula *formula = formula_parse(env, text, strlen(text));
    bool intercept;

    if (!formula_says_intercept(formula))
        return false;
    intercept = formula_has_intercept(env, formula);
    if (!options_given(options, "intercept"))
        return !intercept;
    if (options_boolean(options, "intercept") != intercept)
        env_fail(env, ERROR_PARAMETER, "Say it once, in the formula or by the option.",
                 "option \"intercept\" is %s, but the formula %s", options_boolean(options, "intercept") ? "true" : "false",
                 intercept ? "has one" : "has none");
    return false;
}

Options *formula_intercept_option(Env *env, const char *method, const OptionSpec *const *tables, Options *options, const char *formula)
{
    TextBuffer without = {.env = env};
    uint32_t size;
    size_t length;
    const char *given, *text;

    if (formula == NULL || !options_has(options, "intercept") || !drops_intercept(env, options, formula))
        return options;
    given = options_json(options, &size);
    text_print(&without, size > 2 ? "{\"intercept\": false, " : "{\"intercept\": false");
    text_add(&without, size > 2 ? given + 1 : "}");
    text = text_finish(&without, &length);
    return options_parse(env, method, tables, text, length, NULL, NULL, 0);
}

const char *formula_of_moments(Env *env, const Model *moments)
{
    uint32_t length;
    const char *text = model_options(moments, &length);
    const Json *formula = length == 0 ? NULL : json_get(json_parse(env, text, length, ERROR_CORRUPT, "options"), "formula");

    return formula != NULL && formula->type == JSON_STRING ? json_string(env, formula) : NULL;
}

const char *formula_option(const Options *options)
{
    return options_has(options, "formula") ? options_string(options, "formula") : NULL;
}
