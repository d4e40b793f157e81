/*
 * kernel_kmeans_mapped.c - Lloyd's iterations on mapped rows (Chitta, Jin, Havens & Jain 2011, with landmarks). Starts are chosen by
 * kernel values themselves, which takes no map.
 */
#include "core/kmeans/kernel_kmeans_mapped.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Returns a row of the design as a point of the kernel, valid until the next call. */
static const double *point_of(const MappedPartition *partition, const double *row)
{
    const FeatureMap *map = partition->map;

    if (map->texts == NULL)
        return row;
    memcpy(partition->point, row, map->terms * sizeof(double));
    feature_map_points(map, partition->point, 1);
    return partition->point;
}

MappedPartition *mapped_partition(FeatureMap *map, uint32_t k)
{
    Env *env = map->env;
    MappedPartition *partition = env_array(env, 1, sizeof(MappedPartition));
    uint32_t features = map->features;
    uint64_t n = map->sample->count;
    size_t bytes = n * (sizeof(uint32_t) + sizeof(double)) + (size_t)k * (2 * features + 2 * MAP_TILE) * sizeof(double);

    env_require_memory(env, bytes, "kernel_kmeans");
    *partition = (MappedPartition){.env = env, .map = map, .n = n, .k = k};
    partition->clusters = env_array(env, n, sizeof(uint32_t));
    partition->row_squares = env_array(env, n, sizeof(double));
    partition->means = env_array(env, k, features * sizeof(double));
    partition->sums = env_array(env, k, features * sizeof(double));
    partition->products = env_array(env, k, MAP_TILE * sizeof(double));
    partition->sizes = env_array(env, k, sizeof(double));
    partition->squares = env_array(env, k, sizeof(double));
    partition->point = env_array(env, map->terms, sizeof(double));
    partition->rows = mapped_rows(map, mapped_room(map, bytes));
    partition->self = feature_map_self(map->sample, true);
    return partition;
}

/* ---- starts ---- */

static void __attribute__((noreturn)) fail_range(Env *env)
{
    env_fail(env, ERROR_RANGE, "Divide the features by a power of ten, or use another kernel.",
             "values of the kernel are out of range");
}

/* Returns a number in (0, 1] that depends on the seed and the content of a row. */
static double row_random(uint64_t seed, const double *row, uint32_t terms)
{
    return ((double)(rows_hash(seed, row, terms) >> 11) + 1) * 0x1p-53;
}

/*
 * Draws a row with a probability proportional to weight times square, and copies it: the row with the least of exponential waiting
 * times. Returns false if all squares are 0.
 */
static bool choose_row(MappedPartition *partition, DesignReader *reader, uint64_t seed, double *chosen)
{
    uint32_t terms = partition->map->terms;
    double least = INFINITY;
    DesignBlock block;

    design_rewind(reader);
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = point_of(partition, block.x + (size_t)i * terms);
            double mass = row_weight(block.weights, i) * partition->row_squares[block.first + i], time;

            if (!(mass > 0))
                continue;
            time = -log(row_random(seed, row, terms)) / mass;
            if (time < least) {
                least = time;
                memcpy(chosen, row, terms * sizeof(double));
            }
        }
    return least < INFINITY;
}

/* Moves rows that are nearer to the chosen row than to those before it into cluster c. */
static void join_chosen(MappedPartition *partition, DesignReader *reader, const double *chosen, uint32_t c)
{
    const Kernel *kernel = &partition->map->kernel;
    uint32_t terms = partition->map->terms;
    double self = kernel_self(kernel, chosen, terms);
    DesignBlock block;

    design_rewind(reader);
    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *row = point_of(partition, block.x + (size_t)i * terms);
            double own = kernel_self(kernel, row, terms), square = own - 2 * kernel_value(kernel, row, chosen, terms) + self;

            if (!isfinite(square))
                fail_range(partition->env);
            if (!(square > 8 * DBL_EPSILON * (fabs(own) + fabs(self))))
                square = 0; /* may be nothing but rounding */
            if (c == 0 || square < partition->row_squares[block.first + i]) {
                partition->row_squares[block.first + i] = square;
                partition->clusters[block.first + i] = c;
            }
        }
    partition->evaluations += 2 * (int64_t)partition->n;
}

void mapped_partition_plus_plus(MappedPartition *partition, uint64_t seed)
{
    DesignReader *reader = design_reader(partition->map->sample->design);
    double *chosen = env_array(partition->env, partition->map->terms, sizeof(double));

    for (uint64_t i = 0; i < partition->n; i++)
        partition->row_squares[i] = 1;
    for (uint32_t c = 0; c < partition->k; c++) {
        if (!choose_row(partition, reader, seed + 1 + c, chosen))
            break;
        join_chosen(partition, reader, chosen, c);
        partition->env->progress(partition->env, "choosing clusters", c + 1, partition->k, NAN);
    }
    design_reader_free(reader);
}

