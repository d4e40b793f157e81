/*
 * density_points.c - points in the order of an index, their core distances, and the numbering of clusters.
 */
#include "core/density/density_points.h"
#include "core/base/sort.h"
#include "core/neighbors/neighbors_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

const OptionSpec options_density[] = {
    {.name = "min_samples",
     .types = OPTION_NUMBER,
     .fallback = "5",
     .minimum = 1,
     .maximum = 1e9,
     .help = "The weight of the rows that make a place dense, the row itself included: a number of rows where all weigh 1."},
    {.name = NULL}};

/* ---- loading ---- */

static void reorder_points(DensityPoints *points, const PointSet *set, const RowId *ids, const uint32_t *order)
{
    Env *env = points->env;
    size_t width = set->metric->width;

    points->coordinates = env_array_raw(env, set->count, width * sizeof(double) + 1);
    points->ids = env_array_raw(env, set->count, sizeof(RowId));
    if (set->weights != NULL)
        points->weights = env_array_raw(env, set->count, sizeof(double));
    for (uint32_t i = 0; i < set->count; i++) {
        memcpy(points->coordinates + i * width, point_set_row(set, order[i]), width * sizeof(double));
        points->ids[i] = ids[order[i]];
        if (set->weights != NULL)
            points->weights[i] = set->weights[order[i]];
        env_poll_every(env, i, 4096);
    }
}

DensityPoints *density_points(Env *env, Rows *rows, const Options *options, size_t room, const char *method)
{
    DensityPoints *points = env_array(env, 1, sizeof *points);
    PointSet *set;
    RowId *ids;
    uint32_t *order;

    neighbors_require_size(env, method, rows_count(rows), rows_slots(rows) + 3, rows_id_bytes(rows));
    set = point_set(env, rows, options, room + 2 * (rows_slots(rows) + 2) * sizeof(double) + 64, method);
    ids = point_set_ids(env, rows, set);
    order = env_array_raw(env, set->count, sizeof(uint32_t));
    neighbor_order(env, set->metric, set->coordinates, set->count, neighbor_by_number, NULL, order);
    *points = (DensityPoints){.env = env, .metric = set->metric, .count = set->count, .spare = set->spare};
    reorder_points(points, set, ids, order);
    env->release(env, set->coordinates);
    points->index = neighbor_index(env, points->metric, points->coordinates, points->count,
                                   neighbor_index_auto(points->metric, points->count), true);
    points->search = neighbor_search(points->index, 64);
    return points;
}

void density_points_pack(Pack *pack, DensityPoints **place)
{
    bool opens = pack->mode == PACK_OPEN;
    DensityPoints *points = opens ? env_array(pack->env, 1, sizeof(DensityPoints)) : *place;

    pack_value(pack, points, sizeof *points);
    neighbor_index_pack(pack, &points->index);
    pack_array(pack, &points->weights, points->index->count, sizeof(double));
    if (!opens)
        return;
    points->env = pack->env;
    points->metric = points->index->metric;
    points->ids = NULL;
    points->coordinates = (double *)points->index->rows;
    points->search = neighbor_search(points->index, 64);
    *place = points;
}

void density_query(const DensityPoints *points, uint32_t i)
{
    memcpy(points->search->query, density_row(points, i), points->metric->width * sizeof(double));
}

/* ---- distances ---- */

void density_fail_range(Env *env, const char *method)
{
    env_fail(env, ERROR_RANGE, "Divide the features by a large number.", "a distance in %s is out of range", method);
}

double density_limit(const Metric *metric, double radius)
{
    uint64_t low = 0, high; /* bits of a double that is near enough, and of one that is not */
    double limit = DBL_MAX;

    if (metric_of_reduced(metric, limit) <= radius)
        return limit;
    memcpy(&high, &limit, sizeof high);
    while (high - low > 1) { /* positive doubles are in the order of their bits */
        uint64_t middle = low + (high - low) / 2;

        memcpy(&limit, &middle, sizeof limit);
        if (metric_of_reduced(metric, limit) <= radius)
            low = middle;
        else
            high = middle;
    }
    memcpy(&limit, &low, sizeof limit);
    return limit;
}

/* Returns the core distance of a weighted point: looks at more and more neighbors until they weigh enough. */
static double weighted_core_distance(const DensityPoints *points, uint32_t i, double min_samples)
{
    NeighborSearch *search = points->search;

    density_query(points, i);
    for (uint32_t k = 8;; k *= 2) {
        double weight = 0;

        neighbor_nearest(search, k, NEIGHBOR_NONE);
        for (uint32_t j = 0; j < search->count; j++) {
            weight += points->weights[search->found[j].position];
            if (weight >= min_samples)
                return search->found[j].reduced;
        }
        if (search->count < k || k >= points->count)
            return INFINITY;
    }
}

/* Takes the distances of the k-th neighbors of a block. A NeighborBlockTaken. */
static void take_core_distances(void *context, const NeighborBlock *block)
{
    double *distances = context;

    for (uint32_t i = 0; i < block->count; i++)
        distances[block->first + i] = block->counts[i] < block->k ? INFINITY : block->found[(size_t)i * block->k + block->k - 1].reduced;
}

