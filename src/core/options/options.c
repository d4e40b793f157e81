/*
 * options.c - parses the options that a user gives, and checks them against tables.
 */
#include "core/options/options.h"
#include "core/base/bytes.h"
#include "core/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define POLL_BYTES (1 << 20)
#define VALUE_SHOWN 60 /* bytes of a refused value that its message shows */

/* The value of an option. Only the members of its type are set. */
typedef struct OptionValue {
    const OptionSpec *spec;
    bool given;
    OptionType type; /* 0: no value */
    double number;
    int64_t integer;
    bool boolean;
    uint32_t count;   /* of numbers, strings or keys; rows of a matrix */
    uint32_t columns; /* of a matrix */
    const double *numbers;
    const char *const *strings; /* also the keys of an object */
    const char *const *values;  /* of an object of strings */
    Options **nested;           /* [count] */
    const char *json;           /* canonical */
    bool hidden;                /* from options_used_json */
} OptionValue;

struct Options {
    Env *env;
    const char *estimator;
    uint32_t count;
    OptionValue *values; /* in order of name */
    const char *json, *used_json;
    uint32_t json_length, used_json_length;
};

static const char *const nulls_choices[] = {"skip", "error", "impute", NULL};
static const char *const failure_choices[] = {"error", "null", NULL};
static const char *const unseen_choices[] = {"reference", "error", NULL};
static const char *const missing_choices[] = {"null", "error", NULL};
static const char *const weight_choices[] = {"precision", "frequency", NULL};

const OptionSpec options_common[] = {
    {.name = "features",
     .types = OPTION_STRING_LIST,
     .unset = "all columns",
     .help = "Selects columns from a row with names; names the features of an array or of a row without names."},
    {.name = "formula",
     .types = OPTION_STRING,
     .unset = "the features as they are",
     .help = "What the model sees of a row with names, as in R: \"log(carat) * cut + poly(depth, 2)\"; left of a ~ stands what the target is called: "
             "\"price ~ carat\"."},
    {.name = "max_levels",
     .types = OPTION_INTEGER,
     .fallback = "1000",
     .minimum = 1,
     .maximum = 1000000,
     .help = "A categorical feature with more levels than this is an error."},
    {.name = "missing",
     .types = OPTION_STRING,
     .choices = missing_choices,
     .unset = "null",
     .help = "A key that a jsonb object lacks counts as NULL, or is an error (\"error\"), in training and in scoring."},
    {.name = "nulls",
     .types = OPTION_STRING,
     .fallback = "\"skip\"",
     .choices = nulls_choices,
     .help = "What to do with rows that have a NULL feature: skip them, raise an error, or impute the training mean "
             "(for a category: a level of its own)."},
    {.name = "on_failure",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = failure_choices,
     .help = "What to do with a group that cannot be fitted because of its rows (too few, one class, k above the rows): "
             "raise an error, or return NULL and count such groups in one WARNING per query.",
     .of_call = true},
    {.name = "reference",
     .types = OPTION_STRING_OBJECT,
     .unset = "the first level of each category",
     .help = "The level of a category that comes first, so that linear models compare the others with it: {\"cut\": \"Ideal\"}."},
    {.name = "unseen",
     .types = OPTION_STRING,
     .fallback = "\"reference\"",
     .choices = unseen_choices,
     .help = "A level that did not occur in training counts as the reference level when scoring, or is an error."},
    {.name = "weight_kind",
     .types = OPTION_STRING,
     .fallback = "\"precision\"",
     .choices = weight_choices,
     .help = "Whether a weight says how precise a row is (n counts rows) or how often it occurs (n is "
             "the sum of weights)."},
    {.name = NULL}};

/* ---- failing ---- */

static const char **option_names(const Options *options)
{
    const char **names = env_array_raw(options->env, options->count, sizeof(char *));

    for (uint32_t i = 0; i < options->count; i++)
        names[i] = options->values[i].spec->name;
    return names;
}

