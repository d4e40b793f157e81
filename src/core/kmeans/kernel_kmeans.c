/*
 * kernel_kmeans.c - k-means in the feature space of a kernel, computed from kernel values alone (Schoelkopf, Smola & Mueller 1998; Dhillon,
 * Guan & Kulis 2004). Each of Lloyd's iterations computes the kernel values anew, block by block, since all of them seldom fit.
 *
 * Arrays of a model: rows F64[n x dims] (points of the kernel, kernel.h) and clusters I64[n] (from 0) of the training rows, weights
 * F64[n] if they had weights; sizes F64[k]; offsets F64[k], the mean kernel value of the pairs of rows of a cluster, absent with
 * assignment average_distance; the kernel. With an approximation the products of a row with the means are kernel expansions: rows
 * F64[m x slots], multipliers F64[k x m], and phases F64[m] of frequencies (kernel_model.h), without clusters and weights.
 */
#include "core/rows/rows.h"
#include "core/kmeans/kmeans.h"
#include "core/kernel/kernel_points.h"
#include "core/linalg/vector_loops.h"
#include "core/math/cosine_sine.h"
#include "core/estimator/estimator.h"
#include "core/kernel_methods/mapped_rows.h"
#include "core/neighbors/neighbors_model.h"
#include "core/moments/model_terms.h"
#include "core/estimator/shared_options.h"
#include "core/kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A partition of n rows into k clusters while it is fitted. */
typedef struct KernelPartition {
    Env *env;
    Kernel kernel;
    bool average; /* assigns rows to the cluster with the least mean distance to its rows, not with the nearest mean */
    uint64_t n;
    uint32_t k, dims;
    const double *rows;    /* [n x dims] */
    const double *weights; /* [n] or NULL */
    double *self;          /* [n] k(x, x) */
    uint32_t *clusters;    /* [n] */
    double *sums;          /* [n x k] of weight times kernel value (average: distance) over the rows of each cluster */
    double *sizes;         /* [k] weights */
    double *offsets;       /* [k] mean kernel value of the pairs of rows of each cluster */
    double inertia;        /* sum of squared distances to the clusters' means */
    int64_t iterations;
    bool converged;
    uint32_t empty;        /* clusters without rows */
    int64_t evaluations;   /* kernel values computed */
    double *squares;       /* [n] squared distance to the nearest row chosen so far, by kernel_partition_plus_plus */
    double *values;        /* [n] kernel values of one row with all */
    double *block;         /* [BLOCK_ROWS x BLOCK_COLUMNS] kernel values */
    double *counted_sizes; /* [k] weights, while clusters without rows are refilled */
} KernelPartition;

/* Returns a partition without starting clusters. Fails with ERROR_RANGE if k(x, x) of a row is not finite. */
static KernelPartition *kernel_partition_new(Env *env, const Kernel *kernel, const double *rows, const double *weights, uint64_t n,
                                      uint32_t dims, uint32_t k);

#define EQUAL (16 * DBL_EPSILON) /* of kernel values: by how little equal distances differ, as the order of the rows has their sums */
#define BLOCK_ROWS 32
#define BLOCK_COLUMNS 2048

static void __attribute__((noreturn)) fail_range(Env *env)
{
    env_fail(env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
             "values of the kernel are out of range");
}

static void poll_rows(const KernelPartition *partition, uint64_t i)
{
    env_poll_every(partition->env, i, 4096);
}

static KernelPartition *kernel_partition_new(Env *env, const Kernel *kernel, const double *rows, const double *weights, uint64_t n,
                                      uint32_t dims, uint32_t k)
{
    KernelPartition *partition = env_array(env, 1, sizeof(KernelPartition));

    *partition = (KernelPartition){
        .env = env, .kernel = *kernel, .n = n, .k = k, .dims = dims, .rows = rows, .weights = weights};
    partition->self = env_array(env, n, sizeof(double));
    partition->clusters = env_array(env, n, sizeof(uint32_t));
    partition->sums = env_array(env, n, k * sizeof(double));
    partition->sizes = env_array(env, k, sizeof(double));
    partition->offsets = env_array(env, k, sizeof(double));
    partition->squares = env_array(env, n, sizeof(double));
    partition->values = env_array(env, n, sizeof(double));
    partition->block = env_array_raw(env, (size_t)BLOCK_ROWS * BLOCK_COLUMNS, sizeof(double));
    partition->counted_sizes = env_array(env, k, sizeof(double));
    for (uint64_t i = 0; i < n; i++) {
        partition->self[i] = kernel_value(kernel, rows + i * dims, rows + i * dims, dims);
        if (!isfinite(partition->self[i]))
            fail_range(env);
        poll_rows(partition, i);
    }
    return partition;
}

