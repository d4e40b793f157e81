/*
 * model_text_read.c - reads a model from its text (model_text.h).
 */
#include "core/base/base64.h"
#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/model/dictionary.h"
#include "core/model/model_internal.h"
#include "core/model/model_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn, format(printf, 3, 4)))
refuse(Env *env, const Json *at, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    env_fail(env, ERROR_TEXT, NULL, "malformed model: %s at byte %u", what, at->position + 1);
}

/* Returns a copy of a key or string for messages, of at most 60 bytes. */
static const char *shown(Env *env, const Json *string)
{
    char *copy = json_string(env, string);

    copy[bytes_cut(copy, string->length, 60)] = '\0';
    return copy;
}

static const Json *require_type(Env *env, const Json *value, JsonType type, const char *name)
{
    if (value->type != type)
        refuse(env, value, "\"%s\" is of type %s", name, json_type_name(value));
    return value;
}

/* Returns the value of a key of the header; fails if there is none. */
static const Json *header_value(Env *env, const Json *root, const char *name)
{
    const Json *value = json_get(root, name);

    if (value == NULL)
        refuse(env, root, "\"%s\" is missing", name);
    return value;
}

/* Reads an integer of the header between bounds. Returns 0 if it is missing and not required. */
static int64_t header_count(Env *env, const Json *root, const char *name, bool required,
                            int64_t minimum, int64_t maximum)
{
    const Json *value = required ? header_value(env, root, name) : json_get(root, name);
    int64_t result;

    if (value == NULL)
        return 0;
    require_type(env, value, JSON_NUMBER, name);
    if (!json_integer(value, &result) || result < minimum || result > maximum)
        refuse(env, value, "\"%s\" is not an integer from %" PRId64 " to %" PRId64, name, minimum,
               maximum);
    return result;
}

static const Json *header_string(Env *env, const Json *root, const char *name)
{
    return require_type(env, header_value(env, root, name), JSON_STRING, name);
}

/*
 * Reads a string that represents a number other than NaN. Checks the characters first, because strtod accepts more. Returns
 * false if it represents none.
 */
