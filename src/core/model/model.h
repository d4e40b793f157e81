/*
 * model.h - a model, or a summary of rows, as one flat value of named arrays.
 *
 * A value is a header, a directory of entries and the entries' data, all aligned to 8 bytes, so that a
 * scorer can read it in place and an aggregate can change it in place. Text, binary, storage, parameter(),
 * equality and fuzzing work on any value; no method has a format of its own.
 *
 *     Model | ModelEntry[entry_count] | data ...
 *
 * A value holds only data. Its offsets are positions inside itself, and model_check compares them with its
 * size before anything follows them. Input functions build values only through model_build, so what a user
 * types never becomes an offset.
 */
#ifndef PGFIT_MODEL_H
#define PGFIT_MODEL_H

#include "core/base/env.h"

#define MODEL_MAGIC 0x54494647u /* "GFIT" */
#define MODEL_FORMAT 1          /* this writer's format */
#define MODEL_READER 1          /* the newest format this reader knows */
#define MODEL_NAME_SIZE 28      /* an entry's name with its closing zero */
#define MODEL_MAX_TEXT 1000000000u /* bytes of the text form; model_build refuses values that would need more */
#define MODEL_MAX_SIZE 1000000000u /* bytes of a flat value */
#define MODEL_MAX_ROWS ((int64_t)1 << 62) /* used or skipped; leaves room for the rows that an aggregate adds */
#define MODEL_MAX_ENTRIES 1024
#define MODEL_SHORT_ARRAY 64 /* text writes up to this many numbers as decimals, longer arrays as base64 */

typedef enum ModelKind {
    MODEL_FITTED = 1,         /* the result of an estimator */
    MODEL_MOMENTS = 2,        /* regression moments: a triangular factor of the centered rows */
    MODEL_CLASS_MOMENTS = 3,  /* of each class: means and centered cross-products */
    MODEL_FEATURE_MOMENTS = 4 /* means and centered cross-products */
} ModelKind;

/* Flags of a value. Unknown bits are refused. */
#define MODEL_NAMED 0x01     /* all features have column names; rows are scored by name */
#define MODEL_WEIGHTED 0x02  /* rows came with a weight argument */
#define MODEL_FREQUENCY 0x04 /* weights count rows: n is their sum */
#define MODEL_IMPUTE 0x08    /* nulls = impute */
#define MODEL_NULL_ERROR 0x10 /* nulls = error */
#define MODEL_NULL_VALUES (MODEL_IMPUTE | MODEL_NULL_ERROR) /* both: nulls = branch, a NULL is a value: NaN in its slot */
#define MODEL_UNSEEN_ERROR 0x20 /* unseen = error */
#define MODEL_OUTPUT 0x40 /* calibrated, or with a decision rule: see classifier_output.h */
#define MODEL_FOLDED 0x80 /* moments per cross-validation fold: see moments.h */
#define MODEL_FLAGS 0xff

/* The header, 128 bytes. For most rows, a transition function reads and writes only these two cache lines. */
typedef struct Model {
    uint32_t host_word; /* the length word of the host; the core never reads it */
    uint32_t magic;
    uint8_t format;     /* format of the writer */
    uint8_t min_reader; /* older readers refuse the value */
    uint8_t kind;       /* ModelKind */
    uint8_t flags;
    uint32_t size;        /* bytes of the whole value */
    uint64_t fingerprint; /* hash of the content, see model_seal; 0 in a running state */
    uint64_t schema_hash; /* hash of the schema section */
    char estimator[32];   /* its name, padded with zeros; of moments the name of the kind */
    uint32_t entry_count;
    uint32_t field_count; /* features: columns of the user's row */
    uint32_t slot_count;  /* numbers in an encoded row: a field of width n has n slots */
    uint32_t column_count; /* of moments: the columns that they sum (target, numbers, levels) */

    int64_t rows;    /* rows used, all of positive weight */
    int64_t skipped; /* rows left out because of a NULL or a zero weight */
    double weight;   /* sum of the weights */

    /*
     * Rows of moments that were added and not yet flushed; zeros in other values. The entry "pending" has
     * pending_rows rows, whatever its own count says (see model_rows). Text, binary and compaction keep
     * pending_rows and flushes, but leave a capacity of just pending_rows. The next row therefore makes room, and how
     * much must depend only on flushes and the numbers of columns and classes.
     */
    uint32_t pending_rows;
    uint32_t pending_capacity; /* rows for which the entry has room */
    uint32_t pending_offset; /* of the data of the entry "pending"; set by model_build and model_grow */
    uint32_t flushes;
    /*
     * Hash of the canonical options of a running state, which transition functions compare per row instead
     * of the text. 0 in values that were built, stored or read: not known. Not part of the content.
     */
    uint64_t options_hash;
} Model;

