/*
 * formula_arguments.c - the arguments of poly, bs, ns, cut and C, and whole numbers.
 */
#include "core/formula/formula_lexer.h"

#include <math.h>
#include <string.h>

bool formula_whole_number(FormulaLexer *lexer, const char *what, uint32_t least, uint32_t most, uint32_t *value)
{
    if (lexer->token != TOKEN_NUMBER)
        return formula_expected(lexer, what);
    if (!(lexer->number >= least && lexer->number <= most) || lexer->number != (uint32_t)lexer->number)
        return formula_problem(lexer->problem, ERROR_PARAMETER, NULL, "the formula has %.*s at position %u, where %s from %u to %u was expected",
                               (int)bytes_cut(lexer->at, (size_t)(lexer->after - lexer->at), FORMULA_SHOWN), lexer->at,
                               formula_position(lexer, lexer->at), what, least, most);
    *value = (uint32_t)lexer->number;
    formula_next(lexer);
    return true;
}

/* Reads "count" or "name = count", with another spelling of the name. */
static bool count_argument(FormulaLexer *lexer, const char *name, const char *other, const char *what, uint32_t least, uint32_t most, uint32_t *value)
{
    if (!formula_argument(lexer, name, other))
        return formula_expected(lexer, env_message(lexer->env, "%s = ...", name));
    return formula_whole_number(lexer, what, least, most, value);
}

/* Reads a number with its sign, or where it may be infinite Inf. */
static bool signed_number(FormulaLexer *lexer, bool infinite, double *value)
{
    bool negative = formula_at(lexer, '-');

    if (negative || formula_at(lexer, '+'))
        formula_next(lexer);
    if (lexer->token == TOKEN_NUMBER)
        *value = lexer->number;
    else if (infinite && formula_word(lexer, "Inf"))
        *value = INFINITY;
    else
        return formula_expected(lexer, "a number");
    *value = negative ? -*value : *value;
    formula_next(lexer);
    return true;
}

/* Reads rising numbers, c(1, 2.5), or one number, as the points of an atom. */
static bool points(FormulaLexer *lexer, FormulaAtom *atom, const char *what, uint32_t least, uint32_t most)
{
    bool list = formula_word(lexer, "c") && formula_followed_by(lexer, '('), more = true;
    uint32_t position = formula_position(lexer, lexer->at), room = 0;
    double *values = NULL;

    if (list) {
        formula_next(lexer);
        formula_next(lexer);
    }
    for (; more; atom->point_count++) {
        values = formula_grow(lexer->env, values, atom->point_count, &room, sizeof(double));
        if (!signed_number(lexer, atom->kind == ATOM_CUT, &values[atom->point_count]))
            return false;
        if (atom->point_count > 0 && !(values[atom->point_count] > values[atom->point_count - 1]))
            return formula_problem(lexer->problem, ERROR_PARAMETER, "Write them in rising order.",
                                   "the %s of the formula at position %u do not rise: %.15g follows %.15g", what, position,
                                   values[atom->point_count], values[atom->point_count - 1]);
        more = list && formula_at(lexer, ',');
        if (more)
            formula_next(lexer);
    }
    if (atom->point_count < least || atom->point_count > most)
        return formula_problem(lexer->problem, ERROR_PARAMETER, NULL, "the formula has %u of %u to %u %s at position %u", atom->point_count, least,
                               most, what, position);
    atom->points = values;
    return !list || formula_take(lexer, ')', "\",\" or \")\"");
}

/* Reads "knots =" with its numbers, where it is there. Returns false on a problem. */
static bool knots_argument(FormulaLexer *lexer, FormulaAtom *atom)
{
    if (!formula_word(lexer, "knots") || !formula_followed_by(lexer, '='))
        return true;
    formula_argument(lexer, "knots", "knots");
    return points(lexer, atom, "knots", 1, FORMULA_MAX_ATOM - FORMULA_MAX_DEGREE);
}

/* Reads the rest of ns(x, df) or ns(x, knots = c(...)). */
bool formula_ns_arguments(FormulaLexer *lexer, FormulaAtom *atom)
{
    if (!formula_take(lexer, ',', "\",\" and degrees of freedom") || !knots_argument(lexer, atom))
        return false;
    atom->size = atom->point_count + 1;
    return atom->points != NULL || count_argument(lexer, "df", "k", "degrees of freedom", 1, FORMULA_MAX_ATOM, &atom->size);
}

/* Reads the rest of cut(x, k) or cut(x, breaks = c(...)). */
bool formula_cut_arguments(FormulaLexer *lexer, FormulaAtom *atom)
{
    if (!formula_take(lexer, ',', "\",\" and a number of intervals"))
        return false;
    if (!formula_argument(lexer, "breaks", "k"))
        return formula_expected(lexer, "breaks = ...");
    if (!formula_word(lexer, "c") || !formula_followed_by(lexer, '('))
        return formula_whole_number(lexer, "a number of intervals", 2, FORMULA_MAX_INTERVALS, &atom->size);
    if (!points(lexer, atom, "breaks", 2, FORMULA_MAX_INTERVALS + 1))
        return false;
    atom->size = atom->point_count - 1;
    return true;
}

