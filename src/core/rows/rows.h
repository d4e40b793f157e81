/*
 * rows.h - moments that keeps the rows: an append-only matrix in chunks, spilled past a budget.
 *
 * A pool serves all Rows of one plan node in one process: one budget (env->memory_limit) and one
 * temporary file (env->spill_*), in which each Rows owns a chain of chunks. Methods that stream read
 * block by block and do not notice where a chunk lives. A pool and its Rows belong to one thread.
 */
#ifndef PGFIT_ROWS_H
#define PGFIT_ROWS_H

#include "core/model/model.h"
#include "core/model/schema.h"

typedef struct RowsPool RowsPool;
typedef struct Rows Rows;

/* env must outlive the pool and allocate where the pool lives. */
RowsPool *rows_pool(Env *env);
/* Frees all chunks of all Rows of the pool, the Rows and the pool; the file is the host's. */
void rows_pool_free(RowsPool *pool);
size_t rows_pool_memory(const RowsPool *pool);    /* bytes held now */
uint64_t rows_pool_spilled(const RowsPool *pool); /* bytes of rows in the file now */
uint64_t rows_pool_file(const RowsPool *pool);    /* length of the file, with recycled gaps */

/* What a row has besides its slots. */
#define ROWS_TARGET 1 /* a number, or a class's dictionary position */
#define ROWS_WEIGHT 2
#define ROWS_ID 4 /* text bytes */
#define ROWS_MISSING 8 /* a slot may be NaN: a NULL, read back as the mean of the slot's other values */

/*
 * schema: a MODEL_FITTED value that holds schema and dictionary (it grows as levels appear; see
 * rows_set_schema) and stays the caller's. Its header counts: rows_append keeps `rows` and `weight`,
 * the caller `skipped` and the flags. The first chunk holds a few rows, later ones double up to 256 kB
 * or the pool's fair share.
 */
Rows *rows_new(RowsPool *pool, Model *schema, unsigned contents);
void rows_free(Rows *rows); /* gives its chunks back to pool and file */

Model *rows_schema(const Rows *rows);
void rows_set_schema(Rows *rows, Model *schema); /* after dictionary_add */

/* target, weight and id are read where the contents have them. Not while a reader is open. */
void rows_append(Rows *rows, const double *slots, double target, double weight, const char *id,
                 uint32_t id_length);
uint64_t rows_count(const Rows *rows);
uint32_t rows_slots(const Rows *rows);
unsigned rows_contents(const Rows *rows);
uint64_t rows_bytes(const Rows *rows); /* as a resident matrix: count x (slots + extras) x 8 */
uint64_t rows_id_bytes(const Rows *rows); /* of all ids */
RowsPool *rows_pool_of(const Rows *rows);
/* With ROWS_MISSING: the weighted mean of each slot's values (NaN: none yet), [slots]; else NULL. */
const double *rows_means(const Rows *rows);

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
 * Several readers of one Rows may be open, each at its own place. Spilled rows that fit into half the
 * budget are read from the file once a reader; more than that, once a pass. env: the fit's.
 */
typedef struct RowsReader RowsReader;
RowsReader *rows_reader(Env *env, Rows *rows);
/* false after the last. Polls for cancel. */
bool rows_next_block(RowsReader *reader, RowsBlock *block);
void rows_rewind(RowsReader *reader);
void rows_reader_free(RowsReader *reader);

/* Of weights as blocks and others have them: NULL is 1 for every row. */
static inline double row_weight(const double *weights, uint64_t i)
{
    return weights != NULL ? weights[i] : 1;
}

/*
 * All rows as one matrix in env's memory, for methods that need them together; fails with ERROR_LIMIT
 * where it would pass the budget, naming needed and allowed. targets, weights: NULL where not wanted;
 * *targets, *weights are NULL where the rows have none.
 */
double *rows_matrix(Env *env, Rows *rows, double **targets, double **weights, const char *method);

/* 64-bit hash of (seed, content of a row over canonical bytes): picks that do not depend on order. */
uint64_t rows_hash(uint64_t seed, const double *slots, uint32_t count);

#endif
