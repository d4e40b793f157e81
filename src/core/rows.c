/*
 * rows.c - rows in chunks, one budget and one file for all Rows of a pool.
 *
 * A chunk keeps its rows by columns of kinds: slots, targets, weights, id ends, id bytes. In memory
 * it has room for `capacity` rows; in the file the same parts stand behind a small header, without spare
 * room. Memory past the budget is taken back by writing out full chunks, oldest first, then the fullest
 * of a sample of the last chunks that are still being filled (those are closed by it). So the chunks of a
 * Rows in the file are always its first ones, and they stand one behind the other in extents that double
 * in size: thousands of groups that take turns with a few rows each need a short list of extents, and are
 * read back in large pieces. Extents are recycled by size class, four classes to a power of two.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#define CHUNK_FIRST 256           /* bytes of a Rows' first chunk, header included */
#define CHUNK_MIN 1024            /* a chunk is not made smaller than this for the budget's sake */
#define CHUNK_MAX (256 * 1024)    /* what fits L2; extents are not made larger either */
#define CHUNK_ID_MAX (1u << 30)   /* id bytes of one chunk, but for a single longer id */
#define FILE_CLASSES 256          /* size classes of places in the file */
#define FILE_GRAIN 64             /* the smallest place */
#define EXTENT_FIRST 4096         /* bytes of a Rows' first extent */
#define EVICTION_SAMPLE 32        /* last chunks looked at before one is closed */
#define ALLOCATION_OVERHEAD 16    /* what an allocator adds to a block, about */

typedef struct ChunkHead ChunkHead;

/* A stretch of the file that chunks of one Rows are written to, one behind the other. */
typedef struct Extent {
    uint64_t position, size, used;
} Extent;

/* In front of a chunk in the file; what follows is padded to 8 bytes. */
typedef struct FileHead {
    uint32_t count, id_bytes;
} FileHead;

/* In front of a resident chunk's data; linked in its Rows and in the pool's list of full or open ones. */
struct ChunkHead {
    Rows *owner;
    ChunkHead *following;       /* of the same Rows */
    ChunkHead *next, *previous; /* in the pool's list */
    size_t size;                /* of the block, header included */
    uint32_t count, capacity;
    uint32_t id_bytes, id_room;
    bool open;
};

typedef struct ChunkList {
    ChunkHead *first, *last;
} ChunkList;

/* Free places of one size class; room for all places of the class, so that giving back cannot fail. */
typedef struct FreePlaces {
    uint64_t *positions;
    uint32_t count, total, capacity;
} FreePlaces;

struct RowsPool {
    Env *env;
    Rows *members; /* all Rows, linked */
    uint64_t member_count;
    size_t memory;
    ChunkList full, open;
    uint64_t spilled;  /* bytes of rows in the file */
    uint64_t extents;  /* number of extents in use */
    uint64_t file_end; /* first byte never used */
    bool closing;      /* the file is going too: its places need no recycling */
    FreePlaces *free_places; /* [FILE_CLASSES], made at the first spill */
};

struct Rows {
    RowsPool *pool;
    Rows *next, *previous;
    Model *schema;
    uint64_t count;
    uint64_t id_bytes;
    uint64_t spilled; /* bytes in the file */
    size_t allotted;  /* bytes of chunks taken so far: drives the doubling */
    Extent *extents;
    uint32_t extent_count, extent_capacity;
    ChunkHead *first, *last; /* resident chunks; their rows follow those in the file */
    uint32_t slots;
    uint16_t contents;
    uint16_t readers; /* while positive, its chunks stay where they are */
    uint32_t row_bytes_fixed; /* of targets, weights, id ends */
    double *means;            /* ROWS_MISSING: [slots], and the weights behind them: [slots] */
    uint64_t missing;         /* NaNs among the slots */
};

struct RowsReader {
    Env *env;
    Rows *rows;
    uint32_t extent;     /* the next one to load */
    ChunkHead *resident; /* the next one in memory */
    bool in_file;        /* not yet past the extents */
    uint64_t first;      /* number of the next row */
    char *buffer;        /* an extent, or all of them end to end where they fit */
    size_t buffer_size;
    size_t at, end;      /* of the unread part of the buffer */
    size_t cached;       /* bytes of all extents in the buffer; 0: one at a time */
    const char **ids;
    uint32_t *id_lengths;
    uint32_t id_capacity;
    double *filled; /* ROWS_MISSING: a block's slots with means for NaNs */
    size_t filled_size;
};

