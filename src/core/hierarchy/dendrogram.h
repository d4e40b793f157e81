/*
 * dendrogram.h - dendrograms: how to build them for hierarchical clustering, and how to read, cut and draw them.
 *
 * Nodes of a tree of n rows: 0 .. n - 1 are the rows; merge s, counted from 0, makes node n + s of two earlier ones.
 */
#ifndef PGFIT_DENDROGRAM_H
#define PGFIT_DENDROGRAM_H

#include "core/distance/distance_matrix.h"
#include "core/distance/point_set.h"
#include "core/estimator/table.h"

typedef enum Linkage {
    LINKAGE_AVERAGE,  /* the mean distance of pairs */
    LINKAGE_CENTROID, /* the distance of the means */
    LINKAGE_COMPLETE, /* the largest distance of a pair */
    LINKAGE_MCQUITTY, /* the mean of the distances of the two parts of a cluster, whatever their sizes (WPGMA) */
    LINKAGE_MEDIAN,   /* the distance of midpoints: each merge puts a point halfway between those of its parts (WPGMC) */
    LINKAGE_SINGLE,   /* the least distance of a pair */
    LINKAGE_WARD,     /* the growth of the sum of squares: root of 2 |A||B| / (|A|+|B|) |a-b|^2 */
    LINKAGE_WARD_UNSQUARED /* Ward's update formula on distances that are not squared: ward.D of R */
} Linkage;

typedef struct Merge {
    uint32_t a, b; /* before hierarchy_number: a row of each side; after it: the nodes, a < b */
    double height;
} Merge;

/* ---- building: each writes count - 1 merges ---- */

/*
 * Builds single linkage: the edges of a minimum spanning tree (Prim 1957) by length. Takes n^2 time, and memory only for the rows. given: the
 * matrix that has their distances; NULL: none has.
 */
void hierarchy_single(Env *env, const PointSet *rows, const DistanceMatrix *given, Merge *merges);
/*
 * Builds average, complete, McQuitty's and ward.D linkage by chains of nearest neighbors (Benzecri 1982; Murtagh 1983) over all
 * distances; of given distances Ward's as well, on their squares.
 */
void hierarchy_chain(Env *env, const PointSet *rows, Linkage linkage, Merge *merges);
/* Returns the bytes that hierarchy_chain takes. */
size_t hierarchy_chain_memory(uint64_t count);
/* Builds Ward's linkage by chains over means, without a matrix of distances. */
void hierarchy_ward(Env *env, const PointSet *rows, Merge *merges);
/* Builds centroid or median linkage: each merge joins the two clusters with the nearest means or midpoints (Muellner 2011). */
void hierarchy_centroid(Env *env, const PointSet *rows, Linkage linkage, Merge *merges);
/*
 * Returns the coordinates of all rows, given distances in the order of their objects, in which the table has them. Sets row, [count]: the
 * row at each place.
 */
double *hierarchy_order(Env *env, const PointSet *rows, uint32_t *row);
/* Numbers the nodes of a tree of `count` rows. sorted: sorts the merges by height first, stably. */
void hierarchy_number(Env *env, Merge *merges, uint32_t count, bool sorted);
/* Returns Pearson's correlation of the distances of all pairs and the heights at which they meet; NaN if either is constant. */
double hierarchy_cophenetic_correlation(Env *env, const PointSet *rows, const Merge *merges);

/* ---- reading ---- */

typedef struct Hierarchy {
    uint32_t rows;
    const int64_t *merges; /* [rows - 1 x 2] */
    const double *heights; /* [rows - 1] */
    const ModelEntry *ids; /* TEXT[rows] */
} Hierarchy;

extern const ArrayTable hierarchy_array_tables[];
extern const Table *const hierarchy_tables[]; /* NULL-terminated */
/* Sets tree to the arrays of a model. Returns NULL, or what is wrong with them. */
const char *hierarchy_read(Env *env, const Model *model, Hierarchy *tree);
/* Checks that the merges make a tree. Returns NULL, or what is wrong; an Estimator.check. */
const char *hierarchy_check(Env *env, const Model *model);
/*
 * Sets tree to the arrays of a model. Fails with ERROR_KIND if it is not of hierarchical. function: name of the caller, for the
 * message.
 */
void hierarchy_open(Env *env, const Model *model, const char *function, Hierarchy *tree);
/* Returns the number of rows below each node, [2 rows - 1]. */
uint32_t *hierarchy_sizes(Env *env, const Hierarchy *tree);
/*
 * Returns the rows in the order of the leaves, [rows], and sets *starts to the place where those of each node start, [2 rows - 1].
 */
uint32_t *hierarchy_leaves(Env *env, const Hierarchy *tree, const uint32_t *sizes,
                           uint32_t **starts);
/*
 * Returns the cluster of each row, 1 .. k, after undoing the last k - 1 merges. Cluster 1 is the largest; of equal ones the cluster
 * with the first row comes first. Fails with ERROR_PARAMETER unless k is 1 .. rows.
 */
uint32_t *hierarchy_cut(Env *env, const Hierarchy *tree, int64_t k);
/* Returns the number of clusters after undoing all merges above a height. Fails if the heights are not monotonic. */
uint32_t hierarchy_count_at(Env *env, const Hierarchy *tree, double height);
/* Returns the upper part of the tree, down to this many clusters, as lines of text. */
char *hierarchy_text(Env *env, const Model *model, const Hierarchy *tree, uint32_t clusters);

#endif
