/*
 * tree_tables.c - tables of models with trees: nodes, importance of the features, the path of pruning.
 */
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"
#include "core/base/json.h"

#include <math.h>
#include <string.h>

/* ---- nodes ---- */

typedef struct NodeReader {
    const TreeScorer *scorer;
    uint32_t tree;
    uint32_t *parent, *depth; /* [nodes of the largest tree] of the current tree */
    double *cover;            /* the same */
    double *value;            /* [classes], or one number */
    double *class_sums;       /* labels, [nodes of the largest tree x classes]; NULL: they are summed node by node */
    double *mean;             /* numbers: of each node of the current tree */
} NodeReader;

#define POLL_NODES 65536

/* Sums the class weights of all nodes of the current tree. */
static void sum_tree(Env *env, const NodeReader *reader)
{
    const TreeScorer *scorer = reader->scorer;
    const TreeNode *first = scorer->node + scorer->root[reader->tree];
    uint32_t count = scorer->root[reader->tree + 1] - scorer->root[reader->tree], classes = scorer->classes;

    for (uint32_t i = count; i-- > 0;) { /* in preorder, both children come after their parent */
        double *sums = reader->class_sums + (size_t)i * classes, *left = sums + classes;
        const double *right = sums + (size_t)first[i].right * classes;
        uint32_t leaf = first[i].right;

        if ((uint64_t)i * classes % POLL_NODES < classes)
            env->poll(env);
        if (first[i].split != TREE_LEAF) {
            for (uint32_t k = 0; k < classes; k++)
                sums[k] = left[k] + right[k];
            continue;
        }
        memset(sums, 0, classes * sizeof(double));
        for (uint32_t e = scorer->leaf_first[leaf]; e < scorer->leaf_first[leaf + 1]; e++)
            sums[scorer->leaf_class[e]] = scorer->leaf_weight[e];
    }
}

/* Computes parents, depths and covers of the current tree. */
static void read_tree(Env *env, const NodeReader *reader)
{
    const TreeScorer *scorer = reader->scorer;
    const TreeNode *first = scorer->node + scorer->root[reader->tree];
    uint32_t count = scorer->root[reader->tree + 1] - scorer->root[reader->tree];

    reader->parent[0] = TREE_NONE;
    reader->depth[0] = 0;
    if (reader->class_sums != NULL)
        sum_tree(env, reader);
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_NODES == 0)
            env->poll(env);
        if (first[i].split != TREE_LEAF) {
            uint32_t right = i + first[i].right;

            reader->parent[i + 1] = reader->parent[right] = i;
            reader->depth[i + 1] = reader->depth[right] = reader->depth[i] + 1;
        }
    }
    for (uint32_t i = count; i-- > 0;) {
        bool leaf = first[i].split == TREE_LEAF;
        uint32_t right = leaf ? 0 : i + first[i].right;

        if (i % POLL_NODES == 0)
            env->poll(env);
        reader->cover[i] = leaf ? scorer->leaf_cover[first[i].right] : reader->cover[i + 1] + reader->cover[right];
        if (leaf)
            reader->mean[i] = first[i].of.value;
        else if (reader->cover[i] > 0)
            reader->mean[i] = (reader->mean[i + 1] * reader->cover[i + 1] + reader->mean[right] * reader->cover[right]) /
                              reader->cover[i];
        else
            reader->mean[i] = reader->mean[i + 1] / 2 + reader->mean[right] / 2;
    }
}

static NodeReader *open_reader(Env *env, const Model *model, bool sums)
{
    NodeReader *reader = env_array(env, 1, sizeof(NodeReader));
    const TreeScorer *scorer = tree_scorer(env, model);
    uint32_t most = 0;

    for (uint32_t t = 0; t < scorer->trees; t++) {
        uint32_t count = scorer->root[t + 1] - scorer->root[t];
        most = count > most ? count : most;
    }
    reader->scorer = scorer;
    reader->parent = env_array_raw(env, most, sizeof(uint32_t));
    reader->depth = env_array_raw(env, most, sizeof(uint32_t));
    reader->cover = env_array_raw(env, most, sizeof(double));
    reader->mean = env_array_raw(env, most, sizeof(double));
    reader->value = env_array(env, (size_t)scorer->classes + 1, sizeof(double));
    if (sums && scorer->classes > 0 && (double)most * scorer->classes * sizeof(double) <= env->memory_limit)
        reader->class_sums = env_array_raw(env, (size_t)most * scorer->classes, sizeof(double));
    return reader;
}

