/*
 * neighbor_index.c - k-d and ball trees over ordered rows, and searching them.
 *
 * A node is a run of leaves. Its left child has the first half of them, rounded up, and follows it in memory. A node of a k-d tree
 * stores the smallest box around its rows (Friedman, Bentley & Finkel 1977), a node of a ball tree their mean and the distance of
 * the farthest row (Omohundro 1989). The child nearer to the query is searched first. A node is skipped if none of its rows can
 * come before the last neighbor found, ties by position included.
 *
 * The bound of a box is never above the reduced distance of a row in it, because both are sums of the same kind, rounded alike. The
 * bound of a ball is a difference of lengths, so it is lowered by the largest rounding error.
 */
#include "core/neighbors/neighbor_groups.h"
#include "core/base/heap.h"
#include "core/neighbors/neighbor_index.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEIGHBOR_DEPTH_MAX 64 /* levels of a tree */

/* A node of the tree: its place in memory order, and its leaves. */
typedef struct NeighborNode {
    uint32_t number, first, last; /* leaves [first, last) */
} NeighborNode;

static inline bool node_is_leaf(NeighborNode node)
{
    return node.last - node.first == 1;
}

static inline NeighborNode left_child(NeighborNode node)
{
    return (NeighborNode){node.number + 1, node.first, node.first + (node.last - node.first + 1) / 2};
}

static inline NeighborNode right_child(NeighborNode node)
{
    uint32_t left = (node.last - node.first + 1) / 2;

    return (NeighborNode){node.number + 2 * left, node.first + left, node.last};
}

static inline uint32_t node_rows(const NeighborIndex *index, NeighborNode node)
{
    uint64_t end = (uint64_t)node.last * NEIGHBOR_LEAF;

    return (uint32_t)((end < index->count ? end : index->count) -
                      (uint64_t)node.first * NEIGHBOR_LEAF);
}

static inline double *node_data(const NeighborIndex *index, NeighborNode node)
{
    return index->nodes + (size_t)node.number * index->node_size;
}

static uint32_t group_of_both(uint32_t a, uint32_t b)
{
    if (a == GROUP_NONE || a == b)
        return b;
    return b == GROUP_NONE ? a : GROUP_MIXED;
}

static void update_node(NeighborGroups *groups, NeighborNode node)
{
    uint32_t group = GROUP_NONE;

    if (node_is_leaf(node)) {
        uint32_t first = node.first * NEIGHBOR_LEAF, count = node_rows(groups->index, node);

        for (uint32_t i = 0; i < count; i++)
            group = group_of_both(group, groups->rows[first + i]);
        env_poll_every(groups->index->env, node.first, 256);
    } else {
        update_node(groups, left_child(node));
        update_node(groups, right_child(node));
        group = group_of_both(groups->nodes[left_child(node).number], groups->nodes[right_child(node).number]);
    }
    groups->nodes[node.number] = group;
}

static void fill_least(NeighborGroups *groups, NeighborNode node)
{
    double least = INFINITY;

    if (node_is_leaf(node)) {
        uint32_t first = node.first * NEIGHBOR_LEAF, count = node_rows(groups->index, node);

        for (uint32_t i = 0; i < count; i++)
            least = fmin(least, groups->least[first + i]);
    } else {
        fill_least(groups, left_child(node));
        fill_least(groups, right_child(node));
        least = fmin(groups->least_nodes[left_child(node).number], groups->least_nodes[right_child(node).number]);
    }
    groups->least_nodes[node.number] = least;
}

static NeighborNode root_of(const NeighborIndex *index)
{
    return (NeighborNode){.last = index->leaves};
}

NeighborGroups *neighbor_groups(const NeighborIndex *index, double *least)
{
    Env *env = index->env;
    NeighborGroups *groups = env_array(env, 1, sizeof *groups);

    groups->index = index;
    groups->rows = env_array_raw(env, index->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < index->count; i++)
        groups->rows[i] = GROUP_NONE;
    groups->least = least;
    if (index->kind == INDEX_BRUTE)
        return groups;
    groups->nodes = env_array_raw(env, 2 * (size_t)index->leaves - 1, sizeof(uint32_t));
    update_node(groups, root_of(index));
    if (least != NULL) {
        groups->least_nodes = env_array_raw(env, 2 * (size_t)index->leaves - 1, sizeof(double));
        fill_least(groups, root_of(index));
    }
    return groups;
}

