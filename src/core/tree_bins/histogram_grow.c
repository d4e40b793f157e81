/*
 * histogram_grow.c - grows trees over binned columns.
 *
 * The rows of a node are a part of one list, which a split partitions stably. The smaller child gets its histogram from its
 * rows, the other one by subtraction from that of the node, in place. A node with few rows has no histogram of all features:
 * its rows are added to that of one feature at a time, or sorted if they are very few.
 */
#include "core/tree_bins/histogram_grow.h"
#include "core/tree_bins/class_histogram.h"
#include "core/base/heap.h"
#include "core/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_ROWS 256u     /* a node with fewer rows has no histogram */
#define CACHED_ROWS 8192u /* the bytes of fewer rows are read by rows: the cache keeps them for the histograms of the children */
#define POLL_CELLS 500000u /* cells of histograms between two polls */

typedef struct OpenNode {
    uint32_t node, first, count, depth;
    HistogramNode sums;
    HistogramSum *bins; /* the histogram; NULL: there was no room, or too few rows */
    HistogramSplit split;
} OpenNode;

struct HistogramGrower {
    Env *env;
    const BinnedColumns *binned;
    const HistogramGrowth *growth;
    /* of the tree */
    const HistogramRow *rows;
    const uint32_t *sizes;
    HistogramScale scale;
    uint64_t random;
    GrownTree *tree;
    uint32_t *order, *right; /* [rows] the list, and room for what goes right */
    OpenNode *open;
    uint32_t open_count, open_capacity, open_rows;
    uint32_t leaf_count;
    HistogramNode *bounds; /* [capacity] by node, with monotone */
    uint32_t bounds_capacity;
    ClassHistograms *classes; /* of more than two classes; NULL: one target */
    uint32_t stride;          /* HistogramSums per bin */
    /* histograms: those in the list are free */
    HistogramSum **free_bins;
    uint32_t free_count, made, most;
    bool *sorts; /* [groups] histogram_group_sorts */
    HistogramSum *one_feature; /* [256] zeros: the histogram of a feature of few rows */
    HistogramSum *spare; /* of nodes that must not keep one */
    uint32_t *features; /* [features] in the order of a draw */
    uint64_t cells;     /* since the last poll */
    NodeTeam *nodes;    /* divides large nodes; NULL: this process is alone */
    bool divided;       /* a node is divided up to its blocks (node_team_divide) */
    bool few_are_left;  /* ... and the smaller child is the left one */
};

static size_t histogram_bytes_of(const BinnedColumns *binned, uint32_t stride)
{
    return ((size_t)binned->bins + 1) * stride * sizeof(HistogramSum);
}

uint64_t histogram_grower_bytes(uint64_t rows, uint64_t bins, const HistogramGrowth *growth)
{
    uint64_t histograms = growth->max_leaves > 0 && growth->max_leaves < 64 ? growth->max_leaves : 64;

    return rows * 2 * sizeof(uint32_t) + (histograms + 2) * bins * class_histogram_stride(growth->classes) * sizeof(HistogramSum);
}

/* Returns room for a histogram on a boundary of 64 bytes, where histogram_add wants it. */
static HistogramSum *new_bins(Env *env, size_t bins)
{
    uintptr_t block = (uintptr_t)env_array_raw(env, bins + ENV_ALIGN / sizeof(HistogramSum), sizeof(HistogramSum));

    return (HistogramSum *)((block + ENV_ALIGN - 1) & ~(uintptr_t)(ENV_ALIGN - 1));
}

HistogramGrower *histogram_grower(const BinnedColumns *binned, const HistogramGrowth *growth, uint64_t histogram_bytes)
{
    Env *env = binned->env;
    HistogramGrower *grower = env_array(env, 1, sizeof(HistogramGrower));
    uint32_t stride = class_histogram_stride(growth->classes);
    uint64_t most = histogram_bytes / histogram_bytes_of(binned, stride);

    grower->env = env;
    grower->stride = stride;
    if (growth->classes > 2)
        grower->classes = class_histograms(env, growth->classes);
    grower->binned = binned;
    grower->growth = growth;
    grower->most = most > 4096 ? 4096 : (uint32_t)most;
    grower->order = env_array_raw(env, (size_t)binned->rows + 1, sizeof(uint32_t));
    grower->right = env_array_raw(env, (size_t)binned->rows + 1, sizeof(uint32_t));
    grower->free_bins = env_array(env, (size_t)grower->most + 1, sizeof(HistogramSum *));
    grower->one_feature = new_bins(env, (BINS_MAX + 1) * (size_t)stride);
    memset(grower->one_feature, 0, (BINS_MAX + 1) * stride * sizeof(HistogramSum));
    grower->sorts = env_array(env, (size_t)binned->group_count + 1, sizeof(bool));
    for (uint32_t g = 0; g < binned->group_count; g++)
        grower->sorts[g] = histogram_group_sorts(binned, growth, &binned->groups[g]);
    grower->features = env_array(env, (size_t)binned->features + 1, sizeof(uint32_t));
    return grower;
}

