/*
 * extra_tree_split.c - a random threshold for a feature of a node, and what the children of a split weigh.
 *
 * Geurts, Ernst & Wehenkel (2006), Extremely randomized trees.
 */
#include "core/forest/extra_tree_internal.h"

#include <math.h>
#include <string.h>

#define SIMD_FILE "core/forest/extra_tree_simd.h"
#include "core/base/cpu_dispatch.h"

#define WIDE_NODE 32 /* rows: in smaller ones, wide vectors gain less than they cost */

/* What lies left of a split. */
typedef struct LeftSide {
    uint32_t rows;
    uint64_t pair;
    double weight, sum; /* class weights are in g->left */
} LeftSide;

/* ---- losses ---- */

double extra_classes_loss(ExtraGrower *g, const double *left, double left_weight)
{
    double right_weight = g->node.weight - left_weight;

    for (uint32_t k = 0; k < g->class_count; k++)
        g->right[k] = g->node.classes[k] - left[k];
    return left_weight * tree_class_impurity(g->growth->criterion, left, g->class_count, left_weight) +
           right_weight * tree_class_impurity(g->growth->criterion, g->right, g->class_count, right_weight);
}

double extra_numbers_loss(const ExtraGrower *g, double left_weight, double left_sum)
{
    const ExtraNode *node = &g->node;
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

/* ---- a threshold ---- */

/* Collects the values of the node's rows. Returns how many are known. */
static uint32_t collect(ExtraGrower *g, uint32_t slot, double *least, double *most)
{
    const double *values = g->values[slot];
    uint32_t known = g->node.count;
    double range[2];

    if (g->node.count < WIDE_NODE)
        gather_values_base(values, g->node.rows, g->node.count, g->x, range);
    else
        SIMD_CALL(gather_values, values, g->node.rows, g->node.count, g->x, range);
    if (g->columns->columns[slot].missing > 0)
        for (uint32_t i = 0; i < g->node.count; i++)
            known -= isnan(g->x[i]);
    *least = range[0];
    *most = range[1];
    return known;
}

/* Adds up the rows at or below the threshold; missing: instead those without a value. */
static LeftSide pair_side(const ExtraGrower *g, double threshold, bool missing)
{
    uint64_t side[2] = {0, 0};

    if (missing)
        for (uint32_t i = 0; i < g->node.count; i++) {
            side[0] += isnan(g->x[i]);
            side[1] += isnan(g->x[i]) ? g->pair_here[i] : 0;
        }
    else if (g->node.count < WIDE_NODE)
        add_left_base(g->x, g->pair_here, g->node.count, threshold, side);
    else
        SIMD_CALL(add_left, g->x, g->pair_here, g->node.count, threshold, side);
    return (LeftSide){.rows = (uint32_t)side[0], .pair = side[1]};
}

static LeftSide plain_side(ExtraGrower *g, double threshold, bool missing)
{
    const double *x = g->x;
    LeftSide side = {0};

    if (g->class_count > 0 && !missing)
        memset(g->left, 0, g->class_count * sizeof(double));
    for (uint32_t i = 0; i < g->node.count; i++) {
        const RowTally *row = g->here + i;

        if (!(missing ? x[i] != x[i] : x[i] <= threshold))
            continue;
        side.rows++;
        side.weight += row->weight;
        if (g->class_count > 0)
            g->left[(uint32_t)row->value] += row->weight;
        else
            side.sum += row->weight * row->value;
    }
    return side;
}

static double side_loss(ExtraGrower *g, const LeftSide *side)
{
    uint32_t least = g->growth->min_samples_leaf;
    double l, l2, r, r2;

    if (side->rows == 0 || side->rows == g->node.count || side->rows < least || g->node.count - side->rows < least)
        return INFINITY;
    if (!g->pairs)
        return g->class_count > 0 ? extra_classes_loss(g, g->left, side->weight)
                                  : extra_numbers_loss(g, side->weight, side->sum);
    l = (uint32_t)side->pair;
    l2 = side->pair >> 32;
    r = g->node.weight - l;
    r2 = (double)(g->node.pair >> 32) - l2;
    return 2 * (l2 * (l - l2) * r + r2 * (r - r2) * l) / (l * r);
}

/* Returns a threshold in [least, most), a float if one fits. */
static double draw_threshold(ExtraGrower *g, double least, double most)
{
    double unit = random_unit(&g->random), threshold = least * (1 - unit) + most * unit;
    float narrow;

    if (!(threshold >= least && threshold < most))
        threshold = least;
    narrow = (float)threshold;
    return narrow >= least && narrow < most ? narrow : threshold;
}

void extra_number_split(ExtraGrower *g, uint32_t slot, ExtraSplit *best)
{
    double least, most;
    uint32_t known = collect(g, slot, &least, &most);
    bool missing = known < g->node.count;
    ExtraSplit split = {.slot = slot, .has_missing = missing};
    LeftSide side;

    if (known == 0 || (least == most && !missing))
        return;
    /* with one value, known ones are told from missing ones */
    split.threshold = least < most ? draw_threshold(g, least, most) : INFINITY;
    side = g->pairs ? pair_side(g, split.threshold, false) : plain_side(g, split.threshold, false);
    split.loss = side_loss(g, &side);
    if (extra_better(g, best, split.loss, slot))
        *best = split;
    if (missing) {
        LeftSide more = g->pairs ? pair_side(g, split.threshold, true) : plain_side(g, split.threshold, true);

        side.rows += more.rows;
        side.pair += more.pair;
        side.weight += more.weight;
        side.sum += more.sum;
        split.missing_left = true;
        split.loss = side_loss(g, &side);
        if (extra_better(g, best, split.loss, slot))
            *best = split;
    }
}
