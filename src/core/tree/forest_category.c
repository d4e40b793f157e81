/*
 * forest_category.c - splits of a node on the levels of a category.
 *
 * Levels are put in an order, of which every beginning is a candidate: by their share of a class, or by their mean target. For
 * two classes and for numbers the best of all subsets is among them (Fisher 1958; Breiman et al. 1984); for more classes every
 * class gives an order, and the best of their splits need not be the best of all. Extremely randomized trees send each level
 * left or right by a coin.
 */
#include "core/tree/forest_grow_internal.h"

#include <math.h>
#include <string.h>

/* Adds up the rows of each level, and of those without one at place `levels`. Returns how many levels have rows. */
static uint32_t tally_levels(ForestGrower *g, const TreeColumn *column, uint32_t width)
{
    const ForestBlock *block = g->blocks[g->block];
    uint32_t levels = column->ranks, found = 0;

    memset(g->level_rows, 0, ((size_t)levels + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < g->node.count; i++) {
        uint32_t row = g->node.rows[i], rank = column->rank[block_row(block, row)], level = rank == TREE_MISSING ? levels : rank;
        double *tally = g->level_tally + (size_t)level * width;

        if (g->level_rows[level]++ == 0) {
            memset(tally, 0, width * sizeof(double));
            if (level < levels)
                g->level_order[found++] = level;
        }
        if (g->pairs) {
            uint64_t pair = g->pair_tally[g->block][row];

            tally[0] += (double)(uint32_t)pair - (double)(pair >> 32);
            tally[1] += (double)(pair >> 32);
        } else if (g->class_count > 0)
            tally[(uint32_t)g->tally[g->block][row].value] += g->tally[g->block][row].weight;
        else {
            tally[0] += g->tally[g->block][row].weight;
            tally[1] += g->tally[g->block][row].weight * g->tally[g->block][row].value;
        }
    }
    return found;
}

static double weight_of(const ForestGrower *g, const double *tally, uint32_t width)
{
    double weight = 0;

    if (g->class_count == 0)
        return tally[0];
    for (uint32_t k = 0; k < width; k++)
        weight += tally[k];
    return weight;
}

/* Sorts levels by key, then by level (heap sort: no memory, no bad case). */
static bool level_before(const ForestGrower *g, uint32_t a, uint32_t b)
{
    return g->level_key[a] < g->level_key[b] || (g->level_key[a] == g->level_key[b] && a < b);
}

static void sift(const ForestGrower *g, uint32_t *order, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        uint32_t swap = order[at];

        child += child + 1 < count && level_before(g, order[child], order[child + 1]);
        if (!level_before(g, swap, order[child]))
            return;
        order[at] = order[child];
        order[child] = swap;
    }
}

static void sort_levels(const ForestGrower *g, uint32_t *order, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift(g, order, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint32_t swap = order[0];

        order[0] = order[end];
        order[end] = swap;
        sift(g, order, 0, end);
    }
}

static void keep(ForestGrower *g, uint32_t slot, uint32_t levels, uint32_t left, bool missing_left, double loss, ForestSplit *best)
{
    *best = (ForestSplit){.loss = loss,
                          .slot = slot,
                          .category = true,
                          .missing_left = missing_left,
                          .has_missing = g->level_rows[levels] > 0};
    memset(g->set, 0, (levels + 7) / 8);
    for (uint32_t i = 0; i < left; i++)
        g->set[g->level_order[i] / 8] |= (uint8_t)(1u << g->level_order[i] % 8);
}

/* Tries every beginning of the order, with missing rows on this side. only: just the first `only` levels; 0: all. */
static void try_order(ForestGrower *g, uint32_t slot, uint32_t levels, uint32_t found, uint32_t width, uint32_t only,
                      bool missing_left, ForestSplit *best)
{
    uint32_t missing = g->level_rows[levels], rows = 0, count = g->node.count, least = g->growth->min_samples_leaf;
    double weight = 0;

    memset(g->level_left, 0, width * sizeof(double));
    for (uint32_t i = 0; i <= found; i++) {
        /* the missing rows first if they go left; the last step has all levels on the left */
        uint32_t level = i == 0 ? levels : g->level_order[i - 1];
        double loss;

        if (i > 0 || missing_left) {
            const double *tally = g->level_tally + (size_t)level * width;

            for (uint32_t k = 0; k < width; k++)
                g->level_left[k] += tally[k];
            weight += weight_of(g, tally, width);
            rows += g->level_rows[level];
        }
        if (i == 0 || rows == count || rows < least || count - rows < least || (only > 0 && i != only) ||
            (i == found && missing == 0))
            continue;
        loss = g->class_count > 0 ? forest_classes_loss(g, g->level_left, weight)
                                  : forest_numbers_loss(g, g->level_left[0], g->level_left[1]);
        if (forest_better(g, best, loss, slot) && loss < INFINITY)
            keep(g, slot, levels, i, missing_left, loss, best);
    }
}

static void try_class(ForestGrower *g, uint32_t slot, uint32_t levels, uint32_t found, uint32_t width, uint32_t k,
                      ForestSplit *best)
{
    for (uint32_t i = 0; i < found; i++) {
        uint32_t level = g->level_order[i];
        const double *tally = g->level_tally + (size_t)level * width;

        g->level_key[level] = tally[k] / weight_of(g, tally, width);
    }
    sort_levels(g, g->level_order, found);
    for (unsigned left = 0; left <= (g->level_rows[levels] > 0); left++)
        try_order(g, slot, levels, found, width, 0, left, best);
}

/* Puts a random half of the levels first; returns how many, neither none nor, unless rows miss the level, all. */
static uint32_t draw_half(ForestGrower *g, uint32_t found)
{
    uint32_t left;

    if (found == 1)
        return 1;
    sort_levels(g, g->level_order, found); /* by number: all keys are 0 */
    do {
        left = 0;
        for (uint32_t i = 0; i < found; i++)
            if (random_bits(&g->random) >> 63) {
                uint32_t swap = g->level_order[left];

                g->level_order[left++] = g->level_order[i];
                g->level_order[i] = swap;
            }
    } while (left == 0 || left == found);
    return left;
}

bool forest_category_split(ForestGrower *g, uint32_t slot, ForestSplit *best)
{
    const TreeColumn *column = g->columns->columns + slot;
    uint32_t levels = column->ranks, width = g->class_count > 0 ? g->class_count : 2;
    uint32_t found = tally_levels(g, column, width);

    if (found == 0 || (found == 1 && g->level_rows[levels] == 0))
        return false;
    if (g->growth->random_thresholds) {
        uint32_t half;

        for (uint32_t i = 0; i < found; i++)
            g->level_key[g->level_order[i]] = 0;
        half = draw_half(g, found);
        for (unsigned left = 0; left <= (g->level_rows[levels] > 0); left++)
            try_order(g, slot, levels, found, width, half, left, best);
    } else if (g->class_count > 2)
        for (uint32_t k = 0; k < g->class_count; k++)
            try_class(g, slot, levels, found, width, k, best);
    else
        try_class(g, slot, levels, found, width, 1, best);
    return true;
}