void histogram_grower_end(HistogramGrower *grower)
{
    grower->env->release(grower->env, grower->order);
    grower->env->release(grower->env, grower->right);
    grower->env->release(grower->env, grower->open);
}

void histogram_grower_share(const HistogramGrower *grower, NodeTeam *nodes)
{
    *nodes = (NodeTeam){.binned = grower->binned, .order = grower->order, .divided = grower->right};
}

void histogram_grower_join(HistogramGrower *grower, NodeTeam *nodes)
{
    grower->nodes = nodes;
    grower->order = nodes->order;
    grower->right = nodes->divided;
}

const uint32_t *histogram_order(const HistogramGrower *grower)
{
    return grower->order;
}

/* ---- histograms ---- */

/* Returns room for a histogram, of any content; NULL: there is none left. */
static HistogramSum *take_bins(HistogramGrower *grower)
{
    if (grower->free_count > 0)
        return grower->free_bins[--grower->free_count];
    if (grower->made == grower->most)
        return NULL;
    grower->made++;
    return new_bins(grower->env, (size_t)grower->binned->bins * grower->stride);
}

static void give_bins(HistogramGrower *grower, HistogramSum *bins)
{
    if (bins != NULL)
        grower->free_bins[grower->free_count++] = bins;
}

static void poll_cells(HistogramGrower *grower, uint64_t cells)
{
    grower->cells += cells;
    if (grower->cells < POLL_CELLS)
        return;
    grower->cells = 0;
    grower->env->poll(grower->env);
}

/* Tells whether a team does a node. */
static bool is_shared(const HistogramGrower *grower, const OpenNode *node)
{
    return grower->nodes != NULL && node->count >= TEAM_ROWS;
}

static void fill_bins(HistogramGrower *grower, const OpenNode *node, HistogramSum *bins)
{
    bool all = node->count == grower->binned->rows; /* the list is 0, 1, 2 ... */

    if (grower->divided) {
        grower->divided = false;
        node_team_move(grower->nodes, grower->few_are_left, grower->scale.count_bits, bins);
        return;
    }
    if (is_shared(grower, node)) {
        node_team_add(grower->nodes, node->first, node->count, grower->scale.count_bits, bins);
        return;
    }
    memset(bins, 0, (size_t)grower->binned->bins * grower->stride * sizeof(HistogramSum));
    if (grower->classes != NULL)
        class_histogram_add(grower->classes, grower->binned, grower->rows, grower->sizes,
                            all ? NULL : grower->order + node->first, node->count, grower->scale.count_bits,
                            (int64_t *)bins);
    else
        histogram_add(grower->binned, grower->rows, grower->sizes, all ? NULL : grower->order + node->first, node->count,
                      grower->scale.count_bits, bins);
}

/* Returns what a row brings to the packed sum. */
static inline int64_t packed_of(const HistogramGrower *grower, uint32_t row)
{
    return (int64_t)grower->rows[row].hessian << grower->scale.count_bits | (grower->sizes != NULL ? grower->sizes[row] : 1);
}

/* ---- the best split of a node ---- */

