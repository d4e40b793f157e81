/*
 * xml_tree.h - an XML document as a tree of elements. The host parses the text (Env.read_xml) and builds the tree by the functions here, which
 * limit its depth and its memory.
 */
#ifndef PGFIT_XML_TREE_H
#define PGFIT_XML_TREE_H

#include "core/base/arena.h"
#include "core/base/hash_table.h"
#include "core/base/text_buffer.h"

#define XML_DEPTH 250 /* elements in elements: what libxml2 reads by default, less a few */

typedef struct XmlAttribute XmlAttribute;
struct XmlAttribute {
    const char *name, *value;
    XmlAttribute *next;
};

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *name;
    const char *text; /* directly in it, without elements; "" if there is none */
    XmlAttribute *attribute;
    XmlNode *parent, *child, *next;
    XmlNode *last; /* child */
};

typedef struct XmlTree {
    Env *env;
    XmlNode *root, *open; /* open: the element that has begun last */
    uint32_t depth;
    TextBuffer text;      /* of the open element so far */
    HashTable table;      /* of names, which are kept once */
    const char **name;    /* [table.count] */
    uint32_t names;       /* room */
    Arena memory;
    uint32_t work;        /* elements since the last poll */
} XmlTree;

XmlTree xml_tree(Env *env);
/* Begin an element, give it an attribute, add to its text, and end it. Strings are copied. Fail with ERROR_LIMIT past the depth or the budget. */
void xml_tree_begin(XmlTree *tree, const char *name);
void xml_tree_attribute(XmlTree *tree, const char *name, const char *value, size_t length);
void xml_tree_text(XmlTree *tree, const char *text, size_t length);
void xml_tree_end(XmlTree *tree);

#endif
