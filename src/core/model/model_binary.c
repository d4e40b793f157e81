/*
 * model_binary.c - a model in network byte order, for COPY BINARY and replication.
 *
 *     "PGFM" format u8 min_reader u8 kind u8 flags u8  estimator (u8 length, bytes)
 *     fields u32 slots u32 columns u32 rows i64 skipped i64 weight f64 pending_rows u32 flushes u32
 *     entries u32, and for each of them in order of section and name
 *         name (u8 length, bytes) section u8 type u8 dimensions u8 rows u32 columns u32
 *         data: numbers in 8, 4 or 1 bytes, booleans in 1, strings as u32 length and bytes
 *
 * Strings are in UTF-8 whatever the encoding of the server, because the text of a model that keeps others holds their binary forms, which
 * no dump converts.
 *
 * No memory is allocated for a count before it is known that the input has as many bytes.
 */
#include "core/model/dictionary.h"
#include "core/model/model_internal.h"

#include <string.h>

static const uint8_t binary_magic[4] = {'P', 'G', 'F', 'M'};

#define ENTRY_MINIMUM 13 /* bytes of the shortest entry, which has a name of one letter and no data */

/* ---- writing ---- */

typedef struct Output {
    uint8_t *at;
} Output;

static void put_bytes(Output *out, const void *bytes, size_t length)
{
    memcpy(out->at, bytes, length);
    out->at += length;
}

/* Writes the lowest bytes of a number, highest first. */
static void put_number(Output *out, uint64_t value, uint32_t width)
{
    for (uint32_t i = width; i-- > 0;)
        *out->at++ = (uint8_t)(value >> (8 * i));
}

static void put_name(Output *out, const char *name)
{
    size_t length = strlen(name);

    put_number(out, length, 1);
    put_bytes(out, name, length);
}

/* Returns a string in UTF-8 (to_utf8), or in the encoding of the server. */
static const char *converted(Env *env, bool to_utf8, const char *text, uint32_t *length)
{
    size_t size = *length;

    if (env->convert_text == NULL || bytes_ascii(text, size))
        return text;
    text = env->convert_text(env, to_utf8, text, &size);
    *length = (uint32_t)size;
    return text;
}

/* Returns the bytes of the strings of an entry and of their lengths, which take as many as their ends in the value. */
static size_t texts_size(Env *env, const Model *model, const ModelEntry *entry)
{
    size_t size = 0;

    if (env->convert_text == NULL)
        return model_entry_bytes(model, entry);
    for (uint32_t i = 0; i < entry->rows; i++) {
        uint32_t length;
        const char *string = model_text(model, entry, i, &length), *utf8 = converted(env, true, string, &length);

        if (utf8 != string)
            env->release(env, (void *)utf8);
        size += 4 + length;
        env_poll_every(env, i, 65536);
    }
    return size;
}

static size_t binary_size(Env *env, const Model *model)
{
    const ModelEntry *entry = model_entries(model);
    size_t size = 4 + 4 + 1 + strlen(model->estimator) + 3 * 4 + 3 * 8 + 3 * 4;

    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        size += 1 + strlen(entry->name) + 3 + 8 +
                (entry->type == ARRAY_TEXT ? texts_size(env, model, entry) : model_entry_bytes(model, entry));
    return size;
}

static void put_entry(Env *env, Output *out, const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry), width = model_element_size(entry->type);
    const char *data = model_data(model, entry);
    size_t count = (size_t)rows * entry->columns;

    put_name(out, entry->name);
    put_number(out, entry->section, 1);
    put_number(out, entry->type, 1);
    put_number(out, entry->dimensions, 1);
    put_number(out, rows, 4);
    put_number(out, entry->columns, 4);
    for (size_t i = 0; i < count; i++) {
        env_poll_every(env, i, 65536);
        if (entry->type == ARRAY_TEXT) {
            uint32_t length;
            const char *string = model_text(model, entry, (uint32_t)i, &length), *utf8 = converted(env, true, string, &length);

            put_number(out, length, 4);
            put_bytes(out, utf8, length);
            if (utf8 != string)
                env->release(env, (void *)utf8);
        } else {
            put_number(out, element_bits(data, i, width), width);
        }
    }
}