static bool parse_hexadecimal(const char *buffer, double *result)
{
    const char *at = buffer + (*buffer == '-');
    char *end;

    if (strcmp(at, "inf") == 0) {
        *result = buffer[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (strncmp(at, "0x", 2) != 0 || strspn(at + 2, "0123456789abcdef.p+-") != strlen(at + 2))
        return false;
    *result = strtod(buffer, &end);
    return *end == '\0' && isfinite(*result);
}

/* Reads a string that represents a number of 8 (double) or 4 bytes (float). Returns false if it represents none. */
static bool parse_special(const Json *string, uint32_t width, void *data)
{
    char buffer[32];
    double number;
    float narrow;

    if (string->length >= sizeof buffer)
        return false;
    memcpy(buffer, string->text, string->length);
    buffer[string->length] = '\0';
    if (strncmp(buffer, "nan:", 4) == 0) {
        if (string->length != 4 + 2 * width || strspn(buffer + 4, "0123456789abcdef") != 2 * width)
            return false;
        element_set_bits(data, 0, width, strtoull(buffer + 4, NULL, 16));
        memcpy(width == 8 ? (void *)&number : &narrow, data, width);
        return width == 8 ? isnan(number) : isnan(narrow);
    }
    if (!parse_hexadecimal(buffer, &number) || (width == 4 && isfinite(number) && fabs(number) > FLT_MAX))
        return false;
    narrow = (float)number;
    memcpy(data, width == 8 ? (const void *)&number : &narrow, width);
    return true;
}

/* Tells whether a string represents a double. */
static bool is_special(const Json *string)
{
    double value;

    return parse_special(string, 8, &value);
}

/* Reads a number as a double (width 8) or a float (width 4). */
static void read_number(Env *env, const Json *value, uint32_t width, void *data)
{
    double number;
    float narrow;

    if (value->type == JSON_STRING) {
        if (!parse_special(value, width, data))
            refuse(env, value, "\"%s\" is not a number of %u bits", shown(env, value), 8 * width);
        return;
    }
    if (value->type != JSON_NUMBER)
        refuse(env, value, "expected a number, found type %s", json_type_name(value));
    number = json_number(env, value);
    if (!(fabs(number) <= (width == 8 ? DBL_MAX : FLT_MAX)))
        refuse(env, value, "a number out of the range of %u bits", 8 * width);
    narrow = (float)number;
    memcpy(data, width == 8 ? (const void *)&number : &narrow, width);
}

static int64_t read_integer(Env *env, const Json *value, int64_t minimum, int64_t maximum)
{
    int64_t result;

    if (value->type != JSON_NUMBER || !json_integer(value, &result) || result < minimum || result > maximum)
        refuse(env, value, "expected an integer from %" PRId64 " to %" PRId64, minimum, maximum);
    return result;
}

#define BASE64_PIECE ((size_t)4 << 16) /* characters between two polls */

static void decode_base64(Env *env, const Json *value, uint8_t *bytes, size_t *size)
{
    size_t done = 0;

    *size = 0;
    do {
        size_t piece = value->length - done, count;

        if (piece > BASE64_PIECE)
            piece = BASE64_PIECE;
        if (!base64_decode(value->text + done, piece, bytes + *size, &count) ||
            (done + piece < value->length && count != piece / 4 * 3))
            refuse(env, value, "malformed base64");
        done += piece;
        *size += count;
        env->poll(env);
    } while (done < value->length);
}

/* Turns element i from little-endian to native order. */
static void take_little_endian(uint8_t *bytes, size_t i, uint32_t width)
{
    uint64_t bits = 0;

    for (uint32_t k = 0; k < width; k++)
        bits |= (uint64_t)bytes[i * width + k] << (8 * k);
    element_set_bits(bytes, i, width, bits);
}

/* Reads base64 of little-endian bytes as an array, and counts its elements. */
static void *read_base64(Env *env, const Json *value, ElementType type, uint64_t *count)
{
    uint32_t width = model_element_size(type);
    size_t size;
    uint8_t *bytes = env_array_raw(env, base64_bytes(value->length) + 1, 1);

    decode_base64(env, value, bytes, &size);
    if (size % width != 0)
        refuse(env, value, "%zu bytes of base64 are not an array of %u-byte numbers", size, width);
    *count = size / width;
    for (uint64_t i = 0; width > 1 && i < *count; i++) {
        take_little_endian(bytes, i, width);
        env_poll_every(env, i, 65536);
    }
    for (uint64_t i = 0; type == ARRAY_BOOL && i < *count; i++)
        if (bytes[i] > 1)
            refuse(env, value, "a byte of base64 that is neither true nor false");
    return bytes;
}

static void store_element(Env *env, const Json *value, ElementType type, void *data, uint32_t i)
{
    uint32_t width = model_element_size(type);
    uint64_t bits;

    switch (type) {
    case ARRAY_F64:
    case ARRAY_F32:
        read_number(env, value, width, (char *)data + (size_t)i * width);
        return;
    case ARRAY_I64:
        bits = (uint64_t)read_integer(env, value, INT64_MIN, INT64_MAX);
        break;
    case ARRAY_I32:
        bits = (uint64_t)read_integer(env, value, INT32_MIN, INT32_MAX);
        break;
    case ARRAY_U8:
        bits = (uint64_t)read_integer(env, value, 0, UINT8_MAX);
        break;
    default:
        if (value->type != JSON_TRUE && value->type != JSON_FALSE)
            refuse(env, value, "expected true or false");
        bits = value->type == JSON_TRUE;
    }
    element_set_bits(data, i, width, bits);
}

/* Reads the elements of a list, or a scalar as the only one. */
static void *read_list(Env *env, const Json *value, ElementType type, uint64_t *count)
{
    bool list = value->type == JSON_ARRAY;
    uint32_t i = 0;
    void *data;

    *count = list ? value->length : 1;
    data = env_array_raw(env, *count, model_element_size(type));
    if (!list)
        store_element(env, value, type, data, 0);
    else
        for (const Json *child = json_first(value); child; child = json_next(value, child)) {
            store_element(env, child, type, data, i++);
            env_poll_every(env, i, 4096);
        }
    return data;
}

static void read_texts(Env *env, ModelBuilder *b, ModelSection section, const char *name,
                       const Json *value)
{
    bool list = value->type == JSON_ARRAY;
    uint32_t count = list ? value->length : 1;
    const char **strings = env_array_raw(env, count, sizeof *strings);
    uint32_t *lengths = env_array_raw(env, count, sizeof *lengths);
    const Json *element = list ? json_first(value) : value;

    for (uint32_t i = 0; i < count; i++) {
        if (element->type != JSON_STRING)
            refuse(env, element, "expected a string, found type %s", json_type_name(element));
        strings[i] = element->text;
        lengths[i] = element->length;
        if (list)
            element = json_next(value, element);
        env_poll_every(env, i, 4096);
    }
    builder_text(b, section, name, strings, lengths, count);
}

/* Sets the shape of an entry of `count` elements; shape: [rows, columns], NULL for one dimension. */
static void read_shape(Env *env, const Json *shape, const Json *value, uint64_t count, ModelEntry *entry)
{
    const Json *rows;
    int64_t r = (int64_t)count, c = 1;

    if (shape != NULL) {
        if (shape->type != JSON_ARRAY || shape->length != 2)
            refuse(env, shape, "\"shape\" is not [rows, columns]");
        rows = json_first(shape);
        r = read_integer(env, rows, INT64_MIN, INT64_MAX);
        c = read_integer(env, json_next(shape, rows), INT64_MIN, INT64_MAX);
        if (r < 0 || r > UINT32_MAX || c < 1 || c > UINT32_MAX || (uint64_t)r * (uint64_t)c != count)
            refuse(env, value, "%" PRIu64 " numbers are not %" PRId64 " x %" PRId64, count, r, c);
    }
    entry->dimensions = shape != NULL ? 2 : 1;
    entry->rows = (uint32_t)r;
    entry->columns = (uint32_t)c;
}

/* Returns the value of the one key that names a type, and sets *shape if the array has one. */
static const Json *typed_value(Env *env, const Json *object, ElementType *type, const Json **shape)
{
    const Json *found = NULL;

    for (const Json *key = json_first(object); key != NULL; key = json_next(object, key)) {
        unsigned t = ARRAY_F64;

        if (json_is(key, "shape")) {
            *shape = json_value(key);
            continue;
        }
        while (t <= ARRAY_TYPES && !json_is(key, array_type_name(t)))
            t++;
        if (t > ARRAY_TYPES)
            refuse(env, key, "unknown key \"%s\"", shown(env, key));
        if (found != NULL)
            refuse(env, key, "an array with two types");
        found = json_value(key);
        *type = (ElementType)t;
    }
    if (found == NULL)
        refuse(env, object, "an array without a type");
    return found;
}

static void read_entry(Env *env, ModelBuilder *b, ModelSection section, const Json *key)
{
    const Json *value = json_value(key), *shape = NULL;
    ModelEntry entry = {.section = (uint8_t)section};
    ElementType type = ARRAY_F64;
    uint64_t count = 0;
    bool typed = value->type == JSON_OBJECT;
    void *data;

    memcpy(entry.name, key->text, key->length);
    if (typed)
        value = typed_value(env, value, &type, &shape);
    else if (value->type == JSON_TRUE || value->type == JSON_FALSE)
        type = ARRAY_BOOL;
    if (shape != NULL && (type == ARRAY_TEXT || type == ARRAY_BOOL))
        refuse(env, shape, "a matrix of type %s", array_type_name(type));
    if (type == ARRAY_TEXT) {
        read_texts(env, b, section, entry.name, value);
        return;
    }
    /* a string that reads as a double is one, because no base64 of doubles does; any other is base64 */
    if (value->type == JSON_STRING && typed && !(type == ARRAY_F64 && is_special(value)))
        data = read_base64(env, value, type, &count);
    else
        data = read_list(env, value, type, &count);
    entry.type = (uint8_t)type;
    read_shape(env, shape, value, count, &entry);
    builder_entry(b, &entry, data);
}

static void read_section(Env *env, ModelBuilder *b, ModelSection section, const Json *root)
{
    const Json *object = json_get(root, section_names[section]);

    if (object == NULL)
        return;
    require_type(env, object, JSON_OBJECT, section_names[section]);
    for (const Json *key = json_first(object); key != NULL; key = json_next(object, key)) {
        if (key->length >= MODEL_NAME_SIZE || !model_name_valid(key->text, key->length))
            refuse(env, key, "\"%s\" is not a valid array name", shown(env, key));
        read_entry(env, b, section, key);
    }
}

static void read_options(Env *env, ModelBuilder *b, const Json *root)
{
    const Json *options = json_get(root, "options");
    TextBuffer writer;
    size_t length;
    char *text;

    if (options == NULL)
        return;
    require_type(env, options, JSON_OBJECT, "options");
    writer = (TextBuffer){.env = env};
    if (!json_canonical(&writer, options))
        refuse(env, options, "a number out of range in \"options\"");
    text = text_finish(&writer, &length);
    builder_options(b, text, (uint32_t)length);
}

static uint8_t read_flags(Env *env, const Json *root)
{
    const Json *list = json_get(root, "flags");
    unsigned flags = 0;

    if (list == NULL)
        return 0;
    require_type(env, list, JSON_ARRAY, "flags");
    for (const Json *name = json_first(list); name != NULL; name = json_next(list, name)) {
        unsigned bit = 0;

        while (bit < FLAG_COUNT && !json_is(name, flag_names[bit]))
            bit++;
        if (bit == FLAG_COUNT)
            refuse(env, name, "an unknown flag");
        if (flags & (1u << bit))
            refuse(env, name, "a duplicate flag");
        flags |= 1u << bit;
    }
    return (uint8_t)flags;
}

static bool is_known_key(const Json *key)
{
    static const char *const others[] = {"pgfit", "min_reader", "kind", "estimator", "flags"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (json_is(key, others[i]))
            return true;
    for (size_t i = 0; i < HEADER_FIELDS; i++)
        if (json_is(key, header_fields[i].name))
            return true;
    for (unsigned section = SECTION_SCHEMA; section <= SECTION_ARRAYS; section++)
        if (json_is(key, section_names[section]))
            return true;
    return false;
}

static ModelBuilder *read_header(Env *env, const Json *root)
{
    const Json *kind_name = header_string(env, root, "kind");
    const Json *estimator = header_string(env, root, "estimator");
    unsigned kind = MODEL_FITTED;
    ModelBuilder *b;
    Model *header;

    while (kind <= MODEL_FEATURE_MOMENTS && !json_is(kind_name, model_kind_name(kind)))
        kind++;
    if (kind > MODEL_FEATURE_MOMENTS)
        refuse(env, kind_name, "\"%s\" is not a kind of model", shown(env, kind_name));
    if (estimator->length >= sizeof header->estimator ||
        !model_name_valid(estimator->text, estimator->length))
        refuse(env, estimator, "\"%s\" is not a valid estimator name", shown(env, estimator));

    b = model_builder(env, (ModelKind)kind, json_string(env, estimator));
    header = builder_header(b);
    header->flags = read_flags(env, root);
    for (const HeaderField *field = header_fields; field < header_fields + HEADER_FIELDS; field++) {
        if (field->type == ARRAY_F64)
            read_number(env, header_value(env, root, field->name), 8, (char *)header + field->offset);
        else
            header_set_bits(header, field,
                            (uint64_t)header_count(env, root, field->name, !field->optional, 0,
                                                   field->type == ARRAY_I64 ? INT64_MAX : UINT32_MAX));
    }
    return b;
}

Model *model_parse_text(Env *env, const char *text, size_t length)
{
    const Json *root = json_parse(env, text, length, ERROR_TEXT, "model");
    int64_t format, reader;
    ModelBuilder *b;
    const char *error;

    if (root->type != JSON_OBJECT)
        refuse(env, root, "expected an object");
    /* first, because a newer format explains unknown keys */
    format = header_count(env, root, "pgfit", true, 1, 255);
    reader = header_count(env, root, "min_reader", true, 1, 255);
    model_require_format(env, ERROR_TEXT, format, reader);
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key))
        if (!is_known_key(key))
            refuse(env, key, "unknown key \"%s\"", shown(env, key));
    b = read_header(env, root);
    read_options(env, b, root);
    read_section(env, b, SECTION_SCHEMA, root);
    read_section(env, b, SECTION_FACTS, root);
    read_section(env, b, SECTION_ARRAYS, root);
    error = builder_problem(b, true);
    if (error != NULL)
        refuse(env, root, "%s", error);
    return dictionary_restore(env, model_build(b));
}
