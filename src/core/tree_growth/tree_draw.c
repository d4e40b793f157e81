/*
 * tree_draw.c - a random threshold for a feature of a node, or a random split of the levels of a category.
 *
 * Geurts, Ernst & Wehenkel (2006), Extremely randomized trees: the threshold is uniform between the smallest and the largest value
 * in the node. So nothing is sorted: the tree has one list of rows, and values are read by row. Growing from sorted lists would
 * take 3 times as long (100 trees over 10,000 rows of 10 features, two classes: 0.22 s and 0.72 s of processor time).
 */
#include "core/base/random.h"
#include "core/tree_growth/tree_split_mae.h"

#include <math.h>
#include <string.h>

#define PARTS 8      /* of a sum: the lanes of the widest vector */
#define WIDE_NODE 16 /* rows: in smaller ones, wide vectors gain less than they cost */
#define POLL_ROWS 4096

/* Returns the number or 0 without a branch, because a branch would often be mispredicted. */
static inline double number_if(bool wanted, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    bits &= -(uint64_t)wanted;
    memcpy(&number, &bits, sizeof(bits));
    return number;
}

#define SIMD_FILE "core/tree_growth/tree_draw_simd.h"
#include "core/base/cpu_dispatch.h"

/* What lies left of a threshold; weights of more than two classes are in search->left. */
typedef struct DrawnSide {
    uint32_t rows;
    double weight, sum; /* sum: of weights of the second of two classes, or of weight x deviation from the node's mean */
} DrawnSide;

/* A split that was drawn, and the rows of the node that miss the value. */
typedef struct Draw {
    uint32_t slot;
    double threshold;
    bool missing_left, any_missing;
} Draw;

void tree_draw_reserve(TreeSearch *search, uint32_t rows)
{
    uint32_t levels = tree_most_levels(search->columns);

    search->drawn.row = env_array_raw(search->env, (size_t)rows + 1, sizeof(uint32_t));
    search->drawn.x = env_array_raw(search->env, (size_t)rows + 1, sizeof(double));
    if (search->weights != NULL)
        search->drawn.weight = env_array_raw(search->env, (size_t)rows + 1, sizeof(double));
    search->drawn.value = env_array_raw(search->env, (size_t)rows + 1, sizeof(double));
    if (levels == 0)
        return;
    search->drawn.by_level = env_array_raw(search->env, (size_t)rows + 1, sizeof(TreeRecord));
    search->drawn.places = env_array_raw(search->env, (size_t)levels + 2, sizeof(uint32_t));
}

/* Adds up the rows at or below the threshold. */
static DrawnSide add_up(const TreeDrawn *drawn, const double *x, uint32_t count, double threshold)
{
    const double *restrict value = drawn->value, *restrict weight = drawn->weight;
    DrawnSide side = {0};
    double sums[3];

    if (count >= WIDE_NODE) {
        SIMD_CALL(add_left, x, value, weight, count, threshold, sums);
        return (DrawnSide){.rows = (uint32_t)sums[0], .sum = sums[1], .weight = sums[2]};
    }
    for (uint32_t i = 0; i < count; i++) {
        side.rows += x[i] <= threshold;
        side.sum += number_if(x[i] <= threshold, value[i]);
    }
    if (weight == NULL)
        side.weight = side.rows;
    for (uint32_t i = 0; weight != NULL && i < count; i++)
        side.weight += number_if(x[i] <= threshold, weight[i]);
    return side;
}

/* Collects the classes of the node's rows, and where wide vectors pay the rows. Returns the sum of the classes. */
static uint32_t collect_list(TreeSearch *search)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    uint32_t count = search->end - search->begin, sum = 0;

    if (count >= WIDE_NODE)
        return SIMD_CALL(collect_list, list, count, search->drawn.row, search->drawn.value);
    for (uint32_t i = 0; i < count; i++) {
        search->drawn.value[i] = list[i].rank;
        sum += list[i].rank;
    }
    return sum;
}

void tree_draw_classes(TreeSearch *search)
{
    const TreeRecord *restrict list = search->lists[0] + search->begin;
    uint32_t count = search->end - search->begin, second = collect_list(search);
    double *restrict weight = search->drawn.weight, *restrict value = search->drawn.value;
    DrawnSide all;

    if (search->class_count > 2) {
        tree_count_classes(search, search->begin, search->end, search->total);
        for (uint32_t i = 0; weight != NULL && i < count; i++)
            weight[i] = search->weights[list[i].row];
        return;
    }
    for (uint32_t i = 0; weight != NULL && i < count; i++) {
        weight[i] = search->weights[list[i].row];
        value[i] *= weight[i];
    }
    all = weight != NULL ? add_up(&search->drawn, value, count, INFINITY) : (DrawnSide){.weight = count, .sum = second};
    search->total[0] = all.weight - all.sum;
    if (search->class_count == 2)
        search->total[1] = all.sum;
}

