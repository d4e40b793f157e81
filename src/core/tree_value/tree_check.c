/*
 * tree_check.c - the declared arrays of trees, and what the declarations cannot say.
 */
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#define POLL_NODES 65536 /* between two polls */

#define NARROW(own_name, own_values, own_presence)                                                                      \
    {.name = own_name,                                                                                                  \
     .type = ARRAY_F64,                                                                                                 \
     .narrow = true,                                                                                                    \
     .presence = own_presence,                                                                                          \
     .values = own_values,                                                                                              \
     .rows = {SIZE_FREE}}
#define TREE_SETS {.name = "category_sets", .type = ARRAY_U8, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}}
#define TREE_SPLIT {.name = "split", .type = ARRAY_I32, .narrow = true, .values = VALUES_ANY, .rows = {SIZE_FREE}}
#define TREE_THRESHOLD NARROW("threshold", VALUES_ANY, ARRAY_OPTIONAL)
#define TREE_NODES {.name = "tree_nodes", .type = ARRAY_I32, .values = VALUES_POSITIVE, .rows = {SIZE_FREE}}
#define TREE_IMPORTANCE                                                                                                 \
    {.name = "importance",                                                                                              \
     .type = ARRAY_F64,                                                                                                 \
     .presence = ARRAY_OPTIONAL,                                                                                        \
     .values = VALUES_NONNEGATIVE,                                                                                      \
     .rows = {SIZE_SLOTS}}
#define TREE_IMPURITY NARROW("impurity", VALUES_FINITE, ARRAY_OPTIONAL)

const ArraySpec tree_class_arrays[9] = {
    TREE_SETS,
    TREE_IMPORTANCE,
    TREE_IMPURITY,
    {.name = "leaf_class",
     .type = ARRAY_I32,
     .narrow = true,
     .values = VALUES_INDEX,
     .below = SIZE_CLASSES,
     .rows = {SIZE_FREE}},
    {.name = "leaf_classes", .type = ARRAY_I32, .narrow = true, .values = VALUES_POSITIVE, .rows = {SIZE_FREE}},
    NARROW("leaf_weight", VALUES_POSITIVE, ARRAY_REQUIRED),
    TREE_SPLIT,
    TREE_THRESHOLD,
    TREE_NODES};

const ArraySpec tree_number_arrays[9] = {TREE_SETS,
                                         TREE_IMPORTANCE,
                                         TREE_IMPURITY,
                                         NARROW("leaf_cover", VALUES_NONNEGATIVE, ARRAY_REQUIRED),
                                         NARROW("leaf_value", VALUES_FINITE, ARRAY_REQUIRED),
                                         NARROW("node_value", VALUES_FINITE, ARRAY_OPTIONAL),
                                         TREE_SPLIT,
                                         TREE_THRESHOLD,
                                         TREE_NODES};

typedef struct TreeCheck {
    Env *env;
    const Model *model;
    TreeLevels levels;
    uint64_t nodes, splits, set_bytes;
} TreeCheck;

/* Returns the code of node i: -1 for a leaf. */
static inline int64_t split_code(const ModelEntry *entry, const void *data, uint64_t i)
{
    if (entry->type == ARRAY_U8) {
        uint8_t code = ((const uint8_t *)data)[i];
        return code == UINT8_MAX ? -1 : code;
    }
    return ((const int32_t *)data)[i];
}

/* Walks through the nodes of one tree, which must be complete just at its end. */
static const char *check_tree(TreeCheck *check, const ModelEntry *split, uint64_t first, uint32_t count)
{
    const void *data = model_data(check->model, split);
    int64_t open = 1; /* subtrees that are still to come */

    for (uint64_t i = first; i < first + count; i++) {
        int64_t code = split_code(split, data, i);

        if (i % POLL_NODES == 0)
            check->env->poll(check->env);
        if (open == 0)
            return "a tree ends before its last node";
        if (code < -1 || code / 2 >= check->model->slot_count)
            return env_message(check->env, "node %llu splits on feature %lld of %u", (unsigned long long)i + 1,
                               (long long)code / 2 + 1, check->model->slot_count);
        if (code < 0) {
            open--;
            continue;
        }
        open++;
        check->splits++;
        if (check->levels.category[code / 2])
            check->set_bytes += tree_set_bytes(check->levels.count[code / 2]);
    }
    return open == 0 ? NULL : "a tree has a node without children";
}