static void __attribute__((noreturn)) fail_unknown(const Options *options, const Json *key)
{
    const char **names = option_names(options);
    const char *note, *near = option_meant(key->text, key->length, names, options->count, &note);
    TextBuffer hint = {.env = options->env};

    if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    if (note != NULL)
        text_print(&hint, "%s ", note);
    for (uint32_t i = 0; i < options->count; i++)
        if (options->values[i].spec->types == OPTION_NESTED && strcmp(names[i], "options") == 0)
            text_print(&hint, "Options of the estimator stand under \"%s\". ", names[i]);
    text_add(&hint, "Valid options are ");
    for (uint32_t i = 0; i < options->count; i++)
        text_print(&hint, "%s%s", i > 0 ? ", " : "", names[i]);
    text_add(&hint, ".");
    env_fail(options->env, ERROR_PARAMETER, text_finish(&hint, NULL), "%s has no option \"%.*s\"",
             options->estimator, (int)bytes_cut(key->text, key->length, VALUE_SHOWN), key->text);
}

/* Returns a value as a message shows it, shortened if it is long. */
static char *shown(const Options *options, const Json *value)
{
    TextBuffer out = {.env = options->env};
    size_t length;
    char *text;

    if (!json_canonical(&out, value)) {
        out = (TextBuffer){.env = options->env};
        if (value->type == JSON_NUMBER)
            text_bytes(&out, value->text, value->length);
        else
            text_add(&out, json_type_name(value));
    }
    text = text_finish(&out, &length);
    if (length > VALUE_SHOWN + strlen("..."))
        strcpy(text + bytes_cut(text, length, VALUE_SHOWN), value->type == JSON_STRING ? "...\"" : "...");
    return text;
}

/* Fails because of a value. what: the rule that it breaks, such as "must be positive". */
static void __attribute__((noreturn))
fail_value(const Options *options, const OptionSpec *spec, const Json *value, const char *what)
{
    const char *range = option_range_text(options->env, spec);
    const char *fallback = spec->fallback != NULL ? spec->fallback : "";
    TextBuffer hint = {.env = options->env};

    text_print(&hint, "%s takes: %s%s%s%s%s.", spec->name, option_type_text(options->env, spec), range[0] != 0 ? "; " : "",
               range, fallback[0] != 0 ? "; default " : "", fallback);
    env_fail(options->env, ERROR_PARAMETER, text_finish(&hint, NULL),
             "option \"%s\" of %s %s, not %s", spec->name, options->estimator, what,
             shown(options, value));
}

static void __attribute__((noreturn))
fail_type(const Options *options, const OptionSpec *spec, const Json *value)
{
    char what[256];

    snprintf(what, sizeof(what), "must be %s", option_type_phrase(options->env, spec));
    fail_value(options, spec, value, what);
}

static void __attribute__((noreturn))
fail_range(const Options *options, const OptionSpec *spec, const Json *value)
{
    const char *kind = (spec->types & OPTION_NUMBER)    ? "be a number"
                       : (spec->types & OPTION_INTEGER) ? "be an integer"
                                                        : "have numbers";
    char what[256];

    snprintf(what, sizeof(what), "must %s with %s", kind,
             option_range_text(options->env, &(OptionSpec){.minimum = spec->minimum,
                                                           .maximum = spec->maximum,
                                                           .minimum_open = spec->minimum_open,
                                                           .maximum_open = spec->maximum_open}));
    fail_value(options, spec, value, what);
}

/* ---- reading values ---- */

/* Reads a finite number in the range of the option. whole: the value that a message shows. */
static double read_number(const Options *options, const OptionSpec *spec, const Json *number,
                          const Json *whole)
{
    double x = json_number(options->env, number);

    if (!isfinite(x))
        fail_value(options, spec, whole, "must be a number that fits double precision");
    if (option_has_range(spec) && (spec->minimum_open ? x <= spec->minimum : x < spec->minimum))
        fail_range(options, spec, whole);
    if (option_has_range(spec) && (spec->maximum_open ? x >= spec->maximum : x > spec->maximum))
        fail_range(options, spec, whole);
    return x;
}

static void read_scalar_number(const Options *options, OptionValue *v, const Json *value)
{
    bool integral = json_integer(value, &v->integer);

    if ((v->spec->types & (OPTION_NUMBER | OPTION_INTEGER)) == 0)
        fail_type(options, v->spec, value);
    if (!integral && (v->spec->types & OPTION_NUMBER) == 0)
        fail_value(options, v->spec, value, "must be an integer");
    v->number = read_number(options, v->spec, value, value);
    v->type = integral && (v->spec->types & OPTION_INTEGER) ? OPTION_INTEGER : OPTION_NUMBER;
    v->numbers = &v->number;
    v->count = 1;
}

