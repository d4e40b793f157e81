/*
 * distance_histogram.c - the distribution of the distances between all pairs of rows, which shows whether they vary enough
 * for methods based on distances (Beyer et al. 1999, "When is nearest neighbor meaningful?").
 */
#include "core/estimator/estimator.h"
#include "core/distance/point_set.h"
#include "core/rows/row_sample.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 /* rows compared with all that follow, at a time */
#define QUANTILES_MAX 1000
#define POLL_NUMBERS 65536 /* distances between two polls for cancellation; a power of two */

static const OptionSpec histogram_options[] = {
    {.name = "bins",
     .formerly = "buckets",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = 100000,
     .help = "Number of bins, all of the same width."},
    {.name = "high",
     .types = OPTION_NUMBER,
     .unset = "the largest distance",
     .help = "Where the bins end."},
    {.name = "low",
     .types = OPTION_NUMBER,
     .unset = "the smallest distance",
     .help = "Where the bins begin."},
    {.name = "quantiles",
     .types = OPTION_NUMBER_LIST,
     .fallback = "[0.05,0.25,0.5,0.75,0.95]",
     FROM_ZERO_TO_ONE,
     .help = "Which quantiles of the distances to return, as shares from 0 to 1; between two distances they are "
             "interpolated."},
    {.name = "sample_size",
     .formerly = "sample",
     .types = OPTION_INTEGER,
     .minimum = 2,
     .maximum = INT32_MAX,
     .unset = "all rows",
     .help = "Compare only this many rows, picked by a hash of their content and the seed."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = INT32_MAX,
     .help = "Seed of the sample."},
    {.name = NULL}};
static const char *const histogram_positional[] = {"bins", NULL};

typedef struct Pairs {
    uint32_t rows;
    uint64_t count, zero;
    double *distances; /* [count] */
    double ratio;      /* the mean over rows of nearest / farthest */
} Pairs;

/* ---- which rows ---- */

/*
 * Moves the rows with the least hashes of seed, content and number among equal rows to the front, in their order. Rows are
 * sorted by content, so equal ones are adjacent.
 */
static void take_sample(Env *env, PointSet *points, uint32_t size, uint64_t seed)
{
    uint32_t width = points->metric->width, same = 0, kept = 0;
    RowSample *sample = row_sample_new(env, size, 1, false); /* of places of rows */
    uint8_t *chosen = env_array(env, points->count, 1);

    for (uint32_t i = 0; i < points->count; i++) {
        const double *row = point_set_row(points, i);
        double *place;

        env->poll(env);
        same = i > 0 && memcmp(row, row - width, width * sizeof(double)) == 0 ? same + 1 : 0;
        place = row_sample_add(sample, rows_hash(rows_hash(seed + 1, row, width) + same, row, width));
        if (place != NULL)
            *place = i;
    }
    for (uint32_t i = 0; i < sample->count; i++)
        chosen[(uint32_t)sample->rows[i].row[0]] = 1;
    for (uint32_t i = 0; i < points->count; i++) {
        env->poll(env);
        if (chosen[i])
            memmove(points->coordinates + (size_t)kept++ * width, point_set_row(points, i),
                    width * sizeof(double));
    }
    points->count = kept;
}

/* ---- all pairs ---- */

/* Compares a block of rows with themselves and all later rows. */
static void compare_block(Env *env, const PointSet *points, uint32_t first, double *reduced,
                          double *nearest, double *farthest, Pairs *pairs, uint64_t *at)
{
    const Metric *metric = points->metric;
    uint32_t n = points->count, rows = n - first < BLOCK ? n - first : BLOCK, rest = n - first;

    metric_reduced_matrix(env, metric, point_set_row(points, first), rows, point_set_row(points, first),
                          rest, reduced);
    for (uint32_t i = 0; i < rows; i++) {
        double *row = reduced + (size_t)i * rest;
        double least = nearest[first + i], largest = farthest[first + i];
        uint64_t zero = 0;

        metric_of_reduced_all(metric, row, rest);
        for (uint32_t j = i + 1; j < rest; j++) {
            double distance = row[j];

            zero += distance == 0;
            least = distance < least ? distance : least;
            largest = distance > largest ? distance : largest;
            nearest[first + j] = distance < nearest[first + j] ? distance : nearest[first + j];
            farthest[first + j] = distance > farthest[first + j] ? distance : farthest[first + j];
        }
        nearest[first + i] = least;
        farthest[first + i] = largest;
        pairs->zero += zero;
        memcpy(pairs->distances + *at, row + i + 1, (rest - i - 1) * sizeof(double));
        *at += rest - i - 1;
        env->poll(env);
    }
}

