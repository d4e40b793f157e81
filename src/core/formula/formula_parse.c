/*
 * formula_parse.c - the grammar of formulas, by recursive descent.
 *
 * Operators bind as in R, from loose to tight: | and || of random effects, which stand in parentheses, + and -, * and /, %in%, :, ^. Inside of functions they are arithmetic. Trees and
 * expressions are arrays in post-order, so that long sums need no recursion; only parentheses and functions nest, to FORMULA_MAX_DEPTH.
 */
#include "core/base/hash_table.h"
#include "core/formula/formula_lexer.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

typedef struct Parser {
    Env *env;
    FormulaProblem *problem;
    FormulaLexer lexer;
    Formula *formula;
    HashTable names; /* of the variables */
    uint32_t variable_room, node_room, atom_room, tree_room;
    uint32_t depth;
} Parser;

/* ---- parts ---- */

static bool same_level(const FormulaName *a, const FormulaName *b)
{
    return a->level == NULL || b->level == NULL ? a->level == b->level : a->differs == b->differs && strcmp(a->level, b->level) == 0;
}

/* Returns the variable of this name, and of this level. */
static uint32_t add_variable(Parser *parser, FormulaName name)
{
    Formula *formula = parser->formula;
    uint32_t hash = hash_bytes(name.text, name.length), place = hash_start(&parser->names, hash), i;

    while ((i = hash_next(&parser->names, hash, &place)) != HASH_NONE)
        if (formula->variables[i].quoted == name.quoted && formula->variables[i].length == name.length &&
            memcmp(formula->variables[i].text, name.text, name.length) == 0 && same_level(&formula->variables[i], &name))
            return i;
    name.text = env_text(parser->env, name.text, name.length);
    formula->variables = formula_grow(parser->env, formula->variables, formula->variable_count, &parser->variable_room, sizeof(FormulaName));
    formula->variables[formula->variable_count++] = name;
    return hash_add(parser->env, &parser->names, hash);
}

/* Returns the name at the current token. */
static FormulaName name_here(const FormulaLexer *lexer)
{
    return (FormulaName){.text = lexer->name, .length = lexer->length, .quoted = lexer->token == TOKEN_QUOTED};
}

static bool add_node(Parser *parser, ExpressionNode node)
{
    Formula *formula = parser->formula;

    formula->nodes = formula_grow(parser->env, formula->nodes, formula->node_count, &parser->node_room, sizeof(ExpressionNode));
    formula->nodes[formula->node_count++] = node;
    return true;
}

/* Adds an operator to the operands that begin at node `first`. */
static bool add_operator(Parser *parser, ExpressionOp op, uint32_t function, uint32_t first)
{
    uint32_t size = parser->formula->node_count - first + 1;

    if (size > FORMULA_MAX_OPERATIONS)
        return formula_problem(parser->problem, ERROR_LIMIT, NULL, "an expression of the formula has more than %d parts",
                               FORMULA_MAX_OPERATIONS);
    return add_node(parser, (ExpressionNode){.op = (uint8_t)op, .function = (uint8_t)function, .size = size});
}

static bool add_leaf(Parser *parser, TreeOp op, uint32_t atom)
{
    Formula *formula = parser->formula;
    uint32_t leaf = formula->leaf_count++;

    env_poll_every(parser->env, leaf, 1024);
    formula->tree = formula_grow(parser->env, formula->tree, formula->tree_count, &parser->tree_room, sizeof(TreeNode));
    formula->tree[formula->tree_count++] =
        (TreeNode){.op = (uint8_t)op,
                   .value = atom,
                   .first = leaf,
                   .last = leaf,
                   .offset = op == TREE_ATOM && formula->atoms[atom].kind == ATOM_OFFSET};
    return true;
}

