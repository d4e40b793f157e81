/*
 * schema.h - describes the features of a model: fields, slots, columns, levels and classes.
 *
 * field   a feature as the user names it: a column of the row, or an element of the array.
 * slot    a number of an encoded row, which is what the features reader produces. A field of width n (an array
 *         inside a row) has n slots, any other field has one. A slot of a numeric kind holds the number itself,
 *         one of a categorical field the position of its level in the dictionary, or SLOT_UNSEEN. A slot of a text field
 *         holds a position in the dictionary as well while rows are collected for a fit; the fitted model keeps its texts in arrays of
 *         the method, if any. When a row is scored, it holds -1 - i for text i of Env.row_texts, whether the model knows that text or
 *         not. To everything else it is a number, so designs have one column for it.
 * column  a column of a design: a numeric slot has one, a categorical slot has one per level.
 *
 * The arrays of SECTION_SCHEMA, all optional, for F fields, S slots and L levels:
 *   field_names   TEXT[F]  missing: f1 .. fF. Without MODEL_NAMED, fields without a name of their own are called f<position>
 *   field_kinds   I64[F]   FieldKind; missing: all FIELD_NUMERIC
 *   field_widths  I64[F]   missing: all 1
 *   level_text    TEXT[L]  the levels of all categorical fields: in order of appearance in a running state,
 *   level_field   I64[L]   in order of (field, key, bytes) in a fitted model
 *   level_key     F64[L]   sorts levels before their bytes do: the order of an enum, never 0; the value of a number that a formula
 *                          reads as a category; 0 for text; +Infinity for the NULL level; LEVEL_KEY_REFERENCE for the level that
 *                          comes first by choice
 *   level_sorted  I64[L]   dictionary positions in order of (field, NULL last, bytes), for lookups
 *   class_text, class_key, class_sorted: the same for labels, which have no field
 *   class_type    TEXT[1]  the SQL type of the labels
 *   impute        F64[S]   replaces NULLs: the training means; ignored for categorical slots
 *   id_type       TEXT[1]  the SQL type of the rows' ids, if rows have ids
 *   target_name   TEXT[1]  if known
 *   formula       TEXT[1]  the formula whose inputs the fields are (core/formula): a field of a plain column has the column's name,
 *                          any other the text of its expression, such as "log(carat)"
 *   formula_kinds I64[v]   FieldKind of each name in the formula, in order of appearance, where an expression reads a boolean, a date or
 *                          a time that is no field; missing: such names are numbers
 *   formula_inputs     U8[n]   where the fields are terms that a formula learned: the schema of its inputs, with "formula" and the means
 *   formula_parameters F64[p]  that replace their NULLs, as a value in binary form; and what was learned
 *   missing       I64[1]   1: a key that a jsonb object lacks is an error, not a NULL
 */
#ifndef PGFIT_SCHEMA_H
#define PGFIT_SCHEMA_H

#include "core/model/dictionary.h"
#include "core/model/model.h"
#include "core/model/schema_view.h"

#include <float.h>
#include <string.h>

#define SLOT_UNSEEN (-1.0) /* a level that the model does not know */
/*
 * Returns the slot of an enum's level that the model does not know, which carries the level's sort key: a number below
 * SLOT_UNSEEN. Only models whose metric compares levels by order (metric_orders_levels) get such slots.
 */
static inline double slot_of_unseen_key(double key)
{
    float narrow = (float)key; /* enum orders are float4 */
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof bits);
    return SLOT_UNSEEN - 1 - (double)bits;
}

