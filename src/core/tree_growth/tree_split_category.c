/*
 * tree_split_category.c - the best subset of levels to go left.
 *
 * Levels are put in order, and only splits between neighbors are looked at. In order of the mean target, or of the share of
 * the second of two classes, one of them is the best subset of all for mse, poisson, gini, entropy and sqrt_gini (Fisher
 * 1958; Breiman et al. 1984). For more classes the order is that of the first principal component of the class shares
 * (Coppersmith, Hong & Hosking 1999), and for mae that of the means; there the best subset may be another one.
 *
 * Where splits are drawn, only one of them is looked at. For classes the order is random, so that any subset may go left. Numbers
 * keep the order of the means, of which a beginning goes left, up to a threshold as for numeric features: on real tables
 * (bench/heldout) a subset made the errors of numbers larger, and an order by the target those of classes.
 */
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/tree_value/tree_levels.h"
#include "core/tree_growth/tree_split_mae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SORT_AT_ONCE 10000 /* levels; more are sorted with polls */

/* The rows of one level in the node. */
struct TreeLevelSum {
    double key; /* the order */
    double weight, sum;
    uint32_t level, rows, first; /* first: its first row in the node's list */
    uint64_t size;               /* how many rows these count as */
    uint32_t classes;            /* its class weights in level_classes, counted in levels */
};

typedef struct LevelScan {
    TreeSearch *search;
    uint32_t slot, count, lacking;
    uint64_t size, lacking_size; /* how many rows all, and those without a value, count as */
    const TreeRecord *list;
    TreeLevelSum *levels;
    uint32_t level_count;
    uint32_t only;   /* drawn: how many levels go left; 0: any number */
    uint32_t taken;  /* levels on the left in the best split so far; 0: it is not of this slot */
} LevelScan;

static int compare_levels(const void *a, const void *b)
{
    const TreeLevelSum *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->level < y->level ? -1 : x->level > y->level;
}

/* Allocates sums for the feature with the most levels. */
static void reserve(TreeSearch *search)
{
    uint32_t most = tree_most_levels(search->columns);

    if (search->level_sums != NULL)
        return;
    search->level_sums = env_array(search->env, (size_t)most + 1, sizeof(TreeLevelSum));
    if (search->classes != NULL) {
        env_require_memory(search->env, (size_t)most * search->class_count * sizeof(double), "the classes of the levels");
        search->level_classes = env_array(search->env, (size_t)most * search->class_count + 1, sizeof(double));
        search->level_keys = env_array(search->env, 2 * (size_t)most + 1, sizeof(double));
    }
}

/* Sums the rows of each level: they are next to each other in the list. */
static void sum_levels(LevelScan *scan)
{
    TreeSearch *search = scan->search;
    uint32_t classes = search->class_count;

    scan->levels = search->level_sums;
    for (uint32_t i = 0; i < scan->count; i++) {
        uint32_t row = scan->list[i].row;
        double w = tree_row_weight(search, row), *shares;
        TreeLevelSum *level;

        if (i == 0 || scan->list[i].rank != scan->list[i - 1].rank) {
            scan->levels[scan->level_count] =
                (TreeLevelSum){.level = scan->list[i].rank, .first = i, .classes = scan->level_count};
            if (classes > 0)
                memset(search->level_classes + (size_t)scan->level_count * classes, 0, classes * sizeof(double));
            scan->level_count++;
        }
        level = &scan->levels[scan->level_count - 1];
        level->rows++;
        level->size += tree_row_size(search, row);
        scan->size += tree_row_size(search, row);
        level->weight += w;
        if (search->classes != NULL) {
            shares = search->level_classes + (size_t)(scan->level_count - 1) * classes;
            shares[search->classes[row]] += w;
        } else {
            level->sum += w * (search->targets[row] - search->mean);
        }
    }
}

static const double *class_weights_of(const LevelScan *scan, const TreeLevelSum *level)
{
    return scan->search->level_classes + (size_t)level->classes * scan->search->class_count;
}

