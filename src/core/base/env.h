/*
 * env.h - everything the core needs from its host, in one structure.
 *
 * The core includes no PostgreSQL header and keeps no mutable global state: memory, errors,
 * cancellation, warnings, progress and temporary files all go through an Env. src/pg/host/backend_env.c is the
 * host inside a backend, test/core/host.c the one of the unit tests and fuzzers.
 */
#ifndef PGFIT_ENV_H
#define PGFIT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX < UINT64_MAX
#error "pgfit needs a 64-bit platform"
#endif

/* What went wrong. The host maps each code to an SQLSTATE. */
typedef enum ErrorCode {
    ERROR_NONE,          /* successful_completion: of a warning that is but a NOTICE */
    ERROR_PARAMETER,     /* invalid_parameter_value: an option or argument */
    ERROR_DATA,          /* data_exception: rows, features, labels */
    ERROR_RANGE,         /* numeric_value_out_of_range */
    ERROR_LIMIT,         /* program_limit_exceeded: memory or size, with needed and allowed */
    ERROR_TEXT,          /* invalid_text_representation */
    ERROR_BINARY,        /* invalid_binary_representation */
    ERROR_CORRUPT,       /* data_corrupted: a stored value that fails its checks */
    ERROR_KIND,          /* wrong_object_type: a model of the wrong estimator */
    ERROR_INTERNAL       /* internal_error: cannot happen */
} ErrorCode;

/* Strings in the memory of the host. */
typedef struct TextList {
    uint32_t count;
    const char *const *bytes; /* [count], not zero-terminated */
    const uint32_t *lengths;  /* [count] */
} TextList;

/*
 * Tells whether a number stands for a text of the row that is scored, -1 - i, and sets *place to i. Damaged models have any number; one
 * between -1 and 0 stands for none.
 */
static inline bool row_text_of(const TextList *row, double number, uint32_t *place)
{
    if (!(number <= -1) || !(-1 - number < row->count))
        return false;
    *place = (uint32_t)(-1 - number);
    return true;
}

typedef struct Env Env;
struct XmlTree;
struct SharedWork;
struct TeamWork;

/*
 * A function of two values that the host calls: a metric that users wrote. Values are numbers: positions among those that were set, or
 * -1 - i for text i of the row that is scored (row_texts).
 */
typedef struct PairFunction PairFunction;
struct PairFunction {
    const char *signature; /* with its schema, as a model keeps it */
    /* Takes the values, from their texts. */
    void (*set_values)(PairFunction *function, const TextList *values);
    /*
     * Writes the results for value a and others [count]. Returns how many: fewer than count if the function returned NULL for the next
     * one. A number without a value gives NaN. Errors of the function pass; polls.
     */
    uint32_t (*distances)(PairFunction *function, double a, const double *others, uint32_t count, double *out);
};

struct Env {
    void *host; /* the host's own data; functions reach it by this, because an Env may be copied */

    /* Memory. alloc and resize never return NULL (they fail); any size, also above 1 GB.
     * resize of NULL is alloc. */
    void *(*alloc)(Env *env, size_t size);
    void *(*resize)(Env *env, void *block, size_t size);
    void (*release)(Env *env, void *block);

    /* Does not return. message: lower case, no period, with the numbers; hint: a sentence or NULL. */
    void (*fail)(Env *env, ErrorCode code, const char *message, const char *hint)
        __attribute__((noreturn));
    /* A WARNING, or with ERROR_NONE a NOTICE; returns. family: the same pointer for all warnings of one kind, which the host may raise together. */
    void (*warn)(Env *env, ErrorCode code, const char *family, const char *message, const char *hint);

    /* Polls for cancellation: call at least every 10 ms of work, never inside BLAS; may not return. */
    void (*poll)(Env *env);
    /* Reports progress: a phase, units done and in total (0: unknown), the loss (NaN: none). */
    void (*progress)(Env *env, const char *phase, uint64_t done, uint64_t total, double loss);

    /* One temporary file, addressed by byte position; created at the first write. */
    void (*spill_write)(Env *env, uint64_t position, const void *data, size_t size);
    void (*spill_read)(Env *env, uint64_t position, void *data, size_t size);

    /*
     * Returns the function of this signature, such as "my_schema.my_distance(text,text)", if whoever fits or scores may call it and trusts it. stored:
     * a model names it. Fails if there is none, or it cannot be a metric. NULL: the host has no functions.
     */
    PairFunction *(*pair_function)(Env *env, const char *signature, bool stored);

