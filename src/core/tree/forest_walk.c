/*
 * forest_walk.c - laying out trees for walking, and walking them.
 */
#include "core/tree/forest_walk.h"

#include <math.h>
#include <string.h>

#define WALK_SLOT_BITS 10
#define WALK_MOST_SLOTS (1u << WALK_SLOT_BITS)
#define WALK_MOST_NODES (1u << (32 - WALK_SLOT_BITS)) /* of a tree; its leaves fit into the payload of a NaN, 22 bits */
#define WALK_LEAF 0x7fc00000u                          /* a quiet NaN */
#define POLL_NODES 65536

static uint64_t walk_node(uint32_t slot, uint32_t child, uint32_t threshold_bits)
{
    return (uint64_t)threshold_bits << 32 | child << WALK_SLOT_BITS | slot;
}

static uint32_t float_bits(double threshold)
{
    float narrow = (float)threshold;
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

/* Tells whether these trees can be laid out. */
static bool can_walk(Env *env, const TreeScorer *scorer)
{
    if (scorer->slots > WALK_MOST_SLOTS)
        return false;
    for (uint32_t t = 0; t < scorer->trees; t++)
        if (scorer->root[t + 1] - scorer->root[t] > WALK_MOST_NODES)
            return false;
    for (uint32_t i = 0; i < scorer->nodes; i++) {
        const TreeNode *node = scorer->node + i;

        if (i % POLL_NODES == 0)
            env->poll(env);
        if (node->split != TREE_LEAF &&
            (node->split & TREE_CATEGORY || (double)(float)node->of.threshold != node->of.threshold))
            return false;
    }
    return true;
}

/* Lays out a tree from its root on; pairs of children are placed in preorder. places: [2 x depth] pairs of numbers. */
static void lay_out(const TreeScorer *scorer, uint32_t tree, uint64_t *nodes, uint32_t first_leaf, uint32_t *open)
{
    uint32_t used = 1, top = 0;

    open[top++] = 0; /* a node of the layout ... */
    open[top++] = scorer->root[tree]; /* ... and of the model */
    while (top > 0) {
        uint32_t from = open[--top], to = open[--top];
        const TreeNode *node = scorer->node + from;

        if (node->split == TREE_LEAF) {
            nodes[to] = walk_node(0, to, WALK_LEAF | (node->right - first_leaf));
            continue;
        }
        nodes[to] = walk_node(node->split >> 2, used, float_bits(node->of.threshold));
        open[top++] = used + 1;
        open[top++] = from + node->right;
        open[top++] = used;
        open[top++] = from + 1;
        used += 2;
    }
}

ForestWalk *forest_walk(Env *env, const TreeScorer *scorer, size_t *bytes)
{
    ForestWalk *walk;
    uint32_t *open, largest = 0, leaf = 0;

    if (!can_walk(env, scorer))
        return NULL;
    walk = env_array(env, 1, sizeof(ForestWalk));
    walk->trees = scorer->trees;
    walk->slots = scorer->slots;
    walk->nodes = env_array_raw(env, scorer->nodes, sizeof(uint64_t));
    walk->first_node = env_array_raw(env, scorer->trees, sizeof(uint32_t));
    walk->first_leaf = env_array_raw(env, scorer->trees, sizeof(uint32_t));
    walk->row = env_array(env, (size_t)scorer->slots + 1, sizeof(float));
    for (uint32_t t = 0; t < scorer->trees; t++)
        largest = scorer->root[t + 1] - scorer->root[t] > largest ? scorer->root[t + 1] - scorer->root[t] : largest;
    open = env_array_raw(env, (size_t)largest + 4, 2 * sizeof(uint32_t));
    for (uint32_t t = 0; t < scorer->trees; t++) {
        uint32_t count = scorer->root[t + 1] - scorer->root[t];

        walk->first_node[t] = scorer->root[t];
        walk->first_leaf[t] = leaf;
        lay_out(scorer, t, walk->nodes + scorer->root[t], leaf, open);
        leaf += (count + 1) / 2;
        env->poll(env);
    }
    env->release(env, open);
    *bytes += (size_t)scorer->nodes * sizeof(uint64_t) + (size_t)scorer->trees * 8 + (size_t)scorer->slots * 4;
    return walk;
}

bool forest_walk_row(const ForestWalk *walk, const double *slots)
{
    bool known = true;

    for (uint32_t j = 0; j < walk->slots; j++) {
        float near = (float)slots[j];

        walk->row[j] = (double)near < slots[j] ? nextafterf(near, INFINITY) : near;
        known &= slots[j] == slots[j];
    }
    return known;
}

static inline uint32_t next_node(const uint64_t *nodes, uint32_t at, const float *row)
{
    uint64_t node = nodes[at];
    uint32_t low = (uint32_t)node, high = (uint32_t)(node >> 32);
    float threshold;

    memcpy(&threshold, &high, sizeof(threshold));
    return (low >> WALK_SLOT_BITS) + (row[low & (WALK_MOST_SLOTS - 1)] > threshold);
}

/* All of them at once: the loops over WALK_TOGETHER trees are unrolled, so their reads overlap. */
static void walk_together(const ForestWalk *walk, uint32_t first, uint32_t *leaves)
{
    const uint64_t *nodes[WALK_TOGETHER];
    const float *row = walk->row;
    uint32_t at[WALK_TOGETHER] = {0}, moved;

    for (uint32_t t = 0; t < WALK_TOGETHER; t++)
        nodes[t] = walk->nodes + walk->first_node[first + t];
    do {
        moved = 0;
        for (uint32_t step = 0; step < 2; step++)
            for (uint32_t t = 0; t < WALK_TOGETHER; t++)
                at[t] = next_node(nodes[t], at[t], row);
        for (uint32_t t = 0; t < WALK_TOGETHER; t++) {
            uint32_t next = next_node(nodes[t], at[t], row);

            moved |= next ^ at[t];
            at[t] = next;
        }
    } while (moved != 0);
    for (uint32_t t = 0; t < WALK_TOGETHER; t++)
        leaves[t] = walk->first_leaf[first + t] + ((uint32_t)(nodes[t][at[t]] >> 32) & ~WALK_LEAF);
}

void forest_walk_leaves(const ForestWalk *walk, uint32_t first, uint32_t count, uint32_t *leaves)
{
    if (count == WALK_TOGETHER) {
        walk_together(walk, first, leaves);
        return;
    }
    for (uint32_t t = 0; t < count; t++) {
        const uint64_t *nodes = walk->nodes + walk->first_node[first + t];
        uint32_t at = 0, next;

        while ((next = next_node(nodes, at, walk->row)) != at)
            at = next;
        leaves[t] = walk->first_leaf[first + t] + ((uint32_t)(nodes[at] >> 32) & ~WALK_LEAF);
    }
}
