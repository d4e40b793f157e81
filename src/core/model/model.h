/*
 * model.h - a model (or a summary of rows) as one flat value of named arrays.
 *
 * A value is a header, a directory of entries and the entries' data, each 8-byte aligned, so that a
 * scorer reads it in place and an aggregate changes it in place. Text, binary, storage, parameter(),
 * equality and fuzzing work on any value; no method writes its own serialization.
 *
 *     Model | ModelEntry[entry_count] | data ...
 *
 * A value holds only data. Its offsets are positions inside itself and are checked against its size
 * by model_check before anything follows them; input functions build values only through
 * model_build, so what a user types never chooses an offset.
 */
#ifndef PGFIT_MODEL_H
#define PGFIT_MODEL_H

#include "core/base/env.h"

#define MODEL_MAGIC 0x54494647u /* "GFIT" */
#define MODEL_FORMAT 1          /* this writer's format */
#define MODEL_READER 1          /* the newest format this reader knows */
#define MODEL_NAME_SIZE 28      /* an entry's name with its closing zero */
#define MODEL_MAX_TEXT 1000000000u /* a value whose text would pass this is refused when built */
#define MODEL_MAX_SIZE 1000000000u /* bytes of a flat value */
#define MODEL_MAX_ROWS ((int64_t)1 << 62) /* used or skipped: steps add to what was read, far from the end */
#define MODEL_MAX_ENTRIES 1024
#define MODEL_SHORT_ARRAY 64 /* numbers that text shows as decimals; longer arrays are base64 */

typedef enum ModelKind {
    MODEL_FITTED = 1,         /* an estimator's result */
    MODEL_MOMENTS = 2,        /* regression moments: a triangular factor of the centered rows */
    MODEL_CLASS_MOMENTS = 3,  /* a class: means and centered cross-products */
    MODEL_FEATURE_MOMENTS = 4 /* means and centered cross-products */
} ModelKind;

/* model flags; unknown bits are refused */
#define MODEL_NAMED 0x01     /* features have column names: score by name */
#define MODEL_WEIGHTED 0x02  /* rows came with a weight argument */
#define MODEL_FREQUENCY 0x04 /* weights are counts: n is their sum */
#define MODEL_IMPUTE 0x08    /* nulls = impute */
#define MODEL_NULL_ERROR 0x10 /* nulls = error */
#define MODEL_UNSEEN_ERROR 0x20 /* unseen = error */
#define MODEL_OUTPUT 0x40 /* probabilities and classes are what classifier_output.h makes of the estimator's */
#define MODEL_FOLDED 0x80  /* moments in folds: moments.h */
#define MODEL_FLAGS 0xff

/* 128 bytes; a transition function reads and writes only these first two cache lines per row. */
typedef struct Model {
    uint32_t host_word; /* the host's length word; the core never reads it */
    uint32_t magic;
    uint8_t format;     /* written by */
    uint8_t min_reader; /* readers older than this refuse */
    uint8_t kind;       /* ModelKind */
    uint8_t flags;
    uint32_t size;        /* bytes of the whole value */
    uint64_t fingerprint; /* of the content, see model_seal; 0 in a running state */
    uint64_t schema_hash; /* of the schema section */
    char estimator[32];   /* name, zero padded; "moments", ... for moments */
    uint32_t entry_count;
    uint32_t field_count; /* features as the user named them: columns of the row */
    uint32_t slot_count;  /* numbers in an encoded row: a field of width n has n slots */
    uint32_t column_count; /* moments: columns of the moments (target, numbers, dummies) */

    int64_t rows;    /* rows used (weight > 0) */
    int64_t skipped; /* rows left out for a NULL or a zero weight */
    double weight;   /* sum of the weights */

    /*
     * Moments only, zero elsewhere: rows added and not yet flushed. The entry "pending" holds
     * pending_rows rows, whatever its own count says (see model_rows). Text, binary and compaction
     * keep pending_rows and flushes; the capacity is pending_rows after them, so room is made at
     * the next row, and how much must follow from flushes and the numbers of columns and classes alone.
     */
    uint32_t pending_rows;
    uint32_t pending_capacity; /* rows that fit the entry's room */
    uint32_t pending_offset; /* of the data of entry "pending"; set by model_build and model_grow */
    uint32_t flushes;
    /*
     * Of the canonical options, in a running state; 0: not known (built, stored and read values have 0).
     * Transition functions compare it per row instead of the text; it is not part of the content.
     */
    uint64_t options_hash;
} Model;

