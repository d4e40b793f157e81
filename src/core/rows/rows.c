/*
 * rows.c - keeps rows in chunks, with one budget and one file for all Rows of a pool.
 *
 * A chunk stores each part of its rows together: slots, targets, weights, id ends, id bytes. In memory it has room for
 * `capacity` rows; in the file the same parts follow a small header, without spare room. When the budget is exceeded,
 * full chunks are written out, oldest first, then the fullest of a sample of the chunks that are still being filled,
 * which closes it. The chunks of a Rows in the file are therefore always its first ones. They are written one after another
 * into extents that double in size, so that thousands of groups with a few rows each need a short list of extents and
 * are read back in large pieces. Extents are recycled by size class, four classes per power of two.
 */
#include "core/base/random.h"
#include "core/rows/rows_internal.h"

#include <math.h>
#include <string.h>

#define CHUNK_FIRST 256           /* bytes of the first chunk of a Rows, header included */
#define CHUNK_MIN 1024            /* a small budget does not make chunks smaller than this */
#define CHUNK_MAX (8u << 20)      /* in chunks of 256 kB, a perceptron of 50,000 rows of 100 features takes 1.2 times as long: small pages, given and taken back */
#define EXTENT_MAX (256 * 1024)
#define CHUNK_ID_MAX (1u << 30)   /* id bytes of a chunk, unless a single id is longer */
#define FILE_CLASSES 256          /* size classes of places, the pieces in which the file is given out */
#define FILE_GRAIN 64             /* bytes of the smallest place */
#define EXTENT_FIRST 4096         /* bytes of the first extent of a Rows */
#define EVICTION_SAMPLE 32        /* open chunks that are compared before one is closed */
#define ALLOCATION_OVERHEAD 16    /* bytes that an allocator adds to a block, about */

/* ---- sizes ---- */

/* Returns the bytes of a chunk's parts without spare room. */
static size_t chunk_bytes(const ChunkHead *head)
{
    return (size_t)head->count * row_bytes(head->owner) + head->id_bytes;
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

/* Reserves room for one more place of a size class, so that giving it back cannot fail. */
static void places_reserve(RowsPool *pool, FreePlaces *places)
{
    uint32_t capacity = places->capacity ? places->capacity * 2 : 8;

    if (places->total < places->capacity)
        return;
    if (capacity < places->capacity)
        env_fail(pool->env, ERROR_LIMIT, NULL, "the temporary file of rows has too many pieces");
    places->positions = pool->env->resize(pool->env, places->positions, capacity * sizeof(uint64_t));
    pool->memory += (capacity - places->capacity) * sizeof(uint64_t);
    places->capacity = capacity;
}

/* Returns the position of a place of at least `bytes` bytes, a recycled one if possible. */
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
        env_fail(pool->env, ERROR_LIMIT, NULL, "the temporary file of rows is too long");
    pool->file_end += size;
    places->total++;
    return position;
}

/* Gives back a place of `bytes` bytes. */
static void place_give(RowsPool *pool, uint64_t position, uint64_t bytes)
{
    unsigned class_index;
    FreePlaces *places;

    place_size(bytes, &class_index);
    places = &pool->free_places[class_index];
    places->positions[places->count++] = position;
}

/* Starts the file over, once nothing in it is in use. */
static void file_restart(RowsPool *pool)
{
    pool->file_end = 0;
    if (pool->free_places)
        for (unsigned i = 0; i < FILE_CLASSES; i++)
            pool->free_places[i].count = pool->free_places[i].total = 0;
}

RowsPlace rows_place_take(Rows *rows, uint64_t bytes)
{
    rows->pool->extents++; /* the file does not start over meanwhile */
    return (RowsPlace){.pool = rows->pool, .position = place_take(rows->pool, bytes), .bytes = bytes};
}

void rows_place_give(RowsPlace *place)
{
    place_give(place->pool, place->position, place->bytes);
    if (--place->pool->extents == 0)
        file_restart(place->pool);
}

void rows_place_write(const RowsPlace *place, uint64_t at, const void *data, size_t size)
{
    place->pool->env->spill_write(place->pool->env, place->position + at, data, size);
}

void rows_place_read(const RowsPlace *place, uint64_t at, void *data, size_t size)
{
    place->pool->env->spill_read(place->pool->env, place->position + at, data, size);
}

/* ---- memory of chunks ---- */

/* Frees the memory of a chunk. */
static void chunk_release(RowsPool *pool, ChunkHead *head)
{
    pool->memory -= head->size + ALLOCATION_OVERHEAD;
    pool->env->release(pool->env, head);
}

