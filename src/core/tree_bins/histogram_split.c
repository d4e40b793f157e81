/*
 * histogram_split.c - looks at every cut between the bins of a feature.
 */
#include "core/tree_bins/histogram_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Splits whose gains differ by less than this share of a node's sum are equally good: what rounding to integers may add. */
#define EQUALLY_GOOD 2e-9

typedef struct Search {
    const HistogramGrowth *growth;
    const HistogramScale *scale;
    const HistogramNode *node;
    const HistogramSum *sums; /* by bin */
    uint32_t feature, bins; /* without that of NULLs */
    HistogramSum missing;
    int direction; /* with monotone: 1, -1 or 0 */
    double gradient, hessian, parent; /* of the node, and what its children must exceed */
    HistogramSplit *best;
} Search;

/* ---- gains ---- */

/* Tells whether splits are judged by squared errors. */
static bool is_mse(const HistogramGrowth *growth)
{
    return growth->criterion == TREE_MSE || growth->criterion == TREE_GINI;
}

/* Returns minus the weighted impurity of a node, up to what children and parent have in common; larger is better. */
static inline __attribute__((always_inline)) double purity(TreeCriterion criterion, double lambda, double g, double h)
{
    double rest = h - g;

    switch (criterion) {
    case TREE_NEWTON:
        return g * g / (h + lambda);
    case TREE_GINI: /* of two classes: twice their variance */
    case TREE_MSE:
        return g * g / h;
    case TREE_POISSON:
        return g > 0 ? g * log(g / h) : -INFINITY; /* a prediction of 0 */
    case TREE_ENTROPY:
        return (g > 0 ? g * log2(g / h) : 0) + (rest > 0 ? rest * log2(rest / h) : 0);
    case TREE_SQRT_GINI:
        return -sqrt(2 * fmax(g, 0) * fmax(rest, 0));
    case TREE_MINORITY:
        return -fmin(g, rest);
    case TREE_MAE:
        break;
    }
    return 0;
}

