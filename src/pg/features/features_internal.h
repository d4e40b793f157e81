/*
 * features_internal.h - what the files of the features reader share.
 *
 * Each file uses only those above it:
 *   features_source.c    row types: their columns, cached in the backend by (type oid, typmod)
 *   features_array.c     arrays of numbers
 *   features_formula.c   binds the fields of a formula that are more than columns
 *   features_bind.c      matches the columns of a row with the fields of a model
 *   features_unseen.c    counts levels that a model does not know
 *   features_slots.c     encodes one value, or one array, into slots
 *   features_expressions.c  variables and expressions of a formula
 *   features_row.c       composite values;  features_json.c  jsonb objects
 *   features_special.c   special columns: folds, ids, clusters
 *   features_describe.c  describes the first row of a training set
 *   features.c           the reader of a call site: training rows and scored rows into slots
 */
#ifndef PGFIT_FEATURES_INTERNAL_H
#define PGFIT_FEATURES_INTERNAL_H

#include "pg/planner/row_columns.h"
#include "pg/features/features.h"
#include "pg/values/sql_value.h"
#include "core/base/all_finite.h"
#include "core/distance/metric.h"
#include "core/formula/formula.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* ---- the columns of a row ---- */

/* A column of a row type, or a key of a jsonb object. */
typedef struct SourceColumn {
    const char *name;
    uint32 name_length;
    Oid type;        /* as declared */
    Oid collation;
    SqlValueKind value_kind; /* SQL_VALUE_NONE: cannot be a feature. SQL_VALUE_JSONB: each value has its own kind */
    SqlValueKind element; /* of arrays */
    Oid cast;      /* as SqlValueType.cast_function */
    int16 length;    /* typlen */
    int16 alignment; /* in bytes */
    bool by_value;
    bool dropped;
    bool named;   /* has a name of its own, not one for its position */
    int32 offset; /* in a tuple without NULLs; -1: after a column of varying length */
} SourceColumn;

