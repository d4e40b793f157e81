/*
 * linkage_single.c - single linkage from a minimum spanning tree of all rows (Prim 1957).
 *
 * The rows outside the tree are kept in panels. Each row that joins the tree is compared with all of them, and the one nearest to
 * the tree joins next; the last row moves to its place.
 */
#include "core/cluster/dendrogram.h"
#include "core/base/sort.h"

#include <math.h>

#define CHUNK 64 /* panels compared at a time */

/* The rows outside the tree. */
typedef struct Outside {
    Env *env;
    const Metric *metric;
    uint32_t count;
    double *panels;
    double *near;   /* [count] least reduced distance to the tree */
    uint32_t *from; /* [count] row of the tree at that distance */
    uint32_t *row;  /* [count] number of the row */
    double *moved;  /* [width] work space: the row that moves */
} Outside;

/* Removes row i; the last one moves to its place. */
static void remove_row(Outside *outside, uint32_t i)
{
    uint32_t last = --outside->count;

    metric_panel_read(outside->metric, outside->panels, last, outside->moved);
    metric_panel_write(outside->metric, outside->panels, i, outside->moved);
    outside->near[i] = outside->near[last];
    outside->from[i] = outside->from[last];
    outside->row[i] = outside->row[last];
}

/*
 * Updates the distances by the newest row of the tree, q. Returns the position of the row nearest to the tree, the first of equal
 * ones.
 */
static uint32_t compare_newest(Outside *outside, uint32_t newest, const double *q)
{
    double reduced[CHUNK * METRIC_PANEL], least = INFINITY;
    uint32_t best = 0, panels = (uint32_t)metric_panel_count(outside->count);

    for (uint32_t first = 0; first < panels; first += CHUNK) {
        uint32_t length = panels - first < CHUNK ? panels - first : CHUNK, start = first * METRIC_PANEL;
        uint32_t count = outside->count - start < length * METRIC_PANEL ? outside->count - start : length * METRIC_PANEL;
        double *near = outside->near + start, chunk = INFINITY;
        uint32_t *from = outside->from + start;

        metric_reduced_panels(outside->metric, q,
                              outside->panels + (size_t)start * outside->metric->width, length,
                              reduced);
        for (uint32_t i = 0; i < count; i++) {
            bool nearer = reduced[i] < near[i];

            near[i] = nearer ? reduced[i] : near[i];
            from[i] = nearer ? newest : from[i];
            chunk = near[i] < chunk ? near[i] : chunk;
        }
        if (chunk > least)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (near[i] == chunk &&
                (chunk < least || outside->row[start + i] < outside->row[best])) {
                least = chunk;
                best = start + i;
            }
    }
    return best;
}

static int compare_edges(const void *left, const void *right)
{
    const Merge *a = left, *b = right;

    if (a->height != b->height)
        return a->height < b->height ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

void hierarchy_single(Env *env, const PointSet *rows, Merge *merges)
{
    uint32_t n = rows->count, newest = 0;
    Outside outside = {.env = env, .metric = rows->metric, .count = n - 1};
    double work = 0;

    if (n < 2)
        return;
    outside.panels = env_array_raw(env, metric_panel_count(n - 1) * METRIC_PANEL,
                                   (size_t)rows->metric->width * sizeof(double));
    outside.moved = env_array_raw(env, (size_t)rows->metric->width + 1, sizeof(double));
    outside.near = env_array_raw(env, n, sizeof(double));
    outside.from = env_array(env, n, sizeof(uint32_t));
    outside.row = env_array_raw(env, n, sizeof(uint32_t));
    metric_fill_panels(rows->metric, point_set_row(rows, 1), n - 1, outside.panels);
    for (uint32_t i = 0; i + 1 < n; i++) {
        outside.near[i] = INFINITY;
        outside.row[i] = i + 1;
    }
    for (uint32_t step = 0; step + 1 < n; step++) {
        uint32_t best = compare_newest(&outside, newest, point_set_row(rows, newest));
        uint32_t row = outside.row[best], from = outside.from[best];

        merges[step] =
            (Merge){row < from ? row : from, row < from ? from : row, outside.near[best]};
        newest = row;
        work += (double)outside.count * rows->metric->width;
        remove_row(&outside, best);
        if (work > 4e6) {
            env->poll(env);
            env->progress(env, "hierarchical", step, n - 1, NAN);
            work = 0;
        }
    }
    sort_polled(env, merges, n - 1, sizeof(Merge), compare_edges);
    for (uint32_t step = 0; step + 1 < n; step++)
        merges[step].height = metric_of_reduced(rows->metric, merges[step].height);
}
