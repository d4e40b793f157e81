/*
 * dendrogram.c - numbers the merges of a dendrogram, and checks, cuts and draws it.
 */
#include "core/hierarchy/dendrogram.h"
#include "core/base/disjoint_sets.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"

#include <math.h>
#include <string.h>

#define POLL_STEPS 65536u /* of random access to memory */

/* Polls every POLL_STEPS steps. step: 0, 1, ... of a loop over the rows or merges of a tree. */
static inline void poll_steps(Env *env, uint32_t step)
{
    env_poll_every(env, step + 1, POLL_STEPS);
}

/* ---- numbering ---- */

typedef struct Ordered {
    Merge merge;
    uint32_t step;
} Ordered;

static int compare_heights(const void *left, const void *right)
{
    const Ordered *a = left, *b = right;

    if (a->merge.height != b->merge.height)
        return a->merge.height < b->merge.height ? -1 : 1;
    return a->step < b->step ? -1 : 1;
}

void hierarchy_number(Env *env, Merge *merges, uint32_t count, bool sorted)
{
    uint32_t *parent = env_array(env, count, sizeof(uint32_t));
    uint32_t *number = env_array(env, count, sizeof(uint32_t));

    if (sorted && count > 1) {
        Ordered *order = env_array(env, count, sizeof(Ordered));

        for (uint32_t s = 0; s + 1 < count; s++)
            order[s] = (Ordered){merges[s], s};
        sort_polled(env, order, count - 1, sizeof(Ordered), compare_heights);
        for (uint32_t s = 0; s + 1 < count; s++)
            merges[s] = order[s].merge;
    }
    for (uint32_t i = 0; i < count; i++)
        parent[i] = number[i] = i;
    for (uint32_t s = 0; s + 1 < count; s++) {
        uint32_t a = sets_root(parent, merges[s].a), b = sets_root(parent, merges[s].b);

        merges[s].a = number[a] < number[b] ? number[a] : number[b];
        merges[s].b = number[a] < number[b] ? number[b] : number[a];
        parent[b] = a;
        number[a] = count + s;
        poll_steps(env, s);
    }
}

/* ---- reading ---- */

static const ArraySpec hierarchy_arrays[] = {
    {.name = "heights",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS, .plus = -1},
     .sized = true,
     .values = VALUES_ANY, /* infinite between objects that are infinitely far apart */
     .data_at = VIEW_AT(Hierarchy, heights)},
    {.name = "ids",
     .type = ARRAY_TEXT,
     .rows = {SIZE_ROWS, .defines = true},
     .rows_at = VIEW_AT(Hierarchy, rows)},
    {.name = "merges",
     .type = ARRAY_I64,
     .rows = {SIZE_ROWS, .plus = -1},
     .columns = {SIZE_NUMBER, .plus = 2},
     .sized = true,
     .data_at = VIEW_AT(Hierarchy, merges)}};
static const ArraySpec hierarchy_facts[] = {
    FACT("cophenetic_correlation", ARRAY_F64), FACT("given_distances", ARRAY_BOOL), FACT("height", ARRAY_F64),
    FACT("infinite_distances", ARRAY_BOOL), FACT("monotone", ARRAY_BOOL)};
const ArrayTable hierarchy_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(hierarchy_arrays), FACT_TABLE(hierarchy_facts));

static Hierarchy view_of(const Model *model)
{
    Hierarchy tree = {.ids = model_find(model, "ids")};

    view_arrays(model, hierarchy_array_tables, &tree);
    return tree;
}

/* Each merge must join two nodes that exist before it and that no other merge joins. */
const char *hierarchy_check(Env *env, const Model *model)
{
    bool infinite = model_fact(model, "infinite_distances", 0) != 0;
    Hierarchy tree = view_of(model);
    uint8_t *used;

    if (tree.rows > INT32_MAX)
        return env_message(env, "a tree of %u rows is too large", tree.rows);
    used = env_array(env, (size_t)2 * tree.rows, 1);
    for (uint32_t s = 0; s + 1 < tree.rows; s++) {
        int64_t a = tree.merges[2 * (size_t)s], b = tree.merges[2 * (size_t)s + 1];

        if (a < 0 || b <= a || b >= (int64_t)tree.rows + s || used[a] || used[b])
            return "the merges do not form a tree";
        if (!(tree.heights[s] >= 0) || (isinf(tree.heights[s]) && !infinite))
            return "a height is negative or not finite";
        used[a] = used[b] = 1;
        poll_steps(env, s);
    }
    return NULL;
}

