/*
 * schema.h - what the features of a model are: fields, slots, columns, levels and classes.
 *
 * field   a feature as the user names it: a column of the row, or an element of the array.
 * slot    a number of the encoded row that the features reader produces. A field of width n (an array
 *         inside a row) has n slots, every other field one. Numeric kinds: the number itself.
 *         A categorical field: the position of its level in the dictionary below, or SLOT_UNSEEN.
 * column  a column of the design: a numeric slot has one, a categorical slot one per level.
 *
 * Entries in SECTION_SCHEMA, all optional (what is missing has its default):
 *   field_names   TEXT[F]  missing: f1 .. fF. Without MODEL_NAMED some have none of their own and stand as f<place>
 *   field_kinds   I64[F]   FieldKind; missing: all FIELD_NUMERIC
 *   field_widths  I64[F]   missing: all 1
 *   level_text    TEXT[L]  levels of all categorical fields, in order of appearance in a running
 *   level_field   I64[L]   state, sorted (field, key, bytes) in a fitted model
 *   level_key     F64[L]   sort key before the bytes: enum order, never 0; 0 for text; +Infinity: the NULL level
 *   level_sorted  I64[L]   dictionary positions sorted by (field, NULL last, bytes): for look-up
 *   class_text, class_key, class_sorted: the same for labels (no field); class_type TEXT[1]: the
 *                          SQL type of the label as text
 *   impute        F64[S]   what a NULL slot is replaced by (training means; categorical: ignored)
 *   id_type       TEXT[1]  the SQL type of the rows' ids, where rows have ids
 *   target_name   TEXT[1]  where known
 */
#ifndef PGFIT_SCHEMA_H
#define PGFIT_SCHEMA_H

#include "core/base/bytes.h"
#include "core/model/model.h"

#include <math.h>
#include <string.h>

typedef enum FieldKind {
    FIELD_NUMERIC = 1,
    FIELD_BOOLEAN = 2,     /* numeric 0/1 */
    FIELD_CATEGORICAL = 3,
    FIELD_DATE = 4,        /* days since 2000-01-01 */
    FIELD_TIMESTAMP = 5,   /* seconds since 2000-01-01 */
    FIELD_TIMESTAMPTZ = 6, /* seconds since 2000-01-01 UTC */
    FIELD_TIME = 7,        /* seconds */
    FIELD_INTERVAL = 8     /* seconds; a month is 30 days, a year 365.25 */
} FieldKind;

#define SLOT_UNSEEN (-1.0) /* a level that the model does not know */
/*
 * Slots below SLOT_UNSEEN are levels that the model does not know either, of an enum: they carry its sort key, for
 * metrics that place levels by it. Only models for which metric_orders_levels get them.
 */
static inline double slot_of_unseen_key(double key)
{
    float narrow = (float)key; /* enum orders are float4 */
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof bits);
    return SLOT_UNSEEN - 1 - (double)bits;
}

