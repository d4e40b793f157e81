/*
 * array_spec.h - the arrays of a method, declared once: names, element types, shapes, values, and places in a view.
 *
 * A method lists its arrays in constant tables. From them a model is checked before anything reads it, a view of
 * the model is filled, and the names are listed for documentation and for the fuzzers. What goes beyond single
 * arrays (their order, positive definiteness, how they relate) is the business of Estimator.check, which runs after
 * the tables and may rely on them.
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
    SIZE_INTERCEPT,   /* 1 where there is an array "intercept", else 0 */
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

#define ARRAY_NUMBER ((ElementType)0) /* as a type: any but text */

/* A place in a view struct; 0: none. */
#define VIEW_AT(type, member) ((uint16_t)(offsetof(type, member) + 1))

typedef struct ArraySpec {
    char name[MODEL_NAME_SIZE]; /* as stored; tables are sorted; "" ends one, with ARRAY_OPTIONAL one that lets others pass */
    uint8_t type;               /* ElementType */
    uint8_t presence;           /* ArrayPresence */
    uint8_t values;             /* ArrayValues */
    uint8_t below;              /* SizeSymbol: of VALUES_INDEX */
    int8_t least;               /* of VALUES_INDEX */
    bool sized;                 /* there only where its shape is not empty, and then as presence says */
    bool flat;                  /* of one row: stored as an array of one dimension */
    bool fact;                  /* in SECTION_FACTS, else in SECTION_ARRAYS */
    const char *other;          /* of presence */
    ArraySize rows, columns;
    /* places in the view: data (const void *), and uint32_t lengths; 0: none */
    uint16_t data_at, rows_at, columns_at;
} ArraySpec;

/* A table as part of a method's arrays; its view lies inside the method's. Ends with a NULL table. */
typedef struct ArrayTable {
    const ArraySpec *specs;
    size_t view; /* offset of the table's view struct in the method's */
} ArrayTable;

#define ARRAY_SPECS_MAX 64 /* specs of one method */

/*
 * Checks a model whose layout and schema are sound against the tables. Returns NULL, or a message with the array's name
 * and both shapes. Refuses arrays that no table has; facts that no table has where the tables have facts at all.
 */
const char *arrays_check(Env *env, const Model *model, const ArrayTable *tables);
/*
 * Fills the places of one table in a view with the arrays of a checked model; places of missing arrays are not
 * written, so the caller zeroes them first. One pass over the arrays, without allocation: fit for every row.
 */
void view_arrays(const Model *model, const ArraySpec *specs, void *view);
/* The same of all tables of a method. */
void view_tables(const Model *model, const ArrayTable *tables, void *view);
/* An Estimator.check of methods that take no categorical features. */
const char *check_numeric(Env *env, const Model *model);
/* "f64[k x slots]": the declared type and shape, in memory of env. */
const char *array_spec_shape(Env *env, const ArraySpec *spec);

/* ---- tables that methods share ---- */

extern const ArraySpec term_arrays[]; /* column_slot, column_level of model_terms.h; view: Terms */

#endif