/* ---- eviction ---- */

/* Returns the extent that the next `bytes` of a Rows go to: its last one, if there is room, or a new one. */
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
            env_fail(env, ERROR_LIMIT, NULL, "the rows of one group have too many pieces in the temporary file");
        rows->extents = env->resize(env, rows->extents, (size_t)capacity * sizeof(Extent));
        pool->memory += (size_t)(capacity - rows->extent_capacity) * sizeof(Extent);
        rows->extent_capacity = capacity;
    }
    size = rows->spilled < EXTENT_FIRST ? EXTENT_FIRST : rows->spilled;
    if (size > EXTENT_MAX)
        size = EXTENT_MAX;
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
    chunk_release(pool, head);
}

/* Returns the first full chunk from here on that is not being read, or NULL. */
static ChunkHead *eviction_full(ChunkHead *head)
{
    while (head && head->owner->readers > 0)
        head = head->next;
    return head;
}

/* Returns the fullest of the first open chunks, or NULL if all are being read. Chunks that were compared move to the end. */
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

void rows_make_room(Rows *rows, size_t bytes)
{
    RowsPool *pool = rows->pool;
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

Rows *rows_computed(RowsPool *pool, Model *schema, unsigned contents, const RowsSource *source)
{
    Rows *rows = rows_new(pool, schema, contents);

    rows->count = schema->rows;
    rows->source = source;
    return rows;
}

void rows_free(Rows *rows)
{
    RowsPool *pool = rows->pool;
    Env *env = pool->env;

    for (ChunkHead *head = rows->first, *following; head; head = following) {
        following = head->following;
        list_remove(head->open ? &pool->open : &pool->full, head);
        chunk_release(pool, head);
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

uint64_t rows_spare(const Rows *rows)
{
    size_t limit = rows->pool->env->memory_limit;

    return limit > rows->pool->memory ? limit - rows->pool->memory : 0;
}

RowsPool *rows_pool_of(const Rows *rows)
{
    return rows->pool;
}

void rows_set_objects(Rows *rows, const struct MetricObjects *objects)
{
    rows->objects = objects;
}

const struct MetricObjects *rows_objects(const Rows *rows)
{
    return rows->objects;
}

double *rows_impute_means(Env *env, const Rows *rows)
{
    double *means;

    if (rows->means == NULL)
        return NULL;
    means = env_array_raw(env, (size_t)rows->slots + 1, sizeof(double));
    for (uint32_t s = 0; s < rows->slots; s++) {
        FieldKind kind = schema_field_kind(rows->schema, schema_slot_field(rows->schema, s));

        means[s] = kind == FIELD_CATEGORICAL ? 0 : rows->means[s];
    }
    return means;
}

uint64_t rows_id_bytes(const Rows *rows)
{
    return rows->id_bytes;
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

/*
 * Returns the size of the next chunk: as much as the Rows has already, up to its fair share of the pool, and of a large budget only a small part,
 * because a chunk that is not full yet takes its room from rows.
 */
static size_t chunk_target(const Rows *rows)
{
    const RowsPool *pool = rows->pool;
    size_t share = pool->env->memory_limit / 3 / (pool->member_count ? pool->member_count : 1);
    size_t most = CHUNK_MIN, size = CHUNK_FIRST;

    while (most < CHUNK_MAX && most * 2 <= (most < EXTENT_MAX ? share : share / 5))
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

    if (rows->contents & ROWS_ID) /* ids are expected to be as long as those so far */
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

    rows_make_room(rows, size + ALLOCATION_OVERHEAD);
    head = pool->env->alloc(pool->env, size);
    pool->memory += size + ALLOCATION_OVERHEAD;
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
    list_append(&pool->open, head);
    return head;
}

/* Marks a chunk as full. */
static void chunk_close(RowsPool *pool, ChunkHead *head)
{
    list_remove(&pool->open, head);
    head->open = false;
    list_append(&pool->full, head);
}

/* Returns the chunk that the next row goes to. */
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

/* Adds a row to the means of the slots. */
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

/* ---- hash ---- */

uint64_t rows_hash(uint64_t seed, const double *slots, uint32_t count)
{
    uint64_t hash = mix64(seed + RANDOM_STEP);

    for (uint32_t i = 0; i < count; i++) {
        double value = slots[i] == 0.0 ? 0.0 : slots[i]; /* turns -0 into 0 */
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        hash = mix64(hash + RANDOM_STEP + mix64(bits ^ i));
    }
    return mix64(hash ^ count);
}
