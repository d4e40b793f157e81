/*
 * moments_grouped.h - the moments of many groups of one shape, a few hundred bytes a group.
 *
 * With GROUP BY a query has a state a group, and each row belongs to another one: what it waits for is memory.
 * The states of one call differ in their numbers alone. So header, directory, schema and options are kept once, in
 * the shape, and a group has its sums and its pending rows:
 *
 *     MomentsGroup | pending rows | GroupSums, arrays
 *
 * A row touches the MomentsGroup and its own place among the pending rows. Rows fold in in the same blocks as those
 * of a state (moments.h) do: the moments is the same to the last bit.
 *
 * For numeric features and fewer than GRAM_COLUMNS columns: no dictionaries, no folds, no imputing, no rows kept.
 */
#ifndef PGFIT_MOMENTS_GROUPED_H
#define PGFIT_MOMENTS_GROUPED_H

#include "core/moments/moments.h"

#include <string.h>

/* The numbers of a group; followed by room for its first pending rows. */
typedef struct MomentsGroup {
    double *pending; /* [pending_capacity x width] */
    uint32_t pending_rows, pending_capacity;
} MomentsGroup;

/* What a row does not touch, but where it has a weight. */
typedef struct GroupSums {
    int64_t skipped;
    double weight; /* with weights alone */
    int64_t flushes;
    double arrays[]; /* those of a state, but for "pending", in its order */
} GroupSums;

typedef struct MomentsShape {
    Model *state;        /* a state of no rows; groups are folded in its room, one at a time */
    uint32_t width;      /* numbers of a pending row */
    uint32_t first_rows; /* pending rows of a new group */
    size_t size;         /* bytes of a group: a multiple of 8 */
    /* of the state's value */
    uint32_t ahead, ahead_size;   /* arrays before the pending rows */
    uint32_t behind, behind_size; /* arrays behind them */
    uint32_t counts;              /* from ahead */
    uint32_t room;                /* bytes of the pending rows */
    size_t sums; /* from a group's beginning */
    bool weighted;
} MomentsShape;

/* The shape of groups that begin as this state did, which stays as it is. NULL: its like cannot be groups of a shape. */
MomentsShape *moments_shape(Env *env, const Model *state);
/* Would a state with these features begin so? */
bool moments_shape_fits(const MomentsShape *shape, const SchemaSpec *spec);
/* A group of no rows, in shape->size zeroed bytes at an 8-byte boundary. */
void moments_group_begin(const MomentsShape *shape, MomentsGroup *group);
/*
 * Makes room for a row: folds the pending ones in. A group that lives on gets more room, in memory from env->alloc that
 * lives as long as the group.
 */
void moments_group_fold(Env *env, const MomentsShape *shape, MomentsGroup *group);
/* Bytes of the group as a state on its own; then the state itself, in that many bytes. */
uint32_t moments_group_bytes(const MomentsShape *shape, const MomentsGroup *group);
void moments_group_write(const MomentsShape *shape, const MomentsGroup *group, Model *place);

static inline GroupSums *moments_group_sums(const MomentsShape *shape, const MomentsGroup *group)
{
    return (GroupSums *)((char *)group + shape->sums);
}

/* A few numbers: in place of a call. */
static inline void copy_numbers(double *to, const double *from, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        memcpy(to + i, from + i, 4 * sizeof(double));
    for (; i < count; i++)
        memcpy(to + i, from + i, sizeof(double));
}

/* A row as a group keeps it, in shape->width numbers. */
static inline void moments_group_row(const MomentsShape *shape, const double *slots, double target, double weight,
                                     double *row)
{
    uint32_t count = shape->state->slot_count;

    copy_numbers(row, slots, count);
    if (shape->state->kind != MODEL_FEATURE_MOMENTS)
        row[count++] = target;
    if (shape->weighted)
        row[count] = weight;
}

/* Adds a row to a group that has room: pending_rows < pending_capacity. */
static inline void moments_group_add(const MomentsShape *shape, MomentsGroup *group, const double *row)
{
    uint32_t width = shape->width;

    copy_numbers(group->pending + (size_t)group->pending_rows * width, row, width);
    group->pending_rows++;
    if (shape->weighted)
        moments_group_sums(shape, group)->weight += row[width - 1];
}

#endif
