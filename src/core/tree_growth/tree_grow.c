/*
 * tree_grow.c - grows a tree: depth first, or the best leaf first where the number of leaves is limited.
 */
#include "core/tree_growth/tree_grow.h"
#include "core/base/heap.h"
#include "core/base/sort.h"
#include "core/tree_value/tree_levels.h"
#include "core/tree_growth/tree_split.h"

#include <math.h>
#include <string.h>

#define PURE 1e-14 /* an impurity that counts as 0: of classes; of numbers, as a share of the root's */
#define ROUNDING 1e-15 /* numbers that differ by less than this share of their size count as equal */
#define MAX_CLASSES 65535
#define POLL_ROWS 2000000
#define REPORT_ROWS 4096 /* that come to a leaf between two reports */
/*
 * Rows per class from which a node gets its class counts from its parent and its sibling. A tree of 400,000 rows of one feature takes
 * 21 percent longer without, of three features 3 percent.
 */
#define COUNTED_ROWS 64

/* A node that may be split. */
typedef struct OpenNode {
    uint32_t node, begin, end, depth;
    double lower, upper;
    double weight, impurity;
    double *counts;    /* [classes] of its rows; NULL: not known */
} OpenNode;

/* Best first: a node that can be split, with the split that was found when it was made. */
typedef struct Offer {
    OpenNode open;
    TreeSplit split;
    uint8_t *set;
} Offer;

typedef struct Grower {
    Env *env;
    const TreeColumns *columns;
    const TreeGrowth *growth;
    TreeSearch search;
    GrownTree *tree;
    uint32_t rows;
    uint8_t *side;        /* by row: 1 goes left */
    TreeRecord *room;     /* [rows] of parting a list */
    uint32_t list_count;
    OpenNode *open;       /* a stack */
    uint32_t open_count, open_capacity;
    Offer *offers;        /* a heap by decrease */
    uint32_t offer_count, offer_capacity;
    uint32_t reported; /* rows in leaves, as far as they are reported: the only tree of a fit; UINT32_MAX: one of many */
    double root_weight;
    double pure; /* an impurity up to this counts as 0 */
    uint8_t *present;     /* of a category: a bit per level that the node has */
} Grower;

unsigned tree_grow_columns(const TreeGrowth *growth)
{
    return growth->random_thresholds ? TREE_VALUES : TREE_ORDER;
}

size_t tree_grow_room(const TreeGrowth *growth, uint32_t slots)
{
    size_t lists = growth->random_thresholds ? 2 * sizeof(TreeRecord) + 3 * sizeof(double) : slots * sizeof(TreeRecord);

    return lists + sizeof(TreeRecord) + 64;
}

uint32_t *tree_sizes(Env *env, const TreeGrowth *growth, const double *weights, uint32_t rows, uint64_t *total)
{
    uint32_t most = growth->min_samples_leaf > growth->min_samples_split ? growth->min_samples_leaf : growth->min_samples_split;
    uint32_t *sizes;

    *total = rows;
    if (!tree_counts_frequencies(growth) || weights == NULL)
        return NULL;
    sizes = env_array_raw(env, (size_t)rows + 1, sizeof(uint32_t));
    *total = 0;
    for (uint32_t i = 0; i < rows; i++) {
        sizes[i] = weights[i] < most ? (uint32_t)ceil(weights[i]) : most;
        *total += sizes[i];
    }
    return sizes;
}

/* ---- lists ---- */

/* Fills the list of a slot in order of rank, rows without a value last. wanted: by row; NULL: all rows. */
static void fill_list(Grower *grower, uint32_t slot, const uint8_t *wanted)
{
    const TreeColumn *column = &grower->columns->columns[slot];
    TreeRecord *list = grower->search.lists[slot];
    uint32_t valued = grower->columns->rows - column->missing, count = 0;

    for (uint32_t i = 0; i < valued; i++) {
        uint32_t row = column->order[i];

        list[count] = (TreeRecord){column->rank[row], row};
        count += wanted == NULL || wanted[row]; /* a branch would often be mispredicted */
    }
    for (uint32_t row = 0; column->missing > 0 && row < grower->columns->rows; row++)
        if (column->rank[row] == TREE_MISSING && (wanted == NULL || wanted[row]))
            list[count++] = (TreeRecord){TREE_MISSING, row};
    grower->env->poll(grower->env);
}

