/*
 * formula_resolve.c - finds the columns of a formula, and determines what is read from a row: its inputs.
 */
#include "core/base/hash_table.h"
#include "core/base/json.h"
#include "core/formula/formula_internal.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

typedef struct Resolver {
    Env *env;
    FormulaProblem *problem;
    const Formula *parsed;
    Formula *formula;
    const FormulaVariable *columns;
    uint32_t column_count;
    HashTable names; /* of the columns */
    uint32_t *column_variable; /* [columns] the variable that is this column, or FORMULA_NONE */
    uint32_t *variable_column; /* [variables of the resolved formula] */
    bool *groups;              /* [columns] those that are groups of random effects */
    uint32_t variable_room, column_room, node_room, atom_room, input_room, expression_room;
    HashTable atoms, inputs; /* by text */
    TextBuffer scratch;
    const uint32_t *mapped;  /* [variables of the parsed formula] */
} Resolver;

/* ---- columns ---- */

static uint32_t find_column(const Resolver *resolver, const char *name, uint32_t length)
{
    uint32_t hash = hash_bytes(name, length), place = hash_start(&resolver->names, hash), found = FORMULA_NONE, i;

    while ((i = hash_next(&resolver->names, hash, &place)) != HASH_NONE)
        if (i < found && resolver->columns[i].length == length && memcmp(resolver->columns[i].name, name, length) == 0)
            found = i; /* the first of that name */
    return found;
}

static bool unknown_column(Resolver *resolver, const char *name, uint32_t length, bool quoted)
{
    const char **names = env_array_raw(resolver->env, resolver->column_count, sizeof(char *)), *near;
    TextBuffer hint = {.env = resolver->env};

    for (uint32_t i = 0; i < resolver->column_count; i++)
        names[i] = env_text(resolver->env, resolver->columns[i].name, resolver->columns[i].length);
    near = nearest_name(name, length, names, resolver->column_count);
    if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    else if (quoted)
        text_add(&hint, "Write a text in single quotes, because double quotes are for names. ");
    text_add(&hint, "Columns of the row are ");
    for (uint32_t i = 0; i < resolver->column_count && i < 20; i++)
        text_print(&hint, "%s%s", i > 0 ? ", " : "", names[i]);
    text_add(&hint, resolver->column_count > 20 ? " and others." : ".");
    return formula_problem(resolver->problem, ERROR_PARAMETER, text_finish(&hint, NULL), "the row has no column \"%.*s\", which the formula names",
                           (int)bytes_cut(name, length, FORMULA_SHOWN), name);
}

/* Returns a new variable of a column; name: what is compared with it. */
static uint32_t add_variable(Resolver *resolver, uint32_t column, const FormulaName *name)
{
    Formula *formula = resolver->formula;
    const FormulaVariable *source = &resolver->columns[column];
    uint32_t i = formula->variable_count;

    formula->variables = formula_grow(resolver->env, formula->variables, i, &resolver->variable_room, sizeof(FormulaName));
    resolver->variable_column = formula_grow(resolver->env, resolver->variable_column, i, &resolver->column_room, sizeof(uint32_t));
    formula->variables[i] = (FormulaName){.text = env_text(resolver->env, source->name, source->length),
                                           .length = source->length,
                                           .quoted = true,
                                           .level = name != NULL ? name->level : NULL,
                                           .differs = name != NULL && name->differs,
                                           .kind = source->kind};
    resolver->variable_column[i] = column;
    formula->variable_count++;
    return i;
}

/* Returns the variable that is a column itself. */
static uint32_t variable_of(Resolver *resolver, uint32_t column)
{
    if (resolver->column_variable[column] == FORMULA_NONE)
        resolver->column_variable[column] = add_variable(resolver, column, NULL);
    return resolver->column_variable[column];
}

