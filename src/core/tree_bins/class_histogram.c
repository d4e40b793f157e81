/*
 * class_histogram.c - adds rows to histograms of classes, and looks at every cut between the bins of a feature.
 */
#include "core/tree_bins/class_histogram.h"
#include "core/tree_bins/tree_criterion.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536u
#define POLL_CELLS 500000u
#define EQUALLY_GOOD 2e-9 /* of a node's weight: what rounding to integers may add */

ClassHistograms *class_histograms(Env *env, uint32_t classes)
{
    ClassHistograms *histograms = env_array(env, 1, sizeof(ClassHistograms));
    double *numbers = env_array(env, 5 * (size_t)classes, sizeof(double));

    histograms->env = env;
    histograms->classes = classes;
    histograms->cells = 2 * class_histogram_stride(classes);
    histograms->node = env_array(env, 2 * (size_t)histograms->cells, sizeof(int64_t));
    histograms->left = histograms->node + histograms->cells;
    histograms->total = numbers;
    histograms->left_weights = numbers + classes;
    histograms->right_weights = numbers + 2 * (size_t)classes;
    histograms->room = numbers + 3 * (size_t)classes;
    return histograms;
}

/* ---- adding rows ---- */

void class_histogram_add(const ClassHistograms *histograms, const BinnedColumns *binned, const HistogramRow *rows,
                         const uint32_t *sizes, const uint32_t *order, uint32_t count, unsigned count_bits, int64_t *cells)
{
    size_t width = histograms->cells;
    BinRun run;

    for (uint32_t g = 0; g < binned->group_count; g++) {
        const BinGroup *group = &binned->groups[g];

        for (uint32_t at = 0; at < count; at += run.count) {
            run = binned_run(binned, group, order, at, count);
            for (uint32_t i = at; i < at + run.count; i++) {
                uint32_t row = order != NULL ? order[i] : i;
                const uint8_t *codes = run.cells + (size_t)(row - run.first) * group->stride;
                int64_t weight = rows[row].hessian, packed = weight << count_bits | (sizes != NULL ? sizes[row] : 1);
                uint32_t class = 1 + (uint32_t)rows[row].gradient;

                if (i % POLL_ROWS == 0)
                    histograms->env->poll(histograms->env);
                for (uint32_t f = 0; f < group->count; f++) {
                    int64_t *bin = cells + (binned->feature[group->first + f].first + codes[f]) * width;

                    bin[0] += packed;
                    bin[class] += weight;
                }
            }
        }
    }
}

void class_histogram_add_few(const ClassHistograms *histograms, const uint8_t *codes, const HistogramSum *rows,
                             uint32_t count, unsigned count_bits, int64_t *cells, uint64_t used[4])
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = codes[i];
        int64_t *bin = cells + (size_t)code * histograms->cells;

        bin[0] += rows[i].packed;
        bin[1 + rows[i].gradient] += rows[i].packed >> count_bits;
        used[code >> 6] |= (uint64_t)1 << (code & 63);
    }
}

/* ---- a node ---- */

double class_histogram_node(ClassHistograms *histograms, const HistogramGrowth *growth, const HistogramScale *scale,
                            uint32_t *majority)
{
    *majority = 0;
    for (uint32_t k = 0; k < histograms->classes; k++) {
        histograms->total[k] = (double)histograms->node[1 + k] * scale->hessian;
        if (histograms->total[k] > histograms->total[*majority])
            *majority = k;
    }
    return tree_class_impurity(growth->criterion, histograms->total, histograms->classes,
                               histogram_hessian(scale, histograms->node[0]));
}

/* ---- a feature ---- */

typedef struct ClassSearch {
    ClassHistograms *histograms;
    const HistogramGrowth *growth;
    const HistogramScale *scale;
    const int64_t *cells; /* of the feature's bins */
    uint32_t feature, bins;
    const int64_t *missing; /* cells of NULLs; NULL: the node has none */
    double weight, parent, slack; /* of the node */
    HistogramSplit *best;
} ClassSearch;