/* Returns the squared distance of two rows in feature space; 0 if it may be nothing but rounding, so equal rows have distance 0. */
static double squared_distance(const KernelPartition *partition, uint64_t i, uint64_t j, double value)
{
    double square = partition->self[i] - 2 * value + partition->self[j];

    return square > 8 * DBL_EPSILON * (fabs(partition->self[i]) + fabs(partition->self[j])) ? square : 0;
}

/* ---- starts ---- */

/* Returns a random number in (0, 1] that depends on the seed and the content of a row, not on its position. */
static double row_random(const KernelPartition *partition, uint64_t seed, uint64_t i)
{
    return ((double)(rows_hash(seed, partition->rows + i * partition->dims, partition->dims) >> 11) + 1) * 0x1p-53;
}

/* Draws a row with a probability proportional to weight times square: the row with the least of exponential waiting times. */
static uint64_t choose_row(const KernelPartition *partition, const double *squares, uint64_t seed)
{
    double least = INFINITY;
    uint64_t best = 0;

    for (uint64_t i = 0; i < partition->n; i++) {
        double mass = row_weight(partition->weights, i) * squares[i], time;

        poll_rows(partition, i);
        if (!(mass > 0))
            continue;
        time = -log(row_random(partition, seed, i)) / mass;
        if (time < least) {
            least = time;
            best = i;
        }
    }
    return best;
}

/* Set the starting clusters: around k rows chosen by squared distance (k-means++), or at random. */
static void kernel_partition_plus_plus(KernelPartition *partition, uint64_t seed)
{
    Env *env = partition->env;
    double *squares = partition->squares, *values = partition->values;

    for (uint64_t i = 0; i < partition->n; i++)
        squares[i] = 1;
    for (uint32_t c = 0; c < partition->k; c++) {
        uint64_t chosen = choose_row(partition, squares, seed + 1 + c);

        kernel_matrix(env, &partition->kernel, partition->rows + chosen * partition->dims, 1, partition->rows,
                      (uint32_t)partition->n, partition->dims, values);
        partition->evaluations += (int64_t)partition->n;
        for (uint64_t i = 0; i < partition->n; i++) {
            double square = squared_distance(partition, i, chosen, values[i]);

            if (c == 0 || square < squares[i] - EQUAL * (fabs(partition->self[i]) + fabs(partition->self[chosen]))) {
                squares[i] = square;
                partition->clusters[i] = c;
            }
        }
        env->poll(env);
    }
}

static void kernel_partition_random(KernelPartition *partition, uint64_t seed)
{
    for (uint64_t i = 0; i < partition->n; i++) {
        partition->clusters[i] =
            (uint32_t)(rows_hash(seed + 1, partition->rows + i * partition->dims, partition->dims) % partition->k);
        poll_rows(partition, i);
    }
}

/* ---- iterations ---- */

/* Sums the kernel values, or distances, of each row to the rows of each cluster. */
static void sum_values(KernelPartition *partition)
{
    Env *env = partition->env;
    double *values = partition->block;

    memset(partition->sums, 0, partition->n * partition->k * sizeof(double));
    for (uint64_t i = 0; i < partition->n; i += BLOCK_ROWS) {
        uint32_t rows = partition->n - i < BLOCK_ROWS ? (uint32_t)(partition->n - i) : BLOCK_ROWS;

        for (uint64_t j = 0; j < partition->n; j += BLOCK_COLUMNS) {
            uint32_t columns = partition->n - j < BLOCK_COLUMNS ? (uint32_t)(partition->n - j) : BLOCK_COLUMNS;

            kernel_matrix(env, &partition->kernel, partition->rows + i * partition->dims, rows,
                          partition->rows + j * partition->dims, columns, partition->dims, values);
            for (uint32_t r = 0; r < rows; r++) {
                double *sums = partition->sums + (i + r) * partition->k;

                for (uint32_t c = 0; c < columns; c++) {
                    double value = values[(size_t)r * columns + c];

                    if (partition->average)
                        value = sqrt(squared_distance(partition, i + r, j + c, value));
                    sums[partition->clusters[j + c]] += row_weight(partition->weights, j + c) * value;
                }
            }
            env->poll(env);
        }
    }
    partition->evaluations += (int64_t)(partition->n * partition->n);
}

/* Sets the sizes of the clusters and, if offsets, the mean kernel values of their pairs of rows, from sums of kernel values. */
static void sum_clusters(KernelPartition *partition, bool offsets)
{
    memset(partition->sizes, 0, partition->k * sizeof(double));
    memset(partition->offsets, 0, partition->k * sizeof(double));
    for (uint64_t i = 0; i < partition->n; i++) {
        uint32_t c = partition->clusters[i];

        partition->sizes[c] += row_weight(partition->weights, i);
        if (offsets)
            partition->offsets[c] += row_weight(partition->weights, i) * partition->sums[i * partition->k + c];
    }
    for (uint32_t c = 0; c < partition->k; c++)
        if (partition->sizes[c] > 0)
            partition->offsets[c] /= partition->sizes[c] * partition->sizes[c];
}

