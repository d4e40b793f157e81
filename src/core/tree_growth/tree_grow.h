/*
 * tree_grow.h - grows one tree, greedily, from exact splits.
 *
 * Thresholds are midpoints between neighboring distinct values of the node's rows; x <= threshold goes left. Of splits
 * that are equally good (within 1e-12 of the node's impurity) the one of the first feature wins, then the lowest threshold.
 * Where rows of the node miss the value, both directions are tried; where none does, missing values follow the child with
 * more weight, the left one if equal. Splits on categories: tree_split_category.c. Random splits: tree_draw.c.
 */
#ifndef PGFIT_TREE_GROW_H
#define PGFIT_TREE_GROW_H

#include "core/tree_growth/tree_columns.h"
#include "core/tree_bins/tree_criterion.h"
#include "core/tree_value/tree_model.h"

/* What limits a tree. Numbers of rows are counted without weights, unless these are frequencies. */
typedef struct TreeGrowth {
    TreeCriterion criterion;
    uint32_t max_depth;         /* of the leaves; the root has depth 0. UINT32_MAX: no limit */
    uint32_t min_samples_split; /* a node with fewer rows is a leaf */
    uint32_t min_samples_leaf;  /* no child has fewer rows */
    uint32_t max_leaf_nodes;    /* 0: no limit; else the node with the largest weight x gain is split first */
    uint32_t max_features;      /* features to choose from at each node, drawn anew; 0: all */
    bool random_thresholds;     /* one random split per feature instead of the best (extremely randomized trees) */
    double min_impurity_decrease; /* a split needs cover / root's cover x gain of at least this */
    const int8_t *monotone;     /* [slots] 1: the prediction never falls as the feature grows, -1: never rises; NULL: none */
    uint64_t seed;              /* of max_features and random_thresholds */
    bool frequency;             /* the weights of the columns say how often a row occurs */
    bool binned;                /* splits are between bins (tree_binned.h) instead of all values */
} TreeGrowth;

/* The rows of a tree, and what it predicts; taken from the columns where NULL. */
typedef struct TreeSample {
    const uint32_t *rows;   /* [count] ascending, each once; NULL: all rows, and count is ignored */
    uint32_t count;
    const double *weights;  /* [columns->rows] by row, e.g. weight x times drawn; NULL: those of the columns */
    const double *targets;  /* [columns->rows] */
    bool changes;           /* the numbers in `weights` are others than for the tree before */
} TreeSample;

/*
 * Returns how many rows each row counts as under the least sizes of nodes: its frequency, as far as these need it. NULL unless
 * tree_counts_frequencies. total: receives the sum.
 */
uint32_t *tree_sizes(Env *env, const TreeGrowth *growth, const double *weights, uint32_t rows, uint64_t *total);
/* Tells whether nodes have least sizes that frequencies change. */
static inline bool tree_counts_frequencies(const TreeGrowth *growth)
{
    return growth->frequency && (growth->min_samples_leaf > 1 || growth->min_samples_split > 2);
}

/* Returns the unit of impurities where that of the targets is another one than 1. */
static inline double tree_impurity_unit(const TreeGrowth *growth, double unit)
{
    return growth->criterion == TREE_MSE ? unit * unit : growth->criterion > TREE_MSE ? unit : 1;
}

/*
 * Grows a tree into `tree`, which is cleared first. columns: with tree_grow_columns. Polls; takes about 9 bytes per row and slot
 * while it works, which tree_load checks against the budget (tree_grow_room).
 */
void tree_grow(const TreeColumns *columns, const TreeSample *sample, const TreeGrowth *growth, GrownTree *tree);
/* Returns what tree_grow wants of the columns: TREE_ORDER, or TREE_VALUES where nothing needs to be sorted. */
unsigned tree_grow_columns(const TreeGrowth *growth);
/* Returns the bytes per row that tree_grow needs beside the columns. */
size_t tree_grow_room(const TreeGrowth *growth, uint32_t slots);

/* ---- options that tree methods share ---- */

/* Table: max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes, max_features, min_impurity_decrease. */
extern const OptionSpec tree_growth_options[];
/* Table: nulls (branch, skip, error), unseen (missing, error). List it after options_common; the descriptor sets nulls_are_values. */
extern const OptionSpec tree_nulls_options[];
/* Table: monotone {"feature": 1 or -1}. */
extern const OptionSpec tree_monotone_options[];
/*
 * Reads them, and the method's own criterion, split and seed. Fails with ERROR_PARAMETER for a constraint on an unknown feature, on a
 * category, or with more than two classes, and for bins that cannot do what other options ask.
 */
TreeGrowth tree_growth_read(Env *env, const Options *options, const Rows *rows, const char *method);
/*
 * Loads the rows as columns, binned or exact as the growth says, with targets in a unit in which squares do not vanish, into which
 * it brings min_impurity_decrease. what: TREE_BY_CONTENT or 0; room: bytes per row that the caller allocates on top. Fails with
 * ERROR_LIMIT past the budget.
 */
TreeColumns *tree_load(Env *env, Rows *rows, unsigned what, TreeGrowth *growth, size_t room, const char *method);

#endif
