/*
 * model_text.c - a model as one JSON object, and back to the same bits.
 *
 *     {"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "linear_regression",
 *      "fields": 2, "slots": 2, "columns": 0, "rows": 10, "skipped": 0, "weight": 10,
 *      "flags": ["named"], "pending_rows": 0, "flushes": 0, "schema": {..}, "options": {..},
 *      "facts": {..}, "arrays": {..}}
 *
 * columns, flags, pending_rows, flushes and the four sections may be missing: 0 or empty. An array is
 *
 *     [1, 0.5, "-0x0p+0"]                doubles; {"f64": ..} and {"i64": ..}, {"bool": ..},
 *     {"i64": [1, 2]}                    {"text": ..} of the other types
 *     {"f64": [1, 2], "shape": [1, 2]}   a matrix, row by row
 *     {"f64": "AAAAAAAA8D8="}            base64 of little-endian bytes: what is longer than 64
 *     1, true, {"i64": 1}                an array of one
 *
 * Doubles that jsonb does not keep as numbers (-0, beyond 1e-30 .. 1e30, not finite) are strings: C's
 * hexadecimal form, "inf", "-inf", or "nan:" and the 16 hexadecimal digits of its bits. Nothing depends
 * on the order of keys.
 */
#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_WORDS 1536 /* a multiple of 3: chunks of base64 join without padding */

static const char *const section_names[] = {NULL, "schema", "options", "facts", "arrays"};
static const char *const type_names[] = {NULL, "f64", "i64", "bool", "text"};
static const char *const flag_names[] = {"named",  "weighted",   "frequency",
                                         "impute", "null_error", "unseen_error",
                                         "outcome", "folded"};
#define FLAG_COUNT (sizeof flag_names / sizeof flag_names[0])

_Static_assert((1u << FLAG_COUNT) - 1 == MODEL_FLAGS, "every flag has a name");

/* ---- writing ---- */

static void write_double(TextBuffer *w, double value)
{
    double size = fabs(value);
    char buffer[48];

    if (isnan(value)) {
        uint64_t bits;

        memcpy(&bits, &value, 8);
        snprintf(buffer, sizeof buffer, "\"nan:%016" PRIx64 "\"", bits);
    } else if (isinf(value)) {
        snprintf(buffer, sizeof buffer, value > 0 ? "\"inf\"" : "\"-inf\"");
    } else if ((value == 0 && signbit(value)) || (size != 0 && (size < 1e-30 || size > 1e30))) {
        snprintf(buffer, sizeof buffer, "\"%a\"", value);
    } else {
        json_double(w, value);
        return;
    }
    text_add(w, buffer);
}

static uint64_t word_at(const void *data, size_t i)
{
    uint64_t word;

    memcpy(&word, (const char *)data + 8 * i, 8);
    return word;
}

static void write_base64(TextBuffer *w, const void *data, ElementType type, size_t count)
{
    size_t step = type == ARRAY_BOOL ? CHUNK_WORDS * 8 : CHUNK_WORDS;
    uint8_t bytes[CHUNK_WORDS * 8];
    char text[CHUNK_WORDS * 8 / 3 * 4];

    text_character(w, '"');
    for (size_t from = 0; from < count; from += step) {
        size_t part = count - from < step ? count - from : step;

        if (type == ARRAY_BOOL) {
            memcpy(bytes, (const uint8_t *)data + from, part);
        } else {
            for (size_t i = 0; i < part; i++)
                for (int k = 0; k < 8; k++)
                    bytes[8 * i + k] = (uint8_t)(word_at(data, from + i) >> (8 * k));
            part *= 8;
        }
        base64_encode(bytes, part, text);
        text_bytes(w, text, base64_length(part));
        w->env->poll(w->env);
    }
    text_character(w, '"');
}

static void write_element(TextBuffer *w, const Model *model, const ModelEntry *entry, uint32_t i)
{
    const char *data = model_data(model, entry);
    uint32_t length;
    double value;

    switch (entry->type) {
    case ARRAY_F64:
        memcpy(&value, data + 8 * (size_t)i, 8);
        write_double(w, value);
        break;
    case ARRAY_I64:
        json_int(w, (int64_t)word_at(data, i));
        break;
    case ARRAY_BOOL:
        text_add(w, data[i] ? "true" : "false");
        break;
    default:
        data = model_text(model, entry, i, &length);
        json_quote(w, data, length);
        break;
    }
}

static void write_elements(TextBuffer *w, const Model *model, const ModelEntry *entry)
{
    size_t count = (size_t)model_rows(model, entry) * entry->columns;

    if (entry->type != ARRAY_TEXT && count > MODEL_SHORT_ARRAY) {
        write_base64(w, model_data(model, entry), entry->type, count);
        return;
    }
    if (count == 1 && entry->dimensions == 1 && entry->section == SECTION_FACTS) {
        write_element(w, model, entry, 0);
        return;
    }
    text_character(w, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(w, ',');
        write_element(w, model, entry, (uint32_t)i);
        if (i % 1024 == 0)
            w->env->poll(w->env);
    }
    text_character(w, ']');
}

/* Doubles as decimals, and single booleans, say their type by themselves. */
static void write_entry(TextBuffer *w, const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry);
    size_t count = (size_t)rows * entry->columns;
    bool plain = entry->dimensions == 1 && count <= MODEL_SHORT_ARRAY &&
                 (entry->type == ARRAY_F64 ||
                  (entry->type == ARRAY_BOOL && count == 1 && entry->section == SECTION_FACTS));
    char shape[64];

    json_quote(w, entry->name, strlen(entry->name));
    text_character(w, ':');
    if (plain) {
        write_elements(w, model, entry);
        return;
    }
    text_add(w, "{\"");
    text_add(w, type_names[entry->type]);
    text_add(w, "\":");
    write_elements(w, model, entry);
    if (entry->dimensions == 2) {
        snprintf(shape, sizeof shape, ",\"shape\":[%u,%u]", rows, entry->columns);
        text_add(w, shape);
    }
    text_character(w, '}');
}

