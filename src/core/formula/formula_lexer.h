/*
 * formula_lexer.h - the tokens of a formula.
 */
#ifndef PGFIT_FORMULA_LEXER_H
#define PGFIT_FORMULA_LEXER_H

#include "core/formula/formula_internal.h"

typedef enum FormulaToken {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_QUOTED, /* in double quotes or backticks */
    TOKEN_STRING, /* in single quotes */
    TOKEN_NUMBER,
    TOKEN_DOT,
    TOKEN_WITHIN, /* %in% */
    TOKEN_POWER,  /* ^ or ** */
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL, /* == */
    TOKEN_NOT_EQUAL,
    TOKEN_CHARACTER /* any other, in FormulaLexer.character */
} FormulaToken;

typedef struct FormulaLexer {
    Env *env;
    FormulaProblem *problem;
    const char *text, *end;
    const char *at, *after; /* of the current token */
    FormulaToken token;
    char character;
    const char *name; /* of a name or string: without quotes; part of the text, or of env's memory */
    uint32_t length;
    double number;
} FormulaLexer;

/* Goes to the next token; on a problem to TOKEN_END. */
void formula_next(FormulaLexer *lexer);
/* Tells whether the current token is this character. */
bool formula_at(const FormulaLexer *lexer, char c);
/* Tells whether this character follows the current token. */
bool formula_followed_by(const FormulaLexer *lexer, char c);
/* Takes this character, or notes that `what` was expected. */
bool formula_take(FormulaLexer *lexer, char c, const char *what);
/* Reads "name =" if it is there: of two names, the other is another spelling. Returns false for another name. */
bool formula_argument(FormulaLexer *lexer, const char *name, const char *other);
/* Notes that something else was expected at the current token. Returns false. */
bool formula_expected(FormulaLexer *lexer, const char *what);
/* Returns the position of a byte in characters, from 1. */
uint32_t formula_position(const FormulaLexer *lexer, const char *at);
/* Tells whether the current token is this word, without quotes and in any case. */
bool formula_word(const FormulaLexer *lexer, const char *word);
/* Returns how formulas here say what the function of R, of patsy or of other packages at the current token says; NULL: no such thing is known. */
const char *formula_said_here(const FormulaLexer *lexer);
/* Reads a whole number between two. */
bool formula_whole_number(FormulaLexer *lexer, const char *what, uint32_t least, uint32_t most, uint32_t *value);
/* Read what follows the first argument of a function. Return false on a problem. */
bool formula_poly_arguments(FormulaLexer *lexer, FormulaAtom *atom);
bool formula_bs_arguments(FormulaLexer *lexer, FormulaAtom *atom);
bool formula_ns_arguments(FormulaLexer *lexer, FormulaAtom *atom);
bool formula_cut_arguments(FormulaLexer *lexer, FormulaAtom *atom);
bool formula_category_arguments(FormulaLexer *lexer, FormulaAtom *atom);

/* Tells whether a name needs no quotes. */
bool formula_name_is_plain(const char *name, uint32_t length);

#endif