/* Adds an operator to the tree: left is the last node of its left operand, the right one was added last. */
static bool add_branch(Parser *parser, TreeOp op, uint32_t left, uint32_t power)
{
    Formula *formula = parser->formula;
    TreeNode *a = &formula->tree[left], *b = &formula->tree[formula->tree_count - 1];
    TreeNode node = {.op = (uint8_t)op,
                     .value = power,
                     .first = a->first,
                     .last = b->last,
                     .middle = a->last,
                     .offset = a->offset || b->offset,
                     .bar = a->bar || b->bar || op == TREE_BAR || op == TREE_BARS};

    if ((a->bar || b->bar) && op != TREE_ADD && !(op == TREE_REMOVE && !b->bar))
        return formula_problem(parser->problem, ERROR_PARAMETER, NULL, "random effects of the formula can only be added");
    if (node.offset && op != TREE_ADD && !(op == TREE_REMOVE && !b->offset))
        return formula_problem(parser->problem, ERROR_PARAMETER, NULL, "an offset of the formula can only be added");
    if (op != TREE_ADD && op != TREE_REMOVE &&
        (b->op == TREE_ONE || b->op == TREE_ZERO || (!TREE_IS_BAR(&node) && (a->op == TREE_ONE || a->op == TREE_ZERO))))
        return formula_problem(parser->problem, ERROR_PARAMETER, "Arithmetic goes into I(), such as I(x / 2).",
                               "the intercept of a formula, 1 or 0, can only be added or removed");
    formula->tree = formula_grow(parser->env, formula->tree, formula->tree_count, &parser->tree_room, sizeof(TreeNode));
    formula->tree[formula->tree_count++] = node;
    return true;
}

/* Enters a parenthesis or function. */
static bool enter(Parser *parser)
{
    if (parser->depth >= FORMULA_MAX_DEPTH)
        return formula_problem(parser->problem, ERROR_LIMIT, NULL, "the formula is nested deeper than %d", FORMULA_MAX_DEPTH);
    parser->depth++;
    return true;
}

/* Tells whether an opening parenthesis follows the current token. */
static bool calls(const Parser *parser)
{
    return formula_followed_by(&parser->lexer, '(');
}

/* ---- expressions ---- */

static bool condition(Parser *parser);

static const struct {
    const char *name;
    AtomKind kind;
} transforms[] = {{"factor", ATOM_CATEGORY}, {"C", ATOM_CATEGORY}, {"scale", ATOM_SCALE},   {"center", ATOM_CENTER}, {"poly", ATOM_POLY},
                  {"bs", ATOM_BS},           {"ns", ATOM_NS},      {"cut", ATOM_CUT},       {"offset", ATOM_OFFSET}, {"I", ATOM_NUMBER},
                  {"as.factor", ATOM_CATEGORY}};
#define TRANSFORMS (sizeof(transforms) / sizeof(*transforms))

const char *formula_atom_function(const FormulaAtom *atom)
{
    if (atom->kind == ATOM_CATEGORY)
        return atom->reference != NULL || atom->contrast != CONTRAST_TREATMENT ? "C" : "factor";
    for (size_t i = 0; i < TRANSFORMS; i++)
        if (transforms[i].kind == atom->kind)
            return transforms[i].name;
    return "";
}

/* Returns the index of the transform at the current token, or TRANSFORMS. */
static size_t transform_here(const Parser *parser)
{
    size_t i = 0;

    while (i < TRANSFORMS && !formula_word(&parser->lexer, transforms[i].name))
        i++;
    return i;
}

static bool unknown_function(Parser *parser)
{
    const char *names[64], *near, *here = formula_said_here(&parser->lexer);
    TextBuffer hint = {.env = parser->env};
    uint32_t count = 0;

    for (; count < 64 - TRANSFORMS && formula_function_name(count) != NULL; count++)
        names[count] = formula_function_name(count);
    for (size_t i = 0; i < TRANSFORMS; i++)
        names[count++] = transforms[i].name;
    near = nearest_name(parser->lexer.name, parser->lexer.length, names, count);
    if (here != NULL)
        text_print(&hint, "Write %s. ", here);
    else if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    text_add(&hint, "Functions are ");
    for (uint32_t i = 0; i < count; i++)
        text_print(&hint, "%s%s", i > 0 ? ", " : "", names[i]);
    text_add(&hint, "; compute others as columns of a subquery or view.");
    return formula_problem(parser->problem, ERROR_PARAMETER, text_finish(&hint, NULL), "the formula has no function \"%.*s\" (position %u)",
                           (int)bytes_cut(parser->lexer.name, parser->lexer.length, FORMULA_SHOWN), parser->lexer.name,
                           formula_position(&parser->lexer, parser->lexer.at));
}

