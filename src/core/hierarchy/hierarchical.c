/*
 * hierarchical.c - agglomerative clustering: merges the two nearest clusters until one is left.
 *
 * With option "connectivity" only clusters that a graph connects merge. All its edges between clusters are in a heap, the shortest on top; an
 * edge of a cluster that has merged since is skipped there. A merge gives the new cluster the edges of its parts, and adds it to the lists of
 * its neighbors. Where both parts have the same neighbor, the linkage makes one edge of two; where one has it, its edge stays as it is. So
 * trees are those of scikit-learn's AgglomerativeClustering with a connectivity matrix.
 */
#include "core/base/disjoint_sets.h"
#include "core/base/sort.h"
#include "core/base/heap.h"
#include "core/estimator/estimator.h"
#include "core/hierarchy/dendrogram.h"
#include "core/distance/distance_matrix.h"
#include "core/model/report_text.h"
#include "core/density/density_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static LinkageGraph *graph_of_nearest(const DensityPoints *points, uint32_t k);
/* Returns the graph of the pairs of objects whose given distance is finite. */
static LinkageGraph *graph_of_given(Env *env, const PointSet *points, const DistanceMatrix *given);

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

/* Where the neighbors of points become edges. */
typedef struct Edges {
    const DensityPoints *points;
    LinkageGraph *graph;
} Edges;

/* Adds the edges of a block. A NeighborBlockTaken. */
static void take_edges(void *context, const NeighborBlock *block)
{
    Edges *edges = context;

    for (uint32_t i = 0; i < block->count; i++)
        for (uint32_t j = 0; j < block->counts[i]; j++) {
            Neighbor neighbor = block->found[(size_t)i * block->k + j];
            double distance = metric_of_reduced(edges->points->metric, neighbor.reduced);

            add_edge(edges->graph, block->first + i, neighbor.position, distance);
            add_edge(edges->graph, neighbor.position, block->first + i, distance);
        }
}

static LinkageGraph *graph_of_nearest(const DensityPoints *points, uint32_t k)
{
    Env *env = points->env;
    LinkageGraph *graph = graph_new(env, points->count);
    uint32_t *part = env_array(env, points->count, sizeof(uint32_t)), parts;
    Edges edges = {points, graph};
    size_t needed;

    k = k < points->count ? k : points->count - 1;
    needed = ((size_t)points->count * 3 * sizeof(GraphEdge) + NEIGHBOR_BLOCK * sizeof(Neighbor)) * k;
    env_require_memory(env, needed, "hierarchical with connectivity");
    if (k > 0)
        neighbor_blocks(env, points->index, k, true, points->spare > needed ? points->spare - needed : 0, "neighbors", take_edges, &edges);
    parts = find_parts(graph, part);
    if (parts > 1) {
        env_warn(env, ERROR_DATA, "Raise \"connectivity\" to connect more rows.",
                 "\"connectivity\": %u leaves %u parts that nothing connects; they were joined at their nearest rows", k, parts);
        join_parts(graph, points, part, parts);
    }
    sort_neighbors(graph);
    return graph;
}

static LinkageGraph *graph_of_given(Env *env, const PointSet *points, const DistanceMatrix *given)
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
        env_poll_every(env, i, POLL_STEPS);
    }
}

/*
 * Builds the tree, [count - 1] merges, by single, complete, average or Ward's linkage. A distance of clusters is that of the edges
 * between them: their least, largest or mean one; Ward's is that of the means. Parts of the graph that nothing connects merge last, at an
 * infinite height.
 */
static void hierarchy_graph(LinkageGraph *graph, const PointSet *points, Linkage linkage, Merge *merges)
{
    Growth growth = {.graph = graph, .points = points, .linkage = linkage};
    Env *env = graph->env;
    uint32_t last = UINT32_MAX, nodes;

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
    nodes = graph->count + growth.made;
    for (uint32_t node = 0; node < nodes; node++) { /* parts that nothing connects; their merges make no nodes */
        if (growth.gone[node])
            continue;
        if (last != UINT32_MAX)
            merges[growth.made++] = (Merge){growth.row[last], growth.row[node], INFINITY};
        last = node;
    }
}