/* Tells whether a string could be the signature of a function. */
static bool is_signature(const Json *value)
{
    return memchr(value->text, '(', value->length) != NULL;
}

static char *quoted(Env *env, const char *choice)
{
    TextBuffer out = {.env = env};

    text_print(&out, "\"%s\"", choice);
    return text_finish(&out, NULL);
}

static void read_string(const Options *options, OptionValue *v, const Json *value)
{
    const char *const *choice = v->spec->choices, *meant = NULL;
    const char **strings;

    if ((v->spec->types & OPTION_STRING) == 0)
        fail_type(options, v->spec, value);
    if (choice != NULL && !(v->spec->function && is_signature(value))) {
        while (*choice != NULL && !json_is(value, *choice))
            choice++;
        meant = *choice != NULL ? NULL : choice_meant(v->spec->name, json_string(options->env, value), v->spec->choices);
        if (*choice == NULL && meant == NULL) {
            const char *other = option_type_phrase(
                options->env, &(OptionSpec){.types = v->spec->types & ~(OPTION_STRING | OPTION_NESTED)});
            char what[640];

            snprintf(what, sizeof(what), "must be %s%s%s%s%s%s", other, other[0] != 0 ? " or " : "",
                     v->spec->choices[1] != NULL ? "one of " : "",
                     option_range_text(options->env, &(OptionSpec){.types = OPTION_STRING,
                                                                   .choices = v->spec->choices}),
                     v->spec->function ? ", or the signature of a function such as \"my_distance(text,text)\"" : "",
                     v->spec->types & OPTION_NESTED ? ", or an object of options" : "");
            fail_value(options, v->spec, value, what);
        }
    }
    strings = env_array_raw(options->env, 1, sizeof(char *));
    strings[0] = meant != NULL ? meant : json_string(options->env, value);
    v->strings = strings;
    v->count = 1;
    v->type = OPTION_STRING;
    if (meant != NULL)
        v->json = quoted(options->env, meant);
}

static bool all_of(const Json *array, JsonType type)
{
    for (const Json *e = json_first(array); e != NULL; e = json_next(array, e)) {
        if (e->type != type)
            return false;
    }
    return true;
}

static void read_string_list(const Options *options, OptionValue *v, const Json *value)
{
    const char **strings = env_array_raw(options->env, value->length, sizeof(char *));

    for (const Json *e = json_first(value); e != NULL; e = json_next(value, e))
        strings[v->count++] = json_string(options->env, e);
    v->strings = strings;
    v->type = OPTION_STRING_LIST;
}

static void read_number_list(const Options *options, OptionValue *v, const Json *value)
{
    double *numbers = env_array_raw(options->env, value->length, sizeof(double));

    for (const Json *e = json_first(value); e != NULL; e = json_next(value, e))
        numbers[v->count++] = read_number(options, v->spec, e, value);
    v->numbers = numbers;
    v->type = OPTION_NUMBER_LIST;
}

static void read_matrix(const Options *options, OptionValue *v, const Json *value)
{
    uint32_t columns = json_first(value)->length;
    double *numbers;
    size_t n = 0;

    for (const Json *row = json_first(value); row != NULL; row = json_next(value, row)) {
        if (!all_of(row, JSON_NUMBER))
            fail_type(options, v->spec, value);
        if (row->length != columns || columns == 0)
            fail_value(options, v->spec, value, "must have rows of equal length");
    }
    numbers = env_array_raw(options->env, (size_t)value->length * columns, sizeof(double));
    for (const Json *row = json_first(value); row != NULL; row = json_next(value, row)) {
        for (const Json *e = json_first(row); e != NULL; e = json_next(row, e))
            numbers[n++] = read_number(options, v->spec, e, value);
    }
    v->numbers = numbers;
    v->count = value->length;
    v->columns = columns;
    v->type = OPTION_NUMBER_MATRIX;
}

/* Parses an object with options of its own; name: that of whose options they are, for messages. */
static Options *parse_nested(const Options *options, const OptionSpec *spec, const char *name, const Json *value)
{
    TextBuffer out = {.env = options->env};
    size_t length;
    char *text;

    if (!json_canonical(&out, value))
        fail_value(options, spec, value, "must have numbers that fit double precision");
    text = text_finish(&out, &length);
    return options_parse(options->env, name, spec->nested, text, length, NULL, NULL, 0);
}

