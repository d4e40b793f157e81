/*
 * moments.h - moments of constant size: counts, means, and a factor or centered cross-products.
 *
 * The state is a Model of kind MODEL_MOMENTS, MODEL_CLASS_MOMENTS or MODEL_FEATURE_MOMENTS, changed
 * in place. Columns: first the numeric slots in order, in MODEL_MOMENTS then the target, then, appended
 * as rows show them, a column a level of a categorical field (all levels, none is a reference yet)
 * and indicators of NULLs.
 *
 * Entries (SECTION_ARRAYS):
 *   means    F64[G x p]          weighted means of the columns less their origins, a row a class (G = 1 without classes)
 *   factor   F64[p(p+1)/2]       MODEL_MOMENTS: upper triangle R by columns, R'R = weighted centered
 *                                cross-products of the rows folded in so far
 *   scatter  F64[G x p(p+1)/2]   the others: the cross-products themselves, packed the same way
 *   origins  F64[1 x p]          MODEL_MOMENTS: what the numbers of a column are taken less, the first one, so that a large
 *                                offset costs no digits. A NULL counts as 0 in its column, so as the origin; 0 where
 *                                the column is no number. Older moments has none: 0
 *   origins  F64[G x p]          the others under impute: the same, of each class its own
 *   thirds   F64[G x p p]        where they were asked for: sums of products c_j^2 c_l and c_j^2 c_l^2 of the differences
 *   fourths  F64[G x p(p+1)/2]   from the means, fourth_moments.h
 *   counts   F64[G x 2]          rows and weight folded in (a class)
 *   totals   F64[1]              sum of the logarithms of the weights folded in
 *   pending  F64[m x width]      rows not folded in yet: slots, (target or class), (weight); a NULL
 *                                slot under impute is NaN
 *   fold_labels F64[G]           with MODEL_FOLDED alone: the G folds seen so far, each a whole number; means,
 *                                factor (then F64[G x p(p+1)/2]) and counts have a row a fold, and a row of
 *                                pending its fold behind the rest
 *   fold_plan I64[2]             with MODEL_FOLDED alone: number of folds and seed, by which a hash of the
 *                                rows' content deals them; 0 folds: a column says
 *   kept_rows F64[k x width]     where rows are kept alone (MODEL_MOMENTS): all rows folded in, as they were pending
 *   column_slot I64[p], column_level I64[p]   only with categorical fields or under impute: slot of a
 *                                column (-1: the target), its level (COLUMN_NUMBER, COLUMN_MISSING)
 *
 * "pending" of a running state is [pending_capacity x width], its first pending_rows rows in use; a
 * stored value has as many rows as are in use (none: 0 rows), and pending_rows = pending_capacity.
 *
 * Numerics: rows are gathered in blocks; a block is centered at its own mean and triangularized with
 * the factor and the row sqrt(n m / (n + m)) (mean difference) by Householder reflections, from 20
 * columns on by the Cholesky factor of its Gram matrix where its equilibrated condition is below
 * 1e2 (Chan, Golub & LeVeque 1983 for the merge). Cross-products are summed about the mean so far where that
 * has the larger weight, else about the block's own, and corrected to the mean of both.
 */
#ifndef PGFIT_MOMENTS_H
#define PGFIT_MOMENTS_H

#include "core/rows/special_columns.h"
#include "core/model/model.h"
#include "core/model/schema.h"

/* column_level of columns that are no level */
#define COLUMN_NUMBER (-1)  /* the slot's number */
#define COLUMN_MISSING (-2) /* 1 where the slot was NULL */

#define MOMENTS_MAX_COLUMNS 10000u /* a factor of 400 MB */

/*
 * A new state. spec: the features as the first row shows them; flags: MODEL_WEIGHTED, ... ; options:
 * canonical JSON kept in the state ("" none). A few hundred bytes for a few columns.
 */
Model *moments_new(Env *env, ModelKind kind, const SchemaSpec *spec, uint8_t flags,
                   const char *options, uint32_t options_length, uint64_t options_hash);

/* The same of classes or features, with sums of third and fourth order: "thirds", "fourths". */
Model *moments_new_fourth(Env *env, ModelKind kind, const SchemaSpec *spec, uint8_t flags,
                          const char *options, uint32_t options_length, uint64_t options_hash);
/* Has moments those sums? */
bool moments_has_fourth_moments(const Model *state);

/* The same of regressions, with rows in folds: MODEL_FOLDED. */
Model *moments_new_folded(Env *env, const SchemaSpec *spec, uint8_t flags, const FoldPlan *folds,
                          const char *options, uint32_t options_length, uint64_t options_hash);
/* Options of moments for regressions: how its rows are dealt into folds, and whether they are kept. */
extern const OptionSpec *const moments_options[];

/* The same, in folds or not (NULL), that keeps its rows beside: of as many bytes as they have numbers. */
Model *moments_new_keeping(Env *env, const SchemaSpec *spec, uint8_t flags, const FoldPlan *folds,
                           const char *options, uint32_t options_length, uint64_t options_hash);
bool moments_keeps_rows(const Model *state);
/*
 * The rows that moments keeps, in two parts, each [counts x width]: slots (a NULL is infinite, a level its position
 * in the dictionary), at `target` the target, at `weight` the weight (0: all are 1).
 */
typedef struct KeptRows {
    const double *rows[2];
    uint32_t counts[2];
    uint32_t width, target, weight;
} KeptRows;
/* False: it keeps none. They are those of the value itself. */
bool moments_kept_rows(Env *env, const Model *state, KeptRows *rows);
/* How the rows of moments are dealt into folds; of folded moments alone. */
FoldPlan moments_fold_plan(const Model *state);
/* The fold of a row by a hash of its content, target and features; of moments without a column for it. */
double moments_content_fold(Env *env, const Model *state, const double *slots, const bool *nulls,
                            double target);