/* ---- options ---- */

static const char *const linkage_choices[] = {"average", "centroid", "complete", "mcquitty", "median",   "single",
                                              "ward",    "ward.D",   "ward.D2",  "weighted", NULL};
/* What each choice means; the last two are other names, of ward and mcquitty. */
static const Linkage linkage_meanings[] = {LINKAGE_AVERAGE, LINKAGE_CENTROID, LINKAGE_COMPLETE, LINKAGE_MCQUITTY,
                                           LINKAGE_MEDIAN,  LINKAGE_SINGLE,   LINKAGE_WARD,     LINKAGE_WARD_UNSQUARED,
                                           LINKAGE_WARD,    LINKAGE_MCQUITTY};

static const char *const connectivity_choices[] = {"given", NULL};

static const OptionSpec hierarchical_options[] = {
    {.name = "connectivity",
     .types = OPTION_INTEGER | OPTION_STRING,
     .minimum = 1,
     .maximum = 1e6,
     .choices = connectivity_choices,
     .unset = "all clusters may merge",
     .help = "For linkages average, complete, single and ward: only clusters that are neighbors merge, where one row is among this many nearest "
             "rows of the other, or, of given distances, theirs is finite (given)."},
    {.name = "cophenetic",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Also compute the correlation of the distances of pairs with the heights at which they are joined: a "
             "second pass over all pairs."},
    {.name = "linkage",
     .types = OPTION_STRING,
     .fallback = "\"average\"",
     .choices = linkage_choices,
     .help = "The distance between two clusters: mean (average), largest (complete) or smallest (single) distance of "
             "pairs, mean of the distances of their two parts (mcquitty or weighted), distance of the means (centroid) or "
             "of the midpoints (median), growth of the sum of squares (ward or ward.D2), or the formula of ward "
             "on distances that are not squared (ward.D)."},
    {.name = NULL}};

static Linkage linkage_of(const Options *options)
{
    for (int i = 0; linkage_choices[i] != NULL; i++)
        if (options_is(options, "linkage", linkage_choices[i]))
            return linkage_meanings[i];
    return LINKAGE_AVERAGE;
}

/* Tells whether the linkage is computed from all distances, which are kept. */
static bool keeps_distances(Linkage linkage)
{
    return linkage == LINKAGE_AVERAGE || linkage == LINKAGE_COMPLETE || linkage == LINKAGE_MCQUITTY ||
           linkage == LINKAGE_WARD_UNSQUARED;
}

/* Tells whether heights may fall from one merge to the next. */
static bool may_fall(Linkage linkage)
{
    return linkage == LINKAGE_CENTROID || linkage == LINKAGE_MEDIAN;
}

/* ---- the fit ---- */

/* Fails if the linkage needs means and the metric has none. */
static void require_means(Env *env, const Metric *metric, const Options *options, Linkage linkage)
{
    MetricKind kind = metric->kind;

    if ((linkage != LINKAGE_WARD && !may_fall(linkage)) || (linkage == LINKAGE_WARD && kind == METRIC_GIVEN))
        return;
    if (kind == METRIC_GIVEN)
        env_fail(env, ERROR_PARAMETER, "Use linkage average, complete, mcquitty, single, ward or ward.D.",
                 "linkage %s needs means, and there are none of given distances", options_string(options, "linkage"));
    if (metric->symbols == 0 &&
        (kind == METRIC_EUCLIDEAN || kind == METRIC_STANDARDIZED_EUCLIDEAN ||
         kind == METRIC_ELLIPTICAL || kind == METRIC_MAHALANOBIS ||
         (kind == METRIC_MIXED && metric->form == FORM_SQUARES)))
        return;
    env_fail(env, ERROR_PARAMETER, "Use linkage average, complete, mcquitty, single or ward.D.",
             "linkage %s needs means: numbers, with metric euclidean, standardized_euclidean, elliptical, "
             "mahalanobis or mixed of order 2",
             options_string(options, "linkage"));
}

