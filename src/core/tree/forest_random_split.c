/*
 * forest_random_split.c - a random threshold, or a random half of the levels, for a feature of a node.
 *
 * Geurts, Ernst & Wehenkel (2006), Extremely randomized trees.
 */
#include "core/tree/forest_grow_internal.h"

#include <math.h>
#include <string.h>

/* What lies left of a split. */
typedef struct LeftSide {
    uint32_t rows;
    uint64_t pair;
    double weight, sum; /* class weights are in g->left */
} LeftSide;

/* Collects the values of the node's rows. Returns how many are known. Four chains, because a minimum waits for the one before. */
static uint32_t collect(ForestGrower *g, uint32_t slot, double *least, double *most)
{
    const double *restrict values = block_values(g->blocks[g->block], slot);
    const uint32_t *restrict rows = g->node.rows;
    double *restrict x = g->x, low[4], high[4];
    uint32_t known = g->node.count, i = 0;

    for (uint32_t c = 0; c < 4; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (; i + 4 <= g->node.count; i += 4)
        for (uint32_t c = 0; c < 4; c++) {
            double value = values[rows[i + c]];

            x[i + c] = value;
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
    for (; i < g->node.count; i++) {
        double value = values[rows[i]];

        x[i] = value;
        low[0] = value < low[0] ? value : low[0];
        high[0] = value > high[0] ? value : high[0];
    }
    if (g->columns->columns[slot].missing > 0)
        for (i = 0; i < g->node.count; i++)
            known -= isnan(x[i]);
    for (uint32_t c = 1; c < 4; c++) {
        low[0] = low[c] < low[0] ? low[c] : low[0];
        high[0] = high[c] > high[0] ? high[c] : high[0];
    }
    *least = low[0];
    *most = high[0];
    return known;
}

/* Adds up the rows at or below the threshold; above: instead the missing ones. */
static LeftSide pair_side(const ForestGrower *g, double threshold, bool missing)
{
    const double *restrict x = g->x;
    const uint64_t *restrict here = g->pair_here;
    uint64_t sum = 0, rows = 0;

    if (missing)
        for (uint32_t i = 0; i < g->node.count; i++) {
            sum += isnan(x[i]) ? here[i] : 0;
            rows += isnan(x[i]);
        }
    else
        for (uint32_t i = 0; i < g->node.count; i++) {
            uint64_t goes = -(uint64_t)(x[i] <= threshold); /* a branch would often be mispredicted */

            sum += goes & here[i];
            rows -= goes;
        }
    return (LeftSide){.rows = (uint32_t)rows, .pair = sum};
}

static LeftSide plain_side(ForestGrower *g, double threshold, bool missing)
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

static double side_loss(ForestGrower *g, const LeftSide *side)
{
    uint32_t least = g->growth->min_samples_leaf;
    double l, l2, r, r2;

    if (side->rows == 0 || side->rows == g->node.count || side->rows < least || g->node.count - side->rows < least)
        return INFINITY;
    if (!g->pairs)
        return g->class_count > 0 ? forest_classes_loss(g, g->left, side->weight)
                                  : forest_numbers_loss(g, side->weight, side->sum);
    l = (uint32_t)side->pair;
    l2 = side->pair >> 32;
    r = g->node.weight - l;
    r2 = (double)(g->node.pair >> 32) - l2;
    return 2 * (l2 * (l - l2) * r + r2 * (r - r2) * l) / (l * r);
}

/* Returns a threshold in [least, most), a float if one fits. */
static double draw_threshold(ForestGrower *g, double least, double most)
{
    double unit = random_unit(&g->random), threshold = least * (1 - unit) + most * unit;
    float narrow;

    if (!(threshold >= least && threshold < most))
        threshold = least;
    narrow = (float)threshold;
    return narrow >= least && narrow < most ? narrow : threshold;
}

bool forest_random_split(ForestGrower *g, uint32_t slot, ForestSplit *best)
{
    double least, most;
    uint32_t known = collect(g, slot, &least, &most);
    bool missing = known < g->node.count;
    ForestSplit split = {.slot = slot, .has_missing = missing};
    LeftSide side;

    if (known == 0 || (least == most && !missing))
        return false;
    /* with one value, known ones are told from missing ones */
    split.threshold = least < most ? draw_threshold(g, least, most) : INFINITY;
    side = g->pairs ? pair_side(g, split.threshold, false) : plain_side(g, split.threshold, false);
    split.loss = side_loss(g, &side);
    if (forest_better(g, best, split.loss, slot) && split.loss < INFINITY)
        *best = split;
    if (missing) {
        LeftSide more = g->pairs ? pair_side(g, split.threshold, true) : plain_side(g, split.threshold, true);

        side.rows += more.rows;
        side.pair += more.pair;
        side.weight += more.weight;
        side.sum += more.sum;
        split.missing_left = true;
        split.loss = side_loss(g, &side);
        if (forest_better(g, best, split.loss, slot) && split.loss < INFINITY)
            *best = split;
    }
    return true;
}
