/*
 * tree_store.c - trees as they grow, and the arrays of a model that they become.
 */
#include "core/tree_value/tree_levels.h"
#include "core/tree_value/tree_model.h"

#include <math.h>
#include <string.h>

#define POLL_NODES 16384 /* between two polls */
#define SPLIT_U8_LEAF 255
#define LARGE 65536 /* elements: from here on a list grows by a quarter, because half of it empty would cost too much */
#define SUM_BITS 29 /* with the 24 of a float, as many as a double has */

/* Returns a capacity for at least `needed` elements, well above the former one. */
static uint32_t list_capacity(Env *env, uint32_t capacity, uint64_t needed)
{
    uint64_t wanted = capacity < 64 ? 64 : (uint64_t)capacity + (capacity < LARGE ? capacity : capacity / 4);

    if (wanted < needed)
        wanted = needed;
    if (needed > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Limit the trees by max_depth, min_samples_leaf or max_leaf_nodes.",
                 "the trees have too many nodes");
    return wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
}

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

void grown_tree_trim(GrownTree *tree)
{
    tree->capacity = tree->count;
    tree->nodes = tree->env->resize(tree->env, tree->nodes, (size_t)tree->capacity * sizeof(GrownNode));
}

uint32_t grown_tree_node(GrownTree *tree)
{
    if (tree->count == tree->capacity) {
        tree->capacity = list_capacity(tree->env, tree->capacity, (uint64_t)tree->count + 1);
        tree->nodes = tree->env->resize(tree->env, tree->nodes, (size_t)tree->capacity * sizeof(GrownNode));
    }
    tree->nodes[tree->count] = (GrownNode){.left = TREE_NONE, .right = TREE_NONE};
    return tree->count++;
}

uint32_t grown_tree_set(GrownTree *tree, uint32_t levels)
{
    uint32_t bytes = tree_set_bytes(levels), at = tree->sets_size;

    if (tree->sets == NULL || tree->sets_capacity - at < bytes) { /* a set of a category without levels has a place as well */
        tree->sets_capacity = list_capacity(tree->env, tree->sets_capacity, (uint64_t)at + bytes);
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
    tree->entries_capacity = list_capacity(env, tree->entries_capacity, (uint64_t)tree->entries + count);
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

/* Replaces the nodes of a tree by those of another. */
static void copy_tree(GrownTree *tree, const GrownTree *from)
{
    Env *env = tree->env;

    grown_tree_clear(tree);
    if (tree->capacity < from->count) {
        tree->capacity = from->count;
        tree->nodes = env->resize(env, tree->nodes, (size_t)tree->capacity * sizeof(GrownNode));
    }
    if (tree->sets_capacity < from->sets_size) {
        tree->sets_capacity = from->sets_size;
        tree->sets = env->resize(env, tree->sets, tree->sets_capacity);
    }
    reserve_entries(tree, from->entries);
    env_copy(env, tree->nodes, from->nodes, (size_t)from->count * sizeof(GrownNode));
    env_copy(env, tree->sets, from->sets, from->sets_size);
    env_copy(env, tree->class_of, from->class_of, (size_t)from->entries * sizeof(uint32_t));
    env_copy(env, tree->class_weight, from->class_weight, (size_t)from->entries * sizeof(double));
    tree->count = from->count;
    tree->sets_size = from->sets_size;
    tree->entries = from->entries;
}

void grown_tree_pack(Pack *pack, GrownTree *tree)
{
    GrownTree view = *tree;

    pack_value(pack, &view, sizeof view);
    pack_array(pack, &view.nodes, view.count, sizeof(GrownNode));
    pack_array(pack, &view.sets, view.sets_size, 1);
    pack_array(pack, &view.class_of, view.entries, sizeof(uint32_t));
    pack_array(pack, &view.class_weight, view.entries, sizeof(double));
    if (pack->mode == PACK_OPEN)
        copy_tree(tree, &view);
}

/*
 * Makes the share of the second of two classes a float to the last bit: of a sum with SUM_BITS bits it is an exact product.
 */
static void set_share(double *weights, float share)
{
    int exponent;
    double sum = frexp(weights[0] + weights[1], &exponent);

    sum = ldexp(rint(ldexp(sum, SUM_BITS)), exponent - SUM_BITS);
    weights[1] = (double)share * sum;
    weights[0] = sum - weights[1];
}

void grown_tree_bound_pair(GrownNode *node, double *weights, double low, double high)
{
    double share = weights[1] / (weights[0] + weights[1]), within = fmin(fmax(share, low), high);

    node->bounded = true;
    node->share = (float)within;
    if (within != share)
        set_share(weights, node->share);
}

void grown_tree_scale(GrownTree *tree, double unit, double impurity)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->nodes[i].value *= unit;
        tree->nodes[i].impurity *= impurity;
    }
}

