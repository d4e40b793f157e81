/*
 * neighbor_groups.c - searches that leave out the rows of one group, and the nodes that hold no others.
 */
#include "core/neighbors/neighbor_groups.h"
#include "core/neighbors/neighbor_node.h"

#include <math.h>

#define BLOCK 256 /* rows compared at a time without a tree */

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

/* ---- searching ---- */

typedef struct Others {
    const NeighborGroups *groups;
    NeighborSearch *search;
    uint32_t group;
    double limit;
    NeighborFound found;
    void *context;
} Others;

/* Reports the rows of a block that are near enough, by their reduced distances. */
static void report(Others *others, uint32_t first, uint32_t count, const double *reduced)
{
    const uint32_t *groups = others->groups->rows + first;
    const double *least = others->groups->least;

    for (uint32_t i = 0; i < count; i++) {
        double distance = reduced[i];

        if (!(distance <= others->limit) || groups[i] == others->group || groups[i] == GROUP_NONE)
            continue;
        if (least != NULL && least[first + i] > distance)
            distance = least[first + i];
        if (distance <= others->limit)
            others->limit = others->found(others->context, first + i, distance, others->limit);
    }
}

static void search_blocks(Others *others)
{
    NeighborSearch *search = others->search;
    const NeighborIndex *index = search->index;

    for (uint32_t first = 0, count; first < index->count; first += count) {
        count = index->count - first < BLOCK ? index->count - first : BLOCK;
        metric_reduced_rows(index->metric, search->query, index->rows + (size_t)first * index->width, count,
                            search->reduced);
        report(others, first, count, search->reduced);
        neighbor_poll_after(search, (uint64_t)count * index->width);
    }
}

/* Tells whether a node has no row to report. bound: neighbor_node_bound of the node. */
static inline bool has_none(const Others *others, NeighborNode node, double bound)
{
    const NeighborGroups *groups = others->groups;
    uint32_t group = groups->nodes[node.number];

    return bound > others->limit || group == others->group || group == GROUP_NONE ||
           (groups->least_nodes != NULL && groups->least_nodes[node.number] > others->limit);
}

static void search_leaf(Others *others, NeighborNode node)
{
    NeighborSearch *search = others->search;
    const NeighborIndex *index = search->index;
    uint32_t count = node_rows(index, node);

    metric_reduced_panels(index->metric, search->query, index->panels + (size_t)node.first * NEIGHBOR_LEAF * index->width,
                          (uint32_t)metric_panel_count(count), search->reduced);
    report(others, node.first * NEIGHBOR_LEAF, count, search->reduced);
    neighbor_poll_after(search, (uint64_t)count * index->width + 64);
}

/* Searches depth first, the nearer child before the other. */
static void search_nodes(Others *others)
{
    struct {
        NeighborNode node;
        double bound;
    } pending[NEIGHBOR_DEPTH_MAX];
    NeighborNode root = root_of(others->search->index);
    uint32_t count = 0;

    pending[count].node = root;
    pending[count++].bound = neighbor_node_bound(others->search, root);
    while (count > 0) {
        NeighborNode node = pending[--count].node, near, far;
        double near_bound, far_bound;

        if (has_none(others, node, pending[count].bound))
            continue;
        if (node_is_leaf(node)) {
            search_leaf(others, node);
            continue;
        }
        near = left_child(node);
        far = right_child(node);
        near_bound = neighbor_node_bound(others->search, near);
        far_bound = neighbor_node_bound(others->search, far);
        if (far_bound < near_bound) {
            NeighborNode node_swap = near;
            double bound_swap = near_bound;

            near = far;
            far = node_swap;
            near_bound = far_bound;
            far_bound = bound_swap;
        }
        pending[count].node = far;
        pending[count++].bound = far_bound;
        pending[count].node = near;
        pending[count++].bound = near_bound;
    }
}

void neighbor_others(const NeighborGroups *groups, NeighborSearch *search, uint32_t own, double limit, NeighborFound found,
                     void *context)
{
    Others others = {groups, search, own, limit, found, context};

    if (search->index->kind == INDEX_BRUTE)
        search_blocks(&others);
    else
        search_nodes(&others);
}