/* Sums the rows of a node, from the bins of the first feature if it has a histogram. */
static void add_total(HistogramGrower *grower, OpenNode *node)
{
    const BinnedFeature *first = grower->binned->feature;
    bool from_bins = node->bins != NULL && grower->classes == NULL && grower->binned->features > 0;

    node->sums.total = (HistogramSum){0, 0};
    for (uint32_t b = 0; from_bins && b < first->bins + first->missing; b++) {
        node->sums.total.gradient += node->bins[first->first + b].gradient;
        node->sums.total.packed += node->bins[first->first + b].packed;
    }
    for (uint32_t i = 0; !from_bins && i < node->count; i++) {
        const HistogramRow *row = &grower->rows[grower->order[node->first + i]];

        node->sums.total.gradient += row->gradient;
        node->sums.total.packed += packed_of(grower, grower->order[node->first + i]);
        if (i % POLL_CELLS == 0)
            grower->env->poll(grower->env);
    }
}

/* Looks at one feature of a node; bins: its histogram. */
static void search_feature(HistogramGrower *grower, OpenNode *node, uint32_t f, const HistogramSum *bins)
{
    const BinnedFeature *feature = &grower->binned->feature[f];

    poll_cells(grower, 2 * feature->bins);
    if (grower->classes != NULL) {
        class_histogram_split(grower->classes, grower->binned, grower->growth, &grower->scale, f,
                              (const int64_t *)(bins + (size_t)feature->first * grower->stride), NULL, &node->split);
        return;
    }
    histogram_split_feature(grower->binned, grower->growth, &grower->scale, &node->sums, f, bins + feature->first, NULL,
                            &node->split);
}

/* Tells whether all rows of a node have the same target, weight x target / weight, up to the rounding of both. */
static bool is_pure(const HistogramGrower *grower, const OpenNode *node)
{
    const uint32_t *order = grower->order + node->first;
    const HistogramRow *first = &grower->rows[order[0]];

    for (uint32_t i = 1; i < node->count; i++) {
        const HistogramRow *row = &grower->rows[order[i]];
        int64_t difference = (int64_t)row->gradient * first->hessian - (int64_t)first->gradient * row->hessian;
        int64_t rounding = (int64_t)row->hessian + first->hessian + llabs((int64_t)row->gradient) + llabs((int64_t)first->gradient);

        if (grower->classes != NULL ? row->gradient != first->gradient
            : row->hessian == first->hessian ? row->gradient != first->gradient
                                             : llabs(difference) > rounding)
            return false;
    }
    return true;
}

/* What a node with few rows has of a group of features: what each row brings, and its bytes by feature. */
typedef struct FewRows {
    _Alignas(16) HistogramSum sums[FEW_ROWS];
    uint8_t codes[BIN_GROUP][FEW_ROWS];
} FewRows;

static void copy_sums(const HistogramGrower *grower, const OpenNode *node, FewRows *few)
{
    const uint32_t *order = grower->order + node->first;

    for (uint32_t i = 0; i < node->count; i++) {
        const HistogramRow *row = &grower->rows[order[i]];

        few->sums[i] = (HistogramSum){row->gradient, packed_of(grower, order[i])};
    }
}

static void copy_codes(const HistogramGrower *grower, const OpenNode *node, const BinGroup *group, FewRows *few)
{
    const uint32_t *order = grower->order + node->first;
    BinRun run;

    for (uint32_t at = 0; at < node->count; at += run.count) {
        run = binned_run(grower->binned, group, order, at, node->count);
        for (uint32_t i = at; i < at + run.count; i++) {
            const uint8_t *cells = run.cells + (size_t)(order[i] - run.first) * group->stride;

            for (uint32_t f = 0; f < group->count; f++)
                few->codes[f][i] = cells[f];
        }
    }
}

/* Looks at one feature of a node with few rows. */
static void search_few_rows(HistogramGrower *grower, OpenNode *node, uint32_t f, const uint8_t *codes, const HistogramSum *rows)
{
    const BinnedColumns *binned = grower->binned;
    uint64_t used[4] = {0};

    if (grower->classes != NULL) {
        class_histogram_add_few(grower->classes, codes, rows, node->count, grower->scale.count_bits, (int64_t *)grower->one_feature,
                                used);
        class_histogram_split(grower->classes, binned, grower->growth, &grower->scale, f, (const int64_t *)grower->one_feature, used,
                              &node->split);
    } else {
        histogram_add_few(codes, rows, node->count, grower->one_feature, used);
        histogram_split_feature(binned, grower->growth, &grower->scale, &node->sums, f, grower->one_feature, used, &node->split);
        for (uint32_t i = 0; i < node->count; i++)
            grower->one_feature[codes[i]] = (HistogramSum){0, 0};
        return;
    }
    for (uint32_t w = 0; w < 4; w++)
        for (uint64_t bits = used[w]; bits != 0; bits &= bits - 1)
            memset(grower->one_feature + (w * 64 + (uint32_t)__builtin_ctzll(bits)) * (size_t)grower->stride, 0,
                   grower->stride * sizeof(HistogramSum));
}