uint8_t *model_to_binary(Env *env, const Model *model, size_t head, size_t *length)
{
    const ModelEntry *entry = model_entries(model);
    uint8_t *bytes;
    Output out;

    *length = binary_size(env, model);
    bytes = env_array_raw(env, head + *length, 1);
    out.at = bytes + head;
    put_bytes(&out, binary_magic, sizeof binary_magic);
    put_number(&out, MODEL_FORMAT, 1);
    put_number(&out, model->min_reader, 1);
    put_number(&out, model->kind, 1);
    put_number(&out, model->flags, 1);
    put_name(&out, model->estimator);
    for (const HeaderField *field = header_fields; field < header_fields + HEADER_FIELDS; field++)
        put_number(&out, header_bits(model, field), model_element_size(field->type));
    put_number(&out, model->entry_count, 4);
    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        put_entry(env, &out, model, entry);
    return bytes;
}

/* ---- reading ---- */

typedef struct Input {
    Env *env;
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    const char *wrong; /* what is wrong first; nothing is taken from then on */
    size_t wrong_at;
} Input;

/* Notes what is wrong. Readers go on with zeros and come to their end soon. */
static void refuse(Input *in, const char *what)
{
    if (in->wrong != NULL)
        return;
    in->wrong = what;
    in->wrong_at = (size_t)(in->at - in->start) + 1;
}

/* Takes the next bytes; NULL if fewer are left, or something is wrong already. */
static const uint8_t *take(Input *in, uint64_t length)
{
    const uint8_t *bytes = in->at;

    if (length > (uint64_t)(in->end - in->at))
        refuse(in, "bytes missing");
    if (in->wrong != NULL)
        return NULL;
    in->at += length;
    return bytes;
}

