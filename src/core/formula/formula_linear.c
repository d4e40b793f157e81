/*
 * formula_linear.c - parses linear combinations by recursive descent over the tokens of formulas.
 */
#include "core/formula/formula_expression.h"
#include "core/formula/formula_lexer.h"
#include "core/options/options.h"

#include <string.h>
#include <strings.h>

#define NAMES_SHOWN 20

typedef struct LinearParser {
    FormulaLexer lexer;
    const char *const *names;
    uint32_t name_count;
    LinearPart *parts;
    uint32_t count, room, depth;
} LinearParser;

/* A value of which the named parts are those of the parser from `first` on. */
typedef struct LinearValue {
    double constant;
    uint32_t first;
} LinearValue;

static bool sum(LinearParser *parser, LinearValue *value);

/* Returns a hint that lists the names. */
static const char *names_hint(const LinearParser *parser, const char *nearest)
{
    Env *env = parser->lexer.env;
    TextBuffer hint = {.env = env};
    const char *between = "";

    if (nearest != NULL && nearest[0] != 0)
        text_print(&hint, "Did you mean %s? ", formula_name(env, nearest));
    text_add(&hint, "The terms are ");
    for (uint32_t i = 0; i < parser->name_count && i < NAMES_SHOWN; i++)
        if (parser->names[i][0] != 0) {
            text_print(&hint, "%s%s", between, formula_name(env, parser->names[i]));
            between = ", ";
        }
    if (parser->name_count > NAMES_SHOWN)
        text_print(&hint, " and %u others", parser->name_count - NAMES_SHOWN);
    text_add(&hint, "; names with other characters than letters, digits and _ go into double quotes.");
    return text_finish(&hint, NULL);
}

static bool find_name(const LinearParser *parser, const char *name, uint32_t length, bool any_case, uint32_t *place)
{
    for (*place = 0; *place < parser->name_count; (*place)++)
        if (strlen(parser->names[*place]) == length && (any_case ? strncasecmp : strncmp)(parser->names[*place], name, length) == 0)
            return true;
    return false;
}

static bool named(LinearParser *parser, LinearValue *value)
{
    FormulaLexer *lexer = &parser->lexer;
    bool plain = lexer->token == TOKEN_NAME;
    uint32_t place;

    lexer->env->poll(lexer->env);
    if (!find_name(parser, lexer->name, lexer->length, false, &place) && !(plain && find_name(parser, lexer->name, lexer->length, true, &place)) &&
        !(formula_word(lexer, "intercept") && find_name(parser, "(intercept)", strlen("(intercept)"), false, &place)))
        return formula_problem(lexer->problem, ERROR_PARAMETER,
                               names_hint(parser, nearest_name(lexer->name, lexer->length, parser->names, parser->name_count)),
                               "the formula names \"%.*s\" at position %u, which is no term of the model",
                               (int)bytes_cut(lexer->name, lexer->length, FORMULA_SHOWN), lexer->name, formula_position(lexer, lexer->at));
    parser->parts = formula_grow(lexer->env, parser->parts, parser->count, &parser->room, sizeof(LinearPart));
    *value = (LinearValue){0, parser->count};
    parser->parts[parser->count++] = (LinearPart){place, 1};
    formula_next(lexer);
    return true;
}

static bool factor(LinearParser *parser, LinearValue *value)
{
    FormulaLexer *lexer = &parser->lexer;

    if (lexer->token == TOKEN_NAME || lexer->token == TOKEN_QUOTED)
        return named(parser, value);
    if (lexer->token == TOKEN_NUMBER) {
        *value = (LinearValue){lexer->number, parser->count};
        formula_next(lexer);
        return true;
    }
    if (!formula_at(lexer, '('))
        return formula_expected(lexer, "the name of a term, a number or \"(\"");
    if (++parser->depth > FORMULA_MAX_DEPTH)
        return formula_problem(lexer->problem, ERROR_LIMIT, NULL, "the formula has more than %d parentheses in each other", FORMULA_MAX_DEPTH);
    formula_next(lexer);
    if (!sum(parser, value) || !formula_take(lexer, ')', "\")\""))
        return false;
    parser->depth--;
    return true;
}

