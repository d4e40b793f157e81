/*
 * moments_state.h - what moments.c, moments_fold.c, moments_merge.c and moments_design.c share.
 */
#ifndef PGFIT_MOMENTS_STATE_H
#define PGFIT_MOMENTS_STATE_H

#include "moments.h"

#define FIRST_ROWS 15         /* pending rows of a new state, which fills 1 kB; with the mean's row a multiple of 8 */
#define NARROW_ROWS 63        /* later, below GRAM_COLUMNS columns */
#define WIDE_ROWS 255         /* later, from GRAM_COLUMNS on */
#define KEEP_NUMBERS 64       /* numbers of rows that finished evidence of few rows may keep above its matrix */
#define GROW_FLUSHES 32       /* flushes before a state gets more pending rows: many groups stay small */
#define GRAM_COLUMNS 20       /* from here on a block may go by its Gram matrix */
#define GRAM_CONDITION 1e2    /* and where its equilibrated condition is below this */
#define NULL_MARK INFINITY    /* a NULL in a pending row; infinities are refused in rows */

/* The entries of a state, found in one pass, their shapes verified; valid until it grows. */
typedef struct MomentsView {
    Model *state;
    ModelEntry *means, *factor, *scatter, *counts, *totals, *pending;
    ModelEntry *column_slot, *column_level; /* NULL: target and numeric slots alone */
    uint32_t columns, classes;
    uint32_t target; /* place of the target or class in a pending row: behind the slots */
    uint32_t width; /* of a pending row */
    bool weighted;
} MomentsView;

/*
 * As many numbers a class as "means" and "scatter" have: an array has one column at least, so a state
 * without columns, as one of categories alone is before its first level, has a zero in each.
 */
static inline size_t stored_columns(size_t columns)
{
    return columns > 0 ? columns : 1;
}

/* NULL, or what is wrong with the shapes. */
const char *moments_view(Model *state, MomentsView *view);
/* The same, failing with ERROR_CORRUPT. */
void moments_open(Env *env, Model *state, MomentsView *view);

static inline double *view_f64(const MomentsView *view, const ModelEntry *entry)
{
    return (double *)((char *)view->state + entry->offset);
}
static inline int64_t *view_i64(const MomentsView *view, const ModelEntry *entry)
{
    return (int64_t *)((char *)view->state + entry->offset);
}
/* The column of the target (MODEL_MOMENTS): behind the numeric slots. */
uint32_t moments_target_column(const MomentsView *view);

/*
 * The state with room for the shape, columns and classes appended as zeros; view is opened anew.
 * original: the block that belongs to the caller; others that are left behind are released.
 */
Model *moments_reshape(Env *env, const Model *original, Model *state, MomentsView *view,
                       uint32_t columns, uint32_t classes);
Model *moments_reserve(Env *env, const Model *original, Model *state, const char *name, size_t bytes);

/* A term as a sum of columns: the column itself, and the indicator times the imputed mean. */
typedef struct TermPlan {
    uint32_t column, indicator; /* NO_TERM_COLUMN: none */
    double imputed;
    uint32_t slot;
    int32_t level;
} TermPlan;
#define NO_TERM_COLUMN UINT32_MAX
/* Terms in final order; plans has a place for every column. Returns their number. */
uint32_t moments_plan_terms(Env *env, const MomentsView *view, TermCoding coding, TermPlan *plans);

/* A copy in env's memory. */
Model *moments_copy(Env *env, const Model *state);
/* moments_flush that leaves `original` alone and releases what else it outgrows. */
Model *moments_fold(Env *env, const Model *original, Model *state);

/* Fails with ERROR_RANGE naming the column where the state is no longer finite. */
void moments_require_finite(Env *env, const MomentsView *view, const double *values,
                            uint32_t columns, uint32_t class);
/* The feature (or target) behind a column, for messages. */
void moments_column_name(const MomentsView *view, uint32_t column, char *buffer, size_t size);

#endif
