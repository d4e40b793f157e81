/*
 * kmeans_lloyd.c - Lloyd's iterations over rows in memory or in the temporary file, and mini-batches.
 *
 * The new centroids are summed as differences from the old ones, in passes that several processes may share (kmeans_pass.h).
 */
#include "core/kmeans/kmeans.h"
#include "core/kmeans/kmeans_pass.h"
#include "core/base/sort.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

#define POLL_CELLS 4000000u /* numbers of rows times centroids between two polls */
#define EXPECTED_PASSES 20u /* after one: to tell whether other processes pay */

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

size_t kmeans_bytes(uint32_t k, uint32_t dims)
{
    size_t bytes = centroid_lanes_bytes(k, dims);

    return __builtin_mul_overflow(bytes, (size_t)6, &bytes) ? SIZE_MAX : bytes;
}

Kmeans *kmeans_open(Env *env, Rows *rows, uint32_t k, const KmeansPlan *plan)
{
    Kmeans *kmeans = env_array(env, 1, sizeof(Kmeans));
    uint32_t dims = rows_slots(rows);

    env_require_memory(env, kmeans_bytes(k, dims), "kmeans");
    *kmeans = (Kmeans){.env = env,
                       .rows = rows,
                       .n = rows_count(rows),
                       .k = k,
                       .dims = dims,
                       .max_iter = plan->max_iter,
                       .tolerance = plan->tolerance,
                       .keep_history = plan->keep_history};
    kmeans->reader = rows_reader(env, rows);
    kmeans->centroids = env_array(env, k, dims * sizeof(double));
    kmeans->sums = env_array(env, k, dims * sizeof(double));
    kmeans->weights = env_array(env, k, sizeof(double));
    kmeans->within = env_array(env, k, sizeof(double));
    kmeans->next = env_array(env, k, dims * sizeof(double));
    kmeans->seen = env_array(env, k, sizeof(double));
    kmeans->lanes = centroid_lanes_new(env, k, dims);
    kmeans->pass = kmeans_pass_new(env, rows, kmeans->reader, kmeans->lanes);
    compute_variance(kmeans);
    if (kmeans->keep_history)
        kmeans->history = env_array(env, kmeans->max_iter + 1, sizeof(double));
    return kmeans;
}

void kmeans_close(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    void *blocks[] = {kmeans->centroids, kmeans->sums, kmeans->weights, kmeans->within, kmeans->next, kmeans->seen, kmeans->history};

    kmeans_pass_free(kmeans->pass);
    rows_reader_free(kmeans->reader);
    centroid_lanes_free(env, kmeans->lanes);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
    env->release(env, kmeans);
}

/* ---- a pass ---- */

static void sum_within(Kmeans *kmeans)
{
    kmeans->inertia = 0;
    for (uint32_t c = 0; c < kmeans->k; c++)
        kmeans->inertia += kmeans->within[c];
    if (!isfinite(kmeans->inertia))
        env_fail(kmeans->env, ERROR_RANGE, "Divide the features by a power of ten.",
                 "squared distances between rows and centroids are out of range");
}

/* Assigns all rows and sets weights, sums, within and inertia. Returns a checksum of the assignment. */
static uint64_t run_pass(Kmeans *kmeans, Team *team)
{
    PassSums sums = {.weights = kmeans->weights, .within = kmeans->within, .sums = kmeans->sums};

    kmeans_pass_run(kmeans->pass, team, kmeans->centroids, &sums);
    kmeans->evaluations += kmeans->n * kmeans->k;
    sum_within(kmeans);
    return sums.checksum;
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
            env_poll_after(kmeans->env, &kmeans->cells, (uint64_t)kmeans->k * dims, POLL_CELLS);
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
    env_copy(kmeans->env, kmeans->centroids, next, (size_t)kmeans->k * kmeans->dims * sizeof(double));
    return sum;
}

/* Returns the sum of squares about the mean of all rows, from the sums of the last pass. */
static double total_scatter(const Kmeans *kmeans)
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
    kmeans->env->poll(kmeans->env);
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

/* Does a pass and moves the centroids: a TeamWork.step. */
static bool do_iteration(void *owner, Team *team, uint32_t step)
{
    Kmeans *kmeans = owner;
    Env *env = kmeans->env;
    bool reseeded, last = kmeans->converged || kmeans->iterations == kmeans->max_iter;
    uint64_t checksum = run_pass(kmeans, team);
    double moved;

    (void)step;
    if (kmeans->keep_history)
        kmeans->history[kmeans->iterations] = kmeans->inertia;
    if (last) {
        kmeans->recounted = true; /* sizes and scatter are those of the final centroids */
        return false;
    }
    kmeans->iterations++;
    env->progress(env, "kmeans", (uint64_t)kmeans->iterations, (uint64_t)kmeans->max_iter, kmeans->inertia);
    set_means(kmeans);
    env->poll(env);
    reseeded = reseed(kmeans);
    if (!reseeded && kmeans->iterations > 1 && checksum == kmeans->assignment) {
        kmeans->converged = true; /* the centroids are the means of this assignment */
        return false;
    }
    kmeans->assignment = checksum;
    moved = move_centroids(kmeans);
    if (!reseeded && kmeans->tolerance > 0 && moved <= kmeans->tolerance * kmeans->variance)
        kmeans->converged = true;
    return true;
}

