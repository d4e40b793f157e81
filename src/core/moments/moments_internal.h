/*
 * moments_internal.h - what moments.c, moments_flush_pending.c, moments_merge.c and moments_design.c share.
 */
#ifndef PGFIT_MOMENTS_INTERNAL_H
#define PGFIT_MOMENTS_INTERNAL_H

#include "core/moments/moments.h"

#define FIRST_ROWS 15         /* pending rows of a new state, which fills 1 kB; with the mean's row a multiple of 8 */
#define NARROW_ROWS 63        /* later, below GRAM_COLUMNS columns */
#define WIDE_ROWS 255         /* later, from GRAM_COLUMNS on */
#define KEEP_NUMBERS 64       /* numbers of rows that finished moments of few rows may keep above its matrix */
#define GROW_FLUSHES 32       /* flushes before a state gets more pending rows than half its factor takes: many groups stay small */
#define FOLDS_ROOM 16         /* folds that pending rows are kept for: so many times the rows */
#define GRAM_COLUMNS 20       /* from here on a block may go by its Gram matrix */
#define GRAM_CONDITION 1e2    /* and where its equilibrated condition is below this */
#define NULL_MARK INFINITY    /* a NULL in a pending row; infinities are refused in rows */

/* The entries of a state, found in one pass, their shapes verified; valid until it grows. */
typedef struct MomentsView {
    Model *state;
    ModelEntry *means, *factor, *scatter, *counts, *totals, *pending;
    ModelEntry *origins;                    /* NULL: all 0; view_origins */
    ModelEntry *thirds, *fourth_moments;           /* NULL: not gathered */
    ModelEntry *column_slot, *column_level; /* NULL: target and numeric slots alone */
    ModelEntry *fold_labels, *fold_plan;    /* NULL: no folds */
    ModelEntry *kept;                       /* NULL: rows are not kept */
    uint32_t columns, classes; /* folds count as classes here */
    uint32_t target; /* place of the target or class in a pending row: behind the slots */
    uint32_t width; /* of a pending row */
    uint32_t weight; /* place of the weight in it, where weighted */
    bool weighted, folded;
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
/* The origins of a class's columns, or NULL where all are 0. Those of MODEL_MOMENTS are of all its folds. */
static inline double *view_origins(const MomentsView *view, uint32_t class)
{
    if (view->origins == NULL)
        return NULL;
    return view_f64(view, view->origins) + (view->factor != NULL ? 0 : (size_t)class * view->columns);
}
/*
 * Has no row of the class a number in this column, by the column of its NULLs (NO_TERM_COLUMN: it has none)? Its
 * origin may then be any.
 */
bool moments_column_empty(const MomentsView *view, uint32_t class, uint32_t column, uint32_t indicator);
/* The same of all folds of MODEL_MOMENTS. */
bool moments_column_unseen(const MomentsView *view, uint32_t column);
/* Returns the column of a slot's number (COLUMN_NUMBER), NULLs (COLUMN_MISSING) or level; NO_TERM_COLUMN: none. */
uint32_t moments_find_column(const MomentsView *view, int64_t slot, int64_t level);
/* The column of a slot's NULLs; NO_TERM_COLUMN: no row had one. */
uint32_t moments_missing_column(const MomentsView *view, int64_t slot);
/* The column of the target (MODEL_MOMENTS): behind the numeric slots. */
uint32_t moments_target_column(const MomentsView *view);

/*
 * The state with room for the shape, columns and classes appended as zeros; view is opened anew.
 * original: the block that belongs to the caller; others that are left behind are released.
 */
Model *moments_reshape(Env *env, const Model *original, Model *state, MomentsView *view,
                       uint32_t columns, uint32_t classes);
/* Pending rows that a state of its width deserves by now. */
uint32_t moments_wanted_rows(const Model *state);
Model *moments_reserve(Env *env, const Model *original, Model *state, const char *name, size_t bytes);

/* A term as a sum of columns: the column itself, and the indicator times the imputed mean. */
typedef struct TermPlan {
    uint32_t column, indicator; /* NO_TERM_COLUMN: none */
    double imputed; /* less the column's origin */
    uint32_t slot;
    int32_t level;
} TermPlan;
#define NO_TERM_COLUMN UINT32_MAX
/* Terms in final order; plans has a place for every column. Returns their number. */
uint32_t moments_plan_terms(Env *env, const MomentsView *view, TermCoding coding, TermPlan *plans);

/* Means, less the origins, and packed factor of some rows of MODEL_MOMENTS, in the columns of the state. */
typedef struct MomentsPart {
    double *means, *factor;
    double rows, weight;
} MomentsPart;
/* Of a fold, in place; of moments without folds, of fold 0. */
MomentsPart moments_part(const MomentsView *view, uint32_t fold);
/* Room for one of no rows; *memory is to be released. */
MomentsPart moments_part_new(Env *env, uint32_t columns, void **memory);
/* The rows of b too. Chan, Golub & LeVeque 1983. */
void moments_part_add(Env *env, uint32_t columns, MomentsPart *a, const MomentsPart *b);
/* The terms of a part's rows; plans: those of the whole, whose imputed means become the part's. */
Design *moments_part_design(Env *env, const MomentsView *view, const MomentsPart *part, bool intercept,
                            TermPlan *plans, uint32_t terms);
/* All folds together. */
MomentsPart moments_part_whole(Env *env, const MomentsView *view, void **memory);
/* Place of the fold of this label; classes: there is none. */
uint32_t moments_find_fold(const MomentsView *view, double label);
/* The state with room for so many folds more, labels 0; view is opened anew. Fails past FOLDS_MAX. */
Model *moments_add_folds(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count);
/* Places of the folds in rising order of their labels, [classes]. */
uint32_t *moments_fold_order(Env *env, const MomentsView *view);

/* A copy in env's memory. */
Model *moments_copy(Env *env, const Model *state);
/* moments_flush that leaves `original` alone and releases what else it outgrows. */
Model *moments_flush_pending(Env *env, const Model *original, Model *state);

/* moments_rows.c: of moments that keeps its rows; else nothing is done. Pending rows, before they are forgotten. */
Model *moments_keep_pending(Env *env, const Model *original, Model *state, MomentsView *view);
/* The rows that other keeps; levels: position in the state of each of its levels. */
Model *moments_keep_others(Env *env, const Model *original, Model *state, const MomentsView *other,
                           const uint32_t *levels);
/* Rows as pending ones, in other's levels, in those of another state. */
void moments_map_levels(Env *env, const MomentsView *other, double *rows, uint32_t count, const uint32_t *levels);
/* A copy with nothing pending, to be read: without the rows that it kept. */
Model *moments_folded(Env *env, const Model *state);

/* Fails: the weights add up to more than a number holds. */
void moments_fail_weights(Env *env) __attribute__((noreturn));
/* Fails with ERROR_RANGE naming the column where the state is no longer finite. */
void moments_require_finite(Env *env, const MomentsView *view, const double *values,
                            uint32_t columns, uint32_t class);
/* The feature (or target) behind a column, for messages. */
void moments_column_name(const MomentsView *view, uint32_t column, char *buffer, size_t size);

#endif