/* Reads the rest of log(x, base). first: the first node of x. */
static bool log_base(Parser *parser, uint32_t first)
{
    FormulaLexer *lexer = &parser->lexer;

    formula_next(lexer);
    if (!formula_argument(&parser->lexer, "base", "base") || lexer->token != TOKEN_NUMBER)
        return formula_expected(lexer, "a number as the base of the logarithm");
    if (!(lexer->number > 0) || lexer->number == 1)
        return formula_problem(parser->problem, ERROR_PARAMETER, NULL,
                               "the formula has the base %.15g of a logarithm at position %u, where a positive number other than 1 was expected",
                               lexer->number, formula_position(lexer, lexer->at));
    add_node(parser, (ExpressionNode){.op = EXPRESSION_NUMBER, .size = 1, .number = lexer->number});
    formula_next(lexer);
    return formula_take(&parser->lexer, ')', "\")\"") && add_operator(parser, EXPRESSION_LOG_BASE, 0, first);
}

/* Reads a call of a numeric function, from its name. */
static bool numeric_call(Parser *parser)
{
    uint32_t function = formula_function(parser->lexer.name, parser->lexer.length), first = parser->formula->node_count;
    bool identity = formula_word(&parser->lexer, "I");
    size_t transform = transform_here(parser);

    if (!identity && transform < TRANSFORMS)
        return formula_problem(parser->problem, ERROR_PARAMETER, NULL, "%s() stands inside of an expression (position %u), but must be a term of its own",
                               transforms[transform].name, formula_position(&parser->lexer, parser->lexer.at));
    if (!identity && function == FORMULA_NONE)
        return unknown_function(parser);
    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    formula_next(&parser->lexer);
    if (!condition(parser))
        return false;
    parser->depth--;
    if (!identity && function == formula_function("log", 3) && formula_at(&parser->lexer, ','))
        return log_base(parser, first);
    if (!formula_take(&parser->lexer, ')', "an operator or \")\""))
        return false;
    return identity || add_operator(parser, EXPRESSION_CALL, function, first);
}

static bool primary(Parser *parser)
{
    FormulaLexer *lexer = &parser->lexer;

    if (lexer->token == TOKEN_NUMBER) {
        add_node(parser, (ExpressionNode){.op = EXPRESSION_NUMBER, .size = 1, .number = lexer->number});
        formula_next(lexer);
        return true;
    }
    if (formula_at(lexer, '(')) {
        if (!enter(parser))
            return false;
        formula_next(lexer);
        if (!condition(parser) || !formula_take(&parser->lexer, ')', "an operator or \")\""))
            return false;
        parser->depth--;
        return true;
    }
    if (lexer->token == TOKEN_NAME && calls(parser))
        return numeric_call(parser);
    if (lexer->token == TOKEN_NAME || lexer->token == TOKEN_QUOTED) {
        uint32_t variable = add_variable(parser, name_here(lexer));

        parser->formula->variables[variable].number = true;
        add_node(parser, (ExpressionNode){.op = EXPRESSION_VARIABLE, .size = 1, .variable = variable});
        formula_next(lexer);
        return true;
    }
    return formula_expected(lexer, "a column, a number or a function");
}

static bool unary(Parser *parser);

static bool power(Parser *parser)
{
    uint32_t first = parser->formula->node_count;

    if (!primary(parser))
        return false;
    if (parser->lexer.token != TOKEN_POWER)
        return true;
    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    if (!unary(parser))
        return false;
    parser->depth--;
    return add_operator(parser, EXPRESSION_POWER, 0, first);
}

