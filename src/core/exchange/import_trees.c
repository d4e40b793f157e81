/*
 * import_trees.c - trees of documents: checked, surveyed and made. All walks are by a stack of their own, so a tree may be as deep as it likes.
 */
#include "core/exchange/import_trees.h"

#include <math.h>
#include <string.h>

#define POLL_NODES 4096

void import_tree_begin(Env *env, ImportTree *tree, uint32_t count)
{
    if (count > tree->room) {
        tree->nodes = env->resize(env, tree->nodes, (size_t)count * sizeof(ImportNode));
        tree->room = count;
    }
    if (count > 0)
        memset(tree->nodes, 0, (size_t)count * sizeof(ImportNode));
    tree->count = count;
    tree->code_count = 0;
}

uint32_t import_tree_node(Env *env, ImportTree *tree)
{
    tree->nodes = env_grow(env, tree->nodes, tree->count, &tree->room, sizeof(ImportNode));
    tree->nodes[tree->count] = (ImportNode){.left = TREE_NONE, .right = TREE_NONE};
    return tree->count++;
}

void import_tree_code(Env *env, ImportTree *tree, uint32_t code)
{
    tree->codes = env_grow(env, tree->codes, tree->code_count, &tree->code_room, sizeof(uint32_t));
    tree->codes[tree->code_count++] = code;
}

ImportUses import_uses(Env *env, uint32_t features)
{
    return (ImportUses){.features = features,
                        .number = env_array(env, features, sizeof(bool)),
                        .category = env_array(env, features, sizeof(bool)),
                        .codes = env_array(env, features, sizeof(uint32_t)),
                        .gains = env_array(env, features, sizeof(double))};
}

static bool is_leaf(const ImportNode *node)
{
    return node->left == TREE_NONE;
}

/* ---- the survey ---- */

static void require_finite(const Document *document, double value, const char *what, uint32_t node)
{
    if (!isfinite(value))
        document_fail(document, "has a tree that ends here, in which %s of node %u is %g", what, node, value);
}

/* Checks a leaf, or notes how a split uses its feature. */
static void survey_node(const Document *document, const ImportTree *tree, uint32_t number, ImportUses *uses)
{
    const ImportNode *node = &tree->nodes[number];

    if (is_leaf(node)) {
        require_finite(document, node->number, "the value", number);
        require_finite(document, node->cover, "the cover", number);
        if (node->cover < 0)
            document_fail(document, "has a tree that ends here, in which the cover of node %u is %g", number, node->cover);
        return;
    }
    if (node->slot >= uses->features)
        document_fail(document, "has a tree that ends here, in which node %u splits on feature %u of %u", number, node->slot, uses->features);
    if (!node->category) {
        uses->number[node->slot] = true;
        if (isnan(node->number))
            document_fail(document, "has a tree that ends here, in which the condition of node %u is NaN", number);
        return;
    }
    uses->category[node->slot] = true;
    for (uint32_t i = 0; i < node->codes; i++) {
        uint32_t code = tree->codes[node->first_code + i];

        if (code >= IMPORT_MOST_LEVELS)
            document_fail(document, "has a tree that ends here, in which node %u has the code %u; at most %d are read", number, code, IMPORT_MOST_LEVELS - 1);
        uses->codes[node->slot] = code >= uses->codes[node->slot] ? code + 1 : uses->codes[node->slot];
        env_poll_rows(document->env, i);
    }
}

static void reach(const Document *document, ImportTree *tree, uint32_t parent, uint32_t child, uint32_t *top)
{
    if (child >= tree->count)
        document_fail(document, "has a tree that ends here, in which node %u has the child %u of %u nodes", parent, child, tree->count);
    if (tree->nodes[child].seen)
        document_fail(document, "has a tree that ends here, in which node %u has two parents", child);
    tree->nodes[child].seen = 1;
    tree->stack[(*top)++] = child;
}