uint32_t grown_tree_depth(const GrownTree *tree, uint32_t *leaves)
{
    Env *env = tree->env;
    uint32_t *depths = env_array(env, tree->count, sizeof(uint32_t)), deepest = 0;
    uint8_t *reached = env_array(env, tree->count, 1);

    *leaves = 0;
    reached[0] = 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        const GrownNode *node = &tree->nodes[i];

        if (!reached[i])
            continue;
        deepest = depths[i] > deepest ? depths[i] : deepest;
        if (grown_is_leaf(node)) {
            (*leaves)++;
            continue;
        }
        depths[node->left] = depths[node->right] = depths[i] + 1;
        reached[node->left] = reached[node->right] = 1;
    }
    env->release(env, depths);
    env->release(env, reached);
    return deepest;
}

static void read_leaf(const TreeScorer *scorer, uint32_t leaf, GrownTree *tree, GrownNode *node)
{
    uint32_t first, count;

    node->cover = scorer->leaf_cover[leaf];
    if (scorer->classes == 0)
        return;
    first = scorer->leaf_first[leaf];
    count = scorer->leaf_first[leaf + 1] - first;
    reserve_entries(tree, count);
    memcpy(tree->class_of + tree->entries, scorer->leaf_class + first, count * sizeof(uint32_t));
    memcpy(tree->class_weight + tree->entries, scorer->leaf_weight + first, count * sizeof(double));
    node->first_class = tree->entries;
    node->classes = count;
    tree->entries += count;
}

void grown_tree_read(const TreeScorer *scorer, uint32_t number, GrownTree *tree)
{
    const TreeNode *from = scorer->node + scorer->root[number], *end = scorer->node + scorer->root[number + 1];

    for (grown_tree_clear(tree); from < end; from++) {
        uint32_t at = grown_tree_node(tree), slot = from->split >> 2;
        GrownNode *node = &tree->nodes[at];

        if (at % POLL_NODES == 0)
            tree->env->poll(tree->env);
        if (from->split == TREE_LEAF) {
            node->value = from->of.value;
            read_leaf(scorer, from->right, tree, node);
            continue;
        }
        node->left = at + 1;
        node->right = at + from->right;
        node->slot = slot;
        node->missing_left = (from->split & TREE_MISSING_LEFT) != 0;
        node->category = (from->split & TREE_CATEGORY) != 0;
        if (!node->category) {
            grown_tree_threshold(node, from->of.threshold, from->of.threshold, from->of.threshold);
            continue;
        }
        node->set = grown_tree_set(tree, scorer->levels[slot]);
        if (scorer->levels[slot] > 0)
            memcpy(tree->sets + node->set, scorer->sets + from->of.category.set, tree_set_bytes(scorer->levels[slot]));
    }
}

/* ---- lists of numbers ---- */

/* Numbers that the model will keep, in the narrowest type that holds all of them so far: a forest has millions. */
typedef struct NumberList {
    void *data;
    uint32_t count, capacity;
    ElementType type; /* ARRAY_U8, then ARRAY_I32 for whole numbers (`whole`), else ARRAY_F32, ARRAY_F64 */
    bool whole;
} NumberList;

static size_t element_size(ElementType type)
{
    return type == ARRAY_U8 ? 1 : type == ARRAY_F64 ? 8 : 4;
}

static inline double number_at(const NumberList *list, uint32_t i)
{
    switch (list->type) {
    case ARRAY_U8:
        return ((const uint8_t *)list->data)[i];
    case ARRAY_I32:
        return ((const int32_t *)list->data)[i];
    case ARRAY_F32:
        return (double)((const float *)list->data)[i];
    default:
        return ((const double *)list->data)[i];
    }
}

