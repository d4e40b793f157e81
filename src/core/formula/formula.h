/*
 * formula.h - model formulas as in R and patsy: text is parsed, and resolved against the columns of a row into inputs and terms.
 *
 *     log(carat) * cut + poly(depth, 2) + C(color, ref = 'D') - 1
 *
 * input  what is read from a row: a column, a column read as a category, or the value of a numeric expression. Inputs are the
 *        fields of the schema of a state.
 * term   what a model has coefficients for: an input, something learned from one (poly, scale, bs ...), or a product of such.
 *        formula_terms.h learns and computes them.
 *
 * Unquoted names are looked up as they are written, and then in lower case; names in double quotes or backticks only as
 * they are written. Functions have no case. log is the natural logarithm; ln says the same. Booleans, dates and times are numbers,
 * as everywhere: factor(x) makes a category of any column.
 *
 * Left of a ~ stands what the target is called: a name, or a numeric expression such as ln(price). It is a label, which the target's values
 * do not come from.
 */
#ifndef PGFIT_FORMULA_H
#define PGFIT_FORMULA_H

#include "core/model/schema.h"

#define FORMULA_MAX_COLUMNS 1000000u /* columns of a design */
#define FORMULA_MAX_TEXT (1u << 20)     /* bytes, also with . replaced */

typedef struct Formula Formula; /* parsed and immutable; lives in env's memory */

/*
 * Parses a formula. Fails with ERROR_PARAMETER, with the position (1-based, in characters), what was found and what was expected;
 * with ERROR_LIMIT if the text is too long or nested too deep.
 */
Formula *formula_parse(Env *env, const char *text, size_t length);
/*
 * Splits the text of a formula at its first ~ outside of quotes, without parsing it. Returns what is right of it, or all, without the spaces around it;
 * *left: receives the same of what is left of it, NULL without a ~.
 */
const char *formula_sides(const char *text, size_t *length, const char **left, size_t *left_length);
/* Returns what a parsed formula has left of the ~, whose variables are the columns that it names and whose text is canonical; NULL: nothing. */
const Formula *formula_target(const Formula *formula);
/* Tells whether it is one name, and no expression. */
bool formula_is_name(const Formula *target);
/* Returns a name as formulas write it, in double quotes where it needs them. */
char *formula_name(Env *env, const char *name);
/* Tells whether the formula has a ".", which stands for all other columns. */
bool formula_has_dot(const Formula *formula);

/* Return the columns that it names, in order of appearance, as written; of a resolved formula, as the columns are called. */
uint32_t formula_variable_count(const Formula *formula);
const char *formula_variable(const Formula *formula, uint32_t i, uint32_t *length);
/* Tells whether a variable of a parsed formula is in quotes, and so the column of exactly this name. */
bool formula_variable_is_quoted(const Formula *formula, uint32_t i);
/* Tells whether a numeric expression reads the variable as a number, so that formula_number needs its value. */
bool formula_variable_is_number(const Formula *formula, uint32_t i);
/*
 * Returns the text that an expression compares the variable with, zero-terminated: formula_number then needs 1 or 0, whether the column has
 * it, or with *differs whether it has any other. NULL: it does not.
 */
const char *formula_variable_level(const Formula *formula, uint32_t i, bool *differs);
/* Tells whether an input of a resolved formula reads the variable: not that of a term which another part of the formula takes away. */
bool formula_reads(const Formula *formula, uint32_t variable);
/* Tells whether an unquoted name of a parsed formula stands for a constant, pi, where the row has no such column. */
bool formula_variable_is_constant(const Formula *formula, uint32_t i);

/* A column that a row has. */
typedef struct FormulaVariable {
    const char *name;
    uint32_t length;
    FieldKind kind;
    uint32_t width;
} FormulaVariable;

