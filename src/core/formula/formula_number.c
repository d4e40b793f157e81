/*
 * formula_number.c - numeric expressions: functions, values, text and SQL.
 *
 * Functions are those of the C library, as PostgreSQL's own are.
 */
#include "core/base/json.h"
#include "core/formula/formula_lexer.h"
#include "core/model/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- functions ---- */

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static const struct {
    const char *name;
    double (*value)(double);
    const char *sql;     /* with one %s */
    const char *printed; /* NULL: the name; else the name that texts have */
} functions[] = {
    {"log", log, "ln(%s)", NULL},
    {"exp", exp, "exp(%s)", NULL},
    {"sqrt", sqrt, "sqrt(%s)", NULL},
    {"abs", fabs, "abs(%s)", NULL},
    {"log2", log2, "(ln(%s) / ln(2::float8))", NULL},
    {"log10", log10, "log(%s)", NULL},
    {"log1p", log1p, "ln(1 + %s)", NULL},
    {"expm1", expm1, "(exp(%s) - 1)", NULL},
    {"sin", sin, "sin(%s)", NULL},
    {"cos", cos, "cos(%s)", NULL},
    {"tan", tan, "tan(%s)", NULL},
    {"asin", asin, "asin(%s)", NULL},
    {"acos", acos, "acos(%s)", NULL},
    {"atan", atan, "atan(%s)", NULL},
    {"sinh", sinh, "sinh(%s)", NULL},
    {"cosh", cosh, "cosh(%s)", NULL},
    {"tanh", tanh, "tanh(%s)", NULL},
    {"cbrt", cbrt, "cbrt(%s)", NULL},
    {"floor", floor, "floor(%s)", NULL},
    {"ceil", ceil, "ceil(%s)", NULL},
    {"round", rint, "round(%s)", NULL},
    {"trunc", trunc, "trunc(%s)", NULL},
    {"sign", sign_of, "sign(%s)", NULL},
    {"ln", log, "ln(%s)", "log"},
    {"ceiling", ceil, "ceil(%s)", "ceil"},
};
#define FUNCTIONS (sizeof(functions) / sizeof(*functions))

uint32_t formula_function(const char *name, uint32_t length)
{
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        uint32_t same = 0;

        if (strlen(functions[i].name) != length)
            continue;
        while (same < length && (name[same] >= 'A' && name[same] <= 'Z' ? name[same] + 32 : name[same]) == functions[i].name[same])
            same++;
        if (same == length)
            return i;
    }
    return FORMULA_NONE;
}

const char *formula_function_name(uint32_t function)
{
    return function < FUNCTIONS ? functions[function].name : NULL;
}

/* ---- values ---- */

/* Tells whether a node is an operator or a function of one operand. */
static inline bool is_unary(uint8_t op)
{
    return op == EXPRESSION_NEGATE || op == EXPRESSION_NOT || op == EXPRESSION_WITHIN || op == EXPRESSION_CALL;
}

uint32_t formula_stack(const ExpressionNode *nodes, Expression expression)
{
    uint32_t depth = 0, most = 0;

    for (uint32_t i = 0; i < expression.count; i++) {
        const ExpressionNode *node = &nodes[expression.first + i];

        if (node->op <= EXPRESSION_VARIABLE)
            depth++;
        else if (!is_unary(node->op))
            depth--;
        if (depth > most)
            most = depth;
    }
    return most;
}

static double binary_value(uint8_t op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    switch (op) {
    case EXPRESSION_ADD:
        return a + b;
    case EXPRESSION_SUBTRACT:
        return a - b;
    case EXPRESSION_MULTIPLY:
        return a * b;
    case EXPRESSION_DIVIDE:
        return a / b;
    case EXPRESSION_POWER:
        return b == 2 ? a * a : pow(a, b);
    case EXPRESSION_LESS:
        return a < b;
    case EXPRESSION_LESS_EQUAL:
        return a <= b;
    case EXPRESSION_GREATER:
        return a > b;
    case EXPRESSION_GREATER_EQUAL:
        return a >= b;
    case EXPRESSION_EQUAL:
        return a == b;
    case EXPRESSION_AND:
        return a != 0 && b != 0;
    case EXPRESSION_OR:
        return a != 0 || b != 0;
    case EXPRESSION_LOG_BASE:
        return b == 2 ? log2(a) : b == 10 ? log10(a) : log(a) / log(b);
    default:
        return a != b;
    }
}

