/*
 * mean_shift.c - clusters around modes: places where rows are densest, found by moving uphill.
 *
 * Comaniciu & Meer (2002), with a flat kernel: from each seed, go to the mean of the rows within the bandwidth, until that moves by
 * less than 0.001 bandwidths. Of the places reached, those within a bandwidth of a denser one are dropped; rows belong to the nearest
 * that remains. Without a bandwidth, it is the mean distance within which a share of the rows lies, as scikit-learn estimates it.
 *
 * Arrays of a model: centroids F64[k x slots], the modes, the densest first; intensities F64[k], the weight of the rows within the
 * bandwidth of the last step; sizes F64[k], the weight of the rows of each cluster; search F64[2], the bandwidth, and 1 if rows farther
 * than it from all modes are noise. With "standardize": feature_center, feature_scale; modes are then in the units of the data, the
 * bandwidth in standard deviations.
 */
#include "core/base/sort.h"
#include "core/density/density_points.h"
#include "core/estimator/shared_options.h"
#include "core/kmeans/centroid_score.h"

#include <math.h>
#include <string.h>

#define STILL 1e-3 /* a move by less than this share of the bandwidth is the last */
#define POLL_ROWS 16384

static const OptionSpec mean_shift_options[] = {
    {.name = "bandwidth",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1e300,
     .unset = "estimated by bandwidth_quantile",
     .help = "How far a place looks for rows, rows at exactly this distance included."},
    {.name = "bandwidth_rows",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e9,
     .unset = "every row",
     .help = "Estimate the bandwidth from this many of the rows, spread over all of them, each compared with all, which takes time by the square of "
             "their number."},
    {.name = "bin_seeding",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Start from the cells of a grid as wide as the bandwidth that have rows, instead of from every row: faster."},
    {.name = "cluster_all",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether rows farther than the bandwidth from all modes belong to the nearest all the same; else they are noise, NULL."},
    OPTION_MAX_ITER("300", 1e6, "moves from a seed"),
    {.name = "min_bin_weight",
     .types = OPTION_NUMBER,
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e9,
     .help = "With bin_seeding: the least weight of the rows in a cell to start from."},
    {.name = "bandwidth_quantile",
     .formerly = "quantile",
     .types = OPTION_NUMBER,
     .fallback = "0.3",
     ABOVE_ZERO_TO_ONE,
     .help = "The share of the rows within the estimated bandwidth of a row, on average, the row itself included."},
    {.name = NULL}};

/* ---- the rows ---- */

typedef struct MeanShift {
    Env *env;
    const Options *options;
    Metric *metric;
    uint32_t count, dims;
    double *rows;    /* [count x dims] coordinates, in the order of the index */
    double *weights; /* [count] or NULL */
    double weight;   /* their sum */
    NeighborIndex *index;
    NeighborSearch *search;
    NeighborGroups *groups;
    double bandwidth, limit; /* limit: reduced */
    double *sum;             /* [dims] of weighted moves of the current place */
    double inside;           /* the weight of the rows within its bandwidth */
    uint32_t unfinished;     /* seeds that reached max_iter */
    int64_t iterations;      /* the most of a seed */
} MeanShift;

typedef struct Unordered {
    const double *rows, *weights;
    uint32_t dims;
} Unordered;

/* Compares two rows by all that is stored of them. A NeighborCompare. */
static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const Unordered *unordered = context;
    const double *x = unordered->rows + (size_t)a * unordered->dims, *y = unordered->rows + (size_t)b * unordered->dims;
    double v = row_weight(unordered->weights, a), w = row_weight(unordered->weights, b);

    for (uint32_t j = 0; j < unordered->dims; j++)
        if (x[j] != y[j])
            return x[j] < y[j] ? -1 : 1;
    if (v != w)
        return v < w ? -1 : 1;
    return (a > b) - (a < b);
}

/* Loads the rows as points of the Euclidean metric, in an order that depends on their content alone. */
static void load_rows(MeanShift *fit, Rows *rows)
{
    Env *env = fit->env;
    Unordered arrived = {.dims = rows_slots(rows)};
    double *weights, *matrix = rows_matrix(env, rows, NULL, &weights, "mean_shift");
    uint64_t count = rows_count(rows);
    uint32_t *order;

    if (count > INT32_MAX)
        env_fail(env, ERROR_LIMIT, "Fit on a sample of the rows.", "mean_shift compares at most %d rows, not %llu", INT32_MAX,
                 (unsigned long long)count);
    fit->count = (uint32_t)count;
    fit->dims = arrived.dims;
    env_require_memory(env, count * (6 * fit->dims + 12) * sizeof(double), "mean_shift");
    fit->metric = metric_of_kind(env, METRIC_EUCLIDEAN, schema_final(env, rows_schema(rows)), "mean_shift");
    metric_learn(env, fit->metric, matrix, weights, fit->count);
    metric_ready(env, fit->metric);
    metric_place_rows(env, fit->metric, matrix, fit->count, matrix);
    arrived.rows = matrix;
    arrived.weights = weights;
    order = env_array_raw(env, fit->count, sizeof(uint32_t));
    neighbor_order(env, fit->metric, matrix, fit->count, compare_rows, &arrived, order);
    fit->rows = env_array_raw(env, fit->count, fit->dims * sizeof(double));
    fit->weights = weights != NULL ? env_array_raw(env, fit->count, sizeof(double)) : NULL;
    for (uint32_t i = 0; i < fit->count; i++) {
        memcpy(fit->rows + (size_t)i * fit->dims, matrix + (size_t)order[i] * fit->dims, fit->dims * sizeof(double));
        if (weights != NULL)
            fit->weights[i] = weights[order[i]];
        fit->weight += row_weight(weights, order[i]);
        env_poll_rows(env, i);
    }
    env->release(env, matrix);
    fit->index = neighbor_index(env, fit->metric, fit->rows, fit->count, neighbor_index_auto(fit->metric, fit->count), true);
    fit->search = neighbor_search(fit->index, 64);
    fit->groups = neighbor_groups(fit->index, NULL);
    memset(fit->groups->rows, 0, fit->count * sizeof(uint32_t));
    neighbor_groups_update(fit->groups);
    fit->sum = env_array_raw(env, fit->dims, sizeof(double));
}

static const double *row_at(const MeanShift *fit, uint32_t i)
{
    return fit->rows + (size_t)i * fit->dims;
}

/* ---- the bandwidth ---- */

typedef struct Reached {
    double reduced, weight;
} Reached;

/* Moves items below the pivot to the front and those above it to the end. Returns the weight of those below, and of those equal to it. */
static double split(Reached *items, uint32_t count, double pivot, uint32_t *less, uint32_t *more, double *equal)
{
    double below = 0;

    *less = 0;
    *more = count;
    *equal = 0;
    for (uint32_t i = 0; i < *more;) {
        Reached item = items[i];

        if (item.reduced < pivot) {
            below += item.weight;
            items[i++] = items[*less];
            items[(*less)++] = item;
        } else if (item.reduced > pivot) {
            items[i] = items[--*more];
            items[*more] = item;
        } else {
            *equal += item.weight;
            i++;
        }
    }
    return below;
}

/* Returns the smallest distance within which the items weigh this much (Hoare 1961); the largest if they weigh less. */
static double distance_of_weight(Env *env, Reached *items, uint32_t count, double wanted, uint64_t *random)
{
    double last = 0;

    while (count > 0) {
        double pivot = items[random_bits(random) % count].reduced, below, equal;
        uint32_t less, more;

        below = split(items, count, pivot, &less, &more, &equal);
        env->poll(env);
        last = fmax(last, pivot);
        if (below >= wanted) {
            count = less;
            last = 0;
            continue;
        }
        if (below + equal >= wanted)
            return pivot;
        wanted -= below + equal;
        items += more;
        count -= more;
    }
    return last;
}

/* Returns the distance from a row within which a share of all rows lies. */
static double reach(const MeanShift *fit, uint32_t row, double wanted, double *reduced, Reached *items, uint64_t *random)
{
    for (uint32_t first = 0; first < fit->count; first += POLL_ROWS) {
        uint32_t count = fit->count - first < POLL_ROWS ? fit->count - first : POLL_ROWS;

        metric_reduced_rows(fit->metric, row_at(fit, row), row_at(fit, first), count, reduced);
        for (uint32_t i = 0; i < count; i++)
            items[first + i] = (Reached){reduced[i], row_weight(fit->weights, first + i)};
        fit->env->poll(fit->env);
    }
    return metric_of_reduced(fit->metric, distance_of_weight(fit->env, items, fit->count, wanted, random));
}

/* Returns the mean distance within which a share of the rows lies, and two rows at least. */
static double estimate_bandwidth(const MeanShift *fit)
{
    Env *env = fit->env;
    Reached *items = env_array_raw(env, fit->count, sizeof(Reached));
    double *reduced = env_array_raw(env, POLL_ROWS, sizeof(double)), sum = 0, weight = 0;
    double wanted = options_number(fit->options, "bandwidth_quantile") * fit->weight;
    uint64_t samples = fit->count, random = 0;

    if (options_given(fit->options, "bandwidth_rows") && (uint64_t)options_integer(fit->options, "bandwidth_rows") < samples)
        samples = (uint64_t)options_integer(fit->options, "bandwidth_rows");
    if (fit->weights == NULL)
        wanted = fmax(floor(wanted), 2);
    else if (wanted >= 2)
        wanted = floor(wanted);
    for (uint64_t s = 0; s < samples; s++) {
        uint32_t row = (uint32_t)(s * fit->count / samples); /* neighbors have neighboring numbers: the sample is spread */
        double own = row_weight(fit->weights, row);

        if (s % 8 == 0)
            env->progress(env, "bandwidth", s, samples, NAN);
        sum += own * reach(fit, row, wanted, reduced, items, &random);
        weight += own;
    }
    env->release(env, items);
    return sum / weight;
}

/* Sets the bandwidth. Fails if it is estimated as 0 though rows differ. */
static void choose_bandwidth(MeanShift *fit)
{
    Env *env = fit->env;
    bool given = options_given(fit->options, "bandwidth");

    fit->bandwidth = given ? options_number(fit->options, "bandwidth") : estimate_bandwidth(fit);
    if (!isfinite(fit->bandwidth))
        density_fail_range(env, "mean_shift");
    if (fit->bandwidth == 0 && memcmp(row_at(fit, 0), row_at(fit, fit->count - 1), fit->dims * sizeof(double)) != 0)
        env_fail(env, ERROR_DATA, "Give \"bandwidth\", or raise \"bandwidth_quantile\".",
                 "the bandwidth of mean_shift is estimated as 0: too many rows are equal");
    fit->limit = density_limit(fit->metric, fit->bandwidth);
}

/* ---- seeds ---- */

typedef struct BinnedRow {
    const double *at; /* [dims] */
    double weight;
    uint32_t dims;
} BinnedRow;

static int compare_cells(const void *left, const void *right)
{
    const BinnedRow *a = left, *b = right;

    for (uint32_t j = 0; j < a->dims; j++)
        if (a->at[j] != b->at[j])
            return a->at[j] < b->at[j] ? -1 : 1;
    return 0;
}

/* Returns the centers of the cells that have rows enough, [*count x dims]; the rows themselves where no two share a cell. */
static const double *binned_seeds(const MeanShift *fit, uint32_t *count)
{
    Env *env = fit->env;
    double width = fit->bandwidth * fit->metric->scale, least = options_number(fit->options, "min_bin_weight");
    BinnedRow *binned = env_array_raw(env, fit->count, sizeof(BinnedRow));
    double *cells = env_array_raw(env, fit->count, fit->dims * sizeof(double));
    double *seeds = env_array_raw(env, fit->count, fit->dims * sizeof(double));
    uint32_t kept = 0, all = 0;

    for (uint32_t i = 0; i < fit->count; i++) {
        double *cell = cells + (size_t)i * fit->dims;

        for (uint32_t j = 0; j < fit->dims; j++)
            cell[j] = rint(row_at(fit, i)[j] / width) + 0.0; /* no -0 */
        binned[i] = (BinnedRow){cell, row_weight(fit->weights, i), fit->dims};
        env_poll_rows(env, i);
    }
    sort_polled(env, binned, fit->count, sizeof(BinnedRow), compare_cells);
    for (uint32_t first = 0, next; first < fit->count; first = next) {
        double weight = 0;

        for (next = first; next < fit->count && compare_cells(&binned[first], &binned[next]) == 0; next++)
            weight += binned[next].weight;
        all++;
        if (!(weight >= least))
            continue;
        for (uint32_t j = 0; j < fit->dims; j++)
            seeds[(size_t)kept * fit->dims + j] = binned[first].at[j] * width;
        kept++;
    }
    if (kept == 0)
        env_fail(env, ERROR_DATA, "Lower \"min_bin_weight\", or raise \"bandwidth\".",
                 "no cell of the grid of mean_shift has rows of weight %g", least);
    *count = all == fit->count ? fit->count : kept;
    return all == fit->count ? fit->rows : seeds;
}

/* ---- moves ---- */

/* Adds a row within the bandwidth of the current place. A NeighborFound. */
static double add_row(void *context, uint32_t position, double reduced, double limit)
{
    MeanShift *fit = context;
    const double *row = row_at(fit, position), *place = fit->search->query;
    double weight = row_weight(fit->weights, position);

    for (uint32_t j = 0; j < fit->dims; j++)
        fit->sum[j] += weight * (row[j] - place[j]);
    fit->inside += weight;
    return limit;
}

/* Moves from a seed to a mode, which it leaves in search->query. Returns the weight around the place before the last; 0: no row is near. */
static double climb(MeanShift *fit, const double *seed)
{
    int64_t most = options_integer(fit->options, "max_iter");
    double *place = fit->search->query, still = STILL * fit->bandwidth * fit->metric->scale;

    memcpy(place, seed, fit->dims * sizeof(double));
    for (int64_t moves = 0;; moves++) {
        double square = 0;

        memset(fit->sum, 0, fit->dims * sizeof(double));
        fit->inside = 0;
        neighbor_others(fit->groups, fit->search, GROUP_NONE, fit->limit, add_row, fit);
        if (fit->inside == 0)
            return 0;
        for (uint32_t j = 0; j < fit->dims; j++) {
            double move = fit->sum[j] / fit->inside;

            place[j] += move;
            square += move * move;
        }
        fit->iterations = moves > fit->iterations ? moves : fit->iterations;
        if (sqrt(square) < still || square == 0)
            return fit->inside;
        if (moves == most) {
            fit->unfinished++;
            return fit->inside;
        }
    }
}

/* A place that a seed led to. */
typedef struct Mode {
    const double *at; /* [dims] */
    double intensity;
    uint32_t dims;
} Mode;

/* Compares places: the densest first, of equally dense ones the largest. */
static int compare_modes(const void *left, const void *right)
{
    const Mode *a = left, *b = right;

    if (a->intensity != b->intensity)
        return a->intensity > b->intensity ? -1 : 1;
    for (uint32_t j = 0; j < a->dims; j++)
        if (a->at[j] != b->at[j])
            return a->at[j] > b->at[j] ? -1 : 1;
    return 0;
}

/* Returns the places that the seeds lead to, sorted. */
static Mode *climb_all(MeanShift *fit, uint32_t *count)
{
    Env *env = fit->env;
    uint32_t seeds = fit->count, found = 0;
    const double *from = options_boolean(fit->options, "bin_seeding") && fit->bandwidth > 0 ? binned_seeds(fit, &seeds) : fit->rows;
    double *places = env_array_raw(env, seeds, fit->dims * sizeof(double));
    Mode *modes = env_array_raw(env, seeds, sizeof(Mode));
    size_t bytes = fit->dims * sizeof(double);

    for (uint32_t s = 0; s < seeds; s++) {
        const double *seed = from + (size_t)s * fit->dims;
        double intensity;

        if (s % 64 == 0)
            env->progress(env, "seeds", s, seeds, NAN);
        if (s > 0 && memcmp(seed, seed - fit->dims, bytes) == 0)
            continue;
        intensity = climb(fit, seed);
        if (intensity == 0)
            continue;
        memcpy(places + (size_t)found * fit->dims, fit->search->query, bytes);
        modes[found] = (Mode){places + (size_t)found * fit->dims, intensity, fit->dims};
        found++;
    }
    if (found == 0)
        env_fail(env, ERROR_DATA, "Raise \"bandwidth\", or set \"bin_seeding\" to false.",
                 "no row lies within the bandwidth, %g, of a seed of mean_shift", fit->bandwidth);
    sort_polled(env, modes, found, sizeof(Mode), compare_modes);
    *count = found;
    return modes;
}

/* Drops the modes within the bandwidth of one before them. Returns how many remain, at the front. */
static uint32_t merge_modes(const MeanShift *fit, Mode *modes, uint32_t count)
{
    Env *env = fit->env;
    size_t width = fit->dims;
    double *ranked = env_array_raw(env, count, width * sizeof(double));
    double *placed = env_array_raw(env, count, width * sizeof(double));
    uint32_t *order = env_array_raw(env, count, sizeof(uint32_t)), kept = 0;
    uint8_t *dropped = env_array(env, count, 1);
    NeighborSearch *search;

    for (uint32_t i = 0; i < count; i++)
        memcpy(ranked + i * width, modes[i].at, width * sizeof(double));
    neighbor_order(env, fit->metric, ranked, count, neighbor_by_number, NULL, order);
    for (uint32_t i = 0; i < count; i++)
        memcpy(placed + i * width, ranked + order[i] * width, width * sizeof(double));
    search = neighbor_search(neighbor_index(env, fit->metric, placed, count, neighbor_index_auto(fit->metric, count), true), 64);
    for (uint32_t i = 0; i < count; i++) {
        if (dropped[i])
            continue;
        memcpy(search->query, modes[i].at, width * sizeof(double));
        neighbor_within(search, fit->limit);
        for (uint32_t j = 0; j < search->count; j++)
            dropped[order[search->found[j].position]] = 1;
        modes[kept++] = modes[i];
    }
    return kept;
}

/* ---- the fit ---- */

/* Returns the weights of the clusters, and sets that of the noise, if there is any. */
static double *cluster_sizes(const MeanShift *fit, const double *modes, uint32_t k, bool noise, double *noise_weight)
{
    Env *env = fit->env;
    CentroidLanes *lanes = centroid_lanes_new(env, k, fit->dims);
    double *sizes = env_array(env, k, sizeof(double));

    *noise_weight = 0;
    centroid_lanes_set(lanes, modes);
    for (uint32_t i = 0; i < fit->count; i++) {
        double square, weight = row_weight(fit->weights, i);
        uint32_t nearest = centroid_nearest(lanes, row_at(fit, i), &square);

        if (noise && square > fit->limit)
            *noise_weight += weight;
        else
            sizes[nearest] += weight;
        if (i % (1 + 4000000 / ((size_t)k * fit->dims + 1)) == 0)
            env->poll(env);
    }
    return sizes;
}

static Model *mean_shift_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    MeanShift fit = {.env = env, .options = options};
    const RowScale *scale = rows_standardize(env, input->rows, options);
    bool noise = !options_boolean(options, "cluster_all");
    double *centroids, *intensities, *search = env_array(env, 2, sizeof(double)), noise_weight;
    Mode *modes;
    uint32_t k;

    load_rows(&fit, input->rows);
    choose_bandwidth(&fit);
    modes = climb_all(&fit, &k);
    k = merge_modes(&fit, modes, k);
    centroids = env_array_raw(env, k, fit.dims * sizeof(double));
    intensities = env_array_raw(env, k, sizeof(double));
    for (uint32_t c = 0; c < k; c++) {
        memcpy(centroids + (size_t)c * fit.dims, modes[c].at, fit.dims * sizeof(double));
        intensities[c] = modes[c].intensity;
    }
    builder_f64(builder, SECTION_ARRAYS, "sizes", cluster_sizes(&fit, centroids, k, noise, &noise_weight), k);
    for (size_t i = 0; i < (size_t)k * fit.dims; i++)
        centroids[i] /= fit.metric->scale;
    for (uint32_t c = 0; scale != NULL && c < k; c++)
        row_scale_undo(scale, centroids + (size_t)c * fit.dims, centroids + (size_t)c * fit.dims);
    if (fit.unfinished > 0)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\".", "mean_shift stopped at %u of its seeds after %lld moves, before they reached a mode",
                 fit.unfinished, (long long)fit.iterations);
    search[0] = fit.bandwidth;
    search[1] = noise;
    builder_f64_matrix(builder, SECTION_ARRAYS, "centroids", centroids, k, fit.dims);
    builder_f64(builder, SECTION_ARRAYS, "intensities", intensities, k);
    builder_f64(builder, SECTION_ARRAYS, "search", search, 2);
    row_scale_write(builder, scale);
    builder_fact(builder, "bandwidth", fit.bandwidth);
    builder_fact_i64(builder, "iterations", fit.iterations);
    builder_fact_i64(builder, "k", k);
    if (noise)
        builder_fact(builder, "noise_weight", noise_weight);
    return model_build(builder);
}