/* Reads the rest of poly(x, degree, raw = TRUE). */
bool formula_poly_arguments(FormulaLexer *lexer, FormulaAtom *atom)
{
    if (!formula_take(lexer, ',', "\",\" and a degree"))
        return false;
    if (!count_argument(lexer, "degree", "k", "a degree", 1, FORMULA_MAX_ATOM, &atom->size))
        return false;
    if (!formula_at(lexer, ','))
        return true;
    formula_next(lexer);
    if (!formula_argument(lexer, "raw", "raw"))
        return formula_expected(lexer, "raw = TRUE");
    if (!formula_word(lexer, "true") && !formula_word(lexer, "false"))
        return formula_expected(lexer, "TRUE or FALSE");
    atom->raw = formula_word(lexer, "true");
    formula_next(lexer);
    return true;
}

/* Reads the rest of bs(x, df, degree) or bs(x, knots = c(...), degree). */
bool formula_bs_arguments(FormulaLexer *lexer, FormulaAtom *atom)
{
    uint32_t position;

    atom->degree = 3;
    if (!formula_take(lexer, ',', "\",\" and degrees of freedom"))
        return false;
    position = formula_position(lexer, lexer->at);
    if (!knots_argument(lexer, atom))
        return false;
    if (atom->points == NULL && !count_argument(lexer, "df", "k", "degrees of freedom", 1, FORMULA_MAX_ATOM, &atom->size))
        return false;
    if (formula_at(lexer, ',')) {
        formula_next(lexer);
        if (!count_argument(lexer, "degree", "degree", "a degree", 1, FORMULA_MAX_DEGREE, &atom->degree))
            return false;
    }
    if (atom->points != NULL)
        atom->size = atom->point_count + atom->degree;
    if (atom->size < atom->degree)
        return formula_problem(lexer->problem, ERROR_PARAMETER, NULL,
                               "the formula has bs with %u degrees of freedom at position %u, but degree %u needs at least as many", atom->size,
                               position, atom->degree);
    return true;
}

/* Tells whether the second argument of C() is what R and patsy take for a contrast: a name without ref =, a call, or 'contr.sum'. */
static bool is_contrast(const FormulaLexer *lexer)
{
    if (lexer->token == TOKEN_NAME)
        return !formula_followed_by(lexer, '=') || formula_word(lexer, "contr") || formula_word(lexer, "contrasts");
    return lexer->token == TOKEN_STRING && lexer->length > 6 && memcmp(lexer->name, "contr.", 6) == 0;
}

/* Reads the contrasts of C(x, sum), C(x, contr.sum), C(x, 'contr.sum'). */
static bool contrast_argument(FormulaLexer *lexer, FormulaAtom *atom)
{
    Contrast contrast;

    if (formula_followed_by(lexer, '=')) { /* contr = sum */
        formula_next(lexer);
        formula_next(lexer);
    }
    if ((lexer->token != TOKEN_NAME && lexer->token != TOKEN_STRING) || formula_followed_by(lexer, '(') ||
        !contrast_find(lexer->name, lexer->length, &contrast))
        return formula_problem(lexer->problem, ERROR_PARAMETER,
                               "Contrasts are treatment, sum, helmert and poly: C(x, sum). Another reference level is C(x, ref = 'level').",
                               "the formula has the contrast %.*s at position %u, which is not known",
                               (int)bytes_cut(lexer->at, (size_t)(lexer->after - lexer->at), FORMULA_SHOWN), lexer->at,
                               formula_position(lexer, lexer->at));
    atom->contrast = (uint8_t)contrast;
    formula_next(lexer);
    return true;
}

/* Reads the rest of C(x, ref = 'level') or C(x, sum). */
bool formula_category_arguments(FormulaLexer *lexer, FormulaAtom *atom)
{
    if (!formula_at(lexer, ','))
        return true;
    formula_next(lexer);
    if (is_contrast(lexer))
        return contrast_argument(lexer, atom);
    if (!formula_argument(lexer, "ref", "reference"))
        return formula_expected(lexer, "ref = 'level'");
    if (lexer->token == TOKEN_NUMBER)
        atom->reference = env_text(lexer->env, lexer->at, (size_t)(lexer->after - lexer->at));
    else if (lexer->token == TOKEN_STRING || lexer->token == TOKEN_QUOTED || lexer->token == TOKEN_NAME)
        atom->reference = env_text(lexer->env, lexer->name, lexer->length);
    else
        return formula_expected(lexer, "a level in single quotes");
    formula_next(lexer);
    return true;
}
