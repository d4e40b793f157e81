/*
 * options.h - one table of options an estimator, one parser, one source for errors and docs.
 */
#ifndef PGFIT_OPTIONS_H
#define PGFIT_OPTIONS_H

#include "core/base/env.h"

#include <math.h>

typedef enum OptionType {
    OPTION_NUMBER = 1,
    OPTION_INTEGER = 2,
    OPTION_BOOLEAN = 4,
    OPTION_STRING = 8,       /* with choices: one of them */
    OPTION_NUMBER_LIST = 16, /* a JSON array of numbers */
    OPTION_STRING_LIST = 32,
    OPTION_NUMBER_MATRIX = 64, /* an array of equally long arrays of numbers */
    OPTION_OBJECT = 128,       /* {"name": number} */
    OPTION_MODEL = 256         /* a model as JSON */
} OptionType;                  /* a spec may allow several */

typedef struct OptionSpec {
    const char *name;
    unsigned types; /* OptionType bits */
    const char *fallback; /* the default as JSON; NULL: none */
    /* of numbers, also in lists; inclusive unless open; both 0: any number */
    double minimum, maximum;
    bool minimum_open, maximum_open;
    const char *const *choices; /* NULL-terminated, of strings */
    const char *help;           /* one sentence: meaning */
} OptionSpec;

/* Tells whether the option's numbers have a range. */
static inline bool option_has_range(const OptionSpec *spec)
{
    return spec->minimum != 0.0 || spec->maximum != 0.0;
}

/* In a spec, the range of a finite number: > 0, or >= 0. */
#define ABOVE_ZERO .minimum = 0, .minimum_open = true, .maximum = INFINITY, .maximum_open = true
#define FROM_ZERO .minimum = 0, .maximum = INFINITY, .maximum_open = true

typedef struct Options Options; /* parsed and checked */

/* The options that everything takes that reads rows: features, nulls, unseen, max_levels, weight_kind. */
extern const OptionSpec options_common[];

/*
 * What a descriptor takes as its options: a list of tables, each of which ends with a NULL name. Tables that several
 * methods share come first, the method's own last: of two options with the same name the later one counts.
 */
#define OPTION_TABLES(...) ((const OptionSpec *const[]){__VA_ARGS__, NULL})

/* Finds the option of this name in the tables; NULL if there is none. */
const OptionSpec *option_find(const OptionSpec *const *tables, const char *name);
/* Lists the options of the tables by name, each once; *count of them. */
const OptionSpec **option_list(Env *env, const OptionSpec *const *tables, uint32_t *count);
/* Tells whether this is one of options_common, and not an estimator's own of the same name. */
bool option_is_common(const OptionSpec *spec);

/*
 * Parses and checks options. tables: as OPTION_TABLES makes them. json: an object ("" or NULL: none). positional: numbers given as arguments, matched in turn with the specs named
 * in positional_names (NaN: not given); giving one twice fails. Fails with ERROR_PARAMETER naming
 * option and value; the hint lists the valid ones. The tables must outlive the result.
 */
Options *options_parse(Env *env, const char *estimator, const OptionSpec *const *tables,
                       const char *json, size_t length, const char *const *positional_names,
                       const double *positional, unsigned positional_count);

bool options_given(const Options *options, const char *name); /* by the user, not by default */
bool options_has(const Options *options, const char *name);   /* in the tables, given or not */
double options_number(const Options *options, const char *name);
int64_t options_integer(const Options *options, const char *name);
bool options_boolean(const Options *options, const char *name);
const char *options_string(const Options *options, const char *name); /* zero-terminated or NULL */
bool options_is(const Options *options, const char *name, const char *choice);
const double *options_numbers(const Options *options, const char *name, uint32_t *count);
const double *options_matrix(const Options *options, const char *name, uint32_t *rows,
                             uint32_t *columns);
const char *const *options_strings(const Options *options, const char *name, uint32_t *count);
/* An object's value for a key; fallback where absent. */
double options_object_number(const Options *options, const char *name, const char *key,
                             double fallback);
/* Its keys; 0 where the value is no object. */
const char *const *options_keys(const Options *options, const char *name, uint32_t *count);
OptionType options_type(const Options *options,
                        const char *name); /* of the value at hand; 0: none */
/* The value as canonical JSON, zero-terminated (an OPTION_MODEL is read from it); NULL where none.
 */
const char *options_value_json(const Options *options, const char *name);

/* Canonical JSON of what was given (sorted by name, positional numbers included): goes into a
 * state. */
const char *options_json(const Options *options, uint32_t *length);
/* The same with the defaults of what was not given, and without models: goes into a fitted model. */
const char *options_used_json(const Options *options, uint32_t *length);
/* Equal canonical JSON <=> equal options. */
uint64_t options_hash(const Options *options);

/* For docs and errors: "number, or \"cv\"", and "0 <= x < 1", zero-terminated, "" where none. */
char *option_type_text(Env *env, const OptionSpec *spec);
char *option_type_phrase(Env *env, const OptionSpec *spec); /* "a number or a string" */
char *option_range_text(Env *env, const OptionSpec *spec);
/* The nearest of the candidates that a misspelled name may mean, or NULL. */
const char *nearest_name(const char *name, size_t length, const char *const *candidates,
                         uint32_t count);

#endif
