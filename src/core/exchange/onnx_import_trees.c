/*
 * onnx_import_trees.c - TreeEnsembleRegressor and TreeEnsembleClassifier.
 *
 * A comparison of floats becomes the comparison of doubles that goes the same way for every double: its threshold is the largest double that
 * rounds to a float on the same side. Nodes that compare for equality become two splits, and a node with several parents as many copies.
 */
#include "core/boosting/boosting_scores.h"
#include "core/base/sort.h"
#include "core/import/float_threshold.h"
#include "core/exchange/onnx_import.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#define COPIES_MOST 16 /* nodes of the model for each of the document */

/* A node or a leaf's weight, by its tree and number. */
typedef struct Place {
    double tree, node;
    uint32_t at; /* in the attributes */
} Place;

typedef struct TreeReader {
    OnnxImport *import;
    uint32_t nodes, targets, trees;
    const double *feature, *yes, *no, *value, *missing; /* [nodes]; missing NULL: 0 */
    const char *const *mode;
    const double *target, *weight; /* [targets] */
    Place *node, *leaf;  /* [nodes], [targets], sorted */
    uint32_t *root;      /* [trees] in `node`; NULL: there are none */
    uint64_t made, most; /* nodes of the model */
    GrownTree *tree;
} TreeReader;

/* ---- reading ---- */

static int compare_places(const void *a, const void *b)
{
    const Place *left = a, *right = b;

    if (left->tree != right->tree)
        return left->tree < right->tree ? -1 : 1;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* Returns the attributes NAME_treeids and NAME_nodeids as sorted places, and forgets them. */
static Place *read_places(OnnxImport *import, const char *name, uint32_t *count)
{
    Env *env = import->env;
    uint32_t others;
    const char *tree_ids = env_message(env, "%s_treeids", name), *node_ids = env_message(env, "%s_nodeids", name);
    const double *trees = onnx_values(env, import->scorer, tree_ids, count, NULL), *nodes = onnx_values(env, import->scorer, node_ids, &others, NULL);
    Place *places = env_array(env, (size_t)*count + 1, sizeof(Place));

    if (*count != others)
        onnx_fail(env, "is damaged: %u trees and %u numbers of %s", *count, others, name);
    for (uint32_t i = 0; i < *count; i++)
        places[i] = (Place){trees[i], nodes[i], i};
    onnx_forget(env, import->scorer, tree_ids);
    onnx_forget(env, import->scorer, node_ids);
    sort_polled(env, places, *count, sizeof(Place), compare_places);
    return places;
}

/* Returns an array of the node that must have so many numbers. */
static const double *numbers_of(OnnxImport *import, const char *name, uint32_t count, bool optional)
{
    uint32_t own;
    const double *numbers = onnx_values(import->env, import->scorer, name, &own, NULL);

    if (numbers == NULL && optional)
        return NULL;
    if (own != count || numbers == NULL)
        onnx_fail(import->env, "is damaged: attribute \"%s\" has %u numbers, not %u", name, own, count);
    return numbers;
}

/* Returns the first place of a tree's node among sorted ones; UINT32_MAX: there is none. */
static uint32_t find_place(const Place *places, uint32_t count, double tree, double node)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (places[middle].tree < tree || (places[middle].tree == tree && places[middle].node < node))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && places[low].tree == tree && places[low].node == node ? low : UINT32_MAX;
}

static bool is_leaf(const TreeReader *reader, uint32_t at)
{
    return strcmp(reader->mode[at], "LEAF") == 0;
}

/* Returns the place of a child. */
static uint32_t child_of(const TreeReader *reader, uint32_t place, bool yes)
{
    const Place *node = &reader->node[place];
    double number = (yes ? reader->yes : reader->no)[node->at];
    uint32_t child = find_place(reader->node, reader->nodes, node->tree, number);

    if (child == UINT32_MAX)
        onnx_fail(reader->import->env, "is damaged: node %.0f of tree %.0f has the child %.0f, which the tree has not", node->node, node->tree, number);
    return child;
}

