/*
 * cluster_metrics.c - silhouettes, and the indices of Calinski & Harabasz and of Davies & Bouldin.
 */
#include "core/metrics/cluster_metrics.h"
#include "core/distance/centroid_distance.h"
#include "core/distance/point_set.h"
#include "core/rows/special_columns.h"

#include <math.h>
#include <string.h>

static const char *const own_choices[] = {"others", "all", NULL};
static const OptionSpec silhouette_options[] = {
    {.name = "own",
     .types = OPTION_STRING,
     .fallback = "\"others\"",
     .choices = own_choices,
     .help = "The mean distance within a row's cluster: to the other rows, or to all rows including itself."},
    {.name = NULL}};

#define CLUSTER_METRIC(symbol, sql_name, ...)                                                      \
    const Estimator symbol = {.name = sql_name,                                                    \
                              .task = TASK_CLASSIFICATION,                                         \
                              .input = INPUT_ROWS,                                                 \
                              .supervised = true,                                                  \
                              .options = OPTION_TABLES(__VA_ARGS__)}
CLUSTER_METRIC(silhouette_rows, "silhouette", options_common, METRIC_OPTIONS, silhouette_options);
CLUSTER_METRIC(silhouettes_rows, "silhouettes", options_common, option_id_column, METRIC_OPTIONS, silhouette_options);
CLUSTER_METRIC(calinski_harabasz_rows, "calinski_harabasz", options_common);
CLUSTER_METRIC(davies_bouldin_rows, "davies_bouldin", options_common);

/* ---- clusters by centroids ---- */

/* Clusters and their spread, as the indices need them. */
typedef struct LabeledClusters {
    Clusters clusters;
    double *spread; /* [count] sums of distances to the centroid */
    double weight;  /* of all rows */
} LabeledClusters;

/* Computes the centroids of the labeled clusters in one pass, and the distances to them in another. */
static LabeledClusters labeled_clusters(Env *env, Rows *rows, const char *method)
{
    uint32_t count = dictionary_size(rows_schema(rows), DICTIONARY_CLASSES), dims = rows_slots(rows);
    RowsReader *reader = rows_reader(env, rows);
    size_t bytes = centroid_lanes_bytes(count, dims);
    double *centroids, *weights, *within;
    LabeledClusters found = {.weight = 0};
    RowsBlock block;

    schema_require_numbers(env, rows_schema(rows), method);
    env_require_memory(env, bytes > SIZE_MAX / 4 ? SIZE_MAX : bytes * 4, method);
    centroids = env_array(env, count, dims * sizeof(double));
    weights = env_array(env, count, sizeof(double));
    within = env_array(env, count, sizeof(double));
    found.spread = env_array(env, count, sizeof(double));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t c = (uint32_t)block.targets[i];
            double *centroid = centroids + (size_t)c * dims, step;

            weights[c] += row_weight(block.weights, i);
            step = row_weight(block.weights, i) / weights[c];
            for (uint32_t j = 0; j < dims; j++)
                centroid[j] += step * (block.slots[(size_t)i * dims + j] - centroid[j]);
        }
    rows_rewind(reader);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t c = (uint32_t)block.targets[i];
            double square = centroid_square(block.slots + (size_t)i * dims, centroids + (size_t)c * dims, dims);

            if (!isfinite(square))
                env_fail(env, ERROR_RANGE, "Divide the features by a power of ten.",
                         "squared distances between rows are out of range");
            within[c] += row_weight(block.weights, i) * square;
            found.spread[c] += row_weight(block.weights, i) * sqrt(square);
            found.weight += row_weight(block.weights, i);
        }
    rows_reader_free(reader);
    found.clusters = (Clusters){count, dims, centroids, weights, within};
    return found;
}

static const double *centroid_of(const Clusters *clusters, uint32_t c)
{
    return clusters->centroids + (size_t)c * clusters->dims;
}

double variance_ratio(double between, double within, uint32_t clusters, double rows)
{
    if (clusters < 2 || !(rows > clusters) || !(within > 0))
        return NAN;
    return between / (clusters - 1) / (within / (rows - clusters));
}

double calinski_harabasz(Env *env, Rows *rows)
{
    LabeledClusters found = labeled_clusters(env, rows, "calinski_harabasz");
    const Clusters *clusters = &found.clusters;
    double *mean = env_array(env, clusters->dims, sizeof(double)), between = 0, within = 0;

    for (uint32_t c = 0; c < clusters->count; c++)
        for (uint32_t j = 0; j < clusters->dims; j++)
            mean[j] += clusters->weights[c] / found.weight * centroid_of(clusters, c)[j];
    for (uint32_t c = 0; c < clusters->count; c++) {
        within += clusters->within[c];
        between += clusters->weights[c] * centroid_square(centroid_of(clusters, c), mean, clusters->dims);
    }
    return variance_ratio(between, within, clusters->count,
                          model_counted_rows(rows_schema(rows)));
}