static void write_section(TextBuffer *w, const Model *model, ModelSection section)
{
    const ModelEntry *entry = model_entries(model);
    bool first = true;

    for (uint32_t i = 0; i < model->entry_count; i++, entry++) {
        if (entry->section != section)
            continue;
        if (first) {
            text_add(w, ",\"");
            text_add(w, section_names[section]);
            text_add(w, "\":{");
        } else {
            text_character(w, ',');
        }
        first = false;
        write_entry(w, model, entry);
    }
    if (!first)
        text_character(w, '}');
}

static void write_count(TextBuffer *w, const char *name, int64_t value)
{
    text_add(w, ",\"");
    text_add(w, name);
    text_add(w, "\":");
    json_int(w, value);
}

static void write_flags(TextBuffer *w, uint8_t flags)
{
    bool first = true;

    if (flags == 0)
        return;
    text_add(w, ",\"flags\":[");
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (!(flags & (1u << i)))
            continue;
        if (!first)
            text_character(w, ',');
        first = false;
        json_quote(w, flag_names[i], strlen(flag_names[i]));
    }
    text_character(w, ']');
}

static void write_header(TextBuffer *w, const Model *model)
{
    text_add(w, "{\"pgfit\":");
    json_int(w, MODEL_FORMAT);
    write_count(w, "min_reader", model->min_reader);
    text_add(w, ",\"kind\":");
    json_quote(w, model_kind_name(model->kind), strlen(model_kind_name(model->kind)));
    text_add(w, ",\"estimator\":");
    json_quote(w, model->estimator, strlen(model->estimator));
    write_count(w, "fields", model->field_count);
    write_count(w, "slots", model->slot_count);
    if (model->column_count > 0)
        write_count(w, "columns", model->column_count);
    write_count(w, "rows", model->rows);
    write_count(w, "skipped", model->skipped);
    text_add(w, ",\"weight\":");
    write_double(w, model->weight);
    write_flags(w, model->flags);
    if (model->pending_rows > 0)
        write_count(w, "pending_rows", model->pending_rows);
    if (model->flushes > 0)
        write_count(w, "flushes", model->flushes);
}

char *model_to_text(Env *env, const Model *model, size_t *length)
{
    TextBuffer writer;
    uint32_t options_length;
    const char *options = model_options(model, &options_length);

    writer = (TextBuffer){.env = env};
    write_header(&writer, model);
    write_section(&writer, model, SECTION_SCHEMA);
    if (options_length > 2) {
        text_add(&writer, ",\"options\":");
        text_bytes(&writer, options, options_length);
    }
    write_section(&writer, model, SECTION_FACTS);
    write_section(&writer, model, SECTION_ARRAYS);
    text_character(&writer, '}');
    return text_finish(&writer, length);
}

/* ---- reading ---- */

/* What an array's JSON says, gathered for the builder. */
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

/* Strings for doubles: digits are checked here, the arithmetic is strtod's. */
static bool parse_special(const Json *string, double *result)
{
    char buffer[32];
    const char *at = buffer;
    char *end;

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
    at += *at == '-';
    if (strcmp(at, "inf") == 0) {
        *result = buffer[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (strncmp(at, "0x", 2) != 0 || strspn(at + 2, "0123456789abcdef.p+-") != strlen(at + 2))
        return false;
    *result = strtod(buffer, &end);
    return *end == '\0' && isfinite(*result);
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

static int64_t read_integer(Env *env, const Json *value)
{
    int64_t result;

    if (value->type != JSON_NUMBER || !json_integer(value, &result))
        refuse(env, value, "an integer of 64 bits expected");
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

/* Base64 of little-endian words, or of single bytes, as native elements. */
static void *read_base64(Env *env, const Json *value, ElementType type, uint64_t *count)
{
    size_t size, width = type == ARRAY_BOOL ? 1 : 8;
    uint8_t *bytes = env_array_raw(env, base64_bytes(value->length) + 1, 1);

    decode_base64(env, value, bytes, &size);
    if (size % width != 0)
        refuse(env, value, "%zu bytes of base64 are no array of 8-byte numbers", size);
    *count = size / width;
    for (uint64_t i = 0; width == 8 && i < *count; i++) {
        uint64_t word = 0;

        for (int k = 0; k < 8; k++)
            word |= (uint64_t)bytes[8 * i + k] << (8 * k);
        memcpy(bytes + 8 * i, &word, 8);
        if (i % 65536 == 0)
            env->poll(env);
    }
    for (uint64_t i = 0; width == 1 && i < *count; i++)
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
    data = env_array_raw(env, *count, type == ARRAY_BOOL ? 1 : 8);
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
        while (t <= ARRAY_TEXT && !json_is(key, type_names[t]))
            t++;
        if (t > ARRAY_TEXT)
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
            refuse(env, key, "\"%s\" is no name for an array", shown(env, key));
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
        refuse(env, kind_name, "\"%s\" is no kind of model", shown(env, kind_name));
    if (estimator->length >= sizeof header->estimator ||
        !model_name_valid(estimator->text, estimator->length))
        refuse(env, estimator, "\"%s\" is no name of an estimator", shown(env, estimator));
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