static void read_nested(const Options *options, OptionValue *v, const Json *value)
{
    v->type = OPTION_NESTED;
    if (v->spec->nested == NULL)
        return;
    v->nested = env_array(options->env, 1, sizeof(Options *));
    v->nested[0] = parse_nested(options, v->spec, v->spec->name, value);
    v->count = 1;
}

static void read_nested_list(const Options *options, OptionValue *v, const Json *value)
{
    v->type = OPTION_NESTED_LIST;
    if (v->spec->nested == NULL)
        return;
    v->nested = env_array(options->env, value->length, sizeof(Options *));
    for (const Json *e = json_first(value); e != NULL; e = json_next(value, e))
        v->nested[v->count++] = parse_nested(options, v->spec, options->estimator, e);
}

static void read_array(const Options *options, OptionValue *v, const Json *value)
{
    unsigned types = v->spec->types;

    if ((types & (OPTION_NUMBER_LIST | OPTION_STRING_LIST | OPTION_NUMBER_MATRIX | OPTION_NESTED_LIST)) == 0)
        fail_type(options, v->spec, value);
    if (value->length == 0)
        fail_value(options, v->spec, value, "must not be empty");
    if ((types & OPTION_NUMBER_LIST) && all_of(value, JSON_NUMBER))
        read_number_list(options, v, value);
    else if ((types & OPTION_STRING_LIST) && all_of(value, JSON_STRING))
        read_string_list(options, v, value);
    else if ((types & OPTION_NUMBER_MATRIX) && all_of(value, JSON_ARRAY))
        read_matrix(options, v, value);
    else if ((types & OPTION_NESTED_LIST) && all_of(value, JSON_OBJECT))
        read_nested_list(options, v, value);
    else
        fail_type(options, v->spec, value);
}

static void read_string_object(const Options *options, OptionValue *v, const Json *value)
{
    const char **keys = env_array_raw(options->env, value->length, sizeof(char *));
    const char **values = env_array_raw(options->env, value->length, sizeof(char *));

    for (const Json *key = json_first(value); key != NULL; key = json_next(value, key)) {
        const Json *one = json_value(key);

        keys[v->count] = json_string(options->env, key);
        if (one->type == JSON_STRING || one->type == JSON_NUMBER)
            values[v->count++] = json_string(options->env, one);
        else if (one->type == JSON_TRUE || one->type == JSON_FALSE)
            values[v->count++] = one->type == JSON_TRUE ? "true" : "false";
        else
            fail_type(options, v->spec, value);
    }
    v->strings = keys;
    v->values = values;
    v->type = OPTION_STRING_OBJECT;
}

static void read_object(const Options *options, OptionValue *v, const Json *value)
{
    double *numbers;
    const char **keys;

    if ((v->spec->types & (OPTION_OBJECT | OPTION_MODEL | OPTION_NESTED | OPTION_STRING_OBJECT)) == 0)
        fail_type(options, v->spec, value);
    if (v->spec->types & OPTION_STRING_OBJECT) {
        read_string_object(options, v, value);
        return;
    }
    if (v->spec->types & OPTION_NESTED) {
        read_nested(options, v, value);
        return;
    }
    if ((v->spec->types & OPTION_OBJECT) == 0) {
        v->type = OPTION_MODEL;
        return;
    }
    numbers = env_array_raw(options->env, value->length, sizeof(double));
    keys = env_array_raw(options->env, value->length, sizeof(char *));
    for (const Json *key = json_first(value); key != NULL; key = json_next(value, key)) {
        if (json_value(key)->type != JSON_NUMBER)
            fail_type(options, v->spec, value);
        keys[v->count] = json_string(options->env, key);
        numbers[v->count++] = read_number(options, v->spec, json_value(key), value);
    }
    v->numbers = numbers;
    v->strings = keys;
    v->type = OPTION_OBJECT;
}