/* ---- reading ---- */

typedef struct MeanShiftModel {
    const double *centroids, *search;
    uint32_t k, dims;
    RowScale scale; /* of standardized rows; else of 0 columns */
} MeanShiftModel;

static const ArraySpec mean_shift_arrays[] = {
    {.name = "centroids",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS, .defines = true},
     .columns = {SIZE_SLOTS},
     .data_at = VIEW_AT(MeanShiftModel, centroids),
     .rows_at = VIEW_AT(MeanShiftModel, k),
     .columns_at = VIEW_AT(MeanShiftModel, dims)},
    {.name = "intensities", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS}, .values = VALUES_POSITIVE},
    {.name = "search",
     .type = ARRAY_F64,
     .rows = {SIZE_NUMBER, .plus = 2},
     .values = VALUES_NONNEGATIVE,
     .data_at = VIEW_AT(MeanShiftModel, search)},
    {.name = "sizes", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS}, .values = VALUES_NONNEGATIVE}};
static const ArraySpec mean_shift_facts[] = {FACT("bandwidth", ARRAY_F64), FACT("iterations", ARRAY_I64), FACT("k", ARRAY_I64),
                                             FACT("noise_weight", ARRAY_F64)};
static const ArrayTable mean_shift_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(mean_shift_arrays), ARRAY_TABLE_AT(scale_arrays, MeanShiftModel, scale), FACT_TABLE(mean_shift_facts));

