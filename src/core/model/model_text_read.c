/*
 * model_text_read.c - reads a model from its text (model_text.h).
 */
#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/model/model_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shape of an array, for the builder. */
typedef struct Shape {
    uint32_t rows;
    uint32_t columns; /* 1 of one dimension */
} Shape;

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

/* A short copy of a key or string for messages. */
static const char *shown(Env *env, const Json *string)
{
    char *copy = json_string(env, string);

    if (string->length > 60) {
        size_t end = 60;

        while (end > 0 && ((unsigned char)copy[end] & 0xC0) == 0x80)
            end--;
        copy[end] = '\0';
    }
    return copy;
}

static const Json *require_type(Env *env, const Json *value, JsonType type, const char *name)
{
    if (value->type != type)
        refuse(env, value, "\"%s\" is of type %s", name, json_type_name(value));
    return value;
}

/* An integer key of the header between bounds; not required: missing is 0. */
static int64_t header_count(Env *env, const Json *root, const char *name, bool required,
                            int64_t minimum, int64_t maximum)
{
    const Json *value = json_get(root, name);
    int64_t result;

    if (value == NULL) {
        if (required)
            refuse(env, root, "\"%s\" is missing", name);
        return 0;
    }
    require_type(env, value, JSON_NUMBER, name);
    if (!json_integer(value, &result) || result < minimum || result > maximum)
        refuse(env, value, "\"%s\" is not an integer from %" PRId64 " to %" PRId64, name, minimum,
               maximum);
    return result;
}

static const Json *header_string(Env *env, const Json *root, const char *name)
{
    const Json *value = json_get(root, name);

    if (value == NULL)
        refuse(env, root, "\"%s\" is missing", name);
    return require_type(env, value, JSON_STRING, name);
}

/*
 * Reads a string that stands for a number which is no NaN, zero-terminated. The digits are checked here; the
 * arithmetic is strtod's.
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

/* Reads the string that stands for a double; false: it stands for none. */
static bool parse_special(const Json *string, double *result)
{
    char buffer[32];

    if (string->length >= sizeof buffer)
        return false;
    memcpy(buffer, string->text, string->length);
    buffer[string->length] = '\0';
    if (strncmp(buffer, "nan:", 4) == 0) {
        uint64_t bits;

        if (string->length != 20 || strspn(buffer + 4, "0123456789abcdef") != 16)
            return false;
        bits = strtoull(buffer + 4, NULL, 16);
        memcpy(result, &bits, 8);
        return isnan(*result);
    }
    return parse_hexadecimal(buffer, result);
}

static bool is_special(const Json *string)
{
    double value;

    return parse_special(string, &value);
}

static double read_double(Env *env, const Json *value)
{
    double result;

    if (value->type == JSON_STRING) {
        if (!parse_special(value, &result))
            refuse(env, value, "\"%s\" is not a number", shown(env, value));
        return result;
    }
    if (value->type != JSON_NUMBER)
        refuse(env, value, "a number expected, found type %s", json_type_name(value));
    result = json_number(env, value);
    if (!isfinite(result))
        refuse(env, value, "a number out of range");
    return result;
}

/* Reads the bits of a float from the string that stands for it; false: it stands for none. */
static bool parse_special_float(const Json *string, float *result)
{
    char buffer[32];
    double value;
    uint32_t bits;

    if (string->length >= sizeof buffer)
        return false;
    memcpy(buffer, string->text, string->length);
    buffer[string->length] = '\0';
    if (strncmp(buffer, "nan:", 4) == 0) {
        if (string->length != 12 || strspn(buffer + 4, "0123456789abcdef") != 8)
            return false;
        bits = (uint32_t)strtoul(buffer + 4, NULL, 16);
        memcpy(result, &bits, 4);
        return isnan(*result);
    }
    if (!parse_hexadecimal(buffer, &value))
        return false;
    if (isfinite(value) && fabs(value) > FLT_MAX)
        return false;
    *result = (float)value;
    return true;
}

static void read_float(Env *env, const Json *value, void *data)
{
    float result;
    double number;

    if (value->type == JSON_STRING) {
        if (!parse_special_float(value, &result))
            refuse(env, value, "\"%s\" is not a number of 32 bits", shown(env, value));
    } else if (value->type == JSON_NUMBER) {
        number = json_number(env, value);
        if (!(fabs(number) <= FLT_MAX))
            refuse(env, value, "a number out of the range of 32 bits");
        result = (float)number;
    } else {
        refuse(env, value, "a number expected, found type %s", json_type_name(value));
    }
    memcpy(data, &result, 4);
}

static int64_t read_integer(Env *env, const Json *value)
{
    int64_t result;

    if (value->type != JSON_NUMBER || !json_integer(value, &result))
        refuse(env, value, "an integer of 64 bits expected");
    return result;
}