/* Finds all columns that are named: as written, else unquoted names in lower case. pi is a number where the row has no such column. */
static bool map_variables(Resolver *resolver)
{
    const Formula *parsed = resolver->parsed;
    uint32_t *mapped = env_array_raw(resolver->env, parsed->variable_count, sizeof(uint32_t));

    for (uint32_t i = 0; i < parsed->variable_count; i++) {
        const FormulaName *name = &parsed->variables[i];
        uint32_t column = find_column(resolver, name->text, name->length);

        if (column == FORMULA_NONE && !name->quoted) {
            char *folded = env_text(resolver->env, name->text, name->length);

            for (uint32_t c = 0; c < name->length; c++)
                folded[c] = folded[c] >= 'A' && folded[c] <= 'Z' ? (char)(folded[c] + 32) : folded[c];
            column = find_column(resolver, folded, name->length);
        }
        if (column == FORMULA_NONE && !formula_name_is_pi(name))
            return unknown_column(resolver, name->text, name->length, name->quoted);
        mapped[i] = column == FORMULA_NONE ? FORMULA_NONE
                    : name->level != NULL  ? add_variable(resolver, column, name)
                                           : variable_of(resolver, column);
    }
    resolver->mapped = mapped;
    return true;
}

static const FormulaVariable *column_of(const Resolver *resolver, uint32_t variable)
{
    return &resolver->columns[resolver->variable_column[variable]];
}

static bool is_number(FieldKind kind)
{
    return kind != FIELD_CATEGORICAL && kind != FIELD_TEXT;
}

/* ---- nodes ---- */

static void add_node(Resolver *resolver, ExpressionNode node)
{
    Formula *formula = resolver->formula;

    formula->nodes = formula_grow(resolver->env, formula->nodes, formula->node_count, &resolver->node_room, sizeof(ExpressionNode));
    formula->nodes[formula->node_count++] = node;
}

static void copy_nodes(Resolver *resolver)
{
    for (uint32_t i = 0; i < resolver->parsed->node_count; i++) {
        ExpressionNode node = resolver->parsed->nodes[i];

        if (node.op == EXPRESSION_VARIABLE && resolver->mapped[node.variable] == FORMULA_NONE)
            node = (ExpressionNode){.op = EXPRESSION_NUMBER, .size = 1, .number = M_PI, .pi = true};
        else if (node.op == EXPRESSION_VARIABLE)
            node.variable = resolver->mapped[node.variable];
        add_node(resolver, node);
    }
}

/* Checks that all columns of an expression are numbers. */
static bool check_numbers(Resolver *resolver, const FormulaAtom *atom)
{
    for (uint32_t i = 0; i < atom->expression.count; i++) {
        const ExpressionNode *node = &resolver->formula->nodes[atom->expression.first + i];
        const FormulaVariable *column;

        if (node->op != EXPRESSION_VARIABLE || resolver->formula->variables[node->variable].level != NULL)
            continue;
        column = column_of(resolver, node->variable);
        if (!is_number(column->kind) || column->width != 1)
            return formula_problem(resolver->problem, ERROR_DATA,
                                   is_number(column->kind) ? "Only plain columns and their products can be arrays."
                                                           : "A category can only be a term as it is, factor(x), or part of a product.",
                                   "the formula computes %.*s, but \"%.*s\" is %s",
                                   (int)bytes_cut(atom->text, strlen(atom->text), FORMULA_SHOWN), atom->text,
                                   (int)bytes_cut(column->name, column->length, FORMULA_SHOWN), column->name,
                                   is_number(column->kind) ? "an array" : column->kind == FIELD_TEXT ? "a text" : "categorical");
    }
    return true;
}

/* ---- atoms ---- */

bool formula_atom_learns(const FormulaAtom *atom)
{
    return atom->kind >= ATOM_SCALE && atom->kind <= ATOM_CUT && !(atom->kind == ATOM_POLY && atom->raw) &&
           !(atom->kind == ATOM_CUT && atom->points != NULL);
}

/* Adds the knots or breaks of an atom. */
static void points_text(TextBuffer *out, const FormulaAtom *atom)
{
    text_add(out, atom->kind == ATOM_CUT ? ", c(" : ", knots = c(");
    for (uint32_t i = 0; i < atom->point_count; i++) {
        text_add(out, i > 0 ? ", " : "");
        if (isinf(atom->points[i]))
            text_add(out, atom->points[i] < 0 ? "-Inf" : "Inf");
        else
            json_double(out, atom->points[i]);
    }
    text_character(out, ')');
}