_Static_assert(sizeof(Model) == 128, "the layout of stored values");

typedef enum ElementType {
    ARRAY_F64 = 1,
    ARRAY_I64 = 2,
    ARRAY_BOOL = 3,
    ARRAY_TEXT = 4,
    ARRAY_F32 = 5,
    ARRAY_I32 = 6,
    ARRAY_U8 = 7
} ElementType;
#define ARRAY_TYPES 7 /* the types are 1 .. ARRAY_TYPES */

typedef enum ModelSection {
    SECTION_SCHEMA = 1,  /* fields, levels, classes: see schema.h */
    SECTION_OPTIONS = 2, /* one TEXT of JSON, "options": as used */
    /* fit statistics; length-1 arrays print as scalars. info() adds what follows from them: estimator.h */
    SECTION_FACTS = 3,
    SECTION_ARRAYS = 4   /* what parameter() reads and scorers use */
} ModelSection;

/*
 * A symmetric matrix NAME may be stored as the F64 array NAME_packed of one dimension: its upper triangle
 * by columns. To parameter() and info() it is NAME, in full.
 */
#define MODEL_PACKED "_packed"

/*
 * F64 and I64 take 8 bytes per element, F32 and I32 take 4, U8 and BOOL (0 or 1) take 1; matrices are row
 * major. TEXT holds strings end to end from the start of the data, and a table of uint32 end offsets that
 * grows down from data + reserved: string i is [end(i-1), end(i)), so strings can be appended in place
 * while there is room. BOOL and TEXT have one dimension. Up to the next multiple of 8 bytes, what follows the
 * last element of F32, I32, U8 and BOOL is zero.
 */
typedef struct ModelEntry {
    char name[MODEL_NAME_SIZE];
    uint8_t section;
    uint8_t type;
    uint8_t dimensions; /* 1 or 2 */
    uint8_t reserved0;  /* 0 */
    uint32_t rows;      /* elements, or rows of a matrix */
    uint32_t columns;   /* of a matrix; 1 where dimensions is 1 */
    uint32_t offset;    /* of the data, from the start of the value; a multiple of 8 */
    uint32_t reserved;  /* bytes of room at offset: at least 8; a multiple of 8 */
} ModelEntry;

_Static_assert(sizeof(ModelEntry) == 48, "the layout of stored values");

/* Returns the bytes that an element of this type takes; of a TEXT those in the table of ends. */
static inline uint32_t model_element_size(unsigned type)
{
    switch (type) {
    case ARRAY_BOOL:
    case ARRAY_U8:
        return 1;
    case ARRAY_TEXT:
    case ARRAY_F32:
    case ARRAY_I32:
        return 4;
    default:
        return 8;
    }
}

/* ---- reading: all of these want a value that passed model_check ---- */