double davies_bouldin(Env *env, Rows *rows)
{
    LabeledClusters found = labeled_clusters(env, rows, "davies_bouldin");
    const Clusters *clusters = &found.clusters;
    double sum = 0;

    if (clusters->count < 2)
        return NAN;
    for (uint32_t c = 0; c < clusters->count; c++) {
        double most = 0;

        for (uint32_t o = 0; o < clusters->count; o++) {
            double apart, spread;

            if (o == c)
                continue;
            apart = sqrt(centroid_square(centroid_of(clusters, c), centroid_of(clusters, o), clusters->dims));
            spread = found.spread[c] / clusters->weights[c] + found.spread[o] / clusters->weights[o];
            most = fmax(most, spread > 0 ? spread / apart : 0); /* infinite if both have one centroid */
        }
        sum += most;
    }
    return sum / clusters->count;
}

/* ---- silhouettes ---- */

/* Computes a silhouette from the sums of a row's distances to the rows of each cluster, itself included with distance 0. */
static Silhouette silhouette_of(const double *sums, const double *weights, uint32_t count, uint32_t own, double itself)
{
    Silhouette row = {.cluster = own, .within = NAN, .other = INFINITY};
    double rest = weights[own] - itself;

    for (uint32_t c = 0; c < count; c++)
        if (c != own && weights[c] > 0)
            row.other = fmin(row.other, sums[c] / weights[c]);
    if (!(rest > 0))
        return row; /* alone: 0 */
    row.within = sums[own] / rest;
    if (fmax(row.within, row.other) > 0 && isfinite(row.other)) /* no other cluster: 0 */
        row.value = (row.other - row.within) / fmax(row.within, row.other);
    return row;
}

/* Returns how much of a row's own weight the mean distance within its cluster leaves out. */
static double itself(bool frequency, bool others, double weight)
{
    return !others ? 0 : frequency ? 1 : weight;
}

/* Sets the silhouette of a row that cannot reach a row of its cluster, or none of the others. */
static void set_unreachable(Silhouette *row)
{
    if (isinf(row->within) || isinf(row->other))
        row->value = isinf(row->within) && isinf(row->other) ? 0 : isinf(row->within) ? -1 : isnan(row->within) ? 0 : 1;
}

static void require_range(Env *env, const Silhouette *row)
{
    if (!isfinite(row->other) || isinf(row->within))
        env_fail(env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "distances between rows are out of range");
}

/* The mean squared distance to a cluster's rows is that to its centroid plus the cluster's own mean squared distance to it. */
double silhouettes_by_centroids(Env *env, Rows *rows, const Clusters *clusters, bool others, Silhouette *out)
{
    CentroidLanes *lanes = centroid_lanes_new(env, clusters->count, clusters->dims);
    double *squares = env_array(env, (size_t)lanes->blocks * CENTROID_LANES, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    bool frequency = rows_schema(rows)->flags & MODEL_FREQUENCY;
    double sum = 0, weights = 0;
    RowsBlock block;

    centroid_lanes_set(lanes, clusters->centroids);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * clusters->dims;
            double weight = row_weight(block.weights, i), square;
            uint32_t own = block.targets ? (uint32_t)block.targets[i] : centroid_nearest(lanes, row, &square);
            Silhouette silhouette;

            centroid_distances(lanes, row, squares);
            for (uint32_t c = 0; c < clusters->count; c++)
                squares[c] = clusters->weights[c] * squares[c] + clusters->within[c];
            silhouette = silhouette_of(squares, clusters->weights, clusters->count, own, itself(frequency, others, weight));
            sum += weight * silhouette.value;
            weights += weight;
            if (out != NULL)
                out[block.first + i] = silhouette;
        }
    rows_reader_free(reader);
    centroid_lanes_free(env, lanes);
    env->release(env, squares);
    return sum / weights;
}

#define BLOCK_ROWS 64       /* whose silhouettes are a task */
#define ROWS_AT_ONCE 8      /* whose distances from panels are computed while these are in the cache: of 100 features in half the time */
#define PANEL_NUMBERS 32768 /* of those panels */

/* Rows as panels, cluster by cluster, and what a process has for blocks of them. */
typedef struct Parts {
    Env *env;
    Metric *metric;
    uint32_t rows, count; /* count: clusters */
    bool others, frequency;
    uint32_t *starts;  /* [count + 1] first row of each cluster in the arrays below */
    uint32_t *numbers; /* [rows] position of each row in the order of arrival; only in the process that receives */
    double *panels, *weights, *totals; /* totals: [count] weights of the clusters */
    /* of this process */
    double *row, *distances, *sums;    /* ROWS_AT_ONCE of [width] and of [panels x METRIC_PANEL]; [count] */
    uint32_t found_count;
    Silhouette found[BLOCK_ROWS];      /* of the last block */
    /* where results are received */
    Silhouette *out;
    double total, weight;
} Parts;