/* Looks at all features of a node with few rows, whose bytes are read by rows: those of a row lie together. */
static void search_all_few(HistogramGrower *grower, OpenNode *node)
{
    const BinnedColumns *binned = grower->binned;
    /* every feature that tells two rows apart gains the same: the first one does */
    bool apart = node->count == 2 && grower->growth->criterion != TREE_NEWTON && grower->growth->monotone == NULL;
    bool copied = false;
    FewRows few;

    for (uint32_t g = 0; g < binned->group_count && !(apart && node->split.found); g++) {
        const BinGroup *group = &binned->groups[g];

        poll_cells(grower, (uint64_t)group->count * node->count);
        if (grower->sorts[g] && grower->sizes == NULL && node->count <= HISTOGRAM_LANES) {
            histogram_split_group(binned, grower->growth, &grower->scale, &node->sums, group, grower->rows,
                                  grower->order + node->first, node->count, &node->split);
            continue;
        }
        if (!copied)
            copy_sums(grower, node, &few);
        copied = true;
        copy_codes(grower, node, group, &few);
        for (uint32_t f = 0; f < group->count && !(apart && node->split.found); f++)
            if (!apart || few.codes[f][0] != few.codes[f][1])
                search_few_rows(grower, node, group->first + f, few.codes[f], few.sums);
    }
}

/* Looks at one feature of a node with few rows, by its column. */
static void search_column_of_few(HistogramGrower *grower, OpenNode *node, uint32_t f, const HistogramSum *rows)
{
    uint8_t codes[FEW_ROWS];

    poll_cells(grower, node->count);
    for (uint32_t i = 0; i < node->count; i++)
        codes[i] = (uint8_t)binned_code_at(grower->binned, f, grower->order[node->first + i]);
    search_few_rows(grower, node, f, codes, rows);
}

/* Looks at max_features features of a node, and at more until one of them splits it. */
static void search_drawn(HistogramGrower *grower, OpenNode *node, const HistogramSum *bins)
{
    uint32_t features = grower->binned->features, most = grower->growth->max_features;
    FewRows few;

    if (bins == NULL)
        copy_sums(grower, node, &few);
    for (uint32_t f = 0; f < features; f++)
        grower->features[f] = f;
    for (uint32_t i = 0; i < features && (i < most || !node->split.found); i++) {
        uint32_t at = i + (uint32_t)(random_unit(&grower->random) * (features - i)), drawn = grower->features[at];

        grower->features[at] = grower->features[i];
        grower->features[i] = drawn;
        if (bins != NULL)
            search_feature(grower, node, drawn, bins);
        else
            search_column_of_few(grower, node, drawn, few.sums);
    }
}

/* Looks at the features of a node. bins: its histogram; NULL: it has few rows. */
static void find_split(HistogramGrower *grower, OpenNode *node, const HistogramSum *bins)
{
    uint32_t features = grower->binned->features, most = grower->growth->max_features;

    node->split = (HistogramSplit){.found = false};
    if (grower->growth->split_impure && is_pure(grower, node))
        return;
    if (most > 0 && most < features)
        search_drawn(grower, node, bins);
    else if (bins == NULL)
        search_all_few(grower, node);
    else
        for (uint32_t f = 0; f < features; f++)
            search_feature(grower, node, f, bins);
}

static bool may_split(const HistogramGrower *grower, const OpenNode *node)
{
    const HistogramGrowth *growth = grower->growth;
    uint64_t size = grower->sizes != NULL ? histogram_count(&grower->scale, node->sums.total.packed) : node->count;

    return node->depth < growth->max_depth && size >= growth->min_samples_split && node->count >= 2 &&
           size / 2 >= growth->min_samples_leaf;
}

/* ---- leaves and open nodes ---- */

static void add_leaf(HistogramGrower *grower, const OpenNode *node)
{
    GrownNode *leaf = &grower->tree->nodes[node->node];

    leaf->rows = node->count;
    leaf->first_row = node->first;
    grower->leaf_count++;
}