/* Returns the text of an atom, valid until the next call. */
static const char *atom_text(Resolver *resolver, const FormulaAtom *atom)
{
    const Formula *formula = resolver->formula;
    TextBuffer *out = &resolver->scratch;

    out->length = 0;
    if (atom->kind == ATOM_NUMBER) {
        formula_expression_text(out, formula, atom->expression, true);
        return text_finish(out, NULL);
    }
    if (atom->kind == ATOM_COLUMN) {
        formula_name_text(out, formula->variables[atom->variable].text, formula->variables[atom->variable].length);
        return text_finish(out, NULL);
    }
    text_print(out, "%s(", formula_atom_function(atom));
    if (atom->kind == ATOM_CATEGORY)
        formula_name_text(out, formula->variables[atom->variable].text, formula->variables[atom->variable].length);
    else
        formula_expression_text(out, formula, atom->expression, false);
    if (atom->points != NULL)
        points_text(out, atom);
    else if (atom->size > 0)
        text_print(out, ", %u", atom->size);
    if (atom->kind == ATOM_BS && atom->degree != 3)
        text_print(out, ", %u", atom->degree);
    text_add(out, atom->raw ? ", raw = TRUE" : "");
    if (atom->reference != NULL) {
        text_add(out, ", ref = ");
        formula_string_text(out, atom->reference);
    }
    if (atom->contrast != CONTRAST_TREATMENT)
        text_print(out, ", %s", contrast_name((Contrast)atom->contrast));
    text_character(out, ')');
    return text_finish(out, NULL);
}

/* Returns the entry of a table of texts, or HASH_NONE. */
static uint32_t find_text(const HashTable *table, const char *text, const char *const *texts, size_t stride)
{
    uint32_t hash = hash_bytes(text, (uint32_t)strlen(text)), place = hash_start(table, hash), i;

    while ((i = hash_next(table, hash, &place)) != HASH_NONE)
        if (strcmp(*(const char *const *)((const char *)texts + i * stride), text) == 0)
            return i;
    return HASH_NONE;
}

/* Returns the atom that is equal to this one, added if it is new; FORMULA_NONE on a problem. The atom's variable is a resolved one. */
static uint32_t add_atom(Resolver *resolver, FormulaAtom atom)
{
    Formula *formula = resolver->formula;
    uint32_t found;

    atom.text = atom_text(resolver, &atom);
    found = formula->atom_count > 0 ? find_text(&resolver->atoms, atom.text, &formula->atoms[0].text, sizeof(FormulaAtom)) : HASH_NONE;
    if (found != HASH_NONE)
        return found;
    atom.text = env_text(resolver->env, atom.text, strlen(atom.text));
    atom.width = atom.kind >= ATOM_POLY && atom.kind <= ATOM_NS ? atom.size : 1;
    atom.input = FORMULA_NONE;
    atom.categorical = atom.kind == ATOM_CATEGORY || atom.kind == ATOM_CUT;
    if (atom.kind == ATOM_COLUMN) {
        atom.categorical = column_of(resolver, atom.variable)->kind == FIELD_CATEGORICAL;
        atom.width = column_of(resolver, atom.variable)->width;
    } else if (atom.kind != ATOM_CATEGORY && !check_numbers(resolver, &atom)) {
        return FORMULA_NONE;
    }
    formula->atoms = formula_grow(resolver->env, formula->atoms, formula->atom_count, &resolver->atom_room, sizeof(FormulaAtom));
    formula->atoms[formula->atom_count++] = atom;
    return hash_add(resolver->env, &resolver->atoms, hash_bytes(atom.text, (uint32_t)strlen(atom.text)));
}

/* ---- leaves ---- */

/* What the leaves of the tree stand for. */
typedef struct Leaves {
    uint32_t *first; /* [leaves + 1] in atoms */
    uint32_t *atoms;
    uint32_t count, room;
    const char **texts; /* [leaves]; NULL: none is written */
} Leaves;