/* Fills the list of splits that are drawn: in order of the rows, with their classes for ranks. */
static void fill_rows(Grower *grower, const TreeSample *sample)
{
    const uint16_t *classes = grower->search.classes;

    for (uint32_t i = 0; i < grower->rows; i++) {
        uint32_t row = sample->rows != NULL ? sample->rows[i] : i;

        grower->search.lists[0][i] = (TreeRecord){classes != NULL ? classes[row] : 0, row};
    }
}

/* Fills the list in order of the target, for mae. */
static void fill_targets(Grower *grower, const uint8_t *wanted)
{
    PlacedNumber *rows = env_array_raw(grower->env, grower->rows, sizeof(PlacedNumber));
    TreeRecord *list = grower->search.by_target = env_array_raw(grower->env, (size_t)grower->rows + 1, sizeof(TreeRecord));
    uint32_t count = 0;

    for (uint32_t row = 0; row < grower->columns->rows; row++)
        if (wanted == NULL || wanted[row])
            rows[count++] = (PlacedNumber){grower->search.targets[row], row};
    sort_numbers(grower->env, rows, count, sizeof(PlacedNumber));
    sort_ties(grower->env, rows, count, sizeof(PlacedNumber), compare_placed);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (TreeRecord){i, (uint32_t)rows[i].place};
    grower->env->release(grower->env, rows);
}

static void fill_lists(Grower *grower, const TreeSample *sample)
{
    Env *env = grower->env;
    uint8_t *wanted = NULL;

    grower->list_count = grower->growth->random_thresholds ? 1 : grower->columns->slots;
    grower->search.lists = env_array(env, grower->list_count, sizeof(TreeRecord *));
    if (sample->rows != NULL) {
        wanted = grower->side;
        memset(wanted, 0, grower->columns->rows);
        for (uint32_t i = 0; i < sample->count; i++)
            wanted[sample->rows[i]] = 1;
    }
    for (uint32_t s = 0; s < grower->list_count; s++) {
        grower->search.lists[s] = env_array_raw(env, (size_t)grower->rows + 1, sizeof(TreeRecord));
        if (grower->growth->random_thresholds)
            fill_rows(grower, sample);
        else
            fill_list(grower, s, wanted);
    }
    if (grower->growth->criterion == TREE_MAE)
        fill_targets(grower, wanted);
}

/* ---- parting ---- */

/* Marks which rows of the node go left; returns how many. */
static uint32_t mark_sides(Grower *grower, const OpenNode *open, const TreeSplit *split, const uint8_t *set)
{
    const TreeRecord *list = grower->search.lists[split->slot];
    uint32_t left = 0;

    for (uint32_t i = open->begin; i < open->end; i++) {
        uint32_t rank = list[i].rank;
        bool goes = rank == TREE_MISSING ? split->missing_left
                    : split->category    ? set[rank / 8] >> rank % 8 & 1
                                         : rank <= split->last;

        grower->side[list[i].row] = goes;
        left += goes;
    }
    return left;
}

/* Parts the node's range of a list: rows that go left first, each side in its former order. */
static void part_list(Grower *grower, TreeRecord *list, const OpenNode *open, uint32_t left)
{
    TreeRecord *restrict to = list + open->begin, *restrict room = grower->room;
    const uint8_t *restrict sides = grower->side;
    uint32_t at = 0, rest = 0, count = open->end - open->begin;

    for (uint32_t i = 0; i < count; i++) {
        TreeRecord record = to[i];
        uint32_t goes = sides[record.row];

        room[rest] = record;
        rest += 1 - goes;
        to[at] = record; /* at <= i: this place has been read */
        at += goes;
    }
    memcpy(to + left, room, (size_t)rest * sizeof(TreeRecord));
}

/* Tells whether the rows of a node are in order of the split already, left ones first. */
static bool is_parted(const Grower *grower, const OpenNode *open, const TreeSplit *split)
{
    return !split->category && grower->search.lists[split->slot][open->end - 1].rank != TREE_MISSING;
}

