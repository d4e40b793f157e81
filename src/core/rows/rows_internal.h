/*
 * rows_internal.h - chunks, their parts and extents of the file, for rows.c and rows_read.c.
 */
#ifndef PGFIT_ROWS_INTERNAL_H
#define PGFIT_ROWS_INTERNAL_H

#include "core/rows/rows.h"

typedef struct ChunkHead ChunkHead;

/* A part of the file that chunks of one Rows are written to, one after another. */
typedef struct Extent {
    uint64_t position, size, used;
} Extent;

/* The header of a chunk in the file; the data after it is padded to 8 bytes. */
typedef struct FileHead {
    uint32_t count, id_bytes;
} FileHead;

/* The header of a chunk in memory, linked in its Rows and in the pool's list of full or open chunks. */
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

/*
 * The free places of one size class in the file. There is room for all places of the class, so that giving one back cannot
 * fail.
 */
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
    bool closing;      /* the pool is being freed: places need no recycling */
    FreePlaces *free_places; /* [FILE_CLASSES], made at the first spill */
};

struct Rows {
    RowsPool *pool;
    Rows *next, *previous;
    Model *schema;
    uint64_t count;
    uint64_t id_bytes;
    uint64_t spilled; /* bytes in the file */
    size_t allotted;  /* bytes of all chunks so far: the next one is as large, up to a limit */
    size_t buffers;   /* bytes of its readers' buffers, counted in the memory of the pool */
    Extent *extents;
    uint32_t extent_count, extent_capacity;
    ChunkHead *first, *last; /* resident chunks; their rows follow those in the file */
    uint32_t slots;
    uint16_t contents;
    uint16_t readers; /* while positive, its chunks stay where they are */
    uint32_t row_bytes_fixed; /* of targets, weights, id ends */
    double *means;            /* ROWS_MISSING: [slots] means, then [slots] their weights */
    uint64_t missing;         /* NaNs among the slots */
    const struct MetricObjects *objects; /* whose numbers the rows are; NULL: they are rows of their own */
    const RowsSource *source;     /* of rows_computed; NULL: the rows are stored */
    const struct RowScale *scale; /* of rows_standardize: readers return standardized numbers; NULL: as they came */
};

/* Returns the bytes of a row without the text of its id. */
static inline size_t row_bytes(const Rows *rows)
{
    return (size_t)rows->slots * sizeof(double) + rows->row_bytes_fixed;
}

static inline size_t align8(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* The parts of a chunk with room for `capacity` rows. */
typedef struct ChunkParts {
    double *slots, *targets, *weights;
    uint32_t *id_ends;
    char *ids;
} ChunkParts;

static inline ChunkParts chunk_parts(const Rows *rows, void *data, uint32_t capacity)
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

#endif
