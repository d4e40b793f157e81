/*
 * dbscan.c - clusters of any shape: rows with many others within a radius (core), the rows within the radius of one (border), and
 * noise.
 *
 * Ester, Kriegel, Sander & Xu (1996). Core rows within the radius of each other share a cluster. A border row that several clusters
 * reach belongs to that of the nearest core row, so that nothing depends on the order of rows.
 *
 * Processes share the rows. With a tree, each process would look at what the others have joined already, so one joins the core rows.
 *
 * Arrays of a model of n rows, c of them core: ids TEXT[n]; clusters I32[n], -1 for noise; core U8[n]; sizes F64[k], the weight of
 * each cluster; points F64[c x width], the coordinates of the core rows in the order of the rows; search F64[2], radius and
 * min_samples; the metric (metric.h).
 */
#include "core/base/disjoint_sets.h"
#include "core/density/density_points.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

static const OptionSpec dbscan_options[] = {
    {.name = "radius",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1e300,
     .unset = "required",
     .help = "How far a row looks for others, by the metric, rows at exactly this distance included."},
    {.name = NULL}};

/* ---- the fit ---- */

/* What is asked of each row, one after the other. */
typedef enum DbscanPhase {
    PHASE_CORE,  /* is it a core row */
    PHASE_JOIN,  /* which core rows does it join */
    PHASE_BORDER /* which core row is it near, if it is none itself */
} DbscanPhase;

#define WEIGHT_ROUNDING 1e-9 /* of a sum of weights: farther from min_samples, their order does not decide */

static const char *const phase_names[] = {"core rows", "joining", "border rows"};

/* Two core points within the radius of each other. */
typedef struct Joined {
    uint32_t a, b;
} Joined;

typedef struct Nearest {
    double reduced;
    uint32_t position; /* GROUP_NONE: no row */
} Nearest;

/* What a process has. Tasks are blocks of NEIGHBOR_BLOCK rows. */
typedef struct Dbscan {
    DensityPoints *points;
    double radius, min_samples, limit;
    DbscanPhase phase;
    uint8_t *core; /* [count]; during PHASE_CORE only of the process that receives */
    /* of this process */
    NeighborGroups *groups; /* of the core points */
    uint32_t *parent;       /* [count] disjoint_sets.h over core points */
    uint32_t joining;       /* the point whose neighbors join it */
    uint32_t unseen;        /* rows since the groups were updated */
    double *queries;        /* [NEIGHBOR_BLOCK x width] the rows of a block that products are asked for; NULL: not made yet */
    uint32_t asked[NEIGHBOR_BLOCK]; /* their points */
    double limits[NEIGHBOR_BLOCK];
    double weights[NEIGHBOR_BLOCK]; /* of the rows within the radius, as far as it takes to be core */
    Nearest near[NEIGHBOR_BLOCK];   /* their nearest core points */
    /* of the last block */
    uint8_t is_core[NEIGHBOR_BLOCK];
    uint32_t nearest[NEIGHBOR_BLOCK]; /* core point; GROUP_NONE: none within the radius */
    Joined *joined; /* those that this process did not know to be connected */
    uint32_t joined_count, joined_room;
    /* where results are received */
    uint32_t *all; /* [count] the core point whose cluster each belongs to */
} Dbscan;

/* Tells whether the rows within the radius of a point weigh enough. */
static bool is_core(const Dbscan *fit, uint32_t i)
{
    const DensityPoints *points = fit->points;
    NeighborSearch *search = points->search;
    double weight = 0;

    density_query(points, i);
    if (points->weights == NULL) {
        uint32_t k = fit->min_samples > points->count ? points->count + 1 : (uint32_t)ceil(fit->min_samples);

        if (k > points->count)
            return false;
        neighbor_nearest_within(search, k, fit->limit);
        return search->count >= k;
    }
    neighbor_within(search, fit->limit);
    for (uint32_t j = 0; j < search->count; j++)
        weight += points->weights[search->found[j].position];
    return weight >= fit->min_samples;
}