/* Finds the roots: the node of each tree that is nobody's child. */
static void find_roots(TreeReader *reader)
{
    Env *env = reader->import->env;
    bool *child = env_array(env, (size_t)reader->nodes + 1, sizeof(bool));
    uint32_t room = 0;
    double tree = NAN;

    for (uint32_t i = 0; i < reader->nodes; i++) {
        env_poll_rows(env, i);
        if (i > 0 && compare_places(&reader->node[i - 1], &(Place){reader->node[i].tree, reader->node[i].node, UINT32_MAX}) < 0 &&
            reader->node[i - 1].tree == reader->node[i].tree && reader->node[i - 1].node == reader->node[i].node)
            onnx_fail(env, "is damaged: tree %.0f has two nodes %.0f", reader->node[i].tree, reader->node[i].node);
        if (is_leaf(reader, reader->node[i].at))
            continue;
        child[child_of(reader, i, true)] = true;
        child[child_of(reader, i, false)] = true;
    }
    for (uint32_t i = 0; i < reader->nodes; i++) {
        if (child[i])
            continue;
        if (reader->node[i].tree == tree)
            onnx_fail(env, "is damaged: tree %.0f has two roots", tree);
        tree = reader->node[i].tree;
        reader->root = env_grow(env, reader->root, reader->trees, &room, sizeof(uint32_t));
        reader->root[reader->trees++] = i;
    }
    for (uint32_t i = 1, trees = 1; i <= reader->nodes && reader->nodes > 0; i++) {
        trees += i < reader->nodes && reader->node[i].tree != reader->node[i - 1].tree;
        if (i == reader->nodes && trees != reader->trees)
            onnx_fail(env, "is damaged: of its trees, of which there are %u, %u have a root", trees, reader->trees);
    }
}

static void read_trees(TreeReader *reader, OnnxImport *import, const char *leaves)
{
    Env *env = import->env;
    uint32_t modes;

    *reader = (TreeReader){.import = import};
    reader->node = read_places(import, "nodes", &reader->nodes);
    reader->leaf = read_places(import, leaves, &reader->targets);
    if (reader->nodes == 0)
        onnx_fail(env, "has a %s without nodes", import->scorer->operator);
    reader->feature = numbers_of(import, "nodes_featureids", reader->nodes, false);
    reader->yes = numbers_of(import, "nodes_truenodeids", reader->nodes, false);
    reader->no = numbers_of(import, "nodes_falsenodeids", reader->nodes, false);
    reader->value = numbers_of(import, "nodes_values", reader->nodes, false);
    reader->missing = numbers_of(import, "nodes_missing_value_tracks_true", reader->nodes, true);
    reader->mode = onnx_texts(env, import->scorer, "nodes_modes", &modes);
    if (modes != reader->nodes)
        onnx_fail(env, "is damaged: attribute \"nodes_modes\" has %u texts, not %u", modes, reader->nodes);
    reader->target = numbers_of(import, env_message(env, "%s_ids", leaves), reader->targets, false);
    reader->weight = numbers_of(import, env_message(env, "%s_weights", leaves), reader->targets, false);
    for (uint32_t i = 0; i < reader->targets; i++) {
        if (!isfinite(reader->weight[i]))
            onnx_fail(env, "has a leaf whose weight is not finite");
        env_poll_rows(env, i);
    }
    find_roots(reader);
    reader->most = (uint64_t)reader->nodes * COPIES_MOST + 1000;
    reader->tree = grown_tree(env);
}

/* ---- growing ---- */

/* What a node of the model is to become. */
typedef struct Growing {
    uint32_t place;  /* the node of the document */
    uint32_t parent; /* in the grown tree; TREE_NONE: it is the root */
    bool left;
    bool second;     /* it is the second comparison of an equality, below the first */
} Growing;

typedef struct GrowingStack {
    Growing *items;
    uint32_t count, room;
} GrowingStack;

static void push(Env *env, GrowingStack *stack, Growing item)
{
    stack->items = env_grow(env, stack->items, stack->count, &stack->room, sizeof(Growing));
    stack->items[stack->count++] = item;
}

/* Sets the class weights of a leaf, or its number: what it adds to a target; target -1: to any. */
typedef void (*LeafWriter)(TreeReader *reader, uint32_t node, const Place *leaf, uint32_t count, void *context);

/* Adds a split: comparisons that are true where the number is at most the threshold go left. */
static void put_split(TreeReader *reader, GrowingStack *stack, uint32_t number, const Growing *at, double threshold, bool yes_left, bool missing_yes)
{
    Env *env = reader->import->env;
    GrownNode *node = &reader->tree->nodes[number];
    double feature = reader->feature[reader->node[at->place].at];

    if (!(feature >= 0 && feature < reader->import->row.columns))
        onnx_fail(env, "has a tree that splits on feature %.0f of %u", feature, reader->import->row.columns);
    node->slot = (uint32_t)feature;
    node->missing_left = missing_yes == yes_left;
    grown_tree_threshold(node, threshold, threshold, threshold);
    node->near = NAN;
    push(env, stack, (Growing){child_of(reader, at->place, !yes_left), number, false, false});
    push(env, stack, (Growing){child_of(reader, at->place, yes_left), number, true, false});
}

