/*
 * formula_expression.h - a number computed from one other, as options write it: "1 / (1 + distance^2)", with the operators and
 * functions of formulas.
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

#endif