/*
 * Finds the variables among the columns of a row, replaces "." by the columns dot[dot_count] (those that are not target, id, weight or
 * fold, in order), and determines inputs and terms. Fails where a column is not there (with the nearest name), where a category
 * is taken for a number, and with ERROR_LIMIT where the terms would have more than FORMULA_MAX_COLUMNS columns; columns of
 * categories are counted when terms are learned.
 */
Formula *formula_resolve(Env *env, const Formula *formula, const FormulaVariable *columns, uint32_t count, const char *const *dot,
                         uint32_t dot_count);
/*
 * Resolves a stored formula: parses it and takes kinds and widths from the schema of its inputs. Returns NULL with what is wrong, because
 * text and schema may come from outside: every input must be a field of the schema at its place.
 */
Formula *formula_of_schema(Env *env, const char *text, size_t length, const Model *inputs, const char **wrong);

/*
 * Returns what is right of the ~ of a resolved formula, with "." replaced and names quoted where they need it; parses back to the same. Of a target its
 * text. Zero-terminated.
 */
const char *formula_text(const Formula *formula);
/*
 * Returns the kinds of the columns that its text names, in order of appearance, as a schema keeps them; NULL where expressions read
 * nothing but numbers.
 */
const int64_t *formula_kinds(Env *env, const Formula *formula, uint32_t *count);
/* Returns the kind of the column of a variable of a resolved formula. */
FieldKind formula_variable_kind(const Formula *formula, uint32_t i);
/* Returns 1, or 0 where the formula says "- 1" or "+ 0". */
int formula_intercept(const Formula *formula);
/* Tells whether the formula says something about the intercept: "1", "- 1", "0". */
bool formula_says_intercept(const Formula *formula);

/* ---- inputs of a resolved formula ---- */

typedef enum FormulaInputKind {
    FORMULA_COLUMN,   /* a column as it is, of any kind */
    FORMULA_CATEGORY, /* factor(x), C(x...): any value read as a level. Give numbers their value as key, so that 4 comes before 10 */
    FORMULA_NUMBER,   /* a numeric expression */
    FORMULA_OFFSET    /* the expression of offset() */
} FormulaInputKind;

typedef struct FormulaInput {
    const char *name; /* of the field: the column's, else the canonical text: "log(carat + 1)", "factor(cyl)"; zero-terminated */
    FormulaInputKind kind;
    uint32_t variable;     /* of a column or category */
    FieldKind field_kind;  /* of the field: the column's, FIELD_CATEGORICAL, or FIELD_NUMERIC */
    uint32_t width;        /* of the field */
    const char *reference; /* of C(x, ref = ...), zero-terminated; NULL: not said */
    bool contrasts;        /* of C(x, sum) and its like, whose levels have no reference */
} FormulaInput;

uint32_t formula_input_count(const Formula *formula);
const FormulaInput *formula_input(const Formula *formula, uint32_t i);

/* What is wrong with the argument of a function: "log of -3". Empty: nothing. */
typedef struct FormulaDomain {
    char text[80];
    bool null; /* the value is outside of the breaks that the formula gives to cut, and so counts as NULL */
} FormulaDomain;

/*
 * Returns the value of a number or an offset from the values of the variables (variables[i] is that of variable i). NaN among them gives
 * NaN. Returns NaN and fills *wrong where a function has no value there, the result is not finite, or it counts as NULL. Allocates nothing.
 */
double formula_number(const Formula *formula, uint32_t input, const double *variables, FormulaDomain *wrong);

/*
 * Tells whether the terms need a second stage: something is learned, there is an offset, or a product has a category, an array, a date,
 * or a boolean that is no term of its own. Where not, the schema of state and model is simply that of the inputs.
 */
bool formula_learns(const Formula *formula);
/* Tells whether a second stage only keeps offsets apart, if there is one: the inputs are the terms in their order, then the offsets, and moments can sum them. */
bool formula_summable(const Formula *formula);
/* Returns the first function of a resolved formula that rows tell more than their values, such as "poly(x, 2)"; NULL: there is none. */
const char *formula_learned_function(const Formula *formula);

#endif