/* Adds an atom to the leaf that is being resolved. Returns its text; NULL on a problem. */
static const char *add_to_leaf(Resolver *resolver, Leaves *leaves, FormulaAtom atom)
{
    uint32_t index = add_atom(resolver, atom);

    if (index == FORMULA_NONE)
        return NULL;
    if (atom.kind != ATOM_OFFSET) {
        leaves->atoms = formula_grow(resolver->env, leaves->atoms, leaves->count, &leaves->room, sizeof(uint32_t));
        leaves->atoms[leaves->count++] = index;
    }
    return resolver->formula->atoms[index].text;
}

/* Adds all columns that "." stands for, which groups of random effects are not. Returns their text; NULL on a problem. */
static const char *resolve_dot(Resolver *resolver, Leaves *leaves, const char *const *dot, uint32_t dot_count)
{
    TextBuffer text = {.env = resolver->env};

    for (uint32_t i = 0; i < dot_count; i++) {
        uint32_t column = find_column(resolver, dot[i], (uint32_t)strlen(dot[i]));
        const char *name;

        if (column == FORMULA_NONE && !unknown_column(resolver, dot[i], (uint32_t)strlen(dot[i]), false))
            return NULL;
        if (resolver->groups[column])
            continue;
        name = add_to_leaf(resolver, leaves, (FormulaAtom){.kind = ATOM_COLUMN, .variable = variable_of(resolver, column)});
        if (name == NULL)
            return NULL;
        text_add(&text, text.length > 0 ? " + " : "");
        text_add(&text, name);
    }
    if (text.length == 0)
        formula_problem(resolver->problem, ERROR_PARAMETER, NULL, "the formula's . stands for no column: the row has no others");
    return text.text;
}

/* Marks the leaves that are groups of random effects, right of a |, and their columns. */
static bool *mark_groups(Resolver *resolver)
{
    const Formula *parsed = resolver->parsed;
    bool *grouping = env_array(resolver->env, (size_t)parsed->leaf_count + 1, 1);

    for (uint32_t n = 0; n < parsed->tree_count; n++)
        for (uint32_t i = parsed->tree[n].middle + 1; TREE_IS_BAR(&parsed->tree[n]) && i <= parsed->tree[n].last; i++)
            grouping[i] = true;
    for (uint32_t n = 0; n < parsed->tree_count; n++) {
        const TreeNode *node = &parsed->tree[n];
        const FormulaAtom *atom = node->op == TREE_ATOM && grouping[node->first] ? &parsed->atoms[node->value] : NULL;

        if (atom != NULL && (atom->kind == ATOM_COLUMN || atom->kind == ATOM_CATEGORY) && resolver->mapped[atom->variable] != FORMULA_NONE)
            resolver->groups[resolver->variable_column[resolver->mapped[atom->variable]]] = true;
    }
    return grouping;
}

/* Makes an atom one that reads levels of any column, as groups are. */
static bool make_group(Resolver *resolver, const TreeNode *node, FormulaAtom *atom)
{
    FieldKind kind;

    if (node->op != TREE_ATOM || (atom->kind != ATOM_COLUMN && atom->kind != ATOM_CATEGORY))
        return formula_problem(resolver->problem, ERROR_PARAMETER, "Name columns, as in (1 | subject) or (1 | school / class).",
                               "groups of random effects, right of the |, must be columns");
    kind = column_of(resolver, atom->variable)->kind;
    atom->kind = kind == FIELD_CATEGORICAL ? ATOM_COLUMN : ATOM_CATEGORY;
    atom->contrast = CONTRAST_TREATMENT;
    atom->reference = NULL;
    return true;
}

