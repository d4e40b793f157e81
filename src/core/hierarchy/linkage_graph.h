/*
 * linkage_graph.h - hierarchical clustering in which only clusters that a graph connects merge.
 */
#ifndef PGFIT_LINKAGE_GRAPH_H
#define PGFIT_LINKAGE_GRAPH_H

#include "core/hierarchy/dendrogram.h"
#include "core/density/density_points.h"
#include "core/distance/distance_matrix.h"

/* A neighbor of a row or cluster, and their distance. */
typedef struct GraphEdge {
    uint32_t node;
    double distance;
} GraphEdge;

typedef struct GraphNode {
    GraphEdge *edges; /* [count], in order of their nodes */
    uint32_t count, room;
} GraphNode;

typedef struct LinkageGraph {
    Env *env;
    uint32_t count;   /* rows */
    GraphNode *nodes; /* [2 count - 1]: rows, then clusters by merge */
    uint64_t edges;   /* that were ever stored */
} LinkageGraph;

/*
 * Returns the graph in which two points are neighbors if one is among the k nearest of the other. Parts that no neighbors connect are
 * joined, each with each other, at their nearest points, with a WARNING.
 */
LinkageGraph *graph_of_nearest(const DensityPoints *points, uint32_t k);
/* Returns the graph of the pairs of objects whose given distance is finite. */
LinkageGraph *graph_of_given(Env *env, const PointSet *points, const DistanceMatrix *given);
/*
 * Builds the tree, [count - 1] merges, by single, complete, average or Ward's linkage. A distance of clusters is that of the edges
 * between them: their least, largest or mean one; Ward's is that of the means. Parts of the graph that nothing connects merge last, at an
 * infinite height.
 */
void hierarchy_graph(LinkageGraph *graph, const PointSet *points, Linkage linkage, Merge *merges);

#endif
