/*
 * reachability_tree.c - a minimum spanning tree of mutual reachability.
 *
 * In each round every component finds its shortest edge to another one. The points of a component share the length of the shortest
 * edge found so far, which rules out parts of the index, as do parts that lie in the component as a whole. A point whose own core
 * distance is not shorter need not look at all.
 */
#include "core/hierarchy/reachability_tree.h"

#include "core/base/disjoint_sets.h"

#include <math.h>
#include <string.h>

typedef struct ShortestEdge {
    double reduced; /* INFINITY: none found */
    uint32_t from, to;
} ShortestEdge;

typedef struct Rounds {
    const DensityPoints *points;
    const double *core;
    NeighborGroups *groups;
    uint32_t *parent;     /* [count] disjoint_sets.h over points */
    ShortestEdge *shortest; /* [count] of the component with this root */
    Merge *edges;
    uint32_t edge_count;
} Rounds;

typedef struct Look {
    ShortestEdge *best;
    double core; /* distance */
    uint32_t from;
} Look;

/* Keeps the shortest edge, of equal ones the first found. A NeighborFound. */
static double keep_shortest(void *context, uint32_t position, double reduced, double limit)
{
    Look *look = context;

    if (reduced < look->core)
        reduced = look->core;
    if (reduced < look->best->reduced)
        *look->best = (ShortestEdge){reduced, look->from, position};
    return look->best->reduced;
}

static void find_edges(Rounds *rounds)
{
    const DensityPoints *points = rounds->points;

    for (uint32_t i = 0; i < points->count; i++)
        rounds->shortest[i].reduced = INFINITY;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t own = rounds->groups->rows[i];
        Look look = {&rounds->shortest[own], rounds->core[i], i};

        if (i % 1024 == 0)
            points->env->poll(points->env);
        if (!(look.core < look.best->reduced))
            continue;
        density_query(points, i);
        neighbor_others(rounds->groups, points->search, own, look.best->reduced, keep_shortest, &look);
    }
}

/* Adds the edges found, in the order of their components. Edges of equal length may close a circle: the last of them is left out. */
static void join_components(Rounds *rounds)
{
    const DensityPoints *points = rounds->points;

    for (uint32_t i = 0; i < points->count; i++) {
        const ShortestEdge *edge = &rounds->shortest[i];
        uint32_t a, b;

        if (rounds->groups->rows[i] != i || edge->reduced == INFINITY)
            continue;
        a = sets_root(rounds->parent, edge->from);
        b = sets_root(rounds->parent, edge->to);
        if (a == b)
            continue;
        sets_merge(rounds->parent, a, b);
        rounds->edges[rounds->edge_count++] =
            (Merge){edge->from, edge->to, metric_of_reduced(points->metric, edge->reduced)};
    }
    for (uint32_t i = 0; i < points->count; i++)
        rounds->groups->rows[i] = sets_root(rounds->parent, i);
    neighbor_groups_update(rounds->groups);
}

Merge *reachability_tree(const DensityPoints *points, double *core)
{
    Env *env = points->env;
    Rounds rounds = {.points = points, .core = core, .groups = neighbor_groups(points->index, core)};
    uint32_t before;

    rounds.parent = env_array_raw(env, points->count, sizeof(uint32_t));
    rounds.shortest = env_array_raw(env, points->count, sizeof(ShortestEdge));
    rounds.edges = env_array_raw(env, points->count, sizeof(Merge));
    for (uint32_t i = 0; i < points->count; i++)
        rounds.parent[i] = rounds.groups->rows[i] = i;
    neighbor_groups_update(rounds.groups);
    do {
        before = rounds.edge_count;
        env->progress(env, "spanning tree", before, points->count, NAN);
        find_edges(&rounds);
        join_components(&rounds);
    } while (rounds.edge_count + 1 < points->count && rounds.edge_count > before);
    if (rounds.edge_count + 1 < points->count && points->metric->form != FORM_OBJECTS)
        density_fail_range(env, "hdbscan");
    for (uint32_t i = 0; i < points->count && rounds.edge_count + 1 < points->count; i++) /* objects that cannot be reached */
        if (sets_root(rounds.parent, i) != sets_root(rounds.parent, 0)) {
            rounds.edges[rounds.edge_count++] = (Merge){0, i, INFINITY};
            sets_merge(rounds.parent, sets_root(rounds.parent, 0), sets_root(rounds.parent, i));
        }
    return rounds.edges;
}
