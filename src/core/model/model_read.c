/*
 * model_read.c - finds and reads the arrays of a value.
 */
#include "core/model/model.h"
#include "core/base/bytes.h"

#include <math.h>
#include <string.h>

bool model_entry_is_any(const ModelEntry *entry, const char *const *names)
{
    while (*names != NULL && strcmp(entry->name, *names) != 0)
        names++;
    return *names != NULL;
}

const ModelEntry *model_find(const Model *model, const char *name)
{
    const ModelEntry *entry = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++, entry++)
        if (entry->name[0] == name[0] && strncmp(entry->name, name, MODEL_NAME_SIZE) == 0)
            return entry;
    return NULL;
}

const void *model_data(const Model *model, const ModelEntry *entry)
{
    return (const char *)model + entry->offset;
}

/* Returns n if count is n (n + 1) / 2, else 0. */
static uint32_t triangle_order(uint32_t count)
{
    uint32_t n = (uint32_t)((sqrt(8.0 * count + 1) - 1) / 2);

    return (uint64_t)n * (n + 1) / 2 == count ? n : 0;
}

uint32_t model_array_name(const Model *model, const ModelEntry *entry, char name[MODEL_NAME_SIZE])
{
    size_t length = strlen(entry->name), suffix = strlen(MODEL_PACKED);
    uint32_t order = triangle_order(entry->rows);

    memcpy(name, entry->name, MODEL_NAME_SIZE);
    if (entry->section != SECTION_ARRAYS || entry->type != ARRAY_F64 || entry->dimensions != 1 ||
        order == 0 || length <= suffix || strcmp(entry->name + length - suffix, MODEL_PACKED) != 0)
        return 0;
    name[length - suffix] = 0;
    if (model_find(model, name) == NULL)
        return order;
    memcpy(name, entry->name, MODEL_NAME_SIZE);
    return 0;
}

const ModelEntry *model_find_array(const Model *model, const char *name, uint32_t *order)
{
    const ModelEntry *entry = strlen(name) < MODEL_NAME_SIZE ? model_find(model, name) : NULL;

    *order = 0;
    if (entry != NULL)
        return entry->section == SECTION_ARRAYS ? entry : NULL;
    entry = model_entries(model);
    for (uint32_t i = 0; i < model->entry_count; i++, entry++) {
        char own[MODEL_NAME_SIZE];
        *order = model_array_name(model, entry, own);
        if (*order > 0 && strcmp(own, name) == 0)
            return entry;
    }
    return NULL;
}

static const void *find_numbers(const Model *model, const char *name, ElementType type,
                                uint32_t *length)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry == NULL || entry->type != type) {
        if (length != NULL)
            *length = 0;
        return NULL;
    }
    if (length != NULL)
        *length = model_rows(model, entry) * entry->columns;
    return model_data(model, entry);
}

const double *model_f64(const Model *model, const char *name, uint32_t *length)
{
    return find_numbers(model, name, ARRAY_F64, length);
}

const int64_t *model_i64(const Model *model, const char *name, uint32_t *length)
{
    return find_numbers(model, name, ARRAY_I64, length);
}

const uint8_t *model_u8(const Model *model, const char *name, uint32_t *length)
{
    return find_numbers(model, name, ARRAY_U8, length);
}

double model_number(const Model *model, const ModelEntry *entry, size_t i)
{
    const void *data = model_data(model, entry);

    switch (entry->type) {
    case ARRAY_F64:
        return ((const double *)data)[i];
    case ARRAY_I64:
        return (double)((const int64_t *)data)[i];
    case ARRAY_F32:
        return ((const float *)data)[i];
    case ARRAY_I32:
        return ((const int32_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

uint32_t model_text_end(const Model *model, const ModelEntry *entry, uint32_t i)
{
    uint32_t end;

    memcpy(&end, (const char *)model + entry->offset + entry->reserved - 4 * ((size_t)i + 1), 4);
    return end;
}

const char *model_text(const Model *model, const ModelEntry *entry, uint32_t i, uint32_t *length)
{
    uint32_t start = i > 0 ? model_text_end(model, entry, i - 1) : 0;

    *length = model_text_end(model, entry, i) - start;
    return (const char *)model + entry->offset + start;
}

bool model_texts_in_order(const Model *model, const ModelEntry *entry)
{
    for (uint32_t i = 1; i < entry->rows; i++) {
        uint32_t before_length, length;
        const char *before = model_text(model, entry, i - 1, &before_length), *text = model_text(model, entry, i, &length);
        int order = bytes_compare(before, before_length, text, length);

        if (order == 0 || (order > 0 && (bytes_ascii(before, before_length) || bytes_ascii(text, length))))
            return false;
    }
    return true;
}

uint32_t model_text_find(const Model *model, const ModelEntry *entry, const char *text, uint32_t length)
{
    uint32_t low = 0, high = entry->rows, other_length;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *other = model_text(model, entry, middle, &other_length);
        int order = bytes_compare(other, other_length, text, length);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (bytes_ascii(text, length))
        return UINT32_MAX;
    for (uint32_t i = 0; i < entry->rows; i++) {
        const char *other = model_text(model, entry, i, &other_length);

        if (other_length == length && memcmp(other, text, length) == 0)
            return i;
    }
    return UINT32_MAX;
}

char *model_string(Env *env, const Model *model, const ModelEntry *entry)
{
    uint32_t length;
    const char *text = entry != NULL ? model_text(model, entry, 0, &length) : NULL;

    return text != NULL ? env_text(env, text, length) : NULL;
}

const char *model_options(const Model *model, uint32_t *length)
{
    const ModelEntry *entry = model_find(model, "options");

    if (entry == NULL || entry->section != SECTION_OPTIONS) {
        *length = 2;
        return "{}";
    }
    return model_text(model, entry, 0, length);
}

double model_fact(const Model *model, const char *name, double fallback)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry == NULL || entry->section != SECTION_FACTS || entry->type == ARRAY_TEXT ||
        entry->rows * entry->columns != 1)
        return fallback;
    return model_number(model, entry, 0);
}

uint64_t model_entry_bytes(const Model *model, const ModelEntry *entry)
{
    uint32_t rows = model_rows(model, entry);

    if (entry->type == ARRAY_TEXT)
        return (rows > 0 ? model_text_end(model, entry, rows - 1) : 0) + 4 * (uint64_t)rows;
    return (uint64_t)rows * entry->columns * model_element_size(entry->type);
}

bool model_name_valid(const char *name, size_t length)
{
    if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];

        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9')))
            return false;
    }
    return true;
}
