/*
 * mixture_blocks.c - passes of expectation-maximization over all rows, in blocks.
 */
#include "core/mixture/mixture_blocks.h"

#include <string.h>

#define BLOCK_TILES 8u /* of a block, at least */
#define BLOCKS 128u    /* at most, because each has sums */

enum { MIXTURE_SUM };

_Static_assert(MIXTURE_TILE == DESIGN_TILE, "tiles of rows are tiles of a mixture");

static size_t mean_count(const Mixture *mixture)
{
    return (size_t)mixture->k * mixture->dims;
}

static size_t factor_count(const Mixture *mixture)
{
    return (size_t)mixture_matrices(mixture->form, mixture->k) * mixture_numbers(mixture->form, mixture->dims);
}

static size_t product_count(const Mixture *mixture)
{
    return (size_t)mixture_matrices(mixture->form, mixture->k) * mixture_products(mixture->form, mixture->dims);
}

/* Returns the numbers of the sums of a block: those of MixtureSums, with its two totals at the end. */
static size_t room_count(const Mixture *mixture)
{
    return mixture->k + mean_count(mixture) + product_count(mixture) + 2;
}

/* Returns sums in a room for them. */
static MixtureSums sums_in(const Mixture *mixture, double *room)
{
    double *moments = room + mixture->k, *products = moments + mean_count(mixture), *totals = products + product_count(mixture);

    return (MixtureSums){.weights = room, .moments = moments, .products = products, .log_likelihood = totals[0], .weight = totals[1]};
}

MixtureBlocks *mixture_blocks_new(Env *env, uint64_t rows, TileReader *reader, const Mixture *mixture)
{
    MixtureBlocks *blocks = env_array(env, 1, sizeof(MixtureBlocks));
    uint64_t tiles = (rows + MIXTURE_TILE - 1) / MIXTURE_TILE, block_tiles = tiles / BLOCKS + 1 > BLOCK_TILES ? tiles / BLOCKS + 1 : BLOCK_TILES;

    *blocks = (MixtureBlocks){.env = env,
                              .reader = reader,
                              .tiles = (uint32_t)tiles,
                              .block_tiles = (uint32_t)block_tiles,
                              .blocks = (uint32_t)((tiles + block_tiles - 1) / block_tiles),
                              .last = (uint32_t)(rows - (tiles - 1) * MIXTURE_TILE),
                              .mixture = *mixture};
    blocks->block = env_array_raw(env, room_count(mixture), sizeof(double));
    return blocks;
}

/* Adds the sums of a block. */
static void add_sums(const Mixture *mixture, const MixtureSums *block, MixtureSums *all)
{
    for (uint32_t j = 0; j < mixture->k; j++)
        all->weights[j] += block->weights[j];
    for (size_t i = 0; i < mean_count(mixture); i++)
        all->moments[i] += block->moments[i];
    for (size_t i = 0; i < product_count(mixture); i++)
        all->products[i] += block->products[i];
    all->log_likelihood += block->log_likelihood;
    all->weight += block->weight;
}

/* Does a pass with the rows as they are read. */
static void run_alone(MixtureBlocks *blocks, MixturePlan *plan, bool hard, MixtureSums *all)
{
    MixtureSums sums = sums_in(&blocks->mixture, blocks->block);
    DesignTile tile;

    tile_rewind(blocks->reader);
    for (uint32_t t = 0; tile_next(blocks->reader, &tile); t++) {
        if (t % blocks->block_tiles == 0)
            mixture_sums_clear(&sums, &blocks->mixture);
        mixture_tile(blocks->env, plan, tile.x, tile.weights, tile.count, hard, &sums);
        if ((t + 1) % blocks->block_tiles == 0 || t + 1 == blocks->tiles)
            add_sums(&blocks->mixture, &sums, all);
    }
}

/* ---- several processes ---- */