#define FAR 1e300     /* stands for an infinite distance */
#define FAR_MEAN 1e270 /* any mean of distances that one of them is in is larger */

/* Tells whether clusters can be infinitely far apart. */
static bool takes_infinite(Linkage linkage)
{
    return linkage == LINKAGE_SINGLE || linkage == LINKAGE_COMPLETE || linkage == LINKAGE_AVERAGE;
}

/* Makes infinite distances among given ones large numbers, with which linkages compute. Fails for linkages that cannot. */
static void replace_infinite(Env *env, DistanceMatrix *matrix, const Options *options, Linkage linkage)
{
    double largest;

    if (!takes_infinite(linkage))
        env_fail(env, ERROR_DATA, "Use linkage average, complete or single.",
                 "linkage %s needs finite distances, but %llu pair%s of ids have none", options_string(options, "linkage"),
                 (unsigned long long)matrix->infinite, matrix->infinite == 1 ? "" : "s");
    largest = distance_matrix_largest(matrix);
    if (largest >= FAR_MEAN)
        env_fail(env, ERROR_RANGE, "Divide the distances by a large number.", "the distance %g is too large beside infinite ones",
                 largest);
    matrix->replacement = FAR;
}

/* Makes the heights of merges at which some pair is infinitely far apart infinite. */
static void restore_infinite(Merge *merges, uint32_t count)
{
    for (uint32_t s = 0; s + 1 < count; s++)
        merges[s].height = merges[s].height >= FAR_MEAN ? INFINITY : merges[s].height;
}

/* Fails if the linkage keeps all distances and they exceed the memory budget. */
static void require_memory(Env *env, const Rows *kept, const Options *options, Linkage linkage)
{
    bool given = distance_matrix_of(kept) != NULL;
    uint64_t rows = rows_count(kept);
    size_t needed = hierarchy_chain_memory(rows);
    char *hint;

    if (!(keeps_distances(linkage) || (given && linkage == LINKAGE_WARD)) || needed <= env->memory_limit)
        return;
    hint = env_array(env, 160, 1);
    snprintf(hint, 160,
             "Set pgfit.fit_mem to '%zuMB' or more, or use linkage %s.",
             needed / 1048576 + 1 + (size_t)(rows * 1024 / 1048576),
             given ? "single, which needs no copy of the distances" : "single, centroid or ward, which keep no distances");
    env_fail(
        env, ERROR_LIMIT, hint,
        "linkage %s of %llu rows keeps all distances: it would need %zu MB, and pgfit.fit_mem allows %zu MB",
        options_string(options, "linkage"), (unsigned long long)rows, needed / 1048576 + 1,
        env->memory_limit / 1048576);
}

/* Returns the merges, [count - 1], with their nodes numbered. Fails if a height is out of range. */
static Merge *make_tree(Env *env, const PointSet *points, const DistanceMatrix *given, Linkage linkage)
{
    Merge *merges = env_array(env, points->count, sizeof(Merge));

    switch (linkage) {
    case LINKAGE_SINGLE:
        hierarchy_single(env, points, given, merges);
        break;
    case LINKAGE_AVERAGE:
    case LINKAGE_COMPLETE:
    case LINKAGE_MCQUITTY:
    case LINKAGE_WARD_UNSQUARED:
        hierarchy_chain(env, points, linkage, merges);
        break;
    case LINKAGE_WARD:
        if (points->metric->kind == METRIC_GIVEN)
            hierarchy_chain(env, points, linkage, merges);
        else
            hierarchy_ward(env, points, merges);
        break;
    case LINKAGE_CENTROID:
    case LINKAGE_MEDIAN:
        hierarchy_centroid(env, points, linkage, merges);
        break;
    }
    for (uint32_t s = 0; s + 1 < points->count; s++)
        if (!isfinite(merges[s].height) && metric_infinite(points->metric) > 0)
            env_fail(env, ERROR_DATA, "Use linkage average, complete or single.", "the linkage needs finite distances, but some are infinite");
        else if (!isfinite(merges[s].height))
            env_fail(env, ERROR_RANGE, "Divide the features by a large number.",
                     "a distance in hierarchical is out of range");
    hierarchy_number(env, merges, points->count,
                     linkage != LINKAGE_SINGLE && !may_fall(linkage));
    return merges;
}

