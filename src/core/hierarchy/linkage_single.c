/*
 * linkage_single.c - single linkage from a minimum spanning tree of all rows (Prim 1957).
 *
 * The rows outside the tree are kept in panels. Each row that joins the tree is compared with all of them, and the one nearest to
 * the tree joins next; the last row moves to its place.
 */
#include "core/hierarchy/dendrogram.h"
#include "core/base/sort.h"

#include <math.h>

#define CHUNK 64 /* panels compared at a time */

/* The rows outside the tree. */
typedef struct Outside {
    Env *env;
    const Metric *metric;
    const DistanceMatrix *given; /* whose rows are read in place; NULL: none */
    uint32_t count;
    double *panels;
    double *near;   /* [count] least reduced distance to the tree */
    uint32_t *from; /* [count] row of the tree at that distance */
    uint32_t *row;  /* [count] number of the row */
    double *moved;  /* [width] work space: the row that moves */
} Outside;

/* Removes row i; the last one moves to its place. Given distances stay in their order: there it is nearer to nothing any more. */
static void remove_row(Outside *outside, uint32_t i)
{
    uint32_t last = outside->count - 1;

    if (outside->given != NULL) {
        outside->near[i] = NAN;
        return;
    }
    outside->count--;
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
    double buffer[CHUNK * METRIC_PANEL], least = INFINITY;
    uint32_t best = 0, object = outside->given != NULL ? (uint32_t)*q : 0, count;

    for (uint32_t start = 0; start < outside->count; start += count) {
        double *near = outside->near + start, chunk = INFINITY;
        uint32_t *from = outside->from + start;
        const double *reduced = buffer;

        count = outside->count - start < CHUNK * METRIC_PANEL ? outside->count - start : CHUNK * METRIC_PANEL;
        if (outside->given != NULL) {
            reduced = start < object ? outside->given->distances + distance_place(object, start) : upper_row(outside->given, object) + start;
            count = start < object && object - start < count ? object - start : count;
        } else
            metric_reduced_panels(outside->metric, q, outside->panels + (size_t)start * outside->metric->width,
                                  (uint32_t)metric_panel_count(count), buffer);
        for (uint32_t i = 0; i < count; i++) {
            if (reduced[i] < near[i]) {
                near[i] = reduced[i];
                from[i] = newest;
            }
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

double *hierarchy_order(Env *env, const PointSet *rows, uint32_t *row)
{
    bool given = rows->metric->kind == METRIC_GIVEN;
    double *ordered = given ? env_array_raw(env, rows->count, sizeof(double)) : rows->coordinates;

    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t place = given ? (uint32_t)rows->coordinates[i] : i;

        row[place] = i;
        if (given)
            ordered[place] = place;
    }
    return ordered;
}

void hierarchy_single(Env *env, const PointSet *rows, const DistanceMatrix *given, Merge *merges)
{
    uint32_t n = rows->count, newest = 0;
    Outside outside = {.env = env, .metric = rows->metric, .given = given != NULL && given->upper != NULL ? given : NULL, .count = n};
    double work = 0, *ordered;

    if (n < 2)
        return;
    outside.panels = env_array_raw(env, metric_panel_count(n) * METRIC_PANEL,
                                   (size_t)rows->metric->width * sizeof(double));
    outside.moved = env_array_raw(env, (size_t)rows->metric->width + 1, sizeof(double));
    outside.near = env_array_raw(env, n, sizeof(double));
    outside.from = env_array(env, n, sizeof(uint32_t));
    outside.row = env_array_raw(env, n, sizeof(uint32_t));
    ordered = hierarchy_order(env, rows, outside.row);
    metric_fill_panels(rows->metric, ordered, n, outside.panels);
    for (uint32_t i = 0; i < n; i++)
        outside.near[i] = given != NULL ? given->replacement : INFINITY;
    while (outside.row[newest] != 0)
        newest++;
    remove_row(&outside, newest);
    newest = 0;
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