static bool resolve_leaves(Resolver *resolver, Leaves *leaves, const char *const *dot, uint32_t dot_count)
{
    const Formula *parsed = resolver->parsed;
    const bool *grouping = mark_groups(resolver);

    leaves->first = env_array(resolver->env, (size_t)parsed->leaf_count + 1, sizeof(uint32_t));
    leaves->texts = env_array(resolver->env, (size_t)parsed->leaf_count + 1, sizeof(char *));
    for (uint32_t n = 0; n < parsed->tree_count; n++) {
        const TreeNode *node = &parsed->tree[n];
        const char *text = NULL;

        env_poll_every(resolver->env, n, 1024);
        if (node->op == TREE_ATOM) {
            FormulaAtom atom = parsed->atoms[node->value];

            if (atom.kind == ATOM_COLUMN || atom.kind == ATOM_CATEGORY) {
                const FormulaName *name = &parsed->variables[atom.variable];

                atom.variable = resolver->mapped[atom.variable];
                if (atom.variable == FORMULA_NONE)
                    return unknown_column(resolver, name->text, name->length, name->quoted);
            }
            if (grouping[node->first] && !make_group(resolver, node, &atom))
                return false;
            if ((text = add_to_leaf(resolver, leaves, atom)) == NULL)
                return false;
        } else if (node->op == TREE_DOT) {
            if (grouping[node->first])
                return make_group(resolver, node, NULL);
            if ((text = resolve_dot(resolver, leaves, dot, dot_count)) == NULL)
                return false;
        } else if (node->op == TREE_ONE || node->op == TREE_ZERO) {
            text = node->op == TREE_ONE ? "1" : "0";
        } else if (node->op != TREE_EMPTY) {
            continue;
        }
        leaves->texts[node->first] = text;
        leaves->first[node->first + 1] = leaves->count;
    }
    return true;
}

/* ---- inputs ---- */

/* Returns the input of this name, added if it is new; FORMULA_NONE on a problem. */
static uint32_t add_input(Resolver *resolver, FormulaInput input, Expression expression)
{
    Formula *formula = resolver->formula;
    uint32_t found =
        formula->input_count > 0 ? find_text(&resolver->inputs, input.name, &formula->inputs[0].name, sizeof(FormulaInput)) : HASH_NONE;

    if (found != HASH_NONE) {
        if (formula->inputs[found].kind == input.kind)
            return found;
        formula_problem(resolver->problem, ERROR_PARAMETER, "Rename the column.", "\"%.*s\" is a column and an expression of the formula",
                        (int)bytes_cut(input.name, strlen(input.name), FORMULA_SHOWN), input.name);
        return FORMULA_NONE;
    }
    formula->inputs = formula_grow(resolver->env, formula->inputs, formula->input_count, &resolver->input_room, sizeof(FormulaInput));
    formula->input_expressions =
        formula_grow(resolver->env, formula->input_expressions, formula->input_count, &resolver->expression_room, sizeof(Expression));
    for (uint32_t i = 0; i < expression.count; i++)
        if (formula->nodes[expression.first + i].op == EXPRESSION_VARIABLE)
            formula->variables[formula->nodes[expression.first + i].variable].number = true;
    formula->inputs[formula->input_count] = input;
    formula->input_expressions[formula->input_count++] = expression;
    return hash_add(resolver->env, &resolver->inputs, hash_bytes(input.name, (uint32_t)strlen(input.name)));
}

/* Returns the input that is a column as it is. */
static uint32_t column_input(Resolver *resolver, uint32_t variable)
{
    const FormulaVariable *column = column_of(resolver, variable);

    return add_input(resolver,
                     (FormulaInput){.name = resolver->formula->variables[variable].text,
                                    .kind = FORMULA_COLUMN,
                                    .variable = variable,
                                    .field_kind = column->kind,
                                    .width = column->width},
                     (Expression){0, 0});
}

/* Returns the input of cut with breaks that the formula gives: its expression, or NULL outside of the breaks. */
static uint32_t cut_input(Resolver *resolver, const FormulaAtom *atom, FormulaInput input)
{
    Formula *formula = resolver->formula;
    uint32_t first = formula->node_count;

    for (uint32_t i = 0; i < atom->expression.count; i++)
        add_node(resolver, formula->nodes[atom->expression.first + i]);
    add_node(resolver, (ExpressionNode){.op = EXPRESSION_WITHIN,
                                        .size = atom->expression.count + 1,
                                        .number = atom->points[0],
                                        .most = atom->points[atom->size]});
    return add_input(resolver, input, (Expression){first, atom->expression.count + 1});
}

