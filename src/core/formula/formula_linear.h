/*
 * formula_linear.h - linear combinations of named numbers as people write them: 'a - b, 2 * c = d + 1', with the names and quotes of formulas.
 */
#ifndef PGFIT_FORMULA_LINEAR_H
#define PGFIT_FORMULA_LINEAR_H

#include "core/base/env.h"

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
 * Parses combinations with commas between them. names: [count] what they may name; "(intercept)" is intercept as well. equations: each may be an
 * equation, which becomes its left side less its right side. what: they are called, "hypothesis". Fails with ERROR_PARAMETER, with the position and
 * what was expected or the names that there are, and with ERROR_LIMIT if the text is too long.
 */
LinearTexts *formula_linear(Env *env, const char *text, size_t length, const char *what, bool equations, const char *const *names, uint32_t count);

#endif
