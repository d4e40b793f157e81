/*
 * formula_lexer.c - splits a formula into tokens, and says where something else was expected.
 */
#include "core/formula/formula_lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
    return starts_name(c) || is_digit(c) || c == '.' || c == '$';
}

bool formula_name_is_plain(const char *name, uint32_t length)
{
    if (length == 0 || !starts_name(name[0]))
        return false;
    for (uint32_t i = 1; i < length; i++)
        if (!continues_name(name[i]))
            return false;
    return true;
}

uint32_t formula_position(const FormulaLexer *lexer, const char *at)
{
    uint32_t position = 1;

    for (const char *c = lexer->text; c < at; c++)
        position += lexer->env->foreign_text || ((unsigned char)*c & 0xC0) != 0x80;
    return position;
}

bool formula_at(const FormulaLexer *lexer, char c)
{
    return lexer->token == TOKEN_CHARACTER && lexer->character == c;
}

/* Returns what to do where something else was expected at the current token; NULL: nothing to say. */
static const char *hint_at(const FormulaLexer *lexer, const char *what)
{
    bool compares = formula_at(lexer, '<') || formula_at(lexer, '>') || formula_at(lexer, '=');

    if (strncmp(what, "an operator", strlen("an operator")) != 0)
        return NULL;
    if (compares || (lexer->token >= TOKEN_LESS_EQUAL && lexer->token <= TOKEN_NOT_EQUAL))
        return "Comparisons go into I(), with == for equality, such as I(x > 1).";
    if (lexer->token == TOKEN_NAME)
        return "Join columns with +, as in a + b, and factors of a product with : or *; put a name with spaces in double quotes.";
    return lexer->token == TOKEN_END ? NULL : "Join columns with +, as in a + b, and factors of a product with : or *.";
}

bool formula_expected(FormulaLexer *lexer, const char *what)
{
    size_t shown = (size_t)(lexer->after - lexer->at);

    if (lexer->problem->found)
        return false;
    if (formula_at(lexer, '~'))
        return formula_problem(lexer->problem, ERROR_PARAMETER, "A formula has one ~, with the name of the target left of it.",
                               "the formula has another ~ at position %u", formula_position(lexer, lexer->at));
    if (lexer->token == TOKEN_END)
        return formula_problem(lexer->problem, ERROR_PARAMETER, hint_at(lexer, what), "the formula ends at position %u, where %s was expected",
                               formula_position(lexer, lexer->at), what);
    return formula_problem(lexer->problem, ERROR_PARAMETER, hint_at(lexer, what), "the formula has %s%.*s%s at position %u, where %s was expected",
                           lexer->token == TOKEN_CHARACTER ? "\"" : "", (int)bytes_cut(lexer->at, shown, FORMULA_SHOWN), lexer->at,
                           lexer->token == TOKEN_CHARACTER ? "\"" : "", formula_position(lexer, lexer->at), what);
}

/* Reads what stands in quotes; a doubled quote is one of the name's own. */
static void quoted(FormulaLexer *lexer, FormulaToken token)
{
    char quote = *lexer->at, *copy;
    const char *at = lexer->at + 1;
    uint32_t length = 0;

    while (at < lexer->end && (*at != quote || (at + 1 < lexer->end && at[1] == quote)))
        at += *at == quote ? 2 : 1;
    if (at >= lexer->end) {
        formula_problem(lexer->problem, ERROR_PARAMETER, NULL, "the formula has a quote at position %u that is not closed",
                        formula_position(lexer, lexer->at));
        lexer->token = TOKEN_END;
        return;
    }
    copy = env_array_raw(lexer->env, (size_t)(at - lexer->at) + 1, 1);
    for (const char *c = lexer->at + 1; c < at; c += *c == quote ? 2 : 1)
        copy[length++] = *c;
    copy[length] = '\0';
    lexer->after = at + 1;
    lexer->name = copy;
    lexer->length = length;
    lexer->token = token;
    if (length == 0 && token == TOKEN_QUOTED) {
        formula_problem(lexer->problem, ERROR_PARAMETER, NULL, "the formula has an empty name at position %u",
                        formula_position(lexer, lexer->at));
        lexer->token = TOKEN_END;
    }
}

