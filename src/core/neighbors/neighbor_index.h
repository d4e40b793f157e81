/*
 * neighbor_index.h - finds the nearest of many rows: by k-d tree, by ball tree, or by comparing all of them.
 *
 * A fit sorts the rows once (neighbor_order), so that the leaves of a balanced tree are runs of NEIGHBOR_LEAF consecutive rows. The
 * shape of the tree follows from the number of rows, so a model stores no tree, and an index, which is boxes or balls around runs of
 * rows, is built in one pass. An index over rows in any other order finds the same neighbors, only more slowly: a forged model does
 * no harm.
 *
 * Neighbors are ordered by reduced distance (metric.h), then by position. Every kind of index finds the same ones in the same
 * order, with the same bits.
 */
#ifndef PGFIT_NEIGHBOR_INDEX_H
#define PGFIT_NEIGHBOR_INDEX_H

#include "core/distance/metric.h"

#define NEIGHBOR_LEAF 32 /* rows of a leaf; a multiple of METRIC_PANEL */
#define NEIGHBOR_NONE UINT32_MAX

typedef enum IndexKind { INDEX_BRUTE = 0, INDEX_KD_TREE = 1, INDEX_BALL_TREE = 2 } IndexKind;

const char *neighbor_index_name(IndexKind kind); /* "brute", "kd_tree", "ball_tree" */
/* Returns whether trees can search by this metric: the triangle inequality holds, at least in its coordinates. */
bool neighbor_tree_possible(const Metric *metric);
/* Returns the kind that "auto" stands for with this many rows. */
IndexKind neighbor_index_auto(const Metric *metric, uint32_t count);

/* Compares two rows by all that they have; 0: they are equal. */
typedef int (*NeighborCompare)(const void *context, uint32_t a, uint32_t b);
/*
 * Sets order[i] to the row for position i. rows [count x width] are coordinates. Ties go by compare, so the result does not depend on
 * the order of arrival.
 */
void neighbor_order(Env *env, const Metric *metric, const double *rows, uint32_t count,
                     NeighborCompare compare, const void *context, uint32_t *order);

typedef struct NeighborIndex {
    Env *env;
    const Metric *metric;
    IndexKind kind;
    uint32_t count, width;
    const double *rows; /* [count x width] coordinates; NULL: the panels have them */
    double *panels;     /* the same in panels (metric.h); trees alone */
    uint32_t leaves;
    double *nodes;      /* [2 leaves - 1 x node_size] in preorder: low, high; or center, radius */
    uint32_t node_size;
    double relative, absolute; /* errors that rounding may cause in the lengths of balls */
    double *center;            /* [width] mean of the rows, if batches may go through products; else NULL */
} NeighborIndex;

/*
 * Returns an index over rows sorted by neighbor_order. stay: rows live as long as the index. Brute needs that; trees copy the rows,
 * but can search batches through products only if they stay.
 */
NeighborIndex *neighbor_index(Env *env, const Metric *metric, const double *rows, uint32_t count,
                                IndexKind kind, bool stay);
/* Copies the coordinates [width] of the row at a position. */
void neighbor_row(const NeighborIndex *index, uint32_t position, double *coordinates);

typedef struct Neighbor {
    double reduced; /* distance, as metric.h reduces it */
    uint32_t position;
} Neighbor;

/* What a search needs besides the index. */
typedef struct NeighborSearch {
    const NeighborIndex *index;
    double *query; /* [width] coordinates of the row to find neighbors of: the caller sets them */
    double *row;   /* [width] for the caller */
    Neighbor *found; /* [count], nearest first */
    uint32_t count, room;
    double *reduced;     /* of a block of rows */
    uint64_t evaluated;  /* distances computed so far */
    uint64_t nodes;      /* boxes or balls visited so far */
    uint64_t unpolled;   /* work since the last poll */
} NeighborSearch;

/* Returns a search. room: neighbors that are expected; it grows if there are more. */
NeighborSearch *neighbor_search(const NeighborIndex *index, uint32_t room);
/* Finds the k nearest rows, or all if there are fewer. skip: a position to leave out, or NEIGHBOR_NONE. */
void neighbor_nearest(NeighborSearch *search, uint32_t k, uint32_t skip);
/* Finds all rows at a reduced distance of at most this. */
void neighbor_within(NeighborSearch *search, double reduced);

/*
 * Finds the same k nearest rows for many queries [count x width]: found [count x k], counts [count] how many were found. skips:
 * positions to leave out, or NULL. If there is no tree, or it would rule out too few rows, and distances are of squares, products
 * of matrices rule out rows that cannot be near; the distances of the others are computed as in a single search.
 */
void neighbor_nearest_batch(NeighborSearch *search, const double *queries, uint32_t count,
                             uint32_t k, const uint32_t *skips, Neighbor *found, uint32_t *counts);
/* Returns whether that is faster than a search per query; tries a few of them if there is a tree. */
bool neighbor_batch_pays(NeighborSearch *search, const double *queries, uint32_t count, uint32_t k);

/* ---- for neighbor_batch.c ---- */

/* Returns whether a row comes before a neighbor. Heaps keep the k least, with the greatest on top. */
static inline bool neighbor_before(double reduced, uint32_t position, const Neighbor *other)
{
    return reduced < other->reduced ||
           (reduced == other->reduced && position < other->position);
}
void neighbor_heap_put(Neighbor *heap, uint32_t *count, uint32_t k, double reduced,
                        uint32_t position);
void neighbor_heap_sort(Neighbor *heap, uint32_t count);

#endif