/* Returns the distance of a row from a cluster that the assignment compares: squared to the mean, or mean to the rows. */
static double distance_to(const KernelPartition *partition, uint64_t i, uint32_t c)
{
    double mean;

    if (!(partition->sizes[c] > 0))
        return INFINITY;
    mean = partition->sums[i * partition->k + c] / partition->sizes[c];
    return partition->average ? mean : partition->self[i] - 2 * mean + partition->offsets[c];
}

/*
 * Assigns each row to the nearest cluster, the first of equal ones. Returns whether any row changed its cluster. Sums of kernel values
 * differ in the last digits with the order of the rows, so distances that differ by no more are equal.
 */
static bool assign(KernelPartition *partition)
{
    bool changed = false;

    for (uint64_t i = 0; i < partition->n; i++) {
        uint32_t best = 0;
        double least = INFINITY;

        for (uint32_t c = 0; c < partition->k; c++) {
            double distance = distance_to(partition, i, c);

            if (distance < least - EQUAL * (fabs(partition->self[i]) + fabs(partition->offsets[c]))) {
                least = distance;
                best = c;
            }
        }
        env_poll_every(partition->env, i, 64);
        changed |= best != partition->clusters[i];
        partition->clusters[i] = best;
    }
    return changed;
}

/*
 * Moves the row farthest from its cluster to an empty one; its hash breaks ties. Returns false if no row is away from its cluster.
 */
static bool refill(KernelPartition *partition, uint32_t empty)
{
    double farthest = 0;
    uint64_t best = UINT64_MAX, best_hash = 0;

    for (uint64_t i = 0; i < partition->n; i++) {
        double distance = distance_to(partition, i, partition->clusters[i]);
        uint64_t hash;

        poll_rows(partition, i);
        if (!(distance > farthest * (1 + 1e-12)) && best != UINT64_MAX && !(distance >= farthest * (1 - 1e-12)))
            continue;
        if (!(distance > 1e-12 * fabs(partition->self[i])))
            continue;
        hash = rows_hash(0, partition->rows + i * partition->dims, partition->dims);
        if (best == UINT64_MAX || distance > farthest * (1 + 1e-12) || hash < best_hash) {
            farthest = distance;
            best = i;
            best_hash = hash;
        }
    }
    if (best == UINT64_MAX)
        return false;
    partition->sizes[partition->clusters[best]] -= row_weight(partition->weights, best);
    partition->clusters[best] = empty;
    partition->sizes[empty] = row_weight(partition->weights, best);
    partition->sums[best * partition->k + empty] = row_weight(partition->weights, best) * partition->self[best];
    partition->offsets[empty] = partition->self[best];
    return true;
}

/* Refills clusters without rows, and counts those that stay empty. Returns whether any cluster was refilled. */
static bool refill_all(KernelPartition *partition)
{
    double *sizes = partition->counted_sizes;
    bool filled = false;

    memset(sizes, 0, partition->k * sizeof(double));
    for (uint64_t i = 0; i < partition->n; i++)
        sizes[partition->clusters[i]] += row_weight(partition->weights, i);
    partition->empty = 0;
    for (uint32_t c = 0; c < partition->k; c++) {
        if (sizes[c] > 0)
            continue;
        if (refill(partition, c))
            filled = true;
        else
            partition->empty++;
    }
    return filled;
}

/* Reassigns rows until none changes its cluster, at most max_iter times, and sets the inertia. */
static void kernel_partition_run(KernelPartition *partition, int64_t max_iter)
{
    Env *env = partition->env;
    bool average = partition->average;

    partition->converged = false;
    env->progress(env, "kernel_kmeans", 0, (uint64_t)max_iter, NAN);
    for (partition->iterations = 0; partition->iterations < max_iter;) {
        bool changed;

        sum_values(partition);
        sum_clusters(partition, !average);
        partition->iterations++;
        env->progress(env, "kernel_kmeans", (uint64_t)partition->iterations, (uint64_t)max_iter, NAN);
        changed = assign(partition);
        changed |= refill_all(partition);
        if (!changed) {
            partition->converged = true;
            break;
        }
    }
    partition->average = false; /* the inertia needs sums of kernel values */
    sum_values(partition);
    sum_clusters(partition, true);
    partition->inertia = 0;
    for (uint64_t i = 0; i < partition->n; i++) {
        double distance = distance_to(partition, i, partition->clusters[i]);

        if (!(distance <= 0)) /* keeps a NaN, so that the check below fails */
            partition->inertia += row_weight(partition->weights, i) * distance;
    }
    partition->average = average;
    if (!isfinite(partition->inertia))
        fail_range(env);
}

