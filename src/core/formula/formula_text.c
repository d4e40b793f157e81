/*
 * formula_text.c - writes a formula as text that parses back to the same terms.
 */
#include "core/formula/formula_internal.h"

#include <string.h>

/* What is written around a leaf. */
typedef struct LeafText {
    uint32_t opened;     /* parentheses before it */
    TextBuffer *after;   /* parentheses and powers; NULL: none */
    uint8_t op;          /* the operator between this leaf and the next one; 0: none */
} LeafText;

/* Returns how tightly an operator of terms binds. */
static int binds(uint8_t op)
{
    switch (op) {
    case TREE_ADD:
    case TREE_REMOVE:
        return 1;
    case TREE_CROSS:
    case TREE_NEST:
        return 2;
    case TREE_WITHIN:
        return 3;
    case TREE_INTERACT:
        return 4;
    case TREE_POWER:
        return 5;
    default: /* leaves, and bars, which have parentheses */
        return 6;
    }
}

static TextBuffer *after(Env *env, LeafText *leaf)
{
    if (leaf->after == NULL) {
        leaf->after = env_array(env, 1, sizeof(TextBuffer));
        leaf->after->env = env;
    }
    return leaf->after;
}

static void wrap(Env *env, LeafText *leaves, const TreeNode *node)
{
    leaves[node->first].opened++;
    text_character(after(env, &leaves[node->last]), ')');
}

/* Tells whether an operand is a ".", which stands for a sum of columns. */
static bool is_sum(const TreeNode *node)
{
    return node->op == TREE_DOT;
}

/* Plans what is around the leaves; the operands of each operator are the roots that are left on a stack. */
static void plan(Env *env, const Formula *formula, LeafText *leaves)
{
    uint32_t *stack = env_array_raw(env, formula->leaf_count + 1, sizeof(uint32_t)), depth = 0;

    for (uint32_t n = 0; n < formula->tree_count; n++) {
        const TreeNode *node = &formula->tree[n], *left, *right;
        int own = binds(node->op);

        if (node->op < TREE_ADD) {
            stack[depth++] = n;
            continue;
        }
        if (node->op == TREE_POWER) {
            left = &formula->tree[stack[depth - 1]];
            if (binds(left->op) < 6 || is_sum(left))
                wrap(env, leaves, left);
            text_print(after(env, &leaves[node->last]), "^%u", node->value);
            stack[depth - 1] = n;
            continue;
        }
        left = &formula->tree[stack[depth - 2]];
        right = &formula->tree[stack[depth - 1]];
        if (!TREE_IS_BAR(node) && (binds(left->op) < own || (is_sum(left) && own > 1)))
            wrap(env, leaves, left);
        if (binds(right->op) <= (TREE_IS_BAR(node) ? 1 : own) || (is_sum(right) && node->op != TREE_ADD))
            wrap(env, leaves, right);
        if (TREE_IS_BAR(node))
            wrap(env, leaves, node);
        leaves[node->middle].op = node->op;
        depth--;
        stack[depth - 1] = n;
    }
}

const char *formula_tree_text(Env *env, const Formula *formula, const char *const *leaf_texts)
{
    LeafText *leaves = env_array(env, (size_t)formula->leaf_count + 1, sizeof(LeafText));
    TextBuffer out = {.env = env};

    plan(env, formula, leaves);
    for (uint32_t i = 0; i < formula->leaf_count; i++) {
        static const char *const signs[] = {[TREE_ADD] = " + ",   [TREE_REMOVE] = " - ",   [TREE_INTERACT] = ":",
                                            [TREE_CROSS] = " * ", [TREE_NEST] = " / ", [TREE_WITHIN] = " %in% ",
                                            [TREE_BAR] = " | ",     [TREE_BARS] = " || "};
        bool empty = leaf_texts[i] == NULL;

        for (uint32_t j = 0; j < leaves[i].opened; j++)
            text_character(&out, '(');
        text_add(&out, empty ? "" : leaf_texts[i]);
        if (leaves[i].after != NULL)
            text_add(&out, leaves[i].after->text);
        if (leaves[i].op != 0)
            text_add(&out, !empty ? signs[leaves[i].op] : leaves[i].op == TREE_REMOVE ? "-" : "");
    }
    return text_finish(&out, NULL);
}

void formula_term_text(TextBuffer *out, const Formula *formula, uint32_t term)
{
    for (uint32_t i = formula->term_first[term]; i < formula->term_first[term + 1]; i++) {
        text_add(out, i > formula->term_first[term] ? ":" : "");
        text_add(out, formula->atoms[formula->term_atoms[i]].text);
    }
}

const char *formula_text(const Formula *formula)
{
    return formula->text;
}

char *formula_name(Env *env, const char *name)
{
    TextBuffer out = {.env = env};

    formula_name_text(&out, name, (uint32_t)strlen(name));
    return text_finish(&out, NULL);
}

bool formula_is_name(const Formula *target)
{
    return target->node_count == 1 && target->variable_count == 1 && target->variables[0].level == NULL;
}

static void trim(const char **text, size_t *length)
{
    static const char spaces[] = " \t\r\n\v\f";

    while (*length > 0 && memchr(spaces, **text, sizeof spaces - 1) != NULL)
        (*text)++, (*length)--;
    while (*length > 0 && memchr(spaces, (*text)[*length - 1], sizeof spaces - 1) != NULL)
        (*length)--;
}

const char *formula_sides(const char *text, size_t *length, const char **left, size_t *left_length)
{
    const char *right = text, *end = text + *length;
    char quote = '\0';

    *left = NULL;
    *left_length = 0;
    for (const char *c = text; c < end && *left == NULL; c++) {
        if (quote != '\0') {
            quote = *c == quote ? '\0' : quote;
        } else if (*c == '"' || *c == '`' || *c == '\'') {
            quote = *c;
        } else if (*c == '~') {
            *left = text;
            *left_length = (size_t)(c - text);
            right = c + 1;
        }
    }
    *length = (size_t)(end - right);
    trim(&right, length);
    if (*left != NULL)
        trim(left, left_length);
    return right;
}
