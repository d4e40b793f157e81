/*
 * reachability_tree.h - the minimum spanning tree of mutual reachability, and its condensed tree of clusters.
 */
#ifndef PGFIT_REACHABILITY_TREE_H
#define PGFIT_REACHABILITY_TREE_H

#include "core/hierarchy/dendrogram.h"
#include "core/density/density_points.h"

/*
 * Returns the edges [count - 1] of a minimum spanning tree of the points, with their mutual reachability as heights: the distance of
 * two points, or the core distance of either if that is larger. core: reduced core distances [count]. Boruvka (1926) over the tree
 * of the index (March, Ram & Gray 2010).
 */
Merge *reachability_tree(const DensityPoints *points, double *core);

/* A cluster of the condensed tree: points that stay together while the density grows, until it splits or vanishes. */
typedef struct DenseCluster {
    uint32_t parent;  /* DENSE_ROOT of the first cluster, which holds all points */
    double birth;     /* the density, 1 / distance, at which it appears */
    double death;     /* the largest density at which a point leaves it */
    double weight;    /* of its points at birth */
    double stability; /* the sum over its points of weight x (density at which it leaves - birth) */
    bool selected;
} DenseCluster;
#define DENSE_ROOT UINT32_MAX

typedef struct CondensedTree {
    uint32_t clusters; /* at least 1 */
    DenseCluster *cluster;
    uint32_t *last;    /* [count] the cluster that each point leaves last */
    double *leaves_at; /* [count] the density at which it leaves that */
} CondensedTree;

#define DENSITY_MAX 1e150 /* of points at distance 0 */

/*
 * Returns the condensed tree (Campello, Moulavi & Sander 2013). merges: as hierarchy_number leaves them. min_weight: a part of less
 * weight is no cluster, its points leave their cluster.
 */
CondensedTree *condensed_tree(const DensityPoints *points, const Merge *merges, double min_weight);
/*
 * Selects clusters none of which holds another: those whose stabilities have the largest sum, or the leaves of the tree. single: the
 * first cluster may be selected. radius: clusters that appear at a smaller distance are merged with those around them (Malzer & Baum
 * 2020); 0: none are.
 */
void condensed_select(Env *env, CondensedTree *tree, bool leaves, bool single, double radius);
/* Returns the selected cluster of each point, [count], or GROUP_NONE. */
uint32_t *condensed_labels(const DensityPoints *points, const CondensedTree *tree, double radius);
/* Returns the largest density that points of each cluster, and of those below it, reach, [clusters]. */
double *condensed_deaths(Env *env, const CondensedTree *tree);

#endif