static inline void set_number(ElementType type, void *data, uint32_t i, double x)
{
    if (type == ARRAY_U8)
        ((uint8_t *)data)[i] = (uint8_t)x;
    else if (type == ARRAY_I32)
        ((int32_t *)data)[i] = (int32_t)x;
    else if (type == ARRAY_F32)
        ((float *)data)[i] = (float)x;
    else
        ((double *)data)[i] = x;
}

/* Tells whether a type has this number, the sign of a zero included. */
static inline bool holds(ElementType type, double x)
{
    if (type == ARRAY_U8)
        return x >= 0 && x <= UINT8_MAX && x == (uint8_t)x && !signbit(x);
    return type == ARRAY_F64 || type == ARRAY_I32 || (double)(float)x == x;
}

static void widen(Env *env, NumberList *list, double x)
{
    NumberList wide = *list;

    do
        wide.type = list->whole ? ARRAY_I32 : wide.type == ARRAY_U8 ? ARRAY_F32 : ARRAY_F64;
    while (!holds(wide.type, x));
    wide.data = env_array_raw(env, (size_t)list->capacity + 1, element_size(wide.type));
    for (uint32_t i = 0; i < list->count; i++) {
        set_number(wide.type, wide.data, i, number_at(list, i));
        if (i % LARGE == 0)
            env->poll(env);
    }
    if (list->data != NULL)
        env->release(env, list->data);
    *list = wide;
}

/* Adds a number; the list moves to a wider type if it must. */
static void number_list_add(Env *env, NumberList *list, double x)
{
    if (!holds(list->type, x))
        widen(env, list, x);
    if (list->count == list->capacity) {
        list->capacity = list_capacity(env, list->capacity, (uint64_t)list->count + 1);
        list->data = env->resize(env, list->data, (size_t)list->capacity * element_size(list->type));
    }
    set_number(list->type, list->data, list->count++, x);
}

/*
 * Copies the numbers of a model's array to the end of a list of the same type, or of an empty one. Returns false where types differ,
 * so that they must be added one by one.
 */
static bool number_list_copy(Env *env, NumberList *list, ElementType type, const void *data, uint32_t count)
{
    size_t size = element_size(type);

    if (type != ARRAY_U8 && (list->whole ? type != ARRAY_I32 : type != ARRAY_F32 && type != ARRAY_F64))
        return false;
    if (list->count == 0 && list->type != type) {
        if (list->data != NULL)
            env->release(env, list->data);
        *list = (NumberList){.type = type, .whole = list->whole};
    }
    if (list->type != type)
        return false;
    if (list->capacity - list->count < count) {
        list->capacity = list_capacity(env, list->capacity, (uint64_t)list->count + count);
        list->data = env->resize(env, list->data, (size_t)list->capacity * size);
    }
    env_copy(env, (char *)list->data + list->count * size, data, count * size);
    list->count += count;
    return true;
}

/* Adds an array to a model, unless the list is empty. */
static void number_list_build(const NumberList *list, ModelBuilder *builder, const char *name)
{
    if (list->count == 0)
        return;
    if (list->type == ARRAY_U8)
        builder_u8(builder, SECTION_ARRAYS, name, list->data, list->count);
    else if (list->type == ARRAY_I32)
        builder_i32(builder, SECTION_ARRAYS, name, list->data, list->count);
    else if (list->type == ARRAY_F32)
        builder_f32(builder, SECTION_ARRAYS, name, list->data, list->count);
    else
        builder_narrow(builder, SECTION_ARRAYS, name, list->data, list->count);
}

/* ---- what a model will have ---- */

struct TreeStore {
    Env *env;
    TreeLevels levels;
    uint32_t slots, class_count;
    bool classes, keep_impurity, keep_values, floats, float_values;
    double *importance;
    NumberList tree_nodes, split, threshold, impurity, node_value;
    NumberList leaf_value, leaf_cover, leaf_classes, leaf_class, leaf_weight;
    uint8_t *sets;
    uint32_t sets_size, sets_capacity;
    double *class_sums;         /* [class_count] scratch: zeros */
    uint32_t *stack, stack_size; /* nodes that are still to be written */
};