static inline double slot_unseen_key(double slot)
{
    uint32_t bits = (uint32_t)(SLOT_UNSEEN - 1 - slot);
    float narrow;

    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

#define LEVELS_MAX_DEFAULT 1000
#define SCHEMA_MAX_SLOTS 1000000u /* most numbers per row */
#define SCHEMA_NAME_SIZE 128      /* a buffer for a feature's name in a message */

/* The display name of a kind ("numeric", "categorical", ...) and back; 0 where unknown. */
const char *field_kind_name(FieldKind kind);
FieldKind field_kind_of(const char *name, size_t length);

/* A schema to begin a state with: what the first row of a group shows. */
typedef struct SchemaSpec {
    uint32_t field_count;
    const char *const *names;  /* NULL: f1 .. fF */
    const FieldKind *kinds;    /* NULL: all numeric */
    const uint32_t *widths;    /* NULL: all 1 */
    bool named;                /* by name at scoring */
    const char *class_type;    /* SQL type of the labels, where there are classes; else NULL */
    const char *target_name;   /* NULL: not known */
    const char *id_type;       /* SQL type of the ids, where rows have ids; else NULL */
} SchemaSpec;
/*
 * Adds the entries of the spec and room for levels and classes (classes: where class_type is given or
 * the builder's kind is MODEL_CLASS_MOMENTS), sets field_count, slot_count and MODEL_NAMED. Nothing
 * at all is added for unnamed numeric features. spec's names live until model_build.
 */
void schema_add(Env *env, ModelBuilder *builder, const SchemaSpec *spec);

typedef struct SchemaView SchemaView;

uint32_t schema_field_count(const Model *model);
FieldKind schema_field_kind(const Model *model, uint32_t field);
uint32_t schema_field_width(const Model *model, uint32_t field);
/* Has the field a name of its own? One without is called f and its place, as f3. */
bool schema_field_named(const Model *model, const SchemaView *view, uint32_t field);
/* So many fields have. */
uint32_t schema_named_fields(const Model *model);
/* Field of this name, or -1. */
int schema_find_field(const Model *model, const char *name, size_t length);
/* Writes the field's display name ("carat", "f3"), zero-terminated, cut to size. */
void schema_field_name(const Model *model, uint32_t field, char *buffer, size_t size);
/* The same of a slot: "embedding[7]" inside a wide field. */
void schema_slot_name(const Model *model, uint32_t slot, char *buffer, size_t size);
/* The same of a term of a fit: a slot, or ("cut=Ideal", "cut IS NULL") a level by dictionary position. */
void schema_term_name(const Model *model, uint32_t slot, int64_t level, char *buffer, size_t size);
uint32_t schema_slot_field(const Model *model, uint32_t slot);
bool schema_all_numeric(const Model *model); /* no categorical field */
/* Fails with ERROR_DATA naming the first categorical field; method: what takes numbers. */
void schema_require_numbers(Env *env, const Model *model, const char *method);

/* The schema's entries, found in one pass: for readers that look every row. NULL where missing. */
struct SchemaView {
    const ModelEntry *field_names, *field_kinds, *field_widths;
    const ModelEntry *level_text, *level_field, *level_key, *level_sorted;
    const ModelEntry *class_type, *class_text, *class_key, *class_sorted;
    const ModelEntry *id_type, *impute, *target_name;
};
/* Fills a view. Returns false where the section has an entry that the schema does not know, or one out of order. */
bool schema_view(const Model *model, SchemaView *view);
/* false: every field is a plain number; for readers that have no other use for a view. */
bool schema_has_kinds(const Model *model);
FieldKind schema_view_kind(const Model *model, const SchemaView *view, uint32_t field);
uint32_t schema_view_width(const Model *model, const SchemaView *view, uint32_t field);

/* ---- dictionaries: levels of a field, classes ---- */

typedef enum DictionaryKind { DICTIONARY_LEVELS, DICTIONARY_CLASSES } DictionaryKind;

/* The arrays of a dictionary, valid until the value moves or grows. */
typedef struct Dictionary {
    uint32_t size;
    const char *text;
    const uint32_t *ends;  /* grows down: string i ends at ends[-1 - i] */
    const int64_t *fields; /* NULL: classes */
    const double *keys;
    const int64_t *sorted;
} Dictionary;

void dictionary_open(const Model *model, const SchemaView *view, DictionaryKind kind,
                     Dictionary *dictionary);

static inline const char *dictionary_string(const Dictionary *dictionary, uint32_t position,
                                            uint32_t *length)
{
    /* the first begins at 0; without a branch, as positions are as mixed as rows are */
    uint32_t before = dictionary->ends[-(ptrdiff_t)(position + (position == 0))];
    uint32_t start = before & -(uint32_t)(position != 0);

    *length = dictionary->ends[-1 - (ptrdiff_t)position] - start;
    return dictionary->text + start;
}

static inline bool dictionary_is_null(const Dictionary *dictionary, uint32_t position)
{
    return dictionary->keys[position] == INFINITY;
}

/* Is this string, of this field, at this position? Any position may be asked. */
static inline bool dictionary_matches(const Dictionary *dictionary, uint32_t position, uint32_t field,
                                      const char *bytes, uint32_t length, bool is_null)
{
    uint32_t other_length;
    const char *other;

    if (position >= dictionary->size ||
        (dictionary->fields && dictionary->fields[position] != (int64_t)field) ||
        dictionary_is_null(dictionary, position) != is_null)
        return false;
    if (is_null)
        return true;
    other = dictionary_string(dictionary, position, &other_length);
    return other_length == length && bytes_same(other, bytes, length);
}

/* The same of a string that is no NULL, where the eight bytes before its end are readable: see bytes_tail. */
static inline bool dictionary_matches_tail(const Dictionary *dictionary, uint32_t position, uint32_t field,
                                           const char *bytes, uint32_t length, uint64_t tail)
{
    uint32_t other_length;
    const char *other;

    if (position >= dictionary->size || dictionary->fields[position] != (int64_t)field ||
        dictionary_is_null(dictionary, position))
        return false;
    other = dictionary_string(dictionary, position, &other_length);
    return other_length == length && bytes_tail(other, length) == tail &&
           (length <= 8 || memcmp(other, bytes, length - 8) == 0);
}

/* Its position, or -1. */
int dictionary_seek(const Dictionary *dictionary, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);

uint32_t dictionary_size(const Model *model, DictionaryKind kind);
/* The number of classes; *entry_hint: where the last model had them, any number will do. */
uint32_t dictionary_class_count(const Model *model, uint32_t *entry_hint);
/* Dictionary position of a string (key +Infinity: the NULL level), or -1. O(log size). */
int dictionary_find(const Model *model, DictionaryKind kind, uint32_t field, const char *bytes,
                    uint32_t length, bool is_null);
/*
 * The same of a class, by a guess that is checked first: where labels of this kind were found before, in
 * this or another value. Zeros to begin with; one for a place that asks often.
 */
#define CLASS_HINT_BITS 9
typedef struct ClassHint {
    uint32_t entry; /* of "class_text" in the directory */
    uint32_t positions[1 << CLASS_HINT_BITS];
} ClassHint;
int dictionary_find_class(const Model *model, ClassHint *hint, const char *bytes, uint32_t length);
/*
 * Adds one that is not there; returns the state (possibly in new memory; the old block is left to the
 * caller) and its position. key: ignored for the NULL level, else finite.
 */
Model *dictionary_add(Env *env, Model *model, DictionaryKind kind, uint32_t field,
                      const char *bytes, uint32_t length, bool is_null, double key,
                      uint32_t *position);
const char *dictionary_text(const Model *model, DictionaryKind kind, uint32_t position,
                            uint32_t *length);
/* The label of a class as a string of its own. */
char *class_string(Env *env, const Model *model, uint32_t class);
double dictionary_key(const Model *model, DictionaryKind kind, uint32_t position);
uint32_t dictionary_field(const Model *model, uint32_t position); /* levels only */
uint32_t schema_field_levels(const Model *model, uint32_t field); /* number of levels */
/*
 * Dictionary positions in final order: by field, then key, then bytes, the NULL level last (classes:
 * the same without field). order has dictionary_size places.
 */
void dictionary_final_order(Env *env, const Model *model, DictionaryKind kind, uint32_t *order);

/*
 * Fitted models: adds the source's schema with its dictionaries in final order, and sets the header
 * as schema_add does. "impute" is the fit's to add. source lives until model_build.
 */
void schema_add_final(Env *env, ModelBuilder *builder, const Model *source);
/* A fitted value of that alone. */
Model *schema_final(Env *env, const Model *source);

/* One dictionary's part of schema_check. */
const char *dictionary_check(const Model *model, const SchemaView *view, DictionaryKind kind);

/* NULL where sound, else what is wrong. Called by model_check after the layout. */
const char *schema_check(Env *env, const Model *model);

/* Same fields, kinds, widths (levels may differ)? Else a message naming the difference. */
const char *schema_difference(Env *env, const Model *a, const Model *b);

#endif