_Static_assert(sizeof(Model) == 128, "stored values have this layout");

typedef enum ElementType {
    ARRAY_F64 = 1,
    ARRAY_I64 = 2,
    ARRAY_BOOL = 3,
    ARRAY_TEXT = 4,
    ARRAY_F32 = 5,
    ARRAY_I32 = 6,
    ARRAY_U8 = 7
} ElementType;
#define ARRAY_TYPES 7 /* types are 1 .. ARRAY_TYPES */
/* Returns the name of a type, "f64". */
const char *array_type_name(unsigned type);

typedef enum ModelSection {
    SECTION_SCHEMA = 1,  /* fields, levels, classes: see schema.h */
    SECTION_OPTIONS = 2, /* one TEXT of JSON, "options": the options with their defaults */
    /* statistics of the fit; arrays of one element print as scalars. info() adds what can be derived: see estimator.h */
    SECTION_FACTS = 3,
    SECTION_ARRAYS = 4   /* what parameter() reads and scorers use */
} ModelSection;

/*
 * A symmetric matrix NAME may be stored as the F64 array NAME_packed of one dimension: its upper triangle
 * by columns. parameter() and info() show it as NAME, in full.
 */
#define MODEL_PACKED "_packed"

/*
 * An array of the directory. F64 and I64 take 8 bytes per element, F32 and I32 take 4, U8 and BOOL (0 or 1) take 1;
 * matrices are stored row by row. TEXT has its strings end to end from the start of the data, and a table of
 * uint32 end offsets that grows down from data + reserved: string i is [end(i-1), end(i)). Strings can therefore be
 * appended in place while there is room. BOOL and TEXT have one dimension. The bytes after the last element of
 * F32, I32, U8 and BOOL are zero up to the next multiple of 8.
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
    uint32_t reserved;  /* bytes of room for the data: at least 8, a multiple of 8 */
} ModelEntry;

_Static_assert(sizeof(ModelEntry) == 48, "stored values have this layout");

/* Returns the bytes per element of this type; for TEXT those in the table of ends. */
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

/* ---- reading: the value must have passed model_check ---- */

static inline const ModelEntry *model_entries(const Model *model)
{
    return (const ModelEntry *)(model + 1);
}
/* Returns n as degrees of freedom and criteria count it: the rows, or the sum of weights that count rows. */
static inline double model_counted_rows(const Model *model)
{
    return model->flags & MODEL_FREQUENCY ? model->weight : (double)model->rows;
}
/* Tells whether NULLs are values: Estimator.nulls_are_values. */
static inline bool model_nulls_are_values(unsigned flags)
{
    return (flags & MODEL_NULL_VALUES) == MODEL_NULL_VALUES;
}
/* Returns the rows of an entry; for the pending rows the number in the header. */
static inline uint32_t model_rows(const Model *model, const ModelEntry *entry)
{
    return entry->offset == model->pending_offset ? model->pending_rows : entry->rows;
}
/* Returns how many bytes of its room an entry uses. */
uint64_t model_entry_bytes(const Model *model, const ModelEntry *entry);
/* Tells whether this may name an array or an estimator: letters, digits and underscores, not starting with a digit. */
bool model_name_valid(const char *name, size_t length);
/* Tells whether an entry has one of these names, a list that ends with NULL. */
bool model_entry_is_any(const ModelEntry *entry, const char *const *names);
/* Returns the entry of this name, or NULL. */
const ModelEntry *model_find(const Model *model, const char *name);
const void *model_data(const Model *model, const ModelEntry *entry);
/* Writes the name by which users know an array. Returns the order of a packed symmetric matrix, 0 for other arrays. */
uint32_t model_array_name(const Model *model, const ModelEntry *entry, char name[MODEL_NAME_SIZE]);
/* Returns the array that users know by this name, or that is stored under it, or NULL. Sets *order as above. */
const ModelEntry *model_find_array(const Model *model, const char *name, uint32_t *order);
/* Return the data of an array, and its length if length is not NULL; NULL and 0 if there is none of this name and type. */
const double *model_f64(const Model *model, const char *name, uint32_t *length);
const int64_t *model_i64(const Model *model, const char *name, uint32_t *length);
const uint8_t *model_u8(const Model *model, const char *name, uint32_t *length);
/* Returns element i of a numeric or BOOL entry as a double. */
double model_number(const Model *model, const ModelEntry *entry, size_t i);
/* Returns string i of a TEXT entry; it is not zero-terminated. */
const char *model_text(const Model *model, const ModelEntry *entry, uint32_t i, uint32_t *length);
/* Returns a copy of the first string of a TEXT entry, zero-terminated; NULL without an entry. */
char *model_string(Env *env, const Model *model, const ModelEntry *entry);
/*
 * Tells whether the strings of a TEXT entry are in order of their bytes, each once. Neighbors that are not ASCII may be in either order: a dump
 * into a database of another encoding changes the bytes, and so the order, of these only.
 */
