/*
 * options.h - options as tables: the parser, error messages, pgfit.options() and the reference come from them.
 */
#ifndef PGFIT_OPTIONS_H
#define PGFIT_OPTIONS_H

#include "core/base/env.h"

#include <math.h>

typedef enum OptionType {
    OPTION_NUMBER = 1,
    OPTION_INTEGER = 2,
    OPTION_BOOLEAN = 4,
    OPTION_STRING = 8,       /* one of the choices, if there are any */
    OPTION_NUMBER_LIST = 16, /* a JSON array of numbers */
    OPTION_STRING_LIST = 32,
    OPTION_NUMBER_MATRIX = 64, /* an array of equally long arrays of numbers */
    OPTION_OBJECT = 128,       /* {"name": number} */
    OPTION_MODEL = 256,        /* a model as JSON */
    OPTION_NESTED = 512,       /* an object with options of its own */
    OPTION_NESTED_LIST = 1024, /* an array of such objects */
    OPTION_STRING_OBJECT = 2048 /* {"name": string}; numbers and booleans count as their text */
} OptionType;

typedef struct OptionSpec {
    const char *name;
    unsigned types;       /* the types that it may have: bits of OptionType */
    const char *formerly; /* its earlier name, which is still read; NULL: none */
    const char *fallback; /* the default as JSON; NULL: none */
    const char *unset;    /* without a default: what holds if it is not given, in a few words */
    /* range of numbers, also of those in lists; inclusive unless open; both 0: any number */
    double minimum, maximum;
    bool minimum_open, maximum_open;
    const char *const *choices; /* the strings that it may be, NULL-terminated */
    /* tables of the options in its objects; NULL: the object is only kept, for options_value_json */
    const struct OptionSpec *const *nested;
    bool function;              /* it may also be the signature of a function: a string with parentheses */
    const char *help;           /* one sentence that says what it does */
    bool of_call;               /* it concerns the query alone: a fitted model does not keep it */
    const char *replaced_by;    /* the option that, where it is given, leaves this one without its default; NULL: none */
} OptionSpec;

/* Tells whether an option limits its numbers. */
static inline bool option_has_range(const OptionSpec *spec)
{
    return spec->minimum != 0.0 || spec->maximum != 0.0;
}

/* In a spec, the range of a finite number: x > 0, x >= 0; of a share: 0 <= x <= 1, 0 < x <= 1, 0 < x < 1. */
#define ABOVE_ZERO .minimum = 0, .minimum_open = true, .maximum = INFINITY, .maximum_open = true
#define FROM_ZERO .minimum = 0, .maximum = INFINITY, .maximum_open = true
#define FROM_ZERO_TO_ONE .minimum = 0, .maximum = 1
#define ABOVE_ZERO_TO_ONE .minimum = 0, .minimum_open = true, .maximum = 1
#define BETWEEN_ZERO_AND_ONE .minimum = 0, .minimum_open = true, .maximum = 1, .maximum_open = true

/* Options as parsed and checked. */
typedef struct Options Options;

/* The options of everything that reads rows: features, nulls, unseen, max_levels, on_failure, weight_kind. */
extern const OptionSpec options_common[];

/*
 * Makes a list of tables for a descriptor; each table ends with a NULL name. List tables that several methods share first and
 * the method's own last: of two options with the same name the later one counts.
 */
#define OPTION_TABLES(...) ((const OptionSpec *const[]){__VA_ARGS__, NULL})

/* Finds the option of this name, or with this earlier name, in the tables; NULL if there is none. */
const OptionSpec *option_find(const OptionSpec *const *tables, const char *name);
/* Returns the default as JSON; without one, what applies instead, in words and parentheses. */
char *option_default_text(Env *env, const OptionSpec *spec);
/* Returns the options of the tables in order of name, each once, and their number. */
const OptionSpec **option_list(Env *env, const OptionSpec *const *tables, uint32_t *count);
/* Tells whether this is one of options_common, and not an estimator's own of the same name. */
bool option_is_common(const OptionSpec *spec);

/*
 * Parses and checks options. json: an object; "" or NULL for none. positional: numbers that were given as arguments for the
 * options positional_names, NaN for those that were not. Fails with ERROR_PARAMETER, naming option and value, with the
 * valid ones in the hint, also if an option is given both ways. The tables must outlive the result.
 */
