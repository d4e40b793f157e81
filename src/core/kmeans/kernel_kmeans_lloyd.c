/*
 * kernel_kmeans_lloyd.c - Lloyd's iterations in the feature space of a kernel (Schoelkopf, Smola & Mueller 1998; Dhillon,
 * Guan & Kulis 2004). Each iteration computes the kernel values anew, block by block, since all of them seldom fit.
 */
#include "core/kmeans/kernel_kmeans.h"
#include "core/rows/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK_ROWS 32
#define BLOCK_COLUMNS 2048

static void __attribute__((noreturn)) fail_range(Env *env)
{
    env_fail(env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
             "values of the kernel are out of range");
}

static void poll_rows(const KernelPartition *partition, uint64_t i)
{
    if (i % 4096 == 0)
        partition->env->poll(partition->env);
}

KernelPartition *kernel_partition_new(Env *env, const Kernel *kernel, const double *rows, const double *weights, uint64_t n,
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

void kernel_partition_plus_plus(KernelPartition *partition, uint64_t seed)
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

            if (c == 0 || square < squares[i]) {
                squares[i] = square;
                partition->clusters[i] = c;
            }
        }
        env->poll(env);
    }
}

void kernel_partition_random(KernelPartition *partition, uint64_t seed)
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

/* Assigns each row to the nearest cluster, the first of equal ones. Returns whether any row changed its cluster. */
static bool assign(KernelPartition *partition)
{
    bool changed = false;

    for (uint64_t i = 0; i < partition->n; i++) {
        uint32_t best = 0;
        double least = INFINITY;

        for (uint32_t c = 0; c < partition->k; c++) {
            double distance = distance_to(partition, i, c);

            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        if (i % 64 == 0)
            partition->env->poll(partition->env);
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

void kernel_partition_run(KernelPartition *partition, int64_t max_iter)
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
