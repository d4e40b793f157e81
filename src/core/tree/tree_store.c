/*
 * tree_store.c - trees as they grow, and the arrays of a model that they become.
 */
#include "core/tree/tree_levels.h"
#include "core/tree/tree_model.h"

#include <math.h>
#include <string.h>

#define POLL_NODES 16384 /* between two polls */
#define SPLIT_U8_LEAF 255

/* ---- a tree ---- */

GrownTree *grown_tree(Env *env)
{
    GrownTree *tree = env_array(env, 1, sizeof(GrownTree));

    tree->env = env;
    return tree;
}

void grown_tree_clear(GrownTree *tree)
{
    tree->count = tree->sets_size = tree->entries = 0;
}

void grown_tree_free(GrownTree *tree)
{
    void *blocks[] = {tree->nodes, tree->sets, tree->class_of, tree->class_weight, tree};
    Env *env = tree->env;

    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
}

/* Returns a capacity for at least `needed` elements: twice the former one. Fails past 2^32. */
static uint32_t larger(Env *env, uint32_t capacity, uint64_t needed)
{
    uint64_t wanted = capacity < 64 ? 64 : (uint64_t)capacity * 2;

    if (wanted < needed)
        wanted = needed;
    if (needed > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Limit the trees by max_depth, min_samples_leaf or max_leaf_nodes.",
                 "the trees have too many nodes");
    return wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
}

uint32_t grown_tree_node(GrownTree *tree)
{
    if (tree->count == tree->capacity) {
        tree->capacity = larger(tree->env, tree->capacity, (uint64_t)tree->count + 1);
        tree->nodes = tree->env->resize(tree->env, tree->nodes, (size_t)tree->capacity * sizeof(GrownNode));
    }
    tree->nodes[tree->count] = (GrownNode){.left = TREE_NONE, .right = TREE_NONE, .set = TREE_NONE};
    return tree->count++;
}

uint32_t grown_tree_set(GrownTree *tree, uint32_t levels)
{
    uint32_t bytes = tree_set_bytes(levels), at = tree->sets_size;

    if (tree->sets_capacity - at < bytes) {
        tree->sets_capacity = larger(tree->env, tree->sets_capacity, (uint64_t)at + bytes);
        tree->sets = tree->env->resize(tree->env, tree->sets, tree->sets_capacity);
    }
    memset(tree->sets + at, 0, bytes);
    tree->sets_size += bytes;
    return at;
}

static void reserve_entries(GrownTree *tree, uint32_t count)
{
    Env *env = tree->env;

    if (tree->entries_capacity - tree->entries >= count)
        return;
    tree->entries_capacity = larger(env, tree->entries_capacity, (uint64_t)tree->entries + count);
    tree->class_of = env->resize(env, tree->class_of, (size_t)tree->entries_capacity * sizeof(uint32_t));
    tree->class_weight = env->resize(env, tree->class_weight, (size_t)tree->entries_capacity * sizeof(double));
}

void grown_tree_classes(GrownTree *tree, uint32_t node, const double *weights, uint32_t count)
{
    GrownNode *leaf = &tree->nodes[node];

    reserve_entries(tree, count);
    leaf->first_class = tree->entries;
    for (uint32_t k = 0; k < count; k++)
        if (weights[k] > 0) {
            tree->class_of[tree->entries] = k;
            tree->class_weight[tree->entries++] = weights[k];
        }
    leaf->classes = tree->entries - leaf->first_class;
}

/* ---- arrays that grow ---- */

typedef struct Growing {
    void *data;
    uint32_t count, capacity;
} Growing;

struct TreeStore {
    Env *env;
    TreeLevels levels;
    uint32_t slots, class_count;
    bool classes, keep_impurity, floats, float_values;
    double *importance;
    Growing tree_nodes, split, threshold, sets, impurity;
    Growing leaf_value, leaf_cover, leaf_classes, leaf_class, leaf_weight;
    double *class_sums;         /* [class_count] scratch: zeros */
    uint32_t *stack, stack_size; /* nodes that are still to be written */
};