/* Adds the two splits of an equality: below the number, and at most it. */
static void put_equality(TreeReader *reader, GrowingStack *stack, uint32_t number, const Growing *at, double value, bool equal, bool missing_yes)
{
    GrownNode *node;

    if (at->second) {
        put_split(reader, stack, number, at, threshold_at(value, false, reader->import->single), equal, missing_yes);
        return;
    }
    put_split(reader, stack, number, at, threshold_at(value, true, reader->import->single), !equal, missing_yes);
    node = &reader->tree->nodes[number];
    node->missing_left = missing_yes != equal; /* a missing one that goes where unequal ones do needs no second comparison */
    stack->items[stack->count - 2] = (Growing){at->place, number, false, true};
}

static void put_node(TreeReader *reader, GrowingStack *stack, uint32_t number, const Growing *at)
{
    uint32_t i = reader->node[at->place].at;
    const char *mode = reader->mode[i];
    double value = reader->value[i];
    bool missing = reader->missing != NULL && reader->missing[i] != 0;

    if (isnan(value))
        onnx_fail(reader->import->env, "has a tree that compares with NaN");
    if (strcmp(mode, "BRANCH_LEQ") == 0)
        put_split(reader, stack, number, at, threshold_at(value, false, reader->import->single), true, missing);
    else if (strcmp(mode, "BRANCH_LT") == 0)
        put_split(reader, stack, number, at, threshold_at(value, true, reader->import->single), true, missing);
    else if (strcmp(mode, "BRANCH_GTE") == 0)
        put_split(reader, stack, number, at, threshold_at(value, true, reader->import->single), false, missing);
    else if (strcmp(mode, "BRANCH_GT") == 0)
        put_split(reader, stack, number, at, threshold_at(value, false, reader->import->single), false, missing);
    else if (strcmp(mode, "BRANCH_EQ") == 0)
        put_equality(reader, stack, number, at, value, true, missing);
    else if (strcmp(mode, "BRANCH_NEQ") == 0) /* NaN is unequal to any number */
        put_equality(reader, stack, number, at, value, false, true);
    else
        onnx_fail(reader->import->env, "has a tree node of mode %.40s, which is not read", mode);
}

/* Reads a tree; write sets what its leaves hold. */
static void grow(TreeReader *reader, uint32_t tree, LeafWriter write, void *context)
{
    Env *env = reader->import->env;
    GrowingStack stack = {0};

    grown_tree_clear(reader->tree);
    push(env, &stack, (Growing){reader->root[tree], TREE_NONE, false, false});
    while (stack.count > 0) {
        Growing at = stack.items[--stack.count];
        uint32_t number = grown_tree_node(reader->tree), count = 0, first;
        GrownNode *node = &reader->tree->nodes[number];
        const Place *place = &reader->node[at.place];

        node->left = node->right = TREE_NONE;
        node->cover = 1;
        if (at.parent != TREE_NONE)
            *(at.left ? &reader->tree->nodes[at.parent].left : &reader->tree->nodes[at.parent].right) = number;
        if (++reader->made > reader->most)
            onnx_fail(env, "has trees whose nodes have several parents, more than %d copies of each would need, or come back to themselves", COPIES_MOST);
        env_poll_rows(env, reader->made);
        if (!is_leaf(reader, place->at)) {
            put_node(reader, &stack, number, &at);
            continue;
        }
        first = find_place(reader->leaf, reader->targets, place->tree, place->node);
        while (first != UINT32_MAX && first + count < reader->targets && reader->leaf[first + count].tree == place->tree &&
               reader->leaf[first + count].node == place->node)
            count++;
        write(reader, number, reader->leaf + (first != UINT32_MAX ? first : 0), count, context);
    }
    if (stack.items != NULL)
        env->release(env, stack.items);
}

/* A LeafWriter: the sum of the weights of target *context. */
static void write_number(TreeReader *reader, uint32_t node, const Place *leaf, uint32_t count, void *context)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (reader->target[leaf[i].at] == *(const double *)context)
            sum += reader->weight[leaf[i].at];
        env_poll_rows(reader->import->env, i);
    }
    reader->tree->nodes[node].value = sum;
}

/* ---- regression ---- */

/* Returns the base value of a target, 0 without any. */
static double base_value(OnnxImport *import, uint32_t target, uint32_t targets)
{
    uint32_t count;
    const double *base = onnx_values(import->env, import->scorer, "base_values", &count, NULL);

    if (base == NULL)
        return 0;
    if (count != targets)
        onnx_fail(import->env, "has %u base values for %u outputs", count, targets);
    if (!isfinite(base[target]))
        onnx_fail(import->env, "has a base value that is not finite");
    return base[target];
}