/* Returns how many rows of a node that is_parted go left. */
static uint32_t count_left(const Grower *grower, const OpenNode *open, const TreeSplit *split)
{
    const TreeRecord *list = grower->search.lists[split->slot];
    uint32_t low = open->begin, high = open->end;

    while (low < high) {
        uint32_t half = low + (high - low) / 2;

        if (list[half].rank <= split->last)
            low = half + 1;
        else
            high = half;
    }
    return low - open->begin;
}

/* Moves the records for which `goes` holds to the front of list, the others to room; both in their former order, without branches. */
#define PART(goes)                                                                                 \
    for (uint32_t i = 0; i < count; i++) {                                                         \
        TreeRecord record = list[i];                                                               \
        uint32_t row = record.row, side = (goes);                                                  \
                                                                                                   \
        room[rest] = record;                                                                       \
        list[left] = record;                                                                       \
        left += side;                                                                              \
        rest += 1 - side;                                                                          \
    }

/* Parts the one list of a node whose split was drawn, and the list by target; returns how many rows go left. */
static uint32_t part_drawn(Grower *grower, const OpenNode *open, const TreeSplit *split, const uint8_t *set)
{
    const TreeColumn *column = &grower->columns->columns[split->slot];
    TreeRecord *restrict list = grower->search.lists[0] + open->begin, *restrict room = grower->room;
    uint32_t left = 0, rest = 0, count = open->end - open->begin;
    const double *restrict x = column->by_row, threshold = split->threshold;
    const uint32_t *rank = column->rank;

    if (split->category)
        PART(rank[row] == TREE_MISSING ? split->missing_left : set[rank[row] / 8] >> rank[row] % 8 & 1)
    else if (split->missing_left)
        PART(!(x[row] > threshold))
    else
        PART(x[row] <= threshold)
    memcpy(list + left, room, (size_t)rest * sizeof(TreeRecord));
    if (grower->search.by_target == NULL)
        return left;
    for (uint32_t i = 0; i < count; i++)
        grower->side[list[i].row] = i < left;
    part_list(grower, grower->search.by_target, open, left);
    return left;
}

/* Parts the lists of a node; returns how many rows go left. */
static uint32_t part_lists(Grower *grower, const OpenNode *open, const TreeSplit *split, const uint8_t *set)
{
    bool parted = is_parted(grower, open, split);
    uint32_t left;

    if (parted && grower->list_count == 1 && grower->search.by_target == NULL)
        return count_left(grower, open, split);
    left = mark_sides(grower, open, split, set);
    for (uint32_t s = 0; s < grower->list_count; s++) {
        if (parted && s == split->slot)
            continue;
        part_list(grower, grower->search.lists[s], open, left);
        grower->search.work += open->end - open->begin;
        if (grower->search.work > POLL_ROWS) {
            grower->env->poll(grower->env);
            grower->search.work = 0;
        }
    }
    if (grower->search.by_target != NULL)
        part_list(grower, grower->search.by_target, open, left);
    return left;
}

/* ---- nodes ---- */

/* Fills a node from the search, which has computed its sums. */
static void fill_node(Grower *grower, uint32_t number)
{
    TreeSearch *search = &grower->search;
    GrownNode *node = &grower->tree->nodes[number];

    node->cover = search->weight;
    node->impurity = search->impurity;
    if (search->classes == NULL) {
        node->value = fmin(fmax(search->value, search->lower), search->upper);
        return;
    }
    if (grower->growth->monotone != NULL && search->class_count == 2)
        grown_tree_bound_pair(node, search->total, search->lower, search->upper);
    for (uint32_t k = 1; k < search->class_count; k++)
        if (search->total[k] > search->total[node->majority])
            node->majority = k;
}

/* Makes a leaf of the node whose sums the search has. */
static void make_leaf(Grower *grower, uint32_t number)
{
    if (grower->search.classes != NULL)
        grown_tree_classes(grower->tree, number, grower->search.total, grower->search.class_count);
}

/* Reports how many rows have come to a leaf. */
static void report_leaf(Grower *grower, uint32_t rows)
{
    if (grower->reported == UINT32_MAX)
        return;
    if (grower->reported % REPORT_ROWS + rows >= REPORT_ROWS)
        grower->env->progress(grower->env, "tree", grower->reported + rows, grower->rows, NAN);
    grower->reported += rows;
}