static inline double bounded(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns what a child gains by predicting a value within the bounds of the node: -(2 G v + (H + lambda) v^2). */
static double bounded_purity(const Search *search, double g, double h, double *value)
{
    double sum = h + search->growth->lambda;

    *value = bounded(-g / sum, search->node->low, search->node->high);
    return -(2 * g * *value + sum * *value * *value);
}

/* The same for both children; -infinity if they would break a monotone constraint. */
static double bounded_gain(const Search *search, double g, double h)
{
    double left, right, gain;

    gain = bounded_purity(search, g, h, &left);
    gain += bounded_purity(search, search->gradient - g, search->hessian - h, &right);
    return search->direction * (right - left) < 0 ? -INFINITY : gain;
}

/* Tells whether means of the children, within the bounds of the node, obey the monotone constraint on the feature. */
static bool means_in_order(const Search *search, const HistogramSum *sum)
{
    double g = (double)sum->gradient * search->scale->gradient, h = histogram_hessian(search->scale, sum->packed);
    double left = bounded(g / h, search->node->low, search->node->high);
    double right = bounded((search->gradient - g) / (search->hessian - h), search->node->low, search->node->high);

    return search->direction * (right - left) >= 0;
}

static inline bool is_leaf_small(const Search *search, const HistogramSum *left)
{
    const HistogramScale *scale = search->scale;
    uint64_t least = search->growth->min_samples_leaf;

    return histogram_count(scale, left->packed) < least ||
           histogram_count(scale, search->node->total.packed - left->packed) < least;
}

/* Returns the gain of a split, -infinity if a child is too light. */
static inline __attribute__((always_inline)) double split_gain(const Search *search, TreeCriterion criterion,
                                                               bool bounds, const HistogramSum *left)
{
    double g = (double)left->gradient * search->scale->gradient, h = histogram_hessian(search->scale, left->packed);
    double lambda = search->growth->lambda, rest = search->hessian - h;

    if (h < search->growth->min_child_weight || rest < search->growth->min_child_weight || h <= 0 || rest <= 0)
        return -INFINITY;
    if (bounds)
        return bounded_gain(search, g, h) - search->parent;
    return purity(criterion, lambda, g, h) + purity(criterion, lambda, search->gradient - g, rest) - search->parent;
}

static inline __attribute__((always_inline)) double candidate_gain(const Search *search, const HistogramSum *left)
{
    if (search->growth->monotone != NULL && search->growth->criterion == TREE_NEWTON)
        return split_gain(search, TREE_NEWTON, true, left);
    if (search->direction != 0 && !means_in_order(search, left))
        return -INFINITY;
    switch (search->growth->criterion) {
#define GAIN(criterion)                                                                                                 \
    case criterion:                                                                                                     \
        return split_gain(search, criterion, false, left);
        GAIN(TREE_NEWTON)
        GAIN(TREE_GINI)
        GAIN(TREE_MSE)
        GAIN(TREE_POISSON)
        GAIN(TREE_ENTROPY)
        GAIN(TREE_SQRT_GINI)
        GAIN(TREE_MINORITY)
#undef GAIN
    case TREE_MAE:
        break;
    }
    return -INFINITY;
}

/* Tells whether a gain beats the best split so far by more than rounding. */
static inline bool is_better(const Search *search, double gain)
{
    const HistogramSplit *best = search->best;
    double slack = EQUALLY_GOOD * (fabs(gain + search->parent) + fabs(search->parent));

    if (!(gain > (search->growth->split_impure ? -slack : slack)) || gain < search->growth->min_decrease - slack)
        return false;
    if (!best->found)
        return true;
    return gain > best->gain + slack || (gain >= best->gain - slack && search->feature < best->feature);
}

/* ---- numbers ---- */

/*
 * Tells without a division whether a split under mse is so much worse than the best one that is_better would refuse it.
 * bar: the least sum of purities to look at.
 */
static inline __attribute__((always_inline)) bool is_worse(const Search *search, const HistogramSum *left, double bar)
{
    double g = (double)left->gradient * search->scale->gradient, h = histogram_hessian(search->scale, left->packed);
    double other = search->gradient - g, rest = search->hessian - h;

    return g * g * rest + other * other * h < bar * (h * rest);
}

/* Returns that bar; 0 before there is a split. Twice the purity bounds what counts as equal from above. */
static inline double worse_bar(const Search *search)
{
    return search->best->found ? (search->parent + search->best->gain) * (1 - 4 * EQUALLY_GOOD) : 0;
}

/*
 * Looks at every cut of a numeric feature, with the rows that miss it on one side. used: its bins that have rows, ascending.
 */
static void search_cuts(Search *search, const uint8_t *used, uint32_t count, bool missing_left)
{
    HistogramSum left = missing_left ? search->missing : (HistogramSum){0, 0};
    uint32_t last = !missing_left && search->missing.packed != 0 ? count : count - 1;
    bool mse = is_mse(search->growth);
    double bar = worse_bar(search);

    for (uint32_t i = 0; i < last; i++) {
        const HistogramSum *bin = &search->sums[used[i]];
        double gain;

        left.gradient += bin->gradient;
        left.packed += bin->packed;
        if (is_leaf_small(search, &left) || (mse && is_worse(search, &left, bar)))
            continue;
        gain = candidate_gain(search, &left);
        if (!is_better(search, gain))
            continue;
        *search->best = (HistogramSplit){.found = true,
                                         .gain = gain,
                                         .feature = search->feature,
                                         .bin = used[i],
                                         .next = i + 1 < count ? used[i + 1] : search->bins,
                                         .missing_left = missing_left,
                                         .left = left};
        bar = worse_bar(search);
    }
}

/* ---- categories ---- */

static int compare_levels(const void *left, const void *right)
{
    const HistogramLevel *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->bin > b->bin) - (a->bin < b->bin);
}

void histogram_order_levels(HistogramLevel *levels, uint32_t count)
{
    qsort(levels, count, sizeof(HistogramLevel), compare_levels);
}

/* Orders the bins with rows by their mean (what they would predict). */
static void order_levels(const Search *search, const uint8_t *used, uint32_t count, HistogramLevel *levels)
{
    const HistogramScale *scale = search->scale;
    double sign = search->growth->criterion == TREE_NEWTON ? -1 : 1;

    for (uint32_t i = 0; i < count; i++) {
        const HistogramSum *bin = &search->sums[used[i]];
        double weight = histogram_hessian(scale, bin->packed) + search->growth->category_smoothing;

        levels[i].bin = used[i];
        levels[i].key = weight > 0 ? sign * (double)bin->gradient * scale->gradient / weight : 0;
    }
    histogram_order_levels(levels, count);
}