/* Joins the groups of two core points. A NeighborFound. */
static double join(void *context, uint32_t position, double reduced, double limit)
{
    Dbscan *fit = context;
    uint32_t a = sets_root(fit->parent, fit->joining), b = sets_root(fit->parent, position);

    if (a == b)
        return limit;
    sets_merge(fit->parent, a, b);
    fit->joined = env_grow(fit->points->env, fit->joined, fit->joined_count, &fit->joined_room, sizeof(Joined));
    fit->joined[fit->joined_count++] = (Joined){fit->joining, position};
    return limit;
}

/*
 * Joins a core point with those within the radius. Leaves out parts of the tree that have become one group: 10,000 rows in 0.036, not 0.061 s.
 */
static void join_core(Dbscan *fit, uint32_t i)
{
    const DensityPoints *points = fit->points;
    uint32_t n = points->count, step = n / 256 > 512 ? n / 256 : 512;

    if (++fit->unseen == step) {
        fit->unseen = 0;
        for (uint32_t j = 0; j < n; j++)
            if (fit->core[j])
                fit->groups->rows[j] = sets_root(fit->parent, j);
        neighbor_groups_update(fit->groups);
    }
    fit->joining = i;
    density_query(points, i);
    neighbor_others(fit->groups, points->search, fit->groups->rows[i], fit->limit, join, fit);
}

/* Keeps the nearest point, of equally near ones the first. A NeighborFound. */
static double keep_nearest(void *context, uint32_t position, double reduced, double limit)
{
    Nearest *nearest = context;

    if (reduced < nearest->reduced || (reduced == nearest->reduced && position < nearest->position))
        *nearest = (Nearest){reduced, position};
    return nearest->reduced;
}

/* Returns the core point nearest to a point that is none, within the radius. */
static uint32_t nearest_core(const Dbscan *fit, uint32_t i)
{
    Nearest nearest = {INFINITY, GROUP_NONE};

    density_query(fit->points, i);
    neighbor_others(fit->groups, fit->points->search, GROUP_NONE, fit->limit, keep_nearest, &nearest);
    return nearest.position;
}

/* ---- all rows of a block at once, without a tree ---- */

/* Asks a row that may be within the radius of a query. A NeighborCandidate. */
static double meet(void *context, uint32_t query, uint32_t position)
{
    Dbscan *fit = context;
    const DensityPoints *points = fit->points;
    uint32_t i = fit->asked[query];
    double reduced;

    if (fit->phase != PHASE_CORE && !fit->core[position])
        return fit->limit;
    if (fit->phase == PHASE_JOIN && sets_root(fit->parent, i) == sets_root(fit->parent, position))
        return fit->limit;
    reduced = metric_reduced(points->metric, density_row(points, i), density_row(points, position));
    if (!(reduced <= fit->limit))
        return fit->limit;
    if (fit->phase == PHASE_BORDER)
        return keep_nearest(&fit->near[query], position, reduced, fit->limit);
    if (fit->phase == PHASE_CORE) {
        fit->weights[query] += row_weight(points->weights, position);
        return fit->weights[query] > (1 + WEIGHT_ROUNDING) * fit->min_samples ? -INFINITY : fit->limit;
    }
    fit->joining = i;
    return join(fit, position, reduced, fit->limit);
}

/* Tells whether a row is core whose neighbors have this sum of weights. Where rounding could decide, sums the nearest first, as with a tree. */
static bool weighs_enough(const Dbscan *fit, uint32_t i, double weight)
{
    if (fit->points->weights != NULL && fabs(weight - fit->min_samples) <= WEIGHT_ROUNDING * fit->min_samples)
        return is_core(fit, i);
    return weight >= fit->min_samples;
}

/*
 * Runs a block by products of matrices: 5,000 rows of 100 features take 0.19 s, and 1.36 s row by row. Core rows join those before them and in their block.
 */