/* Reads an integer from minimum to maximum. */
static int64_t read_small_integer(Env *env, const Json *value, int64_t minimum, int64_t maximum)
{
    int64_t result;

    if (value->type != JSON_NUMBER || !json_integer(value, &result) || result < minimum || result > maximum)
        refuse(env, value, "an integer from %" PRId64 " to %" PRId64 " expected", minimum, maximum);
    return result;
}

#define BASE64_PIECE ((size_t)4 << 16) /* characters between two looks for a cancel */

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

/* Turns an element of 4 or 8 bytes from little-endian to native order, in place. */
static void take_little_endian(uint8_t *element, size_t width)
{
    uint64_t word = 0;
    uint32_t half;

    for (size_t k = 0; k < width; k++)
        word |= (uint64_t)element[k] << (8 * k);
    half = (uint32_t)word;
    memcpy(element, width == 4 ? (const void *)&half : &word, width);
}

/* Reads base64 of little-endian elements as native ones. */
static void *read_base64(Env *env, const Json *value, ElementType type, uint64_t *count)
{
    size_t size, width = model_element_size(type);
    uint8_t *bytes = env_array_raw(env, base64_bytes(value->length) + 1, 1);

    decode_base64(env, value, bytes, &size);
    if (size % width != 0)
        refuse(env, value, "%zu bytes of base64 are not an array of %zu-byte numbers", size, width);
    *count = size / width;
    for (uint64_t i = 0; width > 1 && i < *count; i++) {
        take_little_endian(bytes + width * i, width);
        if (i % 65536 == 0)
            env->poll(env);
    }
    for (uint64_t i = 0; type == ARRAY_BOOL && i < *count; i++)
        if (bytes[i] > 1)
            refuse(env, value, "a byte of base64 that is neither true nor false");
    return bytes;
}

static void store_element(Env *env, const Json *value, ElementType type, void *data, uint32_t i)
{
    double number;
    int64_t integer;

    switch (type) {
    case ARRAY_F64:
        number = read_double(env, value);
        memcpy((char *)data + 8 * (size_t)i, &number, 8);
        break;
    case ARRAY_I64:
        integer = read_integer(env, value);
        memcpy((char *)data + 8 * (size_t)i, &integer, 8);
        break;
    case ARRAY_F32:
        read_float(env, value, (char *)data + 4 * (size_t)i);
        break;
    case ARRAY_I32:
        ((int32_t *)data)[i] = (int32_t)read_small_integer(env, value, INT32_MIN, INT32_MAX);
        break;
    case ARRAY_U8:
        ((uint8_t *)data)[i] = (uint8_t)read_small_integer(env, value, 0, UINT8_MAX);
        break;
    default:
        if (value->type != JSON_TRUE && value->type != JSON_FALSE)
            refuse(env, value, "true or false expected");
        ((uint8_t *)data)[i] = value->type == JSON_TRUE;
        break;
    }
}

/* The elements of a list, or the one of a scalar. */
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
            if (i % 4096 == 0)
                env->poll(env);
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
            refuse(env, element, "a string expected, found type %s", json_type_name(element));
        strings[i] = element->text;
        lengths[i] = element->length;
        if (list)
            element = json_next(value, element);
        if (i % 4096 == 0)
            env->poll(env);
    }
    builder_text(b, section, name, strings, lengths, count);
}

static Shape read_shape(Env *env, const Json *shape, const Json *value, uint64_t count)
{
    const Json *rows, *columns;
    Shape result = {.rows = (uint32_t)count, .columns = 1};
    int64_t r, c;

    if (shape == NULL)
        return result;
    if (shape->type != JSON_ARRAY || shape->length != 2)
        refuse(env, shape, "\"shape\" is not [rows, columns]");
    rows = json_first(shape);
    columns = json_next(shape, rows);
    r = read_integer(env, rows);
    c = read_integer(env, columns);
    if (r < 0 || r > UINT32_MAX || c < 1 || c > UINT32_MAX || (uint64_t)r * (uint64_t)c != count)
        refuse(env, value, "%" PRIu64 " numbers are not %" PRId64 " x %" PRId64, count, r, c);
    result.rows = (uint32_t)r;
    result.columns = (uint32_t)c;
    return result;
}

/* The value of an array's one type key, and its shape, if it has one. */
static const Json *typed_value(Env *env, const Json *object, ElementType *type, const Json **shape)
{
    const Json *found = NULL;

    for (const Json *key = json_first(object); key != NULL; key = json_next(object, key)) {
        unsigned t = ARRAY_F64;

        if (json_is(key, "shape")) {
            *shape = json_value(key);
            continue;
        }
        while (t <= ARRAY_TYPES && !json_is(key, type_names[t]))
            t++;
        if (t > ARRAY_TYPES)
            refuse(env, key, "unknown key \"%s\"", shown(env, key));
        if (found != NULL)
            refuse(env, key, "an array of two types");
        found = json_value(key);
        *type = (ElementType)t;
    }
    if (found == NULL)
        refuse(env, object, "an array without a type");
    return found;
}

