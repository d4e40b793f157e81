/*
 * forest_split.c - the best split of a node on a numeric feature, from its rows in sorted order.
 *
 * Losses of all places between neighbors are computed into an array and the smallest is taken afterwards: the loop over two
 * classes then runs in vectors. If rows of the node miss the value, a second array has the losses with these rows on the left.
 */
#include "core/tree/forest_grow_internal.h"

#include <math.h>

double forest_classes_loss(ForestGrower *g, const double *left, double left_weight)
{
    double right_weight = g->node.weight - left_weight;

    for (uint32_t k = 0; k < g->class_count; k++)
        g->right[k] = g->node.classes[k] - left[k];
    return left_weight * tree_class_impurity(g->growth->criterion, left, g->class_count, left_weight) +
           right_weight * tree_class_impurity(g->growth->criterion, g->right, g->class_count, right_weight);
}

double forest_numbers_loss(const ForestGrower *g, double left_weight, double left_sum)
{
    const ForestNode *node = &g->node;
    double right_weight = node->weight - left_weight, right_sum = node->sum - left_sum, off;

    if (g->growth->criterion == TREE_POISSON) {
        if (!(left_sum > 0 && right_sum > 0))
            return INFINITY; /* a prediction of 0 */
        return node->loss + node->sum * log(node->mean) - left_sum * log(left_sum / left_weight) -
               right_sum * log(right_sum / right_weight);
    }
    off = left_sum - node->mean * left_weight;
    return node->loss - off * off * node->weight / (left_weight * right_weight);
}

/* Losses by counts of two classes, up to a factor of 2; first: what goes left besides. */
static void pair_losses(const int32_t *restrict all, const int32_t *restrict second, uint32_t count, uint64_t first,
                        uint64_t total, double *restrict losses)
{
    double first_all = (uint32_t)first, first_second = first >> 32, total_all = (uint32_t)total, total_second = total >> 32;

    for (uint32_t i = 0; i < count; i++) {
        double l = all[i] + first_all, l2 = second[i] + first_second, r = total_all - l, r2 = total_second - l2;

        losses[i] = 2 * (l2 * (l - l2) * r + r2 * (r - r2) * l) / (l * r);
    }
}

static void count_pairs(ForestGrower *g, const BlockColumn *column, uint32_t known, bool missing)
{
    const uint64_t *tally = g->pair_tally[g->block];
    const uint32_t *places = g->places, *row_at = column->row_at;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < known; i++) {
        sum += tally[row_at[places[i]]];
        g->left_all[i] = (int32_t)(uint32_t)sum;
        g->left_second[i] = (int32_t)(sum >> 32);
    }
    pair_losses(g->left_all, g->left_second, known, 0, g->node.pair, g->losses);
    if (missing)
        pair_losses(g->left_all, g->left_second, known, g->node.pair - sum, g->node.pair, g->losses + known);
}

/* The loss of class weights under gini from sums of their squares, which change little from row to row. */
static void scan_classes(ForestGrower *g, const BlockColumn *column, uint32_t known, bool missing_left, double *losses)
{
    const RowTally *tally = g->tally[g->block];
    uint32_t classes = g->class_count;
    double weight = 0, squares = 0, right_squares = 0;

    for (uint32_t k = 0; k < classes; k++)
        g->left[k] = 0;
    for (uint32_t i = known; missing_left && i < g->node.count; i++) {
        const RowTally *row = tally + column->row_at[g->places[i]];

        g->left[(uint32_t)row->value] += row->weight;
        weight += row->weight;
    }
    for (uint32_t k = 0; k < classes; k++) {
        g->right[k] = g->node.classes[k] - g->left[k];
        squares += g->left[k] * g->left[k];
        right_squares += g->right[k] * g->right[k];
    }
    for (uint32_t i = 0; i < known; i++) {
        const RowTally *row = tally + column->row_at[g->places[i]];
        uint32_t k = (uint32_t)row->value;
        double w = row->weight, right_weight;

        squares += w * (2 * g->left[k] + w);
        right_squares -= w * (2 * g->right[k] - w);
        g->left[k] += w;
        g->right[k] -= w;
        weight += w;
        if (i + 1 < known && column->rank[g->places[i]] == column->rank[g->places[i + 1]])
            continue;
        right_weight = g->node.weight - weight;
        losses[i] = g->growth->criterion == TREE_GINI ? g->node.weight - squares / weight - right_squares / right_weight
                                                      : forest_classes_loss(g, g->left, weight);
    }
}