static void scale(LinearParser *parser, LinearValue *value, double by)
{
    value->constant *= by;
    parser->lexer.env->poll(parser->lexer.env);
    for (uint32_t i = value->first; i < parser->count; i++)
        parser->parts[i].factor *= by;
}

static bool product(LinearParser *parser, LinearValue *value)
{
    FormulaLexer *lexer = &parser->lexer;

    if (!factor(parser, value))
        return false;
    while (formula_at(lexer, '*') || formula_at(lexer, '/')) {
        bool divides = formula_at(lexer, '/');
        const char *at = lexer->at;
        LinearValue right;

        formula_next(lexer);
        if (!factor(parser, &right))
            return false;
        if (parser->count > right.first && (divides || right.first > value->first))
            return formula_problem(lexer->problem, ERROR_PARAMETER, "Terms can be added, and multiplied or divided by numbers.",
                                   "the formula is not linear: it %s a term at position %u", divides ? "divides by" : "multiplies by",
                                   formula_position(lexer, at));
        if (divides && right.constant == 0)
            return formula_problem(lexer->problem, ERROR_PARAMETER, NULL, "the formula divides by 0 at position %u", formula_position(lexer, at));
        if (right.first == value->first && parser->count > right.first) { /* the terms are those on the right */
            scale(parser, &right, value->constant);
            *value = right;
        } else {
            scale(parser, value, divides ? 1 / right.constant : right.constant);
        }
    }
    return true;
}

static bool sum(LinearParser *parser, LinearValue *value)
{
    FormulaLexer *lexer = &parser->lexer;
    uint32_t first = parser->count;
    double constant = 0;
    bool negative = formula_at(lexer, '-');

    if (negative || formula_at(lexer, '+'))
        formula_next(lexer);
    for (;;) {
        if (!product(parser, value))
            return false;
        if (negative)
            scale(parser, value, -1);
        constant += value->constant;
        negative = formula_at(lexer, '-');
        if (!negative && !formula_at(lexer, '+'))
            break;
        formula_next(lexer);
    }
    *value = (LinearValue){constant, first};
    return true;
}

/* Reads one combination or equation. */
static bool combination(LinearParser *parser, bool equations, LinearText *out)
{
    FormulaLexer *lexer = &parser->lexer;
    LinearValue left, right = {0, 0};
    const char *from = lexer->at, *end;

    if (!sum(parser, &left))
        return false;
    if (equations && (formula_at(lexer, '=') || lexer->token == TOKEN_EQUAL)) {
        formula_next(lexer);
        if (!sum(parser, &right))
            return false;
        scale(parser, &right, -1);
    }
    end = lexer->at;
    while (end > from && strchr(" \t\r\n", end[-1]) != NULL)
        end--;
    *out = (LinearText){from, (uint32_t)(end - from), left.first, parser->count - left.first, left.constant + right.constant};
    return true;
}

LinearTexts *formula_linear(Env *env, const char *text, size_t length, const char *what, bool equations, const char *const *names, uint32_t count)
{
    FormulaProblem problem = {.env = env};
    LinearParser parser = {.lexer = {.env = env, .problem = &problem, .text = text, .end = text + length, .after = text},
                           .names = names,
                           .name_count = count};
    LinearTexts *out = env_array(env, 1, sizeof *out);
    uint32_t room = 0;

    if (length > FORMULA_MAX_TEXT)
        env_fail(env, ERROR_LIMIT, NULL, "the %s has %zu bytes, more than %u", what, length, FORMULA_MAX_TEXT);
    do {
        formula_next(&parser.lexer);
        out->list = formula_grow(env, out->list, out->count, &room, sizeof(LinearText));
    } while (combination(&parser, equations, &out->list[out->count++]) && formula_at(&parser.lexer, ','));
    if (!problem.found && parser.lexer.token != TOKEN_END)
        formula_expected(&parser.lexer, equations ? "+, -, *, /, = or a comma" : "+, -, *, / or a comma");
    if (problem.found)
        env_fail(env, problem.code, problem.hint, "the %s%s", what, problem.message + strlen("the formula"));
    out->parts = parser.parts;
    return out;
}