/* Sets the keys for more than two classes. The sums of the levels are in their order still. */
static void component_keys(LevelScan *scan)
{
    TreeSearch *search = scan->search;
    double *sums = search->level_keys, *keys = sums + scan->level_count;
    LevelClasses of = {.levels = scan->level_count,
                       .classes = search->class_count,
                       .weights = search->level_classes,
                       .sums = sums,
                       .total = search->total,
                       .weight = search->weight};

    for (uint32_t l = 0; l < scan->level_count; l++)
        sums[l] = scan->levels[l].weight;
    tree_component_keys(search->env, &of, search->left, keys); /* left and right are neighbors */
    for (uint32_t l = 0; l < scan->level_count; l++)
        scan->levels[l].key = keys[l];
}

static void order_levels(LevelScan *scan)
{
    const TreeSearch *search = scan->search;

    if (search->class_count > 2)
        component_keys(scan);
    else
        for (uint32_t l = 0; l < scan->level_count; l++) {
            TreeLevelSum *level = &scan->levels[l];

            level->key = search->classes == NULL    ? level->sum / level->weight
                         : search->class_count == 2 ? class_weights_of(scan, level)[1] / level->weight
                                                    : 0;
        }
    if (scan->level_count > SORT_AT_ONCE)
        sort_polled(search->env, scan->levels, scan->level_count, sizeof(TreeLevelSum), compare_levels);
    else
        qsort(scan->levels, scan->level_count, sizeof(TreeLevelSum), compare_levels);
}

/* ---- splits that are drawn ---- */

/* Puts the levels in random order, and returns how many of them go left: each half of the subsets is as likely. */
static uint32_t draw_subset(LevelScan *scan)
{
    uint64_t *random = &scan->search->random;
    uint32_t count = scan->level_count;

    for (uint32_t l = 0; l + 1 < count; l++) {
        uint32_t other = l + random_below(random, count - l);
        TreeLevelSum level = scan->levels[other];

        scan->levels[other] = scan->levels[l];
        scan->levels[l] = level;
    }
    return count == 1 ? 1 : 1 + random_below(random, count - 1);
}

/* Returns how many of the ordered levels have a key up to a random one, uniform between the smallest and the largest. */
static uint32_t draw_beginning(const LevelScan *scan)
{
    uint64_t *random = &scan->search->random;
    double least = scan->levels[0].key, most = scan->levels[scan->level_count - 1].key;
    double unit = random_unit(random), key = least * (1 - unit) + most * unit;
    uint32_t left = 1;

    if (!(least < most)) /* any two sets are alike */
        return scan->level_count == 1 ? 1 : 1 + random_below(random, scan->level_count - 1);
    while (left + 1 < scan->level_count && scan->levels[left].key <= key)
        left++;
    return left;
}

/* ---- scans ---- */

/* Takes the split after level l if it is better. */
static void consider(LevelScan *scan, uint32_t l, double decrease, bool missing_left, double left, double right)
{
    TreeSearch *search = scan->search;

    if (!tree_better(search, decrease, scan->slot) || !isfinite(decrease) ||
        (search->growth->monotone != NULL && !tree_monotone_allowed(search, scan->slot, &left, &right)))
        return;
    search->best = (TreeSplit){.found = true,
                               .decrease = decrease,
                               .slot = scan->slot,
                               .category = true,
                               .missing_left = missing_left,
                               .any_missing = scan->lacking > 0,
                               .left_value = left,
                               .right_value = right};
    scan->taken = l + 1;
}

/* Tells whether a split after level l, of this size on the left, is possible. */
static bool possible(const LevelScan *scan, uint32_t l, uint64_t left)
{
    uint32_t least = scan->search->growth->min_samples_leaf;

    if ((l + 1 == scan->level_count && scan->lacking == 0) || (scan->only > 0 && l + 1 != scan->only))
        return false;
    return left >= least && scan->size - left >= least && left > 0 && left < scan->size;
}