/* Tells whether a node is split before another one. */
static bool goes_before(const void *left, const void *right, const void *context)
{
    const OpenNode *a = left, *b = right;
    bool best_first = ((const HistogramGrowth *)context)->best_first;

    if (best_first && a->split.gain != b->split.gain)
        return a->split.gain > b->split.gain;
    if (!best_first && a->depth != b->depth)
        return a->depth < b->depth;
    return a->node < b->node;
}

/* Adds an open node: to a heap if the number of leaves is limited, so that the order matters; else to a stack. */
static void push_open(HistogramGrower *grower, const OpenNode *node)
{
    uint32_t at = grower->open_count++;

    if (at == grower->open_capacity) {
        grower->open_capacity = at == 0 ? 64 : 2 * at;
        grower->open = grower->env->resize(grower->env, grower->open, grower->open_capacity * sizeof(OpenNode));
    }
    if (grower->growth->max_leaves == 0)
        grower->open[at] = *node;
    else
        heap_add(grower->open, at, node, sizeof(OpenNode), goes_before, grower->growth);
}

static OpenNode pop_open(HistogramGrower *grower)
{
    uint32_t count = grower->open_count--;
    OpenNode node;

    if (grower->growth->max_leaves == 0)
        return grower->open[count - 1];
    heap_take_first(grower->open, count, &node, sizeof(OpenNode), goes_before, grower->growth);
    return node;
}

/* ---- splitting ---- */

/* Moves the rows of a node that go left before the others, or, of a node that a team does, prepares that; returns how many they are. */
static uint32_t partition(HistogramGrower *grower, const OpenNode *node)
{
    const BinnedFeature *feature = &grower->binned->feature[node->split.feature];
    uint32_t *order = grower->order + node->first, *right = grower->right, lefts = 0, rights = 0;
    BinRun run;

    if (is_shared(grower, node)) {
        lefts = node_team_divide(grower->nodes, node->first, node->count, &node->split);
        grower->divided = true;
        grower->few_are_left = 2 * lefts <= node->count;
        return lefts;
    }
    for (uint32_t start = 0; start < node->count; start += run.count) {
        size_t step = 1;

        if (node->count < CACHED_ROWS)
            run = binned_cells_run(grower->binned, node->split.feature, order, start, node->count, &step);
        else
            run = binned_column_run(grower->binned, node->split.feature, order, start, node->count);
        run.count = run.count < POLL_CELLS ? run.count : POLL_CELLS;
        poll_cells(grower, run.count);
        for (uint32_t i = start; i < start + run.count; i++) {
            uint32_t row = order[i], goes_left = histogram_goes_left(feature, &node->split, run.cells[(row - run.first) * step]);

            order[lefts] = row;
            right[rights] = row;
            lefts += goes_left;
            rights += 1 - goes_left;
        }
    }
    memcpy(order + lefts, right, rights * sizeof(uint32_t));
    return lefts;
}

static void set_values(HistogramGrower *grower, const OpenNode *node)
{
    GrownNode *grown = &grower->tree->nodes[node->node];
    double sum = (double)node->sums.total.gradient * grower->scale.gradient;
    double weight = histogram_hessian(&grower->scale, node->sums.total.packed);

    grown->cover = node->count;
    if (grower->growth->criterion == TREE_NEWTON) {
        grown->value = histogram_node_value(grower->growth, &grower->scale, &node->sums);
        grown->impurity = -sum * sum / (weight + grower->growth->lambda) / node->count;
    } else {
        grown->value = weight > 0 ? sum / weight : 0;
    }
    if (grower->growth->monotone == NULL)
        return;
    if (grower->bounds_capacity <= node->node) {
        grower->bounds_capacity = 2 * node->node + 64;
        grower->bounds = grower->env->resize(grower->env, grower->bounds, grower->bounds_capacity * sizeof(HistogramNode));
    }
    grower->bounds[node->node] = node->sums;
}

HistogramNode histogram_bounds(const HistogramGrower *grower, uint32_t node)
{
    return grower->bounds != NULL ? grower->bounds[node] : (HistogramNode){.low = -INFINITY, .high = INFINITY};
}

