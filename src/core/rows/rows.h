/*
 * rows.h - rows of numbers: an append-only matrix in chunks, spilled to a file past a memory budget.
 *
 * A pool serves all Rows of one plan node in one process: one budget (env->memory_limit) and one
 * temporary file (env->spill_*), in which each Rows owns a chain of chunks. Streaming methods read block by block,
 * whether a chunk is in memory or in the file. A pool and its Rows belong to one thread.
 */
#ifndef PGFIT_ROWS_H
#define PGFIT_ROWS_H

#include "core/base/shared_work.h"
#include "core/model/model.h"
#include "core/model/schema.h"

typedef struct RowsPool RowsPool;
typedef struct Rows Rows;

/* Makes a pool. env must outlive it and allocates its memory. */
RowsPool *rows_pool(Env *env);
/* Frees the pool with all its Rows and their chunks. The host closes the file. */
void rows_pool_free(RowsPool *pool);
size_t rows_pool_memory(const RowsPool *pool);    /* bytes held now */
uint64_t rows_pool_spilled(const RowsPool *pool); /* bytes of rows in the file now */
uint64_t rows_pool_file(const RowsPool *pool);    /* length of the file, with recycled gaps */

/*
 * A place in the pool's file for other bytes that a fit cannot keep in memory, at any position in it: write before you read.
 * rows: of the fit. Give it back at the end; after an error the host closes the file.
 */
typedef struct RowsPlace {
    RowsPool *pool;
    uint64_t position, bytes;
} RowsPlace;
RowsPlace rows_place_take(Rows *rows, uint64_t bytes);
void rows_place_give(RowsPlace *place);
void rows_place_write(const RowsPlace *place, uint64_t at, const void *data, size_t size);
void rows_place_read(const RowsPlace *place, uint64_t at, void *data, size_t size);

/* What a row holds besides its slots: flags of rows_new. */
#define ROWS_TARGET 1 /* a number, or a class's dictionary position */
#define ROWS_WEIGHT 2
#define ROWS_ID 4 /* text bytes */
#define ROWS_MISSING 8 /* a slot may be NaN: a NULL, read back as the mean of the slot's other values */

/*
 * Makes empty Rows. schema: a MODEL_FITTED value with schema and dictionary, which the caller owns and grows as levels
 * appear (rows_set_schema). rows_append updates `rows` and `weight` in its header; the caller updates `skipped` and
 * the flags. The first chunk holds a few rows; later ones double up to 256 kB or the pool's fair share.
 */
Rows *rows_new(RowsPool *pool, Model *schema, unsigned contents);
void rows_free(Rows *rows); /* gives its chunks back to pool and file */

Model *rows_schema(const Rows *rows);
void rows_set_schema(Rows *rows, Model *schema); /* after dictionary_add */

/* Writes chunks that nobody reads to the file, until those in memory leave room for so many bytes within the budget. */
void rows_make_room(Rows *rows, size_t bytes);
/* Appends a row; reads target, weight and id if the contents include them. No reader may be open. */
void rows_append(Rows *rows, const double *slots, double target, double weight, const char *id,
                 uint32_t id_length);
/* Returns the bytes of the budget that the pool does not use. */
uint64_t rows_spare(const Rows *rows);
uint64_t rows_count(const Rows *rows);
uint32_t rows_slots(const Rows *rows);
unsigned rows_contents(const Rows *rows);
uint64_t rows_bytes(const Rows *rows); /* as a resident matrix: count x (slots + extras) x 8 */
uint64_t rows_id_bytes(const Rows *rows); /* of all ids */
RowsPool *rows_pool_of(const Rows *rows);
/*
 * Rows that only number objects (slot 0), whose distances are given (core/distance): their distances; NULL: the rows are what they hold.
 * The caller owns them.
 */
struct MetricObjects;
void rows_set_objects(Rows *rows, const struct MetricObjects *objects);
const struct MetricObjects *rows_objects(const Rows *rows);
/*
 * Returns the means that replace NULLs at scoring, [slots]: the weighted means of the values, 0 for categorical slots,
 * NaN where all are NULL. NULL unless the rows have ROWS_MISSING.
 */
double *rows_impute_means(Env *env, const Rows *rows);

/* A block of consecutive rows, row major, valid until the next call for this reader. */
typedef struct RowsBlock {
    uint64_t first; /* number of its first row */
    uint32_t count;
    const double *slots;   /* [count x slots] */
    const double *targets; /* [count] or NULL */
    const double *weights; /* [count] or NULL: all 1 */
    const char *const *ids; /* [count] or NULL; not zero-terminated */
    const uint32_t *id_lengths;
} RowsBlock;

/*
 * Rows that are not stored but computed from others at each read, such as their features (kernel_methods/mapped_rows.h). The functions
 * are those of a reader; open returns what the others get. schema: with rows and weight in its header.
 */
typedef struct RowsSource {
    void *context;
    void *(*open)(void *context);
    bool (*next)(void *reader, RowsBlock *block);
    void (*rewind)(void *reader);
    void (*close)(void *reader);
} RowsSource;
Rows *rows_computed(RowsPool *pool, Model *schema, unsigned contents, const RowsSource *source);

/*
 * Visits rows, for another process. PACK_OPEN makes rows in the pool of the pack, which read the packed bytes: the same blocks. Not for rows with ROWS_MISSING
 * or whose distances are given.
 */
void rows_pack(Pack *pack, Rows **rows);

/*
 * Reads rows in order. Several readers may be open, each at its own position. Spilled rows that fit into half the budget
 * are read from the file once per reader, otherwise once per pass. env: that of the fit.
 */
typedef struct RowsReader RowsReader;
RowsReader *rows_reader(Env *env, Rows *rows);
/* Reads the next block; returns false after the last. Polls for cancellation. */
bool rows_next_block(RowsReader *reader, RowsBlock *block);
void rows_rewind(RowsReader *reader);
/*
 * Gives back the reader's buffer, which may take half of the budget, so that the rest of a fit can use it. Optional
 * at the end of a fit: estimator_fit calls rows_end_readers, which ends all readers that are left, and the scale of
 * rows_standardize (row_scale.h).
 */
void rows_reader_free(RowsReader *reader);
void rows_end_readers(Rows *rows);

/* Returns the weight of row i; weights NULL: 1. */
static inline double row_weight(const double *weights, uint64_t i)
{
    return weights != NULL ? weights[i] : 1;
}

/*
 * Returns all rows as one matrix [rows x slots] in env's memory, for methods that cannot stream. Fails with ERROR_LIMIT,
 * naming the bytes needed and allowed, if it would exceed the budget. targets, weights: NULL if not wanted; set to
 * NULL if the rows have none.
 */
double *rows_matrix(Env *env, Rows *rows, double **targets, double **weights, const char *method);

/* Returns a 64-bit hash of the seed and the content of a row, for choices that must not depend on row order. */
uint64_t rows_hash(uint64_t seed, const double *slots, uint32_t count);

#endif
