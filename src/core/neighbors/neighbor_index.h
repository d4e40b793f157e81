/*
 * neighbor_index.h - finds the nearest of many rows: by k-d tree, by ball tree, or by comparing all of them.
 *
 * A fit sorts the rows once (neighbor_order), so that the leaves of a balanced tree are runs of NEIGHBOR_LEAF consecutive rows. The
 * number of rows determines the shape of the tree. So a model stores no tree, and an index, the boxes or balls around runs of rows,
 * is built in one pass. An index over rows in any other order finds the same neighbors, only more slowly, so a forged model does no
 * harm.
 *
 * Neighbors are ordered by reduced distance (metric.h), then by position. Every kind of index finds the same ones in the same
 * order, with the same bits.
 */
#ifndef PGFIT_NEIGHBOR_INDEX_H
#define PGFIT_NEIGHBOR_INDEX_H

#include "core/distance/metric.h"

#include <float.h>
#include <math.h>

#define NEIGHBOR_LEAF 32 /* rows of a leaf; a multiple of METRIC_PANEL */
#define NEIGHBOR_NONE UINT32_MAX

typedef enum IndexKind { INDEX_BRUTE = 0, INDEX_KD_TREE = 1, INDEX_BALL_TREE = 2 } IndexKind;

const char *neighbor_index_name(IndexKind kind); /* "brute", "kd_tree", "ball_tree" */
/* Tells whether trees can search by this metric: the triangle inequality must hold, at least in its coordinates. */
bool neighbor_tree_possible(const Metric *metric);
/* Returns the kind that "auto" chooses for this many rows. */
IndexKind neighbor_index_auto(const Metric *metric, uint32_t count);

/* Compares two rows by everything stored with them; 0 if they are equal. */
typedef int (*NeighborCompare)(const void *context, uint32_t a, uint32_t b);
/* Compares two rows by their numbers, where these depend on the content alone. A NeighborCompare. */
int neighbor_by_number(const void *context, uint32_t a, uint32_t b);
/*
 * Sets order[i] to the row for position i. rows: [count x width] coordinates. compare breaks ties, so that the result does not
 * depend on the order of arrival.
 */
void neighbor_order(Env *env, const Metric *metric, const double *rows, uint32_t count,
                     NeighborCompare compare, const void *context, uint32_t *order);

typedef struct NeighborIndex {
    Env *env;
    const Metric *metric;
    IndexKind kind;
    uint32_t count, width;
    const double *rows; /* [count x width] coordinates; NULL: only in panels */
    double *panels;     /* the same in panels (metric.h); only of trees */
    uint32_t leaves;
    double *nodes;      /* [2 leaves - 1 x node_size] in preorder: low, high; or center, radius */
    uint32_t node_size;
    double relative, absolute; /* largest rounding errors of lengths, for balls */
    double *center;            /* [width] mean of the rows; NULL: batches cannot use products */
} NeighborIndex;

/*
 * Returns an index over rows sorted by neighbor_order. keep_rows: rows live as long as the index and are used by it. INDEX_BRUTE
 * needs that. Trees copy the rows, but without keep_rows they cannot search batches by products.
 */
NeighborIndex *neighbor_index(Env *env, const Metric *metric, const double *rows, uint32_t count,
                                IndexKind kind, bool keep_rows);
/* Visits the index and its metric, which metric_packs. */
void neighbor_index_pack(Pack *pack, NeighborIndex **index);
/* Copies the coordinates [width] of the row at a position. */
void neighbor_row(const NeighborIndex *index, uint32_t position, double *coordinates);

typedef struct Neighbor {
    double reduced; /* reduced distance (metric.h) */
    uint32_t position;
} Neighbor;

/* A search: the query, and the neighbors found. */
typedef struct NeighborSearch {
    const NeighborIndex *index;
    double *query; /* [width] coordinates of the row whose neighbors to find; set by the caller */
    double *row;   /* [width] work space of the caller */
    Neighbor *found; /* [count], nearest first */
    uint32_t count, room;  /* neighbors found, and how many fit into found */
    double *reduced;     /* reduced distances of a block of rows */
    uint64_t evaluated;  /* distances computed so far */
    uint64_t nodes;      /* boxes or balls visited so far */
    uint64_t unpolled;   /* work since the last poll */
} NeighborSearch;

/* Returns a search. room: neighbors expected; found grows if there are more. */
NeighborSearch *neighbor_search(const NeighborIndex *index, uint32_t room);
/* Finds the k nearest rows, or all if there are fewer. skip: a position to leave out, or NEIGHBOR_NONE. */
void neighbor_nearest(NeighborSearch *search, uint32_t k, uint32_t skip);
/* Finds the k nearest of the rows at a reduced distance of at most this. */
void neighbor_nearest_within(NeighborSearch *search, uint32_t k, double reduced);
/* Finds all rows at a reduced distance of at most this. */
void neighbor_within(NeighborSearch *search, double reduced);

/*
 * Does the same for many queries [count x width]: writes the neighbors to found [count x k] and their numbers to counts [count].
 * skips: [count] positions to leave out, or NULL. If there is no tree, or it would rule out too few rows, and the metric is a sum
 * of squares, products of matrices rule out rows that cannot be near. The distances of the others are computed as in a single
 * search.
 */
void neighbor_nearest_batch(NeighborSearch *search, const double *queries, uint32_t count,
                             uint32_t k, const uint32_t *skips, Neighbor *found, uint32_t *counts);
/* Returns how many numbers of room products for this many queries take. */
size_t neighbor_product_numbers(const NeighborIndex *index, uint32_t count);
/* Takes a row that may be near enough to a query; returns the largest reduced distance that still is, for this query. */
typedef double (*NeighborCandidate)(void *context, uint32_t query, uint32_t position);
/*
 * Calls candidate for each query [count x width] and each of the first `end` rows, in their order, whose reduced distance may be at most the query's of
 * limits [count], which follow what candidate returns: products of matrices rule out the others. Only for an index with a center.
 */
void neighbor_candidates(NeighborSearch *search, const double *queries, uint32_t count, uint32_t end, double *limits, NeighborCandidate candidate,
                         void *context);
/* Tells whether a batch is faster than one search per query; if there is a tree, by trying a few searches. */
bool neighbor_batch_pays(NeighborSearch *search, const double *queries, uint32_t count, uint32_t k);

/* ---- for neighbor_batch.c ---- */

/* Returns the largest reduced distance of neighbors: objects that cannot be reached are none. */
static inline double neighbor_farthest(const Metric *metric)
{
    return metric->form == FORM_OBJECTS ? DBL_MAX : INFINITY;
}

/* Tells whether a row comes before a neighbor. */
static inline bool neighbor_before(double reduced, uint32_t position, const Neighbor *other)
{
    return reduced < other->reduced ||
           (reduced == other->reduced && position < other->position);
}
/* Adds a row to a heap of the k nearest, whose root is the farthest; a row that is not among them is ignored. */
void neighbor_heap_put(Neighbor *heap, uint32_t *count, uint32_t k, double reduced,
                        uint32_t position);
/* Sorts a heap, nearest first. */
void neighbor_heap_sort(Neighbor *heap, uint32_t count);

#endif