static void run_products(Dbscan *fit, uint32_t first, uint32_t count)
{
    const DensityPoints *points = fit->points;
    uint32_t width = points->metric->width, asked = 0;

    if (fit->queries == NULL)
        fit->queries = env_array_raw(points->env, (size_t)NEIGHBOR_BLOCK * width, sizeof(double));
    for (uint32_t i = first; i < first + count; i++) {
        if (fit->phase == PHASE_BORDER)
            fit->nearest[i - first] = i;
        if (fit->phase != PHASE_CORE && fit->core[i] != (fit->phase == PHASE_JOIN))
            continue;
        memcpy(fit->queries + (size_t)asked * width, density_row(points, i), width * sizeof(double));
        fit->limits[asked] = fit->limit;
        fit->weights[asked] = 0;
        fit->near[asked] = (Nearest){INFINITY, GROUP_NONE};
        fit->asked[asked++] = i;
    }
    points->env->poll(points->env);
    if (asked > 0)
        neighbor_candidates(points->search, fit->queries, asked, fit->phase == PHASE_JOIN ? first + count : points->count, fit->limits, meet, fit);
    for (uint32_t a = 0; a < asked; a++) {
        uint32_t i = fit->asked[a] - first;

        if (fit->phase == PHASE_CORE)
            fit->is_core[i] = weighs_enough(fit, fit->asked[a], fit->weights[a]);
        else
            fit->nearest[i] = fit->near[a].position;
    }
}

static void begin(Env *env, void *data)
{
    Dbscan *fit = data;
    uint32_t n = fit->points->count;

    (void)env;
    if (fit->phase == PHASE_CORE || fit->groups != NULL)
        return;
    fit->groups = neighbor_groups(fit->points->index, NULL);
    fit->parent = env_array_raw(fit->points->env, n, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        fit->groups->rows[i] = fit->core[i] ? i : GROUP_NONE;
        fit->parent[i] = i;
    }
    neighbor_groups_update(fit->groups);
}