static bool unary(Parser *parser)
{
    uint32_t first = parser->formula->node_count;
    bool negative = formula_at(&parser->lexer, '-');

    if (!negative && !formula_at(&parser->lexer, '+'))
        return power(parser);
    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    if (!unary(parser))
        return false;
    parser->depth--;
    return !negative || add_operator(parser, EXPRESSION_NEGATE, 0, first);
}

/* Reads operands joined by two operators of the same rank, which apply from left to right. */
static bool chain(Parser *parser, bool (*operand)(Parser *), const char signs[2], const ExpressionOp ops[2])
{
    uint32_t first = parser->formula->node_count;

    if (!operand(parser))
        return false;
    while (formula_at(&parser->lexer, signs[0]) || formula_at(&parser->lexer, signs[1])) {
        ExpressionOp op = ops[formula_at(&parser->lexer, signs[1])];

        formula_next(&parser->lexer);
        if (!operand(parser) || !add_operator(parser, op, 0, first))
            return false;
    }
    return true;
}

static bool product(Parser *parser)
{
    static const ExpressionOp ops[] = {EXPRESSION_MULTIPLY, EXPRESSION_DIVIDE};

    return chain(parser, unary, "*/", ops);
}

static bool sum(Parser *parser)
{
    static const ExpressionOp ops[] = {EXPRESSION_ADD, EXPRESSION_SUBTRACT};

    return chain(parser, product, "+-", ops);
}

/* Reads the comparison of a column with a text, x == 'a', if there is one. Returns false if not. */
static bool level_comparison(Parser *parser)
{
    FormulaLexer ahead = parser->lexer;
    FormulaName name = name_here(&ahead);

    if ((ahead.token != TOKEN_NAME && ahead.token != TOKEN_QUOTED) || calls(parser))
        return false;
    formula_next(&ahead);
    name.differs = ahead.token == TOKEN_NOT_EQUAL;
    if (ahead.token != TOKEN_EQUAL && ahead.token != TOKEN_NOT_EQUAL)
        return false;
    formula_next(&ahead);
    if (ahead.token != TOKEN_STRING)
        return false;
    name.level = ahead.name;
    add_node(parser, (ExpressionNode){.op = EXPRESSION_VARIABLE, .size = 1, .variable = add_variable(parser, name)});
    formula_next(&ahead);
    parser->lexer = ahead;
    return true;
}

static bool comparison(Parser *parser)
{
    uint32_t first = parser->formula->node_count;
    FormulaLexer *lexer = &parser->lexer;
    ExpressionOp op = EXPRESSION_NUMBER;

    if (level_comparison(parser))
        return true;
    if (!sum(parser))
        return false;
    if (formula_at(lexer, '<') || formula_at(lexer, '>'))
        op = formula_at(lexer, '<') ? EXPRESSION_LESS : EXPRESSION_GREATER;
    else if (lexer->token >= TOKEN_LESS_EQUAL && lexer->token <= TOKEN_NOT_EQUAL)
        op = lexer->token == TOKEN_LESS_EQUAL      ? EXPRESSION_LESS_EQUAL
             : lexer->token == TOKEN_GREATER_EQUAL ? EXPRESSION_GREATER_EQUAL
             : lexer->token == TOKEN_EQUAL         ? EXPRESSION_EQUAL
                                                   : EXPRESSION_NOT_EQUAL;
    if (op == EXPRESSION_NUMBER)
        return true;
    formula_next(lexer);
    if (lexer->token == TOKEN_STRING)
        return formula_problem(parser->problem, ERROR_PARAMETER, "Compare a column with one text: I(x == 'a') or I(x != 'a').",
                               "the formula has a text at position %u, where a number was expected", formula_position(lexer, lexer->at));
    return sum(parser) && add_operator(parser, op, 0, first);
}

static bool negation(Parser *parser)
{
    uint32_t first = parser->formula->node_count;

    if (!formula_at(&parser->lexer, '!'))
        return comparison(parser);
    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    if (!negation(parser))
        return false;
    parser->depth--;
    return add_operator(parser, EXPRESSION_NOT, 0, first);
}

