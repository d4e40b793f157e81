/*
 * tree_split_mae.c - splits by the mean absolute deviation from the median.
 *
 * Both sides keep weights and sums of the node's targets in Fenwick trees (Fenwick 1994) over their sorted order, so that
 * moving a row, and finding the median with the deviations about it, take logarithmic time.
 */
#include "core/tree_growth/tree_split_mae.h"

#include <math.h>
#include <string.h>

/* Reserves the scratch of a tree of `rows` rows. */
static void reserve(TreeSearch *search)
{
    Env *env = search->env;
    size_t rows = search->columns->rows;

    if (search->sorted != NULL)
        return;
    search->sorted = env_array_raw(env, rows + 1, sizeof(double));
    search->place = env_array_raw(env, rows + 1, sizeof(uint32_t));
    search->tree_weight = env_array_raw(env, rows + 1, sizeof(double));
    search->tree_sum = env_array_raw(env, rows + 1, sizeof(double));
    search->rest_weight = env_array_raw(env, rows + 1, sizeof(double));
    search->rest_sum = env_array_raw(env, rows + 1, sizeof(double));
}

double tree_mae_node(TreeSearch *search, double *median)
{
    const TreeRecord *list = search->by_target + search->begin;
    uint32_t rows = search->end - search->begin, at = 0;
    double before = 0, sum = 0;

    reserve(search);
    for (uint32_t i = 0; i < rows; i++) {
        search->sorted[i] = search->targets[list[i].row];
        search->place[list[i].row] = i;
    }
    for (; at + 1 < rows; at++) {
        before += tree_row_weight(search, list[at].row);
        if (before >= search->weight / 2)
            break;
    }
    *median = search->sorted[at];
    if (before == search->weight / 2 && at + 1 < rows)
        *median = search->sorted[at] / 2 + search->sorted[at + 1] / 2;
    for (uint32_t i = 0; i < rows; i++)
        sum += tree_row_weight(search, list[i].row) * fabs(search->sorted[i] - *median);
    return sum / search->weight;
}

/* Adds to position `at` of a Fenwick tree of `size` numbers. */
static inline void add(double *weights, double *sums, uint32_t size, uint32_t at, double w, double y)
{
    for (uint32_t i = at + 1; i <= size; i += i & -i) {
        weights[i] += w;
        sums[i] += w * y;
    }
}

/* Turns numbers at 1 .. size into a Fenwick tree. */
static void build(double *tree, uint32_t size)
{
    for (uint32_t i = 1; i <= size; i++)
        if (i + (i & -i) <= size)
            tree[i + (i & -i)] += tree[i];
}

MaeScan tree_mae_begin(TreeSearch *search, const TreeRecord *lacking, uint32_t count, bool missing_left)
{
    const TreeRecord *list = search->by_target + search->begin;
    uint32_t rows = search->end - search->begin;
    MaeScan scan = {.rows = rows, .right = {.weight = search->weight}};

    memset(search->tree_weight, 0, ((size_t)rows + 1) * sizeof(double));
    memset(search->tree_sum, 0, ((size_t)rows + 1) * sizeof(double));
    for (uint32_t i = 0; i < rows; i++) {
        double w = tree_row_weight(search, list[i].row);

        search->rest_weight[i + 1] = w;
        search->rest_sum[i + 1] = w * (search->sorted[i] - search->mean);
        scan.right.sum += search->rest_sum[i + 1];
    }
    build(search->rest_weight, rows);
    build(search->rest_sum, rows);
    scan.right.rows = rows;
    for (uint32_t i = 0; missing_left && i < count; i++)
        tree_mae_move(search, &scan, lacking[i].row);
    return scan;
}

void tree_mae_move(TreeSearch *search, MaeScan *scan, uint32_t row)
{
    double w = tree_row_weight(search, row), y = search->targets[row] - search->mean;

    add(search->tree_weight, search->tree_sum, scan->rows, search->place[row], w, y);
    add(search->rest_weight, search->rest_sum, scan->rows, search->place[row], -w, y);
    scan->left.weight += w;
    scan->left.sum += w * y;
    scan->left.rows++;
    scan->right.weight -= w;
    scan->right.sum -= w * y;
    scan->right.rows--;
}

/* Returns the sum of weight x deviation from the median of a side, and the median. */
static double deviations(const TreeSearch *search, const double *weights, const double *sums, uint32_t size,
                         const TreeSide *side, double *median)
{
    double below = 0, sum = 0, half = side->weight / 2, y;
    uint32_t at = 0, step = 1;

    while (step <= size / 2)
        step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= size && below + weights[at + step] < half * (1 - 1e-12)) {
            at += step;
            below += weights[at];
            sum += sums[at];
        }
    if (at >= size)
        at = size - 1;
    *median = search->sorted[at];
    y = *median - search->mean;
    return y * below - sum + (side->sum - sum) - y * (side->weight - below);
}

double tree_mae_badness(const TreeSearch *search, const MaeScan *scan, double *left, double *right)
{
    return deviations(search, search->tree_weight, search->tree_sum, scan->rows, &scan->left, left) +
           deviations(search, search->rest_weight, search->rest_sum, scan->rows, &scan->right, right);
}

static void scan_side(TreeSearch *search, uint32_t slot, uint32_t count, uint32_t lacking, bool missing_left)
{
    const TreeRecord *list = search->lists[slot] + search->begin;
    MaeScan scan = tree_mae_begin(search, list + count, lacking, missing_left);
    double node = search->weight * search->impurity;

    tree_bound_sizes(search, list, count, lacking, missing_left);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = list[i].rank, next = i + 1 < count ? list[i + 1].rank : TREE_MISSING;
        double left, right, decrease;

        tree_mae_move(search, &scan, list[i].row);
        if (i % 4096 == 0)
            search->env->poll(search->env);
        if (next == rank || !tree_sizes_allowed(search, scan.left.rows, scan.right.rows))
            continue;
        decrease = node - tree_mae_badness(search, &scan, &left, &right);
        if (!tree_better(search, decrease, slot) ||
            (search->growth->monotone != NULL && !tree_monotone_allowed(search, slot, &left, &right)))
            continue;
        tree_take_number(search, slot, decrease, rank, next, missing_left, lacking > 0, left, right);
    }
}

void tree_scan_mae(TreeSearch *search, uint32_t slot, uint32_t count, uint32_t lacking)
{
    scan_side(search, slot, count, lacking, false);
    if (lacking > 0)
        scan_side(search, slot, count, lacking, true);
}
