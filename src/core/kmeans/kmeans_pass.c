/*
 * kmeans_pass.c - passes over all rows, in blocks that several processes may do.
 */
#include "core/kmeans/kmeans_pass.h"

#include <string.h>

#define BLOCK_ROWS 2048u /* of a block, at least */
#define BLOCKS 128u      /* at most, because each has sums */
#define PIECE_ROWS 256u  /* that are assigned, then added while they are in the cache */
#define POLL_CELLS 4000000u /* numbers of rows times centroids between two polls */
#define CHECK_STEP 0x9e3779b97f4a7c15u

enum { PASS_ASSIGN };

static size_t sums_count(const KmeansPass *pass)
{
    return (size_t)pass->k * (pass->dims + 2);
}

/* Returns sums in a room for them. */
static PassSums sums_in(const KmeansPass *pass, double *room)
{
    return (PassSums){.weights = room, .within = room + pass->k, .sums = room + 2 * (size_t)pass->k};
}

KmeansPass *kmeans_pass_new(Env *env, Rows *rows, RowsReader *reader, CentroidLanes *lanes)
{
    KmeansPass *pass = env_array(env, 1, sizeof(KmeansPass));
    uint64_t n = rows_count(rows), block_rows = n / BLOCKS + 1 > BLOCK_ROWS ? n / BLOCKS + 1 : BLOCK_ROWS;

    *pass = (KmeansPass){.env = env,
                         .rows = rows,
                         .reader = reader,
                         .n = n,
                         .k = lanes->count,
                         .dims = lanes->dims,
                         .block_rows = (uint32_t)block_rows,
                         .blocks = (uint32_t)((n + block_rows - 1) / block_rows),
                         .weighted = (rows_contents(rows) & ROWS_WEIGHT) != 0,
                         .lanes = lanes};
    pass->block = env_array_raw(env, sums_count(pass), sizeof(double));
    return pass;
}

void kmeans_pass_free(KmeansPass *pass)
{
    pass->env->release(pass->env, pass->block);
    pass->env->release(pass->env, pass);
}

/* ---- rows ---- */

/* Returns how many rows are assigned at once. */
static uint32_t piece_rows(const KmeansPass *pass)
{
    uint64_t cells = (uint64_t)pass->k * pass->dims;

    return cells >= POLL_CELLS ? 1 : POLL_CELLS / cells < PIECE_ROWS ? (uint32_t)(POLL_CELLS / cells) : PIECE_ROWS;
}

/* Adds rows, at most a piece, to the sums. weights: or NULL. */
static void add_piece(KmeansPass *pass, const double *centroids, const double *rows, const double *weights, uint32_t count, PassSums *sums)
{
    uint32_t nearest[PIECE_ROWS];
    double squares[PIECE_ROWS];

    centroid_nearest_rows(pass->lanes, centroids, rows, count, nearest, squares);
    centroid_add_rows(rows, count, pass->dims, nearest, weights, centroids, sums->sums, sums->weights);
    for (uint32_t i = 0; i < count; i++) {
        sums->checksum = sums->checksum * CHECK_STEP + nearest[i] + 1;
        sums->within[nearest[i]] += row_weight(weights, i) * squares[i];
    }
    env_poll_after(pass->env, &pass->cells, (uint64_t)count * pass->k * pass->dims, POLL_CELLS);
}

/* Adds the sums of a block. Polls, because 10,000 clusters of 1,000 features have 80 MB. */
static void add_sums(const KmeansPass *pass, const PassSums *block, PassSums *all)
{
    for (uint32_t c = 0; c < pass->k; c++) {
        all->weights[c] += block->weights[c];
        all->within[c] += block->within[c];
    }
    for (size_t i = 0; i < (size_t)pass->k * pass->dims; i++)
        all->sums[i] += block->sums[i];
    all->checksum = all->checksum * CHECK_STEP + block->checksum;
    pass->env->poll(pass->env);
}

/* Does a pass with the rows as they are read. */
static void run_alone(KmeansPass *pass, const double *centroids, PassSums *all)
{
    PassSums sums = sums_in(pass, pass->block);
    uint32_t most = piece_rows(pass);
    RowsBlock block;

    rows_rewind(pass->reader);
    while (rows_next_block(pass->reader, &block))
        for (uint32_t i = 0, count; i < block.count; i += count) {
            uint64_t row = block.first + i, left = pass->block_rows - row % pass->block_rows;

            count = block.count - i < most ? block.count - i : most;
            count = left < count ? (uint32_t)left : count;
            if (left == pass->block_rows) {
                env_zero(pass->env, pass->block, sums_count(pass) * sizeof(double));
                sums.checksum = 0;
            }
            add_piece(pass, centroids, block.slots + (size_t)i * pass->dims, block.weights != NULL ? block.weights + i : NULL, count, &sums);
            if (count == left || row + count == pass->n)
                add_sums(pass, &sums, all);
        }
}

