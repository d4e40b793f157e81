/*
 * density_points.h - what clustering by density begins with: the rows as points in the order of a neighbor index, and how far each
 * must look to see enough others.
 */
#ifndef PGFIT_DENSITY_POINTS_H
#define PGFIT_DENSITY_POINTS_H

#include "core/distance/point_set.h"
#include "core/estimator/table.h"
#include "core/neighbors/neighbor_blocks.h"
#include "core/neighbors/neighbor_groups.h"

#define DENSITY_NOISE (-1) /* the cluster of a row that has none */

typedef struct DensityPoints {
    Env *env;
    const Metric *metric;
    uint32_t count;
    double *coordinates; /* [count x metric->width], in the order of the index, which depends on content alone; those of the index */
    double *weights;     /* [count] or NULL */
    RowId *ids;          /* [count] */
    NeighborIndex *index;
    NeighborSearch *search;
    uint64_t spare;      /* bytes of the budget for more processes */
} DensityPoints;

/* The option min_samples. */
extern const OptionSpec options_density[];

/*
 * Loads all rows. room: bytes per row that the caller allocates on top. Fails with ERROR_LIMIT if they exceed the memory budget, or
 * the size of a model.
 */
DensityPoints *density_points(Env *env, Rows *rows, const Options *options, size_t room, const char *method);
static inline const double *density_row(const DensityPoints *points, uint32_t i)
{
    return points->coordinates + (size_t)i * points->metric->width;
}
/* Returns how many points a block of NEIGHBOR_BLOCK has: the last one may have fewer. */
static inline uint32_t density_block_rows(const DensityPoints *points, uint32_t block)
{
    uint32_t left = points->count - block * NEIGHBOR_BLOCK;

    return left < NEIGHBOR_BLOCK ? left : NEIGHBOR_BLOCK;
}
/* Returns the bytes that products for a block of points take, with the points. */
static inline uint64_t density_product_room(const DensityPoints *points)
{
    return (neighbor_product_numbers(points->index, NEIGHBOR_BLOCK) + (uint64_t)NEIGHBOR_BLOCK * points->metric->width) * sizeof(double);
}
/*
 * Tells whether all pairs are compared, and products of matrices, for which the budget has room, can rule out most: neighbor_candidates then takes less time
 * than one search per point.
 */
static inline bool density_by_products(const DensityPoints *points)
{
    return points->index->kind == INDEX_BRUTE && points->index->center != NULL && density_product_room(points) <= points->spare;
}
/* Visits the points and their index, without ids. */
void density_points_pack(Pack *pack, DensityPoints **points);
/* Fails with ERROR_RANGE: a distance overflows. */
void density_fail_range(Env *env, const char *method) __attribute__((noreturn));
/* Makes a point the query of points->search. */
void density_query(const DensityPoints *points, uint32_t i);
/* Returns the largest reduced distance of rows that are no farther than a radius, by distances as metric_of_reduced gives them. */
double density_limit(const Metric *metric, double radius);
/*
 * Returns the reduced distance of each point, [count], within which rows of at least this weight lie, itself included; INFINITY
 * where all rows weigh less.
 */
double *density_core_distances(const DensityPoints *points, double min_samples);
/*
 * Numbers clusters by weight, the heaviest first, of equal ones that of the first point. roots: [count] a number below `limit` per
 * cluster, or GROUP_NONE. Writes clusters [count], DENSITY_NOISE where there is none, and returns how many there are.
 */
uint32_t density_number(const DensityPoints *points, const uint32_t *roots, uint32_t limit, int32_t *clusters);
/* Adds ids and clusters of the points to a model. */
void density_store(const DensityPoints *points, ModelBuilder *builder, const int32_t *clusters, uint32_t k);

/* ---- what a model keeps to place new rows ---- */

/* Checks the metric of a model, and that the points it keeps have its coordinates. Returns NULL, or what is wrong. */
const char *density_check(Env *env, const Model *model, uint32_t width);
/* Returns a search among the points that a model keeps. room: as neighbor_search takes it. */
NeighborSearch *density_search(Env *env, const Metric *metric, const double *points, uint32_t count, uint32_t room);

/*
 * Declare arrays of such models, with the places of a view that has the members rows, k, clusters and search: the ids, numbers of each
 * row, its cluster, the weight of each cluster, and the constants of the search for new rows.
 */
#define ROW_IDS(view) {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_ROWS, .defines = true}, .rows_at = VIEW_AT(view, rows)}
#define ROW_NUMBERS(array, view, member, allowed)                                                                      \
    {.name = array, .type = ARRAY_F64, .rows = {SIZE_ROWS}, .values = allowed, .data_at = VIEW_AT(view, member)}
#define ROW_CLUSTERS(view)                                                                                             \
    {.name = "clusters", .type = ARRAY_I32, .rows = {SIZE_ROWS}, .values = VALUES_INDEX, .below = SIZE_CLUSTERS,       \
     .least = DENSITY_NOISE, .data_at = VIEW_AT(view, clusters)}
#define CLUSTER_SIZES(view)                                                                                            \
    {.name = "sizes", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS, .defines = true, .zero = true},                       \
     .values = VALUES_POSITIVE, .rows_at = VIEW_AT(view, k)}
#define SEARCH_NUMBERS(view, count, allowed)                                                                           \
    {.name = "search", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = count}, .values = allowed, .data_at = VIEW_AT(view, search)}

/* Rows of dbscan and of mean_shift: work that processes share. */
extern const SharedKind dbscan_kind, mean_shift_kind;

/* The table "members" of dbscan and hdbscan. */
extern const Table density_members;

#endif
