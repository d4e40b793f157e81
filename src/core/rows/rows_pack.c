/*
 * rows_pack.c - takes rows to another process, in the blocks in which they are read here.
 */
#include "core/base/shared_work.h"
#include "core/rows/rows_internal.h"

#include <string.h>

/* A block as it is packed; a count of 0 ends the rows. */
typedef struct PackedBlock {
    uint64_t first;
    uint32_t count;
    uint64_t id_bytes;
    bool targets, weights, ids;
} PackedBlock;

typedef struct SharedRows {
    Env *env;
    RowsSource source;
    RowsBlock *blocks; /* their numbers are in the packed bytes */
    uint32_t count, room;
    uint64_t id_bytes;
} SharedRows;

typedef struct SharedReader {
    const SharedRows *rows;
    uint32_t at;
} SharedReader;

/* ---- reading ---- */

static void *shared_open(void *context)
{
    SharedRows *rows = context;
    SharedReader *reader = env_array(rows->env, 1, sizeof(SharedReader));

    reader->rows = rows;
    return reader;
}

static bool shared_next(void *reader, RowsBlock *block)
{
    SharedReader *shared = reader;

    if (shared->at == shared->rows->count)
        return false;
    *block = shared->rows->blocks[shared->at++];
    return true;
}

static void shared_rewind(void *reader)
{
    ((SharedReader *)reader)->at = 0;
}

static void shared_close(void *reader)
{
    (void)reader;
}

/* ---- packing ---- */

/* Visits the ids of a block. */
static void pack_ids(Pack *pack, RowsBlock *block, size_t size)
{
    const char *bytes, **ids = NULL;
    uint8_t *to;

    pack_array_if(pack, true, &block->id_lengths, block->count, sizeof(uint32_t));
    to = pack_bytes(pack, size);
    bytes = (const char *)to;
    if (pack->mode == PACK_OPEN)
        ids = env_array(pack->env, block->count, sizeof(char *));
    for (uint32_t i = 0; pack->mode != PACK_MEASURE && i < block->count; i++) {
        if (pack->mode == PACK_WRITE)
            memcpy(to, block->ids[i], block->id_lengths[i]);
        else
            ids[i] = bytes;
        to += block->id_lengths[i];
        bytes += block->id_lengths[i];
    }
    if (pack->mode == PACK_OPEN)
        block->ids = ids;
}

/* Visits a block of numbers. head: describes it. */
static void pack_block(Pack *pack, const PackedBlock *head, uint32_t slots, RowsBlock *block)
{
    block->first = head->first;
    block->count = head->count;
    pack_array_if(pack, true, &block->slots, head->count, slots * sizeof(double));
    pack_array_if(pack, head->targets, &block->targets, head->count, sizeof(double));
    pack_array_if(pack, head->weights, &block->weights, head->count, sizeof(double));
    if (head->ids)
        pack_ids(pack, block, head->id_bytes);
}

/* Visits all blocks of rows that are here. */
static void pack_blocks(Pack *pack, Rows *rows)
{
    RowsReader *reader = rows_reader(pack->env, rows);
    PackedBlock head = {0};
    RowsBlock block;

    while (rows_next_block(reader, &block)) {
        head = (PackedBlock){.first = block.first, .count = block.count, .targets = block.targets != NULL, .weights = block.weights != NULL, .ids = block.ids != NULL};
        for (uint32_t i = 0; head.ids && i < block.count; i++)
            head.id_bytes += block.id_lengths[i];
        pack_value(pack, &head, sizeof head);
        pack_block(pack, &head, rows->slots, &block);
    }
    rows_reader_free(reader);
    head.count = 0;
    pack_value(pack, &head, sizeof head);
}

/* Makes rows of the packed blocks. */
static Rows *open_rows(Pack *pack, Model *schema, unsigned contents)
{
    SharedRows *shared = env_array(pack->env, 1, sizeof(SharedRows));
    Rows *rows;
    PackedBlock head;

    shared->env = pack->env;
    shared->source = (RowsSource){shared, shared_open, shared_next, shared_rewind, shared_close};
    for (pack_value(pack, &head, sizeof head); head.count > 0; pack_value(pack, &head, sizeof head)) {
        shared->blocks = env_grow(pack->env, shared->blocks, shared->count, &shared->room, sizeof(RowsBlock));
        shared->blocks[shared->count] = (RowsBlock){0};
        pack_block(pack, &head, schema->slot_count, &shared->blocks[shared->count++]);
        shared->id_bytes += head.id_bytes;
    }
    rows = rows_computed(pack->pool, schema, contents, &shared->source);
    rows->id_bytes = shared->id_bytes;
    return rows;
}

void rows_pack(Pack *pack, Rows **rows)
{
    bool opens = pack->mode == PACK_OPEN;
    unsigned contents = opens ? 0 : (*rows)->contents;
    uint32_t size = opens ? 0 : (*rows)->schema->size;
    Model *schema = opens ? NULL : (*rows)->schema;

    pack_value(pack, &contents, sizeof contents);
    pack_value(pack, &size, sizeof size);
    if (opens)
        schema = env_array(pack->env, 1, size);
    pack_value(pack, schema, size);
    if (opens)
        *rows = open_rows(pack, schema, contents);
    else
        pack_blocks(pack, *rows);
}
