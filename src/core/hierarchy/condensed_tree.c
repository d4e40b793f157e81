/*
 * condensed_tree.c - which splits of a dendrogram are clusters, and which of those to report.
 */
#include "core/hierarchy/reachability_tree.h"

#include <string.h>

static double density_of(double height)
{
    return height > 1 / DENSITY_MAX ? 1 / height : DENSITY_MAX;
}

/* A part of the dendrogram on the way down, and the cluster that it belongs to. */
typedef struct Part {
    uint32_t node, cluster;
} Part;

typedef struct Condensing {
    const DensityPoints *points;
    const Merge *merges;
    double min_weight;
    double *weights; /* [2 count - 1] of the nodes */
    CondensedTree *tree;
    uint32_t room;
    Part *pending; /* [count] */
    uint32_t *below; /* [count] nodes to look at, of a part that leaves or splits */
    uint32_t *sides; /* [count] of a split */
} Condensing;

static double *node_weights(const DensityPoints *points, const Merge *merges)
{
    Env *env = points->env;
    double *weights = env_array_raw(env, 2 * (size_t)points->count, sizeof(double));

    for (uint32_t i = 0; i < points->count; i++)
        weights[i] = row_weight(points->weights, i);
    for (uint32_t s = 0; s + 1 < points->count; s++)
        weights[points->count + s] = weights[merges[s].a] + weights[merges[s].b];
    return weights;
}

static uint32_t add_cluster(Condensing *work, uint32_t parent, double birth, double weight)
{
    CondensedTree *tree = work->tree;
    Env *env = work->points->env;

    if (tree->clusters == work->room) {
        work->room *= 2;
        tree->cluster = env->resize(env, tree->cluster, work->room * sizeof(DenseCluster));
    }
    tree->cluster[tree->clusters] = (DenseCluster){.parent = parent, .birth = birth, .death = birth, .weight = weight};
    return tree->clusters++;
}

/* Makes all points below a node leave a cluster at this density. */
static void leave(Condensing *work, uint32_t node, uint32_t cluster, double density)
{
    DenseCluster *from = &work->tree->cluster[cluster];
    uint32_t pending = 1, n = work->points->count;

    from->death = density > from->death ? density : from->death;
    from->stability += work->weights[node] * (density - from->birth);
    work->below[0] = node;
    while (pending > 0) {
        uint32_t below = work->below[--pending];

        if (below < n) {
            work->tree->last[below] = cluster;
            work->tree->leaves_at[below] = density;
            continue;
        }
        work->below[pending++] = work->merges[below - n].a;
        work->below[pending++] = work->merges[below - n].b;
    }
}

/*
 * Writes the sides into which a node falls apart at its height to work->sides, and returns how many there are. Merges of equal height
 * are one split, so that nothing depends on which of equal edges the spanning tree has.
 */
static uint32_t find_sides(Condensing *work, uint32_t node)
{
    uint32_t n = work->points->count, count = 0, pending = 1;
    double height = work->merges[node - n].height;

    work->below[0] = node;
    while (pending > 0) {
        uint32_t below = work->below[--pending];

        if (below < n || work->merges[below - n].height < height) {
            work->sides[count++] = below;
            continue;
        }
        work->below[pending++] = work->merges[below - n].a;
        work->below[pending++] = work->merges[below - n].b;
    }
    return count;
}

/* Handles the split of a part: its sides become clusters, go on as the same one, or leave it. Returns how many parts are pending. */
static uint32_t split(Condensing *work, Part part, uint32_t pending)
{
    double density = density_of(work->merges[part.node - work->points->count].height);
    uint32_t count = find_sides(work, part.node), large = 0;

    for (uint32_t i = 0; i < count; i++)
        large += work->weights[work->sides[i]] >= work->min_weight;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = work->sides[i];

        if (!(work->weights[side] >= work->min_weight)) {
            leave(work, side, part.cluster, density);
        } else if (large == 1) {
            work->pending[pending++] = (Part){side, part.cluster};
        } else {
            DenseCluster *parent = &work->tree->cluster[part.cluster];

            parent->death = density > parent->death ? density : parent->death;
            parent->stability += work->weights[side] * (density - parent->birth);
            work->pending[pending++] = (Part){side, add_cluster(work, part.cluster, density, work->weights[side])};
        }
    }
    return pending;
}

CondensedTree *condensed_tree(const DensityPoints *points, const Merge *merges, double min_weight)
{
    Env *env = points->env;
    uint32_t n = points->count, pending = 1, steps = 0;
    Condensing work = {.points = points, .merges = merges, .min_weight = min_weight, .room = 64};

    work.weights = node_weights(points, merges);
    work.tree = env_array(env, 1, sizeof(CondensedTree));
    work.tree->cluster = env_array(env, work.room, sizeof(DenseCluster));
    work.tree->last = env_array(env, n, sizeof(uint32_t));
    work.tree->leaves_at = env_array(env, n, sizeof(double));
    work.pending = env_array_raw(env, (size_t)n + 2, sizeof(Part));
    work.below = env_array_raw(env, (size_t)n + 2, sizeof(uint32_t));
    work.sides = env_array_raw(env, (size_t)n + 2, sizeof(uint32_t));
    add_cluster(&work, DENSE_ROOT, 0, work.weights[2 * (size_t)n - 2]);
    work.pending[0] = (Part){2 * n - 2, 0};
    while (pending > 0) {
        Part part = work.pending[--pending];

        if (steps++ % 65536 == 0)
            env->poll(env);
        if (part.node < n)
            leave(&work, part.node, part.cluster, DENSITY_MAX); /* one row that is heavy enough alone */
        else
            pending = split(&work, part, pending);
    }
    return work.tree;
}

