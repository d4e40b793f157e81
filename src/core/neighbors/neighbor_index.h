/*
 * neighbor_index.h - finds the nearest of many rows: by k-d tree, by ball tree, or by comparing all of them.
 *
 * Rows are put in order once, at the fit (neighbor_order): the leaves of a balanced tree are then runs of
 * NEIGHBOR_LEAF consecutive rows. The shape of the tree follows from the number of rows alone, so nothing
 * of it is stored, and an index, which is boxes or balls around runs of rows, is made in one pass. An index
 * over rows in any other order gives the same neighbors, only more slowly: a forged model is harmless.
 *
 * Neighbors are ordered by reduced distance (metric.h), then by position: every search, whatever the index,
 * finds the same ones in the same order, bit for bit.
 */
#ifndef PGFIT_NEIGHBOR_INDEX_H
#define PGFIT_NEIGHBOR_INDEX_H

#include "core/distance/metric.h"

#define NEIGHBOR_LEAF 32 /* rows of a leaf; a multiple of METRIC_PANEL */
#define NEIGHBOR_NONE UINT32_MAX

typedef enum IndexKind { INDEX_BRUTE = 0, INDEX_KD_TREE = 1, INDEX_BALL_TREE = 2 } IndexKind;

const char *neighbor_index_name(IndexKind kind); /* "brute", "kd_tree", "ball_tree" */
/* Can this metric be searched by a tree? Its triangle inequality holds, in its coordinates at least. */
bool neighbor_tree_possible(const Metric *metric);
/* What "auto" means for so many rows. */
IndexKind neighbor_index_auto(const Metric *metric, uint32_t count);

/*
 * order[i]: the row that is to stand at position i. rows [count x width] are coordinates; compare orders
 * rows by all that they have (0: they are alike), so that the result does not depend on how they came.
 */
typedef int (*NeighborCompare)(const void *context, uint32_t a, uint32_t b);
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
    double relative, absolute; /* what rounding may cost a ball's length */
    double *center;            /* [width] of the rows, where batches may go through products; else NULL */
} NeighborIndex;

/*
 * rows as ordered by neighbor_order. stay: they live as long as the index; brute needs that, trees copy
 * them, and can do batches through products only where they stay.
 */
NeighborIndex *neighbor_index(Env *env, const Metric *metric, const double *rows, uint32_t count,
                                IndexKind kind, bool stay);
/* The coordinates of the row at a position, [width]. */
void neighbor_row(const NeighborIndex *index, uint32_t position, double *coordinates);

typedef struct Neighbor {
    double reduced; /* distance, as metric.h reduces it */
    uint32_t position;
} Neighbor;

/* What searches need beside the index: one for each that is under way. */
typedef struct NeighborSearch {
    const NeighborIndex *index;
    double *query; /* [width] the row whose neighbors are sought, as coordinates: the caller fills it */
    double *row;   /* [width] for the caller */
    Neighbor *found; /* [count], nearest first */
    uint32_t count, room;
    double *reduced;     /* of a few rows */
    uint64_t evaluated;  /* distances computed so far */
    uint64_t nodes;      /* boxes or balls looked at so far */
    uint64_t unpolled;   /* work since the last look for a cancel */
} NeighborSearch;

/* room: neighbors that are expected; it grows where its memory context is. */
NeighborSearch *neighbor_search(const NeighborIndex *index, uint32_t room);
/* The k nearest rows, or all where there are fewer; skip: a position left out, or NEIGHBOR_NONE. */
void neighbor_nearest(NeighborSearch *search, uint32_t k, uint32_t skip);
/* All rows at a reduced distance of at most this. */
void neighbor_within(NeighborSearch *search, double reduced);

/*
 * The same k nearest of many rows at once: queries [count x width] in coordinates, found [count x k],
 * counts[count] how many were found; skips: positions left out, or NULL. Where all rows are looked at, or
 * a tree leaves out too few, and distances are of squares, products of matrices leave out what cannot be
 * near, and the rest is computed as a single search does.
 */
void neighbor_nearest_batch(NeighborSearch *search, const double *queries, uint32_t count,
                             uint32_t k, const uint32_t *skips, Neighbor *found, uint32_t *counts);
/* Is that faster than a search for each of these? Tries a few of them where there is a tree. */
bool neighbor_batch_pays(NeighborSearch *search, const double *queries, uint32_t count, uint32_t k);

/* ---- for neighbor_batch.c ---- */

/* A heap of the k least, greatest first. */
static inline bool neighbor_before(double reduced, uint32_t position, const Neighbor *other)
{
    return reduced < other->reduced ||
           (reduced == other->reduced && position < other->position);
}
void neighbor_heap_put(Neighbor *heap, uint32_t *count, uint32_t k, double reduced,
                        uint32_t position);
void neighbor_heap_sort(Neighbor *heap, uint32_t count);

#endif