/* ---- the estimator ---- */

static const char *const assignments[] = {"centroid", "average_distance", NULL};
static const char *const inits[] = {"k-means++", "random", NULL};

static const OptionSpec kernel_kmeans_options[] = {
    {.name = "assignment",
     .types = OPTION_STRING,
     .fallback = "\"centroid\"",
     .choices = assignments,
     .help = "Rows go to the cluster with the nearest mean in the kernel's feature space, or to the one with the "
             "smallest mean distance to its rows (which may not converge)."},
    {.name = "init",
     .types = OPTION_STRING | OPTION_NUMBER_LIST,
     .fallback = "\"k-means++\"",
     .choices = inits,
     .minimum = 1,
     .maximum = 1e6,
     .help = "Starting clusters: around rows that are spread out, at random, or given as one cluster (1 to k) per "
             "row, in the order in which rows arrive."},
    OPTION_MAX_ITER("300", 1e6, "assignments"),
    {.name = NULL}};

/* ---- fit ---- */

/* Sets the starting clusters [n] that option "init" gives. Fails if they do not fit the rows or k. */
static void given_clusters(Env *env, const Options *options, uint64_t n, uint32_t k, uint32_t *clusters)
{
    uint32_t count;
    const double *given = options_numbers(options, "init", &count);

    if (count != n)
        env_fail(env, ERROR_DATA, "Give one cluster per row, in the order of ORDER BY inside the call.",
                 "\"init\" has %u clusters for %llu rows", count, (unsigned long long)n);
    for (uint32_t i = 0; i < count; i++) {
        if (given[i] != floor(given[i]) || given[i] > k)
            env_fail(env, ERROR_PARAMETER, NULL, "\"init\" has cluster %g, which is not an integer from 1 to %u", given[i], k);
        clusters[i] = (uint32_t)given[i] - 1;
    }
}

static void start(KernelPartition *partition, const Options *options, uint64_t seed)
{
    if (options_type(options, "init") == OPTION_NUMBER_LIST)
        given_clusters(partition->env, options, partition->n, partition->k, partition->clusters);
    else if (options_is(options, "init", "random"))
        kernel_partition_random(partition, seed);
    else
        kernel_partition_plus_plus(partition, seed);
}

static void warn_result(Env *env, uint32_t empty, uint32_t k, bool converged, int64_t max_iter)
{
    if (empty > 0)
        env_warn(env, ERROR_DATA, "Ask for fewer clusters.", "%u of %u clusters have no rows", empty, k);
    if (!converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\".",
                 "kernel_kmeans stopped after %lld assignment%s, before the clusters converged", (long long)max_iter, max_iter == 1 ? "" : "s");
}

/* Runs every start and leaves the best result in partition. */
static void run_all(KernelPartition *partition, const Options *options)
{
    uint64_t seed = (uint64_t)options_integer(options, "seed") * SEED_STEP;
    int64_t max_iter = options_integer(options, "max_iter");
    uint32_t starts = options_starts(options, options_is(options, "init", "random") ? STARTS_RANDOM : 1);
    uint64_t best = seed;
    double least = INFINITY;

    for (uint32_t s = 0; s < starts; s++) {
        start(partition, options, seed + 1000003u * (uint64_t)s);
        kernel_partition_run(partition, max_iter);
        if (partition->inertia < least) {
            least = partition->inertia;
            best = seed + 1000003u * (uint64_t)s;
        }
    }
    if (starts > 1 && partition->inertia > least) {
        start(partition, options, best);
        kernel_partition_run(partition, max_iter);
    }
    warn_result(partition->env, partition->empty, partition->k, partition->converged, max_iter);
}

/* ---- the fit by an approximation ---- */

/* Returns the options of kmeans on mapped rows. */
static Options *kmeans_options_of(Env *env, const Options *options)
{
    bool random = options_is(options, "init", "random");
    const char *json = env_message(env, "{\"init\": \"%s\", \"max_iter\": %lld, \"n_init\": %u, \"seed\": %lld}", random ? "partition" : "k-means++",
                             (long long)options_integer(options, "max_iter"), options_starts(options, random ? STARTS_RANDOM : 1),
                             (long long)options_integer(options, "seed"));

    return options_parse(env, "kernel_kmeans", estimator_kmeans.options, json, strlen(json), NULL, NULL, 0);
}