/* Returns the input that an atom reads. */
static uint32_t atom_input(Resolver *resolver, const FormulaAtom *atom)
{
    FormulaInput input = {.name = atom->text, .kind = FORMULA_NUMBER, .field_kind = FIELD_NUMERIC, .width = 1};
    TextBuffer name = {.env = resolver->env};

    switch (atom->kind) {
    case ATOM_COLUMN:
        return column_input(resolver, atom->variable);
    case ATOM_CATEGORY:
        input.kind = FORMULA_CATEGORY;
        input.variable = atom->variable;
        input.field_kind = FIELD_CATEGORICAL;
        input.reference = atom->reference;
        input.contrasts = atom->contrast != CONTRAST_TREATMENT;
        return add_input(resolver, input, (Expression){0, 0});
    case ATOM_NUMBER:
        return add_input(resolver, input, atom->expression);
    case ATOM_OFFSET:
        input.kind = FORMULA_OFFSET;
        return add_input(resolver, input, atom->expression);
    default:
        if (atom->kind == ATOM_CUT && atom->points != NULL && (isfinite(atom->points[0]) || isfinite(atom->points[atom->size])))
            return cut_input(resolver, atom, input);
        if (atom->expression.count == 1 && resolver->formula->nodes[atom->expression.first].op == EXPRESSION_VARIABLE)
            return column_input(resolver, resolver->formula->nodes[atom->expression.first].variable);
        formula_expression_text(&name, resolver->formula, atom->expression, true);
        input.name = text_finish(&name, NULL);
        return add_input(resolver, input, atom->expression);
    }
}

/* Adds the nodes of an atom, a number, to those of a product. */
static void add_factor(Resolver *resolver, const FormulaAtom *atom)
{
    if (atom->kind == ATOM_COLUMN) {
        add_node(resolver, (ExpressionNode){.op = EXPRESSION_VARIABLE, .size = 1, .variable = atom->variable});
        return;
    }
    for (uint32_t i = 0; i < atom->expression.count; i++)
        add_node(resolver, resolver->formula->nodes[atom->expression.first + i]);
}

/* Returns the input that is a product of numbers. */
static uint32_t product_input(Resolver *resolver, uint32_t term)
{
    Formula *formula = resolver->formula;
    uint32_t first = formula->node_count;
    TextBuffer name = {.env = resolver->env};
    FormulaInput input = {.kind = FORMULA_NUMBER, .field_kind = FIELD_NUMERIC, .width = 1};

    for (uint32_t i = formula->term_first[term]; i < formula->term_first[term + 1]; i++) {
        add_factor(resolver, &formula->atoms[formula->term_atoms[i]]);
        if (i > formula->term_first[term])
            add_node(resolver, (ExpressionNode){.op = EXPRESSION_MULTIPLY, .size = formula->node_count - first + 1});
    }
    formula_term_text(&name, formula, term);
    input.name = text_finish(&name, NULL);
    return add_input(resolver, input, (Expression){first, formula->node_count - first});
}

/*
 * Tells whether a factor of a product needs a second stage: categories and arrays have several columns, and expressions read no
 * dates. A boolean can be part of an expression, but only where it is a term as well the schema keeps that it is one, for SQL.
 */
static bool factor_learns(const Resolver *resolver, const FormulaAtom *atom, bool alone)
{
    FieldKind kind = atom->kind == ATOM_COLUMN ? column_of(resolver, atom->variable)->kind : FIELD_NUMERIC;

    return atom->categorical || atom->width != 1 || kind > FIELD_CATEGORICAL || (kind == FIELD_BOOLEAN && !alone);
}

