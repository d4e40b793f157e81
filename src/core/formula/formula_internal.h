/*
 * formula_internal.h - the parts of a parsed formula, which the files of this room share.
 */
#ifndef PGFIT_FORMULA_INTERNAL_H
#define PGFIT_FORMULA_INTERNAL_H

#include "core/base/text_buffer.h"
#include "core/formula/formula.h"
#include "core/math/contrast_coding.h"
#include "core/math/spline_basis.h"

#define FORMULA_NONE UINT32_MAX
#define FORMULA_MAX_DEPTH 100      /* of parentheses and functions */
#define FORMULA_MAX_OPERATIONS 1000 /* of one expression */
#define FORMULA_MAX_STACK 128      /* numbers that wait in an expression */
#define FORMULA_MAX_ATOM SPLINE_MAX_COLUMNS /* columns of poly, bs, ns */
#define FORMULA_MAX_INTERVALS 1000 /* of cut */
#define FORMULA_MAX_DEGREE SPLINE_MAX_DEGREE /* of bs */
#define FORMULA_MAX_CONTRASTS 1000 /* levels of a category that is coded by contrasts; of poly, 95, as in R */
#define FORMULA_SHOWN 40           /* bytes of a name in a message */

/* ---- what is wrong: the first problem counts, and nothing fails before the end ---- */