/* A TeamKind.run. */
static void run_block(void *data, uint32_t process, uint32_t phase, uint32_t number)
{
    MixtureBlocks *blocks = data;
    const Mixture *mixture = &blocks->mixture;
    double *room = blocks->sums + number * room_count(mixture), *totals = room + room_count(mixture) - 2;
    uint32_t first = number * blocks->block_tiles, end = blocks->tiles - first < blocks->block_tiles ? blocks->tiles : first + blocks->block_tiles;
    MixtureSums sums = sums_in(mixture, room);

    (void)process;
    (void)phase;
    mixture_sums_clear(&sums, mixture);
    for (uint32_t t = first; t < end; t++)
        mixture_tile(blocks->env, blocks->plan, blocks->x + (size_t)t * mixture->dims * MIXTURE_TILE, blocks->weights + (size_t)t * MIXTURE_TILE,
                     t + 1 == blocks->tiles ? blocks->last : MIXTURE_TILE, false, &sums);
    totals[0] = sums.log_likelihood;
    totals[1] = sums.weight;
    blocks->env->poll(blocks->env);
}

static void pack(Pack *pack, void *data)
{
    MixtureBlocks *blocks = data;

    pack_value(pack, blocks, sizeof *blocks);
    if (pack->mode != PACK_OPEN)
        return;
    blocks->env = pack->env;
    blocks->reader = NULL;
    blocks->block = NULL;
    blocks->plan = mixture_plan_of(pack->env, &blocks->mixture, NULL, NULL);
}

/* Copies the tiles to memory that all processes see. */
static void copy_tiles(const MixtureBlocks *blocks, double *x, double *weights)
{
    size_t numbers = (size_t)blocks->mixture.dims * MIXTURE_TILE;
    DesignTile tile;

    tile_rewind(blocks->reader);
    for (size_t t = 0; tile_next(blocks->reader, &tile); t++) {
        memcpy(x + t * numbers, tile.x, numbers * sizeof(double));
        memcpy(weights + t * MIXTURE_TILE, tile.weights, MIXTURE_TILE * sizeof(double));
    }
}

static void share(Pack *pack, void *data, uint32_t processes)
{
    MixtureBlocks *blocks = data;
    const Mixture *mixture = &blocks->mixture;
    size_t tile_bytes = MIXTURE_TILE * sizeof(double);
    double *x, *weights;

    (void)processes;
    pack_zeros(pack, &blocks->means, mean_count(mixture), sizeof(double));
    pack_zeros(pack, &blocks->factors, factor_count(mixture), sizeof(double));
    pack_zeros(pack, &blocks->constants, mixture->k, sizeof(double));
    pack_zeros(pack, &blocks->sums, blocks->blocks * room_count(mixture), sizeof(double));
    x = (double *)pack_bytes(pack, blocks->tiles * mixture->dims * tile_bytes);
    weights = (double *)pack_bytes(pack, blocks->tiles * tile_bytes);
    if (pack->mode == PACK_WRITE)
        copy_tiles(blocks, x, weights);
    if (pack->mode != PACK_OPEN)
        return;
    blocks->x = x;
    blocks->weights = weights;
    if (blocks->reader != NULL) /* this process has its own means and plan */
        return;
    blocks->mixture.means = blocks->means;
    blocks->plan->factors = blocks->factors;
    blocks->plan->constants = blocks->constants;
}

const TeamKind mixture_blocks_kind = {.name = "passes of a mixture", .data_size = sizeof(MixtureBlocks), .pack = pack, .share = share, .run = run_block};

void mixture_blocks_run(MixtureBlocks *blocks, Team *team, MixturePlan *plan, bool hard, MixtureSums *all)
{
    const Mixture *mixture = plan->mixture;

    mixture_sums_clear(all, mixture);
    if (team == NULL || hard) {
        run_alone(blocks, plan, hard, all);
        return;
    }
    memcpy(blocks->means, mixture->means, mean_count(mixture) * sizeof(double));
    memcpy(blocks->factors, plan->factors, factor_count(mixture) * sizeof(double));
    memcpy(blocks->constants, plan->constants, mixture->k * sizeof(double));
    blocks->plan = plan;
    team_run(team, &mixture_blocks_kind, blocks, MIXTURE_SUM, blocks->blocks);
    for (uint32_t b = 0; b < blocks->blocks; b++) {
        MixtureSums sums = sums_in(mixture, blocks->sums + b * room_count(mixture));

        add_sums(mixture, &sums, all);
    }
}