void neighbor_groups_update(NeighborGroups *groups)
{
    if (groups->nodes != NULL)
        update_node(groups, root_of(groups->index));
}

#define TREE_MIN_ROWS 128    /* fewer rows are compared one by one */
#define TREE_MAX_WIDTH 16    /* with more coordinates a tree seldom rules out enough rows */
#define PRODUCT_MIN_WIDTH 8  /* with fewer coordinates products of matrices save no time */
#define BRUTE_BLOCK 256      /* rows */
#define POLL_WORK (1u << 20) /* coordinates between two polls, about a millisecond */

/* ---- choosing ---- */

const char *neighbor_index_name(IndexKind kind)
{
    return kind == INDEX_BRUTE ? "brute" : kind == INDEX_KD_TREE ? "kd_tree" : "ball_tree";
}

bool neighbor_tree_possible(const Metric *metric)
{
    return metric->box && metric->ball;
}

IndexKind neighbor_index_auto(const Metric *metric, uint32_t count)
{
    if (!neighbor_tree_possible(metric) || count < TREE_MIN_ROWS ||
        metric->width > TREE_MAX_WIDTH)
        return INDEX_BRUTE;
    return INDEX_KD_TREE;
}

/* ---- nodes and bounds ---- */

/* Returns a lower bound of the reduced distance whose metric_root is this length. */
static double reduced_of_length(const NeighborIndex *index, double length)
{
    const Metric *metric = index->metric;

    switch (metric->form) {
    case FORM_SQUARES:
        return length * length * (1 - index->relative);
    case FORM_POWERS:
        return pow(length, metric->p) * (1 - index->relative * (1 + metric->p));
    case FORM_SETS:
        return metric->kind == METRIC_DICE ? (length < 1 ? length / (2 - length) : 1) * (1 - 2 * index->relative) : length;
    default:
        return length;
    }
}

/* Computes the boxes of a node and all nodes below it. */
static void fill_boxes(const NeighborIndex *index, const double *rows, NeighborNode node)
{
    uint32_t width = index->width;
    double *low = node_data(index, node), *high = low + width;

    if (node_is_leaf(node)) {
        const double *row = rows + (size_t)node.first * NEIGHBOR_LEAF * width;
        uint32_t count = node_rows(index, node);

        memcpy(low, row, width * sizeof(double));
        memcpy(high, row, width * sizeof(double));
        for (uint32_t i = 1; i < count; i++) {
            row += width;
            for (uint32_t j = 0; j < width; j++) {
                low[j] = row[j] < low[j] ? row[j] : low[j];
                high[j] = row[j] > high[j] ? row[j] : high[j];
            }
        }
        env_poll_every(index->env, node.first, 64);
    } else {
        const double *left = node_data(index, left_child(node));
        const double *right = node_data(index, right_child(node));

        fill_boxes(index, rows, left_child(node));
        fill_boxes(index, rows, right_child(node));
        for (uint32_t j = 0; j < width; j++) {
            low[j] = left[j] < right[j] ? left[j] : right[j];
            high[j] = left[width + j] > right[width + j] ? left[width + j] : right[width + j];
        }
    }
}

/* Writes the mean of the numbers [width]; its symbols are those of the middle row. */
static void mean_of(const NeighborIndex *index, const double *rows, uint32_t count, double *mean)
{
    const Metric *metric = index->metric;
    double share = 1.0 / count;

    memcpy(mean, rows + (size_t)(count / 2) * index->width, index->width * sizeof(double));
    memset(mean, 0, metric->numbers * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < metric->numbers; j++)
            mean[j] += rows[(size_t)i * index->width + j] * share;
        env_poll_every(index->env, i + 1, 4096);
    }
}

/* Computes the balls of a node and all nodes below it. */
static void fill_balls(const NeighborIndex *index, const double *rows, NeighborNode node)
{
    double *center = node_data(index, node), *radius = center + index->width, farthest = 0;
    uint32_t count = node_rows(index, node);
    double reduced[NEIGHBOR_LEAF];

    mean_of(index, rows + (size_t)node.first * NEIGHBOR_LEAF * index->width, count, center);
    for (uint32_t leaf = node.first; leaf < node.last; leaf++) {
        metric_reduced_panels(index->metric, center,
                              index->panels + (size_t)leaf * NEIGHBOR_LEAF * index->width,
                              (uint32_t)metric_panel_count(node_rows(
                                  index, (NeighborNode){.first = leaf, .last = leaf + 1})),
                              reduced);
        for (uint32_t i = 0; i < node_rows(index, (NeighborNode){.first = leaf, .last = leaf + 1}); i++)
            farthest = reduced[i] > farthest ? reduced[i] : farthest;
        env_poll_every(index->env, leaf, 64);
    }
    *radius = metric_root(index->metric, farthest) * (1 + index->relative) + index->absolute;
    if (!node_is_leaf(node)) {
        fill_balls(index, rows, left_child(node));
        fill_balls(index, rows, right_child(node));
    }
}

