/*
 * formula_expression.c - expressions of one variable, outside of model formulas.
 */
#include "core/formula/formula_expression.h"
#include "core/formula/formula_internal.h"

#include <stdlib.h>
#include <string.h>

#define BEFORE "I(" /* what makes an expression of a text, as formulas write it */

/* Returns a message with its position counted from the beginning of the text. */
static const char *shifted(Env *env, const char *message)
{
    const char *at = strstr(message, "position ");
    char *end;
    unsigned long position;

    if (at == NULL)
        return message;
    at += strlen("position ");
    position = strtoul(at, &end, 10);
    return env_message(env, "%.*s%lu%s", (int)(at - message), message, position - strlen(BEFORE), end);
}

Formula *formula_expression(Env *env, const char *text, const char *variable, const char **wrong, const char **hint)
{
    FormulaProblem problem = {.env = env};
    TextBuffer whole = {.env = env};
    Formula *formula;
    size_t length = strlen(text), left_length;
    const char *left;
    char *copy;

    *wrong = *hint = NULL;
    formula_sides(text, &length, &left, &left_length);
    if (left != NULL) {
        *wrong = "it has a ~";
        return NULL;
    }
    text_print(&whole, BEFORE "%s)", text);
    copy = text_finish(&whole, &length);
    formula = formula_read(env, copy, length, &problem);
    if (formula == NULL) {
        *wrong = shifted(env, problem.message);
        *hint = problem.hint;
        return NULL;
    }
    if (formula->tree_count != 1 || formula->atom_count != 1 || formula->atoms[0].kind != ATOM_NUMBER) {
        *wrong = "it is no expression";
        return NULL;
    }
    if (formula->variable_count != 1 || formula->variables[0].level != NULL || strlen(variable) != formula->variables[0].length ||
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