Options *options_parse(Env *env, const char *estimator, const OptionSpec *const *tables,
                       const char *json, size_t length, const char *const *positional_names,
                       const double *positional, unsigned positional_count);

/* Tells whether the user gave an option; false if the tables have none of this name. */
bool options_given(const Options *options, const char *name);
/* Tells whether the tables have an option. */
bool options_has(const Options *options, const char *name);

/*
 * Return the value of an option that the tables have. If it is of another type, or was neither given nor has a default: NaN, 0,
 * false or NULL, and a count of 0.
 */
double options_number(const Options *options, const char *name);
int64_t options_integer(const Options *options, const char *name);
bool options_boolean(const Options *options, const char *name);
const char *options_string(const Options *options, const char *name);
/* Tells whether the value is this string. */
bool options_is(const Options *options, const char *name, const char *choice);
const double *options_numbers(const Options *options, const char *name, uint32_t *count);
const double *options_matrix(const Options *options, const char *name, uint32_t *rows,
                             uint32_t *columns);
const char *const *options_strings(const Options *options, const char *name, uint32_t *count);
/* Returns the number of a key of an object, or fallback. */
double options_object_number(const Options *options, const char *name, const char *key,
                             double fallback);
/* Returns the keys of an object. */
const char *const *options_keys(const Options *options, const char *name, uint32_t *count);
/* Returns the keys of an object of strings, and sets *values to its strings. */
const char *const *options_object_strings(const Options *options, const char *name, const char *const **values, uint32_t *count);
/*
 * Returns the parsed options of each object of an OPTION_NESTED (one) or OPTION_NESTED_LIST. Messages name them by the option, or
 * by the options that the list is in, if these are nested themselves.
 */
Options *const *options_nested(const Options *options, const char *name, uint32_t *count);
/* Returns the type that the value has; 0 if there is none. */
OptionType options_type(const Options *options, const char *name);
/* Returns the value as canonical JSON, from which an OPTION_MODEL is read; NULL if there is none. */
const char *options_value_json(const Options *options, const char *name);

/* Returns what was given as canonical JSON, in order of name, for a state. */
const char *options_json(const Options *options, uint32_t *length);
/* Returns the same with defaults and without models, for a fitted model. */
const char *options_used_json(const Options *options, uint32_t *length);
/* Leaves options that mean nothing to a fit out of options_used_json. names: NULL-terminated. */
void options_hide(Options *options, const char *const *names);
/* Returns the hash of a canonical text, and that of options_json. */
uint64_t options_text_hash(Env *env, const char *json, uint32_t length);
uint64_t options_hash(const Options *options);

/* Returns the types of an option for docs: "number or string". */
char *option_type_text(Env *env, const OptionSpec *spec);
/* Returns them for messages: "a number or a string". */
char *option_type_phrase(Env *env, const OptionSpec *spec);
/* Returns the range and the choices of an option: "0 <= x < 1", "x > 0; or \"cv\"", "" if there are none. */
char *option_range_text(Env *env, const OptionSpec *spec);
/*
 * Returns the candidate that a misspelled name most likely means: one that differs by few edits, or the first that begins with
 * the name. NULL: none is near.
 */
const char *nearest_name(const char *name, size_t length, const char *const *candidates,
                         uint32_t count);

/*
 * Returns the candidate that the name of an option means which is none of them: that of another tool, such as n_trees for n_estimators, or the nearest;
 * NULL: none. note: how the two differ, or why there is none; or NULL.
 */
const char *option_meant(const char *name, size_t length, const char *const *candidates, uint32_t count, const char **note);
/* Returns what a choice of another tool is called here, such as polynomial for poly; NULL if it is none. */
const char *choice_synonym(const char *option, const char *value);
/* Returns the one of the choices that a value of another tool means; NULL: none. choices: NULL-terminated. */
const char *choice_meant(const char *option, const char *value, const char *const *choices);
/*
 * Returns the estimator or metric that a name of another tool means, such as forest_classifier for RandomForestClassifier; else the
 * nearest name.
 */
const char *nearest_method(const char *name, size_t length, const char *const *candidates, uint32_t count);

#endif