    /* Parses an XML document into a tree (core/pmml/xml_tree.h). Fails with ERROR_DATA if it is malformed. NULL: the host has no XML parser. */
    void (*read_xml)(Env *env, const uint8_t *bytes, size_t length, struct XmlTree *tree);

    /* Does tasks of a fit in several processes where that pays (shared_work.h), with the same results. NULL: the host has one process. */
    void (*share)(Env *env, const struct SharedWork *work);
    /* Does the steps of a fit, with several processes in each where that pays (team.h), with the same results. NULL: the host has one process. */
    void (*team)(Env *env, const struct TeamWork *work);

    size_t memory_limit; /* pgfit.fit_mem in bytes */

    /*
     * The texts of the row that is being scored, set by the host before it asks for the score: a slot of kind FIELD_TEXT holds -1 - i for
     * text i (schema.h).
     */
    TextList row_texts;

    /*
     * SQL expressions instead of the names of a model's fields, while it is written as SQL (sql_column); NULL: their names. A pipeline sets
     * those of the stage before while it writes a stage; env_fail forgets them.
     */
    const char *const *sql_columns;
    const char *sql_offset; /* besides, the offset of the model's formula, where scoring_takes_offset; NULL: none */

    /* What messages begin with, a short text such as "while fold 3 was held out"; NULL: nothing. Set it in a copy of the Env. */
    const char *context;

    /* Whether strings are in a server encoding other than UTF-8, so that their bytes are not checked and JSON escapes above
     * \u007f are refused. */
    bool foreign_text;
    /*
     * Converts a text to UTF-8, or back to the encoding of the server, and sets *length. Returns the text itself or new memory. NULL where
     * foreign_text is false, or the encoding of the texts is unknown.
     */
    const char *(*convert_text)(Env *env, bool to_utf8, const char *text, size_t *length);
};

/* Polls in each iteration i of a loop that is a multiple of `every`. */
static inline void env_poll_every(Env *env, uint64_t i, uint64_t every)
{
    if (i % every == 0)
        env->poll(env);
}
/* Adds to the work done since the last poll, and polls where it exceeds `most`. */
static inline void env_poll_after(Env *env, uint64_t *done, uint64_t work, uint64_t most)
{
    *done += work;
    if (*done > most) {
        *done = 0;
        env->poll(env);
    }
}
/* Polls after every so many rows of a loop over all of them, of which i is one. */
#define ENV_POLL_ROWS 16384
static inline void env_poll_rows(Env *env, uint64_t i)
{
    env_poll_every(env, i + 1, ENV_POLL_ROWS);
}

/* Fail and warn with a printf format; hint may be NULL. env_fail does not return. */
void env_fail(Env *env, ErrorCode code, const char *hint, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
void env_warn(Env *env, ErrorCode code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns a formatted message of less than 200 bytes, allocated from env. */
const char *env_message(Env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns count * size bytes, zeroed. Fails with ERROR_LIMIT if the product overflows. */
void *env_array(Env *env, size_t count, size_t size);
/* Copy and zero memory of any size, with polls in between. */
void env_copy(Env *env, void *to, const void *from, size_t size);
void env_zero(Env *env, void *to, size_t size);

/* Returns zeroed doubles on a boundary of ENV_ALIGN bytes; release *block. */
#define ENV_ALIGN 64
double *env_aligned(Env *env, size_t count, void **block);

/* The same without zeroing. */
double *env_aligned_raw(Env *env, size_t count, void **block);

/* The same as env_array without zeroing. */
void *env_array_raw(Env *env, size_t count, size_t size);
/* Returns an array with room for one more than count elements: itself, or a copy with twice the room. array NULL: *room is 0. */
void *env_grow(Env *env, void *array, uint32_t count, uint32_t *room, size_t size);

/* Returns a zero-terminated copy of a text. */
char *env_text(Env *env, const char *text, size_t length);

/* Writes "12.5 MB", or "3 kB" if that would be 0.0 MB; returns buffer. */
#define ENV_SIZE_TEXT 32
const char *env_size_text(size_t bytes, char buffer[ENV_SIZE_TEXT]);

/* Fails with ERROR_LIMIT, naming both sizes and pgfit.fit_mem, if needed > memory_limit. */
void env_require_memory(Env *env, size_t needed, const char *what);

#endif