/* Makes room for more elements. */
static void *grow(TreeStore *store, Growing *array, uint32_t more, size_t size)
{
    if (array->capacity - array->count < more) {
        array->capacity = larger(store->env, array->capacity, (uint64_t)array->count + more);
        array->data = store->env->resize(store->env, array->data, (size_t)array->capacity * size);
    }
    array->count += more;
    return (char *)array->data + (size_t)(array->count - more) * size;
}

static inline void put_i32(TreeStore *store, Growing *array, int32_t value)
{
    *(int32_t *)grow(store, array, 1, sizeof(int32_t)) = value;
}

static inline void put_f64(TreeStore *store, Growing *array, double value)
{
    *(double *)grow(store, array, 1, sizeof(double)) = value;
}

TreeStore *tree_store(Env *env, const Model *schema, bool classes)
{
    TreeStore *store = env_array(env, 1, sizeof(TreeStore));

    store->env = env;
    store->levels = tree_levels(env, schema);
    store->slots = schema->slot_count;
    store->classes = classes;
    store->class_count = dictionary_size(schema, DICTIONARY_CLASSES);
    store->class_sums = env_array(env, (size_t)store->class_count + 1, sizeof(double));
    return store;
}

void tree_store_keep_impurity(TreeStore *store)
{
    store->keep_impurity = true;
}

void tree_store_use_floats(TreeStore *store, bool values)
{
    store->floats = true;
    store->float_values = values;
}

void tree_store_importance(TreeStore *store, double *out)
{
    store->importance = out;
}

uint32_t tree_store_trees(const TreeStore *store)
{
    return store->tree_nodes.count;
}

uint64_t tree_store_bytes(const TreeStore *store)
{
    uint64_t bytes = (uint64_t)store->split.count * (store->slots <= 127 ? 1 : 4) + store->sets.count;

    bytes += (uint64_t)store->threshold.count * (store->floats ? 4 : 8) + (uint64_t)store->tree_nodes.count * 4;
    bytes += (uint64_t)store->leaf_value.count * (store->float_values ? 4 : 8) + (uint64_t)store->leaf_cover.count * 4;
    bytes += (uint64_t)store->leaf_classes.count + (uint64_t)store->leaf_class.count * 8;
    return bytes + (uint64_t)store->impurity.count * 8;
}

/* Returns the bytes that the arrays take now. */
static uint64_t held(const TreeStore *store)
{
    uint64_t doubles = (uint64_t)store->threshold.capacity + store->impurity.capacity + store->leaf_value.capacity +
                       store->leaf_cover.capacity + store->leaf_weight.capacity;
    uint64_t ints = (uint64_t)store->tree_nodes.capacity + store->split.capacity + store->leaf_classes.capacity +
                    store->leaf_class.capacity;

    return doubles * sizeof(double) + ints * sizeof(int32_t) + store->sets.capacity;
}

/* ---- appending a tree ---- */

/* Returns the threshold that is stored: a float between the two training values, if floats will do and one exists. */
static double stored_threshold(const TreeStore *store, const GrownNode *node)
{
    float near = (float)node->threshold;

    if (!store->floats || isinf(node->threshold))
        return node->threshold;
    if ((double)near < node->low)
        near = nextafterf(near, INFINITY);
    else if ((double)near >= node->high)
        near = nextafterf(near, -INFINITY);
    return (double)near >= node->low && (double)near < node->high && isfinite(near) ? (double)near : node->threshold;
}

static void put_split(TreeStore *store, const GrownTree *tree, const GrownNode *node)
{
    put_i32(store, &store->split, (int32_t)(node->slot * 2 + node->missing_left));
    if (node->set == TREE_NONE) {
        put_f64(store, &store->threshold, stored_threshold(store, node));
        return;
    }
    uint32_t bytes = tree_set_bytes(store->levels.count[node->slot]);

    put_f64(store, &store->threshold, 0);
    memcpy(grow(store, &store->sets, bytes, 1), tree->sets + node->set, bytes);
}