static void fill_panels(const NeighborIndex *index, const double *rows)
{
    uint32_t step = NEIGHBOR_LEAF * 32;

    for (uint32_t first = 0; first < index->count; first += step) {
        uint32_t count = index->count - first < step ? index->count - first : step;

        metric_fill_panels(index->metric, rows + (size_t)first * index->width, count,
                           index->panels + (size_t)first * index->width);
        index->env->poll(index->env);
        if (index->count - first <= step)
            break;
    }
}

NeighborIndex *neighbor_index(Env *env, const Metric *metric, const double *rows, uint32_t count,
                                IndexKind kind, bool keep_rows)
{
    NeighborIndex *index = env_array(env, 1, sizeof(NeighborIndex));
    NeighborNode root = {.number = 0, .first = 0};

    *index = (NeighborIndex){.env = env,
                              .metric = metric,
                              .kind = kind,
                              .count = count,
                              .width = metric->width,
                              .leaves = (count - 1) / NEIGHBOR_LEAF + 1};
    if (keep_rows)
        index->rows = rows;
    if (keep_rows && metric->form == FORM_SQUARES && metric->symbols == 0 &&
        metric->width >= PRODUCT_MIN_WIDTH) {
        index->center = env_array(env, metric->width, sizeof(double));
        mean_of(index, rows, count, index->center);
    }
    if (kind == INDEX_BRUTE)
        return index;
    root.last = index->leaves;
    index->relative = 8 * DBL_EPSILON * (metric->width + 16);
    index->absolute = 2 * metric_root(metric, 4 * metric->width * DBL_TRUE_MIN);
    index->panels = env_array_raw(env, metric_panel_count(count) * METRIC_PANEL,
                                  (size_t)index->width * sizeof(double));
    fill_panels(index, rows);
    index->node_size = kind == INDEX_KD_TREE ? 2 * index->width : index->width + 1;
    index->nodes = env_array_raw(env, 2 * (size_t)index->leaves - 1,
                                 (size_t)index->node_size * sizeof(double));
    if (kind == INDEX_KD_TREE)
        fill_boxes(index, rows, root);
    else
        fill_balls(index, rows, root);
    return index;
}

void neighbor_index_pack(Pack *pack, NeighborIndex **place)
{
    bool opens = pack->mode == PACK_OPEN;
    NeighborIndex *index = opens ? env_array(pack->env, 1, sizeof(NeighborIndex)) : *place;
    Metric *metric = opens ? env_array(pack->env, 1, sizeof(Metric)) : (Metric *)index->metric;

    metric_pack(pack, metric);
    pack_value(pack, index, sizeof *index);
    if (opens) {
        index->env = pack->env;
        index->metric = metric;
        *place = index;
    }
    pack_array(pack, &index->rows, index->count, index->width * sizeof(double));
    pack_array(pack, &index->panels, metric_panel_count(index->count) * METRIC_PANEL, index->width * sizeof(double));
    pack_array(pack, &index->nodes, 2 * (size_t)index->leaves - 1, index->node_size * sizeof(double));
    pack_array(pack, &index->center, index->width, sizeof(double));
}

void neighbor_row(const NeighborIndex *index, uint32_t position, double *coordinates)
{
    if (index->rows) {
        memcpy(coordinates, index->rows + (size_t)position * index->width,
               index->width * sizeof(double));
        return;
    }
    metric_panel_read(index->metric, index->panels, position, coordinates);
}

/* ---- heaps of the k least ---- */

/* A HeapBefore: the farthest first. */
static bool comes_later(const void *left, const void *right, const void *context)
{
    const Neighbor *a = left;

    return neighbor_before(((const Neighbor *)right)->reduced, ((const Neighbor *)right)->position, a);
}