static void read_value(const Options *options, OptionValue *v, const Json *value)
{
    TextBuffer out = {.env = options->env};

    switch (value->type) {
    case JSON_NUMBER:
        read_scalar_number(options, v, value);
        break;
    case JSON_STRING:
        read_string(options, v, value);
        break;
    case JSON_ARRAY:
        read_array(options, v, value);
        break;
    case JSON_OBJECT:
        read_object(options, v, value);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        if ((v->spec->types & OPTION_BOOLEAN) == 0)
            fail_type(options, v->spec, value);
        v->boolean = value->type == JSON_TRUE;
        v->type = OPTION_BOOLEAN;
        break;
    default: /* JSON_NULL */
        fail_type(options, v->spec, value);
    }
    if (v->json != NULL) /* of what another tool calls a choice */
        return;
    if (!json_canonical(&out, value))
        fail_value(options, v->spec, value, "must have numbers that fit double precision");
    v->json = text_finish(&out, NULL);
}

/* ---- parsing ---- */

static OptionValue *find(const Options *options, const char *name, size_t length)
{
    for (uint32_t i = 0; i < options->count; i++) {
        const char *candidate = options->values[i].spec->name;

        if (strncmp(candidate, name, length) == 0 && candidate[length] == 0)
            return &options->values[i];
    }
    return NULL;
}

/* Finds the option that a key names; its former name draws a NOTICE. Fails for an unknown option, and for one given twice. */
static OptionValue *find_key(const Options *options, const Json *key)
{
    OptionValue *v = find(options, key->text, key->length);

    for (uint32_t i = 0; v == NULL && i < options->count; i++) {
        const OptionSpec *spec = options->values[i].spec;

        if (spec->formerly == NULL || !json_is(key, spec->formerly))
            continue;
        v = &options->values[i];
        env_warn(options->env, ERROR_NONE, NULL, "option \"%s\" of %s is now called \"%s\"", spec->formerly, options->estimator, spec->name);
    }
    if (v == NULL)
        fail_unknown(options, key);
    if (v->given)
        env_fail(options->env, ERROR_PARAMETER, "Give it once.", "option \"%s\" of %s is given twice", v->spec->name, options->estimator);
    return v;
}

/* Returns the option after the given one in a list of tables (NULL: the first), or NULL at the end. */
static const OptionSpec *next_spec(const OptionSpec *const **tables, const OptionSpec *spec)
{
    spec = spec == NULL ? **tables : spec + 1;
    while (spec != NULL && spec->name == NULL)
        spec = *++*tables;
    return spec;
}

const OptionSpec *option_find(const OptionSpec *const *tables, const char *name)
{
    const OptionSpec *found = NULL;

    for (const OptionSpec *spec = NULL; (spec = next_spec(&tables, spec)) != NULL;)
        if (strcmp(spec->name, name) == 0 || (spec->formerly != NULL && strcmp(spec->formerly, name) == 0))
            found = spec;
    return found;
}

char *option_default_text(Env *env, const OptionSpec *spec)
{
    TextBuffer out = {.env = env};

    text_print(&out, spec->fallback != NULL ? "%s" : "(%s)", spec->fallback != NULL ? spec->fallback : spec->unset);
    return text_finish(&out, NULL);
}

const OptionSpec **option_list(Env *env, const OptionSpec *const *tables, uint32_t *count)
{
    const OptionSpec *const *again = tables, **list;
    uint32_t total = 0;

    for (const OptionSpec *spec = NULL; (spec = next_spec(&again, spec)) != NULL;)
        total++;
    list = env_array(env, (size_t)total + 1, sizeof(*list));
    *count = 0;
    for (const OptionSpec *spec = NULL; (spec = next_spec(&tables, spec)) != NULL;) {
        uint32_t place = 0;

        while (place < *count && strcmp(list[place]->name, spec->name) < 0)
            place++;
        if (place == *count || strcmp(list[place]->name, spec->name) != 0) {
            memmove(list + place + 1, list + place, (*count - place) * sizeof(*list));
            ++*count;
        }
        list[place] = spec;
    }
    return list;
}

bool option_is_common(const OptionSpec *spec)
{
    return spec >= options_common && spec < options_common + sizeof(options_common) / sizeof(*options_common);
}

static void collect_specs(Options *options, const OptionSpec *const *tables)
{
    const OptionSpec **list = option_list(options->env, tables, &options->count);

    options->values = env_array(options->env, (size_t)options->count + 1, sizeof(OptionValue));
    for (uint32_t i = 0; i < options->count; i++)
        options->values[i].spec = list[i];
}