bool model_texts_in_order(const Model *model, const ModelEntry *entry);
/* Returns the place of a string among such; UINT32_MAX: it is not there. Takes O(log rows), and O(rows) for a string that is not ASCII. */
uint32_t model_text_find(const Model *model, const ModelEntry *entry, const char *text, uint32_t length);
/* Returns where string i of a TEXT entry ends, in bytes from the start of its data. */
uint32_t model_text_end(const Model *model, const ModelEntry *entry, uint32_t i);
/* Returns the options as JSON text, "{}" if there are none. */
const char *model_options(const Model *model, uint32_t *length);
/* Returns a fact of one number, or fallback if there is none of this name. */
double model_fact(const Model *model, const char *name, double fallback);

/* ---- building ---- */

/* Collects entries for model_build, which copies strings and arrays: they must live until then. */
typedef struct ModelBuilder ModelBuilder;
ModelBuilder *model_builder(Env *env, ModelKind kind, const char *estimator);
Model *builder_header(ModelBuilder *builder); /* flags, rows and so on, for the caller to set */
/* Add an array of one dimension. */
void builder_f64(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t count);
void builder_i64(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t count);
void builder_f32(ModelBuilder *b, ModelSection s, const char *name, const float *data, uint32_t count);
void builder_i32(ModelBuilder *b, ModelSection s, const char *name, const int32_t *data, uint32_t count);
void builder_u8(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data, uint32_t count);
/* Add a matrix, row by row. It must have columns: leave it out if a design has none, or the fit fails. */
void builder_f64_matrix(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t rows,
                        uint32_t columns);
void builder_i64_matrix(ModelBuilder *b, ModelSection s, const char *name, const int64_t *data, uint32_t rows,
                        uint32_t columns);
/* Adds an array (dimensions 1, columns 1) or a matrix (dimensions 2) of any type but TEXT; BOOL has one dimension. */
void builder_numbers(ModelBuilder *b, ModelSection s, const char *name, ElementType type, const void *data,
                     unsigned dimensions, uint32_t rows, uint32_t columns);
/*
 * Adds an array of one dimension in the narrowest of U8, F32, I32 and F64 that holds every number exactly (-0 needs a float).
 * The declaration of the array says so: ArraySpec.narrow. data may be changed afterwards.
 */
void builder_narrow(ModelBuilder *b, ModelSection s, const char *name, const double *data, uint32_t count);
/* data: zeros and ones. */
void builder_bool(ModelBuilder *b, ModelSection s, const char *name, const uint8_t *data, uint32_t rows);
/* Adds strings; lengths may be NULL if they are zero-terminated. */
void builder_text(ModelBuilder *b, ModelSection s, const char *name, const char *const *strings,
                  const uint32_t *lengths, uint32_t rows);
/* Adds one string. */
void builder_string(ModelBuilder *b, ModelSection s, const char *name, const char *bytes, size_t length);
/* Adds an entry of another value, which must live until model_build. */
void builder_entry_from(ModelBuilder *b, const Model *source, const ModelEntry *entry);
/*
 * Returns what model_build would refuse as a bug, or NULL: two entries of the same name, or a wrong entry
 * "pending". Readers ask first. exact: the entry may have no room for more than the pending rows.
 */
const char *builder_problem(const ModelBuilder *b, bool exact);
/* Reserves at least this many bytes for the entry that was added last, so that it can grow in place. */
void builder_reserve(ModelBuilder *b, uint32_t bytes);
/*
 * Returns a builder with the header of a model and the entries for which keep returns true (NULL: all). The model must
 * live until model_build.
 */