const char *hierarchy_read(Env *env, const Model *model, Hierarchy *tree)
{
    const char *wrong = arrays_check(env, model, hierarchy_array_tables);

    if (wrong == NULL)
        wrong = hierarchy_check(env, model);
    if (wrong == NULL)
        *tree = view_of(model);
    return wrong;
}

void hierarchy_open(Env *env, const Model *model, const char *function, Hierarchy *tree)
{
    const char *wrong;

    if (model->kind != MODEL_FITTED || strcmp(model->estimator, "hierarchical") != 0)
        env_fail(env, ERROR_KIND, "Fit one by pgfit.hierarchical(id, features).",
                 "%s needs a model of hierarchical, not of %s", function, model->estimator);
    wrong = hierarchy_read(env, model, tree);
    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
}

/* Tells whether no merge is lower than the one before it. */
static bool hierarchy_monotone(const Hierarchy *tree)
{
    for (uint32_t s = 1; s + 1 < tree->rows; s++)
        if (tree->heights[s] < tree->heights[s - 1])
            return false;
    return true;
}

uint32_t *hierarchy_sizes(Env *env, const Hierarchy *tree)
{
    uint32_t *sizes = env_array(env, (size_t)2 * tree->rows, sizeof(uint32_t));

    for (uint32_t i = 0; i < tree->rows; i++)
        sizes[i] = 1;
    for (uint32_t s = 0; s + 1 < tree->rows; s++) {
        sizes[tree->rows + s] =
            sizes[tree->merges[2 * (size_t)s]] + sizes[tree->merges[2 * (size_t)s + 1]];
        poll_steps(env, s);
    }
    return sizes;
}

uint32_t *hierarchy_leaves(Env *env, const Hierarchy *tree, const uint32_t *sizes,
                           uint32_t **starts)
{
    uint32_t *leaves = env_array(env, tree->rows, sizeof(uint32_t));
    uint32_t *start = env_array(env, (size_t)2 * tree->rows, sizeof(uint32_t));

    for (uint32_t s = tree->rows - 1; s-- > 0;) {
        int64_t a = tree->merges[2 * (size_t)s], b = tree->merges[2 * (size_t)s + 1];

        start[a] = start[tree->rows + s];
        start[b] = start[tree->rows + s] + sizes[a];
        poll_steps(env, s);
    }
    for (uint32_t i = 0; i < tree->rows; i++) {
        leaves[start[i]] = i;
        poll_steps(env, i);
    }
    *starts = start;
    return leaves;
}

/* ---- cutting ---- */

/* A cluster of a cut. */
typedef struct Part {
    uint32_t size, first, node; /* rows in it, the first of them, and its node */
} Part;