static void finish(void *owner)
{
    Kmeans *kmeans = owner;

    kmeans->total = total_scatter(kmeans);
}

void kmeans_run(Kmeans *kmeans)
{
    TeamWork work = {.kind = &kmeans_pass_kind,
                     .data = kmeans->pass,
                     .end = kmeans->max_iter < UINT32_MAX ? (uint32_t)kmeans->max_iter + 1 : UINT32_MAX,
                     .expected = EXPECTED_PASSES,
                     .pays = kmeans->pass->blocks > 1,
                     .process_room = centroid_lanes_bytes(kmeans->k, kmeans->dims),
                     .spare = rows_spare(kmeans->rows),
                     .step = do_iteration,
                     .finish = finish,
                     .owner = kmeans};

    kmeans->inertia = NAN;
    kmeans->converged = kmeans->recounted = false;
    kmeans->iterations = 0;
    team_work(kmeans->env, &work);
}

/*
 * ---- mini-batches ----
 *
 * Batches are taken in the order of a hash of the rows' content, so they do not depend on the order of arrival. One pass over the
 * rows collects as many batches as fit into memory.
 */

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
    Drawn *drawn;   /* [filled] rows in memory, and their slots */
    double *slots;
    uint64_t filled, room;
} Batches;

/* Returns the batch of a hash: each batch is a range of hashes. */
static uint64_t batch_of(const Batches *batches, uint64_t hash)
{
    return (uint64_t)((unsigned __int128)hash * batches->count >> 64);
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
    sort_polled(kmeans->env, batches->drawn, batches->filled, sizeof(Drawn), compare_keys);
}

/* Moves each centroid toward the mean of its rows in the batch, by their share of all its rows so far. */
static void batch_step(Batches *batches, uint64_t first, uint64_t last)
{
    Kmeans *kmeans = batches->kmeans;
    uint32_t dims = kmeans->dims;

    centroid_lanes_set(kmeans->lanes, kmeans->centroids);
    memset(kmeans->weights, 0, kmeans->k * sizeof(double));
    env_zero(kmeans->env, kmeans->sums, (size_t)kmeans->k * dims * sizeof(double));
    for (uint64_t i = first; i < last; i++) {
        const Drawn *drawn = &batches->drawn[i];
        const double *row = batches->slots + drawn->place * dims;
        double square;
        uint32_t c = centroid_nearest(kmeans->lanes, row, &square);

        kmeans->weights[c] += drawn->weight;
        for (uint32_t j = 0; j < dims; j++)
            kmeans->sums[(size_t)c * dims + j] += drawn->weight * (row[j] - kmeans->centroids[(size_t)c * dims + j]);
        env_poll_after(kmeans->env, &kmeans->cells, (uint64_t)kmeans->k * dims, POLL_CELLS);
    }
    kmeans->evaluations += (last - first) * kmeans->k;
    for (uint32_t c = 0; c < kmeans->k; c++) {
        if (kmeans->weights[c] == 0)
            continue;
        kmeans->seen[c] += kmeans->weights[c];
        for (uint32_t j = 0; j < dims; j++)
            kmeans->centroids[(size_t)c * dims + j] += kmeans->sums[(size_t)c * dims + j] / kmeans->seen[c];
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
    Batches batches = {.kmeans = kmeans, .count = kmeans->n / size + (kmeans->n % size != 0)};
    uint64_t at_once = env->memory_limit / 4 / row_bytes / size, epochs = (LEAST_STEPS - 1) / batches.count + 1;

    memset(kmeans->seen, 0, kmeans->k * sizeof(double));
    kmeans->iterations = 0;
    for (uint64_t e = 0; e < epochs && e < (uint64_t)kmeans->max_iter; e++) {
        batches.seed = seed * SEED_STEP + e + 1;
        epoch(&batches, at_once > 0 ? at_once : 1);
    }
    if (batches.drawn != NULL) {
        env->release(env, batches.drawn);
        env->release(env, batches.slots);
    }
    run_pass(kmeans, NULL);
    if (kmeans->keep_history)
        kmeans->history[0] = kmeans->inertia;
    kmeans->recounted = kmeans->converged = true; /* every row was used as often as asked for */
    kmeans->total = total_scatter(kmeans);
}