/* Returns the means [k x slots] of the clusters that option "init" gives. Those without rows get the mean of another one. */
static double *given_means(Env *env, Rows *rows, const Options *options, uint32_t k)
{
    uint32_t *clusters = env_array(env, rows_count(rows), sizeof(uint32_t)), width = rows_slots(rows), some = 0;
    double *means = env_array(env, k, width * sizeof(double)), *weights = env_array(env, k, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    given_clusters(env, options, rows_count(rows), k, clusters);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t c = clusters[block.first + i];
            double weight = row_weight(block.weights, i);

            weights[c] += weight;
            for (uint32_t j = 0; j < width; j++)
                means[(size_t)c * width + j] += (block.slots[(size_t)i * width + j] - means[(size_t)c * width + j]) * (weight / weights[c]);
        }
    rows_reader_free(reader);
    while (!(weights[some] > 0))
        some++;
    for (uint32_t c = 0; c < k; c++)
        if (!(weights[c] > 0))
            memcpy(means + (size_t)c * width, means + (size_t)some * width, width * sizeof(double));
    return means;
}

static Model *fit_approximately(Env *env, const FitInput *input, const Options *options, Approximation approximation,
                                const Kernel *kernel, uint32_t k, ModelBuilder *builder)
{
    KernelSample *sample = feature_map_sample(env, input->rows, kernel, options, "kernel_kmeans");
    FeatureMap *map = feature_map(sample, approximation, options);
    Rows *rows = mapped_rows(map, mapped_room(map, rows_count(input->rows) * 2 * sizeof(double)));
    const double *given = options_type(options, "init") == OPTION_NUMBER_LIST ? given_means(env, rows, options, k) : NULL;
    KmeansResult *result = kmeans_best(env, rows, k, given, kmeans_options_of(env, options));
    double self = feature_map_self(sample, true), inertia = 0, *squares = env_array(env, k, sizeof(double));
    KernelExpansion expansion = feature_map_expansion(map, k, result->centroids, NULL);

    rows_free(rows);
    warn_result(env, result->empty, k, result->converged, options_integer(options, "max_iter"));
    for (uint32_t c = 0; c < k; c++) {
        if (result->sizes[c] > 0)
            squares[c] = loop_pair(LOOP_PRODUCTS, 0, result->centroids + (size_t)c * map->features,
                                   result->centroids + (size_t)c * map->features, map->features);
        inertia += result->sizes[c] * (self - squares[c]);
    }
    builder_fact_i64(builder, "k", k);
    builder_fact(builder, "inertia", fmax(inertia, 0));
    builder_fact_i64(builder, "iterations", result->iterations);
    builder_fact_bool(builder, "converged", result->converged);
    builder_fact_i64(builder, "kernel_evaluations", (int64_t)map->evaluations);
    feature_map_facts(map, builder);
    kernel_write(env, &map->kernel, builder);
    kernel_write_texts(env, &map->kernel, builder, map->rows, map->basis, map->terms);
    builder_f64_matrix(builder, SECTION_ARRAYS, "rows", expansion.rows, expansion.count, expansion.dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "multipliers", expansion.multipliers, k, expansion.count);
    if (expansion.phases != NULL)
        builder_f64(builder, SECTION_ARRAYS, "phases", expansion.phases, expansion.count);
    builder_f64(builder, SECTION_ARRAYS, "sizes", result->sizes, k);
    builder_f64(builder, SECTION_ARRAYS, "offsets", squares, k);
    if (sample->center != NULL)
        row_scale_write(builder, &(RowScale){.columns = sample->dims, .center = sample->center, .scale = sample->scale});
    return model_build(builder);
}

/* ---- the fit ---- */

/* Fails if the fit exceeds the memory budget: the rows twice, with their sums per cluster. */
static void require_memory(Env *env, uint64_t n, uint32_t dims, uint32_t k)
{
    size_t cells = (size_t)dims * 2 + k + 6;
    size_t bytes = n > SIZE_MAX / sizeof(double) / cells ? SIZE_MAX : n * cells * sizeof(double);

    env_require_memory(env, bytes, "kernel_kmeans");
}

/* Fails if rows are assigned by their distances from rows, which a new row of a Gram matrix does not tell. */
static void refuse_average(Env *env, const Kernel *kernel, const Options *options)
{
    if (kernel->kind == KERNEL_PRECOMPUTED && options_is(options, "assignment", "average_distance"))
        env_fail(env, ERROR_PARAMETER, "Use \"assignment\": \"centroid\".",
                 "assignment average_distance needs the kernel of a new row with itself, which kernel precomputed does not have");
}

