/*
 * point_set.h - the rows of a fit as coordinates of its metric, all in memory: for methods that
 * compare every row with many others.
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
    uint32_t *numbers;   /* [count] of each among the rows as they came */
} PointSet;

/*
 * Rows in an order of their own that follows from what they hold, not from how they came: equal
 * rows side by side, otherwise as good as shuffled. options: with METRIC_OPTIONS. room: more bytes
 * a row that the caller will need, counted in the memory test; ids count twice. Two passes. Fails
 * with ERROR_LIMIT past the budget or 2^31 rows.
 */
PointSet *point_set(Env *env, Rows *rows, const Options *options, size_t room,
                        const char *method);
void point_set_free(Env *env, PointSet *points);
/* The slots [count x slots], in final positions, of rows by their numbers as they came: a pass. */
void point_set_slots(Env *env, Rows *rows, const uint32_t *numbers, uint32_t count, const char *method,
                       double *slots);

/* The id of a row: not zero-terminated. */
typedef struct RowId {
    const char *text;
    uint32_t length;
} RowId;

/*
 * The ids [count] of the placed rows, which the rows must have (ROWS_ID): a pass. Equal rows are put in the order of
 * their ids (`numbers` changes), so that nothing depends on how the rows came.
 */
RowId *point_set_ids(Env *env, Rows *rows, PointSet *points);

static inline const double *point_set_row(const PointSet *points, uint32_t i)
{
    return points->coordinates + (size_t)i * points->metric->width;
}

#endif