/* Looks at every cut of that order, with the rows that are no level of it on one side. */
static void search_subsets(Search *search, const HistogramLevel *levels, uint32_t count, bool missing_left)
{
    HistogramSum left = missing_left ? search->missing : (HistogramSum){0, 0};
    uint32_t last = search->missing.packed != 0 ? count : count - 1;
    uint64_t bins[4] = {0};

    if (missing_left)
        bins[search->bins >> 6] |= (uint64_t)1 << (search->bins & 63);
    for (uint32_t i = 0; i < last; i++) {
        const HistogramSum *bin = &search->sums[levels[i].bin];
        double gain;

        left.gradient += bin->gradient;
        left.packed += bin->packed;
        bins[levels[i].bin >> 6] |= (uint64_t)1 << (levels[i].bin & 63);
        if (is_leaf_small(search, &left))
            continue;
        gain = candidate_gain(search, &left);
        if (!is_better(search, gain))
            continue;
        *search->best = (HistogramSplit){.found = true, .gain = gain, .feature = search->feature, .left = left};
        memcpy(search->best->left_bins, bins, sizeof(bins));
    }
}

/* ---- a feature ---- */

/* Sends what this node's rows do not decide the way of the child with more weight, the left one if equal. */
static bool left_is_heavier(const HistogramScale *scale, const HistogramNode *node, const HistogramSum *left)
{
    return 2 * histogram_hessian(scale, left->packed) >= histogram_hessian(scale, node->total.packed);
}

/* Lists the bins below `bins` that have rows, ascending; returns how many they are. */
static uint32_t list_used(const HistogramSum *sums, uint32_t bins, const uint64_t *bits, uint8_t used[BINS_MAX + 1])
{
    uint32_t count = 0;

    if (bits == NULL) {
        for (uint32_t b = 0; b < bins; b++) {
            used[count] = (uint8_t)b;
            count += sums[b].packed != 0;
        }
        return count;
    }
    for (uint32_t w = 0; w < 4; w++)
        for (uint64_t word = bits[w]; word != 0; word &= word - 1)
            used[count++] = (uint8_t)(w * 64 + (uint32_t)__builtin_ctzll(word));
    return count > 0 && used[count - 1] >= bins ? count - 1 : count;
}

/* Sums up the node. */
static void begin_search(Search *search)
{
    const HistogramGrowth *growth = search->growth;
    double value;

    search->gradient = (double)search->node->total.gradient * search->scale->gradient;
    search->hessian = histogram_hessian(search->scale, search->node->total.packed);
    search->direction = growth->monotone != NULL ? growth->monotone[search->feature] : 0;
    if (growth->monotone != NULL && growth->criterion == TREE_NEWTON)
        search->parent = bounded_purity(search, search->gradient, search->hessian, &value);
    else
        search->parent = purity(growth->criterion, growth->lambda, search->gradient, search->hessian);
}

/* Looks at the cuts of a number in both directions of missing values. */
static void search_number(Search *search, const uint8_t *used, uint32_t count)
{
    double gain = search->best->gain;
    uint32_t feature = search->best->feature;
    bool found = search->best->found;

    search_cuts(search, used, count, false);
    if (search->missing.packed != 0) {
        if (count > 1)
            search_cuts(search, used, count, true);
        return;
    }
    if (search->best->found != found || search->best->gain != gain || search->best->feature != feature)
        search->best->missing_left = left_is_heavier(search->scale, search->node, &search->best->left);
}

/* The same for the subsets of a category. seen: rows of the node miss the value. */
static void search_category(Search *search, const uint8_t *used, uint32_t count, bool seen)
{
    HistogramSplit *split = search->best, before = *split;
    HistogramLevel levels[BINS_MAX + 1];

    order_levels(search, used, count, levels);
    search_subsets(search, levels, count, false);
    if (search->missing.packed != 0)
        search_subsets(search, levels, count, true);
    if (split->found == before.found && split->gain == before.gain && split->feature == before.feature)
        return;
    split->missing_left = seen ? split->left_bins[search->bins >> 6] >> (search->bins & 63) & 1
                               : left_is_heavier(search->scale, search->node, &split->left);
    /* levels that the node's rows lack go the way of missing ones */
    for (uint32_t b = 0; split->missing_left && b < search->bins; b++)
        if (search->sums[b].packed == 0)
            split->left_bins[b >> 6] |= (uint64_t)1 << (b & 63);
}