static bool conjunction(Parser *parser)
{
    static const ExpressionOp ops[] = {EXPRESSION_AND, EXPRESSION_AND};

    return chain(parser, negation, "&&", ops);
}

/* Reads any expression, as it stands in parentheses. */
static bool condition(Parser *parser)
{
    static const ExpressionOp ops[] = {EXPRESSION_OR, EXPRESSION_OR};

    return chain(parser, conjunction, "||", ops);
}

/* Reads an expression, a comparison or a call, and checks how many numbers wait in it. */
static bool expression(Parser *parser, bool (*read)(Parser *), Expression *result)
{
    uint32_t first = parser->formula->node_count;

    if (!read(parser))
        return false;
    *result = (Expression){first, parser->formula->node_count - first};
    if (formula_stack(parser->formula->nodes, *result) > FORMULA_MAX_STACK)
        return formula_problem(parser->problem, ERROR_LIMIT, NULL, "an expression of the formula is nested deeper than %d", FORMULA_MAX_STACK);
    return true;
}

/* ---- transforms ---- */

/* Reads the column of factor() or C(). */
static bool category_column(Parser *parser, FormulaAtom *atom)
{
    FormulaLexer *lexer = &parser->lexer;

    if (lexer->token == TOKEN_NAME && calls(parser))
        return formula_problem(parser->problem, ERROR_PARAMETER,
                               "Name a column; C(x, ref = '4') takes numbers as categories too.",
                               "the formula has a function at position %u, where the name of a column was expected",
                               formula_position(lexer, lexer->at));
    if (lexer->token != TOKEN_NAME && lexer->token != TOKEN_QUOTED)
        return formula_expected(lexer, "the name of a column");
    atom->variable = add_variable(parser, name_here(lexer));
    formula_next(lexer);
    return formula_category_arguments(&parser->lexer, atom);
}

static bool transform_arguments(Parser *parser, FormulaAtom *atom)
{
    if (atom->kind == ATOM_CATEGORY)
        return category_column(parser, atom);
    if (!expression(parser, condition, &atom->expression))
        return false;
    switch (atom->kind) {
    case ATOM_POLY:
        return formula_poly_arguments(&parser->lexer, atom);
    case ATOM_BS:
        return formula_bs_arguments(&parser->lexer, atom);
    case ATOM_NS:
        return formula_ns_arguments(&parser->lexer, atom);
    case ATOM_CUT:
        return formula_cut_arguments(&parser->lexer, atom);
    default:
        return true;
    }
}

/* ---- terms ---- */

static bool add_atom(Parser *parser, FormulaAtom atom)
{
    Formula *formula = parser->formula;

    formula->atoms = formula_grow(parser->env, formula->atoms, formula->atom_count, &parser->atom_room, sizeof(FormulaAtom));
    formula->atoms[formula->atom_count] = atom;
    return add_leaf(parser, TREE_ATOM, formula->atom_count++);
}

/* Reads a function that is a term. */
static bool call_term(Parser *parser)
{
    size_t transform = transform_here(parser);
    FormulaAtom atom = {.kind = ATOM_NUMBER};

    if (transform == TRANSFORMS)
        return expression(parser, numeric_call, &atom.expression) && add_atom(parser, atom);
    atom.kind = (uint8_t)transforms[transform].kind;
    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    formula_next(&parser->lexer);
    if (!transform_arguments(parser, &atom) || !formula_take(&parser->lexer, ')', "\")\""))
        return false;
    parser->depth--;
    return add_atom(parser, atom);
}

static bool term_sum(Parser *parser);
static bool term_product(Parser *parser, int level);

/* Reads the rest of random effects, from the |. */
static bool bar(Parser *parser)
{
    uint32_t left = parser->formula->tree_count - 1;
    TreeOp op = TREE_BAR;

    formula_next(&parser->lexer);
    if (formula_at(&parser->lexer, '|')) {
        op = TREE_BARS;
        formula_next(&parser->lexer);
    }
    return term_product(parser, 2) && add_branch(parser, op, left, 0);
}

