/*
 * neighbor_groups.c - the groups of rows, and the nodes that hold no others; neighbor_index.c searches them.
 */
#include "core/neighbors/neighbor_groups.h"
#include "core/neighbors/neighbor_node.h"

#include <math.h>

static uint32_t group_of_both(uint32_t a, uint32_t b)
{
    if (a == GROUP_NONE || a == b)
        return b;
    return b == GROUP_NONE ? a : GROUP_MIXED;
}

static void update_node(NeighborGroups *groups, NeighborNode node)
{
    uint32_t group = GROUP_NONE;

    if (node_is_leaf(node)) {
        uint32_t first = node.first * NEIGHBOR_LEAF, count = node_rows(groups->index, node);

        for (uint32_t i = 0; i < count; i++)
            group = group_of_both(group, groups->rows[first + i]);
        if (node.first % 256 == 0)
            groups->index->env->poll(groups->index->env);
    } else {
        update_node(groups, left_child(node));
        update_node(groups, right_child(node));
        group = group_of_both(groups->nodes[left_child(node).number], groups->nodes[right_child(node).number]);
    }
    groups->nodes[node.number] = group;
}

static void fill_least(NeighborGroups *groups, NeighborNode node)
{
    double least = INFINITY;

    if (node_is_leaf(node)) {
        uint32_t first = node.first * NEIGHBOR_LEAF, count = node_rows(groups->index, node);

        for (uint32_t i = 0; i < count; i++)
            least = fmin(least, groups->least[first + i]);
    } else {
        fill_least(groups, left_child(node));
        fill_least(groups, right_child(node));
        least = fmin(groups->least_nodes[left_child(node).number], groups->least_nodes[right_child(node).number]);
    }
    groups->least_nodes[node.number] = least;
}

static NeighborNode root_of(const NeighborIndex *index)
{
    return (NeighborNode){.last = index->leaves};
}

NeighborGroups *neighbor_groups(const NeighborIndex *index, double *least)
{
    Env *env = index->env;
    NeighborGroups *groups = env_array(env, 1, sizeof *groups);

    groups->index = index;
    groups->rows = env_array_raw(env, index->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < index->count; i++)
        groups->rows[i] = GROUP_NONE;
    groups->least = least;
    if (index->kind == INDEX_BRUTE)
        return groups;
    groups->nodes = env_array_raw(env, 2 * (size_t)index->leaves - 1, sizeof(uint32_t));
    update_node(groups, root_of(index));
    if (least != NULL) {
        groups->least_nodes = env_array_raw(env, 2 * (size_t)index->leaves - 1, sizeof(double));
        fill_least(groups, root_of(index));
    }
    return groups;
}

void neighbor_groups_update(NeighborGroups *groups)
{
    if (groups->nodes != NULL)
        update_node(groups, root_of(groups->index));
}
