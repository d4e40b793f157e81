/*
 * model_binary.c - a model in network byte order, for COPY BINARY and replication.
 *
 *     "PGFM" format u8 min_reader u8 kind u8 flags u8  estimator (u8 length, bytes)
 *     fields u32 slots u32 columns u32 rows i64 skipped i64 weight f64 pending_rows u32 flushes u32
 *     entries u32, and for each of them in order of section and name
 *         name (u8 length, bytes) section u8 type u8 dimensions u8 rows u32 columns u32
 *         data: numbers in 8, 4 or 1 bytes, booleans in 1, strings as u32 length and bytes
 *
 * Nothing is allocated for a count before the bytes that it announces are known to be there.
 */
#include "core/model/model.h"

#include <string.h>

static const uint8_t binary_magic[4] = {'P', 'G', 'F', 'M'};

#define ENTRY_MINIMUM 13 /* bytes of the shortest entry: a name of one letter, no data */

/* ---- writing ---- */

typedef struct Output {
    uint8_t *at;
} Output;

static void put_bytes(Output *out, const void *bytes, size_t length)
{
    memcpy(out->at, bytes, length);
    out->at += length;
}

static void put_u8(Output *out, unsigned value)
{
    *out->at++ = (uint8_t)value;
}

static void put_u32(Output *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out->at++ = (uint8_t)(value >> shift);
}

static void put_u64(Output *out, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        *out->at++ = (uint8_t)(value >> shift);
}

static void put_name(Output *out, const char *name)
{
    size_t length = strlen(name);

    put_u8(out, (unsigned)length);
    put_bytes(out, name, length);
}

static uint64_t word_at(const void *data, size_t i)
{
    uint64_t word;

    memcpy(&word, (const char *)data + 8 * i, 8);
    return word;
}

/* A text entry's table of ends takes 4 bytes a string, as the lengths here do. */
static size_t binary_size(const Model *model)
{
    const ModelEntry *entry = model_entries(model);
    size_t size = 4 + 4 + 1 + strlen(model->estimator) + 3 * 4 + 3 * 8 + 3 * 4;

    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        size += 1 + strlen(entry->name) + 3 + 8 + model_entry_bytes(model, entry);
    return size;
}

static void put_entry(Env *env, Output *out, const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry);
    const char *data = model_data(model, entry);
    size_t count = (size_t)rows * entry->columns;

    put_name(out, entry->name);
    put_u8(out, entry->section);
    put_u8(out, entry->type);
    put_u8(out, entry->dimensions);
    put_u32(out, rows);
    put_u32(out, entry->columns);
    for (size_t i = 0; i < count; i++) {
        if (i % 65536 == 0)
            env->poll(env);
        if (entry->type == ARRAY_TEXT) {
            uint32_t length;
            const char *string = model_text(model, entry, (uint32_t)i, &length);

            put_u32(out, length);
            put_bytes(out, string, length);
        } else if (model_element_size(entry->type) == 1) {
            put_u8(out, (uint8_t)data[i]);
        } else if (model_element_size(entry->type) == 4) {
            uint32_t word;

            memcpy(&word, data + 4 * i, 4);
            put_u32(out, word);
        } else {
            put_u64(out, word_at(data, i));
        }
    }
}

uint8_t *model_to_binary(Env *env, const Model *model, size_t *length)
{
    const ModelEntry *entry = model_entries(model);
    uint8_t *bytes;
    Output out;

    *length = binary_size(model);
    bytes = env_array_raw(env, *length, 1);
    out.at = bytes;
    put_bytes(&out, binary_magic, sizeof binary_magic);
    put_u8(&out, MODEL_FORMAT);
    put_u8(&out, model->min_reader);
    put_u8(&out, model->kind);
    put_u8(&out, model->flags);
    put_name(&out, model->estimator);
    put_u32(&out, model->field_count);
    put_u32(&out, model->slot_count);
    put_u32(&out, model->column_count);
    put_u64(&out, (uint64_t)model->rows);
    put_u64(&out, (uint64_t)model->skipped);
    put_u64(&out, word_at(&model->weight, 0));
    put_u32(&out, model->pending_rows);
    put_u32(&out, model->flushes);
    put_u32(&out, model->entry_count);
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
} Input;

static void __attribute__((noreturn)) refuse(const Input *in, const char *what)
{
    env_fail(in->env, ERROR_BINARY, NULL, "malformed binary model: %s at byte %zu", what,
             (size_t)(in->at - in->start) + 1);
}

/* The next `length` bytes, which must be there. */
static const uint8_t *take(Input *in, uint64_t length)
{
    const uint8_t *bytes = in->at;

    if (length > (uint64_t)(in->end - in->at))
        refuse(in, "bytes missing");
    in->at += length;
    return bytes;
}

static unsigned take_u8(Input *in)
{
    return *take(in, 1);
}