Model *onnx_import_tree_regressor(OnnxImport *import)
{
    Env *env = import->env;
    const char *aggregate = onnx_text(env, import->scorer, "aggregate_function", "SUM");
    const char *transform = onnx_text(env, import->scorer, "post_transform", "NONE");
    double targets = onnx_value(env, import->scorer, "n_targets", 1), target = 0, *base = env_array(env, 1, sizeof(double));
    static const int64_t no_seed = 0;
    bool forest = strcmp(aggregate, "AVERAGE") == 0;
    const Model *rows;
    ModelBuilder *builder;
    TreeStore *store;
    TreeReader reader;

    if (targets != 1)
        onnx_fail(env, "has trees for %.0f targets; one is read", targets);
    if (!forest && strcmp(aggregate, "SUM") != 0)
        onnx_fail(env, "aggregates trees by %.40s, which is not read", aggregate);
    if (strcmp(transform, "NONE") != 0 && (forest || strcmp(transform, "LOGISTIC") != 0))
        onnx_fail(env, "has trees with the post_transform %.40s, which is not read", transform);
    *base = base_value(import, 0, 1);
    if (forest && *base != 0)
        onnx_fail(env, "averages trees and adds a base value of %g, which is not read", *base);
    read_trees(&reader, import, "target");
    for (uint32_t i = 0; i < reader.targets; i++)
        if (reader.target[i] != 0)
            onnx_fail(env, "is damaged: a leaf has a weight of target %.0f, and there is one target", reader.target[i]);
    builder = import_row_begin(import->env, &import->row, forest ? "forest_regression" : "boosted_trees_regression", 0, NULL, &rows);
    store = tree_store(env, rows, false);
    for (uint32_t t = 0; t < reader.trees; t++) {
        grow(&reader, t, write_number, &target);
        tree_store_append(store, reader.tree);
    }
    if (forest)
        builder_i64(builder, SECTION_ARRAYS, "seeds", &no_seed, 1);
    else
        boosting_add_scores(env, builder, base, 1, strcmp(transform, "NONE") == 0 ? BOOST_IDENTITY : BOOST_LOGISTIC, false);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "trees", reader.trees);
    return model_build(builder);
}

/* ---- classification ---- */

typedef struct Classes {
    uint32_t count;
    const char *const *labels;
    bool pair;       /* two classes, whose trees have one score: weights of class 0 stand for the second, as onnxruntime reads them */
    bool positive;   /* no weight is below 0 */
    double total;    /* of shares: what the weights of a leaf add up to */
    double *shares;  /* [count] scratch */
} Classes;

/* Looks at the weights of the leaves. */
static void survey(const TreeReader *reader, Classes *classes)
{
    Env *env = reader->import->env;

    classes->pair = classes->count == 2;
    classes->positive = true;
    for (uint32_t i = 0; i < reader->targets; i++) {
        double id = reader->target[i];

        if (!(id >= 0 && id < classes->count))
            onnx_fail(env, "is damaged: a leaf is of class %.0f of %u", id, classes->count);
        classes->pair = classes->pair && id == 0;
        classes->positive = classes->positive && reader->weight[i] >= 0;
        env_poll_rows(env, i);
    }
}

/* A LeafWriter: the shares of the classes. */
static void write_shares(TreeReader *reader, uint32_t node, const Place *leaf, uint32_t count, void *context)
{
    Env *env = reader->import->env;
    Classes *classes = context;
    double total = 0, expected = 1.0 / reader->trees;

    memset(classes->shares, 0, classes->count * sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        classes->shares[classes->pair ? 1 : (uint32_t)reader->target[leaf[i].at]] += reader->weight[leaf[i].at];
    if (classes->pair) /* the other class has the rest */
        classes->shares[0] = classes->shares[1] < expected * (1 - 1e-6) ? expected - classes->shares[1] : 0;
    for (uint32_t k = 0; k < classes->count; k++)
        total += classes->shares[k];
    if (!(fabs(total - expected) <= 1e-4 * expected))
        onnx_fail(env, "has %u trees without a post_transform whose leaves are no shares of classes: the weights of one add up to %g", reader->trees, total);
    grown_tree_classes(reader->tree, node, classes->shares, classes->count);
}

static Model *read_shares(TreeReader *reader, Classes *classes)
{
    Env *env = reader->import->env;
    static const int64_t no_seed = 0;
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &reader->import->row, "forest_classifier", classes->count, classes->labels, &rows);
    TreeStore *store = tree_store(env, rows, true);

    classes->shares = env_array(env, classes->count, sizeof(double));
    for (uint32_t t = 0; t < reader->trees; t++) {
        grow(reader, t, write_shares, classes);
        tree_store_append(store, reader->tree);
    }
    builder_i64(builder, SECTION_ARRAYS, "seeds", &no_seed, 1);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "trees", reader->trees);
    return model_build(builder);
}

