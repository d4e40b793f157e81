/*
 * linkage_means.c - Ward's, centroid and median linkage from the means of the clusters, without a matrix of distances.
 *
 * Ward's linkage follows chains of nearest neighbors, as linkage_chain.c does. In centroid linkage a merge can bring a pair nearer
 * to a third cluster, so every merge needs the least distance of all pairs. Each cluster stores its nearest one and their distance.
 * Once that one is gone, the distance is only a lower bound, and the nearest is searched again when the bound is the least of all
 * (Muellner 2011, "generic" algorithm).
 */
#include "core/linalg/vector_loops.h"
#include "core/hierarchy/dendrogram.h"

#include <math.h>
#include <string.h>

typedef struct Means {
    Env *env;
    const Metric *metric;
    uint32_t count; /* clusters, numbered 0 .. count - 1 */
    double *panels;  /* [count x width] their means, in panels (metric.h) */
    double *weight;  /* [count] of their rows */
    uint32_t *row;   /* [count] one row of each */
    double *squares; /* [count] squared distances from one mean to all */
    double *mean;    /* [width] of one cluster */
    double *other;   /* [width] of another cluster */
    bool midpoints;  /* of median linkage: a merge puts its "mean" halfway between those of its parts */
    double work;     /* since the last poll */
} Means;

/* Sets means->squares to the squared distances from a mean to the means of the clusters from `first` on, a multiple of METRIC_PANEL. */
static void compute_squares(Means *means, const double *mean, uint32_t first)
{
    uint32_t width = means->metric->width;

    loop_panels(LOOP_SQUARES, 0, mean, means->panels + (size_t)first * width, (uint32_t)metric_panel_count(means->count - first), width, width,
                means->squares + first);
    means->work += (double)(means->count - first) * width;
    if (means->work > 4e6) {
        means->env->poll(means->env);
        means->work = 0;
    }
}

static void means_begin(Means *means, const PointSet *rows)
{
    Env *env = means->env;
    size_t room = metric_panel_count(rows->count) * METRIC_PANEL;

    means->metric = rows->metric;
    means->count = rows->count;
    means->panels = env_array_raw(env, room, (size_t)rows->metric->width * sizeof(double) + 1);
    means->weight = env_array(env, room, sizeof(double));
    means->row = env_array(env, room, sizeof(uint32_t));
    means->squares = env_array(env, room, sizeof(double));
    means->mean = env_array(env, (size_t)rows->metric->width + 1, sizeof(double));
    means->other = env_array(env, (size_t)rows->metric->width + 1, sizeof(double));
    metric_fill_panels(rows->metric, rows->coordinates, rows->count, means->panels);
    for (uint32_t i = 0; i < rows->count; i++) {
        means->weight[i] = row_weight(rows->weights, i);
        means->row[i] = i;
    }
}

/* Joins cluster x to cluster y, and sets means->mean to the new mean of y. */
static void join_means(Means *means, uint32_t x, uint32_t y)
{
    double share = means->midpoints ? 0.5 : means->weight[x] / (means->weight[x] + means->weight[y]);

    metric_panel_read(means->metric, means->panels, x, means->other);
    metric_panel_read(means->metric, means->panels, y, means->mean);
    for (uint32_t j = 0; j < means->metric->width; j++)
        means->mean[j] += share * (means->other[j] - means->mean[j]);
    metric_panel_write(means->metric, means->panels, y, means->mean);
    means->weight[y] += means->weight[x];
}

/* Moves the last cluster to number i, whose cluster has been joined to another. */
static void fill_gap(Means *means, uint32_t i)
{
    uint32_t last = --means->count;

    metric_panel_read(means->metric, means->panels, last, means->other);
    metric_panel_write(means->metric, means->panels, i, means->other);
    means->weight[i] = means->weight[last];
    means->row[i] = means->row[last];
}

/* ---- ward ---- */

/*
 * Returns the cluster whose merge with the tip lets the sum of squares grow least, and that growth. Of equal ones it prefers
 * `before`, then the one with the first row.
 */
static uint32_t nearest_by_growth(Means *means, uint32_t tip, uint32_t before, double *growth)
{
    double own = means->weight[tip], least = INFINITY, *squares = means->squares;
    uint32_t best = before;

    metric_panel_read(means->metric, means->panels, tip, means->mean);
    compute_squares(means, means->mean, 0);
    for (uint32_t i = 0; i < means->count; i++)
        squares[i] *= own * means->weight[i] / (own + means->weight[i]);
    squares[tip] = INFINITY;
    for (uint32_t i = 0; i < means->count; i++)
        least = squares[i] < least ? squares[i] : least;
    *growth = least;
    if (before != UINT32_MAX && squares[before] == least)
        return before;
    for (uint32_t i = 0; i < means->count; i++)
        if (squares[i] == least && (best == before || means->row[i] < means->row[best]))
            best = i;
    return best;
}

void hierarchy_ward(Env *env, const PointSet *rows, Merge *merges)
{
    Means means = {.env = env};
    uint32_t *chain, length = 0, made = 0;

    if (rows->count < 2)
        return;
    means_begin(&means, rows);
    chain = env_array(env, rows->count, sizeof(uint32_t));
    while (made + 1 < rows->count) {
        uint32_t tip, before, next, last = means.count - 1;
        double growth;

        if (length == 0)
            chain[length++] = 0;
        tip = chain[length - 1];
        before = length > 1 ? chain[length - 2] : UINT32_MAX;
        next = nearest_by_growth(&means, tip, before, &growth);
        if (next != before) {
            chain[length++] = next;
            continue;
        }
        merges[made++] =
            (Merge){means.row[tip], means.row[before], sqrt(2 * growth) / rows->metric->scale};
        length -= 2;
        join_means(&means, tip, before);
        fill_gap(&means, tip);
        for (uint32_t c = 0; c < length; c++)
            if (chain[c] == last)
                chain[c] = tip;
        env->progress(env, "hierarchical", made, rows->count - 1, NAN);
    }
}