/* Says what has no finite value. */
static void note_domain(const ExpressionNode *node, double a, double b, FormulaDomain *wrong)
{
    static const char signs[] = "  -+-*/^";

    if (node->op == EXPRESSION_CALL)
        snprintf(wrong->text, sizeof(wrong->text), "%s of %.6g",
                 functions[node->function].printed != NULL ? functions[node->function].printed : functions[node->function].name, b);
    else if (node->op == EXPRESSION_LOG_BASE)
        snprintf(wrong->text, sizeof(wrong->text), "log of %.6g", a);
    else if (node->op == EXPRESSION_DIVIDE && b == 0)
        snprintf(wrong->text, sizeof(wrong->text), "division of %.6g by 0", a);
    else
        snprintf(wrong->text, sizeof(wrong->text), "%.6g %c %.6g", a, node->op < sizeof(signs) - 1 ? signs[node->op] : '?', b);
}

/* Returns the value of a node from those of its operands, a of binary operators alone; NaN with *wrong where it has none. */
static inline double node_value(const ExpressionNode *node, double a, double b, FormulaDomain *wrong)
{
    double value;

    if (node->op == EXPRESSION_WITHIN) {
        wrong->null = b <= node->number || b > node->most;
        return wrong->null ? NAN : b;
    }
    if (node->op == EXPRESSION_NEGATE)
        value = -b;
    else if (node->op == EXPRESSION_NOT)
        value = isnan(b) ? NAN : b == 0;
    else if (node->op == EXPRESSION_CALL)
        value = isnan(b) ? NAN : functions[node->function].value(b);
    else
        value = binary_value(node->op, a, b);
    if (!isfinite(value) && isfinite(a) && isfinite(b)) {
        note_domain(node, a, b, wrong);
        return NAN;
    }
    return value;
}

/* Returns the value of any expression. */
static double __attribute__((noinline)) stack_value(const ExpressionNode *nodes, uint32_t count, const double *variables, FormulaDomain *wrong)
{
    double stack[FORMULA_MAX_STACK + 1];
    uint32_t depth = 0;

    for (uint32_t i = 0; i < count; i++) {
        const ExpressionNode *node = &nodes[i];
        double a = 0, b;

        if (node->op <= EXPRESSION_VARIABLE) {
            stack[depth++] = node->op == EXPRESSION_NUMBER ? node->number : variables[node->variable];
            continue;
        }
        b = stack[--depth];
        if (!is_unary(node->op))
            a = stack[--depth];
        stack[depth] = node_value(node, a, b, wrong);
        if (wrong->text[0] != '\0')
            return NAN;
        depth++;
    }
    return stack[0];
}

double formula_number(const Formula *formula, uint32_t input, const double *variables, FormulaDomain *wrong)
{
    Expression expression = formula->input_expressions[input];
    const ExpressionNode *nodes = formula->nodes + expression.first;

    wrong->text[0] = '\0';
    wrong->null = false;
    /* the most common ones take no stack: log(a), a:b */
    if (expression.count == 2 && nodes[0].op == EXPRESSION_VARIABLE)
        return node_value(&nodes[1], 0, variables[nodes[0].variable], wrong);
    if (expression.count == 3 && nodes[0].op == EXPRESSION_VARIABLE && nodes[1].op == EXPRESSION_VARIABLE)
        return node_value(&nodes[2], variables[nodes[0].variable], variables[nodes[1].variable], wrong);
    return stack_value(nodes, expression.count, variables, wrong);
}

/* ---- text ---- */

void formula_name_text(TextBuffer *out, const char *name, uint32_t length)
{
    if (formula_name_is_plain(name, length) && !(length == 2 && memcmp(name, "pi", 2) == 0))
        text_bytes(out, name, length);
    else
        formula_name_sql(out, name, length);
}

bool formula_name_is_pi(const FormulaName *name)
{
    return !name->quoted && name->level == NULL && name->length == 2 && memcmp(name->text, "pi", 2) == 0;
}

void formula_string_text(TextBuffer *out, const char *text)
{
    text_character(out, '\'');
    for (const char *c = text; *c != '\0'; c++) {
        text_character(out, *c);
        if (*c == '\'')
            text_character(out, '\'');
    }
    text_character(out, '\'');
}

void formula_name_sql(TextBuffer *out, const char *name, uint32_t length)
{
    text_character(out, '"');
    for (uint32_t i = 0; i < length; i++) {
        text_character(out, name[i]);
        if (name[i] == '"')
            text_character(out, '"');
    }
    text_character(out, '"');
}

/* How tightly operators bind in formulas; SQL has its own order for some. */
typedef enum Binding {
    BINDS_ANY,
    BINDS_OR,
    BINDS_AND,
    BINDS_NOT,
    BINDS_COMPARISON,
    BINDS_SUM,
    BINDS_PRODUCT,
    BINDS_SIGN,
    BINDS_POWER,
    BINDS_CALL
} Binding;