/* Reads a number of `width` bytes, highest first; 0 where there is none. */
static uint64_t take_number(Input *in, uint32_t width)
{
    const uint8_t *bytes = take(in, width);
    uint64_t value = 0;

    for (uint32_t i = 0; bytes != NULL && i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Reads a name into a field of `size` bytes, zero-terminated. */
static void take_name(Input *in, char *name, size_t size)
{
    size_t length = take_number(in, 1);
    const char *bytes = (const char *)take(in, length);

    name[0] = '\0';
    if (bytes != NULL && (length >= size || !model_name_valid(bytes, length)))
        refuse(in, "a malformed name");
    if (in->wrong != NULL)
        return;
    memcpy(name, bytes, length);
    name[length] = '\0';
}

static void take_texts(Input *in, ModelBuilder *b, const ModelEntry *entry)
{
    uint32_t count = entry->rows, *lengths;
    const char **strings;

    if (count > (uint64_t)(in->end - in->at) / 4) {
        refuse(in, "bytes missing");
        return;
    }
    strings = env_array_raw(in->env, count, sizeof *strings);
    lengths = env_array_raw(in->env, count, sizeof *lengths);
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = (uint32_t)take_number(in, 4);
        strings[i] = (const char *)take(in, lengths[i]);
        if (in->wrong != NULL)
            return;
        strings[i] = converted(in->env, false, strings[i], &lengths[i]);
        env_poll_every(in->env, i, 65536);
    }
    builder_text(b, entry->section, entry->name, strings, lengths, count);
}

static void take_numbers(Input *in, ModelBuilder *b, const ModelEntry *entry)
{
    uint64_t count = (uint64_t)entry->rows * entry->columns;
    uint32_t width = model_element_size(entry->type);
    void *numbers;

    if (count > (uint64_t)(in->end - in->at) / width) {
        refuse(in, "bytes missing");
        return;
    }
    if (width == 1) {
        builder_entry(b, entry, take(in, count));
        return;
    }
    numbers = env_array_raw(in->env, count, width);
    for (uint64_t i = 0; i < count; i++) {
        element_set_bits(numbers, i, width, take_number(in, width));
        env_poll_every(in->env, i, 65536);
    }
    builder_entry(b, entry, numbers);
}

static void take_entry(Input *in, ModelBuilder *b)
{
    ModelEntry entry = {.reserved = 0};
    const char *problem;

    take_name(in, entry.name, sizeof entry.name);
    entry.section = (uint8_t)take_number(in, 1);
    entry.type = (uint8_t)take_number(in, 1);
    entry.dimensions = (uint8_t)take_number(in, 1);
    entry.rows = (uint32_t)take_number(in, 4);
    entry.columns = (uint32_t)take_number(in, 4);
    if (in->wrong != NULL)
        return;
    problem = model_entry_problem(in->env, &entry);
    if (problem != NULL) {
        refuse(in, problem);
        return;
    }
    if (entry.type == ARRAY_TEXT)
        take_texts(in, b, &entry);
    else
        take_numbers(in, b, &entry);
}

/* Begins the model; NULL if the header is wrong. */
static ModelBuilder *take_header(Input *in)
{
    const uint8_t *magic = take(in, sizeof binary_magic);
    unsigned format, reader, kind, flags;
    char estimator[sizeof((Model *)NULL)->estimator];
    ModelBuilder *b;

    if (magic != NULL && memcmp(magic, binary_magic, sizeof binary_magic) != 0)
        refuse(in, "not a model");
    format = (unsigned)take_number(in, 1);
    reader = (unsigned)take_number(in, 1);
    if (in->wrong != NULL)
        return NULL;
    model_require_format(in->env, ERROR_BINARY, format, reader);
    kind = (unsigned)take_number(in, 1);
    if (model_kind_name(kind) == NULL)
        refuse(in, "an unknown kind");
    flags = (unsigned)take_number(in, 1);
    take_name(in, estimator, sizeof estimator);
    if (in->wrong != NULL)
        return NULL;
    b = model_builder(in->env, kind, estimator);
    builder_header(b)->flags = (uint8_t)flags;
    for (const HeaderField *field = header_fields; field < header_fields + HEADER_FIELDS; field++)
        header_set_bits(builder_header(b), field, take_number(in, model_element_size(field->type)));
    return b;
}

Model *model_try_binary(Env *env, const uint8_t *bytes, size_t length, const char **wrong, size_t *at)
{
    Input in = {.env = env, .start = bytes, .at = bytes, .end = bytes + length};
    ModelBuilder *b = take_header(&in);
    uint32_t count = (uint32_t)take_number(&in, 4);
    const char *error;

    if (count > MODEL_MAX_ENTRIES || count > (size_t)(in.end - in.at) / ENTRY_MINIMUM)
        refuse(&in, "too many arrays");
    for (uint32_t i = 0; in.wrong == NULL && i < count; i++) {
        take_entry(&in, b);
        env->poll(env);
    }
    error = in.wrong == NULL ? builder_problem(b, true) : NULL;
    if (error != NULL)
        refuse(&in, error);
    if (in.at != in.end)
        refuse(&in, "bytes after the end");
    *wrong = in.wrong;
    *at = in.wrong_at;
    return in.wrong == NULL ? dictionary_restore(env, model_build(b)) : NULL;
}

Model *model_parse_binary(Env *env, const uint8_t *bytes, size_t length)
{
    const char *wrong;
    size_t at;
    Model *model = model_try_binary(env, bytes, length, &wrong, &at);

    if (model == NULL)
        env_fail(env, ERROR_BINARY, NULL, "malformed binary model: %s at byte %zu", wrong, at);
    return model;
}