/* Counts the columns of the terms, each category as one, and finds whether they need a second stage. */
static bool measure(Resolver *resolver)
{
    Formula *formula = resolver->formula;
    bool *alone = env_array(resolver->env, (size_t)formula->atom_count + 1, 1); /* atoms that are terms of their own */
    uint64_t columns = 0;

    formula->learns = formula->bar_count > 0;
    for (uint32_t t = 0; t < formula->term_count; t++) {
        bool product = formula->term_first[t + 1] - formula->term_first[t] > 1;
        uint64_t width = 1;

        for (uint32_t i = formula->term_first[t]; i < formula->term_first[t + 1]; i++) {
            const FormulaAtom *atom = &formula->atoms[formula->term_atoms[i]];
            bool text = atom->kind == ATOM_COLUMN && column_of(resolver, atom->variable)->kind == FIELD_TEXT;

            if (product && text)
                return formula_problem(resolver->problem, ERROR_DATA, NULL, "the formula multiplies \"%.*s\", which is a text",
                                       (int)bytes_cut(atom->text, strlen(atom->text), FORMULA_SHOWN), atom->text);
            width *= atom->width;
            if (width > UINT32_MAX)
                width = UINT32_MAX;
            alone[formula->term_atoms[i]] = alone[formula->term_atoms[i]] || !product; /* single factors come first */
            formula->learns = formula->learns || formula_atom_learns(atom) || atom->kind == ATOM_POLY || atom->kind == ATOM_CUT ||
                              atom->contrast != CONTRAST_TREATMENT || (product && factor_learns(resolver, atom, alone[formula->term_atoms[i]]));
        }
        columns += width;
    }
    for (uint32_t i = 0; i < formula->atom_count; i++)
        formula->offsets = formula->offsets || formula->atoms[i].kind == ATOM_OFFSET;
    formula->summable = !formula->learns;
    formula->learns = formula->learns || formula->offsets;
    if (columns > FORMULA_MAX_COLUMNS)
        return formula_problem(resolver->problem, ERROR_LIMIT, NULL, "the formula has %s%llu columns, more than %u",
                               columns >= UINT32_MAX ? "at least " : "", (unsigned long long)columns, FORMULA_MAX_COLUMNS);
    if (formula->term_count == 0 && !formula->intercept)
        return formula_problem(resolver->problem, ERROR_PARAMETER, "Name a column, or write 1 for the intercept alone.",
                               "the formula has neither terms nor an intercept");
    return true;
}

/* Lists a term as an input. */
static bool list_term(Resolver *resolver, uint32_t term)
{
    Formula *formula = resolver->formula;
    FormulaAtom *only = &formula->atoms[formula->term_atoms[formula->term_first[term]]];
    bool product = formula->term_first[term + 1] - formula->term_first[term] > 1;
    uint32_t input = product ? product_input(resolver, term) : atom_input(resolver, only);

    if (formula->learns)
        *(product ? &formula->term_products[term] : &only->input) = input;
    return input != FORMULA_NONE;
}

static bool list_inputs(Resolver *resolver)
{
    Formula *formula = resolver->formula;
    bool *used = env_array(resolver->env, formula->atom_count, 1);

    formula->term_products = env_array_raw(resolver->env, (size_t)formula->term_count + 1, sizeof(uint32_t));
    for (uint32_t t = 0; t < formula->term_count; t++) {
        env_poll_every(resolver->env, t, 1024);
        formula->term_products[t] = FORMULA_NONE;
        for (uint32_t i = formula->term_first[t]; i < formula->term_first[t + 1]; i++)
            used[formula->term_atoms[i]] = true;
        if (formula->summable && !list_term(resolver, t))
            return false;
    }
    for (uint32_t i = 0; formula->learns && i < formula->atom_count; i++) {
        FormulaAtom *atom = &formula->atoms[i];

        if (((used[i] && !formula->summable) || atom->kind == ATOM_OFFSET) && (atom->input = atom_input(resolver, atom)) == FORMULA_NONE)
            return false;
    }
    return true;
}

/* Checks that random effects are numbers, or categories as they are. */
static bool check_bars(const Formula *formula, FormulaProblem *problem)
{
    for (uint32_t b = 0; b < formula->bar_count; b++)
        for (uint32_t i = 0; i < formula->bars[b].effect_count; i++) {
            uint32_t term = formula->bars[b].effects[i], first = formula->term_first[term], count = formula->term_first[term + 1] - first;

            for (uint32_t v = first; v < first + count; v++) {
                const FormulaAtom *atom = &formula->atoms[formula->term_atoms[v]];
                bool plain = count == 1 && atom->kind != ATOM_CUT && atom->contrast == CONTRAST_TREATMENT && atom->reference == NULL;

                if (atom->categorical && !plain)
                    return formula_problem(problem, ERROR_PARAMETER, "Name the column, as in (0 + machine | worker), or put the category among the groups, as in (1 | worker:machine).",
                                           "the formula has random effects of %.*s, where a category can only be as it is",
                                           (int)bytes_cut(atom->text, strlen(atom->text), FORMULA_SHOWN), atom->text);
            }
        }
    return true;
}