static void number(FormulaLexer *lexer)
{
    const char *at = lexer->at;
    char copy[64], *end;

    while (at < lexer->end && (is_digit(*at) || *at == '.'))
        at++;
    if (at < lexer->end && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;

        if (exponent < lexer->end && (*exponent == '+' || *exponent == '-'))
            exponent++;
        if (exponent < lexer->end && is_digit(*exponent)) {
            at = exponent;
            while (at < lexer->end && is_digit(*at))
                at++;
        }
    }
    lexer->after = at;
    lexer->token = TOKEN_NUMBER;
    if ((size_t)(at - lexer->at) < sizeof(copy)) {
        memcpy(copy, lexer->at, (size_t)(at - lexer->at));
        copy[at - lexer->at] = '\0';
        lexer->number = strtod(copy, &end);
        if (*end == '\0' && isfinite(lexer->number) && (at == lexer->end || !continues_name(*at)))
            return;
    }
    formula_problem(lexer->problem, ERROR_PARAMETER, "Put a name that begins with a digit in double quotes.",
                    "the formula has \"%.*s\" at position %u, which is not a number",
                    (int)bytes_cut(lexer->at, (size_t)(at - lexer->at), FORMULA_SHOWN), lexer->at, formula_position(lexer, lexer->at));
    lexer->token = TOKEN_END;
}

static void name(FormulaLexer *lexer)
{
    const char *at = lexer->at;

    while (at < lexer->end && continues_name(*at))
        at++;
    lexer->after = at;
    lexer->name = lexer->at;
    lexer->length = (uint32_t)(at - lexer->at);
    lexer->token = TOKEN_NAME;
}

/* Reads a symbol of two characters or more, if there is one. */
static bool symbol(FormulaLexer *lexer)
{
    static const struct {
        const char *text;
        FormulaToken token;
    } symbols[] = {{"%in%", TOKEN_WITHIN}, {"**", TOKEN_POWER},       {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
                   {"==", TOKEN_EQUAL},    {"!=", TOKEN_NOT_EQUAL},   {"<>", TOKEN_NOT_EQUAL},  {"^", TOKEN_POWER}};

    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        size_t length = strlen(symbols[i].text);

        if ((size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, symbols[i].text, length) == 0) {
            lexer->after = lexer->at + length;
            lexer->token = symbols[i].token;
            return true;
        }
    }
    return false;
}

void formula_next(FormulaLexer *lexer)
{
    const char *at = lexer->after;
    char next;

    while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    lexer->at = lexer->after = at;
    lexer->token = TOKEN_END;
    if (at >= lexer->end || lexer->problem->found)
        return;
    next = at + 1 < lexer->end ? at[1] : '\0';
    if (*at == '\'')
        quoted(lexer, TOKEN_STRING);
    else if (*at == '"' || *at == '`')
        quoted(lexer, TOKEN_QUOTED);
    else if (is_digit(*at) || (*at == '.' && is_digit(next)))
        number(lexer);
    else if (starts_name(*at) || (*at == '.' && starts_name(next)))
        name(lexer);
    else if (!symbol(lexer)) {
        lexer->token = *at == '.' ? TOKEN_DOT : TOKEN_CHARACTER;
        lexer->character = *at;
        lexer->after = at + 1;
    }
}

bool formula_word(const FormulaLexer *lexer, const char *word)
{
    if (lexer->token != TOKEN_NAME || lexer->length != strlen(word))
        return false;
    for (uint32_t i = 0; i < lexer->length; i++)
        if ((lexer->name[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

const char *formula_said_here(const FormulaLexer *lexer)
{
    static const struct {
        const char *name, *here;
    } elsewhere[] = {{"relevel", "C(x, ref = 'level')"},
                     {"Treatment", "C(x, ref = 'level')"},
                     {"s", "ns(x, df) or bs(x, df)"},
                     {"te", "ns(a, df) * ns(b, df)"},
                     {"lo", "ns(x, df)"},
                     {"rcs", "ns(x, df)"},
                     {"cr", "ns(x, df)"},
                     {"standardize", "scale(x)"},
                     {"interaction", "a:b"},
                     {"ifelse", "I(x > 1), a comparison"},
                     {"as.numeric", "I(x), or a cast in a subquery"},
                     {"as.integer", "floor(x), or a cast in a subquery"},
                     {"pow", "I(x ^ 2)"},
                     {"power", "I(x ^ 2)"}};

    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
        if (formula_word(lexer, elsewhere[i].name))
            return elsewhere[i].here;
    return lexer->length > 3 && memcmp(lexer->name, "np.", 3) == 0 ? "its name without the prefix np" : NULL;
}

bool formula_followed_by(const FormulaLexer *lexer, char c)
{
    const char *at = lexer->after;

    while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at < lexer->end && *at == c;
}

bool formula_take(FormulaLexer *lexer, char c, const char *what)
{
    if (!formula_at(lexer, c))
        return formula_expected(lexer, what);
    formula_next(lexer);
    return true;
}

bool formula_argument(FormulaLexer *lexer, const char *name, const char *other)
{
    if (lexer->token != TOKEN_NAME || !formula_followed_by(lexer, '='))
        return true;
    if (!formula_word(lexer, name) && !formula_word(lexer, other))
        return false;
    formula_next(lexer);
    formula_next(lexer);
    return true;
}