/* Orders clusters by size, the largest first, then by their first row. */
static int compare_parts(const void *left, const void *right)
{
    const Part *a = left, *b = right;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

uint32_t *hierarchy_cut(Env *env, const Hierarchy *tree, int64_t k)
{
    uint32_t n = tree->rows, *labels, *sizes, *firsts, *names, count = 0;
    Part *parts;

    if (k < 1 || k > n)
        env_fail(env, ERROR_PARAMETER, "Ask for at least one cluster, and at most one per row.",
                 "a tree of %u row%s cannot be cut into %lld clusters", n, n == 1 ? "" : "s", (long long)k);
    labels = env_array(env, n, sizeof(uint32_t));
    sizes = hierarchy_sizes(env, tree);
    firsts = env_array(env, (size_t)2 * n, sizeof(uint32_t));
    names = env_array(env, (size_t)2 * n, sizeof(uint32_t));
    parts = env_array(env, (size_t)k, sizeof(Part));
    for (uint32_t i = 0; i < n; i++)
        firsts[i] = i;
    for (uint32_t s = 0; s + 1 < n; s++) {
        uint32_t a = firsts[tree->merges[2 * (size_t)s]],
                 b = firsts[tree->merges[2 * (size_t)s + 1]];

        firsts[n + s] = a < b ? a : b;
        poll_steps(env, s);
    }
    /* the clusters are the nodes that the last k - 1 merges join and that no such merge made */
    if (k == 1)
        parts[count++] = (Part){sizes[2 * n - 2], firsts[2 * n - 2], 2 * n - 2};
    for (uint32_t s = n - (uint32_t)k; k > 1 && s + 1 < n; s++) {
        for (int side = 0; side < 2; side++) {
            uint32_t node = (uint32_t)tree->merges[2 * (size_t)s + side];

            if (node < n || node - n < n - (uint32_t)k)
                parts[count++] = (Part){sizes[node], firsts[node], node};
        }
        poll_steps(env, s);
    }
    sort_polled(env, parts, count, sizeof(Part), compare_parts);
    for (uint32_t p = 0; p < count; p++)
        names[parts[p].node] = p + 1;
    for (uint32_t s = n - 1; s-- > 0;) {
        for (int side = 0; side < 2 && names[n + s] != 0; side++)
            names[tree->merges[2 * (size_t)s + side]] = names[n + s];
        poll_steps(env, s);
    }
    memcpy(labels, names, n * sizeof(uint32_t));
    return labels;
}

uint32_t hierarchy_count_at(Env *env, const Hierarchy *tree, double height)
{
    uint32_t count = 1;

    if (!(height >= 0))
        env_fail(env, ERROR_PARAMETER, NULL, "the height %g is below 0", height);
    if (!hierarchy_monotone(tree))
        env_fail(env, ERROR_PARAMETER, "Cut by the number of clusters instead: cut(model, k).",
                 "the heights of this tree are not monotonic, so no height cuts it");
    for (uint32_t s = 0; s + 1 < tree->rows; s++)
        count += tree->heights[s] > height;
    return count;
}

/* ---- drawing ---- */

typedef struct Drawing {
    const Model *model;
    const Hierarchy *tree;
    const uint32_t *sizes;
    uint32_t shown; /* the first merge that is drawn; earlier ones are not */
    TextBuffer text;
} Drawing;

/* Adds the line of a node: the id of a row, or the height of a merge and its number of rows. */
static void draw_node(Drawing *drawing, uint32_t node)
{
    uint32_t n = drawing->tree->rows, length;
    const char *id;

    if (node >= n) {
        text_print(&drawing->text, "%.6g (%u)\n", drawing->tree->heights[node - n], drawing->sizes[node]);
        return;
    }
    id = model_text(drawing->model, drawing->tree->ids, node, &length);
    text_bytes(&drawing->text, id, length);
    text_character(&drawing->text, '\n');
}

/* Adds the lines below a node. prefix: how they begin, 3 characters per level, with room for every level shown. */
static void draw_below(Drawing *drawing, uint32_t node, char *prefix, uint32_t depth)
{
    uint32_t n = drawing->tree->rows;

    if (node < n || node - n < drawing->shown)
        return;
    for (int side = 0; side < 2; side++) {
        uint32_t child = (uint32_t)drawing->tree->merges[2 * (size_t)(node - n) + side];

        prefix[3 * depth] = 0;
        text_print(&drawing->text, "%s%s", prefix, side == 0 ? "|- " : "`- ");
        draw_node(drawing, child);
        memcpy(prefix + 3 * depth, side == 0 ? "|  " : "   ", 4);
        draw_below(drawing, child, prefix, depth + 1);
    }
}

char *hierarchy_text(Env *env, const Model *model, const Hierarchy *tree, uint32_t clusters)
{
    Drawing drawing = {.model = model, .tree = tree, .text = {.env = env}};
    uint32_t root = tree->rows > 1 ? 2 * tree->rows - 2 : 0;
    char *prefix;

    if (clusters > tree->rows)
        clusters = tree->rows;
    drawing.sizes = hierarchy_sizes(env, tree);
    drawing.shown = tree->rows - clusters;
    prefix = env_array(env, (size_t)3 * clusters + 8, 1);
    draw_node(&drawing, root);
    draw_below(&drawing, root, prefix, 0);
    drawing.text.text[drawing.text.length - 1] = 0; /* drops the last newline */
    return drawing.text.text;
}

/* ---- cophenetic correlation ---- */

/* Sums over pairs for Pearson's correlation; x and y are taken less origins near their means, so that few digits cancel. */
typedef struct PairSums {
    double count, x, y, xx, yy, xy, origin_x, origin_y;
} PairSums;

static void add_pair(PairSums *sums, double weight, double x, double y)
{
    x -= sums->origin_x;
    y -= sums->origin_y;
    sums->count += weight;
    sums->x += weight * x;
    sums->y += weight * y;
    sums->xx += weight * x * x;
    sums->yy += weight * y * y;
    sums->xy += weight * x * y;
}

#define PAIR_ROWS 64 /* rows whose distances are computed at once */

/*
 * Adds the pairs with one row on each side of a merge: their distances, and its height. leaves, weights: in the order of the tree.
 */
static void add_merge(Env *env, const PointSet *rows, const double *leaves, const double *weights,
                      uint32_t start, uint32_t left, uint32_t right, double height, double *block,
                      PairSums *sums)
{
    uint32_t width = rows->metric->width;

    for (uint32_t i = 0; i < left; i += PAIR_ROWS) {
        uint32_t count = left - i < PAIR_ROWS ? left - i : PAIR_ROWS;

        metric_reduced_matrix(env, rows->metric, leaves + (size_t)(start + i) * width, count,
                              leaves + (size_t)(start + left) * width, right, block);
        metric_of_reduced_all(rows->metric, block, (size_t)count * right);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < right; b++)
                add_pair(sums, weights[start + i + a] * weights[start + left + b],
                         block[(size_t)a * right + b], height);
    }
}

