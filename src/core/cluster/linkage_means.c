/*
 * linkage_means.c - Ward's and centroid linkage from the means of the clusters, without a matrix of distances.
 *
 * Ward's linkage follows chains of nearest neighbors, as linkage_chain.c does. In centroid linkage a merge can bring a pair nearer
 * to a third cluster, so every merge needs the least distance of all. Each cluster keeps its nearest one and their distance. Once
 * that one is gone, the distance is a lower bound, and the nearest is looked up again only when the bound is the least of all
 * (Muellner 2011, "generic" algorithm).
 */
#include "core/linalg/vector_loops.h"
#include "core/cluster/dendrogram.h"

#include <math.h>
#include <string.h>

typedef struct Means {
    Env *env;
    const Metric *metric;
    uint32_t count; /* clusters, numbered 0 .. count - 1 */
    double *panels; /* their means */
    double *weight;
    uint32_t *row;
    double *apart; /* squared distances of one mean from all */
    double *mean;  /* [width] of one cluster */
    double *other; /* [width] of another */
    double work;
} Means;

/* Computes the squared distances from a mean to those of all clusters, in means->apart. */
static void compare(Means *means, const double *mean)
{
    loop_panels(LOOP_SQUARES, 0, mean, means->panels, (uint32_t)metric_panel_count(means->count),
                means->metric->width, means->metric->width, means->apart);
    means->work += (double)means->count * means->metric->width;
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
    means->apart = env_array(env, room, sizeof(double));
    means->mean = env_array(env, (size_t)rows->metric->width + 1, sizeof(double));
    means->other = env_array(env, (size_t)rows->metric->width + 1, sizeof(double));
    metric_fill_panels(rows->metric, rows->coordinates, rows->count, means->panels);
    for (uint32_t i = 0; i < rows->count; i++) {
        means->weight[i] = row_weight(rows->weights, i);
        means->row[i] = i;
    }
}

/* Joins cluster x to cluster y, whose mean is then in means->mean, too. */
static void join_means(Means *means, uint32_t x, uint32_t y)
{
    double share = means->weight[x] / (means->weight[x] + means->weight[y]);

    metric_panel_read(means->metric, means->panels, x, means->other);
    metric_panel_read(means->metric, means->panels, y, means->mean);
    for (uint32_t j = 0; j < means->metric->width; j++)
        means->mean[j] += share * (means->other[j] - means->mean[j]);
    metric_panel_write(means->metric, means->panels, y, means->mean);
    means->weight[y] += means->weight[x];
}

/* Gives the last cluster number i, which has been joined to another. */
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
 * Returns the cluster that joining the tip would cost the least growth of the sum of squares. Of equal ones `before` wins, else the
 * one with the first row.
 */
static uint32_t nearest_by_growth(Means *means, uint32_t tip, uint32_t before, double *growth)
{
    double own = means->weight[tip], least = INFINITY, *apart = means->apart;
    uint32_t best = before;

    metric_panel_read(means->metric, means->panels, tip, means->mean);
    compare(means, means->mean);
    for (uint32_t i = 0; i < means->count; i++)
        apart[i] *= own * means->weight[i] / (own + means->weight[i]);
    apart[tip] = INFINITY;
    for (uint32_t i = 0; i < means->count; i++)
        least = apart[i] < least ? apart[i] : least;
    *growth = least;
    if (before != UINT32_MAX && apart[before] == least)
        return before;
    for (uint32_t i = 0; i < means->count; i++)
        if (apart[i] == least && (best == before || means->row[i] < means->row[best]))
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
    double *bound; /* [clusters] squared distance of the nearest, or a lower bound */
    uint32_t *of;  /* [clusters] its row; UINT32_MAX: the distance is only a bound */
} Nearest;

/* Returns the cluster with the least bound; of equal ones the one with the first row. */
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

/* Looks up the nearest of cluster i. */
static void look_up(Means *means, Nearest *nearest, uint32_t i)
{
    double least = INFINITY;
    uint32_t best = i == 0 ? 1 : 0;

    metric_panel_read(means->metric, means->panels, i, means->mean);
    compare(means, means->mean);
    means->apart[i] = INFINITY;
    for (uint32_t j = 0; j < means->count; j++)
        least = means->apart[j] < least ? means->apart[j] : least;
    for (uint32_t j = 0; j < means->count; j++)
        if (means->apart[j] == least &&
            (means->apart[best] != least || means->row[j] < means->row[best]))
            best = j;
    nearest->bound[i] = least;
    nearest->of[i] = means->row[best];
}

/* Returns one cluster of the pair at the least distance; nearest->of has the row of the other. */
static uint32_t closest_pair(Means *means, Nearest *nearest)
{
    for (;;) {
        uint32_t i = least_bound(means, nearest);

        if (nearest->of[i] != UINT32_MAX)
            return i;
        look_up(means, nearest, i);
    }
}

/* Updates the bounds after the cluster of row `gone` was joined to y, which has a new mean. */
static void adjust(Means *means, Nearest *nearest, uint32_t gone, uint32_t y)
{
    uint32_t changed = means->row[y], best = UINT32_MAX;
    double least = INFINITY;

    compare(means, means->mean);
    means->apart[y] = INFINITY;
    for (uint32_t i = 0; i < means->count; i++) {
        double d = means->apart[i];

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

void hierarchy_centroid(Env *env, const PointSet *rows, Merge *merges)
{
    Means means = {.env = env};
    Nearest nearest;
    uint32_t *place; /* [rows] the cluster of a row */

    if (rows->count < 2)
        return;
    means_begin(&means, rows);
    nearest.bound = env_array(env, rows->count, sizeof(double));
    nearest.of = env_array(env, rows->count, sizeof(uint32_t));
    place = env_array(env, rows->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < rows->count; i++) {
        place[i] = i;
        look_up(&means, &nearest, i);
    }
    for (uint32_t made = 0; made + 1 < rows->count; made++) {
        uint32_t x = closest_pair(&means, &nearest), y = place[nearest.of[x]], gone, last;

        if (means.row[x] < means.row[y]) { /* the cluster with the first row stays */
            uint32_t swap = x;

            x = y;
            y = swap;
        }
        gone = means.row[x];
        metric_panel_read(means.metric, means.panels, x, means.mean);
        compare(&means, means.mean);
        merges[made] = (Merge){means.row[y], gone, sqrt(means.apart[y]) / rows->metric->scale};
        join_means(&means, x, y);
        last = means.count - 1;
        place[means.row[last]] = x;
        nearest.bound[x] = nearest.bound[last];
        nearest.of[x] = nearest.of[last];
        fill_gap(&means, x);
        y = y == last ? x : y;
        adjust(&means, &nearest, gone, y);
        env->progress(env, "hierarchical", made, rows->count - 1, NAN);
    }
}