/* Sums the classes of a node, from the bins of the first feature or from its rows, and sets its impurity and majority. */
static void sum_classes(HistogramGrower *grower, const OpenNode *node, const HistogramSum *bins)
{
    ClassHistograms *classes = grower->classes;
    GrownNode *grown = &grower->tree->nodes[node->node];
    const int64_t *cells = (const int64_t *)bins;

    memset(classes->node, 0, classes->cells * sizeof(int64_t));
    if (bins != NULL && grower->binned->features > 0) {
        const BinnedFeature *first = &grower->binned->feature[0];

        for (uint32_t b = 0; b < first->bins + first->missing; b++)
            for (uint32_t c = 0; c < classes->cells; c++)
                classes->node[c] += cells[(size_t)b * classes->cells + c];
    } else {
        for (uint32_t i = 0; i < node->count; i++) {
            uint32_t row = grower->order[node->first + i];

            classes->node[0] += packed_of(grower, row);
            classes->node[1 + grower->rows[row].gradient] += grower->rows[row].hessian;
        }
        poll_cells(grower, node->count);
    }
    grown->impurity = class_histogram_node(classes, grower->growth, &grower->scale, &grown->majority);
}

/*
 * Sets the threshold halfway between the rows of the node on both sides of bins [first, next). Where a bin without rows of the node
 * lies there it is beside that bin: rows outside the sample are judged by their bins, as the tree will by their values.
 */
static void put_midpoint(const BinnedFeature *feature, uint32_t first, uint32_t next, GrownNode *grown)
{
    double middle = bin_midpoint(feature->high[first], feature->low[next]);
    uint32_t below = first, above = next; /* the last bin that begins at or below the middle */

    while (above - below > 1) {
        uint32_t half = below + (above - below) / 2;

        if (feature->low[half] <= middle)
            below = half;
        else
            above = half;
    }
    if (middle < feature->high[below]) { /* within a bin */
        if (middle - feature->low[below] < feature->high[below] - middle)
            below--;
        middle = bin_midpoint(feature->high[below], feature->low[below + 1]);
    }
    grown_tree_threshold(grown, middle, feature->high[below], feature->low[below + 1]);
}

/* Writes the feature of a split, and where its levels and rows without a value go, into a node of a tree, which it returns. */
static GrownNode *put_split(GrownTree *tree, uint32_t node, const BinnedColumns *binned, const HistogramSplit *split)
{
    const BinnedFeature *feature = &binned->feature[split->feature];
    GrownNode *grown;
    uint32_t set = 0;

    if (feature->categorical) {
        set = grown_tree_set(tree, feature->levels);
        for (uint32_t l = 0; l < feature->levels; l++) {
            uint16_t bin = feature->level_bin[l];

            if (bin == BIN_NONE ? split->missing_left : split->left_bins[bin >> 6] >> (bin & 63) & 1)
                grown_tree_put_level(tree, set, l);
        }
    }
    grown = &tree->nodes[node];
    grown->slot = feature->slot;
    grown->category = feature->categorical;
    grown->set = set;
    grown->missing_left = split->missing_left;
    return grown;
}

/* Writes the split of a node into the tree. */
static void write_split(HistogramGrower *grower, const OpenNode *node)
{
    const HistogramSplit *split = &node->split;
    const BinnedFeature *feature = &grower->binned->feature[split->feature];
    GrownNode *grown = put_split(grower->tree, node->node, grower->binned, split);

    if (feature->categorical)
        return;
    if ((grower->growth->midpoints ? split->next : split->bin + 1) >= feature->bins) {
        grown_tree_threshold(grown, INFINITY, INFINITY, INFINITY);
        return;
    }
    put_midpoint(feature, split->bin, grower->growth->midpoints ? split->next : split->bin + 1, grown);
}

/* Ends a division that no histogram has ended. */
static void end_division(HistogramGrower *grower)
{
    if (grower->divided)
        node_team_move(grower->nodes, false, 0, NULL);
    grower->divided = false;
}