static inline const ModelEntry *model_entries(const Model *model)
{
    return (const ModelEntry *)(model + 1);
}
/* The n of degrees of freedom and criteria: rows, or the sum of weights that are counts. */
static inline double model_counted_rows(const Model *model)
{
    return model->flags & MODEL_FREQUENCY ? model->weight : (double)model->rows;
}
/* Rows of an entry; of the pending ones, those that the header counts. */
static inline uint32_t model_rows(const Model *model, const ModelEntry *entry)
{
    return entry->offset == model->pending_offset ? model->pending_rows : entry->rows;
}
/* Bytes in use of the room of an entry. */
uint64_t model_entry_bytes(const Model *model, const ModelEntry *entry);
/* Letters, digits and underscores, no digit first: names of arrays and estimators. */
bool model_name_valid(const char *name, size_t length);
/* The entry of this name, or NULL. */
const ModelEntry *model_find(const Model *model, const char *name);
const void *model_data(const Model *model, const ModelEntry *entry);
/* What users call an array; its order where it is a packed symmetric matrix, else 0. */
uint32_t model_array_name(const Model *model, const ModelEntry *entry, char name[MODEL_NAME_SIZE]);
/* The array that users call so, or that is stored so; order as above. NULL: none. */
const ModelEntry *model_find_array(const Model *model, const char *name, uint32_t *order);
/* A required array: its data, and its length; NULL where there is none of this name and type. */
const double *model_f64(const Model *model, const char *name, uint32_t *length);
const int64_t *model_i64(const Model *model, const char *name, uint32_t *length);
const float *model_f32(const Model *model, const char *name, uint32_t *length);
const int32_t *model_i32(const Model *model, const char *name, uint32_t *length);
const uint8_t *model_u8(const Model *model, const char *name, uint32_t *length);
/* Returns element i of a numeric or BOOL entry as a double; a BOOL is 0 or 1. */
double model_number(const Model *model, const ModelEntry *entry, size_t i);
/* String i of a TEXT entry: not zero-terminated. */
const char *model_text(const Model *model, const ModelEntry *entry, uint32_t i, uint32_t *length);
/* Returns where string i of a TEXT entry ends, in bytes from the start of its data. */
uint32_t model_text_end(const Model *model, const ModelEntry *entry, uint32_t i);
/* The options as JSON text ("{}" where none). */
const char *model_options(const Model *model, uint32_t *length);
/* A fact as a number; missing: fallback. */
double model_fact(const Model *model, const char *name, double fallback);

/* ---- building ---- */

/*
 * A builder collects entries, then model_build lays them out. Names, strings and arrays are copied
 * at build time: they must live until then.
 */
typedef struct ModelBuilder ModelBuilder;
ModelBuilder *model_builder(Env *env, ModelKind kind, const char *estimator);
Model *builder_header(ModelBuilder *builder); /* to set flags, rows, ... before building */
/* Arrays of one dimension. */
void builder_f64(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t count);
void builder_i64(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t count);
void builder_f32(ModelBuilder *b, ModelSection s, const char *name, const float *data, uint32_t count);
void builder_i32(ModelBuilder *b, ModelSection s, const char *name, const int32_t *data, uint32_t count);
void builder_u8(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data, uint32_t count);
/* Matrices, row major. A matrix has columns: of a design without any leave it out, or the fit fails. */
void builder_f64_matrix(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t rows,
                        uint32_t columns);
void builder_i64_matrix(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t rows,
                        uint32_t columns);
/*
 * Adds an array or a matrix of any numeric type (not BOOL, not TEXT). The shape is that of the entry: dimensions 1 and
 * columns 1, or dimensions 2.
 */
void builder_numbers(ModelBuilder *b, ModelSection s, const char *name, ElementType type, const void *data,
                     unsigned dimensions, uint32_t rows, uint32_t columns);
void builder_bool(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data,
                  uint32_t rows);
void builder_text(ModelBuilder *b, ModelSection s, const char *name, const char *const *strings,
                  const uint32_t *lengths, uint32_t rows);
/* Adds a TEXT of one string. */
void builder_string(ModelBuilder *b, ModelSection s, const char *name, const char *bytes, size_t length);
/* Adds an entry of another value, which must live until model_build. */
void builder_entry_from(ModelBuilder *b, const Model *source, const ModelEntry *entry);
/*
 * What model_build would take for a mistake of the program: two entries of one name, or a wrong entry
 * "pending". NULL: nothing. Readers ask first, and want it exact: no pending rows but those in use.
 */
const char *builder_problem(const ModelBuilder *b, bool exact);
/* Room to grow in place: at least this many bytes reserved for the entry last added. */
void builder_reserve(ModelBuilder *b, uint32_t bytes);
/*
 * A builder with the header and those entries of a fitted model that keep() wants (NULL: all); the
 * model must live until model_build.
 */