static void scan_classes(LevelScan *scan, bool missing_left)
{
    TreeSearch *search = scan->search;
    uint32_t classes = search->class_count;
    uint64_t size = missing_left ? scan->lacking_size : 0;
    double node = search->weight * search->impurity, left_weight = 0;
    double *left = search->left, *right = search->right;

    memset(left, 0, classes * sizeof(double));
    for (uint32_t i = 0; missing_left && i < scan->lacking; i++) {
        uint32_t row = scan->list[scan->count + i].row;

        left[search->classes[row]] += tree_row_weight(search, row);
        left_weight += tree_row_weight(search, row);
    }
    for (uint32_t k = 0; k < classes; k++)
        right[k] = fmax(0, search->total[k] - left[k]);
    for (uint32_t l = 0; l < scan->level_count; l++) {
        const double *weights = class_weights_of(scan, &scan->levels[l]);
        double right_weight, decrease;

        for (uint32_t k = 0; k < classes; k++) {
            left[k] += weights[k];
            right[k] = fmax(0, right[k] - weights[k]);
        }
        left_weight += scan->levels[l].weight;
        right_weight = search->weight - left_weight;
        size += scan->levels[l].size;
        if (!possible(scan, l, size) || !(right_weight > 0))
            continue;
        decrease = node - tree_class_badness(search->growth->criterion, left, classes, left_weight) -
                   tree_class_badness(search->growth->criterion, right, classes, right_weight);
        consider(scan, l, decrease, missing_left, left[classes - 1] / left_weight, right[classes - 1] / right_weight);
    }
}

static void scan_numbers(LevelScan *scan, bool missing_left)
{
    TreeSearch *search = scan->search;
    bool poisson = search->growth->criterion == TREE_POISSON;
    double node = poisson ? -search->mean * search->weight * log(search->mean) : 0;
    TreeSide left = {0};
    uint64_t size = missing_left ? scan->lacking_size : 0;

    for (uint32_t i = 0; missing_left && i < scan->lacking; i++) {
        uint32_t row = scan->list[scan->count + i].row;

        left.weight += tree_row_weight(search, row);
        left.sum += tree_row_weight(search, row) * (search->targets[row] - search->mean);
    }
    for (uint32_t l = 0; l < scan->level_count; l++) {
        double right;

        left.weight += scan->levels[l].weight;
        left.sum += scan->levels[l].sum;
        size += scan->levels[l].size;
        right = search->weight - left.weight;
        if (!possible(scan, l, size) || !(right > 0))
            continue;
        consider(scan, l, node - tree_number_badness(search, left.weight, left.sum, right, -left.sum), missing_left,
                 search->mean + left.sum / left.weight, search->mean - left.sum / right);
    }
}

static void scan_mae(LevelScan *scan, bool missing_left)
{
    TreeSearch *search = scan->search;
    MaeScan mae = tree_mae_begin(search, scan->list + scan->count, scan->lacking, missing_left);
    double node = search->weight * search->impurity, left, right;
    uint64_t size = missing_left ? scan->lacking_size : 0;

    for (uint32_t l = 0; l < scan->level_count; l++) {
        size += scan->levels[l].size;
        for (uint32_t i = 0; i < scan->levels[l].rows; i++)
            tree_mae_move(search, &mae, scan->list[scan->levels[l].first + i].row);
        search->env->poll(search->env);
        if (!possible(scan, l, size))
            continue;
        left = tree_mae_badness(search, &mae, &left, &right);
        consider(scan, l, node - left, missing_left, 0, 0);
    }
}

void tree_scan_category(TreeSearch *search, uint32_t slot, const TreeRecord *list, uint32_t count, uint32_t lacking)
{
    LevelScan scan = {.search = search, .slot = slot, .list = list, .count = count, .lacking = lacking};
    bool drawn = search->growth->random_thresholds;

    reserve(search);
    sum_levels(&scan);
    for (uint32_t i = 0; i < lacking; i++)
        scan.lacking_size += tree_row_size(search, scan.list[count + i].row);
    scan.size += scan.lacking_size;
    if (!drawn || search->classes == NULL)
        order_levels(&scan);
    if (drawn)
        scan.only = search->classes != NULL ? draw_subset(&scan) : draw_beginning(&scan);
    for (int missing_left = 0; missing_left <= (lacking > 0); missing_left++) {
        if (search->classes != NULL)
            scan_classes(&scan, missing_left);
        else if (search->growth->criterion == TREE_MAE)
            scan_mae(&scan, missing_left);
        else
            scan_numbers(&scan, missing_left);
    }
    if (scan.taken == 0)
        return;
    memset(search->best_set, 0, tree_set_bytes(search->columns->columns[slot].ranks));
    for (uint32_t l = 0; l < scan.taken; l++)
        search->best_set[scan.levels[l].level / 8] |= (uint8_t)(1u << scan.levels[l].level % 8);
}
