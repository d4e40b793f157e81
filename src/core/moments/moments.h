/*
 * moments.h - mergeable sufficient statistics of constant size: counts, means, and a triangular factor or centered
 * cross-products.
 *
 * A state is a Model of kind MODEL_MOMENTS, MODEL_CLASS_MOMENTS or MODEL_FEATURE_MOMENTS, changed in place. Its columns
 * are the numeric slots in order, then (MODEL_MOMENTS) the target, then, appended as they appear in rows, one column per
 * level of each categorical field (all levels; there is no reference level yet) and one indicator per slot that was NULL.
 *
 * Arrays (SECTION_ARRAYS), with p columns and G classes (1 if there are none):
 *   means    F64[G x p]          weighted means of the columns minus their origins, one row per class
 *   factor   F64[p(p+1)/2]       MODEL_MOMENTS: upper triangle R by columns, R'R = weighted centered
 *                                cross-products of the rows flushed so far, less products
 *   scatter  F64[G x p(p+1)/2]   other kinds: the cross-products themselves, packed the same way; if they are diagonal, F64[G x p]
 *   origins  F64[1 x p]          MODEL_MOMENTS: subtracted from each number of a column; the first number seen, so that a
 *                                large offset costs no digits. A NULL counts as the origin, that is 0 after subtraction.
 *                                0 for columns that hold no numbers; missing: all 0
 *   origins  F64[G x p]          other kinds under impute: the same, separately for each class
 *   thirds   F64[G x p p]        if requested: sums of c_j^2 c_l and of c_j^2 c_l^2, where c is the difference from
 *   fourths  F64[G x p(p+1)/2]   the mean; see fourth_moments.h
 *   counts   F64[G x 2]          rows and weight flushed, one row per class
 *   totals   F64[1]              sum of the logarithms of the weights flushed
 *   pending  F64[m x width]      rows not flushed yet: slots, (target or class), (weight); a NULL slot under impute
 *                                holds NULL_MARK
 *   fold_labels F64[G]           MODEL_FOLDED: the G folds seen so far, each a whole number; means, factor (then
 *                                F64[G x p(p+1)/2]) and counts have one row per fold, and each pending row ends with
 *                                its fold
 *   fold_plan I64[2]             MODEL_FOLDED: number of folds and seed of the hash of a row's content that assigns its
 *                                fold; 0 folds: a column of the rows holds the fold
 *   deferred BOOL[1]             if all rows stay pending: their formula has terms that are learned from them at the fit, which
 *                                sums these terms (formula_fit.h); the plan of what it sums is that of this state
 *   diagonal BOOL[1]             other kinds: if only sums of squares are kept, for fits that read no products of two columns
 *   row_tags I64[1]              MODEL_MOMENTS: how many numbers each row that is kept ends with, for standard errors: its clusters, or its
 *                                place in an order
 *   targets I64[1]               MODEL_MOMENTS of several targets: how many there are beyond the first. Each row ends with them, instead
 *                                of tags, and their columns follow the target's
 *   products F64[p(p+1)/2]       MODEL_MOMENTS, in a running state: cross-products of flushed rows that the factor does not have yet (qr_factor.h)
 *   kept_rows F64[k x width]     if rows are kept (MODEL_MOMENTS): all flushed rows, in the format of pending
 *   column_slot I64[p], column_level I64[p]   with categorical fields, under impute or of several targets: the slot of a column
 *                                (-1: the target; -2, -3, ...: further ones) and its level (COLUMN_NUMBER, COLUMN_MISSING)
 *
 * In a running state, "pending" is [pending_capacity x width] and its first pending_rows rows are in use. A stored value
 * has exactly the rows in use, and pending_rows = pending_capacity.
 *
 * Numerics: rows are collected in blocks. A block is centered at its own mean and triangularized together with the factor
 * and the row sqrt(n m / (n + m)) (mean difference), by Householder reflections. From 20 columns on, the Cholesky
 * factor of the block's Gram matrix replaces the block if its equilibrated condition is below 1e2 (Chan, Golub &
 * LeVeque 1983 for the merge); while that of the factor is, blocks add to products beside it. Cross-products are summed
 * about the mean so far if that has the larger weight, otherwise about the block's own mean, and then corrected to the
 * combined mean.
 */
#ifndef PGFIT_MOMENTS_H
#define PGFIT_MOMENTS_H

#include "core/rows/special_columns.h"
#include "core/model/model.h"
#include "core/model/schema.h"

/* values of column_level for columns that are not levels */
#define COLUMN_NUMBER (-1)  /* the slot's number */
#define COLUMN_MISSING (-2) /* 1 where the slot was NULL */

#define MOMENTS_MAX_COLUMNS 10000u /* a factor of 400 MB */