void import_tree_survey(const Document *document, ImportTree *tree, ImportUses *uses)
{
    Env *env = document->env;
    uint32_t top = 0, done = 0;

    if (tree->count == 0)
        document_fail(document, "has a tree without nodes that ends here");
    if ((size_t)tree->count + 1 > tree->stack_room) {
        tree->stack_room = tree->count + 1;
        tree->stack = env->resize(env, tree->stack, (size_t)tree->stack_room * 2 * sizeof(uint32_t)); /* import_tree_make keeps pairs */
    }
    tree->nodes[0].seen = 1;
    tree->stack[top++] = 0;
    while (top > 0) {
        uint32_t number = tree->stack[--top];

        env_poll_every(env, done++, POLL_NODES);
        survey_node(document, tree, number, uses);
        if (is_leaf(&tree->nodes[number]))
            continue;
        reach(document, tree, number, tree->nodes[number].right, &top);
        reach(document, tree, number, tree->nodes[number].left, &top);
    }
}

void import_uses_require(const Document *document, const ImportUses *uses, const char *const *names)
{
    for (uint32_t i = 0; i < uses->features; i++)
        if (uses->number[i] && uses->category[i])
            env_fail(document->env, ERROR_DATA, NULL, "feature %s of the %s document is a number in one split and a category in another",
                     names != NULL ? names[i] : env_message(document->env, "%u", i + 1), document->what);
}

/* ---- into a tree of this house ---- */

/* Sets the levels that go left. */
static void fill_set(const ImportTree *tree, const ImportNode *node, uint32_t levels, uint8_t *set)
{
    for (uint32_t level = 0; tree->codes_right && level < levels; level++)
        set[level / 8] |= (uint8_t)(1u << level % 8);
    for (uint32_t i = 0; i < node->codes; i++) {
        uint32_t code = tree->codes[node->first_code + i];

        if (tree->codes_right)
            set[code / 8] &= (uint8_t) ~(1u << code % 8);
        else
            set[code / 8] |= (uint8_t)(1u << code % 8);
    }
}

static void make_node(const ImportTree *tree, const ImportNode *from, const TreeLevels *levels, double *gains, GrownTree *grown, uint32_t to)
{
    GrownNode *node = &grown->nodes[to];

    node->cover = from->cover;
    if (is_leaf(from)) {
        node->value = from->number;
        return;
    }
    node->slot = from->slot;
    node->missing_left = from->missing_left != 0;
    node->category = from->category != 0;
    gains[node->slot] += from->gain > 0 && isfinite(from->gain) ? from->gain : 0;
    if (node->category) {
        uint32_t set = grown_tree_set(grown, levels->count[node->slot]);

        node->set = set;
        fill_set(tree, from, levels->count[node->slot], grown->sets + set);
    } else {
        grown_tree_threshold(node, from->number, from->number, from->number);
    }
}

/* The stack has pairs: a node, and which link of which grown node leads to it. */
void import_tree_make(const Document *document, ImportTree *tree, const TreeLevels *levels, ImportUses *uses, GrownTree *grown)
{
    uint32_t top = 0;

    grown_tree_clear(grown);
    tree->stack[top++] = TREE_NONE;
    tree->stack[top++] = 0;
    while (top > 0) {
        uint32_t number = tree->stack[--top], link = tree->stack[--top], to = grown_tree_node(grown);
        const ImportNode *from = &tree->nodes[number];

        if (link != TREE_NONE && link % 2 == 0)
            grown->nodes[link / 2].left = to;
        else if (link != TREE_NONE)
            grown->nodes[link / 2].right = to;
        if (from->category || number % POLL_NODES == 0)
            document->env->poll(document->env);
        make_node(tree, from, levels, uses->gains, grown, to);
        if (is_leaf(from))
            continue;
        tree->stack[top++] = 2 * to + 1;
        tree->stack[top++] = from->right;
        tree->stack[top++] = 2 * to;
        tree->stack[top++] = from->left;
    }
}