static Model *kernel_kmeans_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                ModelBuilder *builder)
{
    Rows *rows = input->rows;
    uint64_t n = rows_count(rows);
    double *weights, *points;
    KernelPartition *partition;
    int64_t *clusters;
    const RowScale *scale;
    Kernel kernel;
    Approximation approximation;
    uint32_t k, dims;

    k = options_type(options, "k") != 0 ? (uint32_t)options_integer(options, "k") : 0;
    require_clusters(env, "kernel_kmeans", k, n);
    kernel = kernel_of_options(env, options, NULL);
    approximation = approximation_of_options(env, options, &kernel);
    if (approximation != APPROXIMATION_NONE) {
        if (options_is(options, "assignment", "average_distance"))
            env_fail(env, ERROR_PARAMETER, "Use assignment \"centroid\", or approximation \"none\".",
                     "assignment \"average_distance\" needs the distances of all pairs of rows, which approximation \"%s\" does not compute",
                     approximation_name(approximation));
        return fit_approximately(env, input, options, approximation, &kernel, k, builder);
    }
    neighbors_require_size(env, "kernel_kmeans", n, (uint64_t)rows_slots(rows) + (rows_contents(rows) & ROWS_WEIGHT ? 2 : 1), 0);
    require_memory(env, n, rows_slots(rows), k);
    refuse_average(env, &kernel, options);
    if (standardize_wanted(options))
        kernel_require_numbers(env, &kernel, "standardize");
    scale = rows_standardize(env, rows, options);
    points = rows_matrix(env, rows, NULL, &weights, "kernel_kmeans");
    points = kernel_learn(env, &kernel, rows_schema(rows), NULL, points, weights, n, rows_slots(rows), "kernel_kmeans");
    dims = kernel_point_dims(&kernel, rows_slots(rows));
    partition = kernel_partition_new(env, &kernel, points, weights, n, dims, k);
    partition->average = options_is(options, "assignment", "average_distance");
    run_all(partition, options);

    clusters = env_array(env, n, sizeof(int64_t));
    for (uint64_t i = 0; i < n; i++)
        clusters[i] = partition->clusters[i];
    builder_fact_i64(builder, "k", k);
    builder_fact(builder, "inertia", partition->inertia);
    builder_fact_i64(builder, "iterations", partition->iterations);
    builder_fact_bool(builder, "converged", partition->converged);
    builder_fact_i64(builder, "kernel_evaluations", partition->evaluations);
    kernel_write(env, &kernel, builder);
    kernel_write_texts(env, &kernel, builder, points, (uint32_t)n, dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "rows", points, (uint32_t)n, dims);
    builder_i64(builder, SECTION_ARRAYS, "clusters", clusters, (uint32_t)n);
    if (weights != NULL)
        builder_f64(builder, SECTION_ARRAYS, "weights", weights, (uint32_t)n);
    builder_f64(builder, SECTION_ARRAYS, "sizes", partition->sizes, k);
    if (!partition->average)
        builder_f64(builder, SECTION_ARRAYS, "offsets", partition->offsets, k);
    row_scale_write(builder, scale);
    return model_build(builder);
}

/* ---- scores ---- */

#define ROWS_AT_ONCE 256 /* a multiple of KERNEL_PANEL */

typedef struct Prepared {
    Env *env; /* to poll: a model may have many rows */
    Kernel kernel;
    KernelPoints points; /* the rows; not with phases */
    bool average, selfless; /* selfless: the kernel of a new row with itself is not known */
    uint32_t n, k, dims;
    const double *rows, *weights, *sizes, *offsets;
    const int64_t *clusters;
    const double *multipliers, *phases; /* of approximations; phases: of frequencies */
    double *self;      /* [n] k(x, x) of the training rows; NULL: not needed */
    double *distances; /* [k] of the row to score: squared to the means, or mean distances to the rows */
    double *values;    /* [ROWS_AT_ONCE] kernel values */
    RowScale scale;    /* of standardized rows; else of 0 columns */
    double *row;       /* [dims] the row to score, standardized */
} Prepared;

static const ArraySpec kernel_kmeans_arrays[] = {
    {.name = "clusters",
     .type = ARRAY_I64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_INDEX,
     .below = SIZE_CLUSTERS,
     .data_at = VIEW_AT(Prepared, clusters)},
    {.name = "multipliers",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .columns = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .other = "offsets",
     .data_at = VIEW_AT(Prepared, multipliers)},
    {.name = "offsets",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(Prepared, offsets)},
    {.name = "phases",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .other = "multipliers",
     .data_at = VIEW_AT(Prepared, phases)},
    {.name = "rows",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS, .defines = true},
     .columns = {SIZE_FREE}, /* compared by kernel_kmeans_check */
     .data_at = VIEW_AT(Prepared, rows),
     .rows_at = VIEW_AT(Prepared, n),
     .columns_at = VIEW_AT(Prepared, dims)},
    {.name = "sizes",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS, .defines = true},
     .data_at = VIEW_AT(Prepared, sizes),
     .rows_at = VIEW_AT(Prepared, k)},
    {.name = "weights",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .other = "clusters",
     .data_at = VIEW_AT(Prepared, weights)}};
