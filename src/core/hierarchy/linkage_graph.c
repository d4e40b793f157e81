/*
 * linkage_graph.c - merges clusters along the edges of a graph.
 *
 * All edges between clusters are in a heap, the shortest on top; an edge of a cluster that has merged since is skipped there. A merge
 * gives the new cluster the edges of its parts, and adds it to the lists of its neighbors. Where both parts have the same neighbor, the
 * linkage makes one edge of two; where one has it, its edge stays as it is. So trees are those of scikit-learn's AgglomerativeClustering
 * with a connectivity matrix.
 */
#include "core/hierarchy/linkage_graph.h"
#include "core/base/disjoint_sets.h"
#include "core/base/sort.h"
#include "core/base/heap.h"

#include <math.h>
#include <string.h>

#define BLOCK 256 /* points whose neighbors are searched together */
#define POLL_STEPS 4096

/* ---- the graph ---- */

static LinkageGraph *graph_new(Env *env, uint32_t count)
{
    LinkageGraph *graph = env_array(env, 1, sizeof *graph);

    graph->env = env;
    graph->count = count;
    graph->nodes = env_array(env, (size_t)2 * count, sizeof(GraphNode));
    return graph;
}

/* Adds an edge to the list of a node. */
static void add_edge(LinkageGraph *graph, uint32_t from, uint32_t to, double distance)
{
    GraphNode *node = &graph->nodes[from];

    if (node->count == node->room) {
        node->room = node->room > 0 ? 2 * node->room : 8;
        node->edges = graph->env->resize(graph->env, node->edges, node->room * sizeof(GraphEdge));
    }
    node->edges[node->count++] = (GraphEdge){to, distance};
    if (++graph->edges % POLL_STEPS == 0) {
        env_require_memory(graph->env, graph->edges * 2 * sizeof(GraphEdge), "hierarchical with connectivity");
        graph->env->poll(graph->env);
    }
}

static int compare_edges(const void *left, const void *right)
{
    const GraphEdge *a = left, *b = right;

    return (a->node > b->node) - (a->node < b->node);
}

/* Sorts the lists, and keeps each neighbor once. */
static void sort_neighbors(LinkageGraph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        GraphNode *node = &graph->nodes[i];
        uint32_t kept = 0;

        sort_polled(graph->env, node->edges, node->count, sizeof(GraphEdge), compare_edges);
        for (uint32_t e = 0; e < node->count; e++)
            if (kept == 0 || node->edges[e].node != node->edges[kept - 1].node)
                node->edges[kept++] = node->edges[e];
        node->count = kept;
    }
}

/* The nearest rows of two parts of the graph. */
typedef struct Bridge {
    uint32_t a, b;
    double reduced;
} Bridge;

/* Numbers the parts that edges connect in order of their first rows. Returns how many there are. */
static uint32_t find_parts(const LinkageGraph *graph, uint32_t *part)
{
    uint32_t n = graph->count, count = 0, *parent = env_array_raw(graph->env, n, sizeof(uint32_t));

    for (uint32_t i = 0; i < n; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = 0; e < graph->nodes[i].count; e++)
            sets_merge(parent, sets_root(parent, i), sets_root(parent, graph->nodes[i].edges[e].node));
    for (uint32_t i = 0; i < n; i++) { /* the first row of a part is its root */
        uint32_t root = sets_root(parent, i);

        part[i] = root == i ? count++ : part[root];
    }
    return count;
}

/* Joins each part of the graph with each other part at their nearest rows. */
static void join_parts(LinkageGraph *graph, const DensityPoints *points, const uint32_t *part, uint32_t count)
{
    Env *env = graph->env;
    const Metric *metric = points->metric;
    double *reduced = env_array_raw(env, points->count, sizeof(double));
    Bridge *bridges;

    env_require_memory(env, (size_t)count * count * sizeof(Bridge), "hierarchical with connectivity");
    bridges = env_array_raw(env, (size_t)count * count, sizeof(Bridge));
    for (size_t i = 0; i < (size_t)count * count; i++)
        bridges[i].reduced = INFINITY;
    for (uint32_t i = 1; i < points->count; i++) {
        metric_reduced_rows(metric, density_row(points, i), points->coordinates, i, reduced);
        for (uint32_t j = 0; j < i; j++) {
            uint32_t low = part[i] < part[j] ? part[i] : part[j], high = part[i] < part[j] ? part[j] : part[i];
            Bridge *bridge = &bridges[(size_t)high * count + low];

            if (low != high && reduced[j] < bridge->reduced)
                *bridge = (Bridge){i, j, reduced[j]};
        }
        env->poll(env);
        env->progress(env, "joining parts", i, points->count, NAN);
    }
    for (uint32_t high = 1; high < count; high++)
        for (uint32_t low = 0; low < high; low++) {
            const Bridge *bridge = &bridges[(size_t)high * count + low];
            double distance = metric_of_reduced(metric, bridge->reduced);

            if (isinf(bridge->reduced))
                continue;
            add_edge(graph, bridge->a, bridge->b, distance);
            add_edge(graph, bridge->b, bridge->a, distance);
        }
}

