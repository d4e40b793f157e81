/*
 * hdbscan.c - clusters of any shape and of different densities: those that last longest while the density that is asked for grows.
 *
 * Campello, Moulavi & Sander (2013); Campello, Moulavi, Zimek & Sander (2015) for the outlier scores (GLOSH); McInnes & Healy (2017)
 * for the tree.
 *
 * Arrays of a model of n rows, k clusters and t clusters of the condensed tree: ids TEXT[n]; clusters I32[n], -1 for noise;
 * probabilities F64[n], how firmly each row belongs to its cluster; outlier_scores F64[n]; core_distances F64[n]; points
 * F64[n x width], coordinates; sizes F64[k]; births, deaths F64[k], the densities at which each cluster appears and ends; search F64[1],
 * min_samples; tree F64[t x 4], parent (-1 for the first), density at birth, weight, stability; tree_clusters I32[t], which are clusters of
 * the model, else -1; the metric (metric.h).
 */
#include "core/hierarchy/reachability_tree.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

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
    fit.tree = condensed_tree(fit.points, merges, (double)options_integer(options, "min_cluster_size"));
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
     .data_at = VIEW_AT(HdbscanModel, tree_clusters)}};
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

/*
 * Returns the cluster of the row that a new row reaches at the smallest mutual reachability, among its 2 k nearest, unless the cluster has
 * not appeared yet at that density.
 */
static uint32_t hdbscan_cluster(const Model *model, const void *data, const double *slots)
{
    const PreparedHdbscan *prepared = data;
    const HdbscanModel *view = &prepared->view;
    NeighborSearch *search = prepared->search;
    uint32_t best = CLASS_NONE;
    double own, least = INFINITY;

    if (!metric_place(prepared->metric, slots, search->query))
        return CLASS_NONE;
    neighbor_nearest(search, 2 * prepared->k, NEIGHBOR_NONE);
    if (search->count == 0)
        return CLASS_NONE;
    own = metric_of_reduced(prepared->metric,
                            search->found[prepared->k < search->count ? prepared->k - 1 : search->count - 1].reduced);
    for (uint32_t i = 0; i < search->count; i++) {
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

static const Table cluster_tree = {.name = "cluster_tree",
                                   .columns = {{"part", CELL_BIGINT},
                                               {"parent", CELL_BIGINT},
                                               {"distance", CELL_NUMBER},
                                               {"size", CELL_NUMBER},
                                               {"stability", CELL_NUMBER},
                                               {"cluster", CELL_INTEGER}},
                                   .open = open_tree,
                                   .row = tree_row};

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
