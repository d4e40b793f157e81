/*
 * tree_split.h - the search for the split of a node: internal to tree_grow.c, tree_draw.c and tree_split*.c.
 *
 * Every feature has a list of the rows of the tree, which the nodes share out: a node has the same range of each list, in
 * it rows in order of the feature's rank, those without a value last. Splitting a node parts each range, stably. Where thresholds
 * are drawn, there is one list for all features, in order of the rows, with their classes for ranks.
 */
#ifndef PGFIT_TREE_SPLIT_H
#define PGFIT_TREE_SPLIT_H

#include "core/tree_growth/tree_grow.h"

typedef struct TreeRecord {
    uint32_t rank, row;
} TreeRecord;

/* A split that was found. */
typedef struct TreeSplit {
    bool found;
    double decrease; /* weight x gain */
    uint32_t slot;
    bool missing_left;
    bool any_missing; /* rows of the node have no value, so that missing_left was learnt */
    bool category;    /* the levels that go left are in TreeSearch.best_set */
    uint32_t last;    /* of a number: ranks up to this one go left; unless it is drawn */
    uint32_t next;    /* the next rank in the node; TREE_MISSING: all values go left */
    double threshold, low, high; /* set by finish_number, or drawn */
    double left_value, right_value; /* for monotone constraints; within the node's bounds */
} TreeSplit;

/* Sums over rows on one side. */
typedef struct TreeSide {
    double weight, sum; /* sum: of targets minus the node's mean */
    uint32_t rows;
} TreeSide;

typedef struct TreeLevelSum TreeLevelSum;

/* Room for the rows of a node whose splits are drawn, in their order. */
typedef struct TreeDrawn {
    uint32_t *row;         /* of a node of many rows */
    double *x;             /* the values of a feature */
    double *weight, *value; /* what a row adds to its side: weight x class, or weight x deviation from the node's mean */
    TreeRecord *by_level;  /* the rows in order of a category's levels */
    uint32_t *places;      /* [levels + 2] of sorting them */
} TreeDrawn;

typedef struct TreeSearch {
    Env *env;
    const TreeColumns *columns;
    const TreeGrowth *growth;
    const uint16_t *classes; /* by row; NULL: numbers */
    const double *targets;   /* by row */
    const double *weights;   /* by row; NULL: all 1 */
    const uint32_t *sizes;   /* by row: how many rows it counts as; NULL: one */
    uint32_t least_left, least_right; /* rows of the children, at least */
    uint32_t class_count;
    TreeRecord **lists;      /* [slots]; one where splits are drawn */
    TreeRecord *by_target;   /* mae: the rows in order of the target */

    /* the node */
    uint32_t begin, end;
    double weight, impurity;
    double *total;       /* [classes] weights */
    double total_squares, total_logs; /* their sums of squares, and under entropy of x log2 x */
    double mean, value;  /* numbers: the mean, and what a leaf would predict */
    double lower, upper; /* bounds of the prediction, by monotone constraints above */
    double slack;        /* decreases closer than this are equal */
    TreeSplit best;
    uint8_t *best_set;   /* of a category: a bit per level */

    /* scratch */
    double *left, *right, *missing;   /* [classes] */
    const double *log_table;          /* x log2 x for x up to the rows of the tree; NULL: weights are not counts */
    double *tree_weight, *tree_sum, *rest_weight, *rest_sum; /* mae: Fenwick trees over the node's targets */
    uint32_t *place;                  /* mae: of each row among the node's targets */
    double *sorted;                   /* mae: the node's targets */
    TreeLevelSum *level_sums;         /* [most levels] */
    double *level_classes;            /* [most levels x classes] */
    double *level_keys;               /* [2 x most levels] */
    TreeDrawn drawn;
    uint64_t random;
    uint32_t *features;               /* [slots] in the order that they are drawn in */
    uint64_t work;                    /* since the last poll */
} TreeSearch;