/* Returns the impurity that counts as 0 in a tree whose root the search has: targets may be of any size. */
static double pure_limit(const TreeSearch *search)
{
    double size = fabs(search->value), rounding = ROUNDING * size;

    if (search->classes != NULL)
        return PURE;
    if (search->growth->criterion == TREE_MSE)
        rounding *= rounding;
    return fmax(PURE * search->impurity, rounding);
}

/* Returns how many rows the rows of a node count as. */
static uint64_t size_of(const Grower *grower, const OpenNode *open)
{
    uint64_t size = open->end - open->begin;

    if (grower->search.sizes == NULL)
        return size;
    size = 0;
    for (uint32_t i = open->begin; i < open->end; i++)
        size += grower->search.sizes[grower->search.lists[0][i].row];
    return size;
}

/* Tells whether a node may be split at all. */
static bool may_split(const Grower *grower, const OpenNode *open)
{
    const TreeGrowth *growth = grower->growth;
    uint64_t size = size_of(grower, open);

    return open->impurity > grower->pure && open->depth < growth->max_depth && size >= growth->min_samples_split &&
           size / 2 >= growth->min_samples_leaf;
}

/* Computes the sums of a node and looks for its split. Returns false if it is a leaf. */
static bool examine(Grower *grower, OpenNode *open)
{
    TreeSearch *search = &grower->search;

    search->begin = open->begin;
    search->end = open->end;
    search->lower = open->lower;
    search->upper = open->upper;
    tree_search_node(search, open->counts);
    if (open->counts != NULL) {
        grower->env->release(grower->env, open->counts);
        open->counts = NULL;
    }
    open->weight = search->weight;
    open->impurity = search->impurity;
    if (open->node == 0) {
        grower->root_weight = search->weight;
        grower->pure = pure_limit(search);
    }
    if (may_split(grower, open))
        tree_search_split(search);
    else
        search->best.found = false;
    fill_node(grower, open->node);
    return search->best.found && search->best.decrease / grower->root_weight >= grower->growth->min_impurity_decrease - 1e-15;
}

/* Returns the weight of the rows at [begin, end) of the first list. */
static double range_weight(const Grower *grower, uint32_t begin, uint32_t end)
{
    double sum = 0;

    if (grower->search.weights == NULL)
        return end - begin;
    for (uint32_t i = begin; i < end; i++)
        sum += grower->search.weights[grower->search.lists[0][i].row];
    return sum;
}

/* Stores the set of a split: the levels that go left, and those that the node does not have where missing values go. */
static void store_set(Grower *grower, const OpenNode *open, uint32_t slot, const uint8_t *left, bool missing_left)
{
    const TreeColumn *column = &grower->columns->columns[slot];
    uint32_t levels = column->ranks, set = grown_tree_set(grower->tree, levels);

    memset(grower->present, 0, tree_set_bytes(levels));
    for (uint32_t i = open->begin; i < open->end; i++) {
        uint32_t rank = column->rank[grower->search.lists[0][i].row];

        if (rank != TREE_MISSING)
            grower->present[rank / 8] |= (uint8_t)(1u << rank % 8);
    }
    for (uint32_t level = 0; level < levels; level++)
        if ((grower->present[level / 8] >> level % 8 & 1) ? left[level / 8] >> level % 8 & 1 : missing_left)
            grown_tree_put_level(grower->tree, set, level);
    grower->tree->nodes[open->node].category = true;
    grower->tree->nodes[open->node].set = set;
}

/* Sets the bounds of the children of a split by monotone constraints. */
static void bound_children(const Grower *grower, const TreeSplit *split, OpenNode *left, OpenNode *right)
{
    int sign = grower->growth->monotone != NULL ? grower->growth->monotone[split->slot] : 0;
    double middle = split->left_value / 2 + split->right_value / 2;

    if (grower->search.classes != NULL)
        middle = (float)middle; /* grown_tree_bound_pair */
    if (sign > 0) {
        left->upper = middle;
        right->lower = middle;
    } else if (sign < 0) {
        left->lower = middle;
        right->upper = middle;
    }
}

/* Begins a child; the rest is set where it is examined. */
static void begin_child(OpenNode *child, const OpenNode *open, uint32_t begin, uint32_t end)
{
    child->begin = begin;
    child->end = end;
    child->depth = open->depth + 1;
    child->lower = open->lower;
    child->upper = open->upper;
    child->counts = NULL;
}

