/*
 * mean_shift.c - clusters around modes: places where rows are densest, found by moving uphill.
 *
 * Comaniciu & Meer (2002), with a flat kernel: from each seed, go to the mean of the rows within the bandwidth, until that moves by
 * less than 0.001 bandwidths. Of the places reached, those within a bandwidth of a denser one are dropped; rows belong to the nearest
 * that remains. Without a bandwidth, it is the mean distance within which a share of the rows lies, as scikit-learn estimates it.
 *
 * Processes share rows and seeds: on two processors, 2,000 rows of 4 features take 1.9 s with no worker and 1.1 s with two.
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
#define BLOCK 32 /* rows or seeds of a task */

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

typedef struct Reached {
    double reduced, weight;
} Reached;

/* A place that a seed led to. */
typedef struct Mode {
    const double *at; /* [dims] */
    double intensity;
    uint32_t dims;
} Mode;

/* What a process has. Tasks are blocks of rows whose reach is measured, for the bandwidth, or of seeds. */
typedef struct MeanShift {
    Env *env;
    const Options *options; /* NULL: in another process */
    const Metric *metric;
    uint32_t count, dims;
    uint64_t spare; /* bytes of the budget for more processes */
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
    /* what tasks are of: seeds [seed_count x dims], or so many sampled rows whose reach counts */
    double *seeds;           /* NULL: rows */
    uint32_t seed_count;
    uint64_t samples;
    double wanted;           /* the weight that a row reaches */
    int64_t max_iter;
    Reached *items;          /* [count] */
    double *reduced;         /* [POLL_ROWS] */
    /* of the last block */
    double values[BLOCK];    /* reaches, or intensities */
    double *places;          /* [BLOCK x dims] */
    uint32_t block_unfinished;
    int64_t block_iterations;
    /* where results are received */
    double reach_sum, reach_weight;
    Mode *modes;
    double *mode_places;
    uint32_t found;
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

/* Makes what this process needs for itself. */
static void begin(Env *env, void *data)
{
    MeanShift *fit = data;

    fit->env = env;
    fit->search = neighbor_search(fit->index, 64);
    fit->groups = neighbor_groups(fit->index, NULL);
    memset(fit->groups->rows, 0, fit->count * sizeof(uint32_t));
    neighbor_groups_update(fit->groups);
    fit->sum = env_array_raw(env, fit->dims, sizeof(double));
    fit->places = env_array_raw(env, BLOCK, fit->dims * sizeof(double));
}

/* Loads the rows as points of the Euclidean metric, in an order that depends on their content alone. */
static void load_rows(MeanShift *fit, Rows *rows)
{
    Env *env = fit->env;
    Unordered arrived = {.dims = rows_slots(rows)};
    double *weights, *matrix = rows_matrix(env, rows, NULL, &weights, "mean_shift");
    uint64_t count = rows_count(rows), needed;
    Metric *metric;
    uint32_t *order;

    if (count > INT32_MAX)
        env_fail(env, ERROR_LIMIT, "Fit on a sample of the rows.", "mean_shift compares at most %d rows, not %llu", INT32_MAX,
                 (unsigned long long)count);
    fit->count = (uint32_t)count;
    fit->dims = arrived.dims;
    needed = count * (6 * fit->dims + 12) * sizeof(double);
    env_require_memory(env, needed, "mean_shift");
    fit->spare = rows_spare(rows) > needed ? rows_spare(rows) - needed : 0;
    fit->metric = metric = metric_of_kind(env, METRIC_EUCLIDEAN, schema_final(env, rows_schema(rows)), "mean_shift");
    metric_learn(env, metric, matrix, weights, fit->count);
    metric_ready(env, metric);
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
    begin(env, fit);
}

static const double *row_at(const MeanShift *fit, uint32_t i)
{
    return fit->rows + (size_t)i * fit->dims;
}

/* ---- the bandwidth ---- */

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
static double reach(MeanShift *fit, uint32_t row)
{
    double *reduced = fit->reduced;
    Reached *items = fit->items;
    uint64_t random = row; /* its own: pivots decide in which order weights are summed */

    for (uint32_t first = 0; first < fit->count; first += POLL_ROWS) {
        uint32_t count = fit->count - first < POLL_ROWS ? fit->count - first : POLL_ROWS;

        metric_reduced_rows(fit->metric, row_at(fit, row), row_at(fit, first), count, reduced);
        for (uint32_t i = 0; i < count; i++)
            items[first + i] = (Reached){reduced[i], row_weight(fit->weights, first + i)};
        fit->env->poll(fit->env);
    }
    return metric_of_reduced(fit->metric, distance_of_weight(fit->env, items, fit->count, fit->wanted, &random));
}

/* Returns sample s of the rows. Neighbors have neighboring numbers: the samples are spread. */
static uint32_t sampled_row(const MeanShift *fit, uint64_t s)
{
    return (uint32_t)(s * fit->count / fit->samples);
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

/* Returns the centers of the cells that have rows enough, [*count x dims]; the rows themselves where each has such a cell to itself. */
static double *binned_seeds(const MeanShift *fit, uint32_t *count)
{
    Env *env = fit->env;
    double width = fit->bandwidth * fit->metric->scale, least = options_number(fit->options, "min_bin_weight");
    BinnedRow *binned = env_array_raw(env, fit->count, sizeof(BinnedRow));
    double *cells = env_array_raw(env, fit->count, fit->dims * sizeof(double));
    double *seeds = env_array_raw(env, fit->count, fit->dims * sizeof(double));
    uint32_t kept = 0;

    for (uint32_t i = 0; i < fit->count; i++) {
        double *cell = cells + (size_t)i * fit->dims;

        for (uint32_t j = 0; j < fit->dims; j++) {
            cell[j] = rint(row_at(fit, i)[j] / width) + 0.0; /* no -0 */
            if (!isfinite(cell[j]))
                env_fail(env, ERROR_RANGE, "Raise \"bandwidth\", or set \"bin_seeding\" to false.",
                         "cells of mean_shift cannot be numbered: the bandwidth, %g, is too small for the values of the features", fit->bandwidth);
        }
        binned[i] = (BinnedRow){cell, row_weight(fit->weights, i), fit->dims};
        env_poll_rows(env, i);
    }
    sort_polled(env, binned, fit->count, sizeof(BinnedRow), compare_cells);
    for (uint32_t first = 0, next; first < fit->count; first = next) {
        double weight = 0;

        for (next = first; next < fit->count && compare_cells(&binned[first], &binned[next]) == 0; next++)
            weight += binned[next].weight;
        if (!(weight >= least))
            continue;
        for (uint32_t j = 0; j < fit->dims; j++)
            seeds[(size_t)kept * fit->dims + j] = binned[first].at[j] * width;
        kept++;
    }
    if (kept == 0)
        env_fail(env, ERROR_DATA, "Lower \"min_bin_weight\", or raise \"bandwidth\".",
                 "no cell of the grid of mean_shift has rows of weight %g", least);
    *count = kept;
    return kept == fit->count ? fit->rows : seeds;
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
        fit->block_iterations = moves > fit->block_iterations ? moves : fit->block_iterations;
        if (sqrt(square) < still || square == 0)
            return fit->inside;
        if (moves == fit->max_iter) {
            fit->block_unfinished++;
            return fit->inside;
        }
    }
}

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

/* ---- blocks of rows or seeds, which processes share ---- */

/* Returns how many rows or seeds a block has. */
static uint32_t block_count(const MeanShift *fit, uint32_t task)
{
    uint64_t left = (fit->seeds != NULL ? fit->seed_count : fit->samples) - (uint64_t)task * BLOCK;

    return left < BLOCK ? (uint32_t)left : BLOCK;
}

/* Climbs from a seed. Equal seeds, which follow each other, lead to one place: only the first counts. */
static double climb_from(MeanShift *fit, uint32_t s, double *place)
{
    const double *seed = fit->seeds + (size_t)s * fit->dims;
    double intensity = s > 0 && memcmp(seed, seed - fit->dims, fit->dims * sizeof(double)) == 0 ? 0 : climb(fit, seed);

    memcpy(place, fit->search->query, fit->dims * sizeof(double));
    return intensity;
}

static void run(void *data, uint32_t task)
{
    MeanShift *fit = data;
    uint32_t first = task * BLOCK, count = block_count(fit, task);

    fit->block_unfinished = 0;
    fit->block_iterations = 0;
    if (fit->seeds == NULL && fit->items == NULL) {
        fit->items = env_array_raw(fit->env, fit->count, sizeof(Reached));
        fit->reduced = env_array_raw(fit->env, POLL_ROWS, sizeof(double));
    }
    for (uint32_t i = 0; i < count; i++)
        fit->values[i] = fit->seeds == NULL ? reach(fit, sampled_row(fit, first + i)) : climb_from(fit, first + i, fit->places + (size_t)i * fit->dims);
}

static void receive_reaches(void *receiver, uint32_t task)
{
    MeanShift *fit = receiver;
    uint64_t first = (uint64_t)task * BLOCK;
    uint32_t count = block_count(fit, task);

    fit->env->progress(fit->env, "bandwidth", first, fit->samples, NAN);
    for (uint32_t i = 0; i < count; i++) {
        double own = row_weight(fit->weights, sampled_row(fit, first + i));

        fit->reach_sum += own * fit->values[i];
        fit->reach_weight += own;
    }
}

static void receive_modes(void *receiver, uint32_t task)
{
    MeanShift *fit = receiver;
    uint32_t count = block_count(fit, task);

    fit->env->progress(fit->env, "seeds", (uint64_t)task * BLOCK, fit->seed_count, NAN);
    fit->unfinished += fit->block_unfinished;
    fit->iterations = fit->block_iterations > fit->iterations ? fit->block_iterations : fit->iterations;
    for (uint32_t i = 0; i < count; i++) {
        double *at = fit->mode_places + (size_t)fit->found * fit->dims;

        if (fit->values[i] == 0)
            continue;
        memcpy(at, fit->places + (size_t)i * fit->dims, fit->dims * sizeof(double));
        fit->modes[fit->found++] = (Mode){at, fit->values[i], fit->dims};
    }
}

static void pack(Pack *pack, void *data)
{
    MeanShift *fit = data;

    if (pack->mode == PACK_OPEN)
        *fit = (MeanShift){0};
    pack_value(pack, &fit->bandwidth, sizeof fit->bandwidth);
    pack_value(pack, &fit->limit, sizeof fit->limit);
    pack_value(pack, &fit->wanted, sizeof fit->wanted);
    pack_value(pack, &fit->samples, sizeof fit->samples);
    pack_value(pack, &fit->max_iter, sizeof fit->max_iter);
    pack_value(pack, &fit->seed_count, sizeof fit->seed_count);
    neighbor_index_pack(pack, &fit->index);
    if (pack->mode == PACK_OPEN) {
        fit->metric = fit->index->metric;
        fit->count = fit->index->count;
        fit->dims = fit->index->width;
        fit->rows = (double *)fit->index->rows;
    }
    pack_value(pack, &fit->weights, sizeof fit->weights);
    pack_array(pack, &fit->weights, fit->count, sizeof(double));
    pack_array_if(pack, fit->seed_count > 0, &fit->seeds, fit->seed_count, fit->dims * sizeof(double));
}

static void pack_result(Pack *pack, void *data)
{
    MeanShift *fit = data;

    pack_value(pack, fit->values, sizeof fit->values);
    pack_value(pack, &fit->block_unfinished, sizeof fit->block_unfinished);
    pack_value(pack, &fit->block_iterations, sizeof fit->block_iterations);
    pack_value(pack, fit->places, fit->seed_count > 0 ? BLOCK * fit->dims * sizeof(double) : 0);
}

const SharedKind mean_shift_kind = {
    .name = "blocks of mean_shift", .data_size = sizeof(MeanShift), .pack = pack, .begin = begin, .run = run, .pack_result = pack_result};

static void share_blocks(MeanShift *fit, uint64_t count, void (*receive)(void *receiver, uint32_t task))
{
    SharedWork work = {.kind = &mean_shift_kind,
                       .data = fit,
                       .end = (uint32_t)((count + BLOCK - 1) / BLOCK),
                       .packs = metric_packs(fit->metric),
                       .process_room = fit->count * (sizeof(Reached) + 2 * sizeof(uint32_t)),
                       .spare = fit->spare,
                       .receive = receive,
                       .receiver = fit};

    shared_work(fit->env, &work);
}

/* ---- the bandwidth and the modes ---- */

/* Returns the mean distance within which a share of the rows lies, and two rows at least. */
static double estimate_bandwidth(MeanShift *fit)
{
    Env *env = fit->env;
    double wanted = options_number(fit->options, "bandwidth_quantile") * fit->weight;

    fit->samples = fit->count;
    if (options_given(fit->options, "bandwidth_rows") && (uint64_t)options_integer(fit->options, "bandwidth_rows") < fit->samples)
        fit->samples = (uint64_t)options_integer(fit->options, "bandwidth_rows");
    if (fit->weights == NULL)
        wanted = fmax(floor(wanted), 2);
    else if (wanted >= 2)
        wanted = floor(wanted);
    fit->wanted = wanted;
    share_blocks(fit, fit->samples, receive_reaches);
    env->release(env, fit->items);
    env->release(env, fit->reduced);
    return fit->reach_sum / fit->reach_weight;
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

/* Returns the places that the seeds lead to, sorted. */
static Mode *climb_all(MeanShift *fit, uint32_t *count)
{
    Env *env = fit->env;
    bool binned = options_boolean(fit->options, "bin_seeding") && fit->bandwidth > 0;

    fit->seed_count = fit->count;
    fit->seeds = binned ? binned_seeds(fit, &fit->seed_count) : fit->rows;
    fit->max_iter = options_integer(fit->options, "max_iter");
    fit->mode_places = env_array_raw(env, fit->seed_count, fit->dims * sizeof(double));
    fit->modes = env_array_raw(env, fit->seed_count, sizeof(Mode));
    share_blocks(fit, fit->seed_count, receive_modes);
    if (fit->found == 0)
        env_fail(env, ERROR_DATA, "Raise \"bandwidth\", or set \"bin_seeding\" to false.",
                 "no row lies within the bandwidth, %g, of a seed of mean_shift", fit->bandwidth);
    sort_polled(env, fit->modes, fit->found, sizeof(Mode), compare_modes);
    *count = fit->found;
    return fit->modes;
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