/* Marks which trees have leaves of a class. */
static bool *trees_of_class(const TreeReader *reader, double class, uint32_t *count)
{
    bool *has = env_array(reader->import->env, (size_t)reader->trees + 1, sizeof(bool));

    *count = 0;
    for (uint32_t t = 0, i = 0; t < reader->trees; t++) {
        double tree = reader->node[reader->root[t]].tree;

        for (; i < reader->targets && reader->leaf[i].tree <= tree; i++) {
            has[t] = has[t] || (reader->leaf[i].tree == tree && reader->target[reader->leaf[i].at] == class);
            env_poll_rows(reader->import->env, i);
        }
        *count += has[t];
    }
    return has;
}

/* Reads trees of scores: tree t adds to output t % outputs, and a class with fewer trees gets some that add nothing. */
static Model *read_scores(TreeReader *reader, const Classes *classes, uint32_t outputs)
{
    Env *env = reader->import->env;
    double *base = env_array(env, outputs, sizeof(double));
    uint32_t *next = env_array(env, outputs, sizeof(uint32_t)), most = 0, count;
    uint64_t all = 0;
    bool **has = env_array(env, outputs, sizeof(bool *));
    const Model *rows;
    ModelBuilder *builder = import_row_begin(env, &reader->import->row, "boosted_trees_classifier", classes->count, classes->labels, &rows);
    TreeStore *store = tree_store(env, rows, false);

    env_require_memory(env, (size_t)outputs * ((size_t)reader->trees + 1), "the trees of each class of the onnx document");
    reader->most *= outputs; /* trees of several classes are read once for each */
    for (uint32_t k = 0; k < outputs; k++) {
        base[k] = base_value(reader->import, k, outputs);
        has[k] = trees_of_class(reader, outputs == 1 ? 0 : k, &count);
        most = count > most ? count : most;
        all += count;
    }
    if ((uint64_t)most * outputs > all * COPIES_MOST + 1000)
        onnx_fail(env, "has %u trees of one of %u classes, and %llu of all: too few to fill the other classes up with trees that add nothing", most, outputs,
                  (unsigned long long)all);
    for (uint64_t i = 0; i < (uint64_t)most * outputs; i++) {
        uint32_t k = (uint32_t)(i % outputs);
        double class = outputs == 1 ? 0 : k;

        while (next[k] < reader->trees && !has[k][next[k]])
            next[k]++;
        if (next[k] < reader->trees) {
            grow(reader, next[k]++, write_number, &class);
        } else {
            grown_tree_clear(reader->tree);
            reader->tree->nodes[grown_tree_node(reader->tree)].cover = 1;
            reader->tree->nodes[0].left = reader->tree->nodes[0].right = TREE_NONE;
        }
        tree_store_append(store, reader->tree);
    }
    boosting_add_scores(env, builder, base, outputs, outputs == 1 ? BOOST_LOGISTIC : BOOST_SOFTMAX, false);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "trees", tree_store_trees(store));
    return model_build(builder);
}

Model *onnx_import_tree_classifier(OnnxImport *import)
{
    Env *env = import->env;
    const char *transform = onnx_text(env, import->scorer, "post_transform", "NONE");
    bool none = strcmp(transform, "NONE") == 0;
    Classes classes = {0};
    TreeReader reader;
    uint32_t base;

    classes.labels = onnx_import_labels(import, "classlabels_strings", "classlabels_int64s", &classes.count);
    if (classes.count < 2)
        onnx_fail(env, "has trees for %u classes", classes.count);
    read_trees(&reader, import, "class");
    if (reader.targets == 0)
        onnx_fail(env, "has a %s without leaves", import->scorer->operator);
    survey(&reader, &classes);
    onnx_values(env, import->scorer, "base_values", &base, NULL);
    if (none && classes.positive && base == 0)
        return read_shares(&reader, &classes);
    if (strcmp(transform, "LOGISTIC") == 0 && classes.pair && !classes.positive)
        return read_scores(&reader, &classes, 1);
    if (strcmp(transform, "SOFTMAX") == 0 && !classes.pair)
        return read_scores(&reader, &classes, classes.count);
    onnx_fail(env, "has trees for %u classes with the post_transform %.40s and %s, which is not read", classes.count, transform,
              classes.pair ? "scores of one class" : classes.positive ? "no score below 0" : "scores of each class");
}