/* What a state of moments collects. */
typedef struct MomentsPlan {
    ModelKind kind;      /* MODEL_MOMENTS, MODEL_CLASS_MOMENTS or MODEL_FEATURE_MOMENTS */
    uint8_t flags;       /* MODEL_WEIGHTED, ...; with MODEL_FOLDED, MODEL_MOMENTS are kept per fold */
    FoldPlan folds;      /* how rows are assigned to folds; {0, 0}: a column holds the fold */
    bool keep_rows;      /* MODEL_MOMENTS: keeps the rows too, 8 bytes per number */
    uint32_t tags;       /* MODEL_MOMENTS without folds: numbers that each row ends with, at most ROW_TAGS_MAX */
    uint32_t targets;    /* MODEL_MOMENTS without folds and tags: targets beyond the first, which each row ends with */
    bool deferred;       /* rows stay pending, for a formula that learns from them before it makes what is summed */
    bool diagonal;       /* the other kinds: sums of squares, and no products of two columns */
    bool fourth_moments; /* the other kinds: also sums of third and fourth order */
    const char *options; /* canonical JSON, which the state keeps */
    uint32_t options_length;
    uint64_t options_hash;
} MomentsPlan;

/* Makes an empty state. spec: the features as the first row shows them. Takes a few hundred bytes for a few columns. */
Model *moments_new(Env *env, const SchemaSpec *spec, const MomentsPlan *plan);

/* Options of regression moments: how rows are assigned to folds, and whether rows are kept. */
extern const OptionSpec *const moments_options[];

/* Tell whether the state has sums of third and fourth order, keeps its rows, defers its sums, or has sums of squares only. */
bool moments_has_fourth_moments(const Model *state);
bool moments_keeps_rows(const Model *state);
bool moments_deferred(const Model *state);
bool moments_diagonal(const Model *state);
/* Returns how many numbers its rows end with, 0 for folds and targets. */
uint32_t moments_tags(const Model *state);
/* Returns how many targets it has beyond the first; its rows end with them. */
uint32_t moments_further_targets(const Model *state);
/*
 * The rows that a state keeps, in two parts, each [counts x width]: slots (NULL: infinite; a level: its position in the
 * dictionary), the target at index `target`, the weight at index `weight` (0: all weights are 1).
 */
typedef struct KeptRows {
    const double *rows[2];
    uint32_t counts[2];
    uint32_t width, target, weight;
    uint32_t tags; /* the last numbers of a row */
} KeptRows;
/* Points rows at the kept rows inside the state. Returns false if the state keeps none. */
bool moments_kept_rows(Env *env, const Model *state, KeptRows *rows);
/* Returns how rows are assigned to folds; {0, 0} if there are no folds or a column holds them. */
FoldPlan moments_fold_plan(const Model *state);
/*
 * Returns the fold of a row by a hash of its features and target. Fails with ERROR_DATA if a column holds the folds.
 */
double moments_content_fold(Env *env, const Model *state, const double *slots, const bool *nulls,
                            double target);
/*
 * Returns a hash of a row's features and target that depends on neither the order of the rows nor the machine. state: moments or
 * the schema of rows.
 */
uint64_t moments_content_hash(Env *env, const Model *state, uint64_t seed, const double *slots, const bool *nulls,
                              double target);
/* Returns a number for a class, as the target in such a hash: a hash of its text, because its place depends on the order of the rows. */
double moments_class_number(const Model *state, uint32_t place);
/*
 * Adds one row, as moments_add does, with the numbers that it ends with, as many as the state has: tags, further targets, or the fold, a
 * whole number of at most 15 digits.
 */
Model *moments_add_tagged(Env *env, Model *state, const double *slots, const bool *nulls, double target, double weight, const double *tags,
                          uint32_t count);

/*
 * Adds one row. slots: the encoded row (schema.h); nulls: NULL, or one flag per slot (impute only); target: the number
 * (MODEL_MOMENTS), the class's dictionary position (MODEL_CLASS_MOMENTS), or ignored; weight > 0. With folds, the row's
 * content decides its fold. Returns the state, in new memory if it had to grow; the caller owns the old block. Sizes
 * are checked against the value's own before anything is written.
 */
Model *moments_add(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                   double weight);

/* Adds the pending rows to means and factor. If the result is in new memory, the caller owns the old block. */
Model *moments_flush(Env *env, Model *state);

/*
 * Returns the moments of the rows of a and b together, in a or in new memory. b is not changed; a is changed only if
 * copy is false. Fails if kind, schema or flags differ; levels and classes may differ in number and order. The caller
 * compares options; those of a remain.
 */
Model *moments_merge(Env *env, Model *a, const Model *b, bool copy);

/* Returns a compact, sealed copy: what a user gets. */
Model *moments_finish(Env *env, const Model *state);

/* Checks a state of any kind, for model_check. Returns NULL, or what is wrong. */
const char *moments_check(Env *env, const Model *model);

/* Returns whether the header looks like moments: a quick test for transition functions, O(1). */
static inline bool moments_plausible(const Model *state, size_t size)
{
    return state->magic == MODEL_MAGIC && state->size == size &&
           state->kind >= MODEL_MOMENTS && state->kind <= MODEL_FEATURE_MOMENTS;
}

/* ---- what fits read: moments without pending rows ---- */