static void read_object_options(Options *options, const Json *root)
{
    if (root->type != JSON_OBJECT)
        env_fail(options->env, ERROR_PARAMETER, "Write {\"name\": value, ...}.",
                 "the options of %s must be a JSON object, not %s %s", options->estimator,
                 root->type == JSON_ARRAY ? "an" : "a", json_type_name(root));
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) {
        OptionValue *v = find_key(options, key);

        v->given = true;
        read_value(options, v, json_value(key));
    }
}

static const Json *json_of_number(Env *env, double number)
{
    TextBuffer out = {.env = env};
    size_t length;
    char *text;

    json_double(&out, number);
    text = text_finish(&out, &length);
    return json_parse(env, text, length, ERROR_PARAMETER, "number");
}

static void read_positional(Options *options, const char *const *names, const double *numbers,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        OptionValue *v;

        if (isnan(numbers[i]))
            continue;
        v = find(options, names[i], strlen(names[i]));
        if (v == NULL)
            env_fail(options->env, ERROR_INTERNAL, NULL, "%s has no option \"%s\" for its argument",
                     options->estimator, names[i]);
        if (v->given)
            env_fail(options->env, ERROR_PARAMETER,
                     "Give it as the argument or in the options, not both.",
                     "%s of %s is given twice: as an argument and as an option", names[i],
                     options->estimator);
        if (isinf(numbers[i]))
            env_fail(options->env, ERROR_PARAMETER, NULL, "%s of %s must be finite, not %s",
                     names[i], options->estimator, numbers[i] > 0 ? "infinity" : "-infinity");
        v->given = true;
        read_value(options, v, json_of_number(options->env, numbers[i]));
    }
}

static void read_defaults(Options *options)
{
    for (uint32_t i = 0; i < options->count; i++) {
        OptionValue *v = &options->values[i];

        if (v->type == 0 && v->spec->fallback != NULL &&
            (v->spec->replaced_by == NULL || !options_given(options, v->spec->replaced_by)))
            read_value(options, v,
                       json_parse(options->env, v->spec->fallback, strlen(v->spec->fallback),
                                  ERROR_INTERNAL, "default"));
    }
}

static const char *write_json(const Options *options, bool defaults, uint32_t *length)
{
    TextBuffer out = {.env = options->env};
    size_t size;
    char *text;

    for (uint32_t i = 0; i < options->count; i++) {
        const OptionValue *v = &options->values[i];

        if (v->type == 0 || (!v->given && !defaults))
            continue;
        if (defaults && v->type == OPTION_MODEL) /* a model would keep every model that it started from */
            continue;
        if (defaults && (v->spec->of_call || v->hidden))
            continue;
        text_print(&out, "%c\"%s\":", out.length == 0 ? '{' : ',', v->spec->name);
        text_add(&out, v->json);
    }
    text_add(&out, out.length == 0 ? "{}" : "}");
    text = text_finish(&out, &size);
    *length = (uint32_t)size;
    return text;
}

Options *options_parse(Env *env, const char *estimator, const OptionSpec *const *tables,
                       const char *json, size_t length, const char *const *positional_names,
                       const double *positional, unsigned positional_count)
{
    Options *options = env_array(env, 1, sizeof(Options));

    options->env = env;
    options->estimator = estimator;
    collect_specs(options, tables);
    if (json != NULL && length > 0)
        read_object_options(options, json_parse(env, json, length, ERROR_PARAMETER, "options"));
    read_positional(options, positional_names, positional, positional_count);
    read_defaults(options);
    options->json = write_json(options, false, &options->json_length);
    options->used_json = write_json(options, true, &options->used_json_length);
    return options;
}

/* ---- reading ---- */

/* Returns the value of an option that the tables have. Fails if they do not, which is a bug. */
static const OptionValue *value_of(const Options *options, const char *name)
{
    const OptionValue *v = find(options, name, strlen(name));

    if (v == NULL)
        env_fail(options->env, ERROR_INTERNAL, NULL, "%s has no option \"%s\"", options->estimator,
                 name);
    return v;
}

bool options_given(const Options *options, const char *name)
{
    const OptionValue *v = find(options, name, strlen(name));

    return v != NULL && v->given;
}

bool options_has(const Options *options, const char *name)
{
    return find(options, name, strlen(name)) != NULL;
}