/* ---- several processes ---- */

/* A TeamKind.run. */
static void run_block(void *data, uint32_t process, uint32_t phase, uint32_t number)
{
    KmeansPass *pass = data;
    double *room = pass->sums + number * sums_count(pass);
    PassSums sums = sums_in(pass, room);
    uint64_t first = (uint64_t)number * pass->block_rows, end = pass->n - first < pass->block_rows ? pass->n : first + pass->block_rows;
    uint32_t most = piece_rows(pass);

    (void)process;
    (void)phase;
    if (pass->lanes_of != *pass->number) {
        centroid_lanes_set(pass->lanes, pass->centroids);
        pass->lanes_of = *pass->number;
        pass->env->poll(pass->env);
    }
    env_zero(pass->env, room, sums_count(pass) * sizeof(double));
    for (uint64_t row = first, count; row < end; row += count) {
        count = end - row < most ? end - row : most;
        add_piece(pass, pass->centroids, pass->matrix + row * pass->dims, pass->weighted ? pass->row_weights + row : NULL, (uint32_t)count, &sums);
    }
    pass->checksums[number] = sums.checksum;
    pass->env->poll(pass->env);
}

static void pack(Pack *pack, void *data)
{
    KmeansPass *pass = data;

    pack_value(pack, pass, sizeof *pass);
    if (pack->mode != PACK_OPEN)
        return;
    pass->env = pack->env;
    pass->rows = NULL;
    pass->reader = NULL;
    pass->block = NULL;
    pass->lanes = centroid_lanes_new(pack->env, pass->k, pass->dims);
    pass->lanes_of = 0;
}

/* Copies the rows to memory that all processes see. */
static void copy_rows(const KmeansPass *pass, double *matrix, double *weights)
{
    RowsBlock block;

    rows_rewind(pass->reader);
    while (rows_next_block(pass->reader, &block)) {
        memcpy(matrix + block.first * pass->dims, block.slots, (size_t)block.count * pass->dims * sizeof(double));
        if (pass->weighted)
            memcpy(weights + block.first, block.weights, block.count * sizeof(double));
    }
}

static void share(Pack *pack, void *data, uint32_t processes)
{
    KmeansPass *pass = data;
    double *matrix, *weights;

    (void)processes;
    pack_zeros(pack, &pass->number, 1, sizeof(uint64_t));
    pack_zeros(pack, &pass->centroids, (size_t)pass->k * pass->dims, sizeof(double));
    pack_zeros(pack, &pass->sums, pass->blocks * sums_count(pass), sizeof(double));
    pack_zeros(pack, &pass->checksums, pass->blocks, sizeof(uint64_t));
    matrix = (double *)pack_bytes(pack, pass->n * pass->dims * sizeof(double));
    weights = (double *)pack_bytes(pack, pass->weighted ? pass->n * sizeof(double) : 0);
    if (pack->mode == PACK_WRITE)
        copy_rows(pass, matrix, weights);
    if (pack->mode != PACK_OPEN)
        return;
    pass->matrix = matrix;
    pass->row_weights = weights;
}

const TeamKind kmeans_pass_kind = {.name = "passes of k-means", .data_size = sizeof(KmeansPass), .pack = pack, .share = share, .run = run_block};

void kmeans_pass_run(KmeansPass *pass, Team *team, const double *centroids, PassSums *all)
{
    memset(all->weights, 0, pass->k * sizeof(double));
    memset(all->within, 0, pass->k * sizeof(double));
    env_zero(pass->env, all->sums, (size_t)pass->k * pass->dims * sizeof(double));
    all->checksum = 0;
    pass->env->poll(pass->env);
    centroid_lanes_set(pass->lanes, centroids);
    pass->env->poll(pass->env);
    if (team == NULL) {
        run_alone(pass, centroids, all);
        return;
    }
    env_copy(pass->env, pass->centroids, centroids, (size_t)pass->k * pass->dims * sizeof(double));
    pass->lanes_of = ++*pass->number;
    team_run(team, &kmeans_pass_kind, pass, PASS_ASSIGN, pass->blocks);
    for (uint32_t b = 0; b < pass->blocks; b++) {
        PassSums sums = sums_in(pass, pass->sums + b * sums_count(pass));

        sums.checksum = pass->checksums[b];
        add_sums(pass, &sums, all);
    }
}
