/*
 * neighbor_blocks.c - searches the neighbors of all rows of an index, a block of them per task.
 */
#include "core/neighbors/neighbor_blocks.h"

#include <math.h>

/* What a process has for the blocks. */
typedef struct Blocks {
    Env *env;
    NeighborIndex *index;
    uint32_t k;
    bool beside;
    /* of this process */
    NeighborSearch *search;
    double *queries; /* [block_rows x width] */
    Neighbor *found; /* [block_rows x k] */
    uint32_t first, count;
    uint32_t counts[NEIGHBOR_BLOCK], skips[NEIGHBOR_BLOCK];
    /* where results are received */
    const char *phase;
    NeighborBlockTaken taken;
    void *context;
} Blocks;

static void pack(Pack *pack, void *data)
{
    Blocks *blocks = data;

    pack_value(pack, &blocks->k, sizeof blocks->k);
    pack_value(pack, &blocks->beside, sizeof blocks->beside);
    neighbor_index_pack(pack, &blocks->index);
}

static void begin(Env *env, void *data)
{
    Blocks *blocks = data;
    size_t rows = neighbor_block_rows(blocks->index->count);

    blocks->env = env;
    blocks->search = neighbor_search(blocks->index, blocks->k);
    blocks->queries = env_array_raw(env, rows, blocks->index->width * sizeof(double));
    blocks->found = env_array_raw(env, rows * blocks->k, sizeof(Neighbor));
}

static void set_block(Blocks *blocks, uint32_t task)
{
    uint32_t left;

    blocks->first = task * NEIGHBOR_BLOCK;
    left = blocks->index->count - blocks->first;
    blocks->count = left < NEIGHBOR_BLOCK ? left : NEIGHBOR_BLOCK;
}

static void run(void *data, uint32_t task)
{
    Blocks *blocks = data;

    set_block(blocks, task);
    for (uint32_t i = 0; i < blocks->count; i++) {
        blocks->skips[i] = blocks->first + i;
        neighbor_row(blocks->index, blocks->first + i, blocks->queries + (size_t)i * blocks->index->width);
    }
    neighbor_nearest_batch(blocks->search, blocks->queries, blocks->count, blocks->k, blocks->beside ? blocks->skips : NULL, blocks->found, blocks->counts);
    blocks->env->poll(blocks->env);
}

static void pack_result(Pack *pack, void *data)
{
    Blocks *blocks = data;

    pack_value(pack, &blocks->count, sizeof blocks->count);
    pack_value(pack, blocks->counts, blocks->count * sizeof(uint32_t));
    pack_value(pack, blocks->found, (size_t)blocks->count * blocks->k * sizeof(Neighbor));
}

const SharedKind neighbor_blocks_kind = {.name = "blocks of neighbors",
                                         .data_size = sizeof(Blocks),
                                         .pack = pack,
                                         .begin = begin,
                                         .run = run,
                                         .pack_result = pack_result};

static void receive(void *receiver, uint32_t task)
{
    Blocks *blocks = receiver;
    NeighborBlock block = {.k = blocks->k, .found = blocks->found, .counts = blocks->counts};

    set_block(blocks, task);
    block.first = blocks->first;
    block.count = blocks->count;
    blocks->env->progress(blocks->env, blocks->phase, block.first, blocks->index->count, NAN);
    blocks->taken(blocks->context, &block);
}

void neighbor_blocks(Env *env, NeighborIndex *index, uint32_t k, bool beside, uint64_t spare, const char *phase, NeighborBlockTaken taken, void *context)
{
    Blocks blocks = {.index = index, .k = k, .beside = beside, .phase = phase, .taken = taken, .context = context};
    SharedWork work = {.kind = &neighbor_blocks_kind,
                       .data = &blocks,
                       .end = (index->count - 1) / NEIGHBOR_BLOCK + 1,
                       .packs = metric_packs(index->metric),
                       .process_room = NEIGHBOR_BLOCK * (k * sizeof(Neighbor) + index->width * sizeof(double)),
                       .spare = spare,
                       .receive = receive,
                       .receiver = &blocks};

    begin(env, &blocks);
    shared_work(env, &work);
    env->release(env, blocks.found);
    env->release(env, blocks.queries);
}