double options_number(const Options *options, const char *name)
{
    const OptionValue *v = value_of(options, name);

    return v->type == OPTION_NUMBER || v->type == OPTION_INTEGER ? v->number : NAN;
}

int64_t options_integer(const Options *options, const char *name)
{
    return value_of(options, name)->integer;
}

bool options_boolean(const Options *options, const char *name)
{
    return value_of(options, name)->boolean;
}

const char *options_string(const Options *options, const char *name)
{
    const OptionValue *v = value_of(options, name);

    return v->type == OPTION_STRING ? v->strings[0] : NULL;
}

bool options_is(const Options *options, const char *name, const char *choice)
{
    const char *string = options_string(options, name);

    return string != NULL && strcmp(string, choice) == 0;
}

const double *options_numbers(const Options *options, const char *name, uint32_t *count)
{
    const OptionValue *v = value_of(options, name);
    bool numbers =
        v->type == OPTION_NUMBER || v->type == OPTION_INTEGER || v->type == OPTION_NUMBER_LIST;

    *count = numbers ? v->count : 0;
    return numbers ? v->numbers : NULL;
}

const double *options_matrix(const Options *options, const char *name, uint32_t *rows,
                             uint32_t *columns)
{
    const OptionValue *v = value_of(options, name);
    bool matrix = v->type == OPTION_NUMBER_MATRIX;

    *rows = matrix ? v->count : 0;
    *columns = matrix ? v->columns : 0;
    return matrix ? v->numbers : NULL;
}

const char *const *options_strings(const Options *options, const char *name, uint32_t *count)
{
    const OptionValue *v = value_of(options, name);
    bool strings = v->type == OPTION_STRING || v->type == OPTION_STRING_LIST;

    *count = strings ? v->count : 0;
    return strings ? v->strings : NULL;
}

double options_object_number(const Options *options, const char *name, const char *key,
                             double fallback)
{
    const OptionValue *v = value_of(options, name);

    if (v->type != OPTION_OBJECT)
        return fallback;
    for (uint32_t i = 0; i < v->count; i++) {
        if (strcmp(v->strings[i], key) == 0)
            return v->numbers[i];
    }
    return fallback;
}

const char *const *options_keys(const Options *options, const char *name, uint32_t *count)
{
    const OptionValue *v = value_of(options, name);
    bool object = v->type == OPTION_OBJECT;

    *count = object ? v->count : 0;
    return object ? v->strings : NULL;
}

const char *const *options_object_strings(const Options *options, const char *name, const char *const **values, uint32_t *count)
{
    const OptionValue *v = value_of(options, name);
    bool object = v->type == OPTION_STRING_OBJECT;

    *count = object ? v->count : 0;
    *values = object ? v->values : NULL;
    return object ? v->strings : NULL;
}

Options *const *options_nested(const Options *options, const char *name, uint32_t *count)
{
    const OptionValue *v = value_of(options, name);

    *count = v->nested != NULL ? v->count : 0;
    return v->nested;
}

OptionType options_type(const Options *options, const char *name)
{
    return value_of(options, name)->type;
}

const char *options_value_json(const Options *options, const char *name)
{
    return value_of(options, name)->json;
}

const char *options_json(const Options *options, uint32_t *length)
{
    *length = options->json_length;
    return options->json;
}

const char *options_used_json(const Options *options, uint32_t *length)
{
    *length = options->used_json_length;
    return options->used_json;
}

void options_hide(Options *options, const char *const *names)
{
    for (; *names != NULL; names++)
        for (uint32_t i = 0; i < options->count; i++)
            if (strcmp(options->values[i].spec->name, *names) == 0)
                options->values[i].hidden = true;
    options->used_json = write_json(options, true, &options->used_json_length);
}

uint64_t options_text_hash(Env *env, const char *json, uint32_t length)
{
    uint64_t hash = FNV_START;

    for (uint32_t i = 0; i < length; i += POLL_BYTES) {
        if (i > 0) /* a model among the options has many megabytes */
            env->poll(env);
        hash = fnv_hash(hash, json + i, length - i < POLL_BYTES ? length - i : POLL_BYTES);
    }
    return hash;
}

uint64_t options_hash(const Options *options)
{
    return options_text_hash(options->env, options->json, options->json_length);
}