/* Fails unless the linkage can be restricted to neighbors, and the option goes with the rows. */
static void require_connectivity(Env *env, const Options *options, Linkage linkage, const DistanceMatrix *given)
{
    bool pairs = options_is(options, "connectivity", "given");

    if (linkage != LINKAGE_SINGLE && linkage != LINKAGE_COMPLETE && linkage != LINKAGE_AVERAGE && (linkage != LINKAGE_WARD || given != NULL))
        env_fail(env, ERROR_PARAMETER, given != NULL ? "Use linkage average, complete or single." : "Use linkage average, complete, single or ward.",
                 "linkage %s cannot be restricted to neighbors%s", options_string(options, "linkage"), given != NULL ? " of given distances" : "");
    if (pairs && given == NULL)
        env_fail(env, ERROR_PARAMETER, "Give the number of neighbors of each row, for example \"connectivity\": 10.",
                 "\"connectivity\": \"given\" is for given distances, not for rows");
    if (options_boolean(options, "cophenetic") && pairs)
        env_fail(env, ERROR_PARAMETER, NULL, "heights of trees along given pairs have no cophenetic correlation");
}

/* Returns the points of density_points, which have the order of an index, as a set. */
static PointSet *set_of_points(Env *env, const DensityPoints *points)
{
    PointSet *set = env_array(env, 1, sizeof(PointSet));

    *set = (PointSet){.metric = (Metric *)(uintptr_t)points->metric,
                      .count = points->count,
                      .coordinates = points->coordinates,
                      .weights = points->weights};
    return set;
}

/* Returns the merges of neighbors, and sets points and ids. */
static Merge *make_connected_tree(Env *env, Rows *rows, const Options *options, Linkage linkage, PointSet **points, RowId **ids)
{
    DistanceMatrix *given = distance_matrix_of(rows);
    LinkageGraph *graph;
    Merge *merges;

    require_connectivity(env, options, linkage, given);
    if (options_is(options, "connectivity", "given")) {
        *points = point_set(env, rows, options, 160, "hierarchical");
        *ids = point_set_ids(env, rows, *points);
        graph = graph_of_given(env, *points, given);
    } else {
        DensityPoints *density = density_points(env, rows, options, 160, "hierarchical");

        require_means(env, density->metric, options, linkage);
        *points = set_of_points(env, density);
        *ids = density->ids;
        graph = graph_of_nearest(density, (uint32_t)options_integer(options, "connectivity"));
    }
    merges = env_array(env, (*points)->count, sizeof(Merge));
    hierarchy_graph(graph, *points, linkage, merges);
    for (uint32_t s = 0; s + 1 < (*points)->count; s++)
        if (isnan(merges[s].height) || (isinf(merges[s].height) && given == NULL && metric_infinite((*points)->metric) == 0))
            env_fail(env, ERROR_RANGE, "Divide the features by a large number.", "a distance in hierarchical is out of range");
    hierarchy_number(env, merges, (*points)->count, false);
    return merges;
}

static void add_tree(Env *env, ModelBuilder *builder, const PointSet *points, const Merge *merges,
                     const RowId *ids)
{
    uint32_t n = points->count;
    double *heights = env_array(env, n, sizeof(double));
    int64_t *pairs = env_array(env, (size_t)2 * n, sizeof(int64_t));

    for (uint32_t s = 0; s + 1 < n; s++) {
        pairs[2 * (size_t)s] = merges[s].a;
        pairs[2 * (size_t)s + 1] = merges[s].b;
        heights[s] = merges[s].height;
    }
    row_ids_write(env, builder, ids, NULL, n);
    if (n > 1) {
        builder_i64_matrix(builder, SECTION_ARRAYS, "merges", pairs, n - 1, 2);
        builder_f64(builder, SECTION_ARRAYS, "heights", heights, n - 1);
    }
}

