/*
 * kmeans_lloyd.c - Lloyd's iterations over rows in memory or in the temporary file.
 *
 * The new centroids are summed row by row in the same order, as differences from the old ones. So the result has the same bits in
 * memory or not.
 */
#include "core/kmeans/kmeans.h"

#include <math.h>
#include <string.h>

/* ---- opening ---- */

/* Sets kmeans->variance, the mean variance of a feature (divisor: the weight). Fails with ERROR_RANGE if it is out of range. */
static void compute_variance(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    double *mean = kmeans->next, weight = 0, scatter = 0;
    RowsBlock block;

    memset(mean, 0, kmeans->dims * sizeof(double));
    rows_rewind(kmeans->reader);
    while (rows_next_block(kmeans->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = block.slots + (size_t)i * kmeans->dims;
            double here = row_weight(block.weights, i), step, moved = 0;

            weight += here;
            step = here / weight;
            for (uint32_t j = 0; j < kmeans->dims; j++) {
                double difference = row[j] - mean[j];

                mean[j] += step * difference;
                moved += difference * (row[j] - mean[j]);
            }
            scatter += here * moved;
        }
    if (!isfinite(scatter))
        env_fail(env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows are out of range");
    if (scatter > 0 && scatter / weight < 1e-280)
        env_fail(env, ERROR_RANGE, "Multiply the features by a power of ten.",
                 "the features vary too little: their variance is %g", scatter / weight);
    kmeans->variance = scatter / weight / kmeans->dims;
}

static void require_memory(Env *env, uint32_t k, uint32_t dims)
{
    size_t bytes = centroid_lanes_bytes(k, dims);

    if (__builtin_mul_overflow(bytes, (size_t)6, &bytes))
        bytes = SIZE_MAX;
    env_require_memory(env, bytes, "kmeans");
}

Kmeans *kmeans_open(Env *env, Rows *rows, uint32_t k, const Options *options)
{
    Kmeans *kmeans = env_array(env, 1, sizeof(Kmeans));
    uint32_t dims = rows_slots(rows);

    require_memory(env, k, dims);
    *kmeans = (Kmeans){.env = env,
                       .rows = rows,
                       .n = rows_count(rows),
                       .k = k,
                       .dims = dims,
                       .max_iter = options_integer(options, "max_iter"),
                       .tolerance = options_number(options, "tolerance"),
                       .keep_history = options_boolean(options, "history")};
    kmeans->reader = rows_reader(env, rows);
    kmeans->centroids = env_array(env, k, dims * sizeof(double));
    kmeans->sums = env_array(env, k, dims * sizeof(double));
    kmeans->weights = env_array(env, k, sizeof(double));
    kmeans->within = env_array(env, k, sizeof(double));
    kmeans->next = env_array(env, k, dims * sizeof(double));
    kmeans->seen = env_array(env, k, sizeof(double));
    kmeans->lanes = centroid_lanes_new(env, k, dims);
    compute_variance(kmeans);
    if (kmeans->keep_history)
        kmeans->history = env_array(env, kmeans->max_iter + 1, sizeof(double));
    return kmeans;
}

void kmeans_close(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    void *blocks[] = {kmeans->centroids, kmeans->sums,    kmeans->weights,       kmeans->within,       kmeans->next,
                      kmeans->seen,      kmeans->history, kmeans->block_nearest, kmeans->block_squares};

    rows_reader_free(kmeans->reader);
    centroid_lanes_free(env, kmeans->lanes);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
    env->release(env, kmeans);
}

/* ---- a pass ---- */

/* Assigns the rows of a block; sets block_nearest and block_squares. */
static void assign_block(Kmeans *kmeans, const RowsBlock *block)
{
    Env *env = kmeans->env;
    uint64_t cells = (uint64_t)kmeans->k * kmeans->dims;
    uint32_t step = cells >= KMEANS_POLL_CELLS ? 1 : (uint32_t)(KMEANS_POLL_CELLS / cells);

    for (uint32_t i = 0; i < block->count; i += step) {
        uint32_t count = block->count - i < step ? block->count - i : step;

        centroid_nearest_rows(kmeans->lanes, block->slots + (size_t)i * kmeans->dims, count,
                              kmeans->block_nearest + i, kmeans->block_squares + i);
        env->poll(env);
    }
    kmeans->evaluations += (uint64_t)block->count * kmeans->k;
}

static void block_reserve(Kmeans *kmeans, uint32_t count)
{
    Env *env = kmeans->env;

    if (count <= kmeans->block_room)
        return;
    kmeans->block_nearest = env->resize(env, kmeans->block_nearest, count * sizeof(uint32_t));
    kmeans->block_squares = env->resize(env, kmeans->block_squares, count * sizeof(double));
    kmeans->block_room = count;
}

static void sum_within(Kmeans *kmeans)
{
    kmeans->inertia = 0;
    for (uint32_t c = 0; c < kmeans->k; c++)
        kmeans->inertia += kmeans->within[c];
    if (!isfinite(kmeans->inertia))
        env_fail(kmeans->env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows and centroids are out of range");
}

uint64_t kmeans_pass(Kmeans *kmeans)
{
    uint64_t checksum = 0;
    RowsBlock block;

    memset(kmeans->weights, 0, kmeans->k * sizeof(double));
    memset(kmeans->within, 0, kmeans->k * sizeof(double));
    memset(kmeans->sums, 0, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    rows_rewind(kmeans->reader);
    while (rows_next_block(kmeans->reader, &block)) {
        const uint32_t *clusters;

        block_reserve(kmeans, block.count);
        assign_block(kmeans, &block);
        clusters = kmeans->block_nearest;
        centroid_add_rows(block.slots, block.count, kmeans->dims, clusters, block.weights, kmeans->centroids,
                          kmeans->sums, kmeans->weights);
        for (uint32_t i = 0; i < block.count; i++) {
            checksum = checksum * 0x9e3779b97f4a7c15u + clusters[i] + 1;
            kmeans->within[clusters[i]] += row_weight(block.weights, i) * kmeans->block_squares[i];
        }
    }
    sum_within(kmeans);
    return checksum;
}

/* ---- clusters without rows ---- */

/* A row far from its centroid. */
typedef struct Farthest {
    double square, weight;
    uint64_t hash;
    uint32_t cluster;
    double *row;
} Farthest;

/* Tells whether a row is farther than a, or as far with a smaller hash, so that the order of the rows does not matter. */
static bool farther(const Farthest *a, double square, uint64_t hash)
{
    return square > a->square || (square == a->square && hash < a->hash);
}

/* Inserts a row into the list of the farthest rows, at most room; ignores it if an equal row is in the list. */
static void farthest_insert(Farthest *list, uint32_t *count, uint32_t room, Farthest found, uint32_t dims)
{
    uint32_t place = *count;
    double *row;

    for (uint32_t i = 0; i < *count; i++)
        if (list[i].hash == found.hash)
            return;
    if (*count < room)
        ++*count;
    else
        place = room - 1;
    row = list[place].row;
    memcpy(row, found.row, dims * sizeof(double));
    while (place > 0 && farther(&list[place - 1], found.square, found.hash)) {
        list[place] = list[place - 1];
        place--;
    }
    found.row = row;
    list[place] = found;
}

/* Finds the distinct rows farthest from their centroids. Returns how many there are, at most room. */
static uint32_t find_farthest(Kmeans *kmeans, Farthest *list, uint32_t room)
{
    uint32_t count = 0, dims = kmeans->dims;
    RowsBlock block;

    rows_rewind(kmeans->reader);
    while (rows_next_block(kmeans->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double *row = (double *)block.slots + (size_t)i * dims, square;
            uint32_t cluster;
            uint64_t hash;

            cluster = centroid_nearest(kmeans->lanes, row, &square);
            if (square == 0 || (count == room && square < list[room - 1].square))
                continue;
            hash = rows_hash(0, row, dims);
            if (count < room || farther(&list[room - 1], square, hash))
                farthest_insert(list, &count, room,
                                (Farthest){square, row_weight(block.weights, i), hash, cluster, row}, dims);
        }
    kmeans->evaluations += kmeans->n;
    return count;
}

/*
 * Moves each centroid without rows, in kmeans->next, to one of the rows farthest from their centroids. Returns whether any moved.
 */
static bool reseed(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    uint32_t dims = kmeans->dims, empty = 0, found;
    Farthest *list;
    double *room;

    for (uint32_t c = 0; c < kmeans->k; c++)
        empty += kmeans->weights[c] == 0;
    if (empty == 0)
        return false;
    list = env_array(env, empty, sizeof(Farthest));
    room = env_array(env, empty, dims * sizeof(double));
    for (uint32_t i = 0; i < empty; i++)
        list[i].row = room + (size_t)i * dims;
    found = find_farthest(kmeans, list, empty);
    for (uint32_t c = 0, i = 0; c < kmeans->k && i < found; c++) {
        if (kmeans->weights[c] != 0)
            continue;
        memcpy(kmeans->next + (size_t)c * dims, list[i++].row, dims * sizeof(double));
    }
    env->release(env, list);
    env->release(env, room);
    return found > 0;
}

/* ---- iterations ---- */

/* Sets kmeans->next to the means of the clusters; a cluster without rows keeps its centroid. */
static void set_means(const Kmeans *kmeans)
{
    double *next = kmeans->next;

    for (uint32_t c = 0; c < kmeans->k; c++)
        for (uint32_t j = 0; j < kmeans->dims; j++) {
            size_t at = (size_t)c * kmeans->dims + j;

            next[at] = kmeans->centroids[at];
            if (kmeans->weights[c] > 0)
                next[at] += kmeans->sums[at] / kmeans->weights[c];
        }
}

/* Moves the centroids to kmeans->next. Returns the sum of squared moves. */
static double move_centroids(Kmeans *kmeans)
{
    const double *next = kmeans->next;
    double sum = 0;

    for (uint32_t c = 0; c < kmeans->k; c++)
        sum += centroid_square(next + (size_t)c * kmeans->dims, kmeans->centroids + (size_t)c * kmeans->dims, kmeans->dims);
    memcpy(kmeans->centroids, next, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    return sum;
}

double kmeans_total_scatter(const Kmeans *kmeans)
{
    double *mean = kmeans->next, weight = 0, total = 0;

    memset(mean, 0, kmeans->dims * sizeof(double));
    for (uint32_t c = 0; c < kmeans->k; c++)
        weight += kmeans->weights[c];
    for (uint32_t c = 0; c < kmeans->k; c++)
        for (uint32_t j = 0; j < kmeans->dims; j++) {
            size_t at = (size_t)c * kmeans->dims + j;

            mean[j] += (kmeans->weights[c] * kmeans->centroids[at] + kmeans->sums[at]) / weight;
        }
    for (uint32_t c = 0; c < kmeans->k; c++) {
        total += kmeans->within[c];
        for (uint32_t j = 0; j < kmeans->dims; j++) {
            size_t at = (size_t)c * kmeans->dims + j;
            double away = kmeans->centroids[at] - mean[j];

            total += away * (kmeans->weights[c] * away + 2 * kmeans->sums[at]);
        }
    }
    return total;
}

void kmeans_run(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    uint64_t checksum, before = 0;

    kmeans->inertia = NAN;
    kmeans->converged = kmeans->recounted = false;
    for (kmeans->iterations = 0;;) {
        double moved;
        bool reseeded, last = kmeans->converged || kmeans->iterations == kmeans->max_iter;

        centroid_lanes_set(kmeans->lanes, kmeans->centroids);
        checksum = kmeans_pass(kmeans);
        if (kmeans->keep_history)
            kmeans->history[kmeans->iterations] = kmeans->inertia;
        if (last) {
            kmeans->recounted = true; /* sizes and scatter are those of the final centroids */
            break;
        }
        kmeans->iterations++;
        env->progress(env, "kmeans", (uint64_t)kmeans->iterations, (uint64_t)kmeans->max_iter, kmeans->inertia);
        set_means(kmeans);
        reseeded = reseed(kmeans);
        if (!reseeded && kmeans->iterations > 1 && checksum == before) {
            kmeans->converged = true; /* the centroids are the means of this assignment */
            break;
        }
        before = checksum;
        moved = move_centroids(kmeans);
        if (!reseeded && kmeans->tolerance > 0 && moved <= kmeans->tolerance * kmeans->variance)
            kmeans->converged = true;
    }
    kmeans->total = kmeans_total_scatter(kmeans);
}
