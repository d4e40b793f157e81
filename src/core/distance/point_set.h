/*
 * point_set.h - all rows of a fit as points of its metric, in memory: for methods that compare each row with many others.
 */
#ifndef PGFIT_POINT_SET_H
#define PGFIT_POINT_SET_H

#include "core/distance/metric.h"
#include "core/rows/rows.h"

typedef struct PointSet {
    Metric *metric; /* ready */
    uint32_t count;
    double *coordinates; /* [count x metric->width] */
    double *weights;     /* [count], or NULL: all 1 */
    double weight;       /* their sum */
    uint32_t *numbers;   /* [count] position of each point's row in the order of arrival */
    uint64_t spare;      /* bytes of the budget that neither the rows nor what point_set compared to it use */
} PointSet;

/*
 * Loads all rows as points of the metric that options name (options_metric), in an order that depends only on their
 * content (sorted by hash; equal rows are adjacent), so that results do not depend on the order of arrival.
 *
 * room: bytes per row that the caller will allocate on top, checked against the budget here; ids count twice. Makes two
 * passes over rows. Fails with ERROR_LIMIT if the points exceed the memory budget or 2^31 rows.
 */
PointSet *point_set(Env *env, Rows *rows, const Options *options, size_t room,
                    const char *method);
/*
 * Writes the slots [count x slots], levels in final positions, of the rows with these positions in the order of arrival. One
 * pass.
 */
void point_set_slots(Env *env, Rows *rows, const uint32_t *numbers, uint32_t count, const char *method,
                     double *slots);

/* The id of a row: not zero-terminated. */
typedef struct RowId {
    const char *text;
    uint32_t length;
} RowId;

/*
 * Returns the ids [count] of the points; the rows must have ids (ROWS_ID). Sorts equal rows by id (`numbers` changes), so
 * that nothing depends on the order of arrival. One pass.
 */
RowId *point_set_ids(Env *env, Rows *rows, PointSet *points);
/* Adds the array "ids" to a model: the ids at these places, [count]; the first ones if `places` is NULL. */
void row_ids_write(Env *env, ModelBuilder *builder, const RowId *ids, const uint32_t *places, uint32_t count);

/* The points of a model with which rows to score are compared. */
typedef struct ModelPoints {
    Metric *metric;
    uint32_t count;
    double *coordinates; /* [count x metric->width] */
    double *row;         /* [metric->width] those of the row to score */
} ModelPoints;

/* Returns the points that a checked model keeps as encoded rows, [count x slots]. */
ModelPoints model_points(Env *env, const Model *model, const double *rows, uint32_t count);
/* Returns the distance of points->row from point i; NaN if one of them has none. */
double model_points_distance(const ModelPoints *points, uint32_t i);
/* Writes the distances of a row from all points to out, [count]. */
void model_points_distances(const ModelPoints *points, const double *slots, double *out);

static inline const double *point_set_row(const PointSet *points, uint32_t i)
{
    return points->coordinates + (size_t)i * points->metric->width;
}

#endif
