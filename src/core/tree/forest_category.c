/*
 * forest_category.c - splits of a node on the levels of a category.
 *
 * Levels are put in an order, of which every beginning is a candidate: by their share of the second class, or by their mean
 * target. For two classes and for numbers the best of all subsets is among them (Fisher 1958; Breiman et al. 1984). For more
 * classes the order is that of the first principal component of the class shares (Coppersmith, Hong & Hosking 1999), and the
 * best split need not be among them. Extremely randomized trees of classes draw a subset; those of numbers draw one beginning, by
 * a threshold uniform between the smallest and the largest key, as they do for numeric features: on real tables (bench/heldout)
 * a subset made the errors of numbers larger, and an order by the target those of classes.
 */
#include "core/tree/forest_grow_internal.h"

#include <math.h>
#include <string.h>

#define COMPONENT_STEPS 30
#define COMPONENT_CHANGE 1e-6 /* of the length, after which the axis is good enough */

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

static void keep(ForestGrower *g, uint32_t slot, uint32_t levels, uint32_t found, uint32_t left, bool missing_left,
                 double loss, ForestSplit *best)
{
    *best = (ForestSplit){.loss = loss,
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
            keep(g, slot, levels, found, i, missing_left, loss, best);
    }
}

/* ---- the order of the levels for more than two classes ---- */

/* Writes the class shares of a level less those of the node. Returns the level's weight. */
static double deviation(const ForestGrower *g, uint32_t level, double *out)
{
    const double *tally = g->level_tally + (size_t)level * g->class_count;
    double weight = weight_of(g, tally, g->class_count);

    for (uint32_t k = 0; k < g->class_count; k++)
        out[k] = tally[k] / weight - g->node.classes[k] / g->node.weight;
    return weight;
}

/* Makes the axis one of length 1; returns its former length. */
static double normalize(double *axis, uint32_t count)
{
    double squares = 0, length;

    for (uint32_t k = 0; k < count; k++)
        squares += axis[k] * axis[k];
    length = sqrt(squares);
    for (uint32_t k = 0; length > 0 && k < count; k++)
        axis[k] /= length;
    return length;
}

static double product(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Finds the first principal component by power iteration, from the level that deviates most, and sets the keys to it. */
static void component_keys(ForestGrower *g, uint32_t found)
{
    uint32_t classes = g->class_count;
    double *axis = g->level_axis, *next = g->left, *off = g->right, most = -1, former = 0;

    for (uint32_t i = 0; i < found; i++) {
        double weight = deviation(g, g->level_order[i], off), size = weight * product(off, off, classes);

        if (size > most) {
            most = size;
            memcpy(axis, off, classes * sizeof(double));
        }
    }
    normalize(axis, classes);
    for (int step = 0; step < COMPONENT_STEPS; step++) {
        double length;

        memset(next, 0, classes * sizeof(double));
        for (uint32_t i = 0; i < found; i++) {
            double factor = deviation(g, g->level_order[i], off);

            factor *= product(off, axis, classes);
            for (uint32_t k = 0; k < classes; k++)
                next[k] += factor * off[k];
        }
        g->env->poll(g->env);
        length = normalize(next, classes);
        if (length == 0)
            break;
        memcpy(axis, next, classes * sizeof(double));
        if (fabs(length - former) <= COMPONENT_CHANGE * length)
            break;
        former = length;
    }
    for (uint32_t i = 0; i < found; i++) {
        deviation(g, g->level_order[i], off);
        g->level_key[g->level_order[i]] = product(off, axis, classes);
    }
}

/* Puts the levels with rows in order. */
static void order_levels(ForestGrower *g, uint32_t found, uint32_t width)
{
    for (uint32_t i = 0; i < found; i++)
        g->level_key[g->level_order[i]] = 0;
    if (g->class_count > 2) {
        sort_levels(g, g->level_order, found); /* by number, so that sums do not depend on the rows' order */
        component_keys(g, found);
    } else
        for (uint32_t i = 0; i < found; i++) {
            const double *tally = g->level_tally + (size_t)g->level_order[i] * width;

            g->level_key[g->level_order[i]] = tally[1] / weight_of(g, tally, width);
        }
    sort_levels(g, g->level_order, found);
}

/* Puts the levels in random order, and returns how many of them to send left: each half of the subsets is as likely. */
static uint32_t draw_subset(ForestGrower *g, uint32_t found)
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
static uint32_t draw_beginning(ForestGrower *g, uint32_t found)
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

bool forest_category_split(ForestGrower *g, uint32_t slot, ForestSplit *best)
{
    const TreeColumn *column = g->columns->columns + slot;
    uint32_t levels = column->ranks, width = g->class_count > 0 ? g->class_count : 2;
    uint32_t found = tally_levels(g, column, width), only = 0;

    if (found == 0 || (found == 1 && g->level_rows[levels] == 0))
        return false;
    if (g->growth->random_thresholds && g->class_count > 0) {
        only = draw_subset(g, found);
    } else {
        order_levels(g, found, width);
        if (g->growth->random_thresholds)
            only = draw_beginning(g, found);
    }
    for (unsigned left = 0; left <= (g->level_rows[levels] > 0); left++)
        try_order(g, slot, levels, found, width, only, left, best);
    return true;
}