ModelBuilder *builder_from(Env *env, const Model *model, bool (*keep)(const ModelEntry *entry));
/* Adds all facts of another value, which must live until model_build. */
void builder_facts_from(ModelBuilder *b, const Model *source);
/* Add a fact of one element. */
void builder_fact(ModelBuilder *b, const char *name, double value);
/* The same, unless the value is not finite. */
void builder_fact_finite(ModelBuilder *b, const char *name, double value);
void builder_fact_i64(ModelBuilder *b, const char *name, int64_t value);
void builder_fact_bool(ModelBuilder *b, const char *name, bool value);
void builder_fact_text(ModelBuilder *b, const char *name, const char *value);
/* Adds the options; empty ones ('' or {}) are left out. */
void builder_options(ModelBuilder *b, const char *json, uint32_t length);
/*
 * Returns the sealed value, one block of memory from env->alloc in which all padding is zero. Fails with ERROR_LIMIT if
 * the value or its text would be too large.
 */
Model *model_build(ModelBuilder *builder);

/* ---- changing a running state in place (aggregates only) ---- */

/*
 * Returns a copy with room for at least `bytes` bytes in the named entry: twice as much as before, or an eighth more than
 * needed if doubling would exceed memory_limit. The old block is left to the caller.
 */
Model *model_grow(Env *env, const Model *model, const char *name, uint32_t bytes);
/*
 * Fails with ERROR_LIMIT if classes or levels make a state grow by `more` bytes past memory_limit; a state below 1 MB may
 * always grow. what: the subject of the message, such as "a state of 7 classes".
 */
void model_require_growth(Env *env, const Model *model, uint64_t more, const char *what);
ModelEntry *model_entry_mutable(Model *model, const char *name);
void *model_data_mutable(Model *model, ModelEntry *entry);
/* Appends a string to a TEXT entry. Returns false if it has no room: call model_grow. */
bool model_text_append(Model *model, ModelEntry *entry, const char *bytes, uint32_t length);
/* Append a number to an array of one dimension. Return false if it has no room. */
bool model_append_f64(Model *model, ModelEntry *entry, double value);
bool model_append_i64(Model *model, ModelEntry *entry, int64_t value);

/* ---- integrity ---- */

/*
 * Checks the layout: header, reserved fields, directory, every offset and length, and the tables of strings. Returns what is
 * wrong, or NULL. Reads nothing outside [value, value + size). The complete check is model_check of estimator/value_check.h.
 */
const char *model_check_layout(Env *env, const void *value, size_t size);
/* Checks that the options are one canonical JSON object, so that text and jsonb keep their bytes. Returns what is wrong, or NULL. */
const char *model_check_options(Env *env, const Model *model);

/* Returns the name of a kind in the text form ("model", "moments", ...), or NULL if it is unknown. */
const char *model_kind_name(unsigned kind);

/*
 * Returns a hash of the content: names, shapes, data, options, flags and counts, but not offsets or spare room. Equal
 * values have equal fingerprints on every platform. Never 0.
 */
uint64_t model_fingerprint(Env *env, const Model *model);
/* Returns a hash of the content that depends on a seed; with seed 0, model_fingerprint. */
uint64_t model_seeded_hash(Env *env, const Model *model, uint64_t seed);
/* Returns a hash of the schema section, and whether features are named. */
uint64_t model_schema_fingerprint(Env *env, const Model *model);
/* Sets fingerprint and schema_hash of a finished value. */
void model_seal(Env *env, Model *model);
/* Compares by content, in a total order; 0 only if equal. */
int model_compare(const Model *a, const Model *b);
/* Returns a sealed copy without spare room, to be stored. */
Model *model_compact(Env *env, const Model *model);

/* ---- text and binary (model_text.h, model_binary.c) ---- */

/* Returns zero-terminated JSON; *length excludes the zero. Reading it gives the same bits of every number. */
char *model_to_text(Env *env, const Model *model, size_t *length);
/*
 * Reads text into a value with a sound layout but unchecked content. Call model_from_text of estimator/value_check.h, which
 * checks it. Fails with ERROR_TEXT, naming the byte.
 */
Model *model_parse_text(Env *env, const char *text, size_t length);
/* Returns `head` bytes for the caller, and after them the binary form, in network byte order, of *length bytes. */
uint8_t *model_to_binary(Env *env, const Model *model, size_t head, size_t *length);
/* As model_parse_text; fails with ERROR_BINARY. */
Model *model_parse_binary(Env *env, const uint8_t *bytes, size_t length);
/* The same; returns NULL if the bytes are no model, with what is wrong, and at which byte. A model of a newer format is an error. */
Model *model_try_binary(Env *env, const uint8_t *bytes, size_t length, const char **wrong, size_t *at);

#endif