typedef struct FormulaProblem {
    Env *env;
    bool found;
    ErrorCode code;
    const char *message, *hint;
} FormulaProblem;
/* Notes a problem unless there is one already. Returns false. */
bool formula_problem(FormulaProblem *problem, ErrorCode code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails with the problem if there is one. */
void formula_fail(const FormulaProblem *problem);

/* Returns an array with room for one more than count elements, doubled where it is full. */
void *formula_grow(Env *env, void *array, uint32_t count, uint32_t *room, size_t size);

/* ---- numeric expressions: nodes in post-order, operands before their operator ---- */

typedef enum ExpressionOp {
    EXPRESSION_NUMBER,
    EXPRESSION_VARIABLE,
    EXPRESSION_NEGATE,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_NOT_EQUAL,
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_NOT,
    EXPRESSION_LOG_BASE, /* log(x, base) */
    EXPRESSION_WITHIN,   /* x, or NULL where it is outside of the breaks of cut */
    EXPRESSION_CALL
} ExpressionOp;

typedef struct ExpressionNode {
    uint8_t op;        /* ExpressionOp */
    uint8_t function;  /* of a call */
    bool pi;           /* a number that is written as pi */
    uint32_t size;     /* nodes of the subtree that ends here */
    uint32_t variable;
    double number;     /* WITHIN: x is above it */
    double most;       /* WITHIN: and at most this */
} ExpressionNode;

typedef struct Expression {
    uint32_t first, count; /* in the nodes of the formula */
} Expression;

/* Returns the numeric function of this name, ignoring case, or FORMULA_NONE. */
uint32_t formula_function(const char *name, uint32_t length);
/* Returns the name of a numeric function; NULL after the last. */
const char *formula_function_name(uint32_t function);
/* Returns how many numbers wait at most while an expression is computed. */
uint32_t formula_stack(const ExpressionNode *nodes, Expression expression);
/* Adds an expression as text. whole: wrapped in I() unless it is a call. */
void formula_expression_text(TextBuffer *out, const Formula *formula, Expression expression, bool whole);
/* Adds an expression as SQL. */
void formula_expression_sql(TextBuffer *out, const Formula *formula, Expression expression);
/* Adds a name as formulas write it, in double quotes where it needs them. */
void formula_name_text(TextBuffer *out, const char *name, uint32_t length);
/* Adds a name as SQL writes it. */
void formula_name_sql(TextBuffer *out, const char *name, uint32_t length);

/* ---- atoms and the tree of terms ---- */

typedef enum AtomKind {
    ATOM_COLUMN,
    ATOM_CATEGORY, /* factor, C */
    ATOM_NUMBER,   /* an expression */
    ATOM_SCALE,
    ATOM_CENTER,
    ATOM_POLY,
    ATOM_BS,
    ATOM_NS,
    ATOM_CUT,
    ATOM_OFFSET
} AtomKind;

typedef struct FormulaAtom {
    uint8_t kind; /* AtomKind */
    uint8_t contrast; /* Contrast, of C */
    bool raw;     /* of poly */
    bool categorical;
    uint32_t variable;     /* of a column or category */
    Expression expression; /* of all others */
    uint32_t size;   /* degree of poly, df of bs and ns, intervals of cut */
    uint32_t degree; /* of bs */
    const double *points; /* [point_count], rising: knots of bs and ns, breaks of cut; NULL: they are learned */
    uint32_t point_count;
    const char *reference;
    /* of a resolved formula */
    const char *text;
    uint32_t width; /* columns; of a category not known before its levels */
    uint32_t input; /* FORMULA_NONE where the formula does not learn, or the atom is only a factor of products that are inputs */
} FormulaAtom;

/* Tells whether parameters are learned from rows. */
bool formula_atom_learns(const FormulaAtom *atom);
/* Returns "poly" ... as formulas write it. */
const char *formula_atom_function(const FormulaAtom *atom);

typedef enum TreeOp {
    TREE_ATOM,
    TREE_ONE,
    TREE_ZERO,
    TREE_DOT,
    TREE_EMPTY, /* the left operand of a leading minus */
    TREE_ADD,
    TREE_REMOVE,
    TREE_INTERACT,
    TREE_CROSS,
    TREE_NEST,
    TREE_WITHIN,
    TREE_BAR,  /* (effects | groups) */
    TREE_BARS, /* (effects || groups): without correlations */
    TREE_POWER
} TreeOp;
/* Tells whether a node is a bar of random effects. */
#define TREE_IS_BAR(node) ((node)->op == TREE_BAR || (node)->op == TREE_BARS)

/* Nodes are in post-order; leaves are numbered from the left. */
typedef struct TreeNode {
    uint8_t op;
    bool offset;             /* an offset is in it */
    bool bar;                /* random effects are in it */
    uint32_t value;          /* the atom, or the power */
    uint32_t first, last;    /* its leaves */
    uint32_t middle;         /* the last leaf of the left operand */
} TreeNode;

typedef struct FormulaName {
    const char *text; /* zero-terminated as well */
    uint32_t length;
    bool quoted;
    bool number;    /* an expression reads it */
    const char *level; /* its number says whether the column's text is this one; NULL: it is the column's number. Zero-terminated */
    bool differs;      /* the other way round: 1 for any other text */
    FieldKind kind; /* of a resolved formula; FIELD_NUMERIC where a stored one does not tell */
} FormulaName;
/* Tells whether a name that is no column is the constant pi. */
bool formula_name_is_pi(const FormulaName *name);
/* Adds a text in single quotes, as formulas write it. */
void formula_string_text(TextBuffer *out, const char *text);
/* Adds a column as the number that the features reader makes of it, in SQL. */
void formula_column_sql(TextBuffer *out, const FormulaName *column);

/* A bar of random effects of a resolved formula, for one grouping factor. */
typedef struct BarTerms {
    bool intercept;
    uint32_t *effects, effect_count; /* terms */
    uint32_t *groups, group_count;   /* terms of one category each, whose levels together are a group */
} BarTerms;

struct Formula {
    FormulaName *variables;
    uint32_t variable_count;
    ExpressionNode *nodes;
    uint32_t node_count;
    FormulaAtom *atoms;
    uint32_t atom_count;
    TreeNode *tree;
    uint32_t tree_count, leaf_count;
    bool has_dot, says_intercept;
    Formula *target;  /* left of the ~; NULL: nothing */
    const char *text; /* of a resolved formula, or of what is left of a ~ */
    /* of a resolved formula */
    bool learns, offsets; /* offsets: there are some */
    bool summable;        /* formula_summable */
    int intercept;
    FormulaInput *inputs;
    Expression *input_expressions; /* [inputs] */
    uint32_t input_count;
    uint32_t term_count;
    uint32_t fixed_count; /* the first terms; the others are in bars only */
    BarTerms *bars;
    uint32_t bar_count;
    uint32_t *term_products; /* [terms] the input that is the product, of a formula that learns but is summable; FORMULA_NONE: there is none */
    uint32_t *term_first; /* [terms + 1] in term_atoms */
    uint32_t *term_atoms; /* in rising order */
};

/* Parses a text. Returns NULL on a problem. */
Formula *formula_read(Env *env, const char *text, size_t length, FormulaProblem *problem);
/* Resolves a parsed formula. Returns NULL on a problem. */
Formula *formula_bind(Env *env, const Formula *parsed, const FormulaVariable *columns, uint32_t count, const char *const *dot,
                      uint32_t dot_count, FormulaProblem *problem);
/*
 * Expands the tree into terms, ordered by degree and then appearance. leaf_atoms: the atoms of leaf i are leaf_atoms[leaf_first[i]] up to
 * leaf_first[i + 1]. Sets term_* and the intercept. Returns false on a problem.
 */
bool formula_expand_tree(Env *env, Formula *formula, const uint32_t *leaf_first, const uint32_t *leaf_atoms, FormulaProblem *problem);
/* Writes the whole formula; dot: the text that "." stands for. */
const char *formula_tree_text(Env *env, const Formula *formula, const char *const *leaf_texts);
/* Adds the name of a term, its atoms with ":" in between. */
void formula_term_text(TextBuffer *out, const Formula *formula, uint32_t term);

#endif