/* Reads what is in parentheses: terms, or random effects. */
static bool parenthesis(Parser *parser)
{
    bool says_intercept = parser->formula->says_intercept;

    if (!enter(parser))
        return false;
    formula_next(&parser->lexer);
    if (!term_sum(parser))
        return false;
    if (formula_at(&parser->lexer, '|')) {
        if (!bar(parser))
            return false;
        parser->formula->says_intercept = says_intercept;
    }
    if (!formula_take(&parser->lexer, ')', "an operator or \")\""))
        return false;
    parser->depth--;
    return true;
}

static bool term_primary(Parser *parser)
{
    FormulaLexer *lexer = &parser->lexer;

    if (formula_at(lexer, '('))
        return parenthesis(parser);
    if (lexer->token == TOKEN_DOT) {
        parser->formula->has_dot = true;
        formula_next(lexer);
        return add_leaf(parser, TREE_DOT, 0);
    }
    if (lexer->token == TOKEN_NUMBER && (lexer->number == 0 || lexer->number == 1)) {
        TreeOp op = lexer->number == 0 ? TREE_ZERO : TREE_ONE;

        parser->formula->says_intercept = true;
        formula_next(lexer);
        return add_leaf(parser, op, 0);
    }
    if (lexer->token == TOKEN_NUMBER)
        return formula_problem(parser->problem, ERROR_PARAMETER, "Arithmetic goes into I(), such as I(2 * x).",
                               "the formula has %.*s at position %u, where a column or a function was expected",
                               (int)bytes_cut(lexer->at, (size_t)(lexer->after - lexer->at), FORMULA_SHOWN), lexer->at,
                               formula_position(lexer, lexer->at));
    if (lexer->token == TOKEN_NAME && calls(parser))
        return call_term(parser);
    if (lexer->token == TOKEN_NAME || lexer->token == TOKEN_QUOTED) {
        uint32_t variable = add_variable(parser, name_here(lexer));

        formula_next(lexer);
        return add_atom(parser, (FormulaAtom){.kind = ATOM_COLUMN, .variable = variable});
    }
    return formula_expected(lexer, "a column or a function");
}

static bool term_power(Parser *parser)
{
    uint32_t exponent;

    if (!term_primary(parser))
        return false;
    while (parser->lexer.token == TOKEN_POWER) {
        formula_next(&parser->lexer);
        if (!formula_whole_number(&parser->lexer, "a power", 1, FORMULA_MAX_ATOM, &exponent))
            return false;
        if (!add_branch(parser, TREE_POWER, parser->formula->tree_count - 1, exponent))
            return false;
    }
    return true;
}

/* Returns the operator at the current token that binds as tightly as level 0 (:), 1 (%in%) or 2 (* and /); TREE_ATOM: none. */
static TreeOp operator_here(const Parser *parser, int level)
{
    const FormulaLexer *lexer = &parser->lexer;

    if (level == 0)
        return formula_at(lexer, ':') ? TREE_INTERACT : TREE_ATOM;
    if (level == 1)
        return lexer->token == TOKEN_WITHIN ? TREE_WITHIN : TREE_ATOM;
    return formula_at(lexer, '*') ? TREE_CROSS : formula_at(lexer, '/') ? TREE_NEST : TREE_ATOM;
}

static bool term_product(Parser *parser, int level)
{
    uint32_t left;
    TreeOp op;

    if (level < 0)
        return term_power(parser);
    if (!term_product(parser, level - 1))
        return false;
    while ((op = operator_here(parser, level)) != TREE_ATOM) {
        left = parser->formula->tree_count - 1;
        formula_next(&parser->lexer);
        if (!term_product(parser, level - 1) || !add_branch(parser, op, left, 0))
            return false;
    }
    return true;
}

/* Reads signs. Returns TREE_ADD or TREE_REMOVE; TREE_ATOM where there is none. */
static TreeOp signs(FormulaLexer *lexer)
{
    TreeOp op = TREE_ATOM;

    for (; formula_at(lexer, '+') || formula_at(lexer, '-'); formula_next(lexer))
        op = (op == TREE_REMOVE) == formula_at(lexer, '-') ? TREE_ADD : TREE_REMOVE;
    return op;
}