void neighbor_heap_put(Neighbor *heap, uint32_t *count, uint32_t k, double reduced,
                        uint32_t position)
{
    Neighbor item = {reduced, position};

    if (*count < k)
        heap_add(heap, (*count)++, &item, sizeof item, comes_later, NULL);
    else if (neighbor_before(reduced, position, &heap[0]))
        heap_replace_first(heap, k, &item, sizeof item, comes_later, NULL);
}

void neighbor_heap_sort(Neighbor *heap, uint32_t count)
{
    for (; count > 1; count--) {
        Neighbor farthest;

        heap_take_first(heap, count, &farthest, sizeof farthest, comes_later, NULL);
        heap[count - 1] = farthest;
    }
}

/* ---- searching ---- */

NeighborSearch *neighbor_search(const NeighborIndex *index, uint32_t room)
{
    Env *env = index->env;
    NeighborSearch *search = env_array(env, 1, sizeof(NeighborSearch));

    search->index = index;
    search->query = env_array(env, index->width, sizeof(double));
    search->row = env_array(env, index->width, sizeof(double));
    search->room = room > 0 ? room : 1;
    search->found = env_array(env, search->room, sizeof(Neighbor));
    search->reduced = env_array(env, BRUTE_BLOCK, sizeof(double));
    return search;
}

/* Makes room for this many neighbors. */
static void make_room(NeighborSearch *search, uint32_t room)
{
    Env *env = search->index->env;

    if (room <= search->room)
        return;
    search->found = env->resize(env, search->found, (size_t)room * sizeof(Neighbor));
    search->room = room;
}

static void poll_after(NeighborSearch *search, uint64_t work)
{
    env_poll_after(search->index->env, &search->unpolled, work, POLL_WORK);
}

/* What a search looks for: the k nearest rows, all rows up to a reduced distance, or those of other groups. */
typedef struct Goal {
    uint32_t k; /* 0: all */
    uint32_t skip; /* position to leave out */
    double limit;  /* rows with a larger reduced distance are ignored */
    const NeighborGroups *groups; /* rows of other groups than `own` go to `found`; NULL: rows go to the search */
    uint32_t own;
    NeighborFound found;
    void *context;
} Goal;

/* Reports the rows of other groups that are near enough. */
static void report_found(const NeighborSearch *search, Goal *goal, uint32_t first, uint32_t count)
{
    const uint32_t *groups = goal->groups->rows + first;
    const double *least = goal->groups->least;

    for (uint32_t i = 0; i < count; i++) {
        double distance = search->reduced[i];

        if (!(distance <= goal->limit) || groups[i] == goal->own || groups[i] == GROUP_NONE)
            continue;
        if (least != NULL && least[first + i] > distance)
            distance = least[first + i];
        if (distance <= goal->limit)
            goal->limit = goal->found(goal->context, first + i, distance, goal->limit);
    }
}

/* Adds the rows first .. first + count - 1 to the neighbors found if they are near enough, by search->reduced. */
static void add_found(NeighborSearch *search, Goal *goal, uint32_t first, uint32_t count)
{
    const double *reduced = search->reduced;

    if (goal->groups != NULL) {
        report_found(search, goal, first, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(reduced[i] <= goal->limit) || first + i == goal->skip)
            continue;
        if (goal->k == 0) {
            if (search->count == search->room)
                make_room(search, search->room < UINT32_MAX / 2 ? 2 * search->room : UINT32_MAX);
            search->found[search->count++] = (Neighbor){reduced[i], first + i};
        } else {
            neighbor_heap_put(search->found, &search->count, goal->k, reduced[i], first + i);
            if (search->count == goal->k)
                goal->limit = search->found[0].reduced;
        }
    }
}

static void search_all(NeighborSearch *search, Goal *goal)
{
    const NeighborIndex *index = search->index;

    for (uint32_t first = 0; first < index->count;) {
        uint32_t count = index->count - first < BRUTE_BLOCK ? index->count - first : BRUTE_BLOCK;

        metric_reduced_rows(index->metric, search->query,
                            index->rows + (size_t)first * index->width, count, search->reduced);
        add_found(search, goal, first, count);
        poll_after(search, (uint64_t)count * index->width);
        first += count;
    }
    search->evaluated += index->count;
}