Formula *formula_bind(Env *env, const Formula *parsed, const FormulaVariable *columns, uint32_t count, const char *const *dot,
                      uint32_t dot_count, FormulaProblem *problem)
{
    Resolver resolver = {.env = env,
                         .problem = problem,
                         .parsed = parsed,
                         .columns = columns,
                         .column_count = count,
                         .names = hash_table(env, 6),
                         .atoms = hash_table(env, 6),
                         .inputs = hash_table(env, 6),
                         .scratch = {.env = env}};
    Formula *formula = env_array(env, 1, sizeof(Formula));
    Leaves leaves = {NULL};

    resolver.formula = formula;
    resolver.column_variable = env_array_raw(env, count, sizeof(uint32_t));
    resolver.groups = env_array(env, (size_t)count + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        resolver.column_variable[i] = FORMULA_NONE;
        hash_add(env, &resolver.names, hash_bytes(columns[i].name, columns[i].length));
    }
    formula->tree = parsed->tree;
    formula->tree_count = parsed->tree_count;
    formula->leaf_count = parsed->leaf_count;
    formula->says_intercept = parsed->says_intercept;
    if (!map_variables(&resolver))
        return NULL;
    copy_nodes(&resolver);
    if (!resolve_leaves(&resolver, &leaves, dot, dot_count))
        return NULL;
    formula->text = formula_tree_text(env, formula, leaves.texts);
    if (strlen(formula->text) > FORMULA_MAX_TEXT) {
        formula_problem(problem, ERROR_LIMIT, NULL, "the formula has %zu bytes, more than %u", strlen(formula->text), FORMULA_MAX_TEXT);
        return NULL;
    }
    if (!formula_expand_tree(env, formula, leaves.first, leaves.atoms, problem) || !check_bars(formula, problem) || !measure(&resolver) ||
        !list_inputs(&resolver))
        return NULL;
    return formula;
}

Formula *formula_resolve(Env *env, const Formula *formula, const FormulaVariable *columns, uint32_t count, const char *const *dot,
                         uint32_t dot_count)
{
    FormulaProblem problem = {.env = env};
    Formula *resolved = formula_bind(env, formula, columns, count, dot, dot_count, &problem);

    formula_fail(&problem);
    return resolved;
}

/* ---- reading ---- */

const Formula *formula_target(const Formula *formula)
{
    return formula->target;
}

bool formula_has_dot(const Formula *formula)
{
    return formula->has_dot;
}

uint32_t formula_variable_count(const Formula *formula)
{
    return formula->variable_count;
}

const char *formula_variable(const Formula *formula, uint32_t i, uint32_t *length)
{
    *length = formula->variables[i].length;
    return formula->variables[i].text;
}

bool formula_variable_is_quoted(const Formula *formula, uint32_t i)
{
    return formula->variables[i].quoted;
}

FieldKind formula_variable_kind(const Formula *formula, uint32_t i)
{
    return formula->variables[i].kind;
}

bool formula_variable_is_number(const Formula *formula, uint32_t i)
{
    return formula->variables[i].number && formula->variables[i].level == NULL;
}

const char *formula_variable_level(const Formula *formula, uint32_t i, bool *differs)
{
    *differs = formula->variables[i].differs;
    return formula->variables[i].level;
}

bool formula_variable_is_constant(const Formula *formula, uint32_t i)
{
    return formula_name_is_pi(&formula->variables[i]);
}

int formula_intercept(const Formula *formula)
{
    return formula->intercept;
}

bool formula_says_intercept(const Formula *formula)
{
    return formula->says_intercept;
}

uint32_t formula_input_count(const Formula *formula)
{
    return formula->input_count;
}

const FormulaInput *formula_input(const Formula *formula, uint32_t i)
{
    return &formula->inputs[i];
}

bool formula_learns(const Formula *formula)
{
    return formula->learns;
}

bool formula_summable(const Formula *formula)
{
    return formula->summable;
}

const char *formula_learned_function(const Formula *formula)
{
    for (uint32_t i = 0; i < formula->atom_count; i++)
        if (formula_atom_learns(&formula->atoms[i]))
            return formula->atoms[i].text;
    return NULL;
}
