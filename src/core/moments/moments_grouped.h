/*
 * moments_grouped.h - moments of many groups with the same shape, a few hundred bytes per group.
 *
 * With GROUP BY a query has one state per group, and consecutive rows touch different states, so cache misses dominate.
 * The states of one call site differ only in their numbers. Header, directory, schema and options are therefore kept once,
 * in the shape, and a group has only its sums and its pending rows:
 *
 *     MomentsGroup | pending rows | GroupSums, arrays
 *
 * A row touches the MomentsGroup and its own slot among the pending rows. Rows are flushed in the same blocks as in a
 * state of their own (moments.h), so the moments are the same to the last bit.
 *
 * Limited to numeric features and fewer than GRAM_COLUMNS columns: no dictionaries, folds, imputation or kept rows.
 */
#ifndef PGFIT_MOMENTS_GROUPED_H
#define PGFIT_MOMENTS_GROUPED_H

#include "core/moments/moments.h"

#include <string.h>

/* The head of a group; room for its first pending rows follows it. */
typedef struct MomentsGroup {
    double *pending; /* [pending_capacity x width] */
    uint32_t pending_rows, pending_capacity;
} MomentsGroup;

/* The part of a group that is not touched when a row without a weight is added. */
typedef struct GroupSums {
    int64_t skipped;
    double weight; /* only if rows have weights */
    int64_t flushes;
    double arrays[]; /* those of a state except "pending", in the same order */
} GroupSums;

typedef struct MomentsShape {
    Model *state;        /* an empty state; groups are flushed in its memory, one at a time */
    uint32_t width;      /* numbers of a pending row */
    uint32_t first_rows; /* pending rows of a new group */
    size_t size;         /* bytes of a group: a multiple of 8 */
    /* offsets and sizes in the state, in bytes */
    uint32_t ahead, ahead_size;   /* arrays before the pending rows */
    uint32_t behind, behind_size; /* arrays after them */
    uint32_t counts;              /* offset of "counts" from ahead */
    uint32_t room;                /* bytes of the pending rows */
    size_t sums;                  /* offset of GroupSums in a group */
    bool weighted;
} MomentsShape;

/* Returns the shape of groups that start as this state, which is not changed. NULL: such states cannot share a shape. */
MomentsShape *moments_shape(Env *env, const Model *state);
/* Returns whether a state with these features would have this shape. */
bool moments_shape_fits(const MomentsShape *shape, const SchemaSpec *spec);
/* Makes an empty group in shape->size zeroed bytes, 8-byte aligned. */
void moments_group_begin(const MomentsShape *shape, MomentsGroup *group);
/*
 * Makes room for a row by flushing the pending ones. A group with many rows gets more room, from env->alloc, which
 * must live as long as the group.
 */
void moments_group_flush(Env *env, const MomentsShape *shape, MomentsGroup *group);
/* Returns the bytes of the group as a state of its own; moments_group_write writes that state to `place`. */
uint32_t moments_group_bytes(const MomentsShape *shape, const MomentsGroup *group);
void moments_group_write(const MomentsShape *shape, const MomentsGroup *group, Model *place);

/* Returns the sums of a group. */
static inline GroupSums *moments_group_sums(const MomentsShape *shape, const MomentsGroup *group)
{
    return (GroupSums *)((char *)group + shape->sums);
}

/* Copies a few numbers inline, without a call. */
static inline void copy_numbers(double *to, const double *from, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        memcpy(to + i, from + i, 4 * sizeof(double));
    for (; i < count; i++)
        memcpy(to + i, from + i, sizeof(double));
}

/* Writes a row in the format of pending rows: shape->width numbers. */
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