static double node_bound(const NeighborSearch *search, NeighborNode node)
{
    const NeighborIndex *index = search->index;
    const double *data = node_data(index, node);
    double length;

    if (index->kind == INDEX_KD_TREE)
        return metric_reduced_box(index->metric, search->query, data, data + index->width);
    length = metric_root(index->metric, metric_reduced(index->metric, search->query, data));
    if (!(length < DBL_MAX)) /* infinite or NaN: the radius cannot be subtracted */
        return 0;
    length = (length * (1 - index->relative) - index->absolute - data[index->width]) *
             (1 - index->relative);
    return length > 0 ? reduced_of_length(index, length) : 0;
}

/* Tells whether a node has no row that is looked for. bound: node_bound of the node. */
static inline bool node_is_ruled_out(const NeighborSearch *search, const Goal *goal, NeighborNode node,
                               double bound)
{
    const NeighborGroups *groups = goal->groups;

    if (bound > goal->limit)
        return true;
    if (groups != NULL)
        return groups->nodes[node.number] == goal->own || groups->nodes[node.number] == GROUP_NONE ||
               (groups->least_nodes != NULL && groups->least_nodes[node.number] > goal->limit);
    return bound == goal->limit && goal->k > 0 && search->count == goal->k &&
           (uint64_t)node.first * NEIGHBOR_LEAF > search->found[0].position;
}

static void search_leaf(NeighborSearch *search, Goal *goal, NeighborNode node)
{
    const NeighborIndex *index = search->index;
    uint32_t count = node_rows(index, node);

    metric_reduced_panels(index->metric, search->query,
                          index->panels + (size_t)node.first * NEIGHBOR_LEAF * index->width,
                          (uint32_t)metric_panel_count(count), search->reduced);
    add_found(search, goal, node.first * NEIGHBOR_LEAF, count);
    search->evaluated += count;
    poll_after(search, (uint64_t)count * index->width + 64);
}

/* Searches depth first, the nearer child before the other. */
static void search_tree(NeighborSearch *search, Goal *goal)
{
    typedef struct Pending {
        NeighborNode node;
        double bound;
    } Pending;
    Pending pending[NEIGHBOR_DEPTH_MAX], now; /* pending: the farther children on the path to the current node */
    uint32_t count = 0;

    now.node = (NeighborNode){.number = 0, .first = 0, .last = search->index->leaves};
    now.bound = node_bound(search, now.node);
    search->nodes++;
    for (;;) {
        if (!node_is_ruled_out(search, goal, now.node, now.bound)) {
            Pending left, right;

            if (!node_is_leaf(now.node)) {
                left.node = left_child(now.node);
                right.node = right_child(now.node);
                left.bound = node_bound(search, left.node);
                right.bound = node_bound(search, right.node);
                search->nodes += 2;
                pending[count++] = right.bound < left.bound ? left : right;
                now = right.bound < left.bound ? right : left;
                continue;
            }
            search_leaf(search, goal, now.node);
        }
        if (count == 0)
            return;
        now = pending[--count];
    }
}

static void search_by(NeighborSearch *search, Goal goal)
{
    search->count = 0;
    if (search->index->kind == INDEX_BRUTE)
        search_all(search, &goal);
    else
        search_tree(search, &goal);
    if (goal.groups != NULL)
        return;
    for (uint32_t i = 0; goal.k == 0 && i < search->count; i++) { /* in no particular order: makes a heap to sort */
        Neighbor found = search->found[i];

        heap_add(search->found, i, &found, sizeof found, comes_later, NULL);
    }
    neighbor_heap_sort(search->found, search->count);
}

void neighbor_nearest(NeighborSearch *search, uint32_t k, uint32_t skip)
{
    if (k > search->index->count)
        k = search->index->count;
    make_room(search, k);
    search_by(search, (Goal){.k = k, .skip = skip, .limit = neighbor_farthest(search->index->metric)});
}

void neighbor_nearest_within(NeighborSearch *search, uint32_t k, double reduced)
{
    if (k > search->index->count)
        k = search->index->count;
    make_room(search, k);
    search_by(search, (Goal){.k = k, .skip = NEIGHBOR_NONE, .limit = reduced});
}

void neighbor_within(NeighborSearch *search, double reduced)
{
    search_by(search, (Goal){.k = 0, .skip = NEIGHBOR_NONE, .limit = reduced});
}

void neighbor_others(const NeighborGroups *groups, NeighborSearch *search, uint32_t own, double limit, NeighborFound found,
                     void *context)
{
    search_by(search, (Goal){.skip = NEIGHBOR_NONE, .limit = limit, .groups = groups, .own = own, .found = found, .context = context});
}