static Pairs compare_all(Env *env, const PointSet *points)
{
    uint32_t n = points->count;
    Pairs pairs = {.rows = n, .count = (uint64_t)n * (n - 1) / 2};
    double *nearest = env_array(env, n, sizeof(double)),
           *farthest = env_array(env, n, sizeof(double));
    double *reduced = env_array_raw(env, (size_t)BLOCK * n, sizeof(double));
    uint64_t at = 0;

    pairs.distances = env_array_raw(env, pairs.count, sizeof(double));
    for (uint32_t i = 0; i < n; i++)
        nearest[i] = INFINITY;
    for (uint32_t first = 0; first < n; first += BLOCK) {
        compare_block(env, points, first, reduced, nearest, farthest, &pairs, &at);
        env->progress(env, "distances", first, n, NAN);
    }
    for (uint32_t i = 0; i < n; i++)
        pairs.ratio += (farthest[i] > 0 ? nearest[i] / farthest[i] : 1) / n;
    return pairs;
}

/* Returns the number at this position in sorted order, by sorting the distances in part (Hoare 1961). */
static double select_distance(Env *env, double *x, uint64_t count, uint64_t place)
{
    uint64_t low = 0, high = count - 1, moves = 0;

    while (low < high) {
        uint64_t i = low, j = high;
        double a = x[low], b = x[low + (high - low) / 2], c = x[high];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));

        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j) {
                double moved = x[i];

                x[i++] = x[j];
                x[j] = moved;
                env_poll_every(env, ++moves, POLL_NUMBERS);
                if (j-- == 0)
                    break;
            }
        }
        if (place >= i)
            low = i;
        else if (j < count && place <= j)
            high = j;
        else
            return x[place];
    }
    return x[place];
}

/* Returns a quantile, interpolated between two distances. */
static double quantile_of(Env *env, const Pairs *pairs, double share)
{
    double place = share * (double)(pairs->count - 1), whole = floor(place);
    uint64_t at = (uint64_t)whole;
    double lower = select_distance(env, pairs->distances, pairs->count, at), upper;

    if (place == whole)
        return lower;
    upper = select_distance(env, pairs->distances, pairs->count, at + 1);
    return lower + (place - whole) * (upper - lower);
}

/* ---- the fit ---- */

typedef struct Spread {
    double least, largest, mean, deviation;
} Spread;

/* Computes range, mean and deviation; divides by the largest distance first, so that no square overflows. */
static Spread spread_of(Env *env, const Pairs *pairs)
{
    Spread spread = {.least = INFINITY};
    double sum = 0, squares = 0, rest = 0, scale;
    uint64_t n = pairs->count;

    for (uint64_t i = 0; i < n; i++) {
        env_poll_every(env, i, POLL_NUMBERS);
        spread.least = fmin(spread.least, pairs->distances[i]);
        spread.largest = fmax(spread.largest, pairs->distances[i]);
    }
    scale = spread.largest > 0 ? spread.largest : 1;
    for (uint64_t first = 0; first < n; first += 1024) {
        double part = 0;

        for (uint64_t i = first; i < n && i < first + 1024; i++)
            part += pairs->distances[i] / scale;
        sum += part;
        env_poll_every(env, first, POLL_NUMBERS);
    }
    sum /= (double)n;
    for (uint64_t first = 0; first < n; first += 1024) {
        double part = 0;

        for (uint64_t i = first; i < n && i < first + 1024; i++) {
            double d = pairs->distances[i] / scale - sum;

            part += d * d;
            rest += d;
        }
        squares += part;
        env_poll_every(env, first, POLL_NUMBERS);
    }
    spread.mean = sum * scale;
    spread.deviation = scale * sqrt(fmax(0, squares - rest * rest / (double)n) / (double)n);
    return spread;
}

/* Fails with ERROR_LIMIT if the distances between this many rows exceed the memory budget. */
static void refuse_memory(Env *env, uint32_t rows)
{
    double needed = (double)rows * (rows - 1) / 2 * sizeof(double) +
                    (double)rows * (BLOCK + 4) * sizeof(double);
    uint32_t fit = (uint32_t)sqrt((double)env->memory_limit / 4.5);

    if (needed <= (double)env->memory_limit)
        return;
    env_fail(env, ERROR_LIMIT,
             "Raise pgfit.fit_mem, or compare a sample with option \"sample_size\".",
             "distance_histogram keeps the distances of %u rows: needed %.0f bytes, allowed %zu (about %u rows)",
             rows, needed, env->memory_limit, fit);
}