ModelBuilder *builder_from(Env *env, const Model *model, bool (*keep)(const ModelEntry *entry));
/* All facts of another value, which must live until model_build. */
void builder_facts_from(ModelBuilder *b, const Model *source);
/* Facts, one number each. */
void builder_fact(ModelBuilder *b, const char *name, double value);
void builder_fact_i64(ModelBuilder *b, const char *name, int64_t value);
void builder_fact_bool(ModelBuilder *b, const char *name, bool value);
void builder_fact_text(ModelBuilder *b, const char *name, const char *value);
void builder_options(ModelBuilder *b, const char *json, uint32_t length);
/*
 * One block of memory from env->alloc, 8-byte aligned, all padding zero, sealed. Fails with
 * ERROR_LIMIT where the value or its text would be too large.
 */
Model *model_build(ModelBuilder *builder);

/* ---- changing a running state in place (aggregates only) ---- */

/*
 * The same value with room for `bytes` in the named entry (doubled, or an eighth more where doubling
 * would pass memory_limit), in new memory; its data and everything else unchanged. The old block is
 * left to the caller.
 */
Model *model_grow(Env *env, const Model *model, const char *name, uint32_t bytes);
/*
 * Fails with ERROR_LIMIT, naming needed and allowed and pgfit.fit_mem, where classes or levels make a state grow by so
 * many bytes past memory_limit; one below 1 MB may always grow. what: "a summary of 7 classes".
 */
void model_require_growth(Env *env, const Model *model, uint64_t more, const char *what);
ModelEntry *model_entry_mutable(Model *model, const char *name);
void *model_data_mutable(Model *model, ModelEntry *entry);
/* Appends a string to a TEXT entry; false where there is no room (then model_grow). */
bool model_text_append(Model *model, ModelEntry *entry, const char *bytes, uint32_t length);
/* Appends 8-byte elements to a one-dimensional entry; false where there is no room. */
bool model_append_f64(Model *model, ModelEntry *entry, double value);
bool model_append_i64(Model *model, ModelEntry *entry, int64_t value);

/* ---- integrity ---- */

/*
 * Checks the layout alone: header, reserved fields, directory, every offset and length, text tables. Returns NULL where
 * sound. Reads nothing outside [value, value + size). The whole check is in estimator/value_check.h.
 */
const char *model_check_layout(Env *env, const void *value, size_t size);
/* Checks that the options are one canonical JSON object, so that text and jsonb give them back as they are. */
const char *model_check_options(Env *env, const Model *model);

/* The names of kinds as text has them ("model", "moments", ...); NULL where unknown. */
const char *model_kind_name(unsigned kind);

/* A 64-bit hash of the content (names, shapes, canonical little-endian data, options, flags, counts;
 * not of offsets or spare room). Equal values have equal fingerprints on every platform. */
uint64_t model_fingerprint(Env *env, const Model *model);
uint64_t model_schema_fingerprint(Env *env, const Model *model);
/* Sets fingerprint and schema_hash. */
void model_seal(Env *env, Model *model);
/* Total order by content; 0 exactly where equal. */
int model_compare(const Model *a, const Model *b);
/* A copy without spare room (what is stored), sealed. */
Model *model_compact(Env *env, const Model *model);

/* ---- text and binary (model_text.h, model_binary.c) ---- */

/* JSON text, zero-terminated; *length without the zero. Every bit of every double comes back. */
char *model_to_text(Env *env, const Model *model, size_t *length);
/*
 * Reads what model_to_text wrote, with a sound layout but unchecked content: callers want model_from_text of
 * estimator/value_check.h. Fails with ERROR_TEXT naming the place.
 */
Model *model_parse_text(Env *env, const char *text, size_t length);
/* Network byte order. */
uint8_t *model_to_binary(Env *env, const Model *model, size_t *length);
Model *model_parse_binary(Env *env, const uint8_t *bytes, size_t length);

#endif