static const int64_t *bin_of(const ClassSearch *search, uint32_t bin)
{
    return search->cells + (size_t)bin * search->histograms->cells;
}

static void begin_left(ClassSearch *search, bool missing_left)
{
    ClassHistograms *histograms = search->histograms;

    if (missing_left)
        memcpy(histograms->left, search->missing, histograms->cells * sizeof(int64_t));
    else
        memset(histograms->left, 0, histograms->cells * sizeof(int64_t));
}

/* Moves a bin to the left. Polls. */
static void move_bin(ClassSearch *search, uint32_t bin, uint64_t *work)
{
    ClassHistograms *histograms = search->histograms;
    const int64_t *from = bin_of(search, bin);

    for (uint32_t c = 0; c < histograms->cells; c++)
        histograms->left[c] += from[c];
    *work += 4 * (uint64_t)histograms->cells;
    if (*work < POLL_CELLS)
        return;
    *work = 0;
    histograms->env->poll(histograms->env);
}

/* Tells whether what is on the left so far makes a better split, and sets its gain. */
static bool is_better(ClassSearch *search, double *gain)
{
    ClassHistograms *histograms = search->histograms;
    const HistogramSplit *best = search->best;
    uint64_t left = histogram_count(search->scale, histograms->left[0]), least = search->growth->min_samples_leaf;
    uint64_t right = histogram_count(search->scale, histograms->node[0] - histograms->left[0]);
    double weight = histogram_hessian(search->scale, histograms->left[0]), rest = search->weight - weight;

    if (left < least || right < least || !(weight > 0 && rest > 0))
        return false;
    for (uint32_t k = 0; k < histograms->classes; k++) {
        histograms->left_weights[k] = (double)histograms->left[1 + k] * search->scale->hessian;
        histograms->right_weights[k] = (double)(histograms->node[1 + k] - histograms->left[1 + k]) * search->scale->hessian;
    }
    *gain = search->parent - tree_class_badness(search->growth->criterion, histograms->left_weights, histograms->classes, weight) -
            tree_class_badness(search->growth->criterion, histograms->right_weights, histograms->classes, rest);
    if (*gain < -search->slack || *gain < search->growth->min_decrease - search->slack)
        return false;
    if (!best->found || *gain > best->gain + search->slack)
        return true;
    return *gain >= best->gain - search->slack && search->feature < best->feature;
}

/* Looks at every cut of a numeric feature, with the rows that miss it on one side. used: its bins that have rows. */
static void search_cuts(ClassSearch *search, const uint8_t *used, uint32_t count, bool missing_left)
{
    uint32_t last = !missing_left && search->missing != NULL ? count : count - 1;
    uint64_t work = 0;
    double gain;

    begin_left(search, missing_left);
    for (uint32_t i = 0; i < last; i++) {
        move_bin(search, used[i], &work);
        if (is_better(search, &gain))
            *search->best = (HistogramSplit){.found = true,
                                             .gain = gain,
                                             .feature = search->feature,
                                             .bin = used[i],
                                             .next = i + 1 < count ? used[i + 1] : search->bins,
                                             .missing_left = missing_left,
                                             .left = {.packed = search->histograms->left[0]}};
    }
}

/* Puts the levels of a category that the node has in order. */
static void order_levels(ClassSearch *search, const uint8_t *used, uint32_t count, HistogramLevel *levels)
{
    ClassHistograms *histograms = search->histograms;
    LevelClasses of = {.levels = count,
                       .classes = histograms->classes,
                       .sums = histograms->level_sums,
                       .total = histograms->total,
                       .weight = search->weight};

    if (histograms->level_classes == NULL)
        histograms->level_classes =
            env_array_raw(histograms->env, (BINS_MAX + 1) * (size_t)histograms->classes, sizeof(double));
    of.weights = histograms->level_classes;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *from = bin_of(search, used[i]);

        histograms->level_sums[i] = histogram_hessian(search->scale, from[0]);
        for (uint32_t k = 0; k < histograms->classes; k++)
            histograms->level_classes[(size_t)i * histograms->classes + k] = (double)from[1 + k] * search->scale->hessian;
    }
    tree_component_keys(histograms->env, &of, histograms->room, histograms->keys);
    for (uint32_t i = 0; i < count; i++)
        levels[i] = (HistogramLevel){histograms->keys[i], used[i]};
    histogram_order_levels(levels, count);
}