/* Adds the class weights of all leaves below a node to class_sums. The stack above `base` is used. */
static void sum_classes(TreeStore *store, const GrownTree *tree, uint32_t node, uint32_t base)
{
    uint32_t top = base;

    store->stack[top++] = node;
    while (top > base) {
        const GrownNode *at = &tree->nodes[store->stack[--top]];

        if (at->left == TREE_NONE) {
            for (uint32_t i = 0; i < at->classes; i++)
                store->class_sums[tree->class_of[at->first_class + i]] += tree->class_weight[at->first_class + i];
            continue;
        }
        store->stack[top++] = at->right;
        store->stack[top++] = at->left;
    }
}

static void put_class(TreeStore *store, uint32_t class, double weight)
{
    put_i32(store, &store->leaf_class, (int32_t)class);
    put_f64(store, &store->leaf_weight, weight);
}

static void put_leaf(TreeStore *store, const GrownTree *tree, uint32_t number, uint32_t top)
{
    const GrownNode *node = &tree->nodes[number];
    uint32_t before = store->leaf_class.count;

    put_i32(store, &store->split, -1);
    if (!store->classes) {
        float narrow = (float)node->value;

        put_f64(store, &store->leaf_value, store->float_values && isfinite(narrow) ? (double)narrow : node->value);
        put_f64(store, &store->leaf_cover, node->cover);
        return;
    }
    if (node->left == TREE_NONE)
        for (uint32_t i = 0; i < node->classes; i++)
            put_class(store, tree->class_of[node->first_class + i], tree->class_weight[node->first_class + i]);
    else {
        sum_classes(store, tree, number, top);
        for (uint32_t k = 0; k < store->class_count; k++)
            if (store->class_sums[k] > 0)
                put_class(store, k, store->class_sums[k]);
        memset(store->class_sums, 0, store->class_count * sizeof(double));
    }
    put_i32(store, &store->leaf_classes, (int32_t)(store->leaf_class.count - before));
}

static void add_importance(TreeStore *store, const GrownTree *tree, const GrownNode *node)
{
    const GrownNode *left = &tree->nodes[node->left], *right = &tree->nodes[node->right];
    double decrease = node->cover * node->impurity - left->cover * left->impurity - right->cover * right->impurity;

    store->importance[node->slot] += decrease / tree->nodes[0].cover;
}

void tree_store_append(TreeStore *store, const GrownTree *tree)
{
    Env *env = store->env;
    uint32_t top = 0, before = store->split.count, written = 0;

    if (store->stack_size < tree->count + 2) {
        if (store->stack != NULL)
            env->release(env, store->stack);
        store->stack_size = tree->count + 2 + tree->count / 2;
        store->stack = env_array_raw(env, store->stack_size, sizeof(uint32_t));
    }
    store->stack[top++] = 0;
    while (top > 0) {
        uint32_t number = store->stack[--top];
        const GrownNode *node = &tree->nodes[number];

        if (store->keep_impurity)
            put_f64(store, &store->impurity, node->impurity);
        if (node->leaf || node->left == TREE_NONE) {
            put_leaf(store, tree, number, top);
        } else {
            put_split(store, tree, node);
            if (store->importance != NULL)
                add_importance(store, tree, node);
            store->stack[top++] = node->right;
            store->stack[top++] = node->left;
        }
        if (++written % POLL_NODES == 0)
            env->poll(env);
    }
    put_i32(store, &store->tree_nodes, (int32_t)(store->split.count - before));
    env_require_memory(env, held(store), "the trees");
}

/* ---- appending a model ---- */

static void append_numbers(TreeStore *store, const Model *model, const char *name, Growing *array, bool doubles)
{
    const ModelEntry *entry = model_find(model, name);

    for (uint32_t i = 0; entry != NULL && i < entry->rows; i++) {
        if (doubles)
            put_f64(store, array, model_number(model, entry, i));
        else
            put_i32(store, array, (int32_t)model_number(model, entry, i));
        if (i % POLL_NODES == 0)
            store->env->poll(store->env);
    }
}

