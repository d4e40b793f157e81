/*
 * array_spec.h - the arrays and facts of a method, declared once: names, element types, shapes, values, and places in a view.
 *
 * A method lists its arrays in constant tables; a model with any other array is refused. From the tables a model is
 * checked before anything reads it, and its view is filled; the reference and the dictionary of the fuzzers list them.
 * A method declares its facts the same way, by FACT_TABLE or NO_FACTS; without either, its models may have any facts.
 * What goes beyond single arrays (their order, positive definiteness, how they relate) is left to Estimator.check,
 * which runs after the tables and may rely on them.
 */
#ifndef PGFIT_ARRAY_SPEC_H
#define PGFIT_ARRAY_SPEC_H

#include "core/model/model.h"

#include <stddef.h>

/* What a length is counted in. */
typedef enum SizeSymbol {
    SIZE_NONE = 0,    /* as ArraySpec.columns: the array has one dimension, of length rows */
    SIZE_NUMBER,      /* a constant, in plus: {SIZE_NUMBER, .plus = 1} is one number */
    SIZE_FREE,        /* any; Estimator.check looks at it where it matters */
    /* known from the schema */
    SIZE_SLOTS,       /* numbers in an encoded row */
    SIZE_LEVELS,      /* levels in the dictionary */
    SIZE_CLASSES,
    SIZE_CATEGORICAL, /* slots that are categorical */
    /* known from certain arrays */
    SIZE_TERMS,       /* the length of "column_slot"; without it, slots (model_terms.h) */
    /* the length that the defining array has, at least 1 */
    SIZE_CLUSTERS,
    SIZE_COMPONENTS,
    SIZE_DIRECTIONS,
    SIZE_EQUATIONS,
    SIZE_FOLDS,
    SIZE_LAMBDAS,
    SIZE_ROWS,
    SIZE_BINS,
    SIZE_SYMBOLS
} SizeSymbol;

/* n = symbol + other + plus, or n (n + 1) / 2 where packed. */
typedef struct ArraySize {
    uint8_t symbol; /* SizeSymbol */
    uint8_t other;  /* SizeSymbol */
    bool packed;
    bool defines; /* this array's length is what the symbol means elsewhere; at least 1 */
    bool zero;    /* the defining length may be 0 */
    int32_t plus;
} ArraySize;

/* Numbers are finite, unless VALUES_ANY. */
typedef enum ArrayValues {
    VALUES_FINITE = 0,
    VALUES_ANY,         /* NaN and infinities too */
    VALUES_NONNEGATIVE,
    VALUES_POSITIVE,
    VALUES_SHARES,      /* nonnegative, and not all 0 */
    VALUES_PROBABILITY, /* 0 .. 1 */
    VALUES_SIGN,        /* 1 or -1 */
    VALUES_INDEX        /* whole numbers from least (0) up and below a symbol */
} ArrayValues;

/* When an array is there. Always, where nothing is said. */
typedef enum ArrayPresence {
    ARRAY_REQUIRED = 0,
    ARRAY_OPTIONAL, /* with another one named: only beside it */
    ARRAY_WITH      /* exactly where the other one is */
} ArrayPresence;

/* A place in a view struct; 0: none. */
#define VIEW_AT(type, member) ((uint16_t)(offsetof(type, member) + 1))

typedef struct ArraySpec {
    char name[MODEL_NAME_SIZE]; /* as stored */
    uint8_t type;               /* ElementType */
    uint8_t presence;           /* ArrayPresence */
    uint8_t values;             /* ArrayValues */
    uint8_t below;              /* SizeSymbol: of VALUES_INDEX */
    int8_t least;               /* of VALUES_INDEX */
    bool sized;                 /* there only where its shape is not empty, and then as presence says */
    bool flat;                  /* of one row: stored as an array of one dimension */
    bool many_terms;            /* scores of models with it have room for SCHEMA_MAX_SLOTS terms; other scorers have TERMS_MAX on the stack */
    bool narrow;                /* F64 or I32: any numeric type of fewer bytes may hold it as well (builder_narrow) */
    const char *other;          /* of presence */
    ArraySize rows, columns;
    /* places in the view: data (const void *), and uint32_t lengths; 0: none */
    uint16_t data_at, rows_at, columns_at;
} ArraySpec;

/* Specs in the order of their names, as part of a method's arrays. */
typedef struct ArrayTable {
    const ArraySpec *specs;
    uint32_t count;
    uint32_t view; /* where the view struct of these specs begins in the method's */
    bool facts;    /* they are of SECTION_FACTS, and views have none of them */
    const char *where; /* only models that have this array have these; NULL: all models do */
    bool lacking;      /* the other way round: only models without that array */
} ArrayTable;

/* The specs of a constant array; with the member of the method's view that is the view of a shared table. */
#define ARRAY_TABLE(specs) {(specs), sizeof(specs) / sizeof((specs)[0]), 0, false}
#define ARRAY_TABLE_AT(specs, type, member) {(specs), sizeof(specs) / sizeof((specs)[0]), offsetof(type, member), false}
/* The same, for methods whose models are stored in one of two ways: only where there is an array of this name, or only where not. */
#define ARRAY_TABLE_WHERE(specs, array) {(specs), sizeof(specs) / sizeof((specs)[0]), 0, false, (array), false}
#define ARRAY_TABLE_LACKING(specs, array) {(specs), sizeof(specs) / sizeof((specs)[0]), 0, false, (array), true}
/* Facts, each by FACT (one value) or FACT_LIST (any number of them); none is required. */
#define FACT_TABLE(specs) {(specs), sizeof(specs) / sizeof((specs)[0]), 0, true}
#define NO_FACTS {term_arrays, 0, 0, true}
#define FACT(fact, of)                                                                                                  \
    {.name = fact, .type = of, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_NUMBER, .plus = 1}}
#define FACT_LIST(fact, of)                                                                                             \
    {.name = fact, .type = of, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}}
/* All arrays and facts of a method: a list of tables, which ends with specs NULL. */
#define ARRAY_TABLES(...) {__VA_ARGS__, {NULL, 0, 0, false}}

#define ARRAY_SPECS_MAX 64 /* specs of one method */

/*
 * Checks a model whose layout and schema are sound against the tables. Returns NULL, or a message with the array's name
 * and both shapes. Refuses arrays that no table declares, and facts if there is a table of facts.
 */
const char *arrays_check(Env *env, const Model *model, const ArrayTable *tables);
/*
 * Fills the places of the tables in a view with the arrays of a checked model; places of missing arrays are not
 * written, so the caller zeroes them first. One pass over the arrays per table, without allocation: cheap enough for
 * every row.
 */
void view_arrays(const Model *model, const ArrayTable *tables, void *view);
/* An Estimator.check of methods that take no categorical features. */
const char *check_numeric(Env *env, const Model *model);
/* Returns the declared shape, "clusters x slots"; when the array is there, "with labels"; what its elements must be. */
const char *array_spec_shape(Env *env, const ArraySpec *spec);
const char *array_spec_presence(Env *env, const ArrayTable *table, const ArraySpec *spec);
const char *array_spec_values(Env *env, const ArraySpec *spec);

/* column_level, column_slot of model_terms.h; view: Terms. Other shared specs: class_options.h, metric.h. */
extern const ArraySpec term_arrays[2];
/* feature_center, feature_scale of models of standardized rows; view: RowScale, whose columns are 0 without them. */
extern const ArraySpec scale_arrays[2];

#endif