/* ---- scores ---- */

typedef struct PreparedMeanShift {
    CentroidScorer scorer;
    double most; /* distance of a row that belongs to a cluster */
} PreparedMeanShift;

static void *mean_shift_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedMeanShift *prepared = env_array(env, 1, sizeof *prepared);
    MeanShiftModel view = {0};

    view_arrays(model, mean_shift_array_tables, &view);
    prepared->scorer = centroid_scorer(env, view.centroids, view.k, view.dims, view.scale);
    prepared->most = view.search[1] != 0 ? view.search[0] : INFINITY;
    *bytes = 0; /* as allocated */
    return prepared;
}

static uint32_t mean_shift_cluster(const Model *model, const void *data, const double *slots)
{
    const PreparedMeanShift *prepared = data;
    uint32_t nearest;
    double distance = centroid_distance_of_row(&prepared->scorer, slots, &nearest);

    return isfinite(prepared->most) && !(distance <= prepared->most) ? CLASS_NONE : nearest;
}

static double mean_shift_distance(const Model *model, const void *data, const double *slots)
{
    uint32_t nearest;

    return centroid_distance_of_row(&((const PreparedMeanShift *)data)->scorer, slots, &nearest);
}

static void mean_shift_distances(const Model *model, const void *data, const double *slots, double *out)
{
    centroid_distances_of_row(&((const PreparedMeanShift *)data)->scorer, slots, out);
}

static const Scoring mean_shift_scoring = {.partial = true,
                                           .prepare = mean_shift_prepare,
                                           .cluster = mean_shift_cluster,
                                           .distance = mean_shift_distance,
                                           .distances = mean_shift_distances,
                                           .width = cluster_count};

const Estimator estimator_mean_shift = {
    .name = "mean_shift",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .numeric = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, option_standardize, mean_shift_options),
    .help = "Clusters around modes, the places where rows are densest; nobody has to say how many there are.",
    .source = "Comaniciu & Meer (2002)",
    .fit = mean_shift_fit,
    .arrays = mean_shift_array_tables,
    .scoring = &mean_shift_scoring,
};
