/*
 * tree_candidate.c - what the searches for splits share: impurities and sizes of sides, and constraints on them.
 */
#include "core/tree_growth/tree_split.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-12 /* of what the mean of the node predicts: a sum of counts that is 0 */

/* ---- impurities ---- */

void tree_count_classes(const TreeSearch *search, uint32_t begin, uint32_t end, double *total)
{
    const TreeRecord *list = search->lists[0];

    memset(total, 0, search->class_count * sizeof(double));
    for (uint32_t i = begin; i < end; i++)
        total[search->classes[list[i].row]] += tree_row_weight(search, list[i].row);
}

double tree_number_badness(const TreeSearch *search, double left_weight, double left_sum, double right_weight,
                           double right_sum)
{
    if (search->growth->criterion == TREE_POISSON) {
        double left = left_sum + search->mean * left_weight, right = right_sum + search->mean * right_weight;

        /* a prediction of 0, up to the rounding of sums of deviations */
        if (!(left > NOTHING * search->mean * left_weight && right > NOTHING * search->mean * right_weight))
            return INFINITY;
        return -left * log(left / left_weight) - right * log(right / right_weight);
    }
    return -left_sum * left_sum / left_weight - right_sum * right_sum / right_weight;
}

/* ---- candidates ---- */

bool tree_monotone_allowed(const TreeSearch *search, uint32_t slot, double *left, double *right)
{
    int sign = search->growth->monotone[slot];

    *left = fmin(fmax(*left, search->lower), search->upper);
    *right = fmin(fmax(*right, search->lower), search->upper);
    return sign == 0 || sign * (*right - *left) >= 0;
}

/* ---- sizes ---- */

/* Returns how many rows at one end of a list have the size of a leaf, `extra` rows of this size first; UINT32_MAX: all are too few. */
static uint32_t rows_of_size(const TreeSearch *search, const TreeRecord *list, uint32_t count, uint32_t extra, uint64_t size,
                             bool from_end)
{
    uint64_t least = search->growth->min_samples_leaf;
    uint32_t rows = 0;

    while (size < least && rows < count) {
        size += search->sizes[list[from_end ? count - 1 - rows : rows].row];
        rows++;
    }
    return size < least ? UINT32_MAX : rows + extra;
}

void tree_bound_sizes(TreeSearch *search, const TreeRecord *list, uint32_t count, uint32_t lacking, bool missing_left)
{
    uint64_t size = 0;

    if (search->sizes == NULL)
        return;
    for (uint32_t i = 0; i < lacking; i++)
        size += search->sizes[list[count + i].row];
    search->least_left = rows_of_size(search, list, count, missing_left ? lacking : 0, missing_left ? size : 0, false);
    search->least_right = rows_of_size(search, list, count, missing_left ? 0 : lacking, missing_left ? 0 : size, true);
}
