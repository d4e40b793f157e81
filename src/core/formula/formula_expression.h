/*
 * formula_expression.h - expressions outside of model formulas, with their names, operators and functions: of one number, as options have it,
 * "1 / (1 + distance^2)", and linear combinations of named numbers, 'a - b, 2 * c = d + 1'.
 */
#ifndef PGFIT_FORMULA_EXPRESSION_H
#define PGFIT_FORMULA_EXPRESSION_H

#include "core/formula/formula.h"

/*
 * Parses an expression of a variable. Returns NULL and sets *wrong and *hint (which may be NULL) where it is none, or names
 * anything but the variable.
 */
Formula *formula_expression(Env *env, const char *text, const char *variable, const char **wrong, const char **hint);
/* Returns its value; NaN, with *wrong filled, where it has none. Allocates nothing. */
double formula_expression_value(const Formula *expression, double value, FormulaDomain *wrong);

typedef struct LinearPart {
    uint32_t name; /* its place among the names */
    double factor;
} LinearPart;

/* The sum of factor times the named number, and of the constant. A name may appear in several parts. */
typedef struct LinearText {
    const char *text; /* as written, without spaces around it; not zero-terminated */
    uint32_t length;
    uint32_t first, count; /* its parts */
    double constant;
} LinearText;

typedef struct LinearTexts {
    LinearText *list;
    uint32_t count;
    LinearPart *parts;
} LinearTexts;

/*
 * Parses combinations with commas between them. names: [count] what they may name, "" nothing; "(intercept)" is intercept as well. equations: each may be an
 * equation, which becomes its left side less its right side. what: they are called, "hypothesis". Fails with ERROR_PARAMETER, with the position and
 * what was expected or the names that there are, and with ERROR_LIMIT if the text is too long.
 */
LinearTexts *formula_linear(Env *env, const char *text, size_t length, const char *what, bool equations, const char *const *names, uint32_t count);

#endif