/*
 * Returns moments for the functions below, which only read: without pending rows, and without classes that have no
 * rows. Returns the moments themselves if they have neither, otherwise a copy, without kept rows. Fails with ERROR_KIND for deferred moments.
 */
const Model *moments_for_fit(Env *env, const Model *moments);

/* The factor in terms of a fit: terms in the order of the schema, the target or targets last. */
typedef struct Design {
    const Model *schema; /* the moments: names of slots and levels */
    uint32_t terms;      /* columns without targets */
    uint32_t targets;    /* 1, but of moments_targets_design */
    double *means;       /* [terms], then the targets' */
    double *factor;      /* dense upper triangle, (terms + targets) x (terms + targets), column major */
    uint32_t *term_slot; /* [terms] */
    int32_t *term_level; /* [terms] position of the level in final order (dictionary_final_order), or -1 */
    double target_mean;
    double rows, weight; /* n for degrees of freedom; sum of weights */
    double log_weight_sum; /* 0 for counts */
} Design;

/*
 * Returns the design of MODEL_MOMENTS, which must live as long: fills in imputed means, orders levels, drops the
 * reference level of each categorical field (without intercept: of all but the first), and triangularizes
 * again. Levels that no row used have no term. intercept false: the factor of the raw rows, not of the centered ones.
 */
Design *moments_design(Env *env, const Model *moments, bool intercept);
/* Returns the same with all targets; moments_design has the first alone. */
Design *moments_targets_design(Env *env, const Model *moments, bool intercept);
/* Returns the centered design of the features alone: every level has a term, and the target's column is meaningless. */
Design *moments_feature_design(Env *env, const Model *moments);
void moments_design_free(Env *env, Design *design);

/*
 * Moments with folds, split into training rows and held-out rows for cross-validation. The factor of all rows except
 * those of one fold is the factor of the folds before it merged with that of the folds after it, so nothing is
 * subtracted.
 */
typedef struct Splits Splits;
/*
 * Opens the splits; moments must live as long. Folds without rows are left out. Fails with ERROR_PARAMETER if the moments
 * have no folds, and with ERROR_DATA if fewer than two have rows; if null_if_few, it returns NULL in that case.
 */
Splits *splits_open(Env *env, const Model *moments, bool intercept, bool null_if_few);
/* Returns the number of folds that have rows. */
uint32_t splits_count(const Splits *splits);
/* Returns the label of fold k, a whole number that increases with k. */
double splits_fold(const Splits *splits, uint32_t k);
/* Returns the sum of weights of fold k. */
double splits_weight(const Splits *splits, uint32_t k);
/* Returns the design of all rows except those of fold k. */
Design *splits_training(Splits *splits, uint32_t k);
/*
 * Returns the weighted sum of squared errors in the rows of fold k of an equation over the terms of
 * splits_training(k), which must be the training design requested last.
 */
double splits_error(Splits *splits, uint32_t k, const double *coef, double intercept);

/* Which levels of categorical fields have a term. */
typedef enum TermCoding {
    CODING_REFERENCE,  /* all but the first of each field */
    CODING_FIRST_FULL, /* all of the first categorical field, all but the first of the others */
    CODING_FULL        /* all */
} TermCoding;

/* Means and centered cross-products of the terms per class, classes in final order (zeros for a class without rows). */
typedef struct ScatterDesign {
    uint32_t terms, classes; /* one class if the moments have none */
    bool diagonal;           /* of moments_squares */
    double *means;           /* [classes x terms] */
    double *scatter;         /* [classes x terms (terms + 1) / 2], upper triangles by columns; of moments_squares: [classes x terms] */
    double *fourth_moments;  /* the same for the products of squares; NULL if the moments have none */
    double *rows, *weight;   /* [classes] rows as degrees of freedom count them, sums of weights */
    uint32_t *term_slot;     /* [terms] */
    int32_t *term_level;     /* [terms] position of the level in final order, or -1 */
} ScatterDesign;

/*
 * Returns the terms of MODEL_CLASS_MOMENTS or MODEL_FEATURE_MOMENTS: fills in imputed means (those of all classes
 * together) and orders levels. Levels that no row used have no term.
 */
ScatterDesign *moments_scatter(Env *env, const Model *moments, TermCoding coding);
/* Returns the cross-products, packed, or squares within all classes together. */
double *scatter_pooled(Env *env, const ScatterDesign *design);
/* Returns the same as moments_scatter, with sums of squares in place of the cross-products; takes diagonal moments too. */
ScatterDesign *moments_squares(Env *env, const Model *moments, TermCoding coding);
/* Lists the terms alone, with all levels, also of moments whose levels have no columns; returns how many. */
uint32_t moments_terms(Env *env, const Model *moments, uint32_t **slots, int32_t **levels);

/* Returns the means that replace NULLs at scoring, F64[slots], 0 for categorical slots; NAN where all are NULL; NULL if the moments skip NULLs. */
double *moments_impute_means(Env *env, const Model *moments);

#endif