static void add_bins(Env *env, ModelBuilder *builder, const Options *options, const Pairs *pairs,
                     const Spread *spread)
{
    uint32_t bins = (uint32_t)options_integer(options, "bins");
    double low = options_given(options, "low") ? options_number(options, "low") : spread->least;
    double high =
        options_given(options, "high") ? options_number(options, "high") : spread->largest;
    double *edges = env_array(env, (size_t)bins + 1, sizeof(double)), width;
    int64_t *counts = env_array(env, bins, sizeof(int64_t)), outside = 0;

    if (!(high >= low) || isinf(high - low))
        env_fail(env, ERROR_PARAMETER, "Give a \"low\" below \"high\".", "the bins would run from %g to %g", low, high);
    width = (high - low) / bins;
    for (uint32_t b = 0; b <= bins; b++)
        edges[b] = b == bins ? high : low + b * width;
    for (uint64_t i = 0; i < pairs->count; i++) {
        double d = pairs->distances[i];
        uint32_t b;

        env_poll_every(env, i, POLL_NUMBERS);
        if (d < low || d > high) {
            outside++;
            continue;
        }
        b = width > 0 ? (uint32_t)fmin((d - low) / width, bins - 1) : 0;
        while (b > 0 && d < edges[b]) /* rounding of the quotient */
            b--;
        while (b + 1 < bins && d >= edges[b + 1])
            b++;
        counts[b]++;
    }
    builder_f64(builder, SECTION_ARRAYS, "edges", edges, bins + 1);
    builder_i64(builder, SECTION_ARRAYS, "counts", counts, bins);
    builder_fact_i64(builder, "outside", outside);
}

static Model *histogram_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                            ModelBuilder *builder)
{
    Rows *rows = input->rows;
    uint64_t seed = (uint64_t)options_integer(options, "seed");
    bool sampled = options_given(options, "sample_size");
    const double *shares;
    double *quantiles;
    uint32_t count = 0;
    PointSet *points;
    Spread spread;
    Pairs pairs;

    if (rows_count(rows) < 2)
        return NULL;
    if (rows_contents(rows) & ROWS_WEIGHT)
        env_fail(env, ERROR_PARAMETER, NULL, "distance_histogram takes no weights");
    shares = options_numbers(options, "quantiles", &count);
    if (count == 0 || count > QUANTILES_MAX)
        env_fail(env, ERROR_PARAMETER, NULL, "option \"quantiles\" has %u numbers, but 1 to %d are allowed", count, QUANTILES_MAX);
    if (!sampled)
        refuse_memory(env, (uint32_t)fmin((double)rows_count(rows), INT32_MAX));
    points = point_set(env, rows, options, 0, "distance_histogram");
    if (sampled && options_integer(options, "sample_size") < points->count) {
        refuse_memory(env, (uint32_t)options_integer(options, "sample_size"));
        take_sample(env, points, (uint32_t)options_integer(options, "sample_size"), seed);
    }
    refuse_memory(env, points->count);
    pairs = compare_all(env, points);
    spread = spread_of(env, &pairs);
    if (isinf(spread.largest) && points->metric->form == FORM_OBJECTS)
        env_fail(env, ERROR_DATA, "Compare the rows of one group that can be reached from each other, by WHERE or FILTER.",
                 "a distance is infinite, and a histogram has finite bins");
    if (!isfinite(spread.largest) || !isfinite(spread.mean))
        env_fail(env, ERROR_RANGE, "Divide the features by a large number.",
                 "a distance exceeds the range of double precision");
    add_bins(env, builder, options, &pairs, &spread);
    quantiles = env_array(env, count, sizeof(double));
    for (uint32_t q = 0; q < count; q++)
        quantiles[q] = quantile_of(env, &pairs, shares[q]);
    builder_f64(builder, SECTION_ARRAYS, "quantiles", quantiles, count);
    builder_fact_i64(builder, "compared", pairs.rows);
    builder_fact_i64(builder, "pairs", (int64_t)pairs.count);
    builder_fact_i64(builder, "zero_pairs", (int64_t)pairs.zero);
    builder_fact(builder, "min", spread.least);
    builder_fact(builder, "max", spread.largest);
    builder_fact(builder, "mean", spread.mean);
    builder_fact(builder, "sd", spread.deviation);
    builder_fact(builder, "nearest_farthest", pairs.ratio);
    return model_build(builder);
}

static const ArraySpec histogram_arrays[] = {
    {.name = "counts", .type = ARRAY_I64, .rows = {SIZE_BINS, .defines = true}},
    {.name = "edges", .type = ARRAY_F64, .rows = {SIZE_BINS, .plus = 1}, .values = VALUES_ANY},
    {.name = "quantiles", .type = ARRAY_F64, .rows = {SIZE_FREE}, .values = VALUES_ANY}};
static const ArraySpec histogram_facts[] = {
    FACT("compared", ARRAY_I64), FACT("max", ARRAY_F64), FACT("mean", ARRAY_F64), FACT("min", ARRAY_F64),
    FACT("nearest_farthest", ARRAY_F64), FACT("outside", ARRAY_I64), FACT("pairs", ARRAY_I64),
    FACT("sd", ARRAY_F64), FACT("zero_pairs", ARRAY_I64)};
static const ArrayTable histogram_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(histogram_arrays), FACT_TABLE(histogram_facts));

const Estimator estimator_distance_histogram = {
    .name = "distance_histogram",
    .task = TASK_DESCRIPTION,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, histogram_options),
    .positional = histogram_positional,
    .help = "The distribution of the distances between all pairs of rows: shows whether they vary enough to be "
            "informative.",
    .source = "Beyer, Goldstein, Ramakrishnan & Shaft (1999), ICDT",
    .fit = histogram_fit,
    .arrays = histogram_array_tables,
};