/* Gives the children what histograms they need: the smaller one's from its rows, the other one's by subtraction. */
static void share_bins(HistogramGrower *grower, OpenNode *node, OpenNode *small, OpenNode *large)
{
    bool small_needs = may_split(grower, small) && small->count >= FEW_ROWS;
    bool large_needs = may_split(grower, large) && large->count >= FEW_ROWS;
    HistogramSum *bins = NULL;

    if (small_needs || (large_needs && node->bins != NULL))
        bins = take_bins(grower);
    if (bins != NULL)
        fill_bins(grower, small, bins);
    end_division(grower);
    if (bins != NULL) {
        if (large_needs && node->bins != NULL) {
            histogram_subtract(node->bins, bins, grower->binned->bins * grower->stride);
            large->bins = node->bins;
            node->bins = NULL;
        }
        if (small_needs)
            small->bins = bins;
        else
            give_bins(grower, bins);
    }
    give_bins(grower, node->bins);
    node->bins = NULL;
    if (large_needs && large->bins == NULL && (large->bins = take_bins(grower)) != NULL)
        fill_bins(grower, large, large->bins);
}

/* Finds the split of a node, which becomes an open node, or a leaf if it has none. */
static void add_node(HistogramGrower *grower, OpenNode *node)
{
    HistogramSum *bins = node->bins;

    set_values(grower, node);
    node->split.found = false;
    if (bins == NULL && node->count >= FEW_ROWS && may_split(grower, node)) {
        /* too many open nodes to keep the histogram of each */
        if (grower->spare == NULL)
            grower->spare = new_bins(grower->env, (size_t)grower->binned->bins * grower->stride);
        bins = grower->spare;
        fill_bins(grower, node, bins);
    }
    if (grower->classes != NULL)
        sum_classes(grower, node, bins);
    if (may_split(grower, node))
        find_split(grower, node, bins);
    if (node->split.found) {
        push_open(grower, node);
        return;
    }
    give_bins(grower, node->bins);
    add_leaf(grower, node);
}

static void split_node(HistogramGrower *grower, OpenNode *node)
{
    uint32_t lefts = partition(grower, node);
    OpenNode left = {.first = node->first, .count = lefts, .depth = node->depth + 1, .sums = node->sums};
    OpenNode right = left;

    right.first += lefts;
    right.count = node->count - lefts;
    left.sums.total = node->split.left;
    right.sums.total.gradient = node->sums.total.gradient - left.sums.total.gradient;
    right.sums.total.packed = node->sums.total.packed - left.sums.total.packed;
    histogram_bound_children(grower->growth, &grower->scale, node->split.feature, &left.sums, &right.sums);
    write_split(grower, node);
    left.node = grown_tree_node(grower->tree);
    right.node = grown_tree_node(grower->tree);
    grower->tree->nodes[node->node].left = left.node;
    grower->tree->nodes[node->node].right = right.node;
    if (left.count <= right.count)
        share_bins(grower, node, &left, &right);
    else
        share_bins(grower, node, &right, &left);
    add_node(grower, &right);
    add_node(grower, &left);
}

static void fill_root(HistogramGrower *grower, OpenNode *root)
{
    if (may_split(grower, root) && root->count >= FEW_ROWS && (root->bins = take_bins(grower)) != NULL)
        fill_bins(grower, root, root->bins);
}

void histogram_grow(HistogramGrower *grower, const HistogramRow *rows, const uint32_t *sizes, const HistogramScale *scale,
                    const uint32_t *sample, uint32_t count, uint64_t number, GrownTree *tree)
{
    OpenNode root = {.count = count, .sums = {.low = -INFINITY, .high = INFINITY}};
    uint32_t most = grower->growth->max_leaves;

    grown_tree_clear(tree);
    grower->rows = rows;
    grower->sizes = sizes;
    grower->scale = *scale;
    grower->tree = tree;
    grower->leaf_count = grower->open_count = 0;
    grower->random = mix64(grower->growth->seed + RANDOM_STEP * (number + 1));
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_CELLS == 0)
            grower->env->poll(grower->env);
        grower->order[i] = sample != NULL ? sample[i] : i;
    }
    root.node = grown_tree_node(tree);
    if (sizes == NULL) /* else it depends on the total whether it may be split */
        fill_root(grower, &root);
    add_total(grower, &root);
    if (sizes != NULL)
        fill_root(grower, &root);
    add_node(grower, &root);
    while (grower->open_count > 0 && (most == 0 || grower->open_count + grower->leaf_count < most)) {
        OpenNode node = pop_open(grower);

        split_node(grower, &node);
    }
    while (grower->open_count > 0) {
        OpenNode node = pop_open(grower);

        give_bins(grower, node.bins);
        add_leaf(grower, &node);
    }
}