static void *nodes_open(Env *env, const Model *model, uint64_t *rows)
{
    NodeReader *reader = open_reader(env, model, true);

    *rows = reader->scorer->nodes;
    read_tree(env, reader);
    return reader;
}

/* Sums the class weights of the leaves below node i of the current tree. */
static void sum_classes(Env *env, NodeReader *reader, uint32_t i)
{
    const TreeScorer *scorer = reader->scorer;
    const TreeNode *first = scorer->node + scorer->root[reader->tree];
    uint32_t open = 1;

    if (reader->class_sums != NULL) {
        memcpy(reader->value, reader->class_sums + (size_t)i * scorer->classes, scorer->classes * sizeof(double));
        return;
    }
    memset(reader->value, 0, scorer->classes * sizeof(double));
    for (; open > 0; i++) { /* preorder: until as many leaves as subtrees have come */
        uint32_t leaf = first[i].right;

        if (i % POLL_NODES == 0)
            env->poll(env);
        if (first[i].split != TREE_LEAF) {
            open++;
            continue;
        }
        open--;
        for (uint32_t e = scorer->leaf_first[leaf]; e < scorer->leaf_first[leaf + 1]; e++)
            reader->value[scorer->leaf_class[e]] += scorer->leaf_weight[e];
    }
}

/* Fills the cell with the levels that go left, as a JSON array. */
static void put_levels(Env *env, const TreeScorer *scorer, const TreeNode *node, Cell *cell)
{
    TextBuffer list = {.env = env};
    uint32_t slot = node->split >> 2, shown = 0;

    text_add(&list, "[");
    for (uint32_t level = 0; level < scorer->levels[slot]; level++) {
        uint32_t length;
        const char *text;

        if (!(scorer->sets[node->of.category.set + level / 8] >> level % 8 & 1))
            continue;
        text = dictionary_text(scorer->model, DICTIONARY_LEVELS, scorer->first_level[slot] + level, &length);
        text_add(&list, shown++ > 0 ? ", " : "");
        json_quote(&list, text, length);
    }
    text_add(&list, "]");
    cell_text(cell, list.text, (uint32_t)list.length);
}

/* Returns how much the split of node i decreases the impurity; NaN: impurities are not stored. */
static double gain_of(const NodeReader *reader, uint32_t i, const TreeNode *node)
{
    const TreeScorer *scorer = reader->scorer;
    uint32_t first = scorer->root[reader->tree], right = i + node->right;
    double share;

    if (scorer->impurity == NULL || !(reader->cover[i] > 0))
        return NAN;
    share = reader->cover[right] / reader->cover[i];
    return model_number(scorer->model, scorer->impurity, first + i) -
           (1 - share) * model_number(scorer->model, scorer->impurity, first + i + 1) -
           share * model_number(scorer->model, scorer->impurity, first + right);
}

static void put_split(Env *env, NodeReader *reader, uint32_t i, const TreeNode *node, Cell *cells)
{
    const TreeScorer *scorer = reader->scorer;

    cell_string(&cells[4], schema_term_text(env, scorer->model, node->split >> 2, -1));
    if (node->split & TREE_CATEGORY)
        put_levels(env, scorer, node, &cells[6]);
    else
        cell_number(&cells[5], node->of.threshold);
    cell_string(&cells[7], node->split & TREE_MISSING_LEFT ? "left" : "right");
    cell_number(&cells[10], gain_of(reader, i, node));
}

static bool nodes_row(Env *env, const Model *model, void *state, uint64_t number, Cell *cells)
{
    NodeReader *reader = state;
    const ModelEntry *values = model_find(model, "node_value");
    const TreeScorer *scorer = reader->scorer;
    const TreeNode *node;
    uint32_t i;

    if (number == scorer->root[reader->tree + 1]) {
        reader->tree++;
        read_tree(env, reader);
    }
    i = (uint32_t)number - scorer->root[reader->tree];
    node = scorer->node + number;
    cell_integer(&cells[0], reader->tree + 1);
    cell_integer(&cells[1], i + 1);
    if (reader->parent[i] != TREE_NONE)
        cell_integer(&cells[2], reader->parent[i] + 1);
    cell_integer(&cells[3], reader->depth[i]);
    if (node->split != TREE_LEAF)
        put_split(env, reader, i, node, cells);
    cell_number(&cells[8], reader->cover[i]);
    if (scorer->impurity != NULL)
        cell_number(&cells[9], model_number(model, scorer->impurity, (uint32_t)number));
    if (scorer->classes > 0)
        sum_classes(env, reader, i);
    else
        reader->value[0] = values != NULL ? model_number(model, values, (uint32_t)number) : reader->mean[i];
    cell_numbers(&cells[11], reader->value, 0, scorer->classes > 0 ? scorer->classes : 1);
    return true;
}