static Model *hierarchical_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                               ModelBuilder *builder)
{
    Rows *rows = input->rows;
    Linkage linkage = linkage_of(options);
    PointSet *points;
    Merge *merges;
    DistanceMatrix *given = distance_matrix_of(rows);
    bool monotone = true, infinite;
    RowId *ids;

    if (given != NULL && linkage == LINKAGE_SINGLE)
        distance_matrix_complete(given);
    if (options_given(options, "connectivity")) {
        merges = make_connected_tree(env, rows, options, linkage, &points, &ids);
        infinite = (given != NULL && given->infinite > 0) || metric_infinite(points->metric) > 0;
    } else {
        require_memory(env, rows, options, linkage);
        points = point_set(env, rows, options, 160, "hierarchical");
        require_means(env, points->metric, options, linkage);
        ids = point_set_ids(env, rows, points);
        if (given != NULL && given->infinite > 0)
            replace_infinite(env, given, options, linkage);
        if (takes_infinite(linkage))
            metric_replace_infinite(points->metric, FAR);
        merges = make_tree(env, points, given, linkage);
        infinite = (given != NULL && given->infinite > 0) || metric_infinite(points->metric) > 0;
        if (infinite)
            restore_infinite(merges, points->count);
    }
    for (uint32_t s = 1; s + 1 < points->count; s++)
        monotone = monotone && merges[s].height >= merges[s - 1].height;
    add_tree(env, builder, points, merges, ids);
    if (given != NULL)
        builder_fact_bool(builder, "given_distances", true);
    if (infinite)
        builder_fact_bool(builder, "infinite_distances", true);
    builder_fact_bool(builder, "monotone", monotone);
    if (points->count > 1)
        builder_fact(builder, "height", merges[points->count - 2].height);
    if (options_boolean(options, "cophenetic") && !infinite) /* infinite heights have no correlation */
        builder_fact(builder, "cophenetic_correlation",
                     hierarchy_cophenetic_correlation(env, points, merges));
    return model_build(builder);
}

static char *hierarchical_summary(Env *env, const Model *model)
{
    Options *options = estimator_options(env, estimator_of(model), model);
    double cophenetic = model_fact(model, "cophenetic_correlation", NAN);
    TextBuffer report = {.env = env};
    Hierarchy tree;

    hierarchy_open(env, model, "summary", &tree);
    if (model_fact(model, "given_distances", 0) != 0)
        text_print(&report, "hierarchical: %s linkage of given distances\n", options_string(options, "linkage"));
    else
        text_print(&report, "hierarchical: %s linkage of %u feature%s, metric %s\n", options_string(options, "linkage"),
                   model->field_count, model->field_count == 1 ? "" : "s", options_string(options, "metric"));
    report_rows(&report, model);
    if (!isnan(cophenetic))
        text_print(&report, "cophenetic correlation: %.4f\n", cophenetic);
    text_print(&report, "\nheight of each merge, and how many rows it joins:\n%s", hierarchy_text(env, model, &tree, 20));
    return text_finish(&report, NULL);
}

const Estimator estimator_hierarchical = {
    .name = "hierarchical",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .infinite_distances = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, hierarchical_options),
    .help = "A tree of clusters: starting from single rows, the two nearest clusters are merged until one is left.",
    .source = "Lance & Williams (1967); Muellner (2011), arXiv:1109.2378",
    .fit = hierarchical_fit,
    .arrays = hierarchy_array_tables,
    .check = hierarchy_check,
    .tables = hierarchy_tables,
    .summary = hierarchical_summary,
};
