/*
 * formula_options.c - what a formula says that options say too.
 */
#include "core/estimator/formula_options.h"

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

bool formula_drops_intercept(Env *env, const Options *options)
{
    const char *text = options_has(options, "formula") ? options_string(options, "formula") : NULL;
    Formula *formula;
    bool intercept;

    if (text == NULL || !options_has(options, "intercept"))
        return false;
    formula = formula_parse(env, text, strlen(text));
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