static void run(void *data, uint32_t task)
{
    Dbscan *fit = data;
    const DensityPoints *points = fit->points;
    uint32_t first = task * NEIGHBOR_BLOCK, count = density_block_rows(points, task);

    fit->joined_count = 0;
    if (density_by_products(points)) {
        run_products(fit, first, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (fit->phase == PHASE_CORE)
            fit->is_core[i] = is_core(fit, first + i);
        else if (fit->phase == PHASE_BORDER)
            fit->nearest[i] = fit->core[first + i] ? first + i : nearest_core(fit, first + i);
        else if (fit->core[first + i])
            join_core(fit, first + i);
    }
    points->env->poll(points->env);
}

static void receive(void *receiver, uint32_t task)
{
    Dbscan *fit = receiver;
    Env *env = fit->points->env;
    uint32_t first = task * NEIGHBOR_BLOCK, count = density_block_rows(fit->points, task);

    env->progress(env, phase_names[fit->phase], first, fit->points->count, NAN);
    if (fit->phase == PHASE_CORE)
        memcpy(fit->core + first, fit->is_core, count);
    else if (fit->phase == PHASE_BORDER)
        memcpy(fit->all + first, fit->nearest, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < fit->joined_count; i++)
        sets_merge(fit->parent, sets_root(fit->parent, fit->joined[i].a), sets_root(fit->parent, fit->joined[i].b));
}

static void pack(Pack *pack, void *data)
{
    Dbscan *fit = data;

    pack_value(pack, &fit->phase, sizeof fit->phase);
    pack_value(pack, &fit->min_samples, sizeof fit->min_samples);
    pack_value(pack, &fit->limit, sizeof fit->limit);
    density_points_pack(pack, &fit->points);
    pack_array_if(pack, fit->phase != PHASE_CORE, &fit->core, fit->points->count, 1);
}

static void pack_result(Pack *pack, void *data)
{
    Dbscan *fit = data;

    if (fit->phase == PHASE_CORE)
        pack_value(pack, fit->is_core, sizeof fit->is_core);
    else if (fit->phase == PHASE_BORDER)
        pack_value(pack, fit->nearest, sizeof fit->nearest);
    pack_value(pack, &fit->joined_count, sizeof fit->joined_count);
    if (pack->mode == PACK_OPEN && fit->joined_count > fit->joined_room) {
        fit->joined_room = fit->joined_count;
        fit->joined = fit->points->env->resize(fit->points->env, fit->joined, fit->joined_room * sizeof(Joined));
    }
    pack_value(pack, fit->joined, fit->joined_count * sizeof(Joined));
}

const SharedKind dbscan_kind = {
    .name = "rows of dbscan", .data_size = sizeof(Dbscan), .pack = pack, .begin = begin, .run = run, .pack_result = pack_result};

static void ask_all(Dbscan *fit, DbscanPhase phase)
{
    DensityPoints *points = fit->points;
    uint64_t products = density_by_products(points) ? density_product_room(points) : 0;
    SharedWork work = {.kind = &dbscan_kind,
                       .data = fit,
                       .end = (points->count - 1) / NEIGHBOR_BLOCK + 1,
                       .packs = metric_packs(points->metric) && (phase != PHASE_JOIN || points->index->kind == INDEX_BRUTE),
                       .process_room = points->count * (uint64_t)(3 * sizeof(uint32_t) + sizeof(Joined)) + products,
                       .spare = points->spare - products,
                       .receive = receive,
                       .receiver = fit};

    fit->phase = phase;
    begin(points->env, fit);
    shared_work(points->env, &work);
    fit->joined_count = 0;
}

/* Returns the group of each point, [count]: that of its core point, or of the nearest one within the radius. */
static uint32_t *groups_of_all(Dbscan *fit)
{
    DensityPoints *points = fit->points;

    fit->all = env_array_raw(points->env, points->count, sizeof(uint32_t));
    ask_all(fit, PHASE_CORE);
    ask_all(fit, PHASE_JOIN);
    ask_all(fit, PHASE_BORDER);
    for (uint32_t i = 0; i < points->count; i++)
        if (fit->all[i] != GROUP_NONE)
            fit->all[i] = sets_root(fit->parent, fit->all[i]);
    return fit->all;
}

static void add_search(const Dbscan *fit, ModelBuilder *builder, uint32_t core)
{
    const DensityPoints *points = fit->points;
    Env *env = points->env;
    uint32_t width = points->metric->width, at = 0;
    double *rows = env_array_raw(env, (size_t)core + 1, width * sizeof(double));
    double *search = env_array(env, 2, sizeof(double));

    for (uint32_t i = 0; i < points->count; i++)
        if (fit->core[i])
            memcpy(rows + (size_t)at++ * width, density_row(points, i), width * sizeof(double));
    search[0] = fit->radius;
    search[1] = fit->min_samples;
    builder_f64_matrix(builder, SECTION_ARRAYS, "points", rows, core, width);
    builder_f64(builder, SECTION_ARRAYS, "search", search, 2);
    builder_u8(builder, SECTION_ARRAYS, "core", fit->core, points->count);
    metric_write_objects(env, points->metric, builder, rows, core);
}

static Model *dbscan_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                         ModelBuilder *builder)
{
    Dbscan fit = {.min_samples = options_number(options, "min_samples")};
    int32_t *clusters;
    uint32_t core = 0, noise = 0, k;

    if (!options_given(options, "radius"))
        env_fail(env, ERROR_PARAMETER,
                 "Give \"radius\": how far a row looks for others. The distances of the min_samples-th neighbors, sorted, show "
                 "where the density falls.",
                 "dbscan needs option \"radius\"");
    fit.radius = options_number(options, "radius");
    fit.points = density_points(env, input->rows, options, 6 * sizeof(uint32_t), self->name);
    fit.limit = density_limit(fit.points->metric, fit.radius);
    fit.core = env_array(env, fit.points->count, 1);
    clusters = env_array_raw(env, fit.points->count, sizeof(int32_t));
    k = density_number(fit.points, groups_of_all(&fit), fit.points->count, clusters);
    for (uint32_t i = 0; i < fit.points->count; i++) {
        core += fit.core[i];
        noise += clusters[i] < 0;
    }
    density_store(fit.points, builder, clusters, k);
    add_search(&fit, builder, core);
    metric_write(env, fit.points->metric, builder);
    builder_fact_i64(builder, "core_rows", core);
    builder_fact_i64(builder, "noise_rows", noise);
    return model_build(builder);
}

/* ---- reading ---- */

typedef struct DbscanModel {
    const int32_t *clusters;
    const uint8_t *core;
    const double *points, *search;
    uint32_t rows, k, core_count, width;
} DbscanModel;

