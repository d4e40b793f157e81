/*
 * features_internal.h - what the files of the features reader share.
 *
 *   features.c         the reader of a call site, describing, reading, scoring
 *   features_source.c  row types: their columns, kept in the backend by (type oid, typmod)
 *   features_bind.c    the columns at hand against the fields of a model
 *   features_array.c   arrays;  features_row.c  rows;  features_json.c  jsonb objects
 */
#ifndef PGFIT_FEATURES_INTERNAL_H
#define PGFIT_FEATURES_INTERNAL_H

#include "pg/features/features.h"
#include "pg/features/sql_value.h"

#include "access/tupdesc.h"

/* ---- what a row shows ---- */

/* A column of a row type, or a key of a jsonb object. */
typedef struct SourceColumn {
    const char *name;
    uint32 name_length;
    Oid type;        /* as declared */
    Oid collation;
    SqlValueKind value_kind; /* SQL_VALUE_NONE: cannot be a feature. SQL_VALUE_JSONB: told by each value */
    SqlValueKind element; /* of arrays */
    Oid cast;      /* function of SQL_VALUE_CAST; invalid there: the bytes are the array's */
    int16 length;    /* typlen */
    int16 alignment; /* in bytes */
    bool by_value;
    bool dropped;
    bool named;   /* by a name of its own, not for its place */
    int32 offset; /* in a tuple without NULLs; -1: behind one of varying length */
} SourceColumn;

typedef struct Source {
    Oid type;
    int32 typmod;
    MemoryContext context;
    uint32 column_count; /* with dropped ones: attributes of a tuple */
    uint32 live_count;   /* without */
    SourceColumn *columns;
    uint32 named_count;   /* so many columns have a name of their own; none in a row of just f1 .. fn */
    bool named;           /* all have */
    TupleDesc descriptor; /* for columns added after a tuple was written */
} Source;

/* Counts up when any type or table changes: whoever kept a Source looks it up again. */
extern uint64 source_generation;

/* From the backend's cache. Valid while source_generation stands, and at least in this transaction.
 */
const Source *source_of(Oid type, int32 typmod);
/* Finds what columns have names of their own; others ("?column?", repeated) get theirs from the
 * place. */
void source_settle_names(Source *source);
char *source_list(const Source *source); /* "The row has: a, b, c." */
void source_fail_column(const SourceColumn *column) __attribute__((noreturn)); /* no feature */
void cast_check(Oid function); /* may the user call it? */

/* ---- binding: from columns to slots ---- */

typedef enum Conversion { CONVERT_NONE, CONVERT_TO_SECONDS, CONVERT_TO_DAYS } Conversion;

#define GUESS_BITS 6 /* last positions seen of a field's levels, by so many bits of a hash */

typedef struct Step {
    const SourceColumn *column;
    FmgrInfo *cast; /* the column's, of this call site: what a function keeps must not outlive it */
    int32 slot;     /* -1: not wanted */
    uint32 field;
    uint32 width;
    FieldKind kind; /* the model's */
    Conversion conversion;
    bool clash;      /* kinds differ: any value but NULL is an error */
    bool plain;      /* a number is the slot as it is */
    bool text;       /* a string is the level as it is */
    uint32 *guesses; /* of a categorical field */
} Step;

typedef struct BoundBytes {
    char *bytes;
    uint32 size;
    uint32 rows;
    bool present;
} BoundBytes;

/*
 * Where a schema that was found to be the binding's had its parts: one whose directory has the same bytes has them at
 * the same places, and one look compares the content of names, kinds and widths, which lie together.
 */
typedef struct SeenSchema {
    uint32 entries;   /* of the schema in the directory; 0: none seen */
    uint32 room;      /* of bytes */
    char *bytes;      /* the entries, then the content */
    uint32 content, content_size; /* offset in the value */
    uint32 levels;    /* in the dictionary */
    uint32 text, ends, fields, keys, sorted; /* offsets of its parts */
} SeenSchema;