static Binding binds(const Formula *formula, const ExpressionNode *node)
{
    switch (node->op) {
    case EXPRESSION_OR:
        return BINDS_OR;
    case EXPRESSION_AND:
        return BINDS_AND;
    case EXPRESSION_NOT:
        return BINDS_NOT;
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
        return BINDS_SUM;
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_DIVIDE:
        return BINDS_PRODUCT;
    case EXPRESSION_NEGATE:
        return BINDS_SIGN;
    case EXPRESSION_POWER:
        return BINDS_POWER;
    case EXPRESSION_VARIABLE:
        return formula->variables[node->variable].level != NULL ? BINDS_COMPARISON : BINDS_CALL;
    case EXPRESSION_NUMBER:
    case EXPRESSION_LOG_BASE:
    case EXPRESSION_CALL:
        return BINDS_CALL;
    default:
        return BINDS_COMPARISON;
    }
}

static const char *sign_text(uint8_t op)
{
    static const char *const texts[] = {"", "", "-", " + ", " - ", " * ", " / ", "^", " < ", " <= ", " > ", " >= ", " == ", " != ", " & ", " | ", "!", ", ", "", ""};

    return texts[op];
}

/*
 * Adds the subtree that ends at node `last`; binding: how tightly the operator around it binds. Expressions are short, so it may
 * recurse.
 */
static void node_text(TextBuffer *out, const Formula *formula, uint32_t last, Binding binding)
{
    const ExpressionNode *node = &formula->nodes[last];
    Binding own = binds(formula, node);
    bool wrap = own < binding;

    if (wrap)
        text_character(out, '(');
    if (node->pi) {
        text_add(out, "pi");
    } else if (node->op == EXPRESSION_NUMBER) {
        json_double(out, node->number);
    } else if (node->op == EXPRESSION_VARIABLE) {
        const FormulaName *name = &formula->variables[node->variable];

        formula_name_text(out, name->text, name->length);
        if (name->level != NULL) {
            text_add(out, sign_text(name->differs ? EXPRESSION_NOT_EQUAL : EXPRESSION_EQUAL));
            formula_string_text(out, name->level);
        }
    } else if (node->op == EXPRESSION_CALL) {
        text_add(out, functions[node->function].printed != NULL ? functions[node->function].printed : functions[node->function].name);
        text_character(out, '(');
        node_text(out, formula, last - 1, BINDS_ANY);
        text_character(out, ')');
    } else if (is_unary(node->op)) {
        text_add(out, sign_text(node->op));
        node_text(out, formula, last - 1, own);
    } else {
        bool right = node->op == EXPRESSION_POWER, logarithm = node->op == EXPRESSION_LOG_BASE;

        text_add(out, logarithm ? "log(" : "");
        node_text(out, formula, last - 1 - formula->nodes[last - 1].size,
                  logarithm ? BINDS_ANY : right || own == BINDS_COMPARISON ? own + 1 : own);
        text_add(out, sign_text(node->op));
        node_text(out, formula, last - 1, logarithm ? BINDS_ANY : right ? BINDS_SIGN : own + 1);
        text_add(out, logarithm ? ")" : "");
    }
    if (wrap)
        text_character(out, ')');
}

void formula_expression_text(TextBuffer *out, const Formula *formula, Expression expression, bool whole)
{
    uint32_t last = expression.first + expression.count - 1;
    bool wrap = whole && formula->nodes[last].op != EXPRESSION_CALL && formula->nodes[last].op != EXPRESSION_LOG_BASE;

    text_add(out, wrap ? "I(" : "");
    node_text(out, formula, last, BINDS_ANY);
    text_add(out, wrap ? ")" : "");
}

void formula_column_sql(TextBuffer *out, const FormulaName *column)
{
    static const struct {
        const char *before, *after;
    } conversions[FIELD_KIND_LAST + 1] = {
        [FIELD_NUMERIC] = {"", "::float8"},
        [FIELD_BOOLEAN] = {"", "::int::float8"},
        [FIELD_CATEGORICAL] = {"", ""},
        [FIELD_DATE] = {"(", " - DATE '2000-01-01')::float8"},
        [FIELD_TIMESTAMP] = {"extract(epoch FROM ", " - TIMESTAMP '2000-01-01')::float8"},
        [FIELD_TIMESTAMPTZ] = {"extract(epoch FROM ", " - TIMESTAMPTZ '2000-01-01 00:00:00+00')::float8"},
        [FIELD_TIME] = {"extract(epoch FROM ", ")::float8"},
        [FIELD_INTERVAL] = {"extract(epoch FROM ", ")::float8"},
        [FIELD_TEXT] = {"", ""},
    };

    if (column->level != NULL) {
        text_add(out, "((");
        formula_name_sql(out, column->text, column->length);
        text_add(out, column->differs ? "::text <> " : "::text = ");
        sql_literal(out, column->level, (uint32_t)strlen(column->level));
        text_add(out, ")::int::float8)");
        return;
    }
    text_add(out, conversions[column->kind].before);
    formula_name_sql(out, column->text, column->length);
    text_add(out, conversions[column->kind].after);
}

