/*
 * formula_expression.c - expressions of one variable, outside of model formulas.
 */
#include "core/formula/formula_expression.h"
#include "core/formula/formula_internal.h"

#include <string.h>

Formula *formula_expression(Env *env, const char *text, const char *variable, const char **wrong, const char **hint)
{
    FormulaProblem problem = {.env = env};
    TextBuffer whole = {.env = env};
    Formula *formula;
    size_t length;
    char *copy;

    *wrong = *hint = NULL;
    text_print(&whole, "I(%s)", text);
    copy = text_finish(&whole, &length);
    formula = formula_read(env, copy, length, &problem);
    if (formula == NULL) {
        *wrong = problem.message;
        *hint = problem.hint;
        return NULL;
    }
    if (formula->tree_count != 1 || formula->atom_count != 1 || formula->atoms[0].kind != ATOM_NUMBER) {
        *wrong = "it is no expression";
        return NULL;
    }
    if (formula->variable_count != 1 || strlen(variable) != formula->variables[0].length ||
        memcmp(formula->variables[0].text, variable, formula->variables[0].length) != 0) {
        *wrong = env_message(env, "it must name %s, and nothing else", variable);
        return NULL;
    }
    formula->input_expressions = &formula->atoms[0].expression;
    formula->input_count = 1;
    return formula;
}

double formula_expression_value(const Formula *expression, double value, FormulaDomain *wrong)
{
    return formula_number(expression, 0, &value, wrong);
}
