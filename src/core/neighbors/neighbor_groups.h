/*
 * neighbor_groups.h - finds near rows of other groups than the query's, without a look at parts of the tree that hold only rows of
 * its own: what joins groups to clusters (dbscan) or to a minimum spanning tree (hdbscan) asks for.
 */
#ifndef PGFIT_NEIGHBOR_GROUPS_H
#define PGFIT_NEIGHBOR_GROUPS_H

#include "core/neighbors/neighbor_index.h"

#define GROUP_NONE UINT32_MAX        /* a row that no search finds */
#define GROUP_MIXED (UINT32_MAX - 1) /* of a node with rows of several groups */

typedef struct NeighborGroups {
    const NeighborIndex *index;
    uint32_t *rows;  /* [count] the group of each row, kept by the caller */
    uint32_t *nodes; /* [nodes] the group of all rows below a node; GROUP_NONE rows do not count. NULL: no tree */
    double *least;   /* [count] a row's distance counts at least this, reduced; NULL: all 0 */
    double *least_nodes;
} NeighborGroups;

/* Returns groups over an index whose members are all GROUP_NONE. least: [count], read by the searches; NULL: all 0. */
NeighborGroups *neighbor_groups(const NeighborIndex *index, double *least);
/* Updates the nodes after rows have changed. A search between changes and update finds rows of its own group too. */
void neighbor_groups_update(NeighborGroups *groups);

/*
 * Called for each row found, with its reduced distance, raised to its least; returns the limit of the rows that are still wanted,
 * which may fall.
 */
typedef double (*NeighborFound)(void *context, uint32_t position, double reduced, double limit);
/*
 * Calls found for the rows of other groups than `own` at a reduced distance of at most limit from search->query, in no particular
 * order.
 */
void neighbor_others(const NeighborGroups *groups, NeighborSearch *search, uint32_t own, double limit, NeighborFound found,
                     void *context);

#endif
