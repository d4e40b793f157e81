/*
 * hdbscan.c - clusters of any shape and of different densities: those that last longest while the density that is asked for grows.
 *
 * Campello, Moulavi & Sander (2013); Campello, Moulavi, Zimek & Sander (2015) for the outlier scores (GLOSH); McInnes & Healy (2017)
 * for the tree.
 *
 * The minimum spanning tree of mutual reachability grows in rounds, in which every component finds its shortest edge to another one. The
 * points of a component share the length of the shortest edge found so far, which rules out parts of the index, as do parts that lie in the
 * component as a whole. A point whose own core distance is not shorter need not look at all.
 *
 * Arrays of a model of n rows, k clusters and t clusters of the condensed tree: ids TEXT[n]; clusters I32[n], -1 for noise;
 * probabilities F64[n], how firmly each row belongs to its cluster; outlier_scores F64[n]; core_distances F64[n]; points
 * F64[n x width], coordinates; sizes F64[k]; births, deaths F64[k], the densities at which each cluster appears and ends; search F64[1],
 * min_samples; tree F64[t x 4], parent (-1 for the first), density at birth, weight, stability; tree_clusters I32[t], which are clusters of
 * the model, else -1; weights F64[n] if the rows have weights; the metric (metric.h).
 */
#include "core/base/disjoint_sets.h"
#include "core/estimator/shared_options.h"
#include "core/hierarchy/dendrogram.h"
#include "core/density/density_points.h"

#include <math.h>
#include <string.h>

/*
 * Returns the edges [count - 1] of a minimum spanning tree of the points, with their mutual reachability as heights: the distance of
 * two points, or the core distance of either if that is larger. core: reduced core distances [count]. Boruvka (1926) over the tree
 * of the index (March, Ram & Gray 2010).
 */
static Merge *reachability_tree(const DensityPoints *points, double *core);

/* A cluster of the condensed tree: points that stay together while the density grows, until it splits or vanishes. */
typedef struct DenseCluster {
    uint32_t parent;  /* DENSE_ROOT of the first cluster, which holds all points */
    double birth;     /* the density, 1 / distance, at which it appears */
    double death;     /* the largest density at which a point leaves it */
    double weight;    /* of its points at birth */
    double stability; /* the sum over its points of weight x (density at which it leaves - birth) */
    bool selected;
} DenseCluster;
#define DENSE_ROOT UINT32_MAX

typedef struct CondensedTree {
    uint32_t clusters; /* at least 1 */
    DenseCluster *cluster;
    uint32_t *last;    /* [count] the cluster that each point leaves last */
    double *leaves_at; /* [count] the density at which it leaves that */
} CondensedTree;

#define DENSITY_MAX 1e150 /* of points at distance 0 */

/*
 * Returns the condensed tree (Campello, Moulavi & Sander 2013). core: reduced core distances [count]. merges: as hierarchy_number
 * leaves them. min_weight: a part of less weight is no cluster, its points leave their cluster.
 */
static CondensedTree *condensed_tree(const DensityPoints *points, const double *core, const Merge *merges, double min_weight);

/* ---- the spanning tree ---- */

typedef struct ShortestEdge {
    double reduced; /* INFINITY: none found */
    uint32_t from, to;
} ShortestEdge;

typedef struct Rounds {
    const DensityPoints *points;
    const double *core;
    NeighborGroups *groups;
    uint32_t *parent;     /* [count] disjoint_sets.h over points */
    ShortestEdge *shortest; /* [count] of the component with this root */
    Merge *edges;
    uint32_t edge_count;
    uint32_t first; /* of the block of points that products are asked for */
} Rounds;

typedef struct Look {
    ShortestEdge *best;
    double core; /* distance */
    uint32_t from;
} Look;

/* Keeps the shortest edge, of equal ones the first found. A NeighborFound. */
static double keep_shortest(void *context, uint32_t position, double reduced, double limit)
{
    Look *look = context;

    if (reduced < look->core)
        reduced = look->core;
    if (reduced < look->best->reduced)
        *look->best = (ShortestEdge){reduced, look->from, position};
    return look->best->reduced;
}

