/*
 * moments_internal.h - the view of a state's arrays, and what the files of this room share.
 */
#ifndef PGFIT_MOMENTS_INTERNAL_H
#define PGFIT_MOMENTS_INTERNAL_H

#include "core/linalg/qr_factor.h"
#include "core/moments/moments.h"

#define FIRST_ROWS 15         /* pending rows of a new state, which then takes 1 kB; with the row of means a multiple of 8 */
#define NARROW_ROWS 63        /* later, if there are fewer than GRAM_COLUMNS columns */
#define WIDE_ROWS 255         /* later, from GRAM_COLUMNS columns on */
#define KEEP_NUMBERS 64       /* numbers of pending rows that finished moments may keep beyond the size of their matrix */
#define GATHER_COLUMNS 256    /* from this many columns on, the first rows are kept until their Gram matrix gives the factor */
#define GROW_FLUSHES 32       /* from this many flushes on, pending rows may take more memory than half the factor */
#define FOLDS_ROOM 16         /* pending rows are kept for at most this many folds */
#define GRAM_COLUMNS 20       /* from this many columns on, a block may be reduced by its Gram matrix */
#define GRAM_CONDITION 1e2    /* if its equilibrated condition is below this */
#define NULL_MARK INFINITY    /* a NULL in a pending row: rows cannot hold infinities */

/* The entries of a state, found in one pass and with their shapes checked; valid until the state grows. */
typedef struct MomentsView {
    Model *state;
    ModelEntry *means, *factor, *scatter, *counts, *totals, *pending;
    ModelEntry *origins;                    /* NULL: all 0; view_origins */
    ModelEntry *thirds, *fourth_moments;    /* NULL: not kept */
    ModelEntry *column_slot, *column_level; /* NULL: target and numeric slots alone */
    ModelEntry *fold_labels, *fold_plan;    /* NULL: no folds */
    ModelEntry *kept;                       /* NULL: rows are not kept */
    ModelEntry *deferred;                   /* NULL: rows are summed */
    ModelEntry *products;                   /* NULL: factor is that of all rows but the pending ones */
    ModelEntry *diagonal;                   /* NULL: scatter has products of all pairs of columns */
    ModelEntry *row_tags;                   /* NULL: rows end with none */
    ModelEntry *targets;                    /* NULL: one target, or none */
    uint32_t columns, classes; /* with folds: the number of folds */
    uint32_t target; /* position of the target or class in a pending row: after the slots */
    uint32_t width; /* of a pending row */
    uint32_t weight; /* position of the weight in it, if weighted */
    uint32_t tags;   /* numbers at its end: tags or further targets */
    uint32_t further; /* targets beyond the first */
    bool weighted, folded;
} MomentsView;

/*
 * Returns the numbers per class in "means" and "scatter". An array has at least one column, so a state without columns,
 * such as one of categorical fields alone before its first level, holds a zero in each.
 */
static inline size_t stored_columns(size_t columns)
{
    return columns > 0 ? columns : 1;
}

/* Returns the numbers per class in "scatter", or per fold in "factor". */
static inline size_t scatter_size(const MomentsView *view, size_t columns)
{
    return view->diagonal != NULL ? columns : factor_packed(columns);
}
/* Returns where the sum of squares of a column is among the numbers of its class in "scatter". */
static inline size_t scatter_square(const MomentsView *view, uint32_t column)
{
    return view->diagonal != NULL ? column : factor_packed(column) + column;
}

/*
 * Returns the centered cross-product of a number and the indicator of its NULLs in diagonal moments. A NULL is 0, so that
 * the product of both is 0 in each row.
 */
static inline double diagonal_product(const MomentsView *view, uint32_t class, uint32_t column, uint32_t missing)
{
    const double *means = (const double *)((const char *)view->state + view->means->offset) + (size_t)class * view->columns;
    const double *counts = (const double *)((const char *)view->state + view->counts->offset) + 2 * (size_t)class;

    return -counts[1] * means[column] * means[missing];
}

/* How many rows an array has, and how many numbers a row; new columns are appended to each row. */
typedef enum ArrayRows { ROWS_ANY, ROWS_ONE, ROWS_TWO, ROWS_COLUMNS, ROWS_CLASSES, ROWS_ORIGINS } ArrayRows;
typedef enum ArrayWidth { WIDTH_ANY, WIDTH_ONE, WIDTH_TWO, WIDTH_COLUMNS, WIDTH_PACKED, WIDTH_SQUARE, WIDTH_ROW } ArrayWidth;