typedef struct Binding {
    MemoryContext context;
    bool valid;
    bool training;
    /* what it was made for */
    const Source *source;
    uint32 field_count, slot_count;
    bool model_named;
    BoundBytes names, kinds, widths;
    SeenSchema seen;
    /* what it says */
    uint32 step_count; /* columns to look at: up to the last wanted */
    uint32 run;        /* so many columns to begin with are doubles and the slots in order */
    Step *steps;
    bool categorical;
    bool bare; /* the schema had no entries at all */
} Binding;

/* Is the binding the one for this model and source? Compares content, not addresses. */
bool binding_holds(const Binding *binding, const Model *model, const SchemaView *view,
                   const Source *source, bool training);
void binding_make(FeatureReader *reader, const Model *model, const SchemaView *view,
                  const Source *source, bool training);

/* The same at a glance, where the schema lies as the last one did; false: look closely. */
static inline bool binding_seen(const Binding *binding, const Model *model, const Source *source, bool training)
{
    const SeenSchema *seen = &binding->seen;
    size_t size = seen->entries * sizeof(ModelEntry);

    return binding->valid && seen->entries && binding->source == source && binding->training == training &&
           binding->field_count == model->field_count && binding->slot_count == model->slot_count &&
           binding->model_named == ((model->flags & MODEL_NAMED) != 0) &&
           model->entry_count >= seen->entries && memcmp(model_entries(model), seen->bytes, size) == 0 &&
           (model->entry_count == seen->entries ||
            model_entries(model)[seen->entries].section != SECTION_SCHEMA) &&
           memcmp((const char *)model + seen->content, seen->bytes + size, seen->content_size) == 0;
}
/* Notes where this schema, which is the binding's, has its parts. */
void binding_note(Binding *binding, const Model *model, const SchemaView *view);

/* For arrays, which need no steps: remembers that the schema was looked at. */
void binding_keep(FeatureReader *reader, const Model *model, const SchemaView *view,
                  const Source *source, bool training);

/* ---- the reader ---- */

typedef struct PendingLevel {
    const Step *step;
    const char *bytes;
    uint32 length;
    bool is_null;
    double key;
} PendingLevel;

struct FeatureReader {
    MemoryContext context; /* of the call site */
    SqlValueType type;
    bool by_value;
    int16 length;
    uintptr_t last_place; /* of the value scored last: see read_ahead */
    FmgrInfo cast;    /* of SQL_VALUE_CAST */
    Oid element_type; /* arrays: of the last one */
    SqlValueKind element;
    /* rows */
    const Source *source;
    uint64 generation;
    Oid row_type;
    int32 row_typmod;
    /* jsonb: keys of the last object */
    Source *keys;
    MemoryContext keys_context;
    char *key_bytes; /* their entries and bytes as the object has them */
    uint32 key_entries_size, key_bytes_size;
    /* a single value or an array as a source of columns without names */
    Source *single;
    Binding binding;
    ValueReader *id; /* of a column set aside; NULL: not needed yet */
    Oid id_type;
    PendingLevel *pending; /* room for one a step */
    uint32 pending_room;
};

/* The columns of a row or a single value; NULL of jsonb and arrays, whose values tell their types. */
const Source *features_source(FeatureReader *reader, Datum datum);

/* A row on its way into slots. */
typedef struct RowRead {
    FeatureReader *reader;
    const Model *model;
    SchemaView view;
    bool training;
    bool impute;
    uint8 flags;
    double *slots;
    bool *nulls;
    uint32 finite; /* so many slots to begin with are known to be */
    Dictionary levels;
    const double *impute_means;
    int32 overflow_slot;
    uint32 pending_count;
} RowRead;

/* Encodes one value; place NULL: a NULL. False: the row has a NULL and is left out. */
bool row_put(RowRead *row, const Step *step, const char *place);
bool row_put_null(RowRead *row, const Step *step);
void row_put_level(RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null,
                   double key);
/* A string in a row or object: the bytes in front of it may be looked at. */
void row_put_text(RowRead *row, const Step *step, const char *bytes, uint32 length);

/* Each form. False: left out. */
bool row_read_array(RowRead *row, const char *place);
bool row_read_tuple(RowRead *row, const char *place);
bool row_read_json(RowRead *row, const char *place);