static const char *check_trees(TreeCheck *check)
{
    const ModelEntry *trees = model_find(check->model, "tree_nodes"), *split = model_find(check->model, "split");
    const int32_t *nodes = model_data(check->model, trees);
    const char *wrong = NULL;

    for (uint32_t t = 0; t < trees->rows && wrong == NULL; t++) {
        if ((uint64_t)nodes[t] > split->rows - check->nodes)
            return "the trees have more nodes than are stored";
        wrong = check_tree(check, split, check->nodes, (uint32_t)nodes[t]);
        check->nodes += (uint32_t)nodes[t];
    }
    if (wrong == NULL && check->nodes != split->rows)
        return "a node belongs to no tree";
    if (wrong == NULL && trees->rows == 0)
        return "there is no tree";
    return wrong;
}

/* Checks the length of an array. */
static const char *check_length(const TreeCheck *check, const char *name, uint64_t length)
{
    const ModelEntry *entry = model_find(check->model, name);
    uint32_t rows = entry != NULL ? entry->rows : 0;

    if (rows == length)
        return NULL;
    return env_message(check->env, "array \"%s\" has %u elements, but the trees need %llu", name, rows,
                       (unsigned long long)length);
}

static const char *check_thresholds(const TreeCheck *check)
{
    const ModelEntry *entry = model_find(check->model, "threshold");

    for (uint32_t i = 0; entry != NULL && i < entry->rows; i++) {
        if (isnan(model_number(check->model, entry, i)))
            return "a threshold is NaN";
        if (i % POLL_NODES == 0)
            check->env->poll(check->env);
    }
    return NULL;
}

/* Checks the classes of the leaves: as many as there are, each once, in order. */
static const char *check_classes(const TreeCheck *check)
{
    const Model *model = check->model;
    const ModelEntry *counts = model_find(model, "leaf_classes"), *classes = model_find(model, "leaf_class");
    uint64_t at = 0;

    for (uint32_t leaf = 0; leaf < counts->rows; leaf++) {
        double count = model_number(model, counts, leaf), before = -1;

        if (count > (double)(classes->rows - at))
            return "the leaves have more classes than are stored";
        for (uint32_t i = 0; i < (uint32_t)count; i++, at++) {
            double class = model_number(model, classes, at);

            if (class <= before)
                return "the classes of a leaf are not in order";
            before = class;
            if (at % POLL_NODES == 0)
                check->env->poll(check->env);
        }
    }
    return at == classes->rows ? check_length(check, "leaf_weight", at) : "a class belongs to no leaf";
}

const char *tree_check(Env *env, const Model *model)
{
    TreeCheck check = {.env = env, .model = model, .levels = tree_levels(env, model)};
    bool classes = model_find(model, "leaf_classes") != NULL;
    const char *wrong = check_trees(&check);
    uint64_t leaves = check.nodes - check.splits;

    if (wrong == NULL)
        wrong = check_length(&check, "threshold", check.splits);
    if (wrong == NULL)
        wrong = check_length(&check, "category_sets", check.set_bytes);
    if (wrong == NULL)
        wrong = check_length(&check, classes ? "leaf_classes" : "leaf_value", leaves);
    if (wrong == NULL && !classes)
        wrong = check_length(&check, "leaf_cover", leaves);
    if (wrong == NULL && model_find(model, "impurity") != NULL)
        wrong = check_length(&check, "impurity", check.nodes);
    if (wrong == NULL && model_find(model, "node_value") != NULL)
        wrong = check_length(&check, "node_value", check.nodes);
    if (wrong == NULL)
        wrong = check_thresholds(&check);
    if (wrong == NULL && classes)
        wrong = check_classes(&check);
    return wrong;
}
