/*
 * rows_read.c - reads rows back, from the file and from memory, block by block or as one matrix.
 */
#include "core/rows/row_scale.h"
#include "core/rows/rows_internal.h"

#include <math.h>
#include <string.h>

#define BLOCK_BYTES (256 * 1024) /* of the rows of a block, but at least one row: fits into the L2 cache */

struct RowsReader {
    Env *env;
    Rows *rows;
    uint32_t extent;     /* the next one to load */
    ChunkHead *resident; /* the next one in memory */
    bool in_file;        /* not yet past the extents */
    uint64_t first;      /* number of the next row */
    ChunkParts parts;    /* of the chunk that is read, */
    uint32_t count, taken; /* its rows, and how many of them were returned */
    char *buffer;        /* one extent, or all of them if they fit */
    size_t buffer_size;
    size_t at, end;      /* the unread part of the buffer */
    size_t cached;       /* bytes of all extents in the buffer; 0: one at a time */
    const char **ids;
    uint32_t *id_lengths;
    uint32_t id_capacity;
    void *computed;  /* the reader of rows_computed; NULL: the rows are stored */
    double *changed; /* the slots of a block, with means instead of NaNs (ROWS_MISSING), standardized */
    size_t changed_size;
};

/* Gives back the reader's buffer. */
static void reader_release(RowsReader *reader)
{
    if (reader->buffer)
        reader->env->release(reader->env, reader->buffer);
    reader->buffer = NULL;
    reader->rows->pool->memory -= reader->buffer_size;
    reader->rows->buffers -= reader->buffer_size;
    reader->buffer_size = 0;
}

/* Makes the reader's buffer hold `bytes`; what was in it is lost. */
static void reader_reserve(RowsReader *reader, size_t bytes)
{
    Env *env = reader->env;
    RowsPool *pool = reader->rows->pool;

    if (bytes <= reader->buffer_size)
        return;
    reader_release(reader);
    rows_make_room(reader->rows, bytes);
    reader->buffer = env->alloc(env, bytes);
    reader->buffer_size = bytes;
    pool->memory += bytes;
    reader->rows->buffers += bytes;
}

/* Reads all extents into one buffer if they fit into half the budget and into the part of it that the pool does not use. */
static void reader_cache(RowsReader *reader)
{
    Rows *rows = reader->rows;
    RowsPool *pool = rows->pool;
    size_t at = 0;

    if (rows->spilled == 0 || rows->spilled > pool->env->memory_limit / 2)
        return;
    rows_make_room(rows, rows->spilled);
    if (pool->memory > pool->env->memory_limit - rows->spilled)
        return;
    reader_reserve(reader, rows->spilled);
    for (uint32_t i = 0; i < rows->extent_count; i++) {
        const Extent *extent = &rows->extents[i];

        reader->env->poll(reader->env);
        pool->env->spill_read(pool->env, extent->position, reader->buffer + at, extent->used);
        at += extent->used;
    }
    reader->cached = at;
}

RowsReader *rows_reader(Env *env, Rows *rows)
{
    RowsReader *reader = env_array(env, 1, sizeof(RowsReader));

    if (rows->missing > 0)
        schema_require_means(env, rows->schema, rows->means);
    if (rows->readers == UINT16_MAX)
        env_fail(env, ERROR_INTERNAL, NULL, "too many readers of rows");
    reader->env = env;
    reader->rows = rows;
    rows->readers++;
    reader_cache(reader);
    if (rows->source != NULL)
        reader->computed = rows->source->open(rows->source->context);
    else
        rows_rewind(reader);
    return reader;
}

void rows_rewind(RowsReader *reader)
{
    if (reader->computed != NULL)
        reader->rows->source->rewind(reader->computed);
    reader->first = 0;
    reader->count = reader->taken = 0;
    reader->resident = reader->rows->first;
    reader->in_file = reader->rows->extent_count > 0;
    reader->at = 0;
    reader->end = reader->cached;
    reader->extent = reader->cached ? reader->rows->extent_count : 0;
}

void rows_reader_free(RowsReader *reader)
{
    if (reader->computed != NULL)
        reader->rows->source->close(reader->computed);
    reader->rows->readers--;
    reader_release(reader);
}

void rows_end_readers(Rows *rows)
{
    rows->pool->memory -= rows->buffers;
    rows->buffers = 0;
    rows->readers = 0;
    rows->scale = NULL;
}

/* Returns the next chunk in the file, or NULL after the last. */
static FileHead *reader_next_in_file(RowsReader *reader)
{
    const Rows *rows = reader->rows;
    FileHead *head;

    if (reader->at == reader->end) {
        const Extent *extent = &rows->extents[reader->extent];

        if (reader->extent >= rows->extent_count)
            return NULL;
        reader_reserve(reader, extent->used);
        rows->pool->env->spill_read(rows->pool->env, extent->position, reader->buffer,
                                    extent->used);
        reader->at = 0;
        reader->end = extent->used;
        reader->extent++;
    }
    head = (FileHead *)(reader->buffer + reader->at);
    reader->at +=
        align8(sizeof(FileHead) + (size_t)head->count * row_bytes(rows) + head->id_bytes);
    return head;
}