double hierarchy_cophenetic_correlation(Env *env, const PointSet *rows, const Merge *merges)
{
    uint32_t n = rows->count, width = rows->metric->width, *sizes, *starts, *order;
    PairSums sums = {0};
    double *leaves, *weights, *block, vx, vy;
    int64_t *pairs = env_array(env, (size_t)2 * n, sizeof(int64_t));
    Hierarchy tree = {.rows = n, .merges = pairs};

    if (n < 3)
        return NAN;
    for (uint32_t s = 0; s + 1 < n; s++) {
        pairs[2 * (size_t)s] = merges[s].a;
        pairs[2 * (size_t)s + 1] = merges[s].b;
    }
    sizes = hierarchy_sizes(env, &tree);
    order = hierarchy_leaves(env, &tree, sizes, &starts);
    leaves = env_array_raw(env, n, (size_t)width * sizeof(double));
    weights = env_array_raw(env, n, sizeof(double));
    block = env_array_raw(env, (size_t)PAIR_ROWS * n, sizeof(double));
    for (uint32_t i = 0; i < n; i++) {
        memcpy(leaves + (size_t)i * width, point_set_row(rows, order[i]), width * sizeof(double));
        weights[i] = row_weight(rows->weights, order[i]);
    }
    sums.origin_x = sums.origin_y = merges[n / 2].height;
    for (uint32_t s = 0; s + 1 < n; s++) {
        add_merge(env, rows, leaves, weights, starts[n + s], sizes[merges[s].a], sizes[merges[s].b],
                  merges[s].height, block, &sums);
        env_poll_every(env, s, 256);
    }
    vx = sums.xx - sums.x * sums.x / sums.count;
    vy = sums.yy - sums.y * sums.y / sums.count;
    if (!(vx > 0) || !(vy > 0))
        return NAN;
    return fmax(-1, fmin(1, (sums.xy - sums.x * sums.y / sums.count) / sqrt(vx) / sqrt(vy)));
}