/* Keeps the edge from a point of the block if it leads to another component and is the shortest. A NeighborCandidate. */
static double meet(void *context, uint32_t query, uint32_t position)
{
    Rounds *rounds = context;
    const DensityPoints *points = rounds->points;
    uint32_t i = rounds->first + query, own = rounds->groups->rows[i];
    double core = fmax(rounds->core[i], rounds->core[position]);
    Look look = {&rounds->shortest[own], core, i};

    if (rounds->groups->rows[position] == own || !(core < look.best->reduced))
        return look.best->reduced;
    return keep_shortest(&look, position, metric_reduced(points->metric, density_row(points, i), density_row(points, position)), look.best->reduced);
}

/* Does what find_edges does, without a tree, by products of matrices; edges of equal lengths are met in another order. */
static void find_edges_of_blocks(Rounds *rounds)
{
    const DensityPoints *points = rounds->points;
    double limits[NEIGHBOR_BLOCK];

    for (uint32_t block = 0; (rounds->first = block * NEIGHBOR_BLOCK) < points->count; block++) {
        uint32_t count = density_block_rows(points, block);

        for (uint32_t i = 0; i < count; i++) {
            double best = rounds->shortest[rounds->groups->rows[rounds->first + i]].reduced;

            limits[i] = rounds->core[rounds->first + i] < best ? best : -INFINITY;
        }
        neighbor_candidates(points->search, density_row(points, rounds->first), count, points->count, limits, meet, rounds);
    }
}

static void find_edges(Rounds *rounds)
{
    const DensityPoints *points = rounds->points;

    for (uint32_t i = 0; i < points->count; i++)
        rounds->shortest[i].reduced = INFINITY;
    if (density_by_products(points)) {
        find_edges_of_blocks(rounds);
        return;
    }
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t own = rounds->groups->rows[i];
        Look look = {&rounds->shortest[own], rounds->core[i], i};

        env_poll_every(points->env, i, 1024);
        if (!(look.core < look.best->reduced))
            continue;
        density_query(points, i);
        neighbor_others(rounds->groups, points->search, own, look.best->reduced, keep_shortest, &look);
    }
}

/* Adds the edges found, in the order of their components. Edges of equal length may close a circle: the last of them is left out. */
static void join_components(Rounds *rounds)
{
    const DensityPoints *points = rounds->points;

    for (uint32_t i = 0; i < points->count; i++) {
        const ShortestEdge *edge = &rounds->shortest[i];
        uint32_t a, b;

        if (rounds->groups->rows[i] != i || edge->reduced == INFINITY)
            continue;
        a = sets_root(rounds->parent, edge->from);
        b = sets_root(rounds->parent, edge->to);
        if (a == b)
            continue;
        sets_merge(rounds->parent, a, b);
        rounds->edges[rounds->edge_count++] =
            (Merge){edge->from, edge->to, metric_of_reduced(points->metric, edge->reduced)};
    }
    for (uint32_t i = 0; i < points->count; i++)
        rounds->groups->rows[i] = sets_root(rounds->parent, i);
    neighbor_groups_update(rounds->groups);
}

static Merge *reachability_tree(const DensityPoints *points, double *core)
{
    Env *env = points->env;
    Rounds rounds = {.points = points, .core = core, .groups = neighbor_groups(points->index, core)};
    uint32_t before;

    rounds.parent = env_array_raw(env, points->count, sizeof(uint32_t));
    rounds.shortest = env_array_raw(env, points->count, sizeof(ShortestEdge));
    rounds.edges = env_array_raw(env, points->count, sizeof(Merge));
    for (uint32_t i = 0; i < points->count; i++)
        rounds.parent[i] = rounds.groups->rows[i] = i;
    neighbor_groups_update(rounds.groups);
    do {
        before = rounds.edge_count;
        env->progress(env, "spanning tree", before, points->count, NAN);
        find_edges(&rounds);
        join_components(&rounds);
    } while (rounds.edge_count + 1 < points->count && rounds.edge_count > before);
    if (rounds.edge_count + 1 < points->count && points->metric->form != FORM_OBJECTS)
        density_fail_range(env, "hdbscan");
    for (uint32_t i = 0; i < points->count && rounds.edge_count + 1 < points->count; i++) /* objects that cannot be reached */
        if (sets_root(rounds.parent, i) != sets_root(rounds.parent, 0)) {
            rounds.edges[rounds.edge_count++] = (Merge){0, i, INFINITY};
            sets_merge(rounds.parent, sets_root(rounds.parent, 0), sets_root(rounds.parent, i));
        }
    return rounds.edges;
}