static uint64_t big_endian(const uint8_t *bytes, int length)
{
    uint64_t value = 0;

    for (int i = 0; i < length; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t take_u32(Input *in)
{
    return (uint32_t)big_endian(take(in, 4), 4);
}

static uint64_t take_u64(Input *in)
{
    return big_endian(take(in, 8), 8);
}

/* A name shorter than `size`, zero-terminated. */
static char *take_name(Input *in, size_t size)
{
    unsigned length = take_u8(in);
    const uint8_t *bytes = take(in, length);
    char *name;

    if (length >= size || !model_name_valid((const char *)bytes, length))
        refuse(in, "a malformed name");
    name = env_array(in->env, (size_t)length + 1, 1);
    memcpy(name, bytes, length);
    return name;
}

static void take_texts(Input *in, ModelBuilder *b, ModelSection section, const char *name,
                       uint32_t count)
{
    const char **strings;
    uint32_t *lengths;

    if (count > (uint64_t)(in->end - in->at) / 4)
        refuse(in, "bytes missing");
    strings = env_array_raw(in->env, count, sizeof *strings);
    lengths = env_array_raw(in->env, count, sizeof *lengths);
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = take_u32(in);
        strings[i] = (const char *)take(in, lengths[i]);
        if (i % 65536 == 0)
            in->env->poll(in->env);
    }
    builder_text(b, section, name, strings, lengths, count);
}

static void take_numbers(Input *in, ModelBuilder *b, ModelSection section, const char *name,
                         unsigned type, unsigned dimensions, uint32_t rows, uint32_t columns)
{
    uint64_t count = (uint64_t)rows * columns;
    uint32_t width = model_element_size(type);
    uint64_t *words;

    if (count > (uint64_t)(in->end - in->at) / width)
        refuse(in, "bytes missing");
    if (width == 1) {
        builder_numbers(b, section, name, (ElementType)type, take(in, count), dimensions, rows, columns);
        return;
    }
    words = env_array_raw(in->env, count, width);
    for (uint64_t i = 0; i < count; i++) {
        if (width == 4)
            ((uint32_t *)words)[i] = take_u32(in);
        else
            words[i] = take_u64(in);
        if (i % 65536 == 0)
            in->env->poll(in->env);
    }
    builder_numbers(b, section, name, (ElementType)type, words, dimensions, rows, columns);
}

static void take_entry(Input *in, ModelBuilder *b)
{
    const char *name = take_name(in, MODEL_NAME_SIZE);
    unsigned section = take_u8(in);
    unsigned type = take_u8(in);
    unsigned dimensions = take_u8(in);
    uint32_t rows = take_u32(in);
    uint32_t columns = take_u32(in);

    if (section < SECTION_SCHEMA || section > SECTION_ARRAYS)
        refuse(in, "an unknown section");
    if (dimensions == 2 ? columns == 0 || type == ARRAY_BOOL || type == ARRAY_TEXT
                        : dimensions != 1 || columns != 1)
        refuse(in, "a malformed shape");
    switch (type) {
    case ARRAY_F64:
    case ARRAY_I64:
    case ARRAY_F32:
    case ARRAY_I32:
    case ARRAY_U8:
        take_numbers(in, b, section, name, type, dimensions, rows, columns);
        break;
    case ARRAY_BOOL:
        builder_bool(b, section, name, take(in, rows), rows);
        break;
    case ARRAY_TEXT:
        take_texts(in, b, section, name, rows);
        break;
    default:
        refuse(in, "an unknown type");
    }
}

static ModelBuilder *take_header(Input *in)
{
    unsigned format, reader, kind, flags;
    ModelBuilder *b;
    Model *header;
    uint64_t bits;

    if (memcmp(take(in, sizeof binary_magic), binary_magic, sizeof binary_magic) != 0)
        refuse(in, "not a model");
    format = take_u8(in);
    reader = take_u8(in);
    if (reader > MODEL_READER)
        env_fail(in->env, ERROR_BINARY, "Update pgfit to a version that reads this format.",
                 "the model wants a reader of format %u, and this one knows up to %d", reader,
                 MODEL_READER);
    if (format == 0 || reader == 0 || reader > format)
        refuse(in, "a malformed format number");
    kind = take_u8(in);
    if (model_kind_name(kind) == NULL)
        refuse(in, "an unknown kind");
    flags = take_u8(in);
    b = model_builder(in->env, kind, take_name(in, sizeof header->estimator));
    header = builder_header(b);
    header->flags = (uint8_t)flags;
    header->field_count = take_u32(in);
    header->slot_count = take_u32(in);
    header->column_count = take_u32(in);
    header->rows = (int64_t)take_u64(in);
    header->skipped = (int64_t)take_u64(in);
    bits = take_u64(in);
    memcpy(&header->weight, &bits, 8);
    header->pending_rows = take_u32(in);
    header->flushes = take_u32(in);
    return b;
}

Model *model_parse_binary(Env *env, const uint8_t *bytes, size_t length)
{
    Input in = {.env = env, .start = bytes, .at = bytes, .end = bytes + length};
    ModelBuilder *b = take_header(&in);
    uint32_t count = take_u32(&in);
    const char *error;

    if (count > MODEL_MAX_ENTRIES || count > (size_t)(in.end - in.at) / ENTRY_MINIMUM)
        refuse(&in, "too many arrays");
    for (uint32_t i = 0; i < count; i++) {
        take_entry(&in, b);
        env->poll(env);
    }
    error = builder_problem(b, true);
    if (error != NULL)
        refuse(&in, error);
    if (in.at != in.end)
        refuse(&in, "bytes after the end");
    return model_build(b);
}