void histogram_split_feature(const BinnedColumns *binned, const HistogramGrowth *growth, const HistogramScale *scale,
                             const HistogramNode *node, uint32_t feature, const HistogramSum *sums, const uint64_t *used_bits,
                             HistogramSplit *split)
{
    const BinnedFeature *column = &binned->feature[feature];
    Search search = {.growth = growth, .scale = scale, .node = node, .sums = sums, .feature = feature,
                     .bins = column->bins, .best = split};
    bool level = column->categorical && growth->criterion == TREE_NEWTON; /* NULL is a level among others */
    uint8_t used[BINS_MAX + 1];
    uint32_t count;

    count = list_used(sums, column->bins + (level && column->missing), used_bits, used);
    if (!level && column->missing)
        search.missing = sums[column->bins];
    if (count == 0 || (count == 1 && search.missing.packed == 0))
        return;
    begin_search(&search);
    if (column->categorical)
        search_category(&search, used, count, column->missing && sums[column->bins].packed != 0);
    else
        search_number(&search, used, count);
}

/* ---- all features of a few rows ---- */

typedef int16_t Lanes __attribute__((vector_size(16), may_alias));
typedef uint8_t Bytes __attribute__((vector_size(8), may_alias));
#define LANES 8

/* What a node of few rows has of a group of features, a feature per lane. */
typedef struct FewLanes {
    union {
        Lanes lanes[HISTOGRAM_LANES][2];
        int16_t each[HISTOGRAM_LANES][2 * LANES];
    } keys; /* by row: code x HISTOGRAM_LANES + number of the row */
    double gradient[HISTOGRAM_LANES], hessian[HISTOGRAM_LANES]; /* by row, as whole numbers: their sums are exact */
} FewLanes;
_Static_assert(BIN_GROUP <= 2 * LANES, "a group fits the lanes");

/* Returns the bytes of a row, and any after them. */
static inline void load_cells(const BinnedColumns *binned, const BinGroup *group, uint32_t row, uint8_t cells[2 * LANES])
{
    const uint8_t *from = group->cells + (size_t)row * group->stride;

    if ((size_t)(binned->rows - row) * group->stride >= 2 * LANES)
        memcpy(cells, from, 2 * LANES);
    else
        memcpy(cells, from, group->count);
}

static inline void load_lanes(const BinnedColumns *binned, const BinGroup *group, const HistogramRow *rows,
                              const uint32_t *order, uint32_t count, FewLanes *few)
{
    for (uint32_t i = 0; i < count; i++) {
        _Alignas(16) uint8_t cells[2 * LANES] = {0};

        load_cells(binned, group, order[i], cells);
        for (uint32_t half = 0; half < 2; half++)
            few->keys.lanes[i][half] = __builtin_convertvector(((const Bytes *)cells)[half], Lanes) * HISTOGRAM_LANES +
                                       (int16_t)i;
        few->gradient[i] = rows[order[i]].gradient;
        few->hessian[i] = rows[order[i]].hessian;
    }
}

/* Puts two keys of each lane in order. */
static inline void order_keys(Lanes *first, Lanes *second)
{
    for (uint32_t half = 0; half < 2; half++) {
        Lanes a = first[half], b = second[half], swap = (a ^ b) & (b < a);

        first[half] = a ^ swap;
        second[half] = b ^ swap;
    }
}

/* Sorts the keys of each lane, by a network for any number of them (Batcher 1968; Knuth 5.2.2, algorithm M). */
static inline void sort_lanes(FewLanes *few, uint32_t count)
{
    Lanes (*keys)[2] = few->keys.lanes;
    uint32_t top = 1;

    while (2 * top < count)
        top *= 2;
    for (uint32_t p = top; p > 0; p /= 2)
        for (uint32_t q = top, rest = 0, distance = p; distance > 0; distance = q > p ? q - p : 0, q /= 2, rest = p)
            for (uint32_t start = rest; start + distance < count; start += 2 * p)
                for (uint32_t i = start; i < start + p && i + distance < count; i++)
                    order_keys(keys[i], keys[i + distance]);
}

