/*
 * neighbor_node.h - the nodes of the trees of neighbor_index.h, for the files that search them.
 */
#ifndef PGFIT_NEIGHBOR_NODE_H
#define PGFIT_NEIGHBOR_NODE_H

#include "core/neighbors/neighbor_index.h"

#define NEIGHBOR_DEPTH_MAX 64 /* levels of a tree */

/* A node of the tree: its place in memory order, and its leaves. */
typedef struct NeighborNode {
    uint32_t number, first, last; /* leaves [first, last) */
} NeighborNode;

static inline bool node_is_leaf(NeighborNode node)
{
    return node.last - node.first == 1;
}

static inline NeighborNode left_child(NeighborNode node)
{
    return (NeighborNode){node.number + 1, node.first, node.first + (node.last - node.first + 1) / 2};
}

static inline NeighborNode right_child(NeighborNode node)
{
    uint32_t left = (node.last - node.first + 1) / 2;

    return (NeighborNode){node.number + 2 * left, node.first + left, node.last};
}

static inline uint32_t node_rows(const NeighborIndex *index, NeighborNode node)
{
    uint64_t end = (uint64_t)node.last * NEIGHBOR_LEAF;

    return (uint32_t)((end < index->count ? end : index->count) -
                      (uint64_t)node.first * NEIGHBOR_LEAF);
}

static inline double *node_data(const NeighborIndex *index, NeighborNode node)
{
    return index->nodes + (size_t)node.number * index->node_size;
}

#endif