const Table table_tree_nodes = {.name = "tree_nodes", .open = nodes_open, .row = nodes_row};

/* ---- importance ---- */

/* Sums the decreases of impurity by the splits of one tree. */
static void add_decreases(Env *env, NodeReader *reader, double *sums)
{
    const TreeScorer *scorer = reader->scorer;
    uint32_t first = scorer->root[reader->tree], count = scorer->root[reader->tree + 1] - first;

    read_tree(env, reader);
    for (uint32_t i = 0; i < count; i++) {
        const TreeNode *node = &scorer->node[first + i];

        if (i % POLL_NODES == 0)
            env->poll(env);
        if (node->split != TREE_LEAF && reader->cover[0] > 0)
            sums[node->split >> 2] += fmax(0, gain_of(reader, i, node)) * reader->cover[i] / reader->cover[0];
    }
}

double *tree_importance(Env *env, const Model *model)
{
    const ModelEntry *stored = model_find(model, "importance");
    double *sums = env_array(env, (size_t)model->slot_count + 1, sizeof(double)), total = 0;

    if (stored != NULL) {
        for (uint32_t s = 0; s < model->slot_count; s++)
            sums[s] = model_number(model, stored, s);
    } else if (model_find(model, "impurity") != NULL) {
        NodeReader *reader = open_reader(env, model, false);

        for (reader->tree = 0; reader->tree < reader->scorer->trees; reader->tree++)
            add_decreases(env, reader, sums);
    } else {
        return NULL;
    }
    for (uint32_t s = 0; s < model->slot_count; s++)
        total += sums[s];
    for (uint32_t s = 0; total > 0 && s < model->slot_count; s++)
        sums[s] /= total;
    return sums;
}

static bool has_importance(const Model *model)
{
    return model_find(model, "importance") != NULL || model_find(model, "impurity") != NULL ||
           model_find(model, "permutation_importance") != NULL;
}

typedef struct ImportanceReader {
    const double *importance;
} ImportanceReader;

static void *importance_open(Env *env, const Model *model, uint64_t *rows)
{
    ImportanceReader *reader = env_array(env, 1, sizeof(ImportanceReader));

    if (model_find(model, "permutation_importance") != NULL) /* errors, which do not add up to 1 */
        reader->importance = model_f64(model, "permutation_importance", NULL);
    else
        reader->importance = tree_importance(env, model);
    *rows = model->slot_count;
    return reader;
}

static bool importance_row(Env *env, const Model *model, void *state, uint64_t i, Cell *cells)
{
    ImportanceReader *reader = state;

    cell_string(&cells[0], schema_term_text(env, model, (uint32_t)i, -1));
    cell_number(&cells[1], reader->importance[i]);
    return true;
}

const Table table_importance = {.name = "importance", .has = has_importance, .open = importance_open, .row = importance_row};

/* ---- the path of pruning ---- */

static bool has_path(const Model *model)
{
    return model_find(model, "path_alpha") != NULL;
}

static void *path_open(Env *env, const Model *model, uint64_t *rows)
{
    *rows = model_find(model, "path_alpha")->rows;
    return NULL;
}

static bool path_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const ModelEntry *error = model_find(model, "path_error");

    cell_number(&cells[0], model_number(model, model_find(model, "path_alpha"), i));
    cell_integer(&cells[1], (int64_t)model_number(model, model_find(model, "path_leaves"), i));
    cell_number(&cells[2], model_number(model, model_find(model, "path_impurity"), i));
    if (error != NULL)
        cell_number(&cells[3], model_number(model, error, i));
    cell_integer(&cells[4], cells[1].integer == model_fact(model, "leaves", 0)); /* each step has fewer leaves than the one before */
    return true;
}

const Table table_prune_path = {.name = "prune_path", .has = has_path, .open = path_open, .row = path_row};