/* ---- the condensed tree: which splits are clusters, and which of those to report ---- */

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
    const double *core; /* reduced */
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

/* Returns the distance below which a point falls apart into the rows that its weight counts. */
static double point_height(const Condensing *work, uint32_t point)
{
    return metric_of_reduced(work->points->metric, work->core[point]);
}

/* Tells whether a side of a split at this height is heavy enough for a cluster, and does not fall apart at the same height. */
static bool side_stays(const Condensing *work, uint32_t side, double height)
{
    return work->weights[side] >= work->min_weight && (side >= work->points->count || point_height(work, side) < height);
}

/* Handles the split of a part: its sides become clusters, go on as the same one, or leave it. Returns how many parts are pending. */
static uint32_t split(Condensing *work, Part part, uint32_t pending)
{
    double height = work->merges[part.node - work->points->count].height, density = density_of(height);
    uint32_t count = find_sides(work, part.node), large = 0;

    for (uint32_t i = 0; i < count; i++)
        large += side_stays(work, work->sides[i], height);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = work->sides[i];

        if (!side_stays(work, side, height)) {
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

static CondensedTree *condensed_tree(const DensityPoints *points, const double *core, const Merge *merges, double min_weight)
{
    Env *env = points->env;
    uint32_t n = points->count, pending = 1, steps = 0;
    Condensing work = {.points = points, .core = core, .merges = merges, .min_weight = min_weight, .room = 64};

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
            leave(&work, part.node, part.cluster, density_of(point_height(&work, part.node))); /* one row that is heavy enough alone */
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

/*
 * Selects clusters none of which holds another: those whose stabilities have the largest sum, or the leaves of the tree. single: the
 * first cluster may be selected. radius: clusters that appear at a smaller distance are merged with those around them (Malzer & Baum
 * 2020); 0: none are.
 */
static void condensed_select(Env *env, CondensedTree *tree, bool leaves, bool single, double radius)
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

/* Returns the selected cluster of each point, [count], or GROUP_NONE. */
static uint32_t *condensed_labels(const DensityPoints *points, const CondensedTree *tree, double radius)
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

/* Returns the largest density that points of each cluster, and of those below it, reach, [clusters]. */
static double *condensed_deaths(Env *env, const CondensedTree *tree)
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

/* ---- options ---- */

static const char *const selections[] = {"stable", "leaf", NULL};

static const OptionSpec hdbscan_options[] = {
    {.name = "min_cluster_size",
     .types = OPTION_INTEGER,
     .fallback = "5",
     .minimum = 2,
     .maximum = 1e9,
     .help = "The least weight of the rows of a cluster: a number of rows where all weigh 1."},
    {.name = "min_samples",
     .types = OPTION_NUMBER,
     .minimum = 1,
     .maximum = 1e9,
     .unset = "min_cluster_size",
     .help = "The weight of the rows, the row itself included, whose distance tells how dense a place is; larger values leave more rows as noise."},
    {.name = "radius",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e300,
     .help = "Clusters that part at a smaller distance than this stay together."},
    {.name = "cluster_selection",
     .formerly = "selection",
     .types = OPTION_STRING,
     .fallback = "\"stable\"",
     .choices = selections,
     .help = "Which clusters of the tree to report: those that last longest (stable), or the smallest ones (leaf)."},
    {.name = "single_cluster",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether all rows may be one cluster."},
    {.name = NULL}};

#define TREE_COLUMNS 4

/* ---- the fit ---- */

typedef struct Hdbscan {
    const DensityPoints *points;
    CondensedTree *tree;
    double min_samples, radius;
    double *core; /* [count] reduced core distances */
    uint32_t *labels;
    int32_t *clusters;
    uint32_t k;
} Hdbscan;

/* Adds how firmly each row belongs to its cluster, and how much of an outlier it is. */
static void add_strengths(const Hdbscan *fit, ModelBuilder *builder)
{
    Env *env = fit->points->env;
    uint32_t n = fit->points->count;
    double *probabilities = env_array(env, n, sizeof(double)), *outliers = env_array(env, n, sizeof(double));
    double *deaths = condensed_deaths(env, fit->tree);

    for (uint32_t i = 0; i < n; i++) {
        double density = fit->tree->leaves_at[i], last = deaths[fit->tree->last[i]];

        if (fit->labels[i] != GROUP_NONE) {
            double most = fit->tree->cluster[fit->labels[i]].death;

            probabilities[i] = density >= most || most == 0 ? 1 : density / most;
        }
        outliers[i] = last > 0 ? (last - density) / last : 0;
    }
    builder_f64(builder, SECTION_ARRAYS, "probabilities", probabilities, n);
    builder_f64(builder, SECTION_ARRAYS, "outlier_scores", outliers, n);
}

/* Adds the condensed tree, and when the clusters of the model begin and end. */
static void add_tree(const Hdbscan *fit, ModelBuilder *builder)
{
    Env *env = fit->points->env;
    const CondensedTree *tree = fit->tree;
    uint32_t n = fit->points->count;
    double *numbers = env_array(env, (size_t)tree->clusters * TREE_COLUMNS, sizeof(double));
    double *births = env_array(env, (size_t)fit->k + 1, sizeof(double));
    double *deaths = env_array(env, (size_t)fit->k + 1, sizeof(double));
    int32_t *own = env_array(env, tree->clusters, sizeof(int32_t));

    memset(own, 0xff, tree->clusters * sizeof(int32_t));
    for (uint32_t i = 0; i < n; i++)
        if (fit->labels[i] != GROUP_NONE)
            own[fit->labels[i]] = fit->clusters[i];
    for (uint32_t c = 0; c < tree->clusters; c++) {
        const DenseCluster *cluster = &tree->cluster[c];
        double *row = numbers + (size_t)c * TREE_COLUMNS;

        row[0] = cluster->parent == DENSE_ROOT ? -1.0 : (double)cluster->parent;
        row[1] = cluster->birth;
        row[2] = cluster->weight;
        row[3] = cluster->stability;
        if (own[c] >= 0) {
            births[own[c]] = cluster->birth;
            deaths[own[c]] = cluster->death;
        }
    }
    builder_f64_matrix(builder, SECTION_ARRAYS, "tree", numbers, tree->clusters, TREE_COLUMNS);
    builder_i32(builder, SECTION_ARRAYS, "tree_clusters", own, tree->clusters);
    builder_f64(builder, SECTION_ARRAYS, "births", births, fit->k);
    builder_f64(builder, SECTION_ARRAYS, "deaths", deaths, fit->k);
}

/* Adds what new rows are compared with. */
static void add_points(const Hdbscan *fit, ModelBuilder *builder)
{
    const DensityPoints *points = fit->points;
    double *distances = env_array_raw(points->env, points->count, sizeof(double));
    double *search = env_array(points->env, 1, sizeof(double));

    for (uint32_t i = 0; i < points->count; i++)
        distances[i] = metric_of_reduced(points->metric, fit->core[i]);
    search[0] = fit->min_samples;
    builder_f64_matrix(builder, SECTION_ARRAYS, "points", points->coordinates, points->count, points->metric->width);
    builder_f64(builder, SECTION_ARRAYS, "core_distances", distances, points->count);
    builder_f64(builder, SECTION_ARRAYS, "search", search, 1);
    if (points->weights != NULL)
        builder_f64(builder, SECTION_ARRAYS, "weights", points->weights, points->count);
    metric_write(points->env, points->metric, builder);
    metric_write_objects(points->env, points->metric, builder, points->coordinates, points->count);
}

/* Fails unless the rows weigh min_samples. */
static void require_rows(Env *env, const DensityPoints *points, double min_samples)
{
    double weight = 0;

    for (uint32_t i = 0; i < points->count; i++)
        weight += row_weight(points->weights, i);
    if (weight < min_samples)
        env_fail(env, ERROR_DATA, "Use a smaller value.", "min_samples of hdbscan is %g, but all rows together weigh %g", min_samples,
                 weight);
}

static Model *hdbscan_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                          ModelBuilder *builder)
{
    Hdbscan fit = {.min_samples = (double)options_integer(options, "min_cluster_size"), .radius = options_number(options, "radius")};
    bool single = options_boolean(options, "single_cluster");
    uint32_t noise = 0;
    Merge *merges;

    if (options_given(options, "min_samples"))
        fit.min_samples = options_number(options, "min_samples");
    fit.points = density_points(env, input->rows, options, 160, self->name);
    require_rows(env, fit.points, fit.min_samples);
    fit.core = density_core_distances(fit.points, fit.min_samples);
    merges = reachability_tree(fit.points, fit.core);
    hierarchy_number(env, merges, fit.points->count, true);
    fit.tree = condensed_tree(fit.points, fit.core, merges, (double)options_integer(options, "min_cluster_size"));
    condensed_select(env, fit.tree, options_is(options, "cluster_selection", "leaf"), single, fit.radius);
    fit.labels = condensed_labels(fit.points, fit.tree, fit.radius);
    fit.clusters = env_array_raw(env, fit.points->count, sizeof(int32_t));
    fit.k = density_number(fit.points, fit.labels, fit.tree->clusters, fit.clusters);
    for (uint32_t i = 0; i < fit.points->count; i++)
        noise += fit.clusters[i] < 0;
    density_store(fit.points, builder, fit.clusters, fit.k);
    add_strengths(&fit, builder);
    add_tree(&fit, builder);
    add_points(&fit, builder);
    builder_fact_i64(builder, "noise_rows", noise);
    return model_build(builder);
}

/* ---- reading ---- */

typedef struct HdbscanModel {
    const int32_t *clusters, *tree_clusters;
    const double *births, *deaths, *core_distances, *points, *search, *tree;
    const double *weights; /* or NULL */
    uint32_t rows, k, point_count, width, tree_size;
} HdbscanModel;

static const ArraySpec hdbscan_arrays[] = {
    {.name = "births",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .values = VALUES_NONNEGATIVE,
     .data_at = VIEW_AT(HdbscanModel, births)},
    ROW_CLUSTERS(HdbscanModel),
    ROW_NUMBERS("core_distances", HdbscanModel, core_distances, VALUES_NONNEGATIVE),
    {.name = "deaths",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .values = VALUES_NONNEGATIVE,
     .data_at = VIEW_AT(HdbscanModel, deaths)},
    ROW_IDS(HdbscanModel),
    {.name = "outlier_scores", .type = ARRAY_F64, .rows = {SIZE_ROWS}, .values = VALUES_PROBABILITY},
    {.name = "points",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .columns = {SIZE_FREE},
     .data_at = VIEW_AT(HdbscanModel, points),
     .rows_at = VIEW_AT(HdbscanModel, point_count),
     .columns_at = VIEW_AT(HdbscanModel, width)},
    {.name = "probabilities", .type = ARRAY_F64, .rows = {SIZE_ROWS}, .values = VALUES_PROBABILITY},
    SEARCH_NUMBERS(HdbscanModel, 1, VALUES_POSITIVE),
    CLUSTER_SIZES(HdbscanModel),
    {.name = "tree",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .columns = {SIZE_NUMBER, .plus = TREE_COLUMNS},
     .data_at = VIEW_AT(HdbscanModel, tree),
     .rows_at = VIEW_AT(HdbscanModel, tree_size)},
    {.name = "tree_clusters",
     .type = ARRAY_I32,
     .rows = {SIZE_FREE},
     .values = VALUES_INDEX,
     .below = SIZE_CLUSTERS,
     .least = -1,
     .data_at = VIEW_AT(HdbscanModel, tree_clusters)},
    {.name = "weights",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(HdbscanModel, weights)}};
static const ArraySpec hdbscan_facts[] = {FACT("k", ARRAY_I64), FACT("noise_rows", ARRAY_I64)};
static const ArrayTable hdbscan_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(hdbscan_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(hdbscan_facts));

static const char *hdbscan_check(Env *env, const Model *model)
{
    HdbscanModel view = {0};
    const char *wrong;

    view_arrays(model, hdbscan_array_tables, &view);
    wrong = density_check(env, model, view.width);
    if (wrong != NULL)
        return wrong;
    if (model_find(model, "tree_clusters")->rows != view.tree_size)
        return "tree and tree_clusters differ in length";
    for (uint32_t c = 0; c < view.tree_size; c++) {
        double parent = view.tree[(size_t)c * TREE_COLUMNS];

        if (parent != floor(parent) || parent >= c || parent < (c == 0 ? -1 : 0))
            return "a cluster of the tree has no parent before it";
    }
    return NULL;
}

/* ---- scoring ---- */

typedef struct PreparedHdbscan {
    HdbscanModel view;
    Metric *metric;
    NeighborSearch *search;
    uint32_t k; /* neighbors that tell how dense a place is */
} PreparedHdbscan;

static void *hdbscan_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedHdbscan *prepared = env_array(env, 1, sizeof *prepared);

    prepared->metric = metric_open(env, model);
    view_arrays(model, hdbscan_array_tables, &prepared->view);
    prepared->k = prepared->view.search[0] < prepared->view.rows ? (uint32_t)ceil(prepared->view.search[0]) : prepared->view.rows;
    prepared->search = density_search(env, prepared->metric, prepared->view.points, prepared->view.rows, 2 * prepared->k);
    *bytes = 0; /* as allocated */
    return prepared;
}

/* Returns how many of the rows found, nearest first, weigh this much; all of them if they weigh less. */
static uint32_t rows_of_weight(const PreparedHdbscan *prepared, double weight)
{
    const NeighborSearch *search = prepared->search;
    uint32_t count = 0;

    for (double sum = 0; count < search->count && sum < weight; count++)
        sum += row_weight(prepared->view.weights, search->found[count].position);
    return count;
}

/* Finds the nearest rows that weigh this much, and maybe more of them. Returns how many weigh it; 0: there are none. */
static uint32_t find_weight(const PreparedHdbscan *prepared, double weight)
{
    NeighborSearch *search = prepared->search;

    for (uint32_t k = 2 * prepared->k;; k *= 2) {
        uint32_t count;

        neighbor_nearest(search, k, NEIGHBOR_NONE);
        count = rows_of_weight(prepared, weight);
        if (count < k || search->count < k || prepared->view.weights == NULL)
            return count;
    }
}

/*
 * Returns the cluster of the row that a new row reaches at the smallest mutual reachability, among the nearest that weigh twice
 * min_samples, unless the cluster has not appeared yet at that density.
 */
static uint32_t hdbscan_cluster(const Model *model, const void *data, const double *slots)
{
    const PreparedHdbscan *prepared = data;
    const HdbscanModel *view = &prepared->view;
    NeighborSearch *search = prepared->search;
    double min_samples = ceil(view->search[0]), own, least = INFINITY;
    uint32_t best = CLASS_NONE, count;

    if (!metric_place(prepared->metric, slots, search->query))
        return CLASS_NONE;
    count = find_weight(prepared, 2 * min_samples);
    if (count == 0)
        return CLASS_NONE;
    own = metric_of_reduced(prepared->metric, search->found[rows_of_weight(prepared, view->search[0]) - 1].reduced);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = search->found[i].position;
        double reach = fmax(metric_of_reduced(prepared->metric, search->found[i].reduced),
                            fmax(own, view->core_distances[position]));

        if (reach < least) {
            least = reach;
            best = position;
        }
    }
    if (best == CLASS_NONE || view->clusters[best] < 0)
        return CLASS_NONE;
    if (least > 0 && 1 / least < view->births[view->clusters[best]])
        return CLASS_NONE;
    return (uint32_t)view->clusters[best];
}

static const Scoring hdbscan_scoring = {
    .partial = true, .prepare = hdbscan_prepare, .cluster = hdbscan_cluster, .width = cluster_count};

/* ---- the table of the tree ---- */

static void *open_tree(Env *env, const Model *model, uint64_t *rows)
{
    HdbscanModel *view = env_array(env, 1, sizeof *view);

    view_arrays(model, hdbscan_array_tables, view);
    *rows = view->tree_size;
    return view;
}

static bool tree_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const HdbscanModel *view = data;
    const double *row = view->tree + i * TREE_COLUMNS;

    cell_integer(&cells[0], (int64_t)i + 1);
    if (row[0] >= 0)
        cell_integer(&cells[1], (int64_t)row[0] + 1);
    if (row[1] > 0)
        cell_number(&cells[2], 1 / row[1]);
    cell_number(&cells[3], row[2]);
    cell_number(&cells[4], row[3]);
    if (view->tree_clusters[i] >= 0)
        cell_integer(&cells[5], view->tree_clusters[i] + 1);
    return true;
}

static const Table cluster_tree = {.name = "cluster_tree", .open = open_tree, .row = tree_row};

static const Table *const hdbscan_tables[] = {&density_members, &cluster_tree, NULL};

const Estimator estimator_hdbscan = {
    .name = "hdbscan",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, hdbscan_options),
    .help = "Clusters of any shape and of different densities: those that last longest while the density that is asked for "
            "grows; the rest is noise.",
    .source = "Campello, Moulavi & Sander (2013)",
    .fit = hdbscan_fit,
    .arrays = hdbscan_array_tables,
    .check = hdbscan_check,
    .scoring = &hdbscan_scoring,
    .tables = hdbscan_tables,
};