/* Orders names by their bytes, a prefix before what it begins. */
static inline int name_order(const char *a, uint32 a_length, const char *b, uint32 b_length)
{
    int order = memcmp(a, b, Min(a_length, b_length));

    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static inline bool column_is_named(const SourceColumn *column, const char *name, uint32 length)
{
    return column->name_length == length && memcmp(column->name, name, length) == 0;
}

/* Returns the kind of feature that the values of a column are; of an array, its elements. Not for jsonb. */
static inline FieldKind column_field_kind(const SourceColumn *column)
{
    bool array = column->value_kind == SQL_VALUE_ARRAY || column->value_kind == SQL_VALUE_CAST;

    return sql_value_kind(array ? column->element : column->value_kind);
}

typedef struct Source {
    Oid type;
    int32 typmod;
    MemoryContext context;
    uint32 column_count; /* attributes of a tuple, dropped ones included */
    uint32 live_count;   /* without dropped ones */
    SourceColumn *columns;
    uint32 named_count;   /* columns with a name of their own; 0 for a row of just f1 .. fn */
    bool named;           /* all columns have one */
    bool all_default;     /* the columns are called f1 .. fn, as those of ROW() are */
    TupleDesc descriptor; /* for the defaults of columns added after a tuple was written */
} Source;

/* Grows when any type or table changes; a Source kept from before must be looked up again. */
extern uint64 source_generation;

/* Returns a row type from the cache. Valid while source_generation does not change, and at least in this transaction. */
const Source *source_of(Oid type, int32 typmod);
char *source_list(const Source *source); /* returns the hint "The row has: a, b, c." */
/* Fails: values of this column's type cannot be features. whole: the row, where all its columns are features; NULL: they are named. */
void source_fail_column(const SourceColumn *column, const Source *whole) __attribute__((noreturn));

/* ---- binding: from columns to slots ---- */

typedef struct RowRead RowRead;

/* The function of a cast to an array, at one call site: what a function keeps in its FmgrInfo must not outlive that. */
typedef struct ArrayCast {
    FmgrInfo function; /* no fn_oid: none is needed */
    Oid user;          /* who trusts it, */
    uint64 trust;      /* as of this trust_generation */
} ArrayCast;

typedef enum Conversion { CONVERT_NONE, CONVERT_TO_SECONDS, CONVERT_TO_DAYS } Conversion;

#define GUESS_BITS 6 /* of the hash under which the last position of a level is remembered */

typedef struct Step {
    const SourceColumn *column;
    ArrayCast *cast;
    int32 slot;     /* -1: not a feature of the model */
    uint32 field;
    uint32 width;
    FieldKind kind; /* the model's, or the formula's of a variable */
    Conversion conversion;
    bool clash;      /* kinds differ: any value but NULL is an error */
    bool plain;      /* a number that becomes the slot unchanged */
    bool bare;       /* a float8 that becomes a variable unchanged, and nothing else */
    bool text;       /* a string that is the level unchanged */
    uint32 *guesses; /* positions of texts that are levels: rows with one take 1.1 times as long without them */
    bool any;             /* a formula reads any value as a level */
    const char *level;    /* the variable says whether the value is this text; NULL: it is its number */
    bool differs;         /* or whether it is not */
    uint32 variable;      /* 1 + the variable of a formula that the value becomes; 0: the value goes to the slot */
    ValueReader *label;   /* of any: reads numbers and times as levels; of a text field: reads values that are no strings */
    const char *first;    /* the level that comes first by choice; NULL: none */
    uint32 first_length;
    struct Step *next;    /* another reading of the same column */
} Step;

/* How the fields of a formula are computed, where they are more than columns. */
typedef struct FormulaBinding {
    const Formula *formula;
    double *variables; /* [variables] of the row that is read; NaN: NULL */
    uint32 variable_count;
    Step *numbers;  /* [number_count] fields that are expressions */
    uint32 *inputs; /* [number_count] */
    uint32 number_count;
    bool null;   /* a variable of the row is NULL */
    bool absent; /* of every row: an object lacks its key */
} FormulaBinding;

typedef struct BoundBytes {
    char *bytes;
    uint32 size;
    uint32 rows;
    bool present;
} BoundBytes;

/*
 * Offsets of the parts of a schema that matched the binding. A schema whose directory has the same bytes has its parts
 * at the same offsets; one memcmp then compares names, kinds and widths, which are stored next to each other. Fits and scores of rows with
 * texts take 1.3 times as long without it.
 */
typedef struct SeenSchema {
    uint32 entries;   /* of the schema in the directory; 0: none seen */
    uint32 room;      /* allocated at bytes */
    char *bytes;      /* the entries, then the content */
    uint32 content, content_size; /* offset in the value, and size */
    uint32 levels;    /* in the dictionary */
    uint32 text, ends, fields, keys, sorted; /* offsets of its parts */
} SeenSchema;

typedef struct Binding {
    MemoryContext context;
    bool valid;
    bool training;
    /* the schema and source that it was made for */
    const Source *source;
    uint32 field_count, slot_count;
    bool model_named;
    BoundBytes parts[5]; /* names, kinds, widths, formula, kinds of the formula */
    bool missing; /* a key that an object lacks is an error */
    SeenSchema seen;
    /* how to read a row */
    uint32 step_count; /* columns to read: up to the last one needed */
    uint32 run;        /* leading columns that are doubles and go to slots 0, 1, ...: scores of five take 1.13 times as long without it */
    Step *steps;
    uint32 *needed; /* [needed_count] columns that are read, from the run on, in order */
    uint32 needed_count;
    bool categorical;
    bool bare; /* the schema has no entries at all */
    uint8 values; /* TakenValues of the model */
    FormulaBinding *expressions; /* NULL: all fields are columns as they are */
    Step *absent;                /* fields whose keys the object lacks */
    uint32 absent_count;
} Binding;

/* Does the binding fit this model and source? Compares content, not addresses. */
bool binding_holds(const Binding *binding, const Model *model, const SchemaView *view,
                   const Source *source, bool training);
/* Matches the columns of the source with the fields of the model; fails where they do not go together. */
void binding_make(FeatureReader *reader, const Model *model, const SchemaView *view,
                  const Source *source, bool training);

/* Does the same as binding_holds, quickly, for a schema laid out as the last one. False: not known; call binding_holds. */
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
/* Notes the offsets of the parts of this schema, which matches the binding. */
void binding_note(Binding *binding, const Model *model, const SchemaView *view);

/* ---- formulas ---- */

/*
 * Fails unless the row has the names of its columns that the formula needs. A row of f1, f2 ... is one whose columns are called so, or ROW(),
 * of which PostgreSQL makes the same type: a formula that names f1 and f2 means its columns either way; any other, and ".", is refused.
 */
void require_formula_names(const Formula *formula, const Source *source);
/* Fails: a formula needs columns with names. */
void fail_formula_unnamed(void) __attribute__((noreturn));
/* Binds the fields of a schema that has a formula to the columns of a source, in the current memory context. */
void binding_make_formula(FeatureReader *reader, const Model *model, const SchemaView *view, const Source *source);
/* Computes the fields that are expressions from the variables. Returns false where the row is skipped because of a NULL. */
bool row_put_expressions(RowRead *row);
/* Reads one value of a column for every step of its chain. Returns false where the row is skipped because of a NULL. */
bool row_put_chain(RowRead *row, const Step *step, const char *place);
/* Takes whether a text is the one that the variable is compared with. */
void variable_set_level(Binding *binding, const Step *step, const char *bytes, uint32 length);
/* Fails because the formula compares a column with a text that has none; type: what it is instead. */
void fail_level(const Step *step, const char *type) __attribute__((noreturn));
/* Takes a number as the value of a variable. */
static inline void variable_set(Binding *binding, const Step *step, double value)
{
    binding->expressions->variables[step->variable - 1] = value;
}
void variable_set_null(Binding *binding, const Step *step);
/* Returns the hint of a message about a name that a row does not have: the nearest one, and all that it has. */
char *source_hint(const Source *source, const char *name, uint32 length);

/* Finds how values of one kind become those of another; returns false where they cannot. */
bool kind_conversion(FieldKind from, FieldKind to, Conversion *conversion);
/* Returns the step, without its field, of a key that an object lacks. */
Step *step_absent(Binding *binding, const Model *model);
/* Fills in the step that reads a column into the slots of a field. */
void step_make(FeatureReader *reader, Step *step, const Model *model, const SchemaView *view, uint32 field, uint32 slot);
/* Marks the levels that come first by choice, of the options of a state or of its formula. */
void steps_reference(FeatureReader *reader, const Model *state);
/* Returns a value inside a tuple, at any address, as a Datum; copies what is passed by reference. */
Datum datum_of_place(const SourceColumn *column, const char *place);

/* Remembers that the schema was checked, for arrays, which need no steps. */
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

/* The texts of the row that is scored (Env.row_texts), in buffers that later rows use again. */
typedef struct RowTexts {
    uint32 count, room;
    char **buffers;  /* [room] */
    uint32 *lengths; /* [room] */
    uint32 *sizes;   /* [room] of the buffers */
} RowTexts;

/* Where a special column was found last, in rows of which source. */
typedef struct SpecialPlace {
    const Source *source;
    uint64 generation;
    uint32 column;
} SpecialPlace;

struct FeatureReader {
    MemoryContext context; /* of the call site */
    SqlValueType type;
    bool by_value;
    int16 length;
    uintptr_t last_place; /* address of the value scored last: see read_ahead */
    ArrayCast cast;   /* of SQL_VALUE_CAST */
    Oid element_type; /* of the last array */
    SqlValueKind element;
    /* rows */
    const Source *source;
    uint64 generation;
    Oid row_type;
    int32 row_typmod;
    bool row_columns; /* a row is passed as a RowColumns */
    const NullableDatum *columns; /* of the row that is read, where it is passed as its columns; NULL: rows are values */
    const FmgrInfo *column_call;  /* the call whose arguments they are, */
    int first_column;             /* from this one on */
    uint32 column_arguments;      /* how many they are */
    /* jsonb: the keys of the last object */
    Source *keys;
    MemoryContext keys_context;
    char *key_bytes; /* their entries and bytes as stored in the object */
    uint32 key_entries_size, key_bytes_size;
    /* a single value or an array as a source of columns without names */
    Source *single;
    Binding binding;
    RowTexts texts;
    const CallColumns *call; /* what the call says about other columns; NULL: nothing */
    bool told;               /* the WARNING about a key that the first object lacks was raised */
    uint64 rows;             /* read for formulas with expressions, for messages */
    ValueReader *id[SPECIAL_COLUMNS_MAX]; /* of the special columns that are read as text; NULL: not needed yet */
    Oid id_type[SPECIAL_COLUMNS_MAX];
    SpecialPlace special[SPECIAL_COLUMNS_MAX];
    struct StringInfoData *event; /* of the row that was read last: features_event */
    PendingLevel *pending; /* [pending_room], one per step */
    uint32 pending_room;
    bool *null_marks; /* [null_room] of a scored row, where NULLs are values */
    uint32 null_room;
};

/* Fails: the type of the argument cannot hold features. */
void features_fail_type(const FeatureReader *reader) __attribute__((noreturn));
/* Returns the columns of a row or a single value; NULL for jsonb and arrays, where each value has its own type. */
const Source *features_source(FeatureReader *reader, Datum datum);

static inline bool is_string_or_json(SqlValueKind kind)
{
    return kind == SQL_VALUE_TEXT || kind == SQL_VALUE_BPCHAR || kind == SQL_VALUE_NAME || kind == SQL_VALUE_CSTRING || kind == SQL_VALUE_JSONB;
}

static inline bool type_is_bits(Oid type)
{
    type = getBaseType(type);
    return type == BITOID || type == VARBITOID;
}

/*
 * Tells whether the only feature of a schema is a value of other types than strings, which its text stands for: of any type in training,
 * where a text was described that is no string, and for models whose metric is a function; bit strings where positions are compared.
 */
typedef enum TakenValues { TAKES_STRINGS, TAKES_BITS, TAKES_ANY } TakenValues;
static inline TakenValues model_takes_values(const Model *model, bool training)
{
    if (model->field_count != 1 || !schema_has_kinds(model) || schema_field_kind(model, 0) != FIELD_TEXT)
        return TAKES_STRINGS;
    return training || model_find(model, "metric_function") != NULL ? TAKES_ANY : metric_takes_bits(model) ? TAKES_BITS : TAKES_STRINGS;
}
static inline bool model_takes_type(const Model *model, Oid type, bool training)
{
    TakenValues values = model_takes_values(model, training);

    return values == TAKES_ANY || (values == TAKES_BITS && type_is_bits(type));
}

/* A row while it is encoded. */
struct RowRead {
    FeatureReader *reader;
    const Model *model;
    SchemaView view;
    bool training;
    bool impute;
    uint8 flags;
    double *slots;
    bool *nulls;
    double *variables; /* receives those of expressions, which are then not computed; NULL: compute them */
    uint32 finite; /* leading slots that are known to be finite */
    Dictionary levels;
    const double *impute_means;
    int32 overflow_slot;
    uint32 pending_count;
};

/* Counts a level of a row to score that the model does not know, for one WARNING per query. */
void count_unseen(const RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null);
/* Encodes one value; place NULL means NULL. Returns false where the row is skipped because of a NULL. */
bool row_put(RowRead *row, const Step *step, const char *place);
bool row_put_null(RowRead *row, const Step *step);
/* Copies a string for a message, cut to the length of a name at a character boundary. */
char *message_string(const char *bytes, uint32 length);
/* Fails: a boolean has this number for a value. name: of the feature, or of a variable of a formula. */
void fail_boolean(const char *name, double value) __attribute__((noreturn));
/* Fails unless a number that is read as a boolean is 0 or 1. */
static inline void require_boolean(const Step *step, double value)
{
    if (unlikely(step->kind == FIELD_BOOLEAN && value != 0 && value != 1))
        fail_boolean(message_string(step->column->name, step->column->name_length), value);
}
void row_put_level(RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null,
                   double key);
/* Encodes a string inside a row or object: the bytes in front of it are read as well. */
void row_put_text(RowRead *row, const Step *step, const char *bytes, uint32 length);

/* Encode a row: an array, a composite value, a jsonb object. Return false if it is skipped because of a NULL. */
bool row_read_array(RowRead *row, const char *place);
bool row_read_tuple(RowRead *row, const char *place);
bool row_read_columns(RowRead *row);
bool row_read_json(RowRead *row, const char *place);

/* Sets the highest bit if the bits are those of NaN or an infinity. */
static inline uint64 exponent_is_full(uint64 bits)
{
    return (bits & UINT64CONST(0x7FF0000000000000)) + UINT64CONST(0x0010000000000000);
}

/* Copies doubles from any address; returns false if one is NaN or infinite (as all_finite tells). */
static inline bool copy_doubles(double *slots, const char *place, uint32 count)
{
    uint64 seen = 0;

    for (uint32 i = 0; i < count; i++) {
        uint64 bits = READ_AT(uint64, place + (size_t)i * sizeof bits);

        seen |= exponent_is_full(bits);
        memcpy(&slots[i], &bits, sizeof bits);
    }
    return seen >> 63 == 0;
}

/* ---- arrays ---- */

typedef struct ArrayView {
    const char *data;
    const uint8 *bitmap; /* of elements that are not NULL; NULL: none is */
    uint32 count;
    Oid element;
    struct varlena *copy; /* for the caller to free; NULL: read in place */
} ArrayView;

/* Opens an array at any address; fails unless it has one dimension. what: "the features are". */
ArrayView array_view(const char *place, const char *what);
/*
 * Copies an array of `count` finite float8 without NULLs to out, if it needs no detoasting. Returns false for any other
 * array; out is then undefined.
 */
bool array_plain_doubles(const char *place, uint32 count, double *out);
/*
 * Reads the elements as doubles. Where nulls is NULL, stops at the first NULL and returns false; else marks NULLs there
 * and reads them as 0. Sets *overflow to the position of an element out of the range of a double.
 */
bool array_read(const ArrayView *view, SqlValueKind element, double *out, bool *nulls, int32 *overflow);
/* Returns how elements of this type are read; fails where they are not numbers. */
SqlValueKind array_element_kind(FeatureReader *reader, Oid element);
/* Prepares the calls of a cast function. Fails unless the current user trusts it: whoever made a type chose it. */
void cast_find(ArrayCast *cast, Oid function, MemoryContext context);
/* Calls a cast function on a value at any address; returns NULL where the function does. */
const char *cast_to_array(ArrayCast *cast, const char *place);

/* ---- tuples and objects ---- */

/* Returns the address of a row or object, detoasted where needed; release it with close_value. */
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

/* Returns the columns of a row type, for rows of this reader. */
const Source *reader_source(FeatureReader *reader, Oid type, int32 typmod);
/* Returns the columns of a composite value, or of one that is passed as its columns. */
const Source *reader_row_source(FeatureReader *reader, const char *place);
/* Returns the keys of an object as columns: reader->keys, made anew where they differ from those of the last object. */
const Source *reader_json_source(FeatureReader *reader, const char *place);
/* Returns the address of a column's value inside a composite value, or NULL where it is NULL. */
const char *row_value(const FeatureReader *reader, const Source *source, const char *place, uint32 column, Datum *buffer);
/* Returns the kind of a key's value; 0: null. Fails on objects and arrays. */
FieldKind json_value_kind(const Source *keys, const char *place, uint32 column);

/* Reads a key's value as a number, NaN where it is none; returns false for null. */
bool json_value_number(FeatureReader *reader, const char *place, uint32 column, double *number);
/* Returns the value as text, in the object or in the current memory context; NULL for null. Fails on objects and arrays. */
const char *json_value_text(FeatureReader *reader, const char *place, uint32 column, uint32_t *length);
/* Returns the column of this name, or -1; one with a name of its own comes before one named by position. */
int source_find(const Source *source, const char *name);

/* Returns a special column; fails where the row has no column of this name. */
uint32_t source_special_column(const Source *source, const SpecialColumn *special, uint32_t number);
/* Returns the name of its type: "integer", "text", ... */
const char *source_special_type(FeatureReader *reader, const Source *source, const SpecialColumn *special);

#endif
