/*
 * lightgbm_json.c - the JSON of LightGBM's dump_model: nodes within nodes, which are walked by a stack, as deep as they are. The keys of an
 * object may come in any order, as jsonb sorts them.
 */
#include "core/base/sort.h"
#include "core/exchange/lightgbm_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What a node has said. */
enum { LEFT = 1, RIGHT = 2, SLOT = 4, THRESHOLD = 8, DECISION = 16, VALUE = 32, MISSING = 64, DEFAULT = 128, CODES = 256 };

/* A node whose object is being read. */
typedef struct OpenNode {
    DocumentList list;
    uint32_t node, found;
} OpenNode;

typedef struct Nodes {
    OpenNode *open;
    uint32_t count, room;
} Nodes;

/* ---- values ---- */

/* Returns which of these texts the next value is. */
static uint32_t read_choice(Document *document, const char *const *choices, const char *what)
{
    char *text = document_string(document);
    uint32_t i = 0;

    while (choices[i] != NULL && strcmp(choices[i], text) != 0)
        i++;
    if (choices[i] == NULL)
        document_fail(document, "says that %s is \"%.20s\"", what, text);
    document->env->release(document->env, text);
    return i;
}

static bool read_truth(Document *document)
{
    DocumentType type = document_type(document);

    if (type != DOCUMENT_TRUE && type != DOCUMENT_FALSE)
        document_fail(document, "has a value that is neither true nor false");
    document_skip(document);
    return type == DOCUMENT_TRUE;
}

/* Reads the codes of a split on a category: "1||5||7". */
static void read_codes(Document *document, ImportTree *tree, ImportNode *node)
{
    char *text = document_string(document), *at = text, *end;

    node->first_code = tree->code_count;
    while (*at != 0) {
        unsigned long code = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : ULONG_MAX;

        if (code > INT32_MAX || (*end != 0 && (strncmp(end, "||", 2) != 0 || end[2] == 0)))
            document_fail(document, "has a split with the categories \"%.20s\"", at);
        import_tree_code(document->env, tree, (uint32_t)code);
        at = end + (*end != 0 ? 2 : 0);
        env_poll_rows(document->env, tree->code_count);
    }
    node->codes = tree->code_count - node->first_code;
    document->env->release(document->env, text);
}

/* ---- a tree ---- */

static void open_node(Nodes *nodes, Document *document, uint32_t node)
{
    nodes->open = env_grow(document->env, nodes->open, nodes->count, &nodes->room, sizeof(OpenNode));
    document_enter(document, DOCUMENT_OBJECT, &nodes->open[nodes->count].list);
    nodes->open[nodes->count].node = node;
    nodes->open[nodes->count++].found = 0;
}

/* Reads a value of a node other than a child. Returns which it was; 0: one that a model does not need. */
static uint32_t read_value(Document *document, ImportTree *tree, uint32_t number, const char *key)
{
    static const char *const decisions[] = {"<=", "==", NULL}, *const missing[] = {"None", "Zero", "NaN", NULL};
    ImportNode *node = &tree->nodes[number];

    if (strcmp(key, "split_feature") == 0) {
        node->slot = (uint32_t)document_integer(document, 0, SCHEMA_MAX_SLOTS, "the feature of a split");
        return SLOT;
    }
    if (strcmp(key, "threshold") == 0 && document_type(document) == DOCUMENT_STRING) {
        read_codes(document, tree, node);
        return THRESHOLD | CODES;
    }
    if (strcmp(key, "threshold") == 0 || strcmp(key, "leaf_value") == 0) {
        node->number = document_number(document);
        return key[0] == 't' ? THRESHOLD : VALUE;
    }
    if (strcmp(key, "decision_type") == 0) {
        node->category |= read_choice(document, decisions, key) == 1 ? LIGHTGBM_CATEGORY : 0;
        return DECISION;
    }
    if (strcmp(key, "default_left") == 0) {
        node->category |= read_truth(document) ? LIGHTGBM_DEFAULT_LEFT : 0;
        return DEFAULT;
    }
    if (strcmp(key, "missing_type") == 0) {
        node->category |= (uint8_t)(read_choice(document, missing, key) << LIGHTGBM_MISSING_SHIFT);
        return MISSING;
    }
    if (strcmp(key, "leaf_count") == 0)
        node->cover = (double)document_integer(document, 0, INT32_MAX, "the rows of a leaf");
    else if (strcmp(key, "split_gain") == 0)
        node->gain = document_number(document);
    else if (strcmp(key, "leaf_const") == 0 || strcmp(key, "leaf_coeff") == 0)
        lightgbm_refuse_linear(document->env);
    else
        document_skip(document);
    return 0;
}

/* Checks what a node has said, at its end. */
static void close_node(Document *document, ImportTree *tree, const OpenNode *open)
{
    ImportNode *node = &tree->nodes[open->node];
    uint32_t split = LEFT | RIGHT | SLOT | THRESHOLD | DECISION | MISSING | DEFAULT;

    if (open->found == VALUE)
        return;
    if ((open->found & ~(uint32_t)CODES) != split || !(node->category & LIGHTGBM_CATEGORY) != !(open->found & CODES))
        document_fail(document, "has a node that ends here and is neither a leaf nor a split");
    lightgbm_finish_split(document, node);
}