static const ArraySpec kernel_kmeans_facts[] = {
    FACT_APPROXIMATION, FACT("converged", ARRAY_BOOL), FACT_FREQUENCIES, FACT("inertia", ARRAY_F64), FACT("iterations", ARRAY_I64),
    FACT("k", ARRAY_I64), FACT("kernel_evaluations", ARRAY_I64), FACT_LANDMARKS};
static const ArrayTable kernel_kmeans_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(kernel_kmeans_arrays), ARRAY_TABLE(kernel_arrays), ARRAY_TABLE_AT(scale_arrays, Prepared, scale),
                 FACT_TABLE(kernel_kmeans_facts));

static const char *kernel_kmeans_check(Env *env, const Model *model)
{
    const ModelEntry *rows = model_find(model, "rows");
    const char *wrong;
    Kernel kernel;

    if ((model_find(model, "clusters") == NULL) == (model_find(model, "multipliers") == NULL))
        return "it needs either \"clusters\" or \"multipliers\"";
    wrong = kernel_read(model, &kernel);
    if (wrong != NULL)
        return wrong;
    if (rows->columns != kernel_point_dims(&kernel, model->slot_count))
        return env_message(env, "\"rows\" is %u x %u, not rows x %u", rows->rows, rows->columns,
                           kernel_point_dims(&kernel, model->slot_count));
    if (model_find(model, "phases") != NULL && !kernel_is_simple(&kernel))
        return "\"phases\" do not go with this kernel";
    if (model_find(model, "feature_scale") != NULL && rows->columns != model->slot_count)
        return "\"feature_scale\" does not go with this kernel";
    if (kernel.kind == KERNEL_PRECOMPUTED && model_find(model, "offsets") == NULL)
        return "a model of kernel precomputed has no \"offsets\"";
    return kernel_check_points(model, &kernel, model_data(model, rows), rows->rows, rows->columns);
}

static void *kernel_kmeans_prepare(Env *env, const Model *model, size_t *bytes)
{
    Prepared *prepared = env_array(env, 1, sizeof(Prepared));

    prepared->env = env;
    kernel_prepare(env, model, &prepared->kernel);
    *bytes = 0; /* as allocated */
    view_arrays(model, kernel_kmeans_array_tables, prepared);
    if (prepared->phases == NULL)
        prepared->points = kernel_points(env, &prepared->kernel, prepared->rows, prepared->n, prepared->dims);
    prepared->average = prepared->offsets == NULL;
    prepared->selfless = prepared->kernel.kind == KERNEL_PRECOMPUTED;
    prepared->distances = env_array(env, prepared->k, sizeof(double));
    prepared->values = env_array(env, ROWS_AT_ONCE, sizeof(double));
    if (prepared->scale.columns > 0)
        prepared->row = env_array(env, prepared->dims, sizeof(double));
    if (prepared->average) {
        prepared->self = env_array(env, prepared->n, sizeof(double));
        for (uint32_t i = 0; i < prepared->n; i++) {
            const double *row = prepared->rows + (size_t)i * prepared->dims;

            prepared->self[i] = kernel_value(&prepared->kernel, row, row, prepared->dims);
            env_poll_every(env, i, 4096);
        }
    }
    return prepared;
}

/* Computes the kernel values, or cosines, of a row with `count` rows from `first` on. */
static void compute_values(const Prepared *prepared, const double *slots, uint32_t first, uint32_t count)
{
    const double *rows = prepared->rows + (size_t)first * prepared->dims;
    double sine;

    prepared->env->poll(prepared->env);
    if (prepared->phases == NULL) {
        kernel_points_values(&prepared->points, slots, first, count, prepared->values);
        return;
    }
    loop_rows(LOOP_PRODUCTS, 0, slots, rows, count, prepared->dims, prepared->dims, prepared->values);
    for (uint32_t i = 0; i < count; i++)
        cosine_sine_core(prepared->values[i] + prepared->phases[first + i], &prepared->values[i], &sine);
}