void tree_draw_numbers(TreeSearch *search)
{
    const TreeRecord *restrict list = search->lists[0] + search->begin;
    uint32_t count = search->end - search->begin;
    double *restrict weight = search->drawn.weight, *restrict value = search->drawn.value;

    collect_list(search);
    for (uint32_t i = 0; i < count; i++)
        value[i] = search->targets[list[i].row] - search->mean;
    for (uint32_t i = 0; weight != NULL && i < count; i++) {
        weight[i] = search->weights[list[i].row];
        value[i] *= weight[i];
    }
}

/* ---- sides ---- */

static DrawnSide left_side(TreeSearch *search, double threshold)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    const TreeDrawn *drawn = &search->drawn;
    uint32_t count = search->end - search->begin;

    if (search->class_count > 2) {
        memset(search->left, 0, search->class_count * sizeof(double));
        for (uint32_t i = 0; i < count; i++)
            search->left[list[i].rank] += number_if(drawn->x[i] <= threshold, row_weight(drawn->weight, i));
    }
    return add_up(drawn, drawn->x, count, threshold);
}

/* Adds the rows without a value. */
static void add_missing(TreeSearch *search, DrawnSide *side)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    const TreeDrawn *drawn = &search->drawn;

    for (uint32_t i = 0; i < search->end - search->begin; i++) {
        if (!isnan(drawn->x[i]))
            continue;
        side->rows++;
        side->weight += row_weight(drawn->weight, i);
        side->sum += drawn->value[i];
        if (search->class_count > 2)
            search->left[list[i].rank] += row_weight(drawn->weight, i);
    }
}

/* Tells whether a row of the node goes left. */
static bool goes_left(const TreeSearch *search, const Draw *draw, uint32_t i)
{
    double x = search->drawn.x[i];

    return x <= draw->threshold || (draw->missing_left && isnan(x));
}

/* Tells whether both children are large enough. */
static bool large_enough(const TreeSearch *search, const Draw *draw, uint32_t left)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    uint32_t rows = search->end - search->begin;
    uint64_t sizes[2] = {0, 0};

    if (search->sizes == NULL)
        return tree_sizes_allowed(search, left, rows - left);
    for (uint32_t i = 0; i < rows; i++)
        sizes[goes_left(search, draw, i)] += search->sizes[list[i].row];
    return sizes[0] >= search->growth->min_samples_leaf && sizes[1] >= search->growth->min_samples_leaf && left > 0 && left < rows;
}

/* ---- decreases ---- */

static double classes_decrease(TreeSearch *search, const DrawnSide *side)
{
    TreeCriterion criterion = search->growth->criterion;
    uint32_t classes = search->class_count;
    double node = search->weight * search->impurity, l = side->weight, r = search->weight - l;

    if (classes == 2) {
        double l1 = search->left[1] = side->sum, r1 = search->total[1] - l1;

        if (criterion == TREE_GINI) /* W x gini = 2 w_1 (W - w_1) / W */
            return node - 2 * (l1 * (l - l1) * r + r1 * (r - r1) * l) / (l * r);
        search->left[0] = l - l1;
    }
    for (uint32_t k = 0; k < classes; k++)
        search->right[k] = search->total[k] > search->left[k] ? search->total[k] - search->left[k] : 0;
    return node - tree_class_badness(criterion, search->left, classes, l) - tree_class_badness(criterion, search->right, classes, r);
}

static double numbers_decrease(const TreeSearch *search, const DrawnSide *side)
{
    double node = search->growth->criterion == TREE_POISSON ? -search->mean * search->weight * log(search->mean) : 0;

    return node - tree_number_badness(search, side->weight, side->sum, search->weight - side->weight, -side->sum);
}

/* left and right get the medians. */
static double mae_decrease(TreeSearch *search, const Draw *draw, double *left, double *right)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    MaeScan scan = tree_mae_begin(search, NULL, 0, false);

    for (uint32_t i = 0; i < search->end - search->begin; i++) {
        if (i % POLL_ROWS == 0)
            search->env->poll(search->env);
        if (goes_left(search, draw, i))
            tree_mae_move(search, &scan, list[i].row);
    }
    return search->weight * search->impurity - tree_mae_badness(search, &scan, left, right);
}