/* ---- sizes ---- */

static size_t row_bytes(const Rows *rows)
{
    return (size_t)rows->slots * sizeof(double) + rows->row_bytes_fixed;
}

/* Bytes of a chunk's parts without spare room. */
static size_t chunk_bytes(const ChunkHead *head)
{
    return (size_t)head->count * row_bytes(head->owner) + head->id_bytes;
}

static size_t align8(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* Where the parts of a chunk with room for `capacity` rows stand. */
typedef struct ChunkParts {
    double *slots, *targets, *weights;
    uint32_t *id_ends;
    char *ids;
} ChunkParts;

static ChunkParts chunk_parts(const Rows *rows, void *data, uint32_t capacity)
{
    ChunkParts parts = {.slots = data};
    double *next = parts.slots + (size_t)capacity * rows->slots;

    if (rows->contents & ROWS_TARGET) {
        parts.targets = next;
        next += capacity;
    }
    if (rows->contents & ROWS_WEIGHT) {
        parts.weights = next;
        next += capacity;
    }
    if (rows->contents & ROWS_ID) {
        parts.id_ends = (uint32_t *)next;
        parts.ids = (char *)(parts.id_ends + capacity);
    }
    return parts;
}

/* ---- lists of resident chunks ---- */

static void list_append(ChunkList *list, ChunkHead *head)
{
    head->next = NULL;
    head->previous = list->last;
    if (list->last)
        list->last->next = head;
    else
        list->first = head;
    list->last = head;
}

static void list_remove(ChunkList *list, ChunkHead *head)
{
    if (head->previous)
        head->previous->next = head->next;
    else
        list->first = head->next;
    if (head->next)
        head->next->previous = head->previous;
    else
        list->last = head->previous;
}

/* ---- places in the file ---- */

/* Rounds a size up to its class; *class_index is the class. */
static uint64_t place_size(uint64_t bytes, unsigned *class_index)
{
    uint64_t quarter = FILE_GRAIN / 4;
    unsigned octave = 0;

    while (quarter * 8 < bytes) {
        quarter *= 2;
        octave++;
    }
    for (unsigned step = 4; step < 8; step++) {
        if (quarter * step >= bytes) {
            *class_index = octave * 4 + step - 4;
            return quarter * step;
        }
    }
    *class_index = octave * 4 + 4; /* 8 quarters: the next octave's first */
    return quarter * 8;
}

static void places_reserve(RowsPool *pool, FreePlaces *places)
{
    uint32_t capacity = places->capacity ? places->capacity * 2 : 8;

    if (places->total < places->capacity)
        return;
    if (capacity < places->capacity)
        env_fail(pool->env, ERROR_LIMIT, NULL, "too many pieces in the temporary file of rows");
    places->positions = pool->env->resize(pool->env, places->positions, capacity * sizeof(uint64_t));
    pool->memory += (capacity - places->capacity) * sizeof(uint64_t);
    places->capacity = capacity;
}

static uint64_t place_take(RowsPool *pool, uint64_t bytes)
{
    unsigned class_index;
    uint64_t size = place_size(bytes, &class_index);
    FreePlaces *places;
    uint64_t position;

    if (!pool->free_places)
        pool->free_places = env_array(pool->env, FILE_CLASSES, sizeof(FreePlaces));
    places = &pool->free_places[class_index];
    if (places->count > 0)
        return places->positions[--places->count];
    places_reserve(pool, places);
    position = pool->file_end;
    if (position > UINT64_MAX / 4 - size)
        env_fail(pool->env, ERROR_LIMIT, NULL, "temporary file of rows is too long");
    pool->file_end += size;
    places->total++;
    return position;
}

static void place_give(RowsPool *pool, uint64_t position, uint64_t bytes)
{
    unsigned class_index;
    FreePlaces *places;

    place_size(bytes, &class_index);
    places = &pool->free_places[class_index];
    places->positions[places->count++] = position;
}

/* Nothing of the file is in use any more: begin it anew. */
static void file_restart(RowsPool *pool)
{
    pool->file_end = 0;
    if (pool->free_places)
        for (unsigned i = 0; i < FILE_CLASSES; i++)
            pool->free_places[i].count = pool->free_places[i].total = 0;
}

/* ---- eviction ---- */

/* Where the next `bytes` of a Rows go: behind what it has in the file, or to a new extent. */
static Extent *extent_for(Rows *rows, size_t bytes)
{
    RowsPool *pool = rows->pool;
    Env *env = pool->env;
    Extent *last = rows->extent_count > 0 ? &rows->extents[rows->extent_count - 1] : NULL;
    uint64_t size;
    unsigned class_index;

    if (last && last->size - last->used >= bytes)
        return last;
    if (rows->extent_count == rows->extent_capacity) {
        uint32_t capacity = rows->extent_capacity ? rows->extent_capacity * 2 : 4;

        if (capacity < rows->extent_capacity)
            env_fail(env, ERROR_LIMIT, NULL, "too many pieces of rows");
        rows->extents = env->resize(env, rows->extents, (size_t)capacity * sizeof(Extent));
        pool->memory += (size_t)(capacity - rows->extent_capacity) * sizeof(Extent);
        rows->extent_capacity = capacity;
    }
    size = rows->spilled < EXTENT_FIRST ? EXTENT_FIRST : rows->spilled;
    if (size > CHUNK_MAX)
        size = CHUNK_MAX;
    if (size > env->memory_limit / 4)
        size = env->memory_limit / 4;
    if (size < bytes)
        size = bytes;
    last = &rows->extents[rows->extent_count];
    *last = (Extent){.position = place_take(pool, size), .size = place_size(size, &class_index)};
    rows->extent_count++;
    pool->extents++;
    return last;
}

/* Writes the first resident chunk of its Rows to the file and frees its memory. */
static void chunk_evict(RowsPool *pool, ChunkHead *head)
{
    static const char zeros[8];
    Env *env = pool->env;
    Rows *rows = head->owner;
    ChunkParts parts = chunk_parts(rows, head + 1, head->capacity);
    FileHead file_head = {.count = head->count, .id_bytes = head->id_bytes};
    size_t bytes = sizeof(FileHead) + chunk_bytes(head), padded = align8(bytes), count = head->count;
    Extent *extent = extent_for(rows, padded);
    uint64_t at = extent->position + extent->used;
    bool gapless = head->count == head->capacity;
    struct {
        const void *data;
        size_t size;
    } pieces[] = {
        {&file_head, sizeof(FileHead)},
        {parts.slots, gapless ? chunk_bytes(head) : count * rows->slots * sizeof(double)},
        {parts.targets, parts.targets && !gapless ? count * sizeof(double) : 0},
        {parts.weights, parts.weights && !gapless ? count * sizeof(double) : 0},
        {parts.id_ends, parts.id_ends && !gapless ? count * sizeof(uint32_t) : 0},
        {parts.ids, gapless ? 0 : head->id_bytes},
        {zeros, padded - bytes},
    };

    env->poll(env);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        if (pieces[i].size > 0)
            env->spill_write(env, at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    extent->used += padded;
    pool->spilled += padded;
    rows->spilled += padded;
    list_remove(head->open ? &pool->open : &pool->full, head);
    rows->first = head->following;
    if (!rows->first)
        rows->last = NULL;
    pool->memory -= head->size + ALLOCATION_OVERHEAD;
    env->release(env, head);
}

/* The first full chunk from here on that may go, or NULL. */
static ChunkHead *eviction_full(ChunkHead *head)
{
    while (head && head->owner->readers > 0)
        head = head->next;
    return head;
}

/* Of the first chunks still being filled, the one with most in it; those seen move to the end. */
static ChunkHead *eviction_open(RowsPool *pool)
{
    ChunkHead *best = NULL, *head = pool->open.first, *next;
    size_t best_bytes = 0;

    for (int i = 0; i < EVICTION_SAMPLE && head; i++, head = next) {
        size_t bytes = chunk_bytes(head);

        next = head->next;
        if (head == pool->open.last)
            next = NULL;
        if (head->owner->readers == 0 && bytes > best_bytes) {
            best = head;
            best_bytes = bytes;
        }
        if (next) {
            list_remove(&pool->open, head);
            list_append(&pool->open, head);
        }
    }
    return best;
}

/* Frees memory until `bytes` more fit the budget, or nothing more can go. */
static void pool_make_room(RowsPool *pool, size_t bytes)
{
    size_t limit = pool->env->memory_limit;
    ChunkHead *full = pool->full.first;

    while (bytes > limit || pool->memory > limit - bytes) {
        ChunkHead *head = full = eviction_full(full);

        if (head)
            full = head->next;
        else
            head = eviction_open(pool);
        if (!head)
            return;
        chunk_evict(pool, head);
    }
}

/* ---- pool ---- */

RowsPool *rows_pool(Env *env)
{
    RowsPool *pool = env_array(env, 1, sizeof(RowsPool));

    pool->env = env;
    pool->memory = sizeof(RowsPool) + ALLOCATION_OVERHEAD;
    return pool;
}

void rows_pool_free(RowsPool *pool)
{
    Env *env = pool->env;

    pool->closing = true;
    while (pool->members)
        rows_free(pool->members);
    if (pool->free_places) {
        for (unsigned i = 0; i < FILE_CLASSES; i++)
            if (pool->free_places[i].positions)
                env->release(env, pool->free_places[i].positions);
        env->release(env, pool->free_places);
    }
    env->release(env, pool);
}

size_t rows_pool_memory(const RowsPool *pool)
{
    return pool->memory;
}

uint64_t rows_pool_spilled(const RowsPool *pool)
{
    return pool->spilled;
}

uint64_t rows_pool_file(const RowsPool *pool)
{
    return pool->file_end;
}

/* ---- rows ---- */

Rows *rows_new(RowsPool *pool, Model *schema, unsigned contents)
{
    Rows *rows = env_array(pool->env, 1, sizeof(Rows));

    rows->pool = pool;
    rows->schema = schema;
    rows->contents = (uint16_t)contents;
    rows->slots = schema->slot_count;
    rows->row_bytes_fixed = (contents & ROWS_TARGET ? sizeof(double) : 0) +
                            (contents & ROWS_WEIGHT ? sizeof(double) : 0) +
                            (contents & ROWS_ID ? sizeof(uint32_t) : 0);
    if (contents & ROWS_MISSING) {
        rows->means = env_array(pool->env, rows->slots, 2 * sizeof(double));
        for (uint32_t i = 0; i < rows->slots; i++)
            rows->means[i] = NAN;
        pool->memory += (size_t)rows->slots * 2 * sizeof(double) + ALLOCATION_OVERHEAD;
    }
    rows->next = pool->members;
    if (pool->members)
        pool->members->previous = rows;
    pool->members = rows;
    pool->member_count++;
    pool->memory += sizeof(Rows) + ALLOCATION_OVERHEAD;
    return rows;
}

void rows_free(Rows *rows)
{
    RowsPool *pool = rows->pool;
    Env *env = pool->env;

    for (ChunkHead *head = rows->first, *following; head; head = following) {
        following = head->following;
        list_remove(head->open ? &pool->open : &pool->full, head);
        pool->memory -= head->size + ALLOCATION_OVERHEAD;
        env->release(env, head);
    }
    if (!pool->closing)
        for (uint32_t i = 0; i < rows->extent_count; i++)
            place_give(pool, rows->extents[i].position, rows->extents[i].size);
    pool->spilled -= rows->spilled;
    pool->extents -= rows->extent_count;
    if (pool->extents == 0)
        file_restart(pool);
    if (rows->extents) {
        pool->memory -= (size_t)rows->extent_capacity * sizeof(Extent);
        env->release(env, rows->extents);
    }
    if (rows->means) {
        pool->memory -= (size_t)rows->slots * 2 * sizeof(double) + ALLOCATION_OVERHEAD;
        env->release(env, rows->means);
    }
    if (rows->previous)
        rows->previous->next = rows->next;
    else
        pool->members = rows->next;
    if (rows->next)
        rows->next->previous = rows->previous;
    pool->member_count--;
    pool->memory -= sizeof(Rows) + ALLOCATION_OVERHEAD;
    env->release(env, rows);
}

Model *rows_schema(const Rows *rows)
{
    return rows->schema;
}

void rows_set_schema(Rows *rows, Model *schema)
{
    rows->schema = schema;
}

uint64_t rows_count(const Rows *rows)
{
    return rows->count;
}

uint32_t rows_slots(const Rows *rows)
{
    return rows->slots;
}

unsigned rows_contents(const Rows *rows)
{
    return rows->contents;
}

RowsPool *rows_pool_of(const Rows *rows)
{
    return rows->pool;
}

const double *rows_means(const Rows *rows)
{
    return rows->means;
}

uint64_t rows_bytes(const Rows *rows)
{
    uint64_t numbers = (uint64_t)rows->slots + (rows->contents & ROWS_TARGET ? 1 : 0) +
                       (rows->contents & ROWS_WEIGHT ? 1 : 0);
    uint64_t bytes;

    if (__builtin_mul_overflow(numbers * sizeof(double), rows->count, &bytes))
        return UINT64_MAX;
    return bytes;
}

/* ---- appending ---- */

/* How large the next chunk should be: as much as there is already, up to the pool's fair share. */
static size_t chunk_target(const Rows *rows)
{
    const RowsPool *pool = rows->pool;
    size_t share = pool->env->memory_limit / 3 / (pool->member_count ? pool->member_count : 1);
    size_t most = CHUNK_MIN, size = CHUNK_FIRST;

    while (most < CHUNK_MAX && most * 2 <= share)
        most *= 2;
    while (size < most && size < rows->allotted)
        size *= 2;
    return size;
}

/* Begins a chunk with room for at least one row and an id of id_length bytes. */
static ChunkHead *chunk_new(Rows *rows, uint32_t id_length)
{
    RowsPool *pool = rows->pool;
    size_t target = chunk_target(rows), row = row_bytes(rows), per_row = row, size;
    uint64_t capacity, id_room = 0;
    ChunkHead *head;

    if (rows->contents & ROWS_ID) /* room for ids as long as those so far */
        per_row += rows->count ? rows->id_bytes / rows->count + 1 : (uint64_t)id_length + 1;
    capacity = target > sizeof(ChunkHead) ? (target - sizeof(ChunkHead)) / (per_row ? per_row : 1) : 0;
    if (capacity < 2 && rows->count == 0)
        capacity = 2;
    if (capacity < 1)
        capacity = 1;
    if (rows->contents & ROWS_ID) {
        id_room = capacity * (per_row - row);
        if (id_room > CHUNK_ID_MAX)
            id_room = CHUNK_ID_MAX;
        if (id_room < id_length)
            id_room = id_length;
    }
    if (__builtin_mul_overflow(capacity, row, &size) ||
        __builtin_add_overflow(size, sizeof(ChunkHead) + (size_t)id_room, &size))
        env_fail(pool->env, ERROR_LIMIT, NULL, "a row of %u numbers is too long", rows->slots);
    size = align8(size);

    pool_make_room(pool, size + ALLOCATION_OVERHEAD);
    head = pool->env->alloc(pool->env, size);
    *head = (ChunkHead){.owner = rows,
                        .size = size,
                        .capacity = (uint32_t)capacity,
                        .id_room = (uint32_t)id_room,
                        .open = true};
    if (rows->last)
        rows->last->following = head;
    else
        rows->first = head;
    rows->last = head;
    rows->allotted = rows->allotted > SIZE_MAX - size ? SIZE_MAX : rows->allotted + size;
    pool->memory += size + ALLOCATION_OVERHEAD;
    list_append(&pool->open, head);
    return head;
}

static void chunk_close(RowsPool *pool, ChunkHead *head)
{
    list_remove(&pool->open, head);
    head->open = false;
    list_append(&pool->full, head);
}

/* The chunk that takes the next row. */
static ChunkHead *chunk_for_append(Rows *rows, uint32_t id_length)
{
    ChunkHead *head = rows->last;

    if (head) { /* it is open */
        if (head->count < head->capacity && id_length <= head->id_room - head->id_bytes)
            return head;
        chunk_close(rows->pool, head);
    }
    return chunk_new(rows, id_length);
}

/* Takes a row into the means of the slots' values. */
static void means_add(Rows *rows, const double *slots, double weight)
{
    double *weights = rows->means + rows->slots;

    for (uint32_t i = 0; i < rows->slots; i++) {
        if (isnan(slots[i])) {
            rows->missing++;
            continue;
        }
        weights[i] += weight;
        if (isnan(rows->means[i])) {
            rows->means[i] = slots[i];
        } else {
            double share = weight / weights[i];

            rows->means[i] += slots[i] * share - rows->means[i] * share;
        }
    }
}

void rows_append(Rows *rows, const double *slots, double target, double weight, const char *id,
                 uint32_t id_length)
{
    ChunkHead *head;
    ChunkParts parts;

    if (!(rows->contents & ROWS_ID))
        id_length = 0;
    head = chunk_for_append(rows, id_length);
    parts = chunk_parts(rows, head + 1, head->capacity);
    memcpy(parts.slots + (size_t)head->count * rows->slots, slots, rows->slots * sizeof(double));
    if (parts.targets)
        parts.targets[head->count] = target;
    if (parts.weights)
        parts.weights[head->count] = weight;
    if (parts.id_ends) {
        if (id_length > 0)
            memcpy(parts.ids + head->id_bytes, id, id_length);
        head->id_bytes += id_length;
        parts.id_ends[head->count] = head->id_bytes;
        rows->id_bytes += id_length;
    }
    head->count++;
    rows->count++;
    if (rows->means)
        means_add(rows, slots, rows->contents & ROWS_WEIGHT ? weight : 1.0);
    rows->schema->rows++;
    rows->schema->weight += rows->contents & ROWS_WEIGHT ? weight : 1.0;
}

/* ---- reading ---- */

/* Makes the reader's buffer hold `bytes`; what was in it is lost. */
static void reader_reserve(RowsReader *reader, size_t bytes)
{
    Env *env = reader->env;
    RowsPool *pool = reader->rows->pool;

    if (bytes <= reader->buffer_size)
        return;
    if (reader->buffer)
        env->release(env, reader->buffer);
    reader->buffer = NULL;
    pool->memory -= reader->buffer_size;
    reader->buffer_size = 0;
    pool_make_room(pool, bytes);
    reader->buffer = env->alloc(env, bytes);
    reader->buffer_size = bytes;
    pool->memory += bytes;
}

/* Reads all extents into one buffer where that fits half the budget beside the rest. */
static void reader_cache(RowsReader *reader)
{
    Rows *rows = reader->rows;
    RowsPool *pool = rows->pool;
    size_t at = 0;

    if (rows->spilled == 0 || rows->spilled > pool->env->memory_limit / 2)
        return;
    pool_make_room(pool, rows->spilled);
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

/* A slot without any value has no mean to put in. */
static void reader_check_means(Env *env, const Rows *rows)
{
    char name[128];

    for (uint32_t i = 0; i < rows->slots; i++) {
        if (!isnan(rows->means[i]))
            continue;
        schema_slot_name(rows->schema, i, name, sizeof(name));
        env_fail(env, ERROR_DATA, "Leave the feature out.",
                 "feature \"%s\" is NULL in every row, there is no mean to put in", name);
    }
}

RowsReader *rows_reader(Env *env, Rows *rows)
{
    RowsReader *reader = env_array(env, 1, sizeof(RowsReader));

    if (rows->missing > 0)
        reader_check_means(env, rows);
    if (rows->readers == UINT16_MAX)
        env_fail(env, ERROR_INTERNAL, NULL, "too many readers of rows");
    reader->env = env;
    reader->rows = rows;
    rows->readers++;
    reader_cache(reader);
    rows_rewind(reader);
    return reader;
}

void rows_rewind(RowsReader *reader)
{
    reader->first = 0;
    reader->resident = reader->rows->first;
    reader->in_file = reader->rows->extent_count > 0;
    reader->at = 0;
    reader->end = reader->cached;
    reader->extent = reader->cached ? reader->rows->extent_count : 0;
}

void rows_reader_free(RowsReader *reader)
{
    Env *env = reader->env;

    reader->rows->readers--;
    reader->rows->pool->memory -= reader->buffer_size;
    if (reader->buffer)
        env->release(env, reader->buffer);
    if (reader->ids)
        env->release(env, reader->ids);
    if (reader->id_lengths)
        env->release(env, reader->id_lengths);
    if (reader->filled)
        env->release(env, reader->filled);
    env->release(env, reader);
}

/* The next chunk in the file, or NULL past the last. */
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

/* Fills the block's id pointers. */
static void reader_ids(RowsReader *reader, const ChunkParts *parts, RowsBlock *block)
{
    Env *env = reader->env;
    uint32_t start = 0;

    if (block->count > reader->id_capacity) {
        if (reader->ids)
            env->release(env, reader->ids);
        if (reader->id_lengths)
            env->release(env, reader->id_lengths);
        reader->ids = NULL;
        reader->id_lengths = NULL;
        reader->id_capacity = 0;
        reader->ids = env_array_raw(env, block->count, sizeof(char *));
        reader->id_lengths = env_array_raw(env, block->count, sizeof(uint32_t));
        reader->id_capacity = block->count;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        reader->ids[i] = parts->ids + start;
        reader->id_lengths[i] = parts->id_ends[i] - start;
        start = parts->id_ends[i];
    }
    block->ids = reader->ids;
    block->id_lengths = reader->id_lengths;
}

/* Replaces the block's slots by a copy with means for NaNs. */
static void reader_fill(RowsReader *reader, RowsBlock *block)
{
    const Rows *rows = reader->rows;
    size_t numbers = (size_t)block->count * rows->slots;

    if (numbers > reader->filled_size) {
        if (reader->filled)
            reader->env->release(reader->env, reader->filled);
        reader->filled = NULL;
        reader->filled_size = 0;
        reader->filled = env_array_raw(reader->env, numbers, sizeof(double));
        reader->filled_size = numbers;
    }
    for (uint32_t i = 0, at = 0; i < block->count; i++)
        for (uint32_t j = 0; j < rows->slots; j++, at++)
            reader->filled[at] = isnan(block->slots[at]) ? rows->means[j] : block->slots[at];
    block->slots = reader->filled;
}

bool rows_next_block(RowsReader *reader, RowsBlock *block)
{
    Rows *rows = reader->rows;
    FileHead *file_head = NULL;
    ChunkParts parts;
    uint32_t count;

    reader->env->poll(reader->env);
    if (reader->in_file) {
        file_head = reader_next_in_file(reader);
        reader->in_file = file_head != NULL;
    }
    if (file_head) {
        count = file_head->count;
        parts = chunk_parts(rows, file_head + 1, count);
    } else {
        ChunkHead *head = reader->resident;

        if (!head)
            return false;
        reader->resident = head->following;
        count = head->count;
        parts = chunk_parts(rows, head + 1, head->capacity);
    }
    *block = (RowsBlock){.first = reader->first,
                         .count = count,
                         .slots = parts.slots,
                         .targets = parts.targets,
                         .weights = parts.weights};
    if (parts.id_ends)
        reader_ids(reader, &parts, block);
    if (rows->missing > 0)
        reader_fill(reader, block);
    reader->first += count;
    return true;
}

double *rows_matrix(Env *env, Rows *rows, double **targets, double **weights, const char *method)
{
    uint64_t needed = rows_bytes(rows);
    double *matrix;
    RowsReader *reader;
    RowsBlock block;

    if (needed > env->memory_limit)
        env_fail(env, ERROR_LIMIT,
                 "Raise pgfit.fit_mem, or fit fewer rows or features.",
                 "%s keeps %llu rows in memory together: needed %llu bytes, allowed %llu", method,
                 (unsigned long long)rows->count, (unsigned long long)needed,
                 (unsigned long long)env->memory_limit);
    pool_make_room(rows->pool, needed);
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

/* ---- hash ---- */

/* A bijective mix of 64 bits (the finalizer of SplitMix64: Steele, Lea & Flood 2014). */
static uint64_t mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t rows_hash(uint64_t seed, const double *slots, uint32_t count)
{
    uint64_t hash = mix64(seed + 0x9e3779b97f4a7c15u);

    for (uint32_t i = 0; i < count; i++) {
        double value = slots[i] == 0.0 ? 0.0 : slots[i]; /* -0 as 0 */
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        hash = mix64(hash + 0x9e3779b97f4a7c15u + mix64(bits ^ i));
    }
    return mix64(hash ^ count);
}