/* The same as compute_distances where the products with the means are expansions. */
static void compute_expansions(const Prepared *prepared, const double *slots)
{
    double self = kernel_value(&prepared->kernel, slots, slots, prepared->dims);

    memset(prepared->distances, 0, prepared->k * sizeof(double));
    for (uint32_t first = 0; first < prepared->n; first += ROWS_AT_ONCE) {
        uint32_t count = prepared->n - first < ROWS_AT_ONCE ? prepared->n - first : ROWS_AT_ONCE;

        compute_values(prepared, slots, first, count);
        for (uint32_t c = 0; c < prepared->k; c++)
            prepared->distances[c] += loop_pair(LOOP_PRODUCTS, 0, prepared->multipliers + (size_t)c * prepared->n + first,
                                                prepared->values, count);
    }
    for (uint32_t c = 0; c < prepared->k; c++)
        prepared->distances[c] =
            prepared->sizes[c] > 0 ? fmax(self - 2 * prepared->distances[c] + prepared->offsets[c], 0) : INFINITY;
}

/*
 * Sets prepared->distances: the squared distances of a row to the means, or its mean distances to the rows of each cluster. Without the
 * row's kernel with itself they are squared distances less that, which have the same order.
 */
static void compute_distances(const Prepared *prepared, const double *slots)
{
    double self;

    if (prepared->row != NULL) {
        row_scale_apply(&prepared->scale, slots, prepared->row);
        slots = prepared->row;
    }
    self = prepared->selfless ? 0 : kernel_self(&prepared->kernel, slots, prepared->dims);
    if (prepared->multipliers != NULL) {
        compute_expansions(prepared, slots);
        return;
    }
    memset(prepared->distances, 0, prepared->k * sizeof(double));
    for (uint32_t first = 0; first < prepared->n; first += ROWS_AT_ONCE) {
        uint32_t count = prepared->n - first < ROWS_AT_ONCE ? prepared->n - first : ROWS_AT_ONCE;

        compute_values(prepared, slots, first, count);
        for (uint32_t i = 0; i < count; i++) {
            double value = prepared->values[i], weight = row_weight(prepared->weights, first + i);

            if (prepared->average)
                value = sqrt(fmax(self - 2 * value + prepared->self[first + i], 0));
            prepared->distances[prepared->clusters[first + i]] += weight * value;
        }
    }
    for (uint32_t c = 0; c < prepared->k; c++) {
        double mean = prepared->distances[c] / prepared->sizes[c];

        if (!(prepared->sizes[c] > 0))
            prepared->distances[c] = INFINITY;
        else
            prepared->distances[c] = prepared->average    ? mean
                                     : prepared->selfless ? prepared->offsets[c] - 2 * mean
                                                          : fmax(self - 2 * mean + prepared->offsets[c], 0);
    }
}

/* Returns the cluster with the least distance; CLASS_NONE if none is finite. */
static uint32_t nearest_cluster(const Prepared *prepared)
{
    uint32_t best = CLASS_NONE;
    double least = INFINITY;

    for (uint32_t c = 0; c < prepared->k; c++)
        if (prepared->distances[c] < least) {
            least = prepared->distances[c];
            best = c;
        }
    return best;
}

static uint32_t kernel_kmeans_cluster(const Model *model, const void *prepared, const double *slots)
{
    compute_distances(prepared, slots);
    return nearest_cluster(prepared);
}

static double distance_of(const Prepared *prepared, uint32_t c)
{
    double distance = prepared->distances[c];

    if (!isfinite(distance) || prepared->selfless)
        return NAN;
    return prepared->average ? distance : sqrt(distance);
}

static double kernel_kmeans_distance(const Model *model, const void *prepared, const double *slots)
{
    uint32_t cluster;

    compute_distances(prepared, slots);
    cluster = nearest_cluster(prepared);
    return cluster == CLASS_NONE ? NAN : distance_of(prepared, cluster);
}

static void kernel_kmeans_distances(const Model *model, const void *prepared, const double *slots, double *out)
{
    const Prepared *at = prepared;

    compute_distances(at, slots);
    for (uint32_t c = 0; c < at->k; c++)
        out[c] = distance_of(at, c);
}

static const Scoring kernel_kmeans_scoring = {.partial = true,
                                              .prepare = kernel_kmeans_prepare,
                                              .cluster = kernel_kmeans_cluster,
                                              .distance = kernel_kmeans_distance,
                                              .distances = kernel_kmeans_distances,
                                              .width = cluster_count};

const Estimator estimator_kernel_kmeans = {
    .name = "kernel_kmeans",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .numeric = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, option_seed, option_n_init, option_k, option_standardize, options_number_kernel, options_kernel, options_approximation,
                             kernel_kmeans_options),
    .positional = positional_k,
    .help = "k-means in the feature space of a kernel, for clusters of any shape; new rows can be assigned.",
    .source = "Dhillon, Guan & Kulis (2004), KDD",
    .fit = kernel_kmeans_fit,
    .arrays = kernel_kmeans_array_tables,
    .check = kernel_kmeans_check,
    .scoring = &kernel_kmeans_scoring,
};