static void put(TreeStore *store, NumberList *list, double x)
{
    number_list_add(store->env, list, x);
}

static void add_sets(TreeStore *store, const uint8_t *bytes, uint32_t count)
{
    if (store->sets_capacity - store->sets_size < count) {
        store->sets_capacity = list_capacity(store->env, store->sets_capacity, (uint64_t)store->sets_size + count);
        store->sets = store->env->resize(store->env, store->sets, store->sets_capacity);
    }
    if (count > 0)
        memcpy(store->sets + store->sets_size, bytes, count);
    store->sets_size += count;
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
    store->tree_nodes = store->split = store->leaf_classes = store->leaf_class = (NumberList){.type = ARRAY_U8, .whole = true};
    store->threshold = store->impurity = store->node_value = store->leaf_value = store->leaf_cover = store->leaf_weight = (NumberList){.type = ARRAY_U8};
    store->tree_nodes.type = ARRAY_I32;
    if (store->slots > SPLIT_U8_LEAF / 2)
        store->split.type = ARRAY_I32;
    return store;
}

void tree_store_keep_impurity(TreeStore *store)
{
    store->keep_impurity = true;
}

void tree_store_keep_values(TreeStore *store)
{
    store->keep_values = true;
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

/* Returns the bytes of the numbers, or of the memory that they have. */
static uint64_t list_bytes(const TreeStore *store, bool held)
{
    const NumberList *lists[] = {&store->tree_nodes, &store->split,        &store->threshold,  &store->impurity,    &store->leaf_value,
                                 &store->leaf_cover, &store->leaf_classes, &store->leaf_class, &store->leaf_weight, &store->node_value};
    uint64_t bytes = held ? store->sets_capacity : store->sets_size;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        bytes += (uint64_t)(held ? lists[i]->capacity : lists[i]->count) * element_size(lists[i]->type);
    return bytes;
}

uint64_t tree_store_bytes(const TreeStore *store)
{
    return list_bytes(store, false);
}

/* ---- appending a tree ---- */

/* Returns the float nearest to a threshold that lies in [low, high), where there is one; else the threshold. */
static double float_threshold(double threshold, double low, double high)
{
    float near = (float)threshold;

    if ((double)near < low)
        near = nextafterf(near, INFINITY);
    else if ((double)near >= high)
        near = nextafterf(near, -INFINITY);
    return (double)near >= low && (double)near < high && isfinite(near) ? (double)near : threshold;
}

void grown_tree_threshold(GrownNode *node, double threshold, double low, double high)
{
    double near = isinf(threshold) ? threshold : float_threshold(threshold, low, high);

    node->threshold = threshold;
    node->near = (double)(float)near == near ? (float)near : NAN;
}

/* Returns the threshold that is stored. */
static double stored_threshold(const TreeStore *store, const GrownNode *node)
{
    return store->floats && !isnan(node->near) ? (double)node->near : node->threshold;
}

/* Returns the value of a leaf that is stored. */
static double stored_value(const TreeStore *store, double value)
{
    float narrow = (float)value;

    return store->float_values && isfinite(narrow) ? (double)narrow : value;
}

void tree_store_round(const TreeStore *store, GrownTree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        GrownNode *node = &tree->nodes[i];

        if (node->left == TREE_NONE)
            node->value = stored_value(store, node->value);
        else if (!node->category)
            node->threshold = stored_threshold(store, node);
    }
}

static void put_leaf_split(TreeStore *store)
{
    put(store, &store->split, store->split.type == ARRAY_U8 ? SPLIT_U8_LEAF : -1);
}

static void put_split(TreeStore *store, const GrownTree *tree, const GrownNode *node)
{
    put(store, &store->split, node->slot * 2 + node->missing_left);
    if (!node->category) {
        put(store, &store->threshold, stored_threshold(store, node));
        return;
    }
    put(store, &store->threshold, 0);
    add_sets(store, tree->sets + node->set, tree_set_bytes(store->levels.count[node->slot]));
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
    put(store, &store->leaf_class, class);
    put(store, &store->leaf_weight, weight);
}