static const ArraySpec dbscan_arrays[] = {
    ROW_CLUSTERS(DbscanModel),
    {.name = "core",
     .type = ARRAY_U8,
     .rows = {SIZE_ROWS},
     .values = VALUES_PROBABILITY,
     .data_at = VIEW_AT(DbscanModel, core)},
    ROW_IDS(DbscanModel),
    {.name = "points",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .columns = {SIZE_FREE},
     .data_at = VIEW_AT(DbscanModel, points),
     .rows_at = VIEW_AT(DbscanModel, core_count),
     .columns_at = VIEW_AT(DbscanModel, width)},
    SEARCH_NUMBERS(DbscanModel, 2, VALUES_POSITIVE),
    CLUSTER_SIZES(DbscanModel)};
static const ArraySpec dbscan_facts[] = {FACT("core_rows", ARRAY_I64), FACT("k", ARRAY_I64),
                                         FACT("noise_rows", ARRAY_I64)};
static const ArrayTable dbscan_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(dbscan_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(dbscan_facts));

static const char *dbscan_check(Env *env, const Model *model)
{
    DbscanModel view = {0};
    Metric *metric;
    uint32_t core = 0;
    const char *wrong;

    view_arrays(model, dbscan_array_tables, &view);
    wrong = view.core_count > 0 ? density_check(env, model, view.width) : metric_read(env, model, &metric);
    for (uint32_t i = 0; i < view.rows && wrong == NULL; i++) {
        core += view.core[i];
        if (view.core[i] && view.clusters[i] < 0)
            wrong = "a core row has no cluster";
    }
    if (wrong == NULL && core != view.core_count)
        wrong = env_message(env, "%u points are stored for %u core rows", view.core_count, core);
    return wrong;
}

/* ---- scoring ---- */

typedef struct PreparedDbscan {
    Metric *metric;
    NeighborSearch *search; /* NULL: no row is core */
    uint32_t *clusters;     /* of the core rows */
    double limit;
    double *row; /* [width] */
} PreparedDbscan;

static void *dbscan_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedDbscan *prepared = env_array(env, 1, sizeof *prepared);
    DbscanModel view = {0};
    uint32_t core = 0;

    prepared->metric = metric_open(env, model);
    view_arrays(model, dbscan_array_tables, &view);
    prepared->limit = density_limit(prepared->metric, view.search[0]);
    *bytes = 0; /* as allocated */
    if (view.core_count == 0)
        return prepared;
    prepared->clusters = env_array_raw(env, view.core_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < view.rows; i++)
        if (view.core[i])
            prepared->clusters[core++] = (uint32_t)view.clusters[i];
    prepared->search = density_search(env, prepared->metric, view.points, view.core_count, 1);
    return prepared;
}

/* Finds the core row nearest to a row; returns false where there is none. */
static bool find_core(const PreparedDbscan *prepared, const double *slots)
{
    if (prepared->search == NULL || !metric_place(prepared->metric, slots, prepared->search->query))
        return false;
    neighbor_nearest(prepared->search, 1, NEIGHBOR_NONE);
    return prepared->search->count > 0;
}

static uint32_t dbscan_cluster(const Model *model, const void *data, const double *slots)
{
    const PreparedDbscan *prepared = data;

    if (!find_core(prepared, slots) || prepared->search->found[0].reduced > prepared->limit)
        return CLASS_NONE;
    return prepared->clusters[prepared->search->found[0].position];
}

static double dbscan_distance(const Model *model, const void *data, const double *slots)
{
    const PreparedDbscan *prepared = data;

    return find_core(prepared, slots) ? metric_of_reduced(prepared->metric, prepared->search->found[0].reduced) : NAN;
}

static const Scoring dbscan_scoring = {.partial = true,
                                       .prepare = dbscan_prepare,
                                       .cluster = dbscan_cluster,
                                       .distance = dbscan_distance,
                                       .width = cluster_count};

static const Table *const dbscan_tables[] = {&density_members, NULL};

const Estimator estimator_dbscan = {
    .name = "dbscan",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .infinite_distances = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, options_density, dbscan_options),
    .help = "Clusters of any shape: rows that have enough others within a radius, and the rows near them; the rest is noise.",
    .source = "Ester, Kriegel, Sander & Xu (1996)",
    .fit = dbscan_fit,
    .arrays = dbscan_array_tables,
    .check = dbscan_check,
    .scoring = &dbscan_scoring,
    .tables = dbscan_tables,
};