static void read_structure(Nodes *nodes, Document *document, ImportTree *tree)
{
    uint32_t depth = document->depth + 1, found;
    char key[DOCUMENT_KEY];

    nodes->count = 0;
    open_node(nodes, document, import_tree_node(document->env, tree));
    while (nodes->count > 0) {
        OpenNode *open = &nodes->open[nodes->count - 1];
        uint32_t number = open->node, child;

        document->depth = depth; /* what a reader without a stack of its own would count */
        if (!document_next_key(document, &open->list, key)) {
            close_node(document, tree, open);
            nodes->count--;
            continue;
        }
        if (strcmp(key, "left_child") == 0 || strcmp(key, "right_child") == 0) {
            found = key[0] == 'l' ? LEFT : RIGHT;
            child = import_tree_node(document->env, tree);
            *(found == LEFT ? &tree->nodes[number].left : &tree->nodes[number].right) = child;
            open_node(nodes, document, child);
            open = &nodes->open[nodes->count - 2]; /* the stack may have moved */
        } else {
            found = read_value(document, tree, number, key);
        }
        if (open->found & found)
            document_fail(document, "says \"%s\" twice", key);
        open->found |= found;
    }
    document->depth = depth - 1;
}

static void read_tree(LightgbmDocument *lightgbm, Document *place, ImportTree *tree)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    import_tree_begin(lightgbm->env, tree, 0);
    for (document_enter(place, DOCUMENT_OBJECT, &list); document_next_key(place, &list, key);)
        if (strcmp(key, "tree_structure") == 0 && tree->count > 0)
            document_fail(place, "says \"%s\" twice", key);
        else if (strcmp(key, "tree_structure") == 0)
            read_structure(lightgbm->reader, place, tree);
        else
            document_skip(place);
}

static void read_trees(LightgbmDocument *lightgbm, Document *document)
{
    ImportTree tree = {0};
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list);) {
        lightgbm_add_place(lightgbm, document);
        read_tree(lightgbm, document, &tree); /* to pass over it, however deep */
    }
}

/* ---- the rest of the document ---- */

/* A name and the number of its feature. */
typedef struct Named {
    const char *name;
    size_t length;
    uint32_t feature;
} Named;

static int compare_named(const void *a, const void *b)
{
    const Named *left = a, *right = b;
    int order = memcmp(left->name, right->name, left->length < right->length ? left->length : right->length);

    return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}

/* Reads {"name": {"values": [1, 5, 2]}}: features with values are categories. */
static void read_infos(LightgbmDocument *lightgbm, Document document)
{
    Env *env = lightgbm->env;
    Named *sorted = env_array(env, (size_t)lightgbm->named + 1, sizeof(Named)), *found, wanted;
    char key[DOCUMENT_KEY];
    DocumentList list, info, values;

    for (uint32_t i = 0; i < lightgbm->named; i++) {
        lightgbm_add_kind(lightgbm, LIGHTGBM_UNUSED);
        sorted[i] = (Named){lightgbm->names[i], strlen(lightgbm->names[i]), i};
    }
    sort_polled(env, sorted, lightgbm->named, sizeof(Named), compare_named);
    for (document_enter(&document, DOCUMENT_OBJECT, &list); (wanted.name = document_next_name(&document, &list, &wanted.length)) != NULL;) {
        found = bsearch(&wanted, sorted, lightgbm->named, sizeof(Named), compare_named);
        if (found == NULL)
            document_fail(&document, "describes a feature that has no such name");
        lightgbm->kind[found->feature] = LIGHTGBM_NUMBER;
        for (document_enter(&document, DOCUMENT_OBJECT, &info); document_next_key(&document, &info, key);)
            if (strcmp(key, "values") == 0) {
                for (document_enter(&document, DOCUMENT_ARRAY, &values); document_next(&document, &values); document_skip(&document))
                    lightgbm->kind[found->feature] = LIGHTGBM_CODES;
            } else {
                document_skip(&document);
            }
    }
    env->release(env, sorted);
}

static void read_names(LightgbmDocument *lightgbm, Document *document)
{
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list);)
        lightgbm_add_name(lightgbm, document_string(document));
}

/* Reads the value of a key. infos: set to the place of feature_infos. */
static void read_key(LightgbmDocument *lightgbm, Document *document, const char *key, Document *infos)
{
    uint32_t part = lightgbm_part(lightgbm, document, key, strlen(key));

    if (part == LIGHTGBM_INFOS)
        *infos = *document;
    if (part == LIGHTGBM_LEVELS && document_type(document) == DOCUMENT_ARRAY)
        lightgbm->levels = *document;
    if (part == LIGHTGBM_VERSION)
        lightgbm->version = document_string(document);
    else if (part == LIGHTGBM_CLASSES)
        lightgbm->classes = (uint32_t)document_integer(document, 1, LIGHTGBM_MOST_CLASSES, key);
    else if (part == LIGHTGBM_PER_ITERATION)
        lightgbm->per_iteration = (uint32_t)document_integer(document, 1, LIGHTGBM_MOST_CLASSES, key);
    else if (part == LIGHTGBM_FEATURES)
        lightgbm->features = (uint32_t)document_integer(document, 0, SCHEMA_MAX_SLOTS - 1, key) + 1;
    else if (part == LIGHTGBM_OBJECTIVE)
        lightgbm->objective = document_string(document);
    else if (part == LIGHTGBM_AVERAGED)
        lightgbm->averaged = read_truth(document);
    else if (part == LIGHTGBM_NAMES)
        read_names(lightgbm, document);
    else if (part == LIGHTGBM_TREES)
        read_trees(lightgbm, document);
    else
        document_skip(document);
}

void lightgbm_read_json(LightgbmDocument *lightgbm)
{
    Document *document = &lightgbm->document, infos = {0};
    char key[DOCUMENT_KEY];
    DocumentList list;

    lightgbm->read_tree = read_tree;
    lightgbm->reader = env_array(lightgbm->env, 1, sizeof(Nodes));
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        read_key(lightgbm, document, key, &infos);
    document_close(document);
    if (infos.at != NULL)
        read_infos(lightgbm, infos);
}