static uint32_t *row_clusters(Env *env, Rows *rows)
{
    uint32_t *clusters = env_array_raw(env, rows_count(rows), sizeof(uint32_t));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            clusters[block.first + i] = (uint32_t)block.targets[i];
    rows_reader_free(reader);
    return clusters;
}

/* Puts rows of a cluster side by side, and frees the coordinates. */
static void fill_parts(Parts *parts, const PointSet *points, const uint32_t *clusters)
{
    Env *env = parts->env;
    uint32_t n = parts->rows, width = parts->metric->width, *next = env_array(env, (size_t)parts->count + 1, sizeof(uint32_t));
    double *coordinates = env_array_raw(env, n, (size_t)width * sizeof(double) + 1);

    for (uint32_t i = 0; i < n; i++)
        parts->starts[clusters[i] + 1]++;
    for (uint32_t c = 0; c < parts->count; c++)
        next[c + 1] = parts->starts[c + 1] += parts->starts[c];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = points->numbers[i], cluster = clusters[number], at = next[cluster]++;

        memcpy(coordinates + (size_t)at * width, point_set_row(points, i), width * sizeof(double));
        parts->numbers[at] = number;
        parts->weights[at] = row_weight(points->weights, i);
        parts->totals[cluster] += parts->weights[at];
    }
    metric_fill_panels(parts->metric, coordinates, n, parts->panels);
    env->release(env, coordinates);
}

/* Makes what a process has for itself. */
static void begin_blocks(Env *env, void *data)
{
    Parts *parts = data;

    parts->env = env;
    parts->row = env_array(env, ROWS_AT_ONCE * (size_t)parts->metric->width + 1, sizeof(double));
    parts->distances = env_array_raw(env, ROWS_AT_ONCE * metric_panel_count(parts->rows) * METRIC_PANEL, sizeof(double));
    parts->sums = env_array(env, parts->count, sizeof(double));
}

/* Computes the reduced distances of rows, at most ROWS_AT_ONCE, from all rows. */
static void fill_distances(Parts *parts, uint32_t first, uint32_t rows)
{
    const Metric *metric = parts->metric;
    uint32_t count = (uint32_t)metric_panel_count(parts->rows), most = 1 + PANEL_NUMBERS / (METRIC_PANEL * (metric->width + 1));

    for (uint32_t r = 0; r < rows; r++)
        metric_panel_read(metric, parts->panels, first + r, parts->row + (size_t)r * metric->width);
    for (uint32_t p = 0; p < count; p += most) {
        uint32_t here = count - p < most ? count - p : most;
        size_t at = (size_t)p * METRIC_PANEL;

        for (uint32_t r = 0; r < rows; r++)
            metric_reduced_panels(metric, parts->row + (size_t)r * metric->width, parts->panels + at * metric->width, here,
                                  parts->distances + (size_t)r * count * METRIC_PANEL + at);
        parts->env->poll(parts->env);
    }
}

/* Sums the distances of a row to the rows of each cluster. */
static void sum_distances(Parts *parts, double *distances)
{
    metric_of_reduced_all(parts->metric, distances, parts->rows);
    for (uint32_t c = 0; c < parts->count; c++) {
        double sum = 0;

        for (uint32_t i = parts->starts[c]; i < parts->starts[c + 1]; i++)
            sum += parts->weights[i] * distances[i];
        parts->sums[c] = sum;
    }
}

/* Finds the silhouettes of a block of rows. */
static void run_block(void *data, uint32_t task)
{
    Parts *parts = data;
    uint32_t first = task * BLOCK_ROWS, cluster = 0;
    size_t room = metric_panel_count(parts->rows) * METRIC_PANEL;

    parts->found_count = parts->rows - first < BLOCK_ROWS ? parts->rows - first : BLOCK_ROWS;
    for (uint32_t i = first; i < first + parts->found_count; i++) {
        uint32_t at = (i - first) % ROWS_AT_ONCE, left = first + parts->found_count - i;

        while (parts->starts[cluster + 1] <= i)
            cluster++;
        if (at == 0)
            fill_distances(parts, i, left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE);
        sum_distances(parts, parts->distances + at * room);
        parts->found[i - first] = silhouette_of(parts->sums, parts->totals, parts->count, cluster, itself(parts->frequency, parts->others, parts->weights[i]));
    }
}