/* Returns the sort key of such a slot. */
static inline double slot_unseen_key(double slot)
{
    uint32_t bits = (uint32_t)(SLOT_UNSEEN - 1 - slot);
    float narrow;

    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

/* Returns the slot of text i of the row that is scored (Env.row_texts). */
static inline double slot_of_row_text(uint32_t i)
{
    return -1 - (double)i;
}

#define LEVEL_KEY_REFERENCE (-DBL_MAX) /* the sort key of a level that was chosen as the reference */

#define LEVELS_MAX_DEFAULT 1000
#define SCHEMA_MAX_SLOTS 1000000u /* numbers in an encoded row */
#define SCHEMA_NAME_SIZE 128      /* a buffer for a feature's name in a message */

/* Returns the name of a kind ("numeric", "categorical", ...), or "unknown". */
const char *field_kind_name(FieldKind kind);

/* The schema of a new state, as the first row of a group determines it. */
typedef struct SchemaSpec {
    uint32_t field_count;
    const char *const *names;  /* NULL: f1 .. fF */
    const FieldKind *kinds;    /* NULL: all numeric */
    const uint32_t *widths;    /* NULL: all 1 */
    bool named;                /* rows are scored by name */
    const char *class_type;    /* SQL type of the labels; NULL: there are no classes */
    const char *target_name;   /* NULL: not known */
    const char *id_type;       /* SQL type of the ids; NULL: rows have none */
    const char *formula;       /* canonical text of the formula whose inputs the fields are; NULL: none */
    const int64_t *formula_kinds; /* the entry "formula_kinds"; NULL: none */
    uint32_t formula_kind_count;
    bool formula_learns;       /* its terms are learned from the rows, which are kept until the fit, */
    bool formula_summable;     /* unless moments of the inputs do: formula_summable */
    const uint8_t *formula_inputs; /* where the fields are such terms: the entries "formula_inputs" and "formula_parameters" */
    uint32_t formula_inputs_size;
    const double *formula_parameters;
    uint32_t formula_parameter_count;
    bool missing;              /* a key that a jsonb object lacks is an error */
} SchemaSpec;
/*
 * Adds the arrays that the spec needs, which are none for unnamed numeric features, with room for levels and for classes
 * (if class_type is given or the builder's kind is MODEL_CLASS_MOMENTS). Sets field_count, slot_count and MODEL_NAMED.
 * The strings of the spec must live until model_build. Fails with ERROR_LIMIT above SCHEMA_MAX_SLOTS.
 */
void schema_add(Env *env, ModelBuilder *builder, const SchemaSpec *spec);

/* Returns the features and the type of labels of a value as the description of a new one, in memory of env. */
SchemaSpec schema_spec_of(Env *env, const Model *model);

uint32_t schema_field_count(const Model *model);
FieldKind schema_field_kind(const Model *model, uint32_t field);
uint32_t schema_field_width(const Model *model, uint32_t field);
/* Returns the formula whose inputs the fields are, not zero-terminated; NULL: the fields are columns. */
const char *schema_formula(const Model *model, uint32_t *length);
/* Returns the formula of a model, zero-terminated, also where its fields are terms that were learned; NULL: it has none. */
const char *schema_formula_text(Env *env, const Model *model);
/* Tells whether a field has a name of its own. One without is called f and its position, such as f3. */
bool schema_field_named(const Model *model, const SchemaView *view, uint32_t field);
/* Counts the fields that have a name of their own. */
uint32_t schema_named_fields(const Model *model);
/* Returns the field of this name, or -1. */
int schema_find_field(const Model *model, const char *name, size_t length);
/* Returns the slot of model with the name of a slot of other, or -1; fields without names of their own match none. */
int64_t schema_same_slot(const Model *model, const Model *other, uint32_t slot);
/* Writes the name of a field for messages ("carat", "f3"), cut to size bytes, the terminating zero included. */
void schema_field_name(const Model *model, uint32_t field, char *buffer, size_t size);
/* The same for a slot, such as "embedding[7]" in a wide field. */
void schema_slot_name(const Model *model, uint32_t slot, char *buffer, size_t size);
/* The same for a term: a slot (level -1), or a level by dictionary position, such as "cut=Ideal" or "cut IS NULL". */
void schema_term_name(const Model *model, uint32_t slot, int64_t level, char *buffer, size_t size);
/* Returns that name whole. */
char *schema_term_text(Env *env, const Model *model, uint32_t slot, int64_t level);
/* Returns the field of a slot. */
uint32_t schema_slot_field(const Model *model, uint32_t slot);
/* Tells whether no field is categorical. */
bool schema_all_numeric(const Model *model);
/* Returns the first slot without a value in any row, whose mean was to replace its NULLs, or their number. means: [slots]; NULL: none replace them. */
uint32_t schema_slot_without_mean(const Model *model, const double *means);
/* Returns the means. Fails with ERROR_DATA if there is such a slot. */
double *schema_require_means(Env *env, const Model *model, double *means);
/* Fails with ERROR_DATA if a field is categorical. method: the one that takes only numbers. */
void schema_require_numbers(Env *env, const Model *model, const char *method);

/*
 * Adds the schema of a state to a fitted model, with the dictionaries in final order, and sets the header as schema_add
 * does. "impute" is left to the fit. source must live until model_build.
 */
void schema_add_final(Env *env, ModelBuilder *builder, const Model *source);
/* Returns a fitted value that has nothing but such a schema. */
Model *schema_final(Env *env, const Model *source);

/* Returns what is wrong with the schema of a value whose layout is sound, or NULL. */
const char *schema_check(Env *env, const Model *model);

/* Returns a message about the first difference in fields, kinds, widths or the type of labels, or NULL. Levels may differ. */
const char *schema_difference(Env *env, const Model *a, const Model *b);

#endif