/* An array that a state may have. */
typedef struct MomentsArray {
    char name[MODEL_NAME_SIZE];
    uint8_t type, dimensions, rows, width; /* ElementType, 1 or 2, ArrayRows, ArrayWidth */
    size_t place;                          /* of its entry in a view */
    const char *wrong;                     /* what is wrong where it does not fit; NULL: a general message */
} MomentsArray;
#define MOMENTS_ARRAYS 19
extern const MomentsArray moments_arrays[MOMENTS_ARRAYS]; /* in order of name */

/* Returns the entry of an array in a view, or NULL. */
static inline ModelEntry *view_array(const MomentsView *view, const MomentsArray *array)
{
    return *(ModelEntry *const *)((const char *)view + array->place);
}
/* Tells whether an array has a row for each class, or one for all. */
static inline bool is_of_classes(const MomentsArray *array)
{
    return array->rows >= ROWS_CLASSES;
}
/* Return how many rows an array has with so many columns and classes, and how many numbers a row. */
uint32_t moments_array_rows(const MomentsView *view, const MomentsArray *array, uint32_t columns, uint32_t classes);
size_t moments_array_width(const MomentsView *view, const MomentsArray *array, uint32_t columns);

/* Fills a view. Returns NULL, or what is wrong with the shapes. */
const char *moments_view(Model *state, MomentsView *view);
/* Fills a view; fails with ERROR_CORRUPT if the shapes are wrong. */
void moments_open(Env *env, Model *state, MomentsView *view);
/* Fills a view of moments that are not changed; fails with ERROR_INTERNAL if they have pending rows. */
void moments_read(Env *env, const Model *moments, MomentsView *view);

static inline double *view_f64(const MomentsView *view, const ModelEntry *entry)
{
    return (double *)((char *)view->state + entry->offset);
}
static inline int64_t *view_i64(const MomentsView *view, const ModelEntry *entry)
{
    return (int64_t *)((char *)view->state + entry->offset);
}
/* Returns where the target after the first k + 1 is in a pending row. */
static inline uint32_t moments_further_place(const MomentsView *view, uint32_t k)
{
    return view->width - view->further + k;
}
/* Returns the origins of a class's columns, or NULL if all are 0. All folds of MODEL_MOMENTS share theirs. */
static inline double *view_origins(const MomentsView *view, uint32_t class)
{
    if (view->origins == NULL)
        return NULL;
    return view_f64(view, view->origins) + (view->factor != NULL ? 0 : (size_t)class * view->columns);
}
/*
 * Returns whether no row of the class has a number in this column, so that its origin is free to choose. indicator: the
 * column of its NULLs, or NO_TERM_COLUMN.
 */
bool moments_column_empty(const MomentsView *view, uint32_t class, uint32_t column, uint32_t indicator);
/* Returns whether no row of any fold has a number in this column (MODEL_MOMENTS). */
bool moments_column_unseen(const MomentsView *view, uint32_t column);
/* Returns the column of a slot's number (COLUMN_NUMBER), NULLs (COLUMN_MISSING) or level; NO_TERM_COLUMN: none. */
uint32_t moments_find_column(const MomentsView *view, int64_t slot, int64_t level);
/* Returns the indicator column of a slot's NULLs, or NO_TERM_COLUMN if no row had one. */
uint32_t moments_missing_column(const MomentsView *view, int64_t slot);
/* Returns the column of the target (MODEL_MOMENTS), which follows the numeric slots; further targets follow it. */
uint32_t moments_target_column(const MomentsView *view);

/*
 * Grows the state to the given shape, with zeros in the new columns and classes, and reopens view.
 * original: the block that the caller owns; other outgrown blocks are released.
 */
Model *moments_reshape(Env *env, const Model *original, Model *state, MomentsView *view,
                       uint32_t columns, uint32_t classes);
/*
 * Returns how many rows a state of many columns keeps before they are flushed: the first ones to be those of one well conditioned Gram matrix, later
 * ones because each flush reads and writes all products. 0: as many as moments_wanted_rows says.
 */
uint32_t moments_gathered_rows(const Env *env, const Model *state);
/* Returns how many pending rows the state should have room for by now. */
uint32_t moments_wanted_rows(const Model *state);
/* Returns the state with at least this many bytes reserved for the named array. original: as above. */
Model *moments_reserve(Env *env, const Model *original, Model *state, const char *name, size_t bytes);

