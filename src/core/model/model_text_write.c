/*
 * model_text_write.c - writes a model as text (model_text.h).
 */
#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/model/model_internal.h"
#include "core/model/model_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_WORDS 1536 /* a multiple of 3, so that chunks of base64 join without padding */

/* Writes the shortest decimal that reads back as the same float. */
static void write_short_float(TextBuffer *w, float value)
{
    char buffer[48];

    for (int precision = 1; precision <= 9; precision++) {
        snprintf(buffer, sizeof buffer, "%.*g", precision, (double)value);
        if ((float)strtod(buffer, NULL) == value)
            break;
    }
    text_add(w, buffer);
}

/*
 * Writes a number of 8 (double) or 4 bytes (float): as a decimal if jsonb keeps it, else as the string that represents it. A
 * NaN is taken from its bits, because a float's payload could be lost in a double.
 */
static void write_number(TextBuffer *w, const void *data, uint32_t width)
{
    double value, size;
    float narrow;

    memcpy(&narrow, data, sizeof narrow);
    if (width == 8)
        memcpy(&value, data, sizeof value);
    else
        value = narrow;
    size = fabs(value);
    if (isnan(value))
        text_print(w, "\"nan:%0*" PRIx64 "\"", (int)(2 * width), element_bits(data, 0, width));
    else if (isinf(value))
        text_add(w, value > 0 ? "\"inf\"" : "\"-inf\"");
    else if (value == 0 ? signbit(value) : size < 1e-30 || size > 1e30)
        text_print(w, "\"%a\"", value);
    else if (width == 8)
        json_double(w, value);
    else
        write_short_float(w, narrow);
}

static void write_base64(TextBuffer *w, const void *data, ElementType type, size_t count)
{
    uint32_t width = model_element_size(type);
    size_t step = CHUNK_WORDS * 8 / width;
    uint8_t bytes[CHUNK_WORDS * 8];
    char text[CHUNK_WORDS * 8 / 3 * 4];

    text_character(w, '"');
    for (size_t from = 0; from < count; from += step) {
        size_t part = count - from < step ? count - from : step;

        for (size_t i = 0; i < part; i++) {
            uint64_t bits = element_bits(data, from + i, width);

            for (uint32_t k = 0; k < width; k++)
                bytes[i * width + k] = (uint8_t)(bits >> (8 * k));
        }
        part *= width;
        base64_encode(bytes, part, text);
        text_bytes(w, text, base64_length(part));
        w->env->poll(w->env);
    }
    text_character(w, '"');
}

static void write_element(TextBuffer *w, const Model *model, const ModelEntry *entry, uint32_t i)
{
    const char *data = model_data(model, entry);
    uint32_t width = model_element_size(entry->type), length;
    uint64_t bits;

    if (entry->type == ARRAY_TEXT) {
        data = model_text(model, entry, i, &length);
        json_quote(w, data, length);
        return;
    }
    bits = element_bits(data, i, width);
    switch (entry->type) {
    case ARRAY_F64:
    case ARRAY_F32:
        write_number(w, data + (size_t)i * width, width);
        break;
    case ARRAY_I32:
        json_int(w, (int32_t)bits);
        break;
    case ARRAY_BOOL:
        text_add(w, bits ? "true" : "false");
        break;
    default:
        json_int(w, (int64_t)bits);
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
    /* not for f32: if the number is written as a string, that would read as base64 */
    if (count == 1 && entry->dimensions == 1 && entry->section == SECTION_FACTS && entry->type != ARRAY_F32) {
        write_element(w, model, entry, 0);
        return;
    }
    text_character(w, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(w, ',');
        write_element(w, model, entry, (uint32_t)i);
        env_poll_every(w->env, i, 1024);
    }
    text_character(w, ']');
}

/* Writes an array. Its type is left out for decimals of doubles and for single booleans, from which it can be seen. */
static void write_entry(TextBuffer *w, const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry);
    size_t count = (size_t)rows * entry->columns;
    bool plain = entry->dimensions == 1 && count <= MODEL_SHORT_ARRAY &&
                 (entry->type == ARRAY_F64 ||
                  (entry->type == ARRAY_BOOL && count == 1 && entry->section == SECTION_FACTS));

    json_quote(w, entry->name, strlen(entry->name));
    text_character(w, ':');
    if (plain) {
        write_elements(w, model, entry);
        return;
    }
    text_print(w, "{\"%s\":", array_type_name(entry->type));
    write_elements(w, model, entry);
    if (entry->dimensions == 2)
        text_print(w, ",\"shape\":[%u,%u]", rows, entry->columns);
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
            text_print(w, ",\"%s\":{", section_names[section]);
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
    text_print(w, ",\"%s\":%" PRId64, name, value);
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
    text_print(w, "{\"pgfit\":%d,\"min_reader\":%d,\"kind\":\"%s\",\"estimator\":\"%s\"", MODEL_FORMAT, model->min_reader,
               model_kind_name(model->kind), model->estimator);
    for (const HeaderField *field = header_fields; field < header_fields + HEADER_FIELDS; field++) {
        uint64_t bits = header_bits(model, field);

        if (field->type == ARRAY_F64) {
            text_print(w, ",\"%s\":", field->name);
            write_number(w, &bits, 8);
            write_flags(w, model->flags);
        } else if (bits != 0 || !field->optional) {
            write_count(w, field->name, (int64_t)bits);
        }
    }
}

char *model_to_text(Env *env, const Model *model, size_t *length)
{
    TextBuffer writer = {.env = env};
    uint32_t options_length;
    const char *options = model_options(model, &options_length);

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
