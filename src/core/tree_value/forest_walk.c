/*
 * forest_walk.c - laying out trees for walking, and walking them.
 */
#include "core/tree_value/forest_walk.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/tree_value/forest_tiles.h"

#include <math.h>
#include <string.h>

#define WALK_MOST_NODES (1u << (32 - WALK_SLOT_BITS)) /* of a tree */
#define POLL_NODES 65536
#define NODES_TOGETHER 8 /* trees, of WALK_TOGETHER */
#define EVEN_DEPTH 14 /* trees at most this deep are walked to the depth of the deepest, without looking whether all are done */
#define GAP_SHARE 20 /* keys are floats if at most one in this many thresholds is no float */
#define GAP_ROOM 512 /* bits per gap, at least: one value in this many is looked up for nothing */

static uint64_t walk_node(uint32_t slot, uint32_t distance, uint32_t key)
{
    return (uint64_t)key << 32 | distance << WALK_SLOT_BITS | slot;
}

/* Maps floats to integers of the same order. */
static inline uint32_t float_key(float x)
{
    uint32_t bits;

    x += 0.0f; /* -0 as 0 */
    memcpy(&bits, &x, sizeof(bits));
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

/* Returns the key of the smallest float that is not below x. */
static inline uint32_t upper_key(double x)
{
    float near = (float)x;

    return float_key(near) + ((double)near < x); /* keys of neighbors differ by 1 */
}

static inline uint32_t gap_bit(const ForestWalk *walk, uint32_t upper)
{
    return upper * 2654435769u >> (32 - walk->gap_bits);
}

/* Returns how many of these ascending numbers are below x; without branches. */
static inline uint32_t count_below(const double *numbers, uint32_t count, double x)
{
    const double *at = numbers;

    if (count == 0)
        return 0;
    while (count > 1) {
        uint32_t half = count / 2;

        at += at[half - 1] < x ? half : 0;
        count -= half;
    }
    return (uint32_t)(at - numbers) + (*at < x);
}

static bool is_float(double threshold)
{
    return (double)(float)threshold == threshold;
}

/* Tells whether these trees can be laid out, and counts the splits and those whose threshold is no float. */
static bool can_walk(Env *env, const TreeScorer *scorer, uint32_t *splits, uint32_t *odd)
{
    *splits = *odd = 0;
    if (scorer->slots > WALK_MOST_SLOTS)
        return false;
    for (uint32_t t = 0; t < scorer->trees; t++)
        if (scorer->root[t + 1] - scorer->root[t] > WALK_MOST_NODES)
            return false;
    for (uint32_t i = 0; i < scorer->nodes; i++) {
        const TreeNode *node = scorer->node + i;

        if (i % POLL_NODES == 0)
            env->poll(env);
        if (node->split == TREE_LEAF)
            continue;
        if (node->split & TREE_CATEGORY)
            return false;
        (*splits)++;
        *odd += !is_float(node->of.threshold);
    }
    return true;
}

/* Sets the bits of the gaps between floats that have a threshold. Returns the bytes. */
static size_t mark_gaps(Env *env, const TreeScorer *scorer, ForestWalk *walk, uint32_t odd)
{
    size_t words;

    for (walk->gap_bits = 6; walk->gap_bits < 28 && (uint64_t)odd * GAP_ROOM > (uint64_t)scorer->slots << walk->gap_bits;)
        walk->gap_bits++;
    words = (size_t)1 << (walk->gap_bits - 6);
    walk->gaps = env_array(env, words * scorer->slots, sizeof(uint64_t));
    for (uint32_t i = 0; i < scorer->nodes; i++)
        if (scorer->node[i].split != TREE_LEAF && !is_float(scorer->node[i].of.threshold)) {
            uint32_t bit = gap_bit(walk, upper_key(scorer->node[i].of.threshold));

            walk->gaps[(scorer->node[i].split >> 2) * words + bit / 64] |= (uint64_t)1 << bit % 64;
        }
    return words * scorer->slots * sizeof(uint64_t);
}

static bool is_collected(const TreeNode *node, bool odd)
{
    return node->split != TREE_LEAF && (!odd || !is_float(node->of.threshold));
}

/* Collects the distinct thresholds of each feature: of all `splits`, or where gaps are marked, those that are no floats. Returns the bytes. */
static size_t collect_thresholds(Env *env, const TreeScorer *scorer, ForestWalk *walk, uint32_t splits)
{
    uint32_t slots = scorer->slots, *first = env_array(env, (size_t)slots + 2, sizeof(uint32_t));
    double *all = env_array_raw(env, splits, sizeof(double));
    bool odd = walk->gaps != NULL;

    for (uint32_t i = 0; i < scorer->nodes; i++)
        if (is_collected(scorer->node + i, odd))
            first[(scorer->node[i].split >> 2) + 2]++;
    for (uint32_t j = 0; j < slots; j++)
        first[j + 2] += first[j + 1];
    env->poll(env);
    for (uint32_t i = 0; i < scorer->nodes; i++)
        if (is_collected(scorer->node + i, odd))
            all[first[(scorer->node[i].split >> 2) + 1]++] = scorer->node[i].of.threshold;
    walk->first_threshold = env_array(env, (size_t)slots + 1, sizeof(uint32_t));
    for (uint32_t j = 0, kept = 0; j < slots; j++) {
        uint32_t begin = first[j], end = first[j + 1];

        sort_numbers(env, all + begin, end - begin, sizeof(double));
        for (uint32_t i = begin; i < end; i++)
            if (i == begin || all[i] != all[kept - 1])
                all[kept++] = all[i];
        walk->first_threshold[j + 1] = kept;
    }
    walk->thresholds = all;
    env->release(env, first);
    return ((size_t)splits + slots) * sizeof(double);
}

static bool has_float_keys(const ForestWalk *walk)
{
    return walk->thresholds == NULL || walk->gaps != NULL;
}

static uint32_t threshold_key(const ForestWalk *walk, uint32_t slot, double threshold)
{
    uint32_t first;

    if (has_float_keys(walk))
        return upper_key(threshold) - !is_float(threshold);
    first = walk->first_threshold[slot];
    return count_below(walk->thresholds + first, walk->first_threshold[slot + 1] - first, threshold);
}

/* Lays out a tree from its root on, pairs of children in preorder; returns its depth. open: [nodes + 4] triples of numbers. */
static uint32_t lay_out(Env *env, const TreeScorer *scorer, const ForestWalk *walk, uint32_t tree, uint32_t *open)
{
    uint32_t used = 1, top = 0, first_leaf = walk->first_leaf[tree], written = 0, deepest = 0;
    uint64_t *nodes = walk->nodes + walk->first_node[tree];

    open[top++] = 0;                  /* the depth of a node, ... */
    open[top++] = 0;                  /* its number in the layout, ... */
    open[top++] = scorer->root[tree]; /* ... and in the model */
    while (top > 0) {
        uint32_t from = open[--top], to = open[--top], depth = open[--top];
        const TreeNode *node = scorer->node + from;

        if (++written % POLL_NODES == 0)
            env->poll(env);
        if (node->split == TREE_LEAF) {
            nodes[to] = walk_node(walk->slots, 0, node->right - first_leaf);
            deepest = depth > deepest ? depth : deepest;
            continue;
        }
        nodes[to] = walk_node(node->split >> 2, used - to, threshold_key(walk, node->split >> 2, node->of.threshold));
        open[top++] = depth + 1;
        open[top++] = used + 1;
        open[top++] = from + node->right;
        open[top++] = depth + 1;
        open[top++] = used;
        open[top++] = from + 1;
        used += 2;
    }
    return deepest;
}

ForestWalk *forest_walk(Env *env, const TreeScorer *scorer, size_t *bytes)
{
    uint32_t *open, largest = 0, leaf = 0, splits, odd;
    ForestWalk *walk;

    if (!can_walk(env, scorer, &splits, &odd))
        return NULL;
    walk = env_array(env, 1, sizeof(ForestWalk));
    walk->trees = scorer->trees;
    walk->slots = scorer->slots;
    walk->nodes = env_array_raw(env, scorer->nodes, sizeof(uint64_t));
    walk->first_node = env_array_raw(env, scorer->trees, sizeof(uint32_t));
    walk->first_leaf = env_array_raw(env, scorer->trees, sizeof(uint32_t));
    walk->depth = env_array_raw(env, scorer->trees, sizeof(uint32_t));
    walk->row = env_array(env, (size_t)scorer->slots + WALK_ROOM, sizeof(uint32_t));
    if (odd > 0 && odd <= splits / GAP_SHARE)
        *bytes += mark_gaps(env, scorer, walk, odd);
    if (odd > 0)
        *bytes += collect_thresholds(env, scorer, walk, walk->gaps != NULL ? odd : splits);
    for (uint32_t t = 0; t < scorer->trees; t++)
        largest = scorer->root[t + 1] - scorer->root[t] > largest ? scorer->root[t + 1] - scorer->root[t] : largest;
    open = env_array_raw(env, (size_t)largest + 4, 3 * sizeof(uint32_t));
    for (uint32_t t = 0; t < scorer->trees; t++) {
        walk->first_node[t] = scorer->root[t];
        walk->first_leaf[t] = leaf;
        walk->depth[t] = lay_out(env, scorer, walk, t, open);
        leaf += (scorer->root[t + 1] - scorer->root[t] + 1) / 2;
        env->poll(env);
    }
    env->release(env, open);
    *bytes += (size_t)scorer->trees * 12 + ((size_t)scorer->slots + WALK_ROOM) * 4;
    walk->tiles = forest_tiles(env, walk, scorer, bytes);
    if (walk->tiles == NULL) {
        *bytes += (size_t)scorer->nodes * sizeof(uint64_t);
        return walk;
    }
    env->release(env, walk->nodes);
    walk->nodes = NULL;
    return walk;
}

/* Tells whether a threshold is at or above a value and in the same gap between floats; one below it has a smaller key. */
static bool in_gap(const ForestWalk *walk, uint32_t slot, double x)
{
    const double *thresholds = walk->thresholds + walk->first_threshold[slot];
    uint32_t count = walk->first_threshold[slot + 1] - walk->first_threshold[slot], below = count_below(thresholds, count, x);

    return below < count && upper_key(thresholds[below]) == upper_key(x);
}

/* Writes the keys of a row as floats; returns false if a value is missing or in a gap below a threshold. */
static bool float_row(const ForestWalk *walk, const double *slots)
{
    bool plain = true;

    for (uint32_t j = 0; j < walk->slots; j++) {
        walk->row[j] = upper_key(slots[j]);
        plain &= slots[j] == slots[j];
    }
    if (walk->gaps != NULL) {
        size_t words = (size_t)1 << (walk->gap_bits - 6);

        for (uint32_t j = 0; j < walk->slots && plain; j++) {
            uint32_t bit = gap_bit(walk, walk->row[j]);

            if (walk->gaps[j * words + bit / 64] >> bit % 64 & 1)
                plain = !in_gap(walk, j, slots[j]);
        }
    }
    return plain;
}

const ForestWalk *forest_walk_row(const ForestWalk *walk, const double *slots)
{
    if (walk == NULL)
        return NULL;
    if (has_float_keys(walk))
        return float_row(walk, slots) ? walk : NULL;
    for (uint32_t j = 0; j < walk->slots; j++) {
        uint32_t first = walk->first_threshold[j];

        if (slots[j] != slots[j])
            return NULL;
        walk->row[j] = count_below(walk->thresholds + first, walk->first_threshold[j + 1] - first, slots[j]);
    }
    return walk;
}

static inline uint32_t next_node(const uint64_t *nodes, uint32_t at, const uint32_t *row)
{
    uint64_t node = nodes[at];
    uint32_t low = (uint32_t)node;

    return at + (low >> WALK_SLOT_BITS) + (row[low & WALK_MOST_SLOTS] > (uint32_t)(node >> 32));
}

/*
 * Walks all of them at once: the loops over NODES_TOGETHER trees are unrolled, so their reads overlap. Where there are fewer, the
 * first is walked again.
 */
static void walk_nodes(const ForestWalk *walk, uint32_t first, uint32_t count, uint32_t *leaves)
{
    const uint64_t *nodes = walk->nodes;
    const uint32_t *row = walk->row;
    uint32_t at[NODES_TOGETHER], moved = 1, deepest = 0;

    for (uint32_t t = 0; t < NODES_TOGETHER; t++) {
        uint32_t tree = first + (t < count ? t : 0);

        at[t] = walk->first_node[tree];
        deepest = walk->depth[tree] > deepest ? walk->depth[tree] : deepest;
    }
    if (deepest <= EVEN_DEPTH) {
        for (uint32_t step = 0; step < deepest; step++)
            for (uint32_t t = 0; t < NODES_TOGETHER; t++)
                at[t] = next_node(nodes, at[t], row);
        moved = 0;
    }
    while (moved != 0) {
        moved = 0;
        for (uint32_t step = 0; step < 2; step++)
            for (uint32_t t = 0; t < NODES_TOGETHER; t++)
                at[t] = next_node(nodes, at[t], row);
        for (uint32_t t = 0; t < NODES_TOGETHER; t++) {
            uint32_t next = next_node(nodes, at[t], row);

            moved |= next ^ at[t];
            at[t] = next;
        }
    }
    for (uint32_t t = 0; t < count; t++)
        leaves[t] = walk->first_leaf[first + t] + (uint32_t)(nodes[at[t]] >> 32);
}

/* The slower walk, over the nodes as the model has them: all trees at once, so that the memory reads overlap. */
static void walk_model(const TreeScorer *scorer, uint32_t first, uint32_t count, const double *slots, uint32_t *leaves)
{
    const TreeNode *at[NODES_TOGETHER];
    uint32_t walking = count;

    for (uint32_t t = 0; t < count; t++)
        at[t] = scorer->node + scorer->root[first + t];
    while (walking > 0) {
        walking = 0;
        for (uint32_t t = 0; t < count; t++) {
            if (at[t]->split == TREE_LEAF)
                continue;
            at[t] += tree_goes_left(scorer, at[t], slots) ? 1 : at[t]->right;
            walking++;
        }
    }
    for (uint32_t t = 0; t < count; t++)
        leaves[t] = at[t]->right;
}

uint32_t forest_walk_leaves(const TreeScorer *scorer, const ForestWalk *walk, const double *slots, uint32_t first,
                            uint32_t leaves[WALK_TOGETHER])
{
    uint32_t rest = scorer->trees - first, most = walk != NULL ? WALK_TOGETHER : NODES_TOGETHER, count = rest < most ? rest : most;

    if (walk == NULL)
        walk_model(scorer, first, count, slots, leaves);
    else if (walk->tiles != NULL)
        forest_tiles_leaves(walk->tiles, walk->row, first, count, leaves);
    else
        for (uint32_t done = 0; done < count; done += NODES_TOGETHER)
            walk_nodes(walk, first + done, count - done < NODES_TOGETHER ? count - done : NODES_TOGETHER, leaves + done);
    return count;
}

double *forest_leaf_values(Env *env, const TreeScorer *scorer, size_t *bytes)
{
    double *values = env_array_raw(env, scorer->leaves, sizeof(double));

    for (uint32_t i = 0; i < scorer->nodes; i++)
        if (scorer->node[i].split == TREE_LEAF)
            values[scorer->node[i].right] = scorer->node[i].of.value;
    *bytes += scorer->leaves * sizeof(double);
    return values;
}