/* Looks at every cut of one lane under mse. */
static inline void search_lane(Search *search, const FewLanes *few, uint32_t lane, uint32_t count)
{
    const HistogramScale *scale = search->scale;
    uint32_t least = search->growth->min_samples_leaf > 1 ? search->growth->min_samples_leaf : 1;
    double gradient = 0, hessian = 0, bar = worse_bar(search);
    int16_t key = few->keys.each[0][lane], next;

    for (uint32_t i = 0; i + least < count; i++, key = next) {
        HistogramSum left;
        double g, h, other, rest, gain;

        next = few->keys.each[i + 1][lane];
        gradient += few->gradient[key % HISTOGRAM_LANES];
        hessian += few->hessian[key % HISTOGRAM_LANES];
        g = gradient * scale->gradient;
        h = hessian * scale->hessian;
        other = search->gradient - g;
        rest = search->hessian - h;
        /* as is_worse says */
        if ((i + 1 < least) | (key / HISTOGRAM_LANES == next / HISTOGRAM_LANES) |
            (g * g * rest + other * other * h < bar * (h * rest)))
            continue;
        left = (HistogramSum){(int64_t)gradient, ((int64_t)hessian << scale->count_bits) + i + 1};
        gain = split_gain(search, TREE_MSE, false, &left);
        if (!is_better(search, gain))
            continue;
        *search->best = (HistogramSplit){.found = true,
                                         .gain = gain,
                                         .feature = search->feature,
                                         .bin = (uint32_t)(key / HISTOGRAM_LANES),
                                         .next = (uint32_t)(next / HISTOGRAM_LANES),
                                         .missing_left = left_is_heavier(scale, search->node, &left),
                                         .left = left};
        bar = worse_bar(search);
    }
}

bool histogram_group_sorts(const BinnedColumns *binned, const HistogramGrowth *growth, const BinGroup *group)
{
    if (binned->pages != NULL || !is_mse(growth) || growth->monotone != NULL || growth->classes > 2)
        return false;
    for (uint32_t f = group->first; f < group->first + group->count; f++)
        if (binned->feature[f].categorical || binned->feature[f].missing)
            return false;
    return true;
}

void histogram_split_group(const BinnedColumns *binned, const HistogramGrowth *growth, const HistogramScale *scale,
                           const HistogramNode *node, const BinGroup *group, const HistogramRow *rows, const uint32_t *order,
                           uint32_t count, HistogramSplit *split)
{
    Search search = {.growth = growth, .scale = scale, .node = node, .best = split};
    FewLanes few;

    load_lanes(binned, group, rows, order, count, &few);
    sort_lanes(&few, count);
    begin_search(&search);
    for (uint32_t lane = 0; lane < group->count && !(count == 2 && split->found); lane++) {
        search.feature = group->first + lane;
        search_lane(&search, &few, lane, count);
    }
}

double histogram_node_value(const HistogramGrowth *growth, const HistogramScale *scale, const HistogramNode *node)
{
    double sum = histogram_hessian(scale, node->total.packed) + growth->lambda;
    double gradient = (double)node->total.gradient * scale->gradient;

    if (!(sum > 0))
        return bounded(0, node->low, node->high);
    return bounded((growth->criterion == TREE_NEWTON ? -gradient : gradient) / sum, node->low, node->high);
}

void histogram_bound_children(const HistogramGrowth *growth, const HistogramScale *scale, uint32_t feature, HistogramNode *left, HistogramNode *right)
{
    double middle;

    if (growth->monotone == NULL || growth->monotone[feature] == 0)
        return;
    middle = histogram_node_value(growth, scale, left) / 2 + histogram_node_value(growth, scale, right) / 2;
    if (growth->classes == 2)
        middle = (float)middle; /* grown_tree_bound_pair */
    if (growth->monotone[feature] > 0)
        left->high = right->low = middle;
    else
        left->low = right->high = middle;
}
