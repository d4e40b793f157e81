/*
 * dendrogram.h - dendrograms: how hierarchical clustering builds them, and what they are asked for.
 *
 * Rows are 0 .. n - 1; merge s, counted from 0, makes cluster n + s of two rows or former clusters.
 */
#ifndef PGFIT_DENDROGRAM_H
#define PGFIT_DENDROGRAM_H

#include "core/distance/point_set.h"

typedef enum Linkage {
    LINKAGE_AVERAGE,  /* the mean distance of pairs */
    LINKAGE_CENTROID, /* the distance of the means */
    LINKAGE_COMPLETE, /* the largest distance of a pair */
    LINKAGE_SINGLE,   /* the least */
    LINKAGE_WARD      /* the growth of the sum of squares: root of 2 |A||B| / (|A|+|B|) |a-b|^2 */
} Linkage;

typedef struct Merge {
    uint32_t a, b; /* while they are made: a row of each part; in the end numbers as above, a < b */
    double height;
} Merge;

/* ---- making: merges has room for count - 1; any of count >= 1 rows ---- */

/*
 * Minimum spanning tree (Prim 1957), edges by their lengths: single linkage. n^2 time, memory for
 * the rows alone.
 */
void hierarchy_single(Env *env, const PointSet *rows, Merge *merges);
/* Chains of nearest neighbors (Benzecri 1982; Murtagh 1983) over all distances: complete and
 * average. */
void hierarchy_chain(Env *env, const PointSet *rows, Linkage linkage, Merge *merges);
size_t hierarchy_chain_memory(uint64_t count); /* bytes */
/* The same over means, without a matrix: ward. */
void hierarchy_ward(Env *env, const PointSet *rows, Merge *merges);
/* The least distance of any two means, merge by merge (Muellner 2011): centroid. */
void hierarchy_centroid(Env *env, const PointSet *rows, Merge *merges);
/* Merges by height where sorted is wanted, stable, and numbered as above. */
void hierarchy_number(Env *env, Merge *merges, uint32_t count, bool sorted);
/* Pearson's correlation of distances and the heights at which pairs meet; NaN where one is
 * constant. */
double hierarchy_cophenetic_correlation(Env *env, const PointSet *rows, const Merge *merges);

/* ---- reading ---- */

typedef struct Hierarchy {
    uint32_t rows;
    const int64_t *merges; /* [rows - 1 x 2] */
    const double *heights; /* [rows - 1] */
    const ModelEntry *ids; /* TEXT[rows] */
} Hierarchy;

extern const ArrayTable hierarchy_array_tables[];
/* Fills the tree of a model. Returns NULL, or what is wrong with its arrays. */
const char *hierarchy_read(Env *env, const Model *model, Hierarchy *tree);
/* Checks that the merges make a tree. Returns NULL, or what is wrong; an Estimator.check. */
const char *hierarchy_check(Env *env, const Model *model);
/* For models that were checked; fails with ERROR_KIND where this is none. function: whose. */
void hierarchy_open(Env *env, const Model *model, const char *function, Hierarchy *tree);
bool hierarchy_monotone(const Hierarchy *tree);
/* Rows in each cluster, [2 rows - 1]. */
uint32_t *hierarchy_sizes(Env *env, const Hierarchy *tree);
/* Rows in the order of the leaves, and where each cluster starts there: [rows], [2 rows - 1]. */
uint32_t *hierarchy_leaves(Env *env, const Hierarchy *tree, const uint32_t *sizes,
                           uint32_t **starts);
/*
 * The cluster of each row, 1 .. k, with the last k - 1 merges undone: the largest is 1; of equal
 * ones that of the first row. Fails with ERROR_PARAMETER where k is not 1 .. rows.
 */
uint32_t *hierarchy_cut(Env *env, const Hierarchy *tree, int64_t k);
/* The number of clusters where merges above the height are undone. Fails where heights fall. */
uint32_t hierarchy_count_at(Env *env, const Hierarchy *tree, double height);
/* The tree as lines of text, down to so many clusters. */
char *hierarchy_text(Env *env, const Model *model, const Hierarchy *tree, uint32_t clusters);

#endif