void tree_store_append_model(TreeStore *store, const Model *model)
{
    const ModelEntry *sets = model_find(model, "category_sets"), *split = model_find(model, "split");
    uint32_t first = store->split.count;

    append_numbers(store, model, "tree_nodes", &store->tree_nodes, false);
    append_numbers(store, model, "split", &store->split, false);
    if (split->type == ARRAY_U8)
        for (uint32_t i = first; i < store->split.count; i++)
            if (((int32_t *)store->split.data)[i] == SPLIT_U8_LEAF)
                ((int32_t *)store->split.data)[i] = -1;
    append_numbers(store, model, "threshold", &store->threshold, true);
    if (sets != NULL)
        memcpy(grow(store, &store->sets, sets->rows, 1), model_data(model, sets), sets->rows);
    append_numbers(store, model, "leaf_value", &store->leaf_value, true);
    append_numbers(store, model, "leaf_cover", &store->leaf_cover, true);
    append_numbers(store, model, "leaf_classes", &store->leaf_classes, false);
    append_numbers(store, model, "leaf_class", &store->leaf_class, false);
    append_numbers(store, model, "leaf_weight", &store->leaf_weight, true);
    if (store->keep_impurity)
        append_numbers(store, model, "impurity", &store->impurity, true);
    env_require_memory(store->env, held(store), "the trees");
}

/* ---- building ---- */

static void add_split(TreeStore *store, ModelBuilder *builder)
{
    const int32_t *split = store->split.data;
    uint32_t count = store->split.count;
    uint8_t *bytes;

    if (store->slots > SPLIT_U8_LEAF / 2) {
        builder_i32(builder, SECTION_ARRAYS, "split", split, count);
        return;
    }
    bytes = env_array_raw(store->env, count, 1);
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = split[i] < 0 ? SPLIT_U8_LEAF : (uint8_t)split[i];
    builder_u8(builder, SECTION_ARRAYS, "split", bytes, count);
}

static void add_narrow(ModelBuilder *builder, const char *name, const Growing *array)
{
    if (array->count > 0)
        builder_narrow(builder, SECTION_ARRAYS, name, array->data, array->count);
}

/* The same for 32-bit integers that are not negative: bytes where all fit. */
static void add_small(TreeStore *store, ModelBuilder *builder, const char *name, const Growing *array)
{
    const int32_t *numbers = array->data;
    uint32_t large = 0;
    uint8_t *bytes;

    while (large < array->count && numbers[large] <= UINT8_MAX)
        large++;
    if (array->count == 0)
        return;
    if (large < array->count) {
        builder_i32(builder, SECTION_ARRAYS, name, numbers, array->count);
        return;
    }
    bytes = env_array_raw(store->env, array->count, 1);
    for (uint32_t i = 0; i < array->count; i++)
        bytes[i] = (uint8_t)numbers[i];
    builder_u8(builder, SECTION_ARRAYS, name, bytes, array->count);
}

void tree_store_add(TreeStore *store, ModelBuilder *builder)
{
    builder_i32(builder, SECTION_ARRAYS, "tree_nodes", store->tree_nodes.data, store->tree_nodes.count);
    add_split(store, builder);
    add_narrow(builder, "threshold", &store->threshold);
    if (store->sets.count > 0)
        builder_u8(builder, SECTION_ARRAYS, "category_sets", store->sets.data, store->sets.count);
    add_narrow(builder, "leaf_value", &store->leaf_value);
    add_narrow(builder, "leaf_cover", &store->leaf_cover);
    add_small(store, builder, "leaf_classes", &store->leaf_classes);
    add_small(store, builder, "leaf_class", &store->leaf_class);
    add_narrow(builder, "leaf_weight", &store->leaf_weight);
    add_narrow(builder, "impurity", &store->impurity);
}