static void read_entry(Env *env, ModelBuilder *b, ModelSection section, const char *name,
                       const Json *value)
{
    const Json *shape = NULL;
    ElementType type = ARRAY_F64;
    uint64_t count = 0;
    bool typed = value->type == JSON_OBJECT;
    Shape size;
    void *data;

    if (typed)
        value = typed_value(env, value, &type, &shape);
    else if (value->type == JSON_TRUE || value->type == JSON_FALSE)
        type = ARRAY_BOOL;
    if (shape != NULL && (type == ARRAY_TEXT || type == ARRAY_BOOL))
        refuse(env, shape, "a matrix of type %s", type_names[type]);
    if (type == ARRAY_TEXT) {
        read_texts(env, b, section, name, value);
        return;
    }
    /* a string is one special double where it looks so (no base64 of doubles does), else base64 */
    if (value->type == JSON_STRING && typed && !(type == ARRAY_F64 && is_special(value)))
        data = read_base64(env, value, type, &count);
    else
        data = read_list(env, value, type, &count);
    size = read_shape(env, shape, value, count);
    if (type == ARRAY_BOOL)
        builder_bool(b, section, name, data, size.rows);
    else
        builder_numbers(b, section, name, type, data, shape != NULL ? 2 : 1, size.rows, size.columns);
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
        read_entry(env, b, section, json_string(env, key), json_value(key));
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
            refuse(env, name, "a flag given twice");
        flags |= 1u << bit;
    }
    return (uint8_t)flags;
}

static void refuse_unknown_keys(Env *env, const Json *root)
{
    static const char *const known[] = {
        "pgfit",   "min_reader", "kind",  "estimator",    "fields",  "slots",  "columns", "rows",
        "skipped", "weight",     "flags", "pending_rows", "flushes", "schema", "options", "facts",
        "arrays"};

    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) {
        size_t i = 0;

        while (i < sizeof known / sizeof known[0] && !json_is(key, known[i]))
            i++;
        if (i == sizeof known / sizeof known[0])
            refuse(env, key, "unknown key \"%s\"", shown(env, key));
    }
}

/* A newer format says so before its unknown keys are looked at. */
static void read_format(Env *env, const Json *root)
{
    int64_t format = header_count(env, root, "pgfit", true, 1, 255);
    int64_t reader = header_count(env, root, "min_reader", true, 1, 255);

    if (reader > MODEL_READER)
        env_fail(env, ERROR_TEXT, "Update pgfit to a version that reads this format.",
                 "the model wants a reader of format %" PRId64 ", and this one knows up to %d",
                 reader, MODEL_READER);
    if (reader > format)
        refuse(env, root, "format %" PRId64 " with minimum reader %" PRId64, format, reader);
}

static ModelBuilder *read_header(Env *env, const Json *root)
{
    const Json *kind_name = header_string(env, root, "kind");
    const Json *estimator = header_string(env, root, "estimator");
    const Json *weight = json_get(root, "weight");
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
    if (weight == NULL)
        refuse(env, root, "\"weight\" is missing");

    b = model_builder(env, (ModelKind)kind, json_string(env, estimator));
    header = builder_header(b);
    header->flags = read_flags(env, root);
    header->field_count = (uint32_t)header_count(env, root, "fields", true, 0, UINT32_MAX);
    header->slot_count = (uint32_t)header_count(env, root, "slots", true, 0, UINT32_MAX);
    header->column_count = (uint32_t)header_count(env, root, "columns", false, 0, UINT32_MAX);
    header->rows = header_count(env, root, "rows", true, 0, INT64_MAX);
    header->skipped = header_count(env, root, "skipped", true, 0, INT64_MAX);
    header->weight = read_double(env, weight);
    header->pending_rows = (uint32_t)header_count(env, root, "pending_rows", false, 0, UINT32_MAX);
    header->flushes = (uint32_t)header_count(env, root, "flushes", false, 0, UINT32_MAX);
    return b;
}

Model *model_parse_text(Env *env, const char *text, size_t length)
{
    const Json *root = json_parse(env, text, length, ERROR_TEXT, "model");
    ModelBuilder *b;
    const char *error;

    if (root->type != JSON_OBJECT)
        refuse(env, root, "an object expected");
    read_format(env, root);
    refuse_unknown_keys(env, root);
    b = read_header(env, root);
    read_options(env, b, root);
    read_section(env, b, SECTION_SCHEMA, root);
    read_section(env, b, SECTION_FACTS, root);
    read_section(env, b, SECTION_ARRAYS, root);
    error = builder_problem(b, true);
    if (error != NULL)
        refuse(env, root, "%s", error);
    return model_build(b);
}
