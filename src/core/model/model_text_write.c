/*
 * model_text_write.c - writes a model as text (model_text.h).
 */
#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/model/model_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_WORDS 1536 /* a multiple of 3: chunks of base64 join without padding */

/* Writes a number that is no NaN as the string that stands for it, and says so; false: jsonb keeps its decimals. */
static bool write_special(TextBuffer *w, double value)
{
    double size = fabs(value);
    char buffer[48];

    if (isinf(value))
        snprintf(buffer, sizeof buffer, value > 0 ? "\"inf\"" : "\"-inf\"");
    else if ((value == 0 && signbit(value)) || (size != 0 && (size < 1e-30 || size > 1e30)))
        snprintf(buffer, sizeof buffer, "\"%a\"", value);
    else
        return false;
    text_add(w, buffer);
    return true;
}

static void write_double(TextBuffer *w, double value)
{
    char buffer[48];

    if (isnan(value)) {
        uint64_t bits;

        memcpy(&bits, &value, 8);
        snprintf(buffer, sizeof buffer, "\"nan:%016" PRIx64 "\"", bits);
        text_add(w, buffer);
    } else if (!write_special(w, value)) {
        json_double(w, value);
    }
}

/* Writes the float at `data`. A NaN is taken from its bits: as a double it could lose its payload. */
static void write_float(TextBuffer *w, const char *data)
{
    uint32_t bits;
    float value;
    char buffer[48];

    memcpy(&bits, data, 4);
    memcpy(&value, data, 4);
    if (isnan(value)) {
        snprintf(buffer, sizeof buffer, "\"nan:%08" PRIx32 "\"", bits);
        text_add(w, buffer);
        return;
    }
    if (write_special(w, value))
        return;
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(buffer, sizeof buffer, "%.*g", precision, (double)value);
        if ((float)strtod(buffer, NULL) == value)
            break;
    }
    text_add(w, buffer);
}

static uint64_t word_at(const void *data, size_t i)
{
    uint64_t word;

    memcpy(&word, (const char *)data + 8 * i, 8);
    return word;
}

/* Copies an element from native to little-endian order. */
static void put_little_endian(uint8_t *out, const void *element, uint32_t width)
{
    uint64_t word;
    uint32_t half;

    if (width == 1) {
        memcpy(out, element, 1);
        return;
    }
    if (width == 4) {
        memcpy(&half, element, 4);
        word = half;
    } else {
        memcpy(&word, element, 8);
    }
    for (uint32_t k = 0; k < width; k++)
        out[k] = (uint8_t)(word >> (8 * k));
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

        for (size_t i = 0; i < part; i++)
            put_little_endian(bytes + i * width, (const char *)data + (from + i) * width, width);
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
    uint32_t length;
    double value;
    int32_t integer;

    switch (entry->type) {
    case ARRAY_F64:
        memcpy(&value, data + 8 * (size_t)i, 8);
        write_double(w, value);
        break;
    case ARRAY_F32:
        write_float(w, data + 4 * (size_t)i);
        break;
    case ARRAY_I64:
        json_int(w, (int64_t)word_at(data, i));
        break;
    case ARRAY_I32:
        memcpy(&integer, data + 4 * (size_t)i, 4);
        json_int(w, integer);
        break;
    case ARRAY_U8:
        json_int(w, ((const uint8_t *)data)[i]);
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
    /* a single f32 stays in its list: the string that it may be would read as base64 */
    if (count == 1 && entry->dimensions == 1 && entry->section == SECTION_FACTS && entry->type != ARRAY_F32) {
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