/*
 * Copies doubles from any address; false where one is NaN or infinite: its exponent is all ones,
 * and one more carries into the sign. Plain integer operations, which vectorize.
 */
static inline bool copy_doubles(double *slots, const char *place, uint32 count)
{
    const uint64 exponent = UINT64CONST(0x7FF0000000000000), one = UINT64CONST(0x0010000000000000);
    uint64 seen = 0;

    for (uint32 i = 0; i < count; i++) {
        uint64 bits = READ_AT(uint64, place + (size_t)i * sizeof bits);

        seen |= (bits & exponent) + one;
        memcpy(&slots[i], &bits, sizeof bits);
    }
    return seen >> 63 == 0;
}

static inline bool all_finite(const double *slots, uint32 count)
{
    const uint64 exponent = UINT64CONST(0x7FF0000000000000), one = UINT64CONST(0x0010000000000000);
    uint64 seen = 0;

    for (uint32 i = 0; i < count; i++)
        seen |= (READ_AT(uint64, &slots[i]) & exponent) + one;
    return seen >> 63 == 0;
}

/* ---- arrays ---- */

typedef struct ArrayView {
    const char *data;
    const uint8 *bitmap; /* of elements that are there; NULL: all are */
    uint32 count;
    Oid element;
    void *copy; /* to be freed; NULL: read in place */
} ArrayView;

/* Opens an array at any address; fails where it is not of one dimension. what: "the features are".
 */
ArrayView array_view(const char *place, const char *what);
/*
 * An array of `count` finite float8 without NULLs that needs no detoasting: copied to out. False:
 * it is not such a one, and out is undefined.
 */
bool array_plain_doubles(const char *place, uint32 count, double *out);
/*
 * Its elements as doubles. Where nulls is NULL it stops at the first NULL and returns false; else
 * NULLs are noted there and read as 0. *overflow: the element that is no double, or unchanged.
 */
bool array_read(const ArrayView *view, SqlValueKind element, double *out, bool *nulls, int32 *overflow);
SqlValueKind array_element_kind(FeatureReader *reader, Oid element);
/* Calls a cast function on a value at any address; NULL: that is what it returned. */
const char *cast_to_array(FmgrInfo *cast, const char *place);

/* ---- tuples and objects ---- */

/* A value that stays readable for this row: rows and objects are brought into memory where toasted.
 */
static inline const char *open_value(Datum datum)
{
    const char *place = DatumGetPointer(datum);

    if (VARATT_IS_4B_U(place) || (VARATT_IS_1B(place) && !VARATT_IS_1B_E(place)))
        return place;
    return (const char *)pg_detoast_datum((struct varlena *)place);
}

static inline void close_value(Datum datum, const char *place)
{
    if (place != DatumGetPointer(datum))
        pfree((void *)place);
}

/* Type and typmod that a composite value carries. */
void tuple_identity(const char *place, Oid *type, int32 *typmod);
const Source *reader_row_source(FeatureReader *reader, const char *place);
/* The keys of an object as columns; the reader's `keys` where they are the last object's. */
const Source *reader_json_source(FeatureReader *reader, const char *place);
/* The value of a column of a composite value, as it lies there, or NULL. */
const char *tuple_value(const Source *source, const char *place, uint32 column, Datum *buffer);
/* Kind of a key's value; 0: null. Fails on objects and arrays. */
FieldKind json_value_kind(const Source *keys, const char *place, uint32 column);

/* A key's value as a number; false: null. */
bool json_value_number(FeatureReader *reader, const char *place, uint32 column, double *number);
/* The same as text, in the object or the current memory context; NULL: null. Fails on objects and arrays. */
const char *json_value_text(FeatureReader *reader, const char *place, uint32 column, uint32_t *length);
/* The column of this name, or -1. */
int source_find(const Source *source, const char *name);

/* The column set aside; fails where the row has none of this name. */
uint32_t source_special_column(const Source *source, const SpecialColumn *special);
/* The name of its type: "integer", "text", ... */
const char *source_special_type(FeatureReader *reader, const Source *source, const SpecialColumn *special);

/* Cuts a string for a message, never within a character. */
char *message_string(const char *bytes, uint32 length);

#endif