static void node_sql(TextBuffer *out, const Formula *formula, uint32_t last);

/* Adds two subtrees as SQL, with text before, between and after them. */
static void pair_sql(TextBuffer *out, const Formula *formula, uint32_t last, const char *before, const char *between, const char *after)
{
    text_add(out, before);
    node_sql(out, formula, last - 1 - formula->nodes[last - 1].size);
    text_add(out, between);
    node_sql(out, formula, last - 1);
    text_add(out, after);
}

/* Adds the number within its bounds, NULL outside of them. */
static void within_sql(TextBuffer *out, const Formula *formula, uint32_t last)
{
    const ExpressionNode *node = &formula->nodes[last];

    text_add(out, "CASE WHEN ");
    node_sql(out, formula, last - 1);
    text_add(out, " > ");
    sql_number(out, node->number);
    text_add(out, " AND ");
    node_sql(out, formula, last - 1);
    text_add(out, " <= ");
    sql_number(out, node->most);
    text_add(out, " THEN ");
    node_sql(out, formula, last - 1);
    text_add(out, " END");
}

/* Adds a subtree as SQL, each operator in parentheses. Logical operators are products, so that NULL stays NULL. */
static void node_sql(TextBuffer *out, const Formula *formula, uint32_t last)
{
    const ExpressionNode *node = &formula->nodes[last];

    switch (node->op) {
    case EXPRESSION_NUMBER:
        sql_number(out, node->number);
        return;
    case EXPRESSION_VARIABLE:
        formula_column_sql(out, &formula->variables[node->variable]);
        return;
    case EXPRESSION_CALL: {
        const char *sql = functions[node->function].sql, *hole = strstr(sql, "%s");

        text_bytes(out, sql, (size_t)(hole - sql));
        node_sql(out, formula, last - 1);
        text_add(out, hole + 2);
        return;
    }
    case EXPRESSION_NEGATE:
        text_add(out, "(- ");
        node_sql(out, formula, last - 1);
        text_character(out, ')');
        return;
    case EXPRESSION_WITHIN:
        within_sql(out, formula, last);
        return;
    case EXPRESSION_NOT:
        text_character(out, '(');
        node_sql(out, formula, last - 1);
        text_add(out, " = 0)::int::float8");
        return;
    case EXPRESSION_AND:
        pair_sql(out, formula, last, "((", " <> 0)::int * (", " <> 0)::int)::float8");
        return;
    case EXPRESSION_OR:
        pair_sql(out, formula, last, "((", " = 0)::int * (", " = 0)::int = 0)::int::float8");
        return;
    case EXPRESSION_LOG_BASE:
        pair_sql(out, formula, last, "(ln(", ") / ln(", "))");
        return;
    case EXPRESSION_POWER:
        pair_sql(out, formula, last, "(", " ^ ", ")");
        return;
    default: {
        bool compares = binds(formula, node) == BINDS_COMPARISON;
        const char *sign = node->op == EXPRESSION_EQUAL ? " = " : node->op == EXPRESSION_NOT_EQUAL ? " <> " : sign_text(node->op);

        pair_sql(out, formula, last, compares ? "((" : "(", sign, compares ? ")::int::float8)" : ")");
    }
    }
}

void formula_expression_sql(TextBuffer *out, const Formula *formula, Expression expression)
{
    node_sql(out, formula, expression.first + expression.count - 1);
}

static bool expression_reads(const Formula *formula, Expression expression, uint32_t variable)
{
    for (uint32_t i = 0; i < expression.count; i++)
        if (formula->nodes[expression.first + i].op == EXPRESSION_VARIABLE && formula->nodes[expression.first + i].variable == variable)
            return true;
    return false;
}

bool formula_reads(const Formula *formula, uint32_t variable)
{
    for (uint32_t i = 0; i < formula->input_count; i++) {
        const FormulaInput *input = &formula->inputs[i];
        bool whole = input->kind == FORMULA_COLUMN || input->kind == FORMULA_CATEGORY;

        if (whole ? input->variable == variable : expression_reads(formula, formula->input_expressions[i], variable))
            return true;
    }
    return false;
}