double *density_core_distances(const DensityPoints *points, double min_samples)
{
    Env *env = points->env;
    double *distances = env_array_raw(env, points->count, sizeof(double));
    uint32_t k = min_samples < points->count ? (uint32_t)ceil(min_samples) : points->count;

    if (points->weights == NULL && min_samples > points->count) {
        for (uint32_t i = 0; i < points->count; i++)
            distances[i] = INFINITY;
        return distances;
    }
    if (points->weights != NULL) {
        for (uint32_t i = 0; i < points->count; i++)
            distances[i] = weighted_core_distance(points, i, min_samples);
        return distances;
    }
    env_require_memory(env, (size_t)NEIGHBOR_BLOCK * k * sizeof(Neighbor), "min_samples");
    neighbor_blocks(env, points->index, k, false, points->spare, "core distances", take_core_distances, distances);
    return distances;
}

/* ---- clusters ---- */

typedef struct Size {
    double weight;
    uint32_t first; /* point */
    uint32_t root;
} Size;

static int compare_sizes(const void *left, const void *right)
{
    const Size *a = left, *b = right;

    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

uint32_t density_number(const DensityPoints *points, const uint32_t *roots, uint32_t limit, int32_t *clusters)
{
    Env *env = points->env;
    uint32_t *place = env_array_raw(env, limit, sizeof(uint32_t)), k = 0;
    Size *sizes = env_array_raw(env, points->count, sizeof(Size));

    memset(place, 0xff, limit * sizeof(uint32_t));
    for (uint32_t i = 0; i < points->count; i++) {
        if (roots[i] == GROUP_NONE)
            continue;
        if (place[roots[i]] == UINT32_MAX) {
            place[roots[i]] = k;
            sizes[k++] = (Size){0, i, roots[i]};
        }
        sizes[place[roots[i]]].weight += row_weight(points->weights, i);
    }
    sort_polled(env, sizes, k, sizeof(Size), compare_sizes);
    for (uint32_t c = 0; c < k; c++)
        place[sizes[c].root] = c;
    for (uint32_t i = 0; i < points->count; i++)
        clusters[i] = roots[i] == GROUP_NONE ? DENSITY_NOISE : (int32_t)place[roots[i]];
    return k;
}

/* Returns the weights of the clusters, [k]. */
static double *density_sizes(const DensityPoints *points, const int32_t *clusters, uint32_t k)
{
    double *sizes = env_array(points->env, (size_t)k + 1, sizeof(double));

    for (uint32_t i = 0; i < points->count; i++)
        if (clusters[i] >= 0)
            sizes[clusters[i]] += row_weight(points->weights, i);
    return sizes;
}

void density_store(const DensityPoints *points, ModelBuilder *builder, const int32_t *clusters, uint32_t k)
{
    row_ids_write(points->env, builder, points->ids, NULL, points->count);
    builder_i32(builder, SECTION_ARRAYS, "clusters", clusters, points->count);
    builder_f64(builder, SECTION_ARRAYS, "sizes", density_sizes(points, clusters, k), k);
    builder_fact_i64(builder, "k", k);
}

/* ---- what a model keeps to place new rows ---- */

const char *density_check(Env *env, const Model *model, uint32_t width)
{
    Metric *metric;
    const char *wrong = metric_read(env, model, &metric);

    if (wrong == NULL && width != metric->width)
        wrong = env_message(env, "the points have %u coordinates, but the metric has %u", width, metric->width);
    return wrong != NULL ? wrong : metric_check_array(model, "points");
}

NeighborSearch *density_search(Env *env, const Metric *metric, const double *points, uint32_t count, uint32_t room)
{
    return neighbor_search(neighbor_index(env, metric, points, count, neighbor_index_auto(metric, count), true), room);
}

/* ---- the table ---- */

typedef struct MemberReader {
    const ModelEntry *ids;
    const int32_t *clusters;
    const uint8_t *core; /* of dbscan, else NULL */
    const double *probabilities, *outlier_scores; /* of hdbscan, else NULL */
} MemberReader;

static void *open_members(Env *env, const Model *model, uint64_t *rows)
{
    MemberReader *reader = env_array(env, 1, sizeof *reader);
    const ModelEntry *core = model_find(model, "core");

    reader->ids = model_find(model, "ids");
    reader->clusters = model_data(model, model_find(model, "clusters"));
    reader->core = core != NULL ? model_data(model, core) : NULL;
    reader->probabilities = model_f64(model, "probabilities", NULL);
    reader->outlier_scores = model_f64(model, "outlier_scores", NULL);
    *rows = reader->ids->rows;
    return reader;
}

static bool member_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MemberReader *reader = data;
    bool noise = reader->clusters[i] < 0;

    cell_text_of(&cells[0], model, reader->ids, (uint32_t)i);
    if (!noise)
        cell_integer(&cells[1], reader->clusters[i] + 1);
    if (reader->core != NULL)
        cell_string(&cells[2], reader->core[i] ? "core" : noise ? "noise" : "border");
    else
        cell_string(&cells[2], noise ? "noise" : "member");
    if (reader->probabilities != NULL)
        cell_number(&cells[3], reader->probabilities[i]);
    if (reader->outlier_scores != NULL)
        cell_number(&cells[4], reader->outlier_scores[i]);
    return true;
}

const Table density_members = {.name = "members", .open = open_members, .row = member_row};