/* A row of folded moments, as below, in a fold: a whole number of at most 15 digits. */
Model *moments_add_fold(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                        double weight, double fold);

/*
 * Adds one row. slots: the encoded row (schema.h); nulls: NULL, or a flag a slot (impute only).
 * target: the number (MODEL_MOMENTS), the class's dictionary position (MODEL_CLASS_MOMENTS), or
 * ignored. weight > 0. The fold of folded moments is that of the row's content. Returns the state, in new memory where it had to grow; the old block is left to
 * the caller. Sizes are checked against the value's own before anything is written.
 */
Model *moments_add(Env *env, Model *state, const double *slots, const bool *nulls, double target,
                   double weight);

/* Folds pending rows in. The old block is left to the caller where the result is in new memory. */
Model *moments_flush(Env *env, Model *state);

/*
 * The moments of the rows of both; b is not changed, and a only where copy is false. The result may
 * be a, or in new memory. Fails where kind, schema or flags differ. Levels and classes may differ in
 * number and order. Options are the caller's to compare; a's stay.
 */
Model *moments_merge(Env *env, Model *a, const Model *b, bool copy);

/* What a user gets: a compact, sealed copy. */
Model *moments_finish(Env *env, const Model *state);

/* NULL where sound. Called by model_check for the three kinds. */
const char *moments_check(Env *env, const Model *model);

/* A first-level sanity test for a transition: O(1), touches the header alone. */
static inline bool moments_plausible(const Model *state, size_t size)
{
    return state->magic == MODEL_MAGIC && state->size == size &&
           state->kind >= MODEL_MOMENTS && state->kind <= MODEL_FEATURE_MOMENTS;
}

/* ---- what fits read ---- */

/* The design in final order: terms sorted as the schema is, target last. */
typedef struct Design {
    uint32_t terms;      /* columns without target */
    double *means;       /* [terms], then the target's */
    double *factor;      /* dense upper triangle, (terms + 1) x (terms + 1), column major */
    uint32_t *term_slot; /* [terms] */
    int32_t *term_level; /* [terms] position of the level in final order (dictionary_final_order), or -1 */
    double target_mean;
    double rows, weight; /* n as the degrees of freedom want it; sum of weights */
    double log_weight_sum; /* 0 for counts */
} Design;

/*
 * From MODEL_MOMENTS: folds pending rows in (of a copy), puts imputed means in place, orders levels,
 * drops the reference level of each categorical field (of all but the first where there is no
 * intercept), and triangularizes anew. Levels that no row used have no term. intercept false: the
 * factor of the raw rows, not the centered ones.
 */
Design *moments_design(Env *env, const Model *state, bool intercept);
/* The same of the features alone, centered: all levels have a term, and the target's column means nothing. */
Design *moments_feature_design(Env *env, const Model *state);
void moments_design_free(Env *env, Design *design);

/*
 * Folded moments as training rows and held-out rows, fold by fold: what cross-validation wants. The factor of
 * all rows but those of a fold is that of the folds before it merged with that of the folds behind it,
 * so nothing is subtracted.
 */
typedef struct Splits Splits;
/*
 * Reads the moments until splits_free. Folds without rows are left out. Fails with ERROR_PARAMETER where it has no
 * folds, with ERROR_DATA where fewer than two have rows; if passed_over, returns NULL then.
 */
Splits *splits_open(Env *env, const Model *state, bool intercept, bool passed_over);
uint32_t splits_count(const Splits *splits); /* folds that have rows */
double splits_fold(const Splits *splits, uint32_t k);   /* its whole number, rising with k */
double splits_weight(const Splits *splits, uint32_t k); /* of its rows */
/* The design of all rows but those of fold k. */
Design *splits_training(Splits *splits, uint32_t k);
/*
 * The weighted sum of squared errors of an equation over the terms of splits_training(k), the last one
 * asked for, in the rows of fold k.
 */
double splits_error(Splits *splits, uint32_t k, const double *coef, double intercept);
void splits_free(Splits *splits);

/*
 * Moments of classes without those that have no rows, its pending rows folded in; NULL where all have some.
 * state is not changed.
 */
Model *moments_used_classes(Env *env, const Model *state);

/* Which levels of categorical fields have a term. */
typedef enum TermCoding {
    CODING_REFERENCE,  /* all but the first of each field */
    CODING_FIRST_FULL, /* all of the first categorical field, all but the first of the others */
    CODING_FULL        /* all */
} TermCoding;

/* Means and centered cross-products of the terms, a class in the final order of the classes (no rows: zeros). */
typedef struct ScatterDesign {
    uint32_t terms, classes; /* one class where the moments has none */
    double *means;           /* [classes x terms] */
    double *scatter;         /* [classes x terms (terms + 1) / 2], upper triangles by columns */
    double *fourth_moments;         /* the same of the products of the squares; NULL where the moments has none */
    double *rows, *weight;   /* [classes] rows as degrees of freedom count them, sums of weights */
    uint32_t *term_slot;     /* [terms] */
    int32_t *term_level;     /* [terms] position of the level in final order, or -1 */
} ScatterDesign;

/*
 * From MODEL_CLASS_MOMENTS and MODEL_FEATURE_MOMENTS: pending rows folded in (of a copy), imputed means
 * in place (those of all classes together), levels in order. Levels that no row used have no term.
 */
ScatterDesign *moments_scatter(Env *env, const Model *state, TermCoding coding);
void moments_scatter_free(Env *env, ScatterDesign *design);

/* Means for NULLs at scoring, F64[slots]; 0 for categorical slots. NULL where the state does not impute. */
double *moments_impute_means(Env *env, const Model *state);

#endif