/* Splits a node and returns its children. set: of a category. */
static void split_node(Grower *grower, const OpenNode *open, const TreeSplit *split, const uint8_t *set, OpenNode *left,
                       OpenNode *right)
{
    bool missing_left = split->missing_left;
    uint32_t count, a, b;
    GrownNode *node;

    if (grower->growth->random_thresholds)
        count = part_drawn(grower, open, split, set);
    else
        count = part_lists(grower, open, split, set);
    begin_child(left, open, open->begin, open->begin + count);
    begin_child(right, open, open->begin + count, open->end);
    bound_children(grower, split, left, right);
    if (!split->any_missing) {
        double weight = range_weight(grower, left->begin, left->end);

        missing_left = weight >= open->weight - weight;
    }
    if (split->category)
        store_set(grower, open, split->slot, set, missing_left);
    a = grown_tree_node(grower->tree);
    b = grown_tree_node(grower->tree);
    node = &grower->tree->nodes[open->node];
    node->left = left->node = a;
    node->right = right->node = b;
    node->slot = split->slot;
    node->missing_left = missing_left;
    if (!split->category)
        grown_tree_threshold(node, split->threshold, split->low, split->high);
}

/* ---- depth first ---- */

/* Pushes `count` nodes on the stack; returns the first. */
static OpenNode *push(Grower *grower, uint32_t count)
{
    if (grower->open_count + count > grower->open_capacity) {
        grower->open_capacity = 2 * grower->open_capacity + 64;
        grower->open = grower->env->resize(grower->env, grower->open, grower->open_capacity * sizeof(OpenNode));
    }
    grower->open_count += count;
    return &grower->open[grower->open_count - count];
}

/*
 * Counts the classes of the smaller child, if the larger one has many rows, which so gets its counts by subtraction. The
 * search has those of the node. Without weights the sums are exact. Open nodes share no rows: an eighth of a byte per row.
 */
static void count_larger(Grower *grower, OpenNode *left, OpenNode *right)
{
    TreeSearch *search = &grower->search;
    bool left_larger = left->end - left->begin > right->end - right->begin;
    OpenNode *larger = left_larger ? left : right, *smaller = left_larger ? right : left;

    if (search->classes == NULL || search->weights != NULL || grower->growth->monotone != NULL ||
        grower->growth->random_thresholds ||
        (larger->end - larger->begin) / COUNTED_ROWS < search->class_count)
        return;
    larger->counts = env_array_raw(grower->env, search->class_count, sizeof(double));
    tree_count_classes(search, smaller->begin, smaller->end, larger->counts);
    for (uint32_t k = 0; k < search->class_count; k++)
        larger->counts[k] = search->total[k] - larger->counts[k];
    search->work += smaller->end - smaller->begin;
}

static void grow_depth_first(Grower *grower)
{
    while (grower->open_count > 0) {
        OpenNode open = grower->open[--grower->open_count], *left, *right;

        if (!examine(grower, &open)) {
            make_leaf(grower, open.node);
            report_leaf(grower, open.end - open.begin);
            continue;
        }
        right = push(grower, 2);
        left = right + 1;
        split_node(grower, &open, &grower->search.best, grower->search.best_set, left, right);
        count_larger(grower, left, right);
    }
}

/* ---- best first ---- */

/* Tells whether a is split before b: more decrease, then the older one. */
static bool goes_first(const void *left, const void *right, const void *context)
{
    const Offer *a = left, *b = right;

    if (a->split.decrease != b->split.decrease)
        return a->split.decrease > b->split.decrease;
    return a->open.node < b->open.node;
}

/* Examines a new node, and keeps it if it can be split. It is a leaf until then. */
static void offer(Grower *grower, OpenNode open)
{
    bool splits = examine(grower, &open);
    Offer new = {.open = open, .split = grower->search.best};

    make_leaf(grower, open.node);
    if (!splits)
        return;
    if (new.split.category) {
        uint32_t bytes = tree_set_bytes(grower->columns->columns[new.split.slot].ranks);

        new.set = env_array_raw(grower->env, (size_t)bytes + 1, 1);
        memcpy(new.set, grower->search.best_set, bytes);
    }
    if (grower->offer_count == grower->offer_capacity) {
        grower->offer_capacity = 2 * grower->offer_capacity + 64;
        grower->offers = grower->env->resize(grower->env, grower->offers, grower->offer_capacity * sizeof(Offer));
    }
    heap_add(grower->offers, grower->offer_count++, &new, sizeof(Offer), goes_first, NULL);
}