/* Begins a search in a tree of `rows` rows. */
void tree_search_begin(TreeSearch *search, uint32_t rows);
/* Computes weight, impurity and value of the node [begin, end). known: weights of its classes, if they are; else NULL. */
void tree_search_node(TreeSearch *search, const double *known);
/* Finds the best split of the node; search->best.found: there is one. */
void tree_search_split(TreeSearch *search);

/* ---- shared by the searches: tree_candidate.c ---- */

static inline double tree_row_weight(const TreeSearch *search, uint32_t row)
{
    return search->weights != NULL ? search->weights[row] : 1;
}

/*
 * Tells whether a split of this decrease replaces the best one so far: it is better, or as good and of an earlier feature. Of splits with random thresholds
 * the first one stays, of features in random order: in small nodes most are equally good, and trees that all take the same one err together.
 */
static inline bool tree_better(const TreeSearch *search, double decrease, uint32_t slot)
{
    return !search->best.found || decrease > search->best.decrease + search->slack ||
           (slot < search->best.slot && !search->growth->random_thresholds && decrease >= search->best.decrease - search->slack);
}

/* Tells whether these children are large enough. */
static inline bool tree_sizes_allowed(const TreeSearch *search, uint32_t left, uint32_t right)
{
    return left >= search->least_left && right >= search->least_right && left > 0 && right > 0;
}

/* Returns how many rows a row counts as. */
static inline uint32_t tree_row_size(const TreeSearch *search, uint32_t row)
{
    return search->sizes != NULL ? search->sizes[row] : 1;
}

/*
 * Sets least_left and least_right for a list of `count` rows with a value and `lacking` without: numbers of rows whose sizes add up
 * to what a leaf needs.
 */
void tree_bound_sizes(TreeSearch *search, const TreeRecord *list, uint32_t count, uint32_t lacking, bool missing_left);

/*
 * Clips the predictions of both children to the node's bounds, and tells whether they obey the constraint on the slot.
 */
bool tree_monotone_allowed(const TreeSearch *search, uint32_t slot, double *left, double *right);
/* Sets the best split to one between two ranks of a number; next TREE_MISSING: all values go left. */
static inline void tree_take_number(TreeSearch *search, uint32_t slot, double decrease, uint32_t last, uint32_t next,
                                    bool missing_left, bool any_missing, double left_value, double right_value)
{
    TreeSplit *best = &search->best;

    best->found = true;
    best->decrease = decrease;
    best->slot = slot;
    best->missing_left = missing_left;
    best->any_missing = any_missing;
    best->category = false;
    best->last = last;
    best->next = next;
    best->left_value = left_value;
    best->right_value = right_value;
}
/* Scans a slot whose list has `count` rows with a value, `lacking` without. */
void tree_scan_mae(TreeSearch *search, uint32_t slot, uint32_t count, uint32_t lacking);
/* The same for a list in order of levels. Where splits are drawn, it looks at one of the levels, and both sides for missing rows. */
void tree_scan_category(TreeSearch *search, uint32_t slot, const TreeRecord *list, uint32_t count, uint32_t lacking);
/* Sorts out the node's targets for tree_scan_mae; returns the mean absolute deviation, and sets the median. */
double tree_mae_node(TreeSearch *search, double *median);

/* ---- splits that are drawn: tree_draw.c ---- */

/* Allocates what they need in a tree of `rows` rows. */
void tree_draw_reserve(TreeSearch *search, uint32_t rows);
/* Collects what the rows of the node add to a side. Sets `total`. */
void tree_draw_classes(TreeSearch *search);
/* The same for numbers, whose mean is known. */
void tree_draw_numbers(TreeSearch *search);
/* Draws a split on a slot and keeps it if it is better than the best so far, unless the slot is constant in the node. */
void tree_draw_slot(TreeSearch *search, uint32_t slot);

/* Adds up the weights of the classes of rows [begin, end) of the first list. */
void tree_count_classes(const TreeSearch *search, uint32_t begin, uint32_t end, double *total);
/* Returns what is left of weight x impurity after a split of numbers, up to a constant: less is better. */
double tree_number_badness(const TreeSearch *search, double left_weight, double left_sum, double right_weight,
                           double right_sum);

#endif