void mapped_partition_random(MappedPartition *partition, uint64_t seed)
{
    DesignReader *reader = design_reader(partition->map->sample->design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            partition->clusters[block.first + i] =
                (uint32_t)(rows_hash(seed + 1, point_of(partition, block.x + (size_t)i * partition->map->terms), partition->map->terms) %
                           partition->k);
    design_reader_free(reader);
}

/* ---- iterations ---- */

/* Adds the rows of a tile to the sums of their clusters. */
static void add_tile(MappedPartition *partition, const DesignTile *tile)
{
    const uint32_t *clusters = partition->clusters + tile->first;
    uint32_t k = partition->k;

    for (uint32_t i = 0; i < tile->count; i++)
        partition->sizes[clusters[i]] += tile->weights[i];
    for (uint32_t j = 0; j < partition->map->features; j++) {
        const double *x = tile->x + (size_t)j * MAP_TILE;
        double *sums = partition->sums + (size_t)j * k;

        for (uint32_t i = 0; i < tile->count; i++)
            sums[clusters[i]] += tile->weights[i] * x[i];
    }
}

/* Turns the sums into means; clusters without rows are infinitely far. */
static void set_means(MappedPartition *partition)
{
    uint32_t k = partition->k, features = partition->map->features;

    for (uint32_t c = 0; c < k; c++) {
        double *mean = partition->means + (size_t)c * features, square = 0;

        for (uint32_t j = 0; j < features; j++) {
            mean[j] = partition->sizes[c] > 0 ? partition->sums[(size_t)j * k + c] / partition->sizes[c] : 0;
            square += mean[j] * mean[j];
        }
        partition->squares[c] = partition->sizes[c] > 0 ? square : INFINITY;
    }
}

static void clear_sums(MappedPartition *partition)
{
    memset(partition->sums, 0, (size_t)partition->k * partition->map->features * sizeof(double));
    memset(partition->sizes, 0, partition->k * sizeof(double));
}

/* Returns |z|^2 of row i of a tile. */
static double square_of(const MappedPartition *partition, const DesignTile *tile, uint32_t i)
{
    double square = 0;

    for (uint32_t j = 0; j < partition->map->features; j++)
        square += tile->x[(size_t)j * MAP_TILE + i] * tile->x[(size_t)j * MAP_TILE + i];
    return square;
}

/* Notes the row if it is farther from its mean than the farthest so far. */
static void note_farthest(MappedPartition *partition, const DesignTile *tile, uint32_t i, double square)
{
    if (!(square > partition->farthest_square))
        return;
    partition->farthest_square = square;
    partition->farthest_row = tile->first + i;
}

/* Assigns the rows of a tile to the nearest means, the first of equal ones. Returns whether any row changed its cluster. */
static bool assign_tile(MappedPartition *partition, const DesignTile *tile, bool farthest)
{
    bool changed = false;

    mapped_products(partition->rows, tile, partition->means, partition->k, partition->products);
    for (uint32_t i = 0; i < tile->count; i++) {
        uint32_t best = 0, *own = &partition->clusters[tile->first + i];
        double least = INFINITY;

        for (uint32_t c = 0; c < partition->k; c++) {
            double distance = partition->squares[c] - 2 * partition->products[(size_t)c * MAP_TILE + i];

            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        changed |= best != *own;
        *own = best;
        if (farthest)
            note_farthest(partition, tile, i, least + square_of(partition, tile, i));
    }
    return changed;
}

/* Counts the clusters without rows. */
static uint32_t count_empty(const MappedPartition *partition)
{
    uint32_t empty = 0;

    for (uint32_t c = 0; c < partition->k; c++)
        empty += !(partition->sizes[c] > 0);
    return empty;
}

/* One pass: assigns rows to the means, unless `only_sum`, and sums the clusters anew. Returns whether any row changed its cluster. */
static bool pass(MappedPartition *partition, bool only_sum)
{
    bool changed = false, farthest = partition->empty > 0;
    DesignTile tile;

    partition->farthest_square = 0;
    partition->farthest_row = UINT64_MAX;
    clear_sums(partition);
    mapped_rewind(partition->rows);
    while (mapped_next(partition->rows, &tile)) {
        if (!only_sum)
            changed |= assign_tile(partition, &tile, farthest);
        add_tile(partition, &tile);
    }
    partition->empty = count_empty(partition);
    return changed;
}

/* Moves the farthest row of the last pass into the first cluster without rows. Returns false if there is none to move. */
static bool refill(MappedPartition *partition)
{
    uint64_t row = partition->farthest_row;
    uint32_t k = partition->k, from, to = 0;

    if (row == UINT64_MAX || partition->farthest_square <= 1e-9)
        return false;
    while (to < k && partition->sizes[to] > 0)
        to++;
    from = partition->clusters[row];
    if (to == k || from == to)
        return false;
    partition->clusters[row] = to;
    return true;
}

void mapped_partition_run(MappedPartition *partition, int64_t max_iter)
{
    Env *env = partition->env;

    partition->converged = false;
    partition->iterations = 0;
    pass(partition, true);
    while (partition->iterations < max_iter) {
        bool changed;

        set_means(partition);
        changed = pass(partition, false);
        partition->iterations++;
        env->progress(env, "kernel_kmeans", (uint64_t)partition->iterations, (uint64_t)max_iter, NAN);
        if (partition->empty > 0 && refill(partition)) {
            changed = true;
            pass(partition, true);
        }
        if (!changed) {
            partition->converged = true;
            break;
        }
    }
    set_means(partition);
    partition->inertia = 0;
    for (uint32_t c = 0; c < partition->k; c++)
        if (partition->sizes[c] > 0)
            partition->inertia += partition->sizes[c] * (partition->self - partition->squares[c]);
    partition->inertia = fmax(partition->inertia, 0);
}