LinkageGraph *graph_of_nearest(const DensityPoints *points, uint32_t k)
{
    Env *env = points->env;
    LinkageGraph *graph = graph_new(env, points->count);
    uint32_t *part = env_array(env, points->count, sizeof(uint32_t)), parts, counts[BLOCK], skips[BLOCK];
    Neighbor *found;

    k = k < points->count ? k : points->count - 1;
    env_require_memory(env, ((size_t)points->count * 3 * sizeof(GraphEdge) + BLOCK * sizeof(Neighbor)) * k, "hierarchical with connectivity");
    found = env_array_raw(env, (size_t)BLOCK * k + 1, sizeof(Neighbor));
    for (uint32_t first = 0; first < points->count && k > 0; first += BLOCK) {
        uint32_t count = points->count - first < BLOCK ? points->count - first : BLOCK;

        for (uint32_t i = 0; i < count; i++)
            skips[i] = first + i;
        neighbor_nearest_batch(points->search, density_row(points, first), count, k, skips, found, counts);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < counts[i]; j++) {
                Neighbor neighbor = found[(size_t)i * k + j];
                double distance = metric_of_reduced(points->metric, neighbor.reduced);

                add_edge(graph, first + i, neighbor.position, distance);
                add_edge(graph, neighbor.position, first + i, distance);
            }
        env->poll(env);
        env->progress(env, "neighbors", first, points->count, NAN);
    }
    parts = find_parts(graph, part);
    if (parts > 1) {
        env_warn(env, ERROR_DATA, "Raise \"connectivity\" to connect more rows.",
                 "\"connectivity\": %u leaves %u parts that nothing connects; they were joined at their nearest rows", k, parts);
        join_parts(graph, points, part, parts);
    }
    sort_neighbors(graph);
    return graph;
}

LinkageGraph *graph_of_given(Env *env, const PointSet *points, const DistanceMatrix *given)
{
    LinkageGraph *graph = graph_new(env, points->count);
    double *distances = env_array_raw(env, points->count, sizeof(double));

    for (uint32_t i = 0; i < points->count; i++) {
        metric_reduced_rows(points->metric, point_set_row(points, i), points->coordinates, points->count, distances);
        for (uint32_t j = 0; j < points->count; j++)
            if (j != i && distances[j] < given->replacement)
                add_edge(graph, i, j, distances[j]);
    }
    return graph;
}

/* ---- the heap of edges ---- */

typedef struct HeapEdge {
    double distance;
    uint32_t a, b; /* a < b */
} HeapEdge;

typedef struct Heap {
    Env *env;
    HeapEdge *edges;
    uint64_t count, room;
} Heap;

