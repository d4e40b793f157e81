/*
 * tree_columns.h - the rows of a fit as columns, each with the ranks of its values, for methods that grow trees.
 *
 * A tree only asks how the values of a feature are ordered, so a column keeps its distinct values once, and per row the
 * rank of its value among them (32 bits). Levels and classes are in the order of the fitted model.
 */
#ifndef PGFIT_TREE_COLUMNS_H
#define PGFIT_TREE_COLUMNS_H

#include "core/estimator/class_options.h"
#include "core/rows/row_design.h"
#include "core/tree_bins/binned_columns.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#define TREE_MISSING UINT32_MAX /* the rank of a NULL */

typedef struct TreeColumn {
    bool category;        /* ranks are levels; else numbers or booleans */
    uint32_t ranks;       /* distinct values; of a category the levels of its field */
    uint32_t first_level; /* of the field in the fitted model's dictionary: a scored slot minus this is the rank */
    uint32_t missing;     /* rows whose value is NULL */
    double *values;       /* [ranks] ascending, -0 as 0; NULL for a category */
    uint32_t *rank;       /* [rows]; TREE_MISSING: NULL. NULL itself where the columns are binned: see tree_bin_rank; or TREE_UNRANKED */
    double *by_row;       /* [rows] the value of each row, -0 as 0, NaN: NULL; NULL for a category, and unless TREE_VALUES or TREE_UNRANKED */
    uint32_t *order;      /* [rows - missing] rows by rank, equal ranks in order of row; NULL unless TREE_ORDER */
} TreeColumn;

typedef struct TreeColumns {
    Env *env;
    uint32_t rows, slots;
    uint32_t class_count; /* 0: the target is a number, or there is none */
    TreeColumn *columns;  /* [slots] */
    double *targets;      /* [rows]; NULL: labels, or no target */
    uint32_t *classes;    /* [rows] final positions; NULL: no labels */
    double *weights;      /* [rows], all positive; NULL: all 1 */
    uint32_t *numbers;    /* [rows] where each row came in the order of arrival; NULL unless TREE_BY_CONTENT */
    BinnedColumns *binned; /* instead of ranks: bins, whose largest values are `values`; NULL: ranks */
    double weight;        /* sum of the weights */
    uint64_t spare;       /* bytes of the budget that the columns and the caller's room leave */
    double unit;          /* set by tree_columns_scale: what the targets were divided by, a power of two */
} TreeColumns;

/* Returns the rank that a bin stands for: its number, which is that of its value where every value has one; of a category a level. */
static inline uint32_t tree_bin_rank(const BinnedFeature *feature, uint32_t code)
{
    if (code >= feature->bins)
        return TREE_MISSING;
    return feature->categorical ? feature->bin_level[code] : code;
}
/* Returns the rank of a row in a slot. */
static inline uint32_t tree_rank(const TreeColumns *columns, uint32_t slot, uint32_t row)
{
    if (columns->binned == NULL)
        return columns->columns[slot].rank[row];
    return tree_bin_rank(&columns->binned->feature[slot], binned_code_at(columns->binned, slot, row));
}

/* Tells whether a row goes left at a split of a tree that was grown from the columns. */
static inline bool tree_row_left(const TreeColumns *columns, const GrownTree *tree, const GrownNode *node, uint32_t row)
{
    const TreeColumn *column = &columns->columns[node->slot];
    uint32_t rank;

    if (columns->binned == NULL && column->rank == NULL)
        return isnan(column->by_row[row]) ? node->missing_left : column->by_row[row] <= node->threshold;
    if (columns->binned == NULL)
        rank = column->rank[row];
    else
        rank = tree_bin_rank(&columns->binned->feature[node->slot], binned_cell_at(columns->binned, node->slot, row));
    if (rank == TREE_MISSING)
        return node->missing_left;
    if (node->category)
        return tree->sets[node->set + rank / 8] >> rank % 8 & 1;
    return column->values[rank] <= node->threshold;
}
/* Returns the leaf of a row. */
static inline const GrownNode *tree_row_leaf(const TreeColumns *columns, const GrownTree *tree, uint32_t row)
{
    const GrownNode *node = tree->nodes;

    while (node->left != TREE_NONE)
        node = tree->nodes + (tree_row_left(columns, tree, node, row) ? node->left : node->right);
    return node;
}

/* What tree_columns makes beside the ranks. */
#define TREE_ORDER 1      /* `order` of every column */
#define TREE_VALUES 4     /* `by_row` of every column of numbers */
#define TREE_BY_CONTENT 2 /* rows in an order that depends only on their content, for choices by row number */
/*
 * `by_row` of numbers instead of ranks, and no sorted features; these and the ranks of categories are in the order of arrival, `numbers` leads
 * there. For trees of few rows: isolation_forest of 1,000,000 x 10 takes 0.95 s, not 3.6 s (alternated runs).
 */
#define TREE_UNRANKED 8

/*
 * Loads all rows as columns. room: bytes per row that the caller will allocate on top; checked here, together with the
 * columns, against the budget. Reads the rows once per eight slots. Fails with ERROR_LIMIT, naming the bytes needed and
 * allowed, if the columns exceed the budget, or past 2^31 rows.
 */
TreeColumns *tree_columns(Env *env, Rows *rows, unsigned what, size_t room, const char *method);

/*
 * Bins the rows instead: columns with ranks by tree_rank, without `order`. what: TREE_BY_CONTENT or 0. room: bytes per row that
 * the caller allocates on top, of which TREE_TARGET_BYTES for a target and a weight count by themselves; bytes: what it allocates
 * besides. Fails as binned_columns_load does.
 */
#define TREE_TARGET_BYTES 16u
TreeColumns *tree_columns_binned(Env *env, Rows *rows, unsigned what, size_t room, uint64_t bytes, const char *method);

/*
 * Divides the targets by a power of two if all are tiny, so that their squares do not vanish. The caller multiplies what it reports
 * by columns->unit.
 */
void tree_columns_scale(TreeColumns *columns);
/* Tells whether all of it is in memory, none in the file. */
static inline bool tree_columns_in_memory(const TreeColumns *columns)
{
    return columns->binned == NULL || columns->binned->pages == NULL;
}
/* Visits all of them, for another process, if they are in memory. */
void tree_columns_pack(Pack *pack, TreeColumns *columns);
/* Ends what the columns have in the file of the rows; the memory goes with the fit. */
void tree_columns_end(TreeColumns *columns);

/*
 * Writes hashes of the rows [rows], by which random choices do not depend on their order: of slots with levels in final order, target and
 * weight. ones: 1 where there are no weights.
 */
void tree_hash_rows(Env *env, Rows *rows, const RowDesign *design, bool ones, uint64_t *hashes);
/* Fails with ERROR_DATA if a target is negative or none is above 0, for criterion poisson. */
void tree_require_poisson(const TreeColumns *columns);
/* Returns the weight of the rows of each class, whatever their order. labels: [rows]; weights: [rows], NULL: all 1. */
double *tree_class_totals(Env *env, const uint32_t *labels, const double *weights, uint32_t rows, uint32_t classes);
/* Returns the weights of the rows, multiplied by the factors of option class_weight: `weights` itself where there are none. */
double *tree_weigh_classes(Env *env, const Options *options, const ClassSet *classes, const uint32_t *labels, double *weights,
                           uint32_t rows);
/* Returns the levels of the category with the most; 0: there is no category. */
uint32_t tree_most_levels(const TreeColumns *columns);

#endif
