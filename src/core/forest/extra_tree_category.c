/*
 * extra_tree_category.c - a random split of a node on the levels of a category.
 *
 * Trees of classes draw a subset. Those of numbers put the levels in order of their mean target and draw a beginning of this
 * order, by a threshold uniform between the smallest and the largest mean, as they do for numeric features: on real tables
 * (bench/heldout) a subset made the errors of numbers larger, and an order by the target those of classes.
 */
#include "core/forest/extra_tree_internal.h"

#include <string.h>

/* Adds up the rows of each level, and of those without one at place `levels`. Returns how many levels have rows. */
static uint32_t tally_levels(ExtraGrower *g, const TreeColumn *column, uint32_t width)
{
    uint32_t levels = column->ranks, found = 0;

    memset(g->level_rows, 0, ((size_t)levels + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < g->node.count; i++) {
        uint32_t row = g->node.rows[i], rank = column->rank[row], level = rank == TREE_MISSING ? levels : rank;
        double *tally = g->level_tally + (size_t)level * width;

        if (g->level_rows[level]++ == 0) {
            memset(tally, 0, width * sizeof(double));
            if (level < levels)
                g->level_order[found++] = level;
        }
        if (g->pairs) {
            uint64_t pair = g->pair_tally[row];

            tally[0] += (double)(uint32_t)pair - (double)(pair >> 32);
            tally[1] += (double)(pair >> 32);
        } else if (g->class_count > 0)
            tally[(uint32_t)g->tally[row].value] += g->tally[row].weight;
        else {
            tally[0] += g->tally[row].weight;
            tally[1] += g->tally[row].weight * g->tally[row].value;
        }
    }
    return found;
}

static double weight_of(const ExtraGrower *g, const double *tally, uint32_t width)
{
    double weight = 0;

    if (g->class_count == 0)
        return tally[0];
    for (uint32_t k = 0; k < width; k++)
        weight += tally[k];
    return weight;
}

/* Sorts levels by key, then by level (heap sort: no memory, no bad case). */
static bool level_before(const ExtraGrower *g, uint32_t a, uint32_t b)
{
    return g->level_key[a] < g->level_key[b] || (g->level_key[a] == g->level_key[b] && a < b);
}

static void sift(const ExtraGrower *g, uint32_t *order, uint32_t at, uint32_t count)
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

static void sort_levels(const ExtraGrower *g, uint32_t *order, uint32_t count)
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

static void keep(ExtraGrower *g, uint32_t slot, uint32_t levels, uint32_t found, uint32_t left, bool missing_left,
                 double loss, ExtraSplit *best)
{
    *best = (ExtraSplit){.loss = loss,
                          .slot = slot,
                          .category = true,
                          .missing_left = missing_left,
                          .has_missing = g->level_rows[levels] > 0};
    memset(g->set, 0, (levels + 7) / 8);
    memset(g->present, 0, (levels + 7) / 8);
    for (uint32_t i = 0; i < found; i++) {
        uint8_t bit = (uint8_t)(1u << g->level_order[i] % 8);

        g->present[g->level_order[i] / 8] |= bit;
        if (i < left)
            g->set[g->level_order[i] / 8] |= bit;
    }
}

/* Tries the split that sends the first `chosen` levels of the order left, with missing rows on this side. */
static void try_split(ExtraGrower *g, uint32_t slot, uint32_t levels, uint32_t found, uint32_t width, uint32_t chosen,
                      bool missing_left, ExtraSplit *best)
{
    uint32_t rows = 0, count = g->node.count, least = g->growth->min_samples_leaf;
    double weight = 0, loss;

    memset(g->left, 0, width * sizeof(double));
    for (uint32_t i = missing_left ? 0 : 1; i <= chosen; i++) {
        uint32_t level = i == 0 ? levels : g->level_order[i - 1]; /* those without a level first */
        const double *tally = g->level_tally + (size_t)level * width;

        for (uint32_t k = 0; k < width; k++)
            g->left[k] += tally[k];
        weight += weight_of(g, tally, width);
        rows += g->level_rows[level];
    }
    if (rows == count || rows < least || count - rows < least)
        return;
    loss = g->class_count > 0 ? extra_classes_loss(g, g->left, weight) : extra_numbers_loss(g, g->left[0], g->left[1]);
    if (extra_better(g, best, loss, slot))
        keep(g, slot, levels, found, chosen, missing_left, loss, best);
}

/* Puts the levels in order of their mean target. */
static void order_levels(ExtraGrower *g, uint32_t found)
{
    for (uint32_t i = 0; i < found; i++) {
        const double *tally = g->level_tally + 2 * (size_t)g->level_order[i];

        g->level_key[g->level_order[i]] = tally[1] / tally[0];
    }
    sort_levels(g, g->level_order, found);
}

/* Puts the levels in random order, and returns how many of them to send left: each half of the subsets is as likely. */
static uint32_t draw_subset(ExtraGrower *g, uint32_t found)
{
    for (uint32_t i = 0; i < found; i++)
        g->level_key[g->level_order[i]] = 0;
    sort_levels(g, g->level_order, found); /* by number, not by the order of the rows */
    for (uint32_t i = 0; i + 1 < found; i++) {
        uint32_t j = i + random_below(&g->random, found - i), level = g->level_order[j];

        g->level_order[j] = g->level_order[i];
        g->level_order[i] = level;
    }
    return found == 1 ? 1 : 1 + random_below(&g->random, found - 1);
}

/* Returns how many of the ordered levels have a key up to a random one, uniform between the smallest and the largest. */
static uint32_t draw_beginning(ExtraGrower *g, uint32_t found)
{
    double least = g->level_key[g->level_order[0]], most = g->level_key[g->level_order[found - 1]];
    double unit = random_unit(&g->random), key = least * (1 - unit) + most * unit;
    uint32_t left = 1;

    if (!(least < most)) /* any two sets are alike */
        return found == 1 ? 1 : 1 + random_below(&g->random, found - 1);
    while (left + 1 < found && g->level_key[g->level_order[left]] <= key)
        left++;
    return left;
}

void extra_category_split(ExtraGrower *g, uint32_t slot, ExtraSplit *best)
{
    const TreeColumn *column = g->columns->columns + slot;
    uint32_t levels = column->ranks, width = g->class_count > 0 ? g->class_count : 2;
    uint32_t found = tally_levels(g, column, width), chosen;
    bool missing;

    if (found == 0)
        return;
    missing = g->level_rows[levels] > 0;
    if (found == 1 && !missing)
        return;
    if (g->class_count > 0) {
        chosen = draw_subset(g, found);
    } else {
        order_levels(g, found);
        chosen = draw_beginning(g, found);
    }
    try_split(g, slot, levels, found, width, chosen, false, best);
    if (missing)
        try_split(g, slot, levels, found, width, chosen, true, best);
}