static void grow_best_first(Grower *grower)
{
    OpenNode root = grower->open[--grower->open_count];

    offer(grower, root);
    for (uint32_t leaves = 1; leaves < grower->growth->max_leaf_nodes && grower->offer_count > 0; leaves++) {
        OpenNode left, right;
        Offer best;

        heap_take_first(grower->offers, grower->offer_count--, &best, sizeof(Offer), goes_first, NULL);
        split_node(grower, &best.open, &best.split, best.set, &left, &right);
        if (best.set != NULL)
            grower->env->release(grower->env, best.set);
        offer(grower, left);
        offer(grower, right);
    }
}

/* ---- a tree ---- */

static const uint16_t *narrow_classes(Env *env, const TreeColumns *columns)
{
    uint16_t *narrow;

    if (columns->classes == NULL)
        return NULL;
    if (columns->class_count > MAX_CLASSES)
        env_fail(env, ERROR_LIMIT, "Merge rare classes.", "a tree takes at most %d classes, not %u", MAX_CLASSES,
                 columns->class_count);
    narrow = env_array_raw(env, columns->rows, sizeof(uint16_t));
    for (uint32_t i = 0; i < columns->rows; i++)
        narrow[i] = (uint16_t)columns->classes[i];
    return narrow;
}

/* Releases what grows with the rows, so that many trees can be grown one after another. */
static void grower_end(Grower *grower)
{
    Env *env = grower->env;
    TreeSearch *search = &grower->search;
    void *blocks[] = {grower->side,        grower->room,       grower->open,         grower->offers, grower->present,
                      search->by_target, search->drawn.x,     search->drawn.weight, search->drawn.value,
                      search->drawn.row,
                      search->drawn.by_level, search->drawn.places,
                      search->total,       search->best_set,   (void *)search->log_table, search->sorted,
                      search->place,       search->tree_weight, search->tree_sum,    search->rest_weight,
                      search->rest_sum,    search->level_sums, search->level_classes, search->level_keys,
                      (void *)search->classes, (void *)search->sizes, search->features};

    for (uint32_t s = 0; s < grower->list_count; s++)
        env->release(env, search->lists[s]);
    env->release(env, search->lists);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
}

void tree_grow(const TreeColumns *columns, const TreeSample *sample, const TreeGrowth *growth, GrownTree *tree)
{
    Env *env = columns->env;
    Grower grower = {.env = env, .columns = columns, .growth = growth, .tree = tree};
    bool classes = growth->criterion < TREE_MSE;
    uint64_t size;

    grown_tree_clear(tree);
    grower.rows = sample->rows != NULL ? sample->count : columns->rows;
    grower.reported = sample->rows != NULL ? UINT32_MAX : 0;
    grower.search.env = env;
    grower.search.columns = columns;
    grower.search.growth = growth;
    grower.search.classes = classes ? narrow_classes(env, columns) : NULL;
    grower.search.class_count = classes ? columns->class_count : 0;
    grower.search.targets = sample->targets != NULL ? sample->targets : columns->targets;
    grower.search.weights = sample->weights != NULL ? sample->weights : columns->weights;
    grower.search.sizes = tree_sizes(env, growth, columns->weights, columns->rows, &size);
    grower.side = env_array_raw(env, columns->rows, 1);
    grower.room = env_array_raw(env, (size_t)grower.rows + 1, sizeof(TreeRecord));
    grower.present = env_array(env, tree_most_levels(columns) / 8 + 1, 1);
    tree_search_begin(&grower.search, grower.rows);
    fill_lists(&grower, sample);
    *push(&grower, 1) = (OpenNode){.node = grown_tree_node(tree), .end = grower.rows, .lower = -INFINITY, .upper = INFINITY};
    if (growth->max_leaf_nodes > 0)
        grow_best_first(&grower);
    else
        grow_depth_first(&grower);
    grower_end(&grower);
}