/* Goes to the next chunk. Returns false after the last. */
static bool reader_next_chunk(RowsReader *reader)
{
    Rows *rows = reader->rows;
    FileHead *file_head = reader->in_file ? reader_next_in_file(reader) : NULL;
    ChunkHead *head = reader->resident;

    reader->in_file = file_head != NULL;
    if (file_head == NULL && head == NULL)
        return false;
    reader->taken = 0;
    if (file_head) {
        reader->count = file_head->count;
        reader->parts = chunk_parts(rows, file_head + 1, file_head->count);
    } else {
        reader->resident = head->following;
        reader->count = head->count;
        reader->parts = chunk_parts(rows, head + 1, head->capacity);
    }
    return true;
}

/* Points the block at its ids. parts: of the chunk. */
static void reader_ids(RowsReader *reader, const ChunkParts *parts, RowsBlock *block)
{
    Env *env = reader->env;
    const uint32_t *ends = parts->id_ends + reader->taken;
    uint32_t start = reader->taken > 0 ? ends[-1] : 0;

    if (block->count > reader->id_capacity) {
        reader->ids = env->resize(env, reader->ids, block->count * sizeof(char *));
        reader->id_lengths = env->resize(env, reader->id_lengths, block->count * sizeof(uint32_t));
        reader->id_capacity = block->count;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        reader->ids[i] = parts->ids + start;
        reader->id_lengths[i] = ends[i] - start;
        start = ends[i];
    }
    block->ids = reader->ids;
    block->id_lengths = reader->id_lengths;
}

/* Replaces the slots of the block by a copy that has means instead of NaNs, and is standardized. */
static void reader_change(RowsReader *reader, RowsBlock *block)
{
    const Rows *rows = reader->rows;
    size_t numbers = (size_t)block->count * rows->slots;

    if (numbers > reader->changed_size) {
        reader->changed = reader->env->resize(reader->env, reader->changed, numbers * sizeof(double));
        reader->changed_size = numbers;
    }
    if (rows->missing > 0) {
        for (uint32_t i = 0, at = 0; i < block->count; i++)
            for (uint32_t j = 0; j < rows->slots; j++, at++)
                reader->changed[at] = isnan(block->slots[at]) ? rows->means[j] : block->slots[at];
        block->slots = reader->changed;
    }
    for (uint32_t i = 0; rows->scale != NULL && i < block->count; i++)
        row_scale_apply(rows->scale, block->slots + (size_t)i * rows->slots, reader->changed + (size_t)i * rows->slots);
    block->slots = reader->changed;
}

bool rows_next_block(RowsReader *reader, RowsBlock *block)
{
    Rows *rows = reader->rows;
    const ChunkParts *parts = &reader->parts;
    size_t most = 1 + BLOCK_BYTES / (1 + row_bytes(rows)), taken;

    reader->env->poll(reader->env);
    if (reader->computed != NULL)
        return rows->source->next(reader->computed, block);
    while (reader->taken == reader->count)
        if (!reader_next_chunk(reader))
            return false;
    taken = reader->taken;
    *block = (RowsBlock){.first = reader->first,
                         .count = reader->count - taken < most ? reader->count - (uint32_t)taken : (uint32_t)most,
                         .slots = parts->slots + taken * rows->slots,
                         .targets = parts->targets ? parts->targets + taken : NULL,
                         .weights = parts->weights ? parts->weights + taken : NULL};
    if (parts->id_ends)
        reader_ids(reader, parts, block);
    if (rows->missing > 0 || rows->scale != NULL)
        reader_change(reader, block);
    reader->taken += block->count;
    reader->first += block->count;
    return true;
}

double *rows_matrix(Env *env, Rows *rows, double **targets, double **weights, const char *method)
{
    uint64_t needed = rows_bytes(rows);
    double *matrix;
    RowsReader *reader;
    RowsBlock block;

    env_require_memory(env, needed, method);
    rows_make_room(rows, needed);
    matrix = env_array_raw(env, rows->count, (size_t)rows->slots * sizeof(double));
    if (targets)
        *targets = rows->contents & ROWS_TARGET ? env_array_raw(env, rows->count, sizeof(double))
                                                : NULL;
    if (weights)
        *weights = rows->contents & ROWS_WEIGHT ? env_array_raw(env, rows->count, sizeof(double))
                                                : NULL;
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block)) {
        memcpy(matrix + block.first * rows->slots, block.slots,
               (size_t)block.count * rows->slots * sizeof(double));
        if (targets && *targets)
            memcpy(*targets + block.first, block.targets, block.count * sizeof(double));
        if (weights && *weights)
            memcpy(*weights + block.first, block.weights, block.count * sizeof(double));
    }
    rows_reader_free(reader);
    return matrix;
}
