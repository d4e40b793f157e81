/*
 * xml_tree.c - builds the tree of an XML document.
 */
#include "core/pmml/xml_tree.h"

#include <string.h>

#define POLL_ELEMENTS 1024

/* Returns memory of the tree, zeroed. */
static void *take(XmlTree *tree, size_t bytes)
{
    env_require_memory(tree->env, tree->memory.bytes + bytes, "the elements of the XML document");
    return arena_take(&tree->memory, bytes);
}

static const char *copy(XmlTree *tree, const char *text, size_t length)
{
    char *out = take(tree, length + 1);

    memcpy(out, text, length);
    return out;
}

/* Returns the one copy of a name. */
static const char *name_of(XmlTree *tree, const char *name)
{
    size_t length = strlen(name);
    uint32_t hash = hash_bytes(name, (uint32_t)length), place = hash_start(&tree->table, hash), entry;

    while ((entry = hash_next(&tree->table, hash, &place)) != HASH_NONE)
        if (strcmp(tree->name[entry], name) == 0)
            return tree->name[entry];
    tree->name = env_grow(tree->env, tree->name, tree->table.count, &tree->names, sizeof(char *));
    entry = hash_add(tree->env, &tree->table, hash);
    tree->name[entry] = copy(tree, name, length);
    return tree->name[entry];
}

XmlTree xml_tree(Env *env)
{
    return (XmlTree){.env = env, .table = hash_table(env, 6), .text = {.env = env}, .memory = {.env = env}};
}

void xml_tree_begin(XmlTree *tree, const char *name)
{
    XmlNode *node = take(tree, sizeof(XmlNode));

    if (++tree->depth > XML_DEPTH)
        env_fail(tree->env, ERROR_LIMIT, NULL, "the XML document has elements within each other %d deep; at most %d are read", XML_DEPTH + 1, XML_DEPTH);
    env_poll_every(tree->env, ++tree->work, POLL_ELEMENTS);
    node->name = name_of(tree, name);
    node->text = "";
    node->parent = tree->open;
    if (tree->open == NULL)
        tree->root = node;
    else if (tree->open->last == NULL)
        tree->open->child = node;
    else
        tree->open->last->next = node;
    if (tree->open != NULL)
        tree->open->last = node;
    tree->open = node;
    tree->text.length = 0;
}

void xml_tree_attribute(XmlTree *tree, const char *name, const char *value, size_t length)
{
    XmlAttribute *attribute = take(tree, sizeof(XmlAttribute));

    attribute->name = name_of(tree, name);
    attribute->value = copy(tree, value, length);
    attribute->next = tree->open->attribute;
    tree->open->attribute = attribute;
}

void xml_tree_text(XmlTree *tree, const char *text, size_t length)
{
    if (tree->open != NULL && tree->open->child == NULL)
        text_bytes(&tree->text, text, length);
}

void xml_tree_end(XmlTree *tree)
{
    if (tree->open->child == NULL && tree->text.length > 0)
        tree->open->text = copy(tree, tree->text.text, tree->text.length);
    tree->text.length = 0;
    tree->open = tree->open->parent;
    tree->depth--;
}