/*
 * Adds rows minus the shift, times their weights, to the sums of their columns, and their squares to the squares. count: at most
 * SQUARES_TOGETHER.
 */
#define SQUARES_TOGETHER 4
void moments_add_squares(const double *const *rows, const double *weights, uint32_t count, uint32_t columns, const double *shift, double *sums,
                         double *squares);

/* Makes room in a deferred state for `rows` pending rows. Fails with ERROR_LIMIT past pgfit.fit_mem. */
Model *moments_reserve_deferred(Env *env, const Model *original, Model *state, uint64_t rows);

/* A term as a sum of columns: the column itself, and the indicator times the imputed mean. */
typedef struct TermPlan {
    uint32_t column, indicator; /* NO_TERM_COLUMN: none */
    double imputed; /* the imputed mean minus the column's origin */
    uint32_t slot;
    int32_t level;
} TermPlan;
#define NO_TERM_COLUMN UINT32_MAX
/* Plans the terms in final order, without setting `imputed`; plans has room for one per column. Returns their number. */
uint32_t moments_plan_terms(Env *env, const MomentsView *view, TermCoding coding, TermPlan *plans);

/* Means (minus the origins) and packed factor of the rows of one or several folds, in the columns of the state. */
typedef struct MomentsPart {
    double *means, *factor;
    double rows, weight;
} MomentsPart;
/* Returns the part of one fold, in place. Moments without folds have one, 0. */
MomentsPart moments_part(const MomentsView *view, uint32_t fold);
/* Returns an empty part in memory of its own; moments_part_clear empties it again. */
MomentsPart moments_part_new(Env *env, uint32_t columns);
void moments_part_clear(MomentsPart *part, uint32_t columns);
/* Adds the rows of b to a. Chan, Golub & LeVeque 1983. */
void moments_part_add(Env *env, uint32_t columns, MomentsPart *a, const MomentsPart *b);
/* Returns the design of a part's rows and so many targets. plans: those of all rows; their imputed means become the part's. */
Design *moments_part_design(Env *env, const MomentsView *view, const MomentsPart *part, bool intercept,
                            TermPlan *plans, uint32_t terms, uint32_t targets);
/* Returns the part of all folds together. */
MomentsPart moments_part_whole(Env *env, const MomentsView *view);
/* Returns the index of the fold with this label; view->classes if there is none. */
uint32_t moments_find_fold(const MomentsView *view, double label);
/* Adds `count` folds, with label 0, and reopens view. Fails past FOLDS_MAX. */
Model *moments_add_folds(Env *env, const Model *original, Model *state, MomentsView *view, uint32_t count);
/* Returns the indexes of the folds in increasing order of their labels, [classes]. */
uint32_t *moments_fold_order(Env *env, const MomentsView *view);

/* Returns a copy in env's memory. */
Model *moments_copy(Env *env, const Model *state);
/* Adds the pending rows to means and factor, or products; releases outgrown blocks except `original`. */
Model *moments_flush_pending(Env *env, const Model *original, Model *state);
/* Does the same, and adds products to the factor. */
Model *moments_settle(Env *env, const Model *original, Model *state);
/* Gives the state products, or takes them from it if they are zeros, whichever its factor allows for the next rows. */
Model *moments_choose_products(Env *env, const Model *original, Model *state);

/* Returns class moments without the classes that have no rows: the same value if every class has rows, otherwise a copy. */
const Model *moments_used_classes(Env *env, const Model *moments);

/* If the state keeps its rows, appends the pending ones to them. */
Model *moments_keep_pending(Env *env, const Model *original, Model *state, MomentsView *view);
/* Appends the rows that other keeps. levels: for each level of other, its position in the state. */
Model *moments_keep_others(Env *env, const Model *original, Model *state, const MomentsView *other,
                           const uint32_t *levels);
/* Rewrites rows in the format of pending from other's level positions to those in levels. */
void moments_map_levels(Env *env, const MomentsView *other, double *rows, uint32_t count, const uint32_t *levels);
/* Fails with ERROR_RANGE: the sum of the weights is not a finite number. */
void moments_fail_weights(Env *env) __attribute__((noreturn));
/* Fails with ERROR_RANGE, naming the column, if the means or values of a class are no longer finite. */
void moments_require_finite(Env *env, const MomentsView *view, const double *values,
                            uint32_t columns, uint32_t class);
/* Writes the name of the feature (or target) that a column belongs to, for messages. */
void moments_column_name(const MomentsView *view, uint32_t column, char *buffer, size_t size);

#endif