static void scan_numbers(ForestGrower *g, const BlockColumn *column, uint32_t known, bool missing_left, double *losses)
{
    const RowTally *tally = g->tally[g->block];
    double weight = 0, sum = 0;

    for (uint32_t i = known; missing_left && i < g->node.count; i++) {
        const RowTally *row = tally + column->row_at[g->places[i]];

        weight += row->weight;
        sum += row->weight * row->value;
    }
    for (uint32_t i = 0; i < known; i++) {
        const RowTally *row = tally + column->row_at[g->places[i]];

        weight += row->weight;
        sum += row->weight * row->value;
        losses[i] = forest_numbers_loss(g, weight, sum);
    }
}

/* Makes the losses infinite where there is no split: between equal values, and where a child would have too few rows. */
static void forbid(ForestGrower *g, const BlockColumn *column, uint32_t known, uint32_t first, double *losses)
{
    uint32_t count = g->node.count, least = g->growth->min_samples_leaf;

    for (uint32_t i = 0; i + 1 < known; i++)
        if (column->rank[g->places[i]] == column->rank[g->places[i + 1]])
            losses[i] = INFINITY;
    if (known > 0 && known + first == count)
        losses[known - 1] = INFINITY; /* nothing on the right */
    if (least > 1)
        for (uint32_t i = 0; i < known; i++)
            if (first + i + 1 < least || count - (first + i + 1) < least)
                losses[i] = INFINITY;
}

/* Returns the first place whose loss is the smallest, within the tolerance. */
static uint32_t smallest(const double *losses, uint32_t count, double tolerance)
{
    double least = INFINITY;
    uint32_t at = 0;

    for (uint32_t i = 0; i < count; i++)
        least = losses[i] < least ? losses[i] : least;
    least += tolerance;
    while (at < count && !(losses[at] <= least))
        at++;
    return at;
}

static double value_at(const ForestGrower *g, const BlockColumn *column, uint32_t slot, uint32_t i)
{
    uint32_t row = block_row(g->blocks[g->block], column->row_at[g->places[i]]);
    const TreeColumn *values = g->columns->columns + slot;

    return values->values[values->rank[row]];
}

/* Keeps the best of the places in this direction of the missing values, if it is better than what there is. */
static void choose(ForestGrower *g, const BlockColumn *column, uint32_t slot, uint32_t known, bool missing_left,
                   ForestSplit *best)
{
    double *losses = g->losses + (missing_left ? known : 0);
    uint32_t at;

    forbid(g, column, known, missing_left ? g->node.count - known : 0, losses);
    at = smallest(losses, known, g->node.tolerance);
    if (at == known || losses[at] == INFINITY || !forest_better(g, best, losses[at], slot))
        return;
    *best = (ForestSplit){.loss = losses[at],
                          .slot = slot,
                          .place = g->places[at],
                          .missing_left = missing_left,
                          .has_missing = known < g->node.count,
                          .low = value_at(g, column, slot, at)};
    best->high = at + 1 < known ? value_at(g, column, slot, at + 1) : INFINITY;
}

bool forest_sorted_split(ForestGrower *g, uint32_t slot, ForestSplit *best)
{
    ForestBlock *block = g->blocks[g->block];
    const BlockColumn *column = block->columns + slot;
    uint32_t count = g->node.count, known = count;
    bool missing;

    block_sort(block, &g->scratch, slot, g->node.rows, count, g->places);
    if (column->rank[g->places[0]] == column->rank[g->places[count - 1]])
        return false;
    while (known > 0 && g->places[known - 1] >= column->known)
        known--;
    missing = known < count;
    if (g->pairs)
        count_pairs(g, column, known, missing);
    else
        for (unsigned left = 0; left <= missing; left++)
            (g->class_count > 0 ? scan_classes : scan_numbers)(g, column, known, left, g->losses + left * known);
    for (unsigned left = 0; left <= missing; left++)
        choose(g, column, slot, known, left, best);
    return true;
}