/* Looks at every cut of the order of the levels, with the rows without a level on one side. */
static void search_subsets(ClassSearch *search, const HistogramLevel *levels, uint32_t count, bool missing_left)
{
    uint32_t last = search->missing != NULL ? count : count - 1;
    uint64_t bins[4] = {0}, work = 0;
    double gain;

    begin_left(search, missing_left);
    if (missing_left)
        bins[search->bins >> 6] |= (uint64_t)1 << (search->bins & 63);
    for (uint32_t i = 0; i < last; i++) {
        bins[levels[i].bin >> 6] |= (uint64_t)1 << (levels[i].bin & 63);
        move_bin(search, levels[i].bin, &work);
        if (!is_better(search, &gain))
            continue;
        *search->best = (HistogramSplit){.found = true,
                                         .gain = gain,
                                         .feature = search->feature,
                                         .missing_left = missing_left,
                                         .left = {.packed = search->histograms->left[0]}};
        memcpy(search->best->left_bins, bins, sizeof(bins));
    }
}

/* Sends what this node's rows do not decide the way of the child with more weight: NULLs, and levels that it lacks. */
static void decide_rest(ClassSearch *search, bool categorical)
{
    HistogramSplit *split = search->best;

    if (search->missing == NULL)
        split->missing_left = 2 * histogram_hessian(search->scale, split->left.packed) >= search->weight;
    for (uint32_t b = 0; categorical && split->missing_left && b < search->bins; b++)
        if (bin_of(search, b)[0] == 0)
            split->left_bins[b >> 6] |= (uint64_t)1 << (b & 63);
}

void class_histogram_split(ClassHistograms *histograms, const BinnedColumns *binned, const HistogramGrowth *growth,
                           const HistogramScale *scale, uint32_t feature, const int64_t *cells, const uint64_t *used_bits,
                           HistogramSplit *split)
{
    const BinnedFeature *column = &binned->feature[feature];
    ClassSearch search = {.histograms = histograms, .growth = growth, .scale = scale, .cells = cells, .feature = feature,
                          .bins = column->bins, .best = split};
    HistogramSplit before = *split;
    uint8_t used[BINS_MAX + 1];
    HistogramLevel levels[BINS_MAX + 1];
    uint32_t count = 0;

    for (uint32_t b = 0; b < column->bins; b++)
        if (used_bits != NULL ? used_bits[b >> 6] >> (b & 63) & 1 : bin_of(&search, b)[0] != 0)
            used[count++] = (uint8_t)b;
    if (column->missing && bin_of(&search, column->bins)[0] != 0)
        search.missing = bin_of(&search, column->bins);
    if (count == 0 || (count == 1 && search.missing == NULL))
        return;
    search.weight = histogram_hessian(scale, histograms->node[0]);
    search.parent = tree_class_badness(growth->criterion, histograms->total, histograms->classes, search.weight);
    search.slack = EQUALLY_GOOD * search.weight;
    if (column->categorical)
        order_levels(&search, used, count, levels);
    for (int missing_left = 0; missing_left <= (search.missing != NULL); missing_left++)
        if (column->categorical)
            search_subsets(&search, levels, count, missing_left);
        else if (!missing_left || count > 1)
            search_cuts(&search, used, count, missing_left);
    if (split->found != before.found || split->gain != before.gain || split->feature != before.feature)
        decide_rest(&search, column->categorical);
}
