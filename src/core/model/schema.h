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

#include "core/model/dictionary.h"
#include "core/model/model.h"

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
#define FIELD_KIND_LAST FIELD_INTERVAL

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

/*
 * Fitted models: adds the source's schema with its dictionaries in final order, and sets the header
 * as schema_add does. "impute" is the fit's to add. source lives until model_build.
 */
void schema_add_final(Env *env, ModelBuilder *builder, const Model *source);
/* A fitted value of that alone. */
Model *schema_final(Env *env, const Model *source);

/* NULL where sound, else what is wrong. Called by model_check after the layout. */
const char *schema_check(Env *env, const Model *model);

/* Same fields, kinds, widths (levels may differ)? Else a message naming the difference. */
const char *schema_difference(Env *env, const Model *a, const Model *b);

#endif