static bool term_sum(Parser *parser)
{
    TreeOp op = signs(&parser->lexer);

    if (op == TREE_REMOVE)
        add_leaf(parser, TREE_EMPTY, 0);
    else if (!term_product(parser, 2))
        return false;
    else
        op = signs(&parser->lexer);
    while (op != TREE_ATOM) {
        uint32_t left = parser->formula->tree_count - 1;

        if (!term_product(parser, 2) || !add_branch(parser, op, left, 0))
            return false;
        op = signs(&parser->lexer);
    }
    return true;
}

static Parser parser_begin(Env *env, FormulaProblem *problem, const char *text, const char *end)
{
    Parser parser = {.env = env, .problem = problem, .formula = env_array(env, 1, sizeof(Formula)), .names = hash_table(env, 6)};

    parser.lexer = (FormulaLexer){.env = env, .problem = problem, .text = text, .after = text, .end = end};
    return parser;
}

/* Reads what is left of the ~, up to `end`. Returns NULL on a problem. */
static Formula *read_target(Env *env, const char *text, const char *end, FormulaProblem *problem)
{
    Parser parser = parser_begin(env, problem, text, end);
    TextBuffer out = {.env = env};
    Expression whole;

    formula_next(&parser.lexer);
    if (!expression(&parser, condition, &whole))
        return NULL;
    if (parser.lexer.token != TOKEN_END)
        formula_problem(problem, ERROR_PARAMETER, "Write the name of the target, in double quotes where it is more than a word, or an expression such as log(price).",
                        "the formula has \"%.*s\" at position %u, where a ~ was expected",
                        (int)bytes_cut(parser.lexer.at, (size_t)(parser.lexer.after - parser.lexer.at), FORMULA_SHOWN), parser.lexer.at,
                        formula_position(&parser.lexer, parser.lexer.at));
    else if (parser.formula->variable_count == 0)
        formula_problem(problem, ERROR_PARAMETER, "Write the name of the target, as in price ~ carat + cut.", "the formula names no column left of the ~");
    if (problem->found)
        return NULL;
    if (formula_is_name(parser.formula))
        formula_name_text(&out, parser.formula->variables[0].text, parser.formula->variables[0].length);
    else
        formula_expression_text(&out, parser.formula, whole, false);
    parser.formula->text = text_finish(&out, NULL);
    return parser.formula;
}

Formula *formula_read(Env *env, const char *text, size_t length, FormulaProblem *problem)
{
    size_t right_length = length, left_length = 0;
    const char *left = NULL, *right;
    Formula *target = NULL;
    Parser parser;

    if (length > FORMULA_MAX_TEXT) {
        formula_problem(problem, ERROR_LIMIT, NULL, "the formula has %zu bytes, more than %u", length, FORMULA_MAX_TEXT);
        return NULL;
    }
    if (memchr(text, '\0', length) != NULL) {
        formula_problem(problem, ERROR_PARAMETER, NULL, "the formula has a zero byte");
        return NULL;
    }
    right = formula_sides(text, &right_length, &left, &left_length);
    if (left_length > 0 && (target = read_target(env, text, left + left_length, problem)) == NULL)
        return NULL;
    parser = parser_begin(env, problem, text, text + length);
    parser.formula->target = target;
    parser.lexer.after = right;
    formula_next(&parser.lexer);
    if (parser.lexer.token == TOKEN_END && !problem->found)
        formula_problem(problem, ERROR_PARAMETER, "Name columns, as in a + b, or write . for all of them.", "the formula is empty");
    if (problem->found || !term_sum(&parser))
        return NULL;
    if (parser.lexer.token != TOKEN_END)
        formula_expected(&parser.lexer, "an operator");
    return problem->found ? NULL : parser.formula;
}

Formula *formula_parse(Env *env, const char *text, size_t length)
{
    FormulaProblem problem = {.env = env};
    Formula *formula = formula_read(env, text, length, &problem);

    formula_fail(&problem);
    return formula;
}