/* ---- selection ---- */

/* Marks the clusters that have none below them. */
static void select_leaves(CondensedTree *tree, const uint32_t *children)
{
    for (uint32_t c = 0; c < tree->clusters; c++)
        tree->cluster[c].selected = children[c] == 0;
}

/* Marks the clusters whose stability exceeds the best that the clusters below them reach. Children come after their parents. */
static void select_stable(Env *env, CondensedTree *tree, const uint32_t *children, bool single)
{
    double *below = env_array(env, tree->clusters, sizeof(double)); /* best sum of stabilities below */

    for (uint32_t c = tree->clusters; c-- > 0;) {
        DenseCluster *cluster = &tree->cluster[c];
        bool allowed = c > 0 || single;

        cluster->selected = allowed && (children[c] == 0 || cluster->stability >= below[c]);
        if (c > 0)
            below[cluster->parent] += cluster->selected ? cluster->stability : below[c];
    }
}

/* Unmarks clusters below a marked one, so that none holds another. */
static void keep_highest(CondensedTree *tree, bool *covered)
{
    for (uint32_t c = 0; c < tree->clusters; c++) {
        DenseCluster *cluster = &tree->cluster[c];

        covered[c] = c > 0 && (covered[cluster->parent] || tree->cluster[cluster->parent].selected);
        if (covered[c])
            cluster->selected = false;
    }
}

/*
 * Replaces selected clusters that appear at a distance below the radius by the cluster around them that appears at it or above. Parents
 * come before their children, so that one pass finds the cluster around each: trees may be as deep as they are large.
 */
static void merge_near(Env *env, CondensedTree *tree, double radius, bool single)
{
    uint32_t *around = env_array_raw(env, tree->clusters, sizeof(uint32_t)); /* that, or the cluster itself */
    uint32_t *second = env_array_raw(env, tree->clusters, sizeof(uint32_t)); /* the outermost cluster around it but the first */

    for (uint32_t c = 0; c < tree->clusters; c++) {
        const DenseCluster *cluster = &tree->cluster[c];

        around[c] = c > 0 && cluster->birth > 0 && 1 / cluster->birth < radius ? around[cluster->parent] : c;
        second[c] = c > 0 && cluster->parent > 0 ? second[cluster->parent] : c;
    }
    for (uint32_t c = tree->clusters; c-- > 1;) {
        if (!tree->cluster[c].selected || around[c] == c)
            continue;
        tree->cluster[c].selected = false;
        tree->cluster[around[c] == 0 && !single ? second[c] : around[c]].selected = true;
    }
}

void condensed_select(Env *env, CondensedTree *tree, bool leaves, bool single, double radius)
{
    uint32_t *children = env_array(env, tree->clusters, sizeof(uint32_t));
    bool *covered = env_array(env, tree->clusters, sizeof(bool));

    for (uint32_t c = 1; c < tree->clusters; c++)
        children[tree->cluster[c].parent]++;
    if (leaves)
        select_leaves(tree, children);
    else
        select_stable(env, tree, children, single);
    if (!single && tree->clusters > 0)
        tree->cluster[0].selected = false;
    keep_highest(tree, covered);
    if (radius > 0) {
        merge_near(env, tree, radius, single);
        keep_highest(tree, covered);
    }
}

uint32_t *condensed_labels(const DensityPoints *points, const CondensedTree *tree, double radius)
{
    uint32_t *owner = env_array_raw(points->env, tree->clusters, sizeof(uint32_t));
    uint32_t *labels = env_array_raw(points->env, points->count, sizeof(uint32_t));

    for (uint32_t c = 0; c < tree->clusters; c++)
        owner[c] = tree->cluster[c].selected ? c : c > 0 ? owner[tree->cluster[c].parent] : GROUP_NONE;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t cluster = owner[tree->last[i]];
        double needed = radius > 0 ? 1 / radius : cluster == 0 ? tree->cluster[0].death : 0;

        /* points that leave the first cluster before the radius, or before any that stays to its end, are noise */
        labels[i] = cluster == 0 && tree->leaves_at[i] < needed ? GROUP_NONE : cluster;
    }
    return labels;
}

double *condensed_deaths(Env *env, const CondensedTree *tree)
{
    double *deaths = env_array_raw(env, tree->clusters, sizeof(double));

    for (uint32_t c = 0; c < tree->clusters; c++)
        deaths[c] = tree->cluster[c].death;
    for (uint32_t c = tree->clusters; c-- > 1;) {
        uint32_t parent = tree->cluster[c].parent;

        deaths[parent] = deaths[c] > deaths[parent] ? deaths[c] : deaths[parent];
    }
    return deaths;
}
