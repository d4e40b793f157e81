/*
 * tree_prune.h - turns subtrees into leaves: reduced error on hold-out rows, or minimal cost complexity.
 */
#ifndef PGFIT_TREE_PRUNE_H
#define PGFIT_TREE_PRUNE_H

#include "core/tree_growth/tree_binned.h"

typedef enum TreePrune { PRUNE_NONE = 0, PRUNE_MERGE, PRUNE_REDUCED_ERROR, PRUNE_COST_COMPLEXITY } TreePrune;

/* A tree of the path of cost complexity: at this alpha and above, up to the next. */
typedef struct PruneStep {
    double alpha;
    double impurity; /* of the tree: mean impurity of its leaves, by weight */
    uint32_t leaves;
    double error;    /* of cross-validation; NaN: there was none */
} PruneStep;

/* What the options of pruning say. */
typedef struct PrunePlan {
    TreePrune kind;
    double holdout;      /* reduced error: the share of the rows, or with by_column those that the column says */
    bool by_column;
    bool cross_validate; /* cost complexity: chooses alpha */
    bool one_se;         /* the largest alpha within a standard error */
    double alpha;        /* without cross_validate */
    uint32_t folds;
} PrunePlan;

/* What pruning did. */
typedef struct TreePruning {
    TreePrune kind;
    PruneStep *steps; /* cost complexity: the path, from the whole tree to the root alone */
    uint32_t step_count;
    double alpha;             /* cost complexity: the one used */
    uint32_t leaves_before;
    uint32_t holdout_rows;    /* reduced error */
    double holdout_error;     /* reduced error: of the pruned tree on these rows */
} TreePruning;

/* Table: prune, complexity, folds, holdout, holdout_column, seed. */
extern const OptionSpec tree_prune_options[];
/* Reads them. Fails with ERROR_PARAMETER if one is given that the kind of pruning does not use. */
PrunePlan prune_plan(Env *env, const Options *options);
/* What trees are grown from. */
typedef struct TreeSource {
    const TreeColumns *columns;
    const double *weights; /* [rows]; NULL: those of the columns */
    const TreeGrowth *growth;
    TreeBinner *binner; /* NULL: splits are exact */
} TreeSource;

/* Grows a tree and prunes it as planned, by a hash of growth->seed. rows: of the fit, for their ids. */
TreePruning tree_grow_pruned(const TreeSource *source, Rows *rows, const PrunePlan *plan, GrownTree *tree);

/* Merges pairs of leaves of the same majority class, from below. */
void tree_merge_equal(GrownTree *tree);
/*
 * Prunes by reduced error (Quinlan 1987): from below, a node becomes a leaf if that makes no more errors (numbers: squared or
 * absolute errors) on these rows. Returns the error per weight of the result.
 */
double tree_prune_reduced_error(const TreeColumns *columns, const uint32_t *rows, uint32_t count, const double *weights,
                                TreeCriterion criterion, GrownTree *tree);
/*
 * Returns the path of minimal cost complexity (Breiman et al. 1984, chapter 3), and marks in alphas [nodes] from which alpha
 * on each split is a leaf (INFINITY: it is one already).
 */
PruneStep *tree_prune_path(Env *env, const GrownTree *tree, double *alphas, uint32_t *count);
/* Turns splits whose alpha is at most this one into leaves. */
void tree_prune_at(GrownTree *tree, const double *alphas, double alpha);

/* Returns the error that a node makes on a row as a leaf: of classes 0 or 1, of numbers by the criterion. */
double tree_leaf_error(const TreeColumns *columns, TreeCriterion criterion, const GrownNode *node, uint32_t row);

#endif