/* A HeapBefore. */
static bool comes_first(const void *left, const void *right, const void *context)
{
    const HeapEdge *a = left, *b = right;

    if (a->distance != b->distance)
        return a->distance < b->distance;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static void push_edge(Heap *heap, HeapEdge edge)
{
    if (heap->count == heap->room) {
        heap->room = heap->room > 0 ? 2 * heap->room : 1024;
        env_require_memory(heap->env, heap->room * sizeof(HeapEdge), "hierarchical with connectivity");
        heap->edges = heap->env->resize(heap->env, heap->edges, heap->room * sizeof(HeapEdge));
    }
    heap_add(heap->edges, heap->count++, &edge, sizeof edge, comes_first, NULL);
}

static HeapEdge take_edge(Heap *heap)
{
    HeapEdge first;

    heap_take_first(heap->edges, heap->count--, &first, sizeof first, comes_first, NULL);
    return first;
}

/* ---- merging ---- */

typedef struct Growth {
    LinkageGraph *graph;
    const PointSet *points;
    Linkage linkage;
    Heap heap;
    bool *gone;      /* [nodes] it has merged */
    uint32_t *row;   /* [nodes] one row of each */
    double *weight;  /* [nodes] */
    double *means;   /* [rows x width] of Ward's linkage: that of a cluster is at its row */
    uint32_t made;   /* merges */
} Growth;

/* Returns the squared growth of Ward's linkage by merging two clusters. */
static double ward_growth(const Growth *growth, uint32_t a, uint32_t b)
{
    uint32_t width = growth->points->metric->width;
    const double *x = growth->means + (size_t)growth->row[a] * width, *y = growth->means + (size_t)growth->row[b] * width;

    return metric_reduced(growth->points->metric, x, y) * growth->weight[a] * growth->weight[b] / (growth->weight[a] + growth->weight[b]);
}

/* Returns the height of a merge along an edge. */
static double height_of(const Growth *growth, double distance)
{
    return growth->linkage == LINKAGE_WARD ? sqrt(2 * distance) / growth->points->metric->scale : distance;
}

/* Returns the distance of a new cluster from a neighbor of both its parts. */
static double join_distances(const Growth *growth, uint32_t a, double from_a, uint32_t b, double from_b)
{
    switch (growth->linkage) {
    case LINKAGE_SINGLE:
        return from_a < from_b ? from_a : from_b;
    case LINKAGE_COMPLETE:
        return from_a > from_b ? from_a : from_b;
    default:
        return (growth->weight[a] * from_a + growth->weight[b] * from_b) / (growth->weight[a] + growth->weight[b]);
    }
}

/* Gives a new cluster a neighbor. */
static void connect(Growth *growth, uint32_t made, uint32_t neighbor, double distance)
{
    if (growth->linkage == LINKAGE_WARD)
        distance = ward_growth(growth, made, neighbor);
    add_edge(growth->graph, made, neighbor, distance);
    add_edge(growth->graph, neighbor, made, distance);
    push_edge(&growth->heap, (HeapEdge){distance, neighbor, made});
}

/* Gives a new cluster the neighbors of its parts. */
static void merge_lists(Growth *growth, uint32_t a, uint32_t b, uint32_t made)
{
    const GraphNode *x = &growth->graph->nodes[a], *y = &growth->graph->nodes[b];
    uint32_t i = 0, j = 0;

    while (i < x->count || j < y->count) {
        uint32_t from_x = i < x->count ? x->edges[i].node : UINT32_MAX, from_y = j < y->count ? y->edges[j].node : UINT32_MAX;
        uint32_t node = from_x < from_y ? from_x : from_y;
        double distance = from_x == from_y ? join_distances(growth, a, x->edges[i].distance, b, y->edges[j].distance)
                          : from_x < from_y ? x->edges[i].distance
                                            : y->edges[j].distance;

        i += from_x == node;
        j += from_y == node;
        if (!growth->gone[node])
            connect(growth, made, node, distance);
    }
}

static void merge(Growth *growth, uint32_t a, uint32_t b, double height, Merge *merges)
{
    uint32_t made = growth->graph->count + growth->made, width = growth->points->metric->width;

    merges[growth->made++] = (Merge){growth->row[a], growth->row[b], height};
    if (growth->means != NULL) {
        double share = growth->weight[b] / (growth->weight[a] + growth->weight[b]);
        double *mean = growth->means + (size_t)growth->row[a] * width;
        const double *other = growth->means + (size_t)growth->row[b] * width;

        for (uint32_t j = 0; j < width; j++)
            mean[j] += share * (other[j] - mean[j]);
    }
    growth->gone[a] = growth->gone[b] = true;
    growth->row[made] = growth->row[a];
    growth->weight[made] = growth->weight[a] + growth->weight[b];
    merge_lists(growth, a, b, made);
    growth->graph->env->release(growth->graph->env, growth->graph->nodes[a].edges);
    growth->graph->env->release(growth->graph->env, growth->graph->nodes[b].edges);
    growth->graph->nodes[a].count = growth->graph->nodes[b].count = 0;
}

/* Puts the edges of the rows into the heap. */
static void growth_begin(Growth *growth)
{
    LinkageGraph *graph = growth->graph;
    const PointSet *points = growth->points;
    Env *env = graph->env;
    size_t width = points->metric->width;

    growth->heap.env = env;
    growth->gone = env_array(env, (size_t)2 * graph->count, sizeof(bool));
    growth->row = env_array(env, (size_t)2 * graph->count, sizeof(uint32_t));
    growth->weight = env_array(env, (size_t)2 * graph->count, sizeof(double));
    for (uint32_t i = 0; i < graph->count; i++) {
        growth->row[i] = i;
        growth->weight[i] = row_weight(points->weights, i);
    }
    if (growth->linkage == LINKAGE_WARD) {
        growth->means = env_array_raw(env, graph->count, width * sizeof(double) + 1);
        env_copy(env, growth->means, points->coordinates, graph->count * width * sizeof(double));
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint32_t e = 0; e < graph->nodes[i].count; e++) {
            GraphEdge *edge = &graph->nodes[i].edges[e];

            if (growth->linkage == LINKAGE_WARD)
                edge->distance = ward_growth(growth, i, edge->node);
            if (i < edge->node)
                push_edge(&growth->heap, (HeapEdge){edge->distance, i, edge->node});
        }
        if (i % POLL_STEPS == 0)
            env->poll(env);
    }
}

void hierarchy_graph(LinkageGraph *graph, const PointSet *points, Linkage linkage, Merge *merges)
{
    Growth growth = {.graph = graph, .points = points, .linkage = linkage};
    Env *env = graph->env;
    uint32_t last = UINT32_MAX;

    growth_begin(&growth);
    for (uint64_t step = 0; growth.heap.count > 0; step++) {
        HeapEdge edge = take_edge(&growth.heap);

        if (!growth.gone[edge.a] && !growth.gone[edge.b])
            merge(&growth, edge.a, edge.b, height_of(&growth, edge.distance), merges);
        if (step % POLL_STEPS == 0) {
            env->poll(env);
            env->progress(env, "hierarchical", growth.made, graph->count - 1, NAN);
        }
    }
    for (uint32_t node = 0; node < graph->count + growth.made; node++) { /* parts that nothing connects */
        if (growth.gone[node])
            continue;
        if (last != UINT32_MAX)
            merges[growth.made++] = (Merge){growth.row[last], growth.row[node], INFINITY};
        last = node;
    }
}