static void put_leaf(TreeStore *store, const GrownTree *tree, uint32_t number, uint32_t top)
{
    const GrownNode *node = &tree->nodes[number];
    uint32_t before = store->leaf_class.count;

    put_leaf_split(store);
    if (!store->classes) {
        put(store, &store->leaf_value, stored_value(store, node->value));
        put(store, &store->leaf_cover, node->cover);
        return;
    }
    if (node->left == TREE_NONE)
        for (uint32_t i = 0; i < node->classes; i++)
            put_class(store, tree->class_of[node->first_class + i], tree->class_weight[node->first_class + i]);
    else {
        sum_classes(store, tree, number, top);
        if (node->bounded)
            set_share(store->class_sums, node->share);
        for (uint32_t k = 0; k < store->class_count; k++)
            if (store->class_sums[k] > 0)
                put_class(store, k, store->class_sums[k]);
        memset(store->class_sums, 0, store->class_count * sizeof(double));
    }
    put(store, &store->leaf_classes, store->leaf_class.count - before);
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
            put(store, &store->impurity, node->impurity);
        if (store->keep_values)
            put(store, &store->node_value, node->value);
        if (grown_is_leaf(node)) {
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
    put(store, &store->tree_nodes, store->split.count - before);
    env_require_memory(env, list_bytes(store, true), "the trees");
}

/* ---- appending a model ---- */

static void append_numbers(TreeStore *store, const Model *model, const char *name, NumberList *list)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry != NULL && number_list_copy(store->env, list, entry->type, model_data(model, entry), entry->rows))
        return;
    for (uint32_t i = 0; entry != NULL && i < entry->rows; i++) {
        put(store, list, model_number(model, entry, i));
        if (i % POLL_NODES == 0)
            store->env->poll(store->env);
    }
}

void tree_store_append_model(TreeStore *store, const Model *model)
{
    const ModelEntry *sets = model_find(model, "category_sets"), *split = model_find(model, "split");

    bool copied = number_list_copy(store->env, &store->split, split->type, model_data(model, split), split->rows);

    append_numbers(store, model, "tree_nodes", &store->tree_nodes);
    for (uint32_t i = 0; !copied && i < split->rows; i++) {
        double packed = model_number(model, split, i);

        if (packed < 0 || (split->type == ARRAY_U8 && packed == SPLIT_U8_LEAF))
            put_leaf_split(store);
        else
            put(store, &store->split, packed);
        if (i % POLL_NODES == 0)
            store->env->poll(store->env);
    }
    append_numbers(store, model, "threshold", &store->threshold);
    if (sets != NULL)
        add_sets(store, model_data(model, sets), sets->rows);
    append_numbers(store, model, "leaf_value", &store->leaf_value);
    append_numbers(store, model, "leaf_cover", &store->leaf_cover);
    append_numbers(store, model, "leaf_classes", &store->leaf_classes);
    append_numbers(store, model, "leaf_class", &store->leaf_class);
    append_numbers(store, model, "leaf_weight", &store->leaf_weight);
    if (store->keep_impurity)
        append_numbers(store, model, "impurity", &store->impurity);
    env_require_memory(store->env, list_bytes(store, true), "the trees");
}

/* ---- building ---- */

void tree_store_add(TreeStore *store, ModelBuilder *builder)
{
    number_list_build(&store->tree_nodes, builder, "tree_nodes");
    number_list_build(&store->split, builder, "split");
    number_list_build(&store->threshold, builder, "threshold");
    if (store->sets_size > 0)
        builder_u8(builder, SECTION_ARRAYS, "category_sets", store->sets, store->sets_size);
    number_list_build(&store->leaf_value, builder, "leaf_value");
    number_list_build(&store->leaf_cover, builder, "leaf_cover");
    number_list_build(&store->leaf_classes, builder, "leaf_classes");
    number_list_build(&store->leaf_class, builder, "leaf_class");
    number_list_build(&store->leaf_weight, builder, "leaf_weight");
    number_list_build(&store->impurity, builder, "impurity");
    number_list_build(&store->node_value, builder, "node_value");
}