static void pack_parts(Pack *pack, void *data)
{
    Parts *parts = data;
    Metric *metric = pack->mode == PACK_OPEN ? env_array(pack->env, 1, sizeof(Metric)) : parts->metric;

    metric_pack(pack, metric);
    pack_value(pack, parts, sizeof *parts);
    parts->metric = metric;
    pack_array(pack, &parts->starts, (size_t)parts->count + 1, sizeof(uint32_t));
    pack_array(pack, &parts->weights, parts->rows, sizeof(double));
    pack_array(pack, &parts->totals, parts->count, sizeof(double));
    pack_array(pack, &parts->panels, metric_panel_count(parts->rows) * METRIC_PANEL, metric->width * sizeof(double));
    if (pack->mode == PACK_OPEN)
        parts->numbers = NULL;
}

static void pack_block(Pack *pack, void *data)
{
    Parts *parts = data;

    pack_value(pack, &parts->found_count, sizeof parts->found_count);
    pack_value(pack, parts->found, parts->found_count * sizeof(Silhouette));
}

const SharedKind silhouette_blocks_kind = {.name = "blocks of silhouettes",
                                           .data_size = sizeof(Parts),
                                           .pack = pack_parts,
                                           .begin = begin_blocks,
                                           .run = run_block,
                                           .pack_result = pack_block};

static void receive_block(void *receiver, uint32_t task)
{
    Parts *parts = receiver;
    uint32_t first = task * BLOCK_ROWS;

    for (uint32_t i = 0; i < parts->found_count; i++) {
        Silhouette *row = &parts->found[i];

        if (parts->metric->form == FORM_OBJECTS)
            set_unreachable(row);
        else
            require_range(parts->env, row);
        parts->out[parts->numbers[first + i]] = *row;
        parts->total += parts->weights[first + i] * row->value;
        parts->weight += parts->weights[first + i];
    }
    parts->env->progress(parts->env, "silhouettes", first, parts->rows, NAN);
}

/* Computes silhouettes from the distances between all pairs of rows. */
static void by_pairs(Env *env, Rows *rows, const Options *options, const char *method, Silhouette *out, double *mean)
{
    PointSet *points = point_set(env, rows, options, rows_slots(rows) * sizeof(double) + 64 + (ROWS_AT_ONCE - 1) * sizeof(double), method);
    uint32_t n = points->count, width = points->metric->width, *clusters = row_clusters(env, rows);
    Parts parts = {.env = env, .metric = points->metric, .rows = n, .count = dictionary_size(rows_schema(rows), DICTIONARY_CLASSES), .out = out};
    SharedWork work = {.kind = &silhouette_blocks_kind,
                       .data = &parts,
                       .end = (n - 1) / BLOCK_ROWS + 1,
                       .packs = metric_packs(points->metric),
                       .process_room = (uint64_t)n * ROWS_AT_ONCE * sizeof(double),
                       .spare = points->spare,
                       .receive = receive_block,
                       .receiver = &parts};

    parts.others = options_is(options, "own", "others");
    parts.frequency = rows_schema(rows)->flags & MODEL_FREQUENCY;
    parts.starts = env_array(env, (size_t)parts.count + 1, sizeof(uint32_t));
    parts.numbers = env_array_raw(env, n, sizeof(uint32_t));
    parts.weights = env_array_raw(env, n, sizeof(double));
    parts.totals = env_array(env, parts.count, sizeof(double));
    parts.panels = env_array_raw(env, metric_panel_count(n) * METRIC_PANEL, (size_t)width * sizeof(double) + 1);
    fill_parts(&parts, points, clusters);
    begin_blocks(env, &parts);
    shared_work(env, &work);
    *mean = parts.total / parts.weight;
}

/* Computes silhouettes for squared euclidean distances, via the centroids. */
static void by_squares(Env *env, Rows *rows, const Options *options, const char *method, Silhouette *out, double *mean)
{
    LabeledClusters found = labeled_clusters(env, rows, method);

    *mean = silhouettes_by_centroids(env, rows, &found.clusters, options_is(options, "own", "others"), out);
    for (uint64_t i = 0; i < rows_count(rows); i++)
        require_range(env, &out[i]);
}

Silhouette *silhouettes(Env *env, Rows *rows, const Options *options, const char *method, double *mean)
{
    Silhouette *out;

    if (dictionary_size(rows_schema(rows), DICTIONARY_CLASSES) < 2)
        return NULL;
    if (rows_count(rows) > SIZE_MAX / sizeof(Silhouette))
        env_require_memory(env, SIZE_MAX, method);
    env_require_memory(env, rows_count(rows) * sizeof(Silhouette), method);
    out = env_array(env, rows_count(rows), sizeof(Silhouette));
    if (options_is(options, "metric", "squared_euclidean") && schema_all_numeric(rows_schema(rows)))
        by_squares(env, rows, options, method, out, mean);
    else
        by_pairs(env, rows, options, method, out, mean);
    return out;
}