/* ---- centroid ---- */

typedef struct Nearest {
    double *bound; /* [clusters] squared distance of the nearest cluster, or a lower bound */
    uint32_t *of;  /* [clusters] row of the nearest cluster; UINT32_MAX: only a bound is known */
} Nearest;

/* Returns the cluster with the least bound; of equal ones that with the first row. */
static uint32_t least_bound(const Means *means, const Nearest *nearest)
{
    double least = INFINITY;
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < means->count; i++)
        least = nearest->bound[i] < least ? nearest->bound[i] : least;
    for (uint32_t i = 0; i < means->count; i++)
        if (nearest->bound[i] == least && (best == UINT32_MAX || means->row[i] < means->row[best]))
            best = i;
    return best == UINT32_MAX ? 0 : best;
}

/* Searches the cluster nearest to cluster i. */
static void find_nearest(Means *means, Nearest *nearest, uint32_t i)
{
    double least = INFINITY;
    uint32_t best = i == 0 ? 1 : 0;

    metric_panel_read(means->metric, means->panels, i, means->mean);
    compute_squares(means, means->mean, 0);
    means->squares[i] = INFINITY;
    for (uint32_t j = 0; j < means->count; j++)
        least = means->squares[j] < least ? means->squares[j] : least;
    for (uint32_t j = 0; j < means->count; j++)
        if (means->squares[j] == least &&
            (means->squares[best] != least || means->row[j] < means->row[best]))
            best = j;
    nearest->bound[i] = least;
    nearest->of[i] = means->row[best];
}

/* Searches the cluster nearest to each, from every distance once: of equal ones the first, as each cluster is one row. */
static void find_all_nearest(Means *means, Nearest *nearest)
{
    for (uint32_t i = 0; i < means->count; i++) {
        nearest->bound[i] = INFINITY;
        nearest->of[i] = i == 0;
    }
    for (uint32_t i = 0; i + 1 < means->count; i++) {
        double least = nearest->bound[i];
        uint32_t best = nearest->of[i];

        metric_panel_read(means->metric, means->panels, i, means->mean);
        compute_squares(means, means->mean, i / METRIC_PANEL * METRIC_PANEL);
        for (uint32_t j = i + 1; j < means->count; j++) {
            double d = means->squares[j];

            if (d < nearest->bound[j]) {
                nearest->bound[j] = d;
                nearest->of[j] = i;
            }
            if (d < least) {
                least = d;
                best = j;
            }
        }
        nearest->bound[i] = least;
        nearest->of[i] = best;
    }
}

/* Returns one cluster of the nearest pair; nearest->of gives the row of the other. */
static uint32_t closest_pair(Means *means, Nearest *nearest)
{
    for (;;) {
        uint32_t i = least_bound(means, nearest);

        if (nearest->of[i] != UINT32_MAX)
            return i;
        find_nearest(means, nearest, i);
    }
}

/* Updates the bounds after the cluster of row `gone` was joined to y, which now has the mean in means->mean. */
static void update_bounds(Means *means, Nearest *nearest, uint32_t gone, uint32_t y)
{
    uint32_t changed = means->row[y], best = UINT32_MAX;
    double least = INFINITY;

    compute_squares(means, means->mean, 0);
    means->squares[y] = INFINITY;
    for (uint32_t i = 0; i < means->count; i++) {
        double d = means->squares[i];

        if (nearest->of[i] == gone || nearest->of[i] == changed)
            nearest->of[i] = UINT32_MAX;
        if (d < nearest->bound[i] || (d == nearest->bound[i] && nearest->of[i] == UINT32_MAX)) {
            nearest->bound[i] = d;
            nearest->of[i] = changed;
        }
        if (d < least || (d == least && best != UINT32_MAX && means->row[i] < means->row[best])) {
            least = d;
            best = i;
        }
    }
    nearest->bound[y] = least;
    nearest->of[y] = best == UINT32_MAX ? UINT32_MAX : means->row[best];
}

void hierarchy_centroid(Env *env, const PointSet *rows, Linkage linkage, Merge *merges)
{
    Means means = {.env = env, .midpoints = linkage == LINKAGE_MEDIAN};
    Nearest nearest;
    uint32_t *place; /* [rows] cluster of each row that represents one */

    if (rows->count < 2)
        return;
    means_begin(&means, rows);
    nearest.bound = env_array(env, rows->count, sizeof(double));
    nearest.of = env_array(env, rows->count, sizeof(uint32_t));
    place = env_array(env, rows->count, sizeof(uint32_t));
    find_all_nearest(&means, &nearest);
    for (uint32_t i = 0; i < rows->count; i++)
        place[i] = i;
    for (uint32_t made = 0; made + 1 < rows->count; made++) {
        uint32_t x = closest_pair(&means, &nearest), y = place[nearest.of[x]], gone, last;
        double square = nearest.bound[x];

        if (means.row[x] < means.row[y]) { /* the cluster with the first row stays */
            uint32_t swap = x;

            x = y;
            y = swap;
        }
        gone = means.row[x];
        merges[made] = (Merge){means.row[y], gone, sqrt(square) / rows->metric->scale};
        join_means(&means, x, y);
        last = means.count - 1;
        place[means.row[last]] = x;
        nearest.bound[x] = nearest.bound[last];
        nearest.of[x] = nearest.of[last];
        fill_gap(&means, x);
        y = y == last ? x : y;
        update_bounds(&means, &nearest, gone, y);
        env->progress(env, "hierarchical", made, rows->count - 1, NAN);
    }
}