/* Tells whether the predictions of the children, means or shares of the last class, obey a constraint; moves them to the bounds. */
static bool obeys(const TreeSearch *search, const Draw *draw, const DrawnSide *side, double *left, double *right)
{
    double right_weight = search->weight - side->weight;

    if (search->growth->criterion == TREE_MAE)
        return tree_monotone_allowed(search, draw->slot, left, right);
    *left = search->mean + side->sum / side->weight;
    *right = search->mean - side->sum / right_weight;
    if (search->classes != NULL) {
        *left = search->left[search->class_count - 1] / side->weight;
        *right = (search->total[search->class_count - 1] - search->left[search->class_count - 1]) / right_weight;
    }
    return tree_monotone_allowed(search, draw->slot, left, right);
}

/* Takes the split if it is better than the best so far. */
static void consider(TreeSearch *search, const Draw *draw, const DrawnSide *side)
{
    double left = 0, right = 0, decrease;

    if (!large_enough(search, draw, side->rows) || !(search->weight - side->weight > 0))
        return;
    if (search->classes != NULL)
        decrease = classes_decrease(search, side);
    else if (search->growth->criterion == TREE_MAE)
        decrease = mae_decrease(search, draw, &left, &right);
    else
        decrease = numbers_decrease(search, side);
    if (!tree_better(search, decrease, draw->slot) || !isfinite(decrease) ||
        (search->growth->monotone != NULL && !obeys(search, draw, side, &left, &right)))
        return;
    tree_take_number(search, draw->slot, decrease, 0, 0, draw->missing_left, draw->any_missing, left, right);
    search->best.threshold = draw->threshold;
}

/* ---- a number ---- */

/* Returns a threshold in [least, most), a float if one fits. */
static double draw_threshold(TreeSearch *search, double least, double most)
{
    double unit = random_unit(&search->random), threshold = least * (1 - unit) + most * unit;
    float narrow;

    if (!(threshold >= least && threshold < most))
        threshold = least;
    narrow = (float)threshold;
    return narrow >= least && narrow < most ? narrow : threshold;
}

/* Collects the values of the node's rows. Returns how many are known. */
static uint32_t collect(TreeSearch *search, uint32_t slot, double range[2])
{
    const TreeRecord *list = search->lists[0] + search->begin;
    const TreeColumn *column = search->columns->columns + slot;
    uint32_t rows = search->end - search->begin, known = rows;

    if (rows >= WIDE_NODE) {
        SIMD_CALL(gather_values, column->by_row, search->drawn.row, rows, search->drawn.x, range);
    } else {
        range[0] = INFINITY;
        range[1] = -INFINITY;
        for (uint32_t i = 0; i < rows; i++) {
            double x = search->drawn.x[i] = column->by_row[list[i].row];

            range[0] = x < range[0] ? x : range[0];
            range[1] = x > range[1] ? x : range[1];
        }
    }
    for (uint32_t i = 0; column->missing > 0 && i < rows; i++)
        known -= isnan(search->drawn.x[i]);
    return known;
}

static void draw_number(TreeSearch *search, uint32_t slot)
{
    double range[2];
    uint32_t known = collect(search, slot, range);
    Draw draw = {.slot = slot, .any_missing = known < search->end - search->begin};
    DrawnSide side;

    if (known == 0 || (range[0] == range[1] && !draw.any_missing))
        return;
    /* with one value, known ones are told from missing ones */
    draw.threshold = range[0] < range[1] ? draw_threshold(search, range[0], range[1]) : INFINITY;
    side = left_side(search, draw.threshold);
    consider(search, &draw, &side);
    if (!draw.any_missing)
        return;
    add_missing(search, &side);
    draw.missing_left = true;
    consider(search, &draw, &side);
}

/* ---- a category ---- */

/* Puts the rows of the node in order of their levels, those without one last, as the search for the best split has them. */
static void draw_category(TreeSearch *search, uint32_t slot)
{
    const TreeRecord *list = search->lists[0] + search->begin;
    const TreeColumn *column = search->columns->columns + slot;
    uint32_t rows = search->end - search->begin, levels = column->ranks, *places = search->drawn.places, lacking;
    TreeRecord *ordered = search->drawn.by_level;

    if (levels == 0) /* all are NULL, and there may be no places */
        return;
    memset(places, 0, ((size_t)levels + 2) * sizeof(uint32_t));
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t rank = column->rank[list[i].row];

        places[(rank < levels ? rank : levels) + 1]++;
    }
    lacking = places[levels + 1];
    for (uint32_t l = 0; l < levels; l++)
        places[l + 1] += places[l];
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t rank = column->rank[list[i].row];

        ordered[places[rank < levels ? rank : levels]++] = (TreeRecord){rank, list[i].row};
    }
    if (lacking < rows && (lacking > 0 || ordered[0].rank != ordered[rows - 1].rank))
        tree_scan_category(search, slot, ordered, rows - lacking, lacking);
}

void tree_draw_slot(TreeSearch *search, uint32_t slot)
{
    if (search->columns->columns[slot].category)
        draw_category(search, slot);
    else
        draw_number(search, slot);
}
