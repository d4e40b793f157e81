/*
 * kmeans_batches.c - k-means by mini-batches.
 *
 * Batches are taken in the order of a hash of the rows' content, so they do not depend on the order of arrival. One pass over the
 * rows collects as many batches as fit into memory.
 */
#include "core/kmeans/kmeans.h"
#include "core/base/sort.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

#define LEAST_STEPS 100 /* if there are fewer batches, all of them are run again until there were as many steps */

/* A row of the batches in memory. */
typedef struct Drawn {
    uint64_t hash;
    double weight;
    uint64_t place; /* of its slots in the buffer */
} Drawn;

typedef struct Batches {
    Kmeans *kmeans;
    uint64_t count; /* batches */
    uint64_t seed;
    double *seen;   /* [k] weight of the rows that each centroid has had so far */
    Drawn *drawn;   /* [filled] rows in memory, and their slots */
    double *slots;
    uint64_t filled, room;
} Batches;

/* Returns the batch of a hash: each batch is a range of hashes. */
static uint64_t batch_of(const Batches *batches, uint64_t hash)
{
    return (uint64_t)((unsigned __int128)hash * batches->count >> 64);
}

static int compare_drawn(const void *left, const void *right)
{
    const Drawn *a = left, *b = right;

    return (a->hash > b->hash) - (a->hash < b->hash);
}

static void buffer_add(Batches *batches, Drawn drawn, const double *row)
{
    Env *env = batches->kmeans->env;
    uint32_t dims = batches->kmeans->dims;

    if (batches->filled == batches->room) {
        batches->room = batches->room == 0 ? 1024 : batches->room * 2;
        env_require_memory(env, batches->room * (sizeof(Drawn) + dims * sizeof(double)), "a batch of kmeans");
        batches->drawn = env->resize(env, batches->drawn, batches->room * sizeof(Drawn));
        batches->slots = env->resize(env, batches->slots, batches->room * dims * sizeof(double));
    }
    drawn.place = batches->filled;
    memcpy(batches->slots + batches->filled * dims, row, dims * sizeof(double));
    batches->drawn[batches->filled++] = drawn;
}

/* Collects the rows of batches [from, to), sorted by hash. */
static void collect(Batches *batches, uint64_t from, uint64_t to)
{
    Kmeans *kmeans = batches->kmeans;
    RowsBlock block;

    batches->filled = 0;
    rows_rewind(kmeans->reader);
    while (rows_next_block(kmeans->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * kmeans->dims;
            uint64_t hash = rows_hash(batches->seed, row, kmeans->dims), batch = batch_of(batches, hash);

            if (batch >= from && batch < to)
                buffer_add(batches, (Drawn){.hash = hash, .weight = row_weight(block.weights, i)}, row);
        }
    sort_polled(kmeans->env, batches->drawn, batches->filled, sizeof(Drawn), compare_drawn);
}

/* Moves each centroid toward the mean of its rows in the batch, by their share of all its rows so far. */
static void batch_step(Batches *batches, uint64_t first, uint64_t last)
{
    Kmeans *kmeans = batches->kmeans;
    uint32_t dims = kmeans->dims;

    centroid_lanes_set(kmeans->lanes, kmeans->centroids);
    memset(kmeans->weights, 0, kmeans->k * sizeof(double));
    memset(kmeans->sums, 0, (size_t)kmeans->k * dims * sizeof(double));
    for (uint64_t i = first; i < last; i++) {
        const Drawn *drawn = &batches->drawn[i];
        const double *row = batches->slots + drawn->place * dims;
        double square;
        uint32_t c = centroid_nearest(kmeans->lanes, row, &square);

        kmeans->weights[c] += drawn->weight;
        for (uint32_t j = 0; j < dims; j++)
            kmeans->sums[(size_t)c * dims + j] += drawn->weight * (row[j] - kmeans->centroids[(size_t)c * dims + j]);
        kmeans_poll(kmeans, (uint64_t)kmeans->k * dims);
    }
    kmeans->evaluations += (last - first) * kmeans->k;
    for (uint32_t c = 0; c < kmeans->k; c++) {
        if (kmeans->weights[c] == 0)
            continue;
        batches->seen[c] += kmeans->weights[c];
        for (uint32_t j = 0; j < dims; j++)
            kmeans->centroids[(size_t)c * dims + j] += kmeans->sums[(size_t)c * dims + j] / batches->seen[c];
    }
}

/* Runs all batches once. at_once: batches in memory. */
static void epoch(Batches *batches, uint64_t at_once)
{
    Kmeans *kmeans = batches->kmeans;
    Env *env = kmeans->env;

    for (uint64_t from = 0; from < batches->count; from += at_once) {
        uint64_t to = batches->count - from < at_once ? batches->count : from + at_once, first = 0;

        collect(batches, from, to);
        while (first < batches->filled) {
            uint64_t batch = batch_of(batches, batches->drawn[first].hash), last = first;

            while (last < batches->filled && batch_of(batches, batches->drawn[last].hash) == batch)
                last++;
            batch_step(batches, first, last);
            kmeans->iterations++;
            env->progress(env, "kmeans", batch, batches->count, NAN);
            first = last;
        }
    }
}

void kmeans_run_batches(Kmeans *kmeans, uint64_t size, uint64_t seed)
{
    Env *env = kmeans->env;
    size_t row_bytes = sizeof(Drawn) + kmeans->dims * sizeof(double);
    Batches batches = {.kmeans = kmeans, .count = kmeans->n / size + (kmeans->n % size != 0), .seen = kmeans->seen};
    uint64_t at_once = env->memory_limit / 4 / row_bytes / size, epochs = (LEAST_STEPS - 1) / batches.count + 1;

    memset(batches.seen, 0, kmeans->k * sizeof(double));
    kmeans->iterations = 0;
    for (uint64_t e = 0; e < epochs && e < (uint64_t)kmeans->max_iter; e++) {
        batches.seed = seed * SEED_STEP + e + 1;
        epoch(&batches, at_once > 0 ? at_once : 1);
    }
    if (batches.drawn != NULL) {
        env->release(env, batches.drawn);
        env->release(env, batches.slots);
    }
    centroid_lanes_set(kmeans->lanes, kmeans->centroids);
    kmeans_pass(kmeans);
    if (kmeans->keep_history)
        kmeans->history[0] = kmeans->inertia;
    kmeans->recounted = kmeans->converged = true; /* every row was used as often as asked for */
    kmeans->total = kmeans_total_scatter(kmeans);
}
